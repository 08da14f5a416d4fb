// Part of Scanweft, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

//===----------------------------------------------------------------------===//
// Products: of matrices on the matrix unit, with a vector as a reduction.
//===----------------------------------------------------------------------===//

#include "passes/Tile/ExpandBody.h"

using namespace mlir;
using namespace scanweft;
using namespace scanweft::weft;

/// Sum over dim `dim` of a matrix's products with a vector along it.
static Value buildVectorProduct(TileBuilder &build, Value matrix, int64_t dim,
                                Value vector) {
  Type f32 = build.builder.getF32Type();
  Value lhs = build.convert(matrix, f32);
  Value rhs = build.convert(vector, f32);
  ArrayRef<int64_t> shape = TileBuilder::getType(lhs).getShape();
  if (shape.size() > 1)
    rhs = build.broadcast(rhs, shape, {dim});
  return build.sum(build.create<arith::MulFOp>(lhs, rhs), dim);
}

static LogicalResult expandDot(DotOp op, PatternRewriter &rewriter) {
  TileBuilder build(rewriter, op.getLoc());
  int64_t lhsRank = TileBuilder::getType(op.getLhs()).getRank();
  int64_t rhsRank = TileBuilder::getType(op.getRhs()).getRank();
  if (!TileBuilder::getType(op.getResult()).getElementType().isF32() ||
      lhsRank > 2 || rhsRank > 2)
    return failure();
  if (lhsRank == 2 && rhsRank == 2)
    rewriter.replaceOp(op, build.product(op.getLhs(), op.getRhs(), Value(),
                                         op.getLhsDim(), op.getRhsDim(),
                                         op.getNumerics().getIn()));
  else if (rhsRank == 1)
    rewriter.replaceOp(op, buildVectorProduct(build, op.getLhs(),
                                              op.getLhsDim(), op.getRhs()));
  else
    rewriter.replaceOp(op, buildVectorProduct(build, op.getRhs(),
                                              op.getRhsDim(), op.getLhs()));
  return success();
}

void scanweft::populateExpandProductPatterns(RewritePatternSet &patterns) {
  patterns.add(expandDot);
}
