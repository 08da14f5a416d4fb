// Part of Scanweft, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

//===----------------------------------------------------------------------===//
// The pass: every body op on tensors to linalg, tensor, scf, arith and math.
//===----------------------------------------------------------------------===//

#include "passes/CPU/LowerBody.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Transforms/WalkPatternRewriteDriver.h"
#include "passes/CPU/Passes.h"
#include "passes/CPU/StatisticsCalls.h"

namespace scanweft {
#define GEN_PASS_DEF_LOWERBODY
#include "passes/CPU/Passes.h.inc"
} // namespace scanweft

using namespace mlir;
using namespace scanweft;

//===----------------------------------------------------------------------===//
// EntryLoops
//===----------------------------------------------------------------------===//

Value EntryLoops::index(int64_t value) {
  return arith::ConstantIndexOp::create(builder, loc, value);
}

SmallVector<OpFoldResult> EntryLoops::sizesOf(Value tensor) {
  return tensor::getMixedSizes(builder, loc, tensor);
}

Value EntryLoops::sizeOf(Value tensor, int64_t dim) {
  return getValueOrCreateConstantIndexOp(
      builder, loc, tensor::getMixedSize(builder, loc, tensor, dim));
}

Value EntryLoops::empty(RankedTensorType type, ArrayRef<OpFoldResult> sizes) {
  SmallVector<Value> dynamic;
  for (auto [size, extent] : llvm::zip(sizes, type.getShape()))
    if (ShapedType::isDynamic(extent))
      dynamic.push_back(getValueOrCreateConstantIndexOp(builder, loc, size));
  return tensor::EmptyOp::create(builder, loc, type, dynamic);
}

Value EntryLoops::filled(RankedTensorType type, ArrayRef<OpFoldResult> sizes,
                         Value value) {
  return linalg::FillOp::create(builder, loc, value, empty(type, sizes))
      .getResult(0);
}

Value EntryLoops::filled(RankedTensorType type, ArrayRef<OpFoldResult> sizes,
                         double value) {
  return filled(type, sizes,
                createFloat(builder, loc, type.getElementType(), value));
}

/// Where the loops of a generic op stand: those of the result's dims in order,
/// the loops that are folded over between them.
namespace {
struct LoopOrder {
  unsigned rank;
  unsigned numReduced;
  unsigned firstReduced;

  unsigned numLoops() const { return rank + numReduced; }
  /// The loop of a dim, the result's dims counted first.
  unsigned loopOf(unsigned dim) const {
    if (dim >= rank)
      return firstReduced + dim - rank;
    return dim < firstReduced ? dim : dim + numReduced;
  }
  /// The map from loops to a tensor's dims.
  AffineMap getMap(MLIRContext *context, ArrayRef<int64_t> dims) const {
    SmallVector<AffineExpr> exprs;
    for (int64_t dim : dims)
      exprs.push_back(getAffineDimExpr(loopOf(dim), context));
    return AffineMap::get(numLoops(), 0, exprs, context);
  }
};
} // namespace

static Value createGeneric(EntryLoops &loops, Value init,
                           const LoopOrder &order,
                           ArrayRef<EntryLoops::Operand> operands,
                           EntryLoops::Body body) {
  auto type = cast<RankedTensorType>(init.getType());
  MLIRContext *context = type.getContext();
  SmallVector<Value> inputs;
  SmallVector<AffineMap> maps;
  for (const EntryLoops::Operand &operand : operands) {
    inputs.push_back(operand.tensor);
    maps.push_back(order.getMap(context, operand.dims));
  }
  maps.push_back(
      order.getMap(context, EntryLoops::dimsFrom(0, type.getRank())));
  SmallVector<utils::IteratorType> iterators(order.numLoops(),
                                             utils::IteratorType::reduction);
  for (int64_t dim : llvm::seq(type.getRank()))
    iterators[order.loopOf(dim)] = utils::IteratorType::parallel;
  auto emit = [&](OpBuilder &builder, Location loc, ValueRange entries) {
    linalg::YieldOp::create(builder, loc, body(builder, loc, entries));
  };
  return linalg::GenericOp::create(loops.builder, loops.loc, type, inputs, init,
                                   maps, iterators, emit)
      .getResult(0);
}

Value EntryLoops::map(RankedTensorType type, ArrayRef<OpFoldResult> sizes,
                      ArrayRef<Operand> operands, Body body) {
  unsigned rank = type.getRank();
  return createGeneric(*this, empty(type, sizes), {rank, 0, rank}, operands,
                       body);
}

Value EntryLoops::fold(Value init, unsigned numReduced,
                       ArrayRef<Operand> operands, Body body,
                       std::optional<unsigned> firstReduced) {
  unsigned rank = cast<RankedTensorType>(init.getType()).getRank();
  return createGeneric(*this, init,
                       {rank, numReduced, firstReduced.value_or(rank)},
                       operands, body);
}

Value scanweft::createFloat(OpBuilder &builder, Location loc, Type type,
                            double value) {
  return arith::ConstantOp::create(builder, loc,
                                   builder.getFloatAttr(type, value));
}

Value scanweft::castFloat(OpBuilder &builder, Location loc, Value scalar,
                          Type type) {
  unsigned from = scalar.getType().getIntOrFloatBitWidth();
  unsigned to = type.getIntOrFloatBitWidth();
  if (scalar.getType() == type)
    return scalar;
  if (from < to)
    return arith::ExtFOp::create(builder, loc, type, scalar);
  if (from > to)
    return arith::TruncFOp::create(builder, loc, type, scalar);
  // f16 and bf16: through the type that holds both.
  Value wide =
      arith::ExtFOp::create(builder, loc, builder.getF32Type(), scalar);
  return arith::TruncFOp::create(builder, loc, type, wide);
}

//===----------------------------------------------------------------------===//
// The pass
//===----------------------------------------------------------------------===//

bool scanweft::isEmpty(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  return tensor && llvm::is_contained(tensor.getShape(), 0);
}

namespace {
/// Results without entries need no loops. (A slice of such a tensor would not
/// verify: no offset lies inside it.)
struct LowerEmptyResults : RewritePattern {
  LowerEmptyResults(MLIRContext *context)
      : RewritePattern(MatchAnyOpTypeTag(), /*benefit=*/2, context) {}

  LogicalResult matchAndRewrite(Operation *op,
                                PatternRewriter &rewriter) const override {
    if (!isa<weft::WeftDialect>(op->getDialect()) || op->getNumRegions() > 0 ||
        op->getNumResults() == 0 || !isMemoryEffectFree(op) ||
        !llvm::all_of(op->getResultTypes(), isEmpty))
      return failure();
    SmallVector<Value> results;
    for (Type type : op->getResultTypes()) {
      if (!cast<RankedTensorType>(type).hasStaticShape())
        return failure();
      results.push_back(
          tensor::EmptyOp::create(rewriter, op->getLoc(), type, ValueRange()));
    }
    rewriter.replaceOp(op, results);
    return success();
  }
};

struct LowerBody : scanweft::impl::LowerBodyBase<LowerBody> {
  using LowerBodyBase::LowerBodyBase;

  void runOnOperation() override {
    StatisticsCalls calls(getOperation(), statistics);
    RewritePatternSet patterns(&getContext());
    patterns.add<LowerEmptyResults>(&getContext());
    populateLowerProductPatterns(patterns);
    populateLowerScanPatterns(patterns);
    populateLowerSolvePatterns(patterns, calls);
    populateLowerEntryPatterns(patterns);
    populateLowerSlicePatterns(patterns);
    walkAndApplyPatterns(getOperation(), std::move(patterns));
    getOperation().walk([&](Operation *op) {
      if (!isa<weft::WeftDialect>(op->getDialect()))
        return;
      op->emitOpError("has no lowering to loops at this place: "
                      "weft-lower-body takes body ops outside kernels");
      signalPassFailure();
    });
  }
};
} // namespace
