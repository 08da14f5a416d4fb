// Part of Scanweft, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

//===----------------------------------------------------------------------===//
// The chunk rules of `weft.prefix_sum` and `weft.associative_scan`: the chunk's
// rows are scanned by themselves and joined to the state at the chunk's start.
//===----------------------------------------------------------------------===//

#include "dialects/Weft/IR/CarryKindBuilder.h"
#include "dialects/Weft/IR/WeftNumerics.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace scanweft::weft;

/// `state` [features...] repeated along rows to the shape of `rows`.
static Value repeatToRows(CarryKindBuilder &build, Value state, Value rows) {
  auto dims =
      llvm::to_vector(llvm::seq<int64_t>(1, tensorType(rows).getRank()));
  return BroadcastOp::create(build.builder, build.loc, rows.getType(), state,
                             dims);
}

/// The features of a source [B, T, H, features...], of another element type.
static RankedTensorType stateType(Value source, Type element) {
  return RankedTensorType::get(tensorType(source).getShape().drop_front(3),
                               element);
}

//===----------------------------------------------------------------------===//
// PrefixSumOp
//===----------------------------------------------------------------------===//

SmallVector<CarryDeclaration> PrefixSumOp::declareCarries(ChunkScope &scope) {
  Type acc = getAccumulatorType(tensorType(getSource()).getElementType());
  Value init = getInit() ? scope.getProgramValue(1)
                         : CarryKindBuilder(scope.program, getLoc())
                               .splat(stateType(getSource(), acc), 0.0);
  return {{SumAttr::get(getContext()), {init}}};
}

ChunkEmission PrefixSumOp::emitChunk(ChunkScope &scope, ValueRange states) {
  CarryKindBuilder build(scope.body, getLoc());
  Type acc = tensorType(states[0]).getElementType();
  Value rows = scope.keepLive(build.cast(scope.getRows(0), acc), 0.0);
  Value inside = CumsumOp::create(scope.body, getLoc(), rows.getType(), rows,
                                  /*dim=*/0, getExclusive(), getReverse());
  Value out = build.add(repeatToRows(build, states[0], rows), inside);
  Value addend = SumOp::create(scope.body, getLoc(), rows, /*dim=*/0);
  Value element = SumElementOp::create(scope.body, getLoc(), addend);
  return {{build.cast(out, tensorType(getOut()).getElementType())}, {element}};
}

//===----------------------------------------------------------------------===//
// AssociativeScanOp
//===----------------------------------------------------------------------===//

SmallVector<CarryDeclaration>
AssociativeScanOp::declareCarries(ChunkScope &scope) {
  auto kind =
      RegionAttr::get(getContext(), scope.outline(getCombine()), getIdentity());
  SmallVector<Value> states;
  if (getInits().empty()) {
    SmallVector<Type> types = llvm::map_to_vector(
        llvm::zip_equal(getSources(), getCombinedTypes()),
        [](auto pair) -> Type {
          return stateType(std::get<0>(pair), std::get<1>(pair));
        });
    states = kind.buildIdentity(scope.program, getLoc(), types);
  }
  for (unsigned i : llvm::seq<unsigned>(getInits().size()))
    states.push_back(scope.getProgramValue(getSources().size() + i));
  return {{kind, states}};
}

ChunkEmission AssociativeScanOp::emitChunk(ChunkScope &scope,
                                           ValueRange states) {
  CarryKindBuilder build(scope.body, getLoc());
  auto kind =
      RegionAttr::get(getContext(), scope.outline(getCombine()), getIdentity());
  SmallVector<Value> sources;
  SmallVector<Type> scannedTypes;
  for (auto [i, type] : llvm::enumerate(getCombinedTypes())) {
    sources.push_back(build.cast(scope.getRows(i), type));
    scannedTypes.push_back(sources.back().getType());
  }
  auto scan = ScanRowsOp::create(
      scope.body, getLoc(), scannedTypes, states.getTypes(), sources,
      kind.getCombine(), kind.getIdentity(), scope.getLiveFrom(),
      scope.getLiveTo(), getExclusiveAttr(), getReverseAttr());
  SmallVector<Value> before;
  for (auto [state, rows] : llvm::zip_equal(states, sources))
    before.push_back(repeatToRows(build, state, rows));
  SmallVector<Value> rows =
      kind.buildCombine(scope.body, getLoc(), scan.getScanned(), before, {});
  for (auto [row, out] : llvm::zip_equal(rows, getOuts()))
    row = build.cast(row, tensorType(out).getElementType());
  Value element = RegionElementOp::create(
      scope.body, getLoc(),
      ElementType::get(getContext(), cast<CarryKindInterface>(Attribute(kind))),
      scan.getTotals());
  return {rows, {element}};
}
