// Part of Scanweft, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

//===----------------------------------------------------------------------===//
// Builders and folds of the body ops.
//===----------------------------------------------------------------------===//

#include "dialects/Weft/IR/Weft.h"
#include "mlir/IR/PatternMatch.h"

using namespace mlir;
using namespace scanweft::weft;

//===----------------------------------------------------------------------===//
// Builders
//===----------------------------------------------------------------------===//

void DotOp::build(OpBuilder &builder, OperationState &state, Value lhs,
                  Value rhs, int64_t lhsDim, int64_t rhsDim,
                  NumericsAttr numerics) {
  SmallVector<int64_t> shape;
  auto appendFree = [&](Value value, int64_t contracted) {
    for (auto [dim, size] :
         llvm::enumerate(cast<RankedTensorType>(value.getType()).getShape()))
      if (static_cast<int64_t>(dim) != contracted)
        shape.push_back(size);
  };
  appendFree(lhs, lhsDim);
  appendFree(rhs, rhsDim);
  build(builder, state, RankedTensorType::get(shape, numerics.getAcc()), lhs,
        rhs, builder.getDenseI64ArrayAttr({lhsDim, rhsDim}), numerics);
}

/// The type of `source` reduced over `dim`.
static RankedTensorType dropDim(Value source, int64_t dim) {
  auto type = cast<RankedTensorType>(source.getType());
  SmallVector<int64_t> shape(type.getShape());
  shape.erase(shape.begin() + dim);
  return RankedTensorType::get(shape, type.getElementType());
}

void SumOp::build(OpBuilder &builder, OperationState &state, Value source,
                  int64_t dim) {
  build(builder, state, dropDim(source, dim), source,
        builder.getI64IntegerAttr(dim));
}

void MaxOp::build(OpBuilder &builder, OperationState &state, Value source,
                  int64_t dim) {
  build(builder, state, dropDim(source, dim), source,
        builder.getI64IntegerAttr(dim));
}

void BroadcastOp::build(OpBuilder &builder, OperationState &state, Type result,
                        Value source, ArrayRef<int64_t> dims) {
  build(builder, state, result, source, builder.getDenseI64ArrayAttr(dims),
        /*like=*/Value());
}

//===----------------------------------------------------------------------===//
// Folds and canonicalizations
//===----------------------------------------------------------------------===//

OpFoldResult BroadcastOp::fold(FoldAdaptor adaptor) {
  if (getSource().getType() == getType())
    return getSource();
  auto type = cast<RankedTensorType>(getType());
  auto splat = dyn_cast_if_present<SplatElementsAttr>(adaptor.getSource());
  if (splat && type.hasStaticShape())
    return splat.resizeSplat(type);
  return {};
}

namespace {
/// A broadcast of a broadcast is one broadcast.
struct MergeBroadcasts : OpRewritePattern<BroadcastOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(BroadcastOp op,
                                PatternRewriter &rewriter) const override {
    auto inner = op.getSource().getDefiningOp<BroadcastOp>();
    // The inner one's dynamic sizes come from its own like.
    if (!inner || !cast<RankedTensorType>(inner.getType()).hasStaticShape())
      return failure();
    SmallVector<int64_t> dims;
    for (int64_t dim : inner.getDims())
      dims.push_back(op.getDims()[dim]);
    rewriter.replaceOpWithNewOp<BroadcastOp>(
        op, op.getType(), inner.getSource(),
        rewriter.getDenseI64ArrayAttr(dims), op.getLike());
    return success();
  }
};
} // namespace

void BroadcastOp::getCanonicalizationPatterns(RewritePatternSet &patterns,
                                              MLIRContext *context) {
  patterns.add<MergeBroadcasts>(context);
}

/// The triangle of a smaller triangle is that triangle.
OpFoldResult TrilOp::fold(FoldAdaptor) {
  auto inner = getSource().getDefiningOp<TrilOp>();
  if (inner && inner.getReverse() == getReverse() &&
      static_cast<int64_t>(inner.getDiagonal()) <=
          static_cast<int64_t>(getDiagonal()))
    return getSource();
  return {};
}

/// Live rows kept twice are kept once.
OpFoldResult KeepLiveOp::fold(FoldAdaptor) {
  auto inner = getSource().getDefiningOp<KeepLiveOp>();
  if (inner && inner.getDim() == getDim() && inner.getFrom() == getFrom() &&
      inner.getTo() == getTo() && inner.getOther() == getOther())
    return getSource();
  return {};
}

/// One part is the whole.
OpFoldResult ConcatOp::fold(FoldAdaptor) {
  if (getSources().size() == 1 && getSources()[0].getType() == getType())
    return getSources()[0];
  return {};
}
