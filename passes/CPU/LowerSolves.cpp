// Part of Scanweft, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

//===----------------------------------------------------------------------===//
// Triangular systems row by row and Cholesky column by column. Products of
// entries of one block of 16 are exact in the accumulator's type; products
// between blocks are rounded as the op's numerics say.
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "passes/CPU/LowerBody.h"
#include "passes/CPU/StatisticsCalls.h"

using namespace mlir;
using namespace scanweft;
using namespace scanweft::weft;

/// log2 of the rows of a diagonal block.
static constexpr int64_t kLogBlock = 4;

/// lhs rhs, exact where rows `i` and `j` lie in one diagonal block.
static Value createBlockProduct(OpBuilder &builder, Location loc, Value lhs,
                                Value rhs, Value i, Value j,
                                NumericsAttr numerics) {
  Type acc = numerics.getAcc();
  Value exact =
      arith::MulFOp::create(builder, loc, castFloat(builder, loc, lhs, acc),
                            castFloat(builder, loc, rhs, acc));
  if (numerics.getIn() == Precision::F64 || numerics.getIn() == Precision::F32)
    return exact;
  Value log = arith::ConstantIndexOp::create(builder, loc, kLogBlock);
  Value blockOfI = arith::ShRUIOp::create(builder, loc, i, log);
  Value blockOfJ = arith::ShRUIOp::create(builder, loc, j, log);
  Value same = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq,
                                     blockOfI, blockOfJ);
  Value rounded = createProduct(builder, loc, lhs, rhs, numerics);
  return arith::SelectOp::create(builder, loc, same, exact, rounded);
}

/// Offsets, sizes and strides of row or column `position` along `dim`.
static std::array<SmallVector<OpFoldResult>, 3>
lineSlice(EntryLoops &loops, Value tensor, int64_t dim, Value position) {
  std::array<SmallVector<OpFoldResult>, 3> slice;
  slice[1] = loops.sizesOf(tensor);
  slice[0].assign(slice[1].size(), loops.builder.getIndexAttr(0));
  slice[2].assign(slice[1].size(), loops.builder.getIndexAttr(1));
  slice[0][dim] = position;
  slice[1][dim] = loops.builder.getIndexAttr(1);
  return slice;
}

static Value extractLine(EntryLoops &loops, Value tensor, int64_t dim,
                         Value position) {
  auto type = cast<RankedTensorType>(tensor.getType());
  SmallVector<int64_t> shape(type.getShape());
  shape.erase(shape.begin() + dim);
  auto [offsets, sizes, strides] = lineSlice(loops, tensor, dim, position);
  return tensor::ExtractSliceOp::create(
      loops.builder, loops.loc,
      RankedTensorType::get(shape, type.getElementType()), tensor, offsets,
      sizes, strides);
}

static Value insertLine(EntryLoops &loops, Value line, Value tensor,
                        int64_t dim, Value position) {
  auto [offsets, sizes, strides] = lineSlice(loops, tensor, dim, position);
  return tensor::InsertSliceOp::create(loops.builder, loops.loc, line, tensor,
                                       offsets, sizes, strides);
}

/// A loop over `count` positions, from the last with `reverse`, that threads
/// one tensor.
static Value createPositionLoop(
    EntryLoops &loops, Value count, bool reverse, Value init,
    function_ref<Value(EntryLoops &, Value position, Value tensor)> body) {
  OpBuilder &builder = loops.builder;
  Location loc = loops.loc;
  Value one = loops.index(1);
  auto loop =
      scf::ForOp::create(builder, loc, loops.index(0), count, one, init);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(loop.getBody());
  Value position = loop.getInductionVar();
  if (reverse) {
    Value last = arith::SubIOp::create(builder, loc, count, one);
    position = arith::SubIOp::create(builder, loc, last, position);
  }
  Value next = body(loops, position, loop.getRegionIterArg(0));
  scf::YieldOp::create(builder, loc, next);
  return loop.getResult(0);
}

/// Whether position `other` was computed before `position`.
static Value isDone(OpBuilder &builder, Location loc, Value other,
                    Value position, bool reverse) {
  return arith::CmpIOp::create(builder, loc,
                               reverse ? arith::CmpIPredicate::sgt
                                       : arith::CmpIPredicate::slt,
                               other, position);
}

//===----------------------------------------------------------------------===//
// solve_tril
//===----------------------------------------------------------------------===//

/// Row `row` of the solution, from the rows before it.
static Value solveRow(SolveTrilOp op, EntryLoops &loops, Value row,
                      Value solution) {
  Value coefficients = extractLine(loops, op.getMatrix(), 0, row);
  Value right = extractLine(loops, op.getRhs(), 0, row);
  auto type = cast<RankedTensorType>(right.getType());
  auto accType =
      RankedTensorType::get(type.getShape(), op.getNumerics().getAcc());
  int64_t rank = type.getRank();
  SmallVector<int64_t> entryDims = EntryLoops::dimsFrom(0, rank);
  SmallVector<OpFoldResult> sizes = loops.sizesOf(right);
  Value start = loops.map(
      accType, sizes, EntryLoops::Operand{right, entryDims},
      [&](OpBuilder &builder, Location loc, ValueRange entries) {
        return castFloat(builder, loc, entries[0], accType.getElementType());
      });
  // Dims: the row's entries, then the rows of the solution, whose loop stands
  // outermost.
  SmallVector<int64_t> solutionDims{rank};
  llvm::append_range(solutionDims, entryDims);
  EntryLoops::Operand operands[] = {{coefficients, {rank}},
                                    {solution, solutionDims}};
  auto subtract = [&](OpBuilder &builder, Location loc,
                      ValueRange entries) -> Value {
    Value other = linalg::IndexOp::create(builder, loc, 0);
    Value product = createBlockProduct(builder, loc, entries[0], entries[1],
                                       row, other, op.getNumericsAttr());
    Value less = arith::SubFOp::create(builder, loc, entries[2], product);
    Value done = isDone(builder, loc, other, row, op.getReverse());
    return arith::SelectOp::create(builder, loc, done, less, entries[2]);
  };
  Value left = loops.fold(start, 1, operands, subtract, /*firstReduced=*/0);
  if (op.getUnit())
    return left;
  Value diagonal =
      tensor::ExtractOp::create(loops.builder, loops.loc, coefficients, row);
  return loops.map(
      accType, sizes, EntryLoops::Operand{left, entryDims},
      [&](OpBuilder &builder, Location loc, ValueRange entries) -> Value {
        Value pivot =
            castFloat(builder, loc, diagonal, accType.getElementType());
        return arith::DivFOp::create(builder, loc, entries[0], pivot);
      });
}

static LogicalResult lowerSolveTril(SolveTrilOp op, PatternRewriter &rewriter) {
  EntryLoops loops(rewriter, op.getLoc());
  auto type = cast<RankedTensorType>(op.getType());
  Value zero = loops.filled(type, loops.sizesOf(op.getRhs()), 0.0);
  auto body = [&](EntryLoops &loops, Value row, Value solution) {
    return insertLine(loops, solveRow(op, loops, row, solution), solution, 0,
                      row);
  };
  rewriter.replaceOp(op,
                     createPositionLoop(loops, loops.sizeOf(op.getMatrix(), 0),
                                        op.getReverse(), zero, body));
  return success();
}

//===----------------------------------------------------------------------===//
// cholesky
//===----------------------------------------------------------------------===//

/// Column `column` of the factor, from the columns before it, which are the
/// only ones of `factor` that are not zero.
static Value factorColumn(CholeskyOp op, EntryLoops &loops, Value column,
                          Value factor) {
  bool reverse = op.getReverse();
  // The lower triangle only: with `reverse` entry [i, column] is read as
  // [column, i].
  Value source = extractLine(loops, op.getSource(), reverse ? 0 : 1, column);
  Value pivots = extractLine(loops, factor, 0, column);
  auto type = cast<RankedTensorType>(source.getType());
  EntryLoops::Operand operands[] = {{factor, {0, 1}}, {pivots, {1}}};
  auto subtract = [&](OpBuilder &builder, Location loc,
                      ValueRange entries) -> Value {
    // Of one block with the column: the block's own factorisation.
    Value other = linalg::IndexOp::create(builder, loc, 1);
    Value product = createBlockProduct(builder, loc, entries[0], entries[1],
                                       column, other, op.getNumericsAttr());
    return arith::SubFOp::create(builder, loc, entries[2], product);
  };
  Value left = loops.fold(source, 1, operands, subtract);
  Value square =
      tensor::ExtractOp::create(loops.builder, loops.loc, left, column);
  Value pivot = math::SqrtOp::create(loops.builder, loops.loc, square);
  Value zero =
      createFloat(loops.builder, loops.loc, type.getElementType(), 0.0);
  auto scale = [&](OpBuilder &builder, Location loc,
                   ValueRange entries) -> Value {
    Value row = linalg::IndexOp::create(builder, loc, 0);
    Value above = isDone(builder, loc, row, column, reverse);
    Value onDiagonal = arith::CmpIOp::create(
        builder, loc, arith::CmpIPredicate::eq, row, column);
    Value scaled = arith::DivFOp::create(builder, loc, entries[0], pivot);
    Value kept =
        arith::SelectOp::create(builder, loc, onDiagonal, pivot, scaled);
    return arith::SelectOp::create(builder, loc, above, zero, kept);
  };
  return loops.map(type, loops.sizesOf(left), EntryLoops::Operand{left, {0}},
                   scale);
}

namespace {
struct LowerCholesky : OpRewritePattern<CholeskyOp> {
  LowerCholesky(MLIRContext *context, StatisticsCalls &statistics)
      : OpRewritePattern(context), statistics(statistics) {}

  LogicalResult matchAndRewrite(CholeskyOp op,
                                PatternRewriter &rewriter) const override {
    EntryLoops loops(rewriter, op.getLoc());
    statistics.count(rewriter, op.getLoc(), Counter::CholeskyFactors);
    auto type = cast<RankedTensorType>(op.getType());
    Value zero = loops.filled(type, loops.sizesOf(op.getSource()), 0.0);
    auto body = [&](EntryLoops &loops, Value column, Value factor) {
      return insertLine(loops, factorColumn(op, loops, column, factor), factor,
                        1, column);
    };
    rewriter.replaceOp(op, createPositionLoop(loops,
                                              loops.sizeOf(op.getSource(), 0),
                                              op.getReverse(), zero, body));
    return success();
  }

  StatisticsCalls &statistics;
};
} // namespace

void scanweft::populateLowerSolvePatterns(RewritePatternSet &patterns,
                                          StatisticsCalls &statistics) {
  patterns.add(lowerSolveTril);
  patterns.add<LowerCholesky>(patterns.getContext(), statistics);
}
