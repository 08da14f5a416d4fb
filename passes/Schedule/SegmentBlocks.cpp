// Part of Scanweft, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "passes/Schedule/SegmentBlocks.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace scanweft;
using namespace scanweft::weft;

/// x / 2^log, towards minus infinity or plus infinity.
static Value buildFloorShift(OpBuilder &builder, Location loc, Value x,
                             Value log) {
  return arith::ShRSIOp::create(builder, loc, x, log);
}
static Value buildCeilShift(OpBuilder &builder, Location loc, Value x,
                            Value log) {
  Value one = arith::ConstantIndexOp::create(builder, loc, 1);
  Value size = arith::ShLIOp::create(builder, loc, one, log);
  Value rest = arith::SubIOp::create(builder, loc, size, one);
  Value up = arith::AddIOp::create(builder, loc, x, rest);
  return arith::ShRSIOp::create(builder, loc, up, log);
}

/// The smallest level such that `numSegments` aligned blocks of 2^level chunks
/// cover chunks [first, last).
static Value buildLevel(OpBuilder &builder, Location loc, Value first,
                        Value last, int64_t numSegments) {
  Value zero = arith::ConstantIndexOp::create(builder, loc, 0);
  Value one = arith::ConstantIndexOp::create(builder, loc, 1);
  Value limit = arith::ConstantIndexOp::create(builder, loc, numSegments);
  auto buildTest = [&](OpBuilder &builder, Location place, ValueRange level) {
    Value end = buildCeilShift(builder, place, last, level[0]);
    Value begin = buildFloorShift(builder, place, first, level[0]);
    Value count = arith::SubIOp::create(builder, place, end, begin);
    Value tooMany = arith::CmpIOp::create(
        builder, place, arith::CmpIPredicate::sgt, count, limit);
    scf::ConditionOp::create(builder, place, tooMany, level);
  };
  auto buildNext = [&](OpBuilder &builder, Location place, ValueRange level) {
    Value next = arith::AddIOp::create(builder, place, level[0], one);
    scf::YieldOp::create(builder, place, next);
  };
  auto loop =
      scf::WhileOp::create(builder, loc, TypeRange{builder.getIndexType()},
                           ValueRange{zero}, buildTest, buildNext);
  return loop.getResult(0);
}

SegmentBlocks SegmentBlocks::build(OpBuilder &builder, ChunkedOp op,
                                   int64_t numSegments) {
  Location loc = op.getLoc();
  int64_t size = op.getChunk();
  Value log = arith::ConstantIndexOp::create(builder, loc, llvm::Log2_64(size));
  Value chunk = arith::ConstantIndexOp::create(builder, loc, size);
  Value zero = arith::ConstantIndexOp::create(builder, loc, 0);
  Value one = arith::ConstantIndexOp::create(builder, loc, 1);
  Value from = arith::MaxSIOp::create(builder, loc, op.getFrom(), zero);
  Value firstChunk = buildFloorShift(builder, loc, from, log);
  Value end = buildCeilShift(builder, loc, op.getTo(), log);
  Value some = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::slt,
                                     op.getFrom(), op.getTo());
  Value last = arith::SelectOp::create(builder, loc, some, end, firstChunk);
  SegmentBlocks blocks;
  blocks.descending = op.getDescending();
  blocks.level = buildLevel(builder, loc, firstChunk, last, numSegments);
  Value begin = buildFloorShift(builder, loc, firstChunk, blocks.level);
  Value past = buildCeilShift(builder, loc, last, blocks.level);
  Value top = arith::SubIOp::create(builder, loc, past, one);
  blocks.numRows = arith::ShLIOp::create(builder, loc, chunk, blocks.level);
  blocks.numBlocks = arith::SubIOp::create(builder, loc, past, begin);
  blocks.first = blocks.descending ? top : begin;
  return blocks;
}

Value SegmentBlocks::buildNumber(OpBuilder &builder, Location loc,
                                 Value segment) const {
  if (descending)
    return arith::SubIOp::create(builder, loc, first, segment);
  return arith::AddIOp::create(builder, loc, first, segment);
}

std::pair<Value, Value> SegmentBlocks::buildRows(OpBuilder &builder,
                                                 ChunkedOp op,
                                                 Value segment) const {
  Location loc = op.getLoc();
  Value block = buildNumber(builder, loc, segment);
  Value begin = arith::MulIOp::create(builder, loc, block, numRows);
  Value end = arith::AddIOp::create(builder, loc, begin, numRows);
  Value from = arith::MaxSIOp::create(builder, loc, begin, op.getFrom());
  Value to = arith::MinSIOp::create(builder, loc, end, op.getTo());
  return {from, to};
}
