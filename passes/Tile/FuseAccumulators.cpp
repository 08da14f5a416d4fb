// Part of Scanweft, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "dialects/WTile/IR/WTile.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include "passes/Tile/Passes.h"

namespace scanweft {
#define GEN_PASS_DEF_FUSEACCUMULATORS
#include "passes/Tile/Passes.h.inc"
} // namespace scanweft

using namespace mlir;
using namespace scanweft;
using scanweft::wtile::MmaOp;

/// The products that are summed from zero into `sum`, the last one first; empty
/// where something else is in it, or uses a part of it.
static SmallVector<MmaOp> getProductChain(Value sum, Block *block) {
  SmallVector<MmaOp> chain;
  while (auto product = sum.getDefiningOp<MmaOp>()) {
    if (!product.getResult().hasOneUse() || product->getBlock() != block)
      return {};
    chain.push_back(product);
    sum = product.getAccumulator();
  }
  if (matchPattern(sum, m_AnyZeroFloat()))
    return chain;
  return {};
}

/// Starts the chain from `start`, at the place of `op`, where all is known.
static void startFrom(ArrayRef<MmaOp> chain, Value start, bool subtract,
                      Operation *op, PatternRewriter &rewriter) {
  for (MmaOp product : llvm::reverse(chain)) {
    rewriter.moveOpBefore(product, op);
    if (subtract)
      rewriter.modifyOpInPlace(
          product, [&] { product.setSubtract(!product.getSubtract()); });
  }
  MmaOp first = chain.back(), last = chain.front();
  rewriter.modifyOpInPlace(
      first, [&] { first.getAccumulatorMutable().assign(start); });
  rewriter.replaceOp(op, last.getResult());
}

static LogicalResult fuseSum(arith::AddFOp op, PatternRewriter &rewriter) {
  for (auto [product, other] : {std::pair(op.getRhs(), op.getLhs()),
                                std::pair(op.getLhs(), op.getRhs())}) {
    SmallVector<MmaOp> chain = getProductChain(product, op->getBlock());
    if (chain.empty() || product == other)
      continue;
    startFrom(chain, other, /*subtract=*/false, op, rewriter);
    return success();
  }
  return failure();
}

static LogicalResult fuseDifference(arith::SubFOp op,
                                    PatternRewriter &rewriter) {
  SmallVector<MmaOp> chain = getProductChain(op.getRhs(), op->getBlock());
  if (chain.empty() || op.getLhs() == op.getRhs())
    return failure();
  startFrom(chain, op.getLhs(), /*subtract=*/true, op, rewriter);
  return success();
}

namespace {
struct FuseAccumulatorsPass
    : scanweft::impl::FuseAccumulatorsBase<FuseAccumulatorsPass> {
  void runOnOperation() override {
    RewritePatternSet patterns(&getContext());
    patterns.add(fuseSum);
    patterns.add(fuseDifference);
    if (failed(applyPatternsGreedily(getOperation(), std::move(patterns))))
      signalPassFailure();
  }
};
} // namespace
