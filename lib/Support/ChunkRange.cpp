// Part of Scanweft, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "scanweft/Support/ChunkRange.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace scanweft;

static Value constant(OpBuilder &builder, Location loc, int64_t value) {
  return arith::ConstantIndexOp::create(builder, loc, value);
}

std::pair<Value, Value> scanweft::buildChunkBounds(OpBuilder &builder,
                                                   Location loc,
                                                   const ChunkedAxis &axis) {
  // C is a power of two: shifts divide, towards minus infinity.
  Value log = constant(builder, loc, llvm::Log2_64(axis.chunk));
  Value rest = constant(builder, loc, axis.chunk - 1);
  Value first = arith::ShRSIOp::create(builder, loc, axis.from, log);
  Value up = arith::AddIOp::create(builder, loc, axis.to, rest);
  Value end = arith::ShRSIOp::create(builder, loc, up, log);
  Value some = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::slt,
                                     axis.from, axis.to);
  return {first, arith::SelectOp::create(builder, loc, some, end, first)};
}

ChunkRange scanweft::buildChunkRange(OpBuilder &builder, Location loc,
                                     const ChunkedAxis &axis, Value number) {
  Value size = constant(builder, loc, axis.chunk);
  Value start = arith::MulIOp::create(builder, loc, number, size);
  Value end = arith::AddIOp::create(builder, loc, start, size);
  Value firstRow = arith::MaxSIOp::create(builder, loc, start, axis.from);
  Value endRow = arith::MinSIOp::create(builder, loc, end, axis.to);
  ChunkRange range;
  range.number = number;
  range.start = start;
  range.firstRow = firstRow;
  range.liveFrom = arith::SubIOp::create(builder, loc, firstRow, start);
  range.liveTo = arith::SubIOp::create(builder, loc, endRow, start);
  range.liveCount = arith::SubIOp::create(builder, loc, endRow, firstRow);
  return range;
}

Value scanweft::buildChunkNumber(OpBuilder &builder, Location loc, Value turn,
                                 Value first, Value last, bool descending) {
  if (!descending)
    return turn;
  Value sum = arith::AddIOp::create(builder, loc, first, last);
  Value mirrored = arith::SubIOp::create(builder, loc, sum, turn);
  return arith::SubIOp::create(builder, loc, mirrored,
                               constant(builder, loc, 1));
}
