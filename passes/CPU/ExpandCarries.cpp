// Part of Scanweft, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

//===----------------------------------------------------------------------===//
// Ops on dense elements, expanded through the carry kind. A scan of S stacked
// elements runs in place over a stack of P = 2^ceil(log2 S) entries, the
// missing ones neutral (time runs left to right, * is combine):
//
//   up-sweep, stride 1, 2, 4 ..     a  b     c  d          right = left * right
//                                   a  ab    c  cd
//                                   a  ab    c  abcd
//   down-sweep, stride .. 4, 2, 1   a  ab    c  1          the root's prefix
//                                   a  1     c  ab         left, right =
//                                   1  a     ab abc          right, right *
//                                   left
//
// Each sweep takes P - 1 combines on log2 P levels. Both are two nested loops,
// over the levels and over the pairs of a level.
//===----------------------------------------------------------------------===//

#include "dialects/Weft/IR/Weft.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/PatternMatch.h"
#include "passes/CPU/Passes.h"
#include "passes/CPU/StatisticsCalls.h"
#include "scanweft/Support/TensorRows.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/MathExtras.h"

namespace scanweft {
#define GEN_PASS_DEF_EXPANDCARRIES
#include "passes/CPU/Passes.h.inc"
} // namespace scanweft

using namespace mlir;
using namespace scanweft;
using namespace scanweft::weft;

//===----------------------------------------------------------------------===//
// The tree
//===----------------------------------------------------------------------===//

namespace {
/// Sweeps over a stack of a power of two of dense elements.
class Tree {
public:
  Tree(OpBuilder &builder, Location loc, CarryKindInterface kind,
       NumericsAttr numerics, StatisticsCalls &statistics)
      : builder(builder), loc(loc), kind(kind), numerics(numerics),
        statistics(statistics) {}

  /// The stacked elements followed by neutral ones, up to a power of two.
  SmallVector<Value> pad(ValueRange elements);
  /// The last entry becomes the combination of all.
  SmallVector<Value> sweepUp(ValueRange stack);
  /// Entry s becomes the combination of the original entries before s.
  SmallVector<Value> sweepDown(ValueRange stack);

private:
  using PairBuilder = llvm::function_ref<SmallVector<Value>(
      ValueRange stack, Value left, Value right)>;

  SmallVector<Value> buildLevels(ValueRange stack, bool down,
                                 PairBuilder buildPair);
  SmallVector<Value> buildPairs(ValueRange stack, Value level,
                                PairBuilder buildPair);
  SmallVector<Value> combine(ValueRange later, ValueRange earlier);
  SmallVector<Value> extract(ValueRange stack, Value index);
  SmallVector<Value> insert(ValueRange entry, ValueRange stack, Value index);
  SmallVector<Value> buildNeutral(ValueRange stack);

  static int64_t getSize(ValueRange stack) {
    return cast<RankedTensorType>(stack[0].getType()).getDimSize(0);
  }
  Value constant(int64_t value) {
    return arith::ConstantIndexOp::create(builder, loc, value);
  }

  OpBuilder &builder;
  Location loc;
  CarryKindInterface kind;
  NumericsAttr numerics;
  StatisticsCalls &statistics;
};
} // namespace

SmallVector<Value> Tree::combine(ValueRange later, ValueRange earlier) {
  statistics.count(builder, loc, Counter::ScanCombines);
  return kind.buildCombine(builder, loc, later, earlier, numerics);
}

SmallVector<Value> Tree::extract(ValueRange stack, Value index) {
  return llvm::map_to_vector(stack, [&](Value part) {
    return extractEntry(builder, loc, part, index);
  });
}

SmallVector<Value> Tree::insert(ValueRange entry, ValueRange stack,
                                Value index) {
  SmallVector<Value> result;
  for (auto [part, whole] : llvm::zip_equal(entry, stack))
    result.push_back(insertEntry(builder, loc, part, whole, index));
  return result;
}

SmallVector<Value> Tree::buildNeutral(ValueRange stack) {
  auto types = llvm::map_to_vector(stack, [](Value part) -> Type {
    auto type = cast<RankedTensorType>(part.getType());
    return type.clone(type.getShape().drop_front());
  });
  return kind.buildIdentity(builder, loc, types);
}

SmallVector<Value> Tree::pad(ValueRange elements) {
  int64_t size = getSize(elements);
  int64_t padded = llvm::PowerOf2Ceil(size);
  if (padded == size)
    return llvm::to_vector(elements);
  SmallVector<Value> stack;
  for (Value part : elements) {
    auto type = cast<RankedTensorType>(part.getType());
    SmallVector<int64_t> shape = llvm::to_vector(type.getShape());
    shape[0] = padded;
    Value empty =
        tensor::EmptyOp::create(builder, loc, shape, type.getElementType());
    stack.push_back(insertRows(builder, loc, part, empty,
                               builder.getIndexAttr(0),
                               builder.getIndexAttr(size)));
  }
  SmallVector<Value> neutral = buildNeutral(stack);
  Value from = constant(size);
  Value to = constant(padded);
  Value step = constant(1);
  auto loop = scf::ForOp::create(builder, loc, from, to, step, stack);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToEnd(loop.getBody());
  scf::YieldOp::create(
      builder, loc,
      insert(neutral, loop.getRegionIterArgs(), loop.getInductionVar()));
  return SmallVector<Value>(loop.getResults());
}

/// Pair i of a level of stride h: left = 2 h i + h - 1, right = left + h.
SmallVector<Value> Tree::buildPairs(ValueRange stack, Value level,
                                    PairBuilder buildPair) {
  Value one = constant(1);
  Value stride = arith::ShLIOp::create(builder, loc, one, level);
  Value span = arith::AddIOp::create(builder, loc, stride, stride);
  Value first = arith::SubIOp::create(builder, loc, stride, one);
  Value size = constant(getSize(stack));
  auto loop = scf::ForOp::create(builder, loc, first, size, span, stack);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToEnd(loop.getBody());
  Value left = loop.getInductionVar();
  Value right = arith::AddIOp::create(builder, loc, left, stride);
  scf::YieldOp::create(builder, loc,
                       buildPair(loop.getRegionIterArgs(), left, right));
  return SmallVector<Value>(loop.getResults());
}

SmallVector<Value> Tree::buildLevels(ValueRange stack, bool down,
                                     PairBuilder buildPair) {
  int64_t numLevels = llvm::Log2_64(getSize(stack));
  Value from = constant(0);
  Value to = constant(numLevels);
  Value step = constant(1);
  auto loop = scf::ForOp::create(builder, loc, from, to, step, stack);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToEnd(loop.getBody());
  statistics.count(builder, loc, Counter::ScanDepth);
  Value level = loop.getInductionVar();
  if (down)
    level = arith::SubIOp::create(builder, loc, constant(numLevels - 1), level);
  scf::YieldOp::create(builder, loc,
                       buildPairs(loop.getRegionIterArgs(), level, buildPair));
  return SmallVector<Value>(loop.getResults());
}

SmallVector<Value> Tree::sweepUp(ValueRange stack) {
  return buildLevels(stack, /*down=*/false,
                     [&](ValueRange now, Value left, Value right) {
                       SmallVector<Value> earlier = extract(now, left);
                       SmallVector<Value> later = extract(now, right);
                       return insert(combine(later, earlier), now, right);
                     });
}

SmallVector<Value> Tree::sweepDown(ValueRange stack) {
  Value root = constant(getSize(stack) - 1);
  SmallVector<Value> rooted = insert(buildNeutral(stack), stack, root);
  return buildLevels(rooted, /*down=*/true,
                     [&](ValueRange now, Value left, Value right) {
                       SmallVector<Value> subtree = extract(now, left);
                       SmallVector<Value> prefix = extract(now, right);
                       SmallVector<Value> joined = combine(subtree, prefix);
                       return insert(joined, insert(prefix, now, left), right);
                     });
}

//===----------------------------------------------------------------------===//
// Ops
//===----------------------------------------------------------------------===//

/// Rows [0, S) of the scanned stack, or the root of the reduced one.
static SmallVector<Value> expandScan(ExclusiveScanOp op, OpBuilder &builder,
                                     StatisticsCalls &statistics) {
  Tree tree(builder, op.getLoc(), cast<CarryKindInterface>(op.getKind()),
            op.getNumerics(), statistics);
  SmallVector<Value> stack =
      tree.sweepDown(tree.sweepUp(tree.pad(op.getElements())));
  SmallVector<Value> prefixes;
  for (auto [part, type] : llvm::zip_equal(stack, op.getResultTypes()))
    prefixes.push_back(
        part.getType() == type
            ? part
            : extractRows(builder, op.getLoc(), part, builder.getIndexAttr(0),
                          builder.getIndexAttr(
                              cast<RankedTensorType>(type).getDimSize(0))));
  return prefixes;
}

static SmallVector<Value> expandReduction(CombineAllOp op, OpBuilder &builder,
                                          StatisticsCalls &statistics) {
  Tree tree(builder, op.getLoc(), cast<CarryKindInterface>(op.getKind()),
            op.getNumerics(), statistics);
  SmallVector<Value> stack = tree.sweepUp(tree.pad(op.getElements()));
  int64_t last = cast<RankedTensorType>(stack[0].getType()).getDimSize(0) - 1;
  Value root = arith::ConstantIndexOp::create(builder, op.getLoc(), last);
  return llvm::map_to_vector(stack, [&](Value part) {
    return extractEntry(builder, op.getLoc(), part, root);
  });
}

/// What `op` expands to; nothing where it is no op on dense elements.
static std::optional<SmallVector<Value>>
expand(Operation *op, OpBuilder &builder, StatisticsCalls &statistics) {
  Location loc = op->getLoc();
  using Results = std::optional<SmallVector<Value>>;
  return llvm::TypeSwitch<Operation *, Results>(op)
      .Case([&](IdentityOp identity) {
        return cast<CarryKindInterface>(identity.getKind())
            .buildIdentity(builder, loc, identity.getResultTypes());
      })
      .Case([&](CombineOp combine) {
        return cast<CarryKindInterface>(combine.getKind())
            .buildCombine(builder, loc, combine.getLater(),
                          combine.getEarlier(), combine.getNumerics());
      })
      .Case([&](ActDenseOp act) {
        return cast<CarryKindInterface>(act.getKind())
            .buildActOnDense(builder, loc, act.getElement(), act.getState(),
                             act.getBlock(), act.getLevel(), act.getNumerics());
      })
      .Case([&](ExclusiveScanOp scan) {
        return expandScan(scan, builder, statistics);
      })
      .Case([&](CombineAllOp all) {
        return expandReduction(all, builder, statistics);
      })
      .Default([](Operation *) -> Results { return std::nullopt; });
}

namespace {
struct ExpandCarriesPass
    : scanweft::impl::ExpandCarriesBase<ExpandCarriesPass> {
  using ExpandCarriesBase::ExpandCarriesBase;

  void runOnOperation() override {
    StatisticsCalls calls(getOperation(), statistics);
    IRRewriter rewriter(&getContext());
    getOperation().walk([&](Operation *op) {
      rewriter.setInsertionPoint(op);
      if (auto results = expand(op, rewriter, calls))
        rewriter.replaceOp(op, *results);
    });
  }
};
} // namespace
