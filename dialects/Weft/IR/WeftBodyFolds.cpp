// Part of Scanweft, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

//===----------------------------------------------------------------------===//
// Folds and canonicalizations of the body ops. Each gives the same bits as the
// ops it replaces: none changes the order of a sum or drops a rounding.
//===----------------------------------------------------------------------===//

#include "dialects/Weft/IR/CarryKindBuilder.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/PatternMatch.h"

using namespace mlir;
using namespace scanweft::weft;

/// A constant of one value throughout; null where the type is not static.
static Attribute getSplat(RankedTensorType type, double value) {
  if (!type.hasStaticShape())
    return {};
  return DenseElementsAttr::get(
      type, Attribute(FloatAttr::get(type.getElementType(), value)));
}

//===----------------------------------------------------------------------===//
// Shapes
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
    if (!inner || !tensorType(inner.getResult()).hasStaticShape())
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

/// One part is the whole.
OpFoldResult ConcatOp::fold(FoldAdaptor) {
  if (getSources().size() == 1 && getSources()[0].getType() == getType())
    return getSources()[0];
  return {};
}

/// The parts of a part along the same dim are parts.
static LogicalResult flattenParts(ConcatOp op, PatternRewriter &rewriter) {
  SmallVector<Value> parts;
  for (Value source : op.getSources()) {
    auto inner = source.getDefiningOp<ConcatOp>();
    if (inner && inner.getDim() == op.getDim())
      llvm::append_range(parts, inner.getSources());
    else
      parts.push_back(source);
  }
  if (parts.size() == op.getSources().size())
    return failure();
  rewriter.modifyOpInPlace(op, [&] { op.getSourcesMutable().assign(parts); });
  return success();
}

void ConcatOp::getCanonicalizationPatterns(RewritePatternSet &patterns,
                                           MLIRContext *) {
  patterns.add(flattenParts);
}

//===----------------------------------------------------------------------===//
// Reductions and running sums
//===----------------------------------------------------------------------===//

namespace {
/// A reduction along a dim of what was repeated goes before the repetition.
template <typename OpTy> struct ReduceBeforeBroadcast : OpRewritePattern<OpTy> {
  using OpRewritePattern<OpTy>::OpRewritePattern;

  LogicalResult matchAndRewrite(OpTy op,
                                PatternRewriter &rewriter) const override {
    auto broadcast = op.getSource().template getDefiningOp<BroadcastOp>();
    // A `like` has the rank of what is not reduced.
    if (!broadcast || broadcast.getLike())
      return failure();
    int64_t reduced = op.getDim();
    std::optional<int64_t> sourceDim;
    SmallVector<int64_t> dims;
    for (auto [i, dim] : llvm::enumerate(broadcast.getDims())) {
      if (dim == reduced)
        sourceDim = i;
      else
        dims.push_back(dim > reduced ? dim - 1 : dim);
    }
    if (!sourceDim)
      return failure();
    Value before =
        OpTy::create(rewriter, op.getLoc(), broadcast.getSource(), *sourceDim);
    rewriter.replaceOpWithNewOp<BroadcastOp>(op, op.getType(), before, dims);
    return success();
  }
};
} // namespace

void SumOp::getCanonicalizationPatterns(RewritePatternSet &patterns,
                                        MLIRContext *context) {
  patterns.add<ReduceBeforeBroadcast<SumOp>>(context);
}

void MaxOp::getCanonicalizationPatterns(RewritePatternSet &patterns,
                                        MLIRContext *context) {
  patterns.add<ReduceBeforeBroadcast<MaxOp>>(context);
}

/// Over one entry the running sum is that entry, or nothing.
OpFoldResult CumsumOp::fold(FoldAdaptor) {
  RankedTensorType type = tensorType(getSource());
  if (type.getDimSize(getDim()) != 1)
    return {};
  if (!getExclusive())
    return getSource();
  return getSplat(type, 0.0);
}

//===----------------------------------------------------------------------===//
// Products that decay
//===----------------------------------------------------------------------===//

/// Where all decays are one number nothing decays: the triangle of a product.
static LogicalResult dropEqualDecays(DecayedDotOp op,
                                     PatternRewriter &rewriter) {
  SplatElementsAttr decay;
  RankedTensorType type = tensorType(op.getResult());
  if (op.getLhsDecay() != op.getRhsDecay() || !type.hasStaticShape() ||
      !tensorType(op.getRhs()).hasStaticShape() ||
      !tensorType(op.getLhs()).hasStaticShape() ||
      !matchPattern(op.getLhsDecay(), m_Constant(&decay)) ||
      !decay.getSplatValue<APFloat>().isFinite())
    return failure();
  Value product = DotOp::create(rewriter, op.getLoc(), op.getLhs(), op.getRhs(),
                                1, 1, op.getNumericsAttr());
  rewriter.replaceOpWithNewOp<TrilOp>(op, type, product,
                                      op.getStrict() ? -1 : 0, op.getReverse());
  return success();
}

void DecayedDotOp::getCanonicalizationPatterns(RewritePatternSet &patterns,
                                               MLIRContext *) {
  patterns.add(dropEqualDecays);
}

//===----------------------------------------------------------------------===//
// Masks
//===----------------------------------------------------------------------===//

/// The triangle of a triangle is the smaller one. A triangle that reaches every
/// entry of a matrix is the matrix, one that reaches none is zero.
OpFoldResult TrilOp::fold(FoldAdaptor) {
  RankedTensorType type = tensorType(getSource());
  int64_t diagonal = getDiagonal();
  if (type.hasStaticShape()) {
    int64_t rows = type.getDimSize(getReverse() ? 1 : 0);
    int64_t columns = type.getDimSize(getReverse() ? 0 : 1);
    if (diagonal >= columns - 1)
      return getSource();
    if (diagonal <= -rows)
      return getSplat(type, 0.0);
  }
  auto inner = getSource().getDefiningOp<TrilOp>();
  if (!inner || inner.getReverse() != getReverse())
    return {};
  if (static_cast<int64_t>(inner.getDiagonal()) <= diagonal)
    return getSource();
  getSourceMutable().assign(inner.getSource());
  return getResult();
}

/// Rows that are all live stay, rows that are all dead are a constant. What
/// dead rows were replaced by before does not matter.
OpFoldResult KeepLiveOp::fold(FoldAdaptor adaptor) {
  RankedTensorType type = tensorType(getSource());
  auto from = dyn_cast_if_present<IntegerAttr>(adaptor.getFrom());
  auto to = dyn_cast_if_present<IntegerAttr>(adaptor.getTo());
  int64_t size = type.getDimSize(getDim());
  if (from && to && !ShapedType::isDynamic(size)) {
    if (from.getInt() <= 0 && to.getInt() >= size)
      return getSource();
    if (from.getInt() >= to.getInt() || from.getInt() >= size ||
        to.getInt() <= 0)
      return getSplat(type, getOther().convertToDouble());
  }
  auto inner = getSource().getDefiningOp<KeepLiveOp>();
  if (!inner || inner.getDim() != getDim() || inner.getFrom() != getFrom() ||
      inner.getTo() != getTo())
    return {};
  getSourceMutable().assign(inner.getSource());
  return getResult();
}

/// A window without bounds masks nothing.
OpFoldResult MaskWindowOp::fold(FoldAdaptor) {
  bool bounded = llvm::any_of(getWindow(),
                              [](int64_t side) { return side != kUnbounded; });
  if (bounded || getRowIndex())
    return {};
  return getScores();
}
