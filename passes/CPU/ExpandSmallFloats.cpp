// Part of Scanweft, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

//===----------------------------------------------------------------------===//
// f64 to a 16-bit float in two steps. Rounding to nearest twice is wrong where
// the first step lands on a tie of the second. Rounding to odd first (towards
// zero, then the last bit set where anything was lost) never lands on one, and
// f32 keeps more than two bits beyond either 16-bit format.
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include "passes/CPU/Passes.h"

namespace scanweft {
#define GEN_PASS_DEF_EXPANDSMALLFLOATS
#include "passes/CPU/Passes.h.inc"
} // namespace scanweft

using namespace mlir;

static bool isSmallFloat(Type type) { return type.isBF16() || type.isF16(); }

/// Rounds an f64 to odd in f32. An exact value, an infinity and NaN stay.
static Value roundToOdd(OpBuilder &builder, Location loc, Value value) {
  Type i32 = builder.getI32Type(), f32 = builder.getF32Type(),
       f64 = builder.getF64Type();
  Value nearest = arith::TruncFOp::create(builder, loc, f32, value);
  Value back = arith::ExtFOp::create(builder, loc, f64, nearest);
  Value bits = arith::BitcastOp::create(builder, loc, i32, nearest);
  Value one =
      arith::ConstantOp::create(builder, loc, builder.getI32IntegerAttr(1));
  Value zero =
      arith::ConstantOp::create(builder, loc, builder.getF64FloatAttr(0.0));
  // Away from zero: above a positive value or below a negative one.
  Value above = arith::CmpFOp::create(builder, loc, arith::CmpFPredicate::OGT,
                                      back, value);
  Value positive = arith::CmpFOp::create(
      builder, loc, arith::CmpFPredicate::OGT, value, zero);
  Value inexact = arith::CmpFOp::create(builder, loc, arith::CmpFPredicate::ONE,
                                        back, value);
  Value same = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq,
                                     above, positive);
  Value lower = arith::SubIOp::create(builder, loc, bits, one);
  Value towardsZero = arith::SelectOp::create(builder, loc, same, lower, bits);
  Value odd = arith::OrIOp::create(builder, loc, towardsZero, one);
  Value chosen = arith::SelectOp::create(builder, loc, inexact, odd, bits);
  return arith::BitcastOp::create(builder, loc, f32, chosen);
}

namespace {

struct ExpandTruncation : OpRewritePattern<arith::TruncFOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(arith::TruncFOp op,
                                PatternRewriter &rewriter) const override {
    if (!op.getIn().getType().isF64() || !isSmallFloat(op.getType()))
      return failure();
    Value odd = roundToOdd(rewriter, op.getLoc(), op.getIn());
    rewriter.replaceOpWithNewOp<arith::TruncFOp>(op, op.getType(), odd);
    return success();
  }
};

struct ExpandExtension : OpRewritePattern<arith::ExtFOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(arith::ExtFOp op,
                                PatternRewriter &rewriter) const override {
    if (!isSmallFloat(op.getIn().getType()) || !op.getType().isF64())
      return failure();
    Value single = arith::ExtFOp::create(rewriter, op.getLoc(),
                                         rewriter.getF32Type(), op.getIn());
    rewriter.replaceOpWithNewOp<arith::ExtFOp>(op, op.getType(), single);
    return success();
  }
};

/// Integers of at most 53 bits are exact in f64.
template <typename IntToFloatOp>
struct ExpandFromInteger : OpRewritePattern<IntToFloatOp> {
  using OpRewritePattern<IntToFloatOp>::OpRewritePattern;
  LogicalResult matchAndRewrite(IntToFloatOp op,
                                PatternRewriter &rewriter) const override {
    if (!isSmallFloat(op.getType()))
      return failure();
    Value exact = IntToFloatOp::create(rewriter, op.getLoc(),
                                       rewriter.getF64Type(), op.getIn());
    rewriter.replaceOpWithNewOp<arith::TruncFOp>(op, op.getType(), exact);
    return success();
  }
};

class ExpandSmallFloats
    : public scanweft::impl::ExpandSmallFloatsBase<ExpandSmallFloats> {
  void runOnOperation() override {
    RewritePatternSet patterns(&getContext());
    patterns.add<ExpandTruncation, ExpandExtension,
                 ExpandFromInteger<arith::SIToFPOp>,
                 ExpandFromInteger<arith::UIToFPOp>>(&getContext());
    // Folding would merge the two steps of an extension again.
    GreedyRewriteConfig config;
    config.enableFolding(false);
    if (failed(
            applyPatternsGreedily(getOperation(), std::move(patterns), config)))
      signalPassFailure();
  }
};

} // namespace
