// Part of Scanweft, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "passes/Tile/ExpandBody.h"
#include "mlir/IR/Matchers.h"
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

/// Numbers that an author wrote in f64 are rounded here: upstream folds only
/// what rounding leaves as it is.
static LogicalResult foldRoundedConstant(arith::TruncFOp op,
                                         PatternRewriter &rewriter) {
  DenseElementsAttr given;
  auto type = dyn_cast<RankedTensorType>(op.getType());
  if (!type || !matchPattern(op.getIn(), m_Constant(&given)) ||
      !given.isSplat())
    return failure();
  APFloat value = given.getSplatValue<APFloat>();
  bool losesInfo = false;
  value.convert(cast<FloatType>(type.getElementType()).getFloatSemantics(),
                APFloat::rmNearestTiesToEven, &losesInfo);
  rewriter.replaceOpWithNewOp<arith::ConstantOp>(
      op, DenseElementsAttr::get(type, value));
  return success();
}

namespace {
struct ExpandBodyPass : scanweft::impl::ExpandBodyBase<ExpandBodyPass> {
  LogicalResult initialize(MLIRContext *context) override {
    RewritePatternSet owned(context);
    populateExpandMaskPatterns(owned);
    populateExpandReductionPatterns(owned);
    populateExpandProductPatterns(owned);
    owned.add(foldRoundedConstant);
    patterns = std::move(owned);
    return success();
  }

  void runOnOperation() override {
    for (auto kernel : getOperation().getOps<wtile::KernelOp>())
      if (kernel.getWarps())
        continue;
      else if (failed(expandTriangles(kernel)) ||
               failed(applyPatternsGreedily(kernel, patterns)) ||
               failed(checkExpanded(kernel)))
        return signalPassFailure();
  }

  FrozenRewritePatternSet patterns;
};
} // namespace
