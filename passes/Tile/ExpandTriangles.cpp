// Part of Scanweft, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

//===----------------------------------------------------------------------===//
// Cholesky factors and triangular solves by blocks of 16 rows, so that almost
// all of the work is products.
//
//   L = cholesky(A), column of blocks b:  P = A[:, b] - sum_{j<b} L[:, j] L[b,
//   j]^T
//                                         D = P[b]    D = F F^T, G = F^-1
//                                         L[:, b] = P G^T below the diagonal
//
//   X = solve(L, B), transposed, so that a finished block is at once the first
//   factor of the next products:          X_j^T = R_j^T G_j^T
//                                         R_i^T -= X_j^T L[i, j]^T     for i >
//                                         j
//
// The inverses G of the diagonal blocks come with a Cholesky factor; those of
// any other triangle are made once for all its solves.
//===----------------------------------------------------------------------===//

#include "passes/Tile/ExpandBody.h"

using namespace mlir;
using namespace scanweft;
using namespace scanweft::weft;

/// Rows of a block.
static constexpr int64_t blockRows = 16;

namespace {
/// What a Cholesky factor consists of.
struct FactorParts {
  SmallVector<Value> inverses; ///< of its diagonal blocks
  /// Its columns of blocks as second factors, in halves.
  SmallVector<SmallVector<Value>> columns;
  Precision precision;
};

class TriangleExpansion {
public:
  LogicalResult run(Operation *root);

private:
  void expandCholesky(CholeskyOp op, OpBuilder &builder);
  void expandSolve(SolveTrilOp op, OpBuilder &builder);
  /// Inverses of the diagonal blocks of a triangle; of its transpose where time
  /// runs backwards.
  SmallVector<Value> getInverses(SolveTrilOp op, TileBuilder &build);

  /// Of the factors made here.
  DenseMap<Value, FactorParts> parts;
};
} // namespace

/// What the matrix unit can do with blocks in these numerics.
static LogicalResult checkSize(Operation *op, Value matrix) {
  int64_t rows = TileBuilder::getType(matrix).getDimSize(0);
  if (rows % blockRows == 0 && llvm::isPowerOf2_64(rows / blockRows))
    return success();
  return op->emitOpError() << "on " << matrix.getType()
                           << ": on tiles a triangle has 16 rows times a power "
                              "of two";
}

/// Diagonal blocks are factored and inverted in f32; products with the inverses
/// keep at least the digits of tf32.
static Precision getDiagonalPrecision(Precision between) {
  bool exact = between == Precision::F32 || between == Precision::TF32x3 ||
               between == Precision::BF16x3 || between == Precision::F16x2;
  return exact ? Precision::TF32x3 : Precision::TF32;
}

void TriangleExpansion::expandCholesky(CholeskyOp op, OpBuilder &builder) {
  TileBuilder build(builder, op.getLoc());
  int64_t rows = TileBuilder::getType(op.getSource()).getDimSize(0);
  Precision precision = op.getNumerics().getIn();
  SmallVector<Value> columns, diagonal;
  SmallVector<SmallVector<Value>> left, right; // columns as factors
  for (int64_t b = 0; b < rows / blockRows; ++b) {
    int64_t at = b * blockRows;
    Value panel = build.extract(op.getSource(), {rows, blockRows}, {0, at});
    for (auto [first, second] : llvm::zip_equal(left, right)) {
      auto rowsOfBlock = llvm::map_to_vector(second, [&](Value half) {
        return build.extract(half, {blockRows, blockRows}, {at, 0});
      });
      panel = build.accumulate(first, rowsOfBlock, panel, 1, 1,
                               /*subtract=*/true);
    }
    Value corner = build.extract(panel, {blockRows, blockRows}, {at, 0});
    auto factor = wtile::FactorBlockOp::create(
        builder, op.getLoc(), corner.getType(), corner.getType(), corner);
    diagonal.push_back(factor.getInverse());
    Value column = build.product(panel, factor.getInverse(), Value(), 1, 1,
                                 getDiagonalPrecision(precision));
    Value row = build.coordinate({rows, blockRows}, 0);
    Value place = build.create<arith::AddIOp>(
        build.coordinate({rows, blockRows}, 1),
        build.splatInteger(TileBuilder::getType(row), at));
    Value below = build.compare(arith::CmpIPredicate::sle, place, row);
    column = build.select(below, column,
                          build.splat(TileBuilder::getType(column), 0.0));
    columns.push_back(column);
    left.push_back(build.splitFactor(column, precision, /*second=*/false));
    right.push_back(build.splitFactor(column, precision, /*second=*/true));
  }
  Value factor = build.concat(columns, 1);
  parts[factor] = {diagonal, right, precision};
  op.getResult().replaceAllUsesWith(factor);
  op.erase();
}

SmallVector<Value> TriangleExpansion::getInverses(SolveTrilOp op,
                                                  TileBuilder &build) {
  Value matrix = op.getMatrix();
  auto known = parts.find(matrix);
  if (known != parts.end() && !op.getUnit() && !op.getReverse())
    return known->second.inverses;
  Value triangle = build.convert(matrix, build.builder.getF32Type());
  if (op.getReverse())
    triangle = build.transpose(triangle);
  int64_t rows = TileBuilder::getType(matrix).getDimSize(0);
  Value all = wtile::InvertBlocksOp::create(build.builder, build.loc,
                                            build.f32({rows, blockRows}),
                                            triangle, op.getUnit());
  SmallVector<Value> inverses;
  for (int64_t at = 0; at < rows; at += blockRows)
    inverses.push_back(build.extract(all, {blockRows, blockRows}, {at, 0}));
  return inverses;
}

void TriangleExpansion::expandSolve(SolveTrilOp op, OpBuilder &builder) {
  TileBuilder build(builder, op.getLoc());
  RankedTensorType type = TileBuilder::getType(op.getRhs());
  int64_t numBlocks = type.getDimSize(0) / blockRows;
  int64_t columns = type.getDimSize(1);
  Precision precision = op.getNumerics().getIn();
  bool reverse = op.getReverse();
  Value turned =
      build.transpose(build.convert(op.getRhs(), builder.getF32Type()));
  SmallVector<Value> rest;
  for (int64_t i = 0; i < numBlocks; ++i)
    rest.push_back(
        build.extract(turned, {columns, blockRows}, {0, i * blockRows}));
  auto known = parts.find(op.getMatrix());
  bool isFactor = known != parts.end() && known->second.precision == precision;
  SmallVector<Value> triangle;
  if (!isFactor)
    triangle = build.splitFactor(op.getMatrix(), precision, /*second=*/true);
  auto getBlock = [&](int64_t row, int64_t column) {
    ArrayRef<Value> halves =
        isFactor ? ArrayRef<Value>(known->second.columns[column]) : triangle;
    int64_t at = isFactor ? 0 : column * blockRows;
    return llvm::map_to_vector(halves, [&](Value half) {
      return build.extract(half, {blockRows, blockRows}, {row * blockRows, at});
    });
  };
  Precision diagonalPrecision = getDiagonalPrecision(precision);
  SmallVector<Value> inverses = getInverses(op, build);
  SmallVector<Value> solution(numBlocks);
  for (int64_t step = 0; step < numBlocks; ++step) {
    int64_t j = reverse ? numBlocks - 1 - step : step;
    SmallVector<Value> diagonal =
        build.splitFactor(inverses[j], diagonalPrecision, /*second=*/true);
    solution[j] = build.accumulate(
        build.splitFactor(rest[j], diagonalPrecision, /*second=*/false),
        diagonal, Value(), 1, reverse ? 0 : 1);
    SmallVector<Value> factor =
        build.splitFactor(solution[j], precision, /*second=*/false);
    for (int64_t i = 0; i < numBlocks; ++i) {
      if (reverse ? i >= j : i <= j)
        continue;
      SmallVector<Value> between = getBlock(i, j);
      rest[i] = build.accumulate(factor, between, rest[i], 1, 1,
                                 /*subtract=*/true);
    }
  }
  op.getResult().replaceAllUsesWith(build.transpose(build.concat(solution, 1)));
  op.erase();
}

LogicalResult TriangleExpansion::run(Operation *root) {
  SmallVector<Operation *> ops;
  root->walk([&](Operation *op) {
    if (isa<CholeskyOp, SolveTrilOp>(op))
      ops.push_back(op);
  });
  for (Operation *op : ops) {
    OpBuilder builder(op);
    if (failed(checkSize(op, op->getOperand(0))))
      return failure();
    if (auto cholesky = dyn_cast<CholeskyOp>(op)) {
      if (cholesky.getReverse())
        return op->emitOpError("is in reverse: on tiles a Cholesky factor is "
                               "lower triangular");
      expandCholesky(cholesky, builder);
      continue;
    }
    if (TileBuilder::getType(op->getOperand(1)).getRank() != 2)
      return op->emitOpError()
             << "has a right side " << op->getOperand(1).getType()
             << ": on tiles a right side is a matrix";
    expandSolve(cast<SolveTrilOp>(op), builder);
  }
  return success();
}

LogicalResult scanweft::expandTriangles(Operation *root) {
  return TriangleExpansion().run(root);
}
