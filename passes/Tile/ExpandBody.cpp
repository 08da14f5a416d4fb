// Part of Scanweft, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "passes/Tile/ExpandBody.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include "passes/Tile/Passes.h"

namespace scanweft {
#define GEN_PASS_DEF_EXPANDBODY
#include "passes/Tile/Passes.h.inc"
} // namespace scanweft

using namespace mlir;
using namespace scanweft;

/// What no pattern took.
static LogicalResult checkExpanded(wtile::KernelOp kernel) {
  WalkResult result = kernel.walk([](Operation *op) -> WalkResult {
    if (!isa_and_present<weft::WeftDialect>(op->getDialect()))
      return WalkResult::advance();
    InFlightDiagnostic diagnostic =
        op->emitOpError("has no form on tiles for the types ");
    llvm::interleaveComma(op->getOperandTypes(), diagnostic);
    if (op->getNumResults() > 0)
      diagnostic << " -> " << op->getResultTypes();
    return WalkResult::interrupt();
  });
  return failure(result.wasInterrupted());
}

namespace {
struct ExpandBodyPass : scanweft::impl::ExpandBodyBase<ExpandBodyPass> {
  LogicalResult initialize(MLIRContext *context) override {
    RewritePatternSet owned(context);
    populateExpandMaskPatterns(owned);
    populateExpandReductionPatterns(owned);
    populateExpandProductPatterns(owned);
    patterns = std::move(owned);
    return success();
  }

  void runOnOperation() override {
    for (auto kernel : getOperation().getOps<wtile::KernelOp>())
      if (failed(expandTriangles(kernel)) ||
          failed(applyPatternsGreedily(kernel, patterns)) ||
          failed(checkExpanded(kernel)))
        return signalPassFailure();
  }

  FrozenRewritePatternSet patterns;
};
} // namespace
