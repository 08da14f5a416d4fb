// Part of Scanweft, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

//===----------------------------------------------------------------------===//
// weft-lower-algebra: what the ops on whole tensors mean, token by token.
//
//   for b { for h { state = init; for t { clauses or combination of step t } }
//   }
//
// The loops thread outputs and states as tensors and update them in place, so
// that a scan runs in the memory of its results and of one state.
//===----------------------------------------------------------------------===//

#include "passes/CPU/LowerAlgebra.h"
#include "dialects/Weft/IR/WeftNumerics.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/PatternMatch.h"
#include "passes/CPU/LowerBody.h"
#include "passes/CPU/Passes.h"
#include "passes/CPU/ScanLoops.h"

namespace scanweft {
#define GEN_PASS_DEF_LOWERALGEBRA
#include "passes/CPU/Passes.h.inc"
} // namespace scanweft

using namespace mlir;
using namespace scanweft;
using namespace scanweft::weft;

static RankedTensorType typeOf(Value value) {
  return cast<RankedTensorType>(value.getType());
}

/// `row` in another element type.
static Value castRow(EntryLoops &loops, Value row, Type element) {
  if (typeOf(row).getElementType() == element)
    return row;
  auto type = RankedTensorType::get(typeOf(row).getShape(), element);
  EntryLoops::Operand operand{row, EntryLoops::dimsFrom(0, type.getRank())};
  return loops.map(type, {}, operand,
                   [&](OpBuilder &builder, Location loc, ValueRange entry) {
                     return castFloat(builder, loc, entry[0], element);
                   });
}

//===----------------------------------------------------------------------===//
// Running combinations
//===----------------------------------------------------------------------===//

namespace {
/// A scan that combines every source's entry with a state of its own: prefix
/// sums and associative scans.
struct RunningCombination {
  AlgebraOpInterface op;
  unsigned numSources;
  bool exclusive;
  bool hasInits;
  /// Where the states start without inits: one number per source.
  SmallVector<double> identity;
  /// (states' entries..., sources' entries...) -> states' entries, all in the
  /// accumulators' types.
  function_ref<SmallVector<Value>(OpBuilder &, Location, ValueRange)> combine;
};
} // namespace

/// All states in one loop over the entries.
static void combineStep(const RunningCombination &scan, EntryLoops &loops,
                        ArrayRef<Value> rows, MutableArrayRef<Value> states) {
  int64_t rank = typeOf(states.front()).getRank();
  SmallVector<AffineMap> maps(2 * scan.numSources,
                              loops.builder.getMultiDimIdentityMap(rank));
  SmallVector<utils::IteratorType> iterators(rank,
                                             utils::IteratorType::parallel);
  auto emit = [&](OpBuilder &builder, Location loc, ValueRange entries) {
    SmallVector<Value> arguments(entries.drop_front(scan.numSources));
    for (unsigned i : llvm::seq(scan.numSources))
      arguments.push_back(
          castFloat(builder, loc, entries[i], arguments[i].getType()));
    linalg::YieldOp::create(builder, loc,
                            scan.combine(builder, loc, arguments));
  };
  auto generic = linalg::GenericOp::create(loops.builder, loops.loc,
                                           TypeRange(ValueRange(states)), rows,
                                           states, maps, iterators, emit);
  llvm::copy(generic.getResults(), states.begin());
}

static SmallVector<Value> lowerCombination(const RunningCombination &scan,
                                           OpBuilder &builder) {
  AlgebraOpInterface op = scan.op;
  EntryLoops loops(builder, op.getLoc());
  ScanLoops scans(builder, op);
  auto start = [&](const ScanLoops::Place &place) {
    SmallVector<Value> states;
    for (unsigned i : llvm::seq(scan.numSources)) {
      RankedTensorType source = typeOf(op->getOperand(i));
      auto type =
          RankedTensorType::get(source.getShape().drop_front(3),
                                getAccumulatorType(source.getElementType()));
      states.push_back(scan.hasInits
                           ? scans.extractOperand(scan.numSources + i, place)
                           : loops.filled(type, {}, scan.identity[i]));
    }
    return states;
  };
  auto step = [&](const ScanLoops::Place &place, MutableArrayRef<Value> outs,
                  MutableArrayRef<Value> states) {
    SmallVector<Value> rows;
    for (unsigned i : llvm::seq(scan.numSources))
      rows.push_back(scans.extractOperand(i, place));
    auto store = [&] {
      for (auto [i, out] : llvm::enumerate(outs))
        out = scans.insert(
            castRow(loops, states[i], typeOf(out).getElementType()), out,
            op.getResultAxes(i), place);
    };
    // What is stored before it is overwritten needs no copy.
    if (scan.exclusive)
      store();
    combineStep(scan, loops, rows, states);
    if (!scan.exclusive)
      store();
  };
  return scans.emit(scan.numSources, start, step);
}

static SmallVector<Value> lowerPrefixSum(PrefixSumOp op, OpBuilder &builder) {
  auto add = [](OpBuilder &builder, Location loc,
                ValueRange entries) -> SmallVector<Value> {
    return {arith::AddFOp::create(builder, loc, entries[0], entries[1])};
  };
  return lowerCombination(
      {op, 1, op.getExclusive(), static_cast<bool>(op.getInit()), {0.0}, add},
      builder);
}

static SmallVector<Value> lowerAssociativeScan(AssociativeScanOp op,
                                               OpBuilder &builder) {
  auto inlineRegion = [&](OpBuilder &builder, Location loc,
                          ValueRange entries) {
    Block &body = op.getCombine().front();
    IRMapping mapping;
    mapping.map(body.getArguments(), entries);
    for (Operation &inner : body.without_terminator())
      builder.clone(inner, mapping);
    return llvm::map_to_vector(
        body.getTerminator()->getOperands(),
        [&](Value value) { return mapping.lookupOrDefault(value); });
  };
  SmallVector<double> identity =
      llvm::map_to_vector(op.getIdentity(), [](Attribute number) {
        return cast<FloatAttr>(number).getValueAsDouble();
      });
  unsigned numSources = op.getSources().size();
  return lowerCombination({op, numSources, op.getExclusive(),
                           !op.getInits().empty(), identity, inlineRegion},
                          builder);
}

//===----------------------------------------------------------------------===//
// Token-wise ops
//===----------------------------------------------------------------------===//

namespace {
/// A parameter [heads, feature...] or [feature...] read at a token's head.
class PerHead {
public:
  PerHead(EntryLoops &loops, Value parameter, bool hasHeads, Value tokens)
      : parameter(parameter) {
    if (!hasHeads)
      return;
    own = loops.sizeOf(parameter, 0);
    all = loops.sizeOf(tokens, 2);
  }

  /// The entry at loop dims `features`, for the head at loop dim 2.
  Value extract(OpBuilder &builder, Location loc, ArrayRef<int64_t> features) {
    auto place = [&](int64_t dim) -> Value {
      return linalg::IndexOp::create(builder, loc, dim);
    };
    SmallVector<Value> indices;
    if (own) {
      Value scaled = arith::MulIOp::create(builder, loc, place(2), own);
      indices.push_back(arith::DivUIOp::create(builder, loc, scaled, all));
    }
    for (int64_t dim : features)
      indices.push_back(place(dim));
    return tensor::ExtractOp::create(builder, loc, parameter, indices);
  }

private:
  Value parameter, own, all;
};
} // namespace

/// result[b, t, h, n] += source[b, t, h, k] weights[h, k, n].
static SmallVector<Value> lowerTokenMatmul(TokenMatmulOp op,
                                           OpBuilder &builder) {
  EntryLoops loops(builder, op.getLoc());
  auto type = cast<RankedTensorType>(op.getType());
  Value zero = loops.filled(type, loops.sizesOf(op.getSource()), 0.0);
  PerHead weights(loops, op.getWeights(),
                  typeOf(op.getWeights()).getRank() == 3, op.getSource());
  auto multiply = [&](OpBuilder &builder, Location loc,
                      ValueRange entry) -> Value {
    SmallVector<int64_t> dims{4, 3};
    if (op.getTransposed())
      std::swap(dims[0], dims[1]);
    Value weight = weights.extract(builder, loc, dims);
    Value product =
        createProduct(builder, loc, entry[0], weight, op.getNumerics());
    return arith::AddFOp::create(builder, loc, entry[1], product);
  };
  return {loops.fold(zero, 1, EntryLoops::Operand{op.getSource(), {0, 1, 2, 4}},
                     multiply)};
}

static SmallVector<Value> lowerTokenBroadcast(TokenBroadcastOp op,
                                              OpBuilder &builder) {
  EntryLoops loops(builder, op.getLoc());
  auto type = cast<RankedTensorType>(op.getType());
  SmallVector<OpFoldResult> sizes = loops.sizesOf(op.getLike());
  sizes.resize(3);
  for (int64_t size : type.getShape().drop_front(3))
    sizes.push_back(builder.getIndexAttr(size));
  PerHead parameter(loops, op.getSource(), op.hasHeads(), op.getLike());
  SmallVector<int64_t> features = EntryLoops::dimsFrom(3, type.getRank() - 3);
  return {loops.map(type, sizes, {},
                    [&](OpBuilder &builder, Location loc, ValueRange) {
                      return parameter.extract(builder, loc, features);
                    })};
}

//===----------------------------------------------------------------------===//
// The pass
//===----------------------------------------------------------------------===//

static void inlineGroup(GroupOp op, IRRewriter &rewriter) {
  YieldOp yield = op.getYield();
  SmallVector<Value> results(yield.getOperands());
  rewriter.eraseOp(yield);
  rewriter.inlineBlockBefore(&op.getBody().front(), op);
  rewriter.replaceOp(op, results);
}

static void lower(Operation *op, IRRewriter &rewriter) {
  rewriter.setInsertionPoint(op);
  if (auto group = dyn_cast<GroupOp>(op))
    return inlineGroup(group, rewriter);
  if (auto scan = dyn_cast<AffineScanOp>(op))
    return rewriter.replaceOp(op, lowerAffineScan(scan, rewriter));
  if (auto scan = dyn_cast<PrefixSumOp>(op))
    return rewriter.replaceOp(op, lowerPrefixSum(scan, rewriter));
  if (auto scan = dyn_cast<AssociativeScanOp>(op))
    return rewriter.replaceOp(op, lowerAssociativeScan(scan, rewriter));
  if (auto matmul = dyn_cast<TokenMatmulOp>(op))
    return rewriter.replaceOp(op, lowerTokenMatmul(matmul, rewriter));
  if (auto broadcast = dyn_cast<TokenBroadcastOp>(op))
    rewriter.replaceOp(op, lowerTokenBroadcast(broadcast, rewriter));
}

namespace {

struct LowerAlgebra : scanweft::impl::LowerAlgebraBase<LowerAlgebra> {
  using LowerAlgebraBase::LowerAlgebraBase;

  void runOnOperation() override {
    SmallVector<Operation *> ops;
    getOperation().walk([&](Operation *op) {
      if (isa<GroupOp, AlgebraOpInterface>(op))
        ops.push_back(op);
    });
    IRRewriter rewriter(&getContext());
    for (Operation *op : ops)
      lower(op, rewriter);
  }
};

} // namespace
