// Part of Scanweft, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

//===----------------------------------------------------------------------===//
// Ops that choose by position, as comparisons of coordinates.
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/Math/IR/Math.h"
#include "passes/Tile/ExpandBody.h"

using namespace mlir;
using namespace scanweft;
using namespace scanweft::weft;
using arith::CmpIPredicate;

static LogicalResult expandEye(EyeOp op, PatternRewriter &rewriter) {
  TileBuilder build(rewriter, op.getLoc());
  auto type = cast<RankedTensorType>(op.getResult().getType());
  Value row = build.coordinate(type.getShape(), 0);
  Value column = build.coordinate(type.getShape(), 1);
  Value diagonal = build.compare(CmpIPredicate::eq, row, column);
  rewriter.replaceOp(op, build.select(diagonal, build.splat(type, 1.0),
                                      build.splat(type, 0.0)));
  return success();
}

static LogicalResult expandTril(TrilOp op, PatternRewriter &rewriter) {
  TileBuilder build(rewriter, op.getLoc());
  auto type = cast<RankedTensorType>(op.getResult().getType());
  Value row = build.coordinate(type.getShape(), 0);
  Value column = build.coordinate(type.getShape(), 1);
  int64_t diagonal = op.getDiagonal();
  if (op.getReverse())
    diagonal = -diagonal;
  Value shift = build.splatInteger(TileBuilder::getType(row), diagonal);
  Value bound = build.create<arith::AddIOp>(row, shift);
  auto keeps = op.getReverse() ? CmpIPredicate::sge : CmpIPredicate::sle;
  rewriter.replaceOp(op, build.select(build.compare(keeps, column, bound),
                                      op.getSource(), build.splat(type, 0.0)));
  return success();
}

/// Whether the coordinate along a dim lies in [from, to).
static Value buildLive(TileBuilder &build, ArrayRef<int64_t> shape, int64_t dim,
                       Value from, Value to) {
  Value at = build.coordinate(shape, dim);
  RankedTensorType type = TileBuilder::getType(at);
  Value notBefore =
      build.compare(CmpIPredicate::sge, at, build.splatIndex(type, from));
  Value notAfter =
      build.compare(CmpIPredicate::slt, at, build.splatIndex(type, to));
  return build.create<arith::AndIOp>(notBefore, notAfter);
}

static LogicalResult expandKeepLive(KeepLiveOp op, PatternRewriter &rewriter) {
  TileBuilder build(rewriter, op.getLoc());
  auto type = cast<RankedTensorType>(op.getResult().getType());
  Value live =
      buildLive(build, type.getShape(), op.getDim(), op.getFrom(), op.getTo());
  Value other = build.splat(type, op.getOther().convertToDouble());
  rewriter.replaceOp(op, build.select(live, op.getSource(), other));
  return success();
}

/// Slot distance key - query of every score.
static Value buildDistance(TileBuilder &build, MaskWindowOp op,
                           ArrayRef<int64_t> shape) {
  Value row = build.coordinate(shape, 0);
  Value column = build.coordinate(shape, 1);
  RankedTensorType type = TileBuilder::getType(row);
  Value shift = build.create<arith::SubIOp>(op.getColStart(), op.getRowStart());
  Value inside = build.create<arith::SubIOp>(column, row);
  return build.create<arith::AddIOp>(inside, build.splatIndex(type, shift));
}

static LogicalResult expandMaskWindow(MaskWindowOp op,
                                      PatternRewriter &rewriter) {
  TileBuilder build(rewriter, op.getLoc());
  auto type = cast<RankedTensorType>(op.getResult().getType());
  Value distance = buildDistance(build, op, type.getShape());
  RankedTensorType integers = TileBuilder::getType(distance);
  SmallVector<Value> conditions;
  auto [left, right] = std::pair(op.getWindow()[0], op.getWindow()[1]);
  if (left != MaskWindowOp::kUnbounded)
    conditions.push_back(build.compare(CmpIPredicate::sge, distance,
                                       build.splatInteger(integers, -left)));
  if (right != MaskWindowOp::kUnbounded)
    conditions.push_back(build.compare(CmpIPredicate::sle, distance,
                                       build.splatInteger(integers, right)));
  if (op.getRowIndex()) {
    Value query = build.broadcast(op.getRowIndex(), type.getShape(), {0});
    Value key = build.broadcast(op.getColIndex(), type.getShape(), {1});
    conditions.push_back(build.compare(CmpIPredicate::sle, key, query));
  }
  Value kept = op.getScores();
  Value never = build.splat(type, -INFINITY);
  for (Value condition : conditions)
    kept = build.select(condition, kept, never);
  rewriter.replaceOp(op, kept);
  return success();
}

/// Level bit_length(t xor s) of every pair of rows.
static LogicalResult expandLevelWeights(LevelWeightsOp op,
                                        PatternRewriter &rewriter) {
  TileBuilder build(rewriter, op.getLoc());
  auto type = cast<RankedTensorType>(op.getResult().getType());
  Value row = build.coordinate(type.getShape(), 0);
  Value column = build.coordinate(type.getShape(), 1);
  RankedTensorType integers = TileBuilder::getType(row);
  Value differ = build.create<arith::XOrIOp>(row, column);
  Value zeros =
      math::CountLeadingZerosOp::create(rewriter, op.getLoc(), differ);
  Value level =
      build.create<arith::SubIOp>(build.splatInteger(integers, 32), zeros);
  // Above the diagonal any level that is there serves: the result is zero.
  Value past = build.compare(CmpIPredicate::sle, column, row);
  level = build.select(past, level, build.splatInteger(integers, 0));
  Value taken = wtile::TakeOp::create(
      rewriter, op.getLoc(),
      type.clone(TileBuilder::getType(op.getLevels()).getElementType()),
      op.getLevels(), level);
  taken = build.convert(taken, type.getElementType());
  rewriter.replaceOp(op, build.select(past, taken, build.splat(type, 0.0)));
  return success();
}

void scanweft::populateExpandMaskPatterns(RewritePatternSet &patterns) {
  patterns.add(expandEye);
  patterns.add(expandTril);
  patterns.add(expandKeepLive);
  patterns.add(expandMaskWindow);
  patterns.add(expandLevelWeights);
}
