// Part of Scanweft, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

//===----------------------------------------------------------------------===//
// Ops that move whole rows or states: gathers, concatenations, and the stacks
// of states of Fenwick levels.
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "passes/CPU/LowerBody.h"
#include "scanweft/Support/TensorRows.h"

using namespace mlir;
using namespace scanweft;
using namespace scanweft::weft;

/// A loop over [from, to) that threads one tensor.
static Value
createLoop(EntryLoops &loops, Value from, Value to, Value init,
           function_ref<Value(Value position, Value tensor)> body) {
  OpBuilder &builder = loops.builder;
  auto loop =
      scf::ForOp::create(builder, loops.loc, from, to, loops.index(1), init);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(loop.getBody());
  Value next = body(loop.getInductionVar(), loop.getRegionIterArg(0));
  scf::YieldOp::create(builder, loops.loc, next);
  return loop.getResult(0);
}

/// `change(tensor)` where the condition holds, else `tensor`.
static Value createIf(EntryLoops &loops, Value condition, Value tensor,
                      function_ref<Value(Value tensor)> change) {
  OpBuilder &builder = loops.builder;
  auto branch = scf::IfOp::create(builder, loops.loc, tensor.getType(),
                                  condition, /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(branch.thenBlock());
  scf::YieldOp::create(builder, loops.loc, change(tensor));
  builder.setInsertionPointToStart(branch.elseBlock());
  scf::YieldOp::create(builder, loops.loc, tensor);
  return branch.getResult(0);
}

static Value createCompare(EntryLoops &loops, arith::CmpIPredicate predicate,
                           Value lhs, Value rhs) {
  return arith::CmpIOp::create(loops.builder, loops.loc, predicate, lhs, rhs);
}

/// A tensor of zeros, of any element type.
static Value createZeros(EntryLoops &loops, RankedTensorType type,
                         ArrayRef<OpFoldResult> sizes) {
  Value zero = arith::ConstantOp::create(
      loops.builder, loops.loc,
      loops.builder.getZeroAttr(type.getElementType()));
  return loops.filled(type, sizes, zero);
}

static LogicalResult lowerGatherRows(GatherRowsOp op,
                                     PatternRewriter &rewriter) {
  EntryLoops loops(rewriter, op.getLoc());
  auto type = cast<RankedTensorType>(op.getType());
  SmallVector<OpFoldResult> sizes = loops.sizesOf(op.getSource());
  sizes[0] = loops.sizesOf(op.getRows())[0];
  Value count = loops.sizeOf(op.getRows(), 0);
  Value numRows = loops.sizeOf(op.getSource(), 0);
  if (isEmpty(op.getSource().getType())) {
    rewriter.replaceOp(op, createZeros(loops, type, sizes));
    return success();
  }
  auto gather = [&](Value position, Value gathered) {
    Value row = arith::IndexCastOp::create(
        rewriter, op.getLoc(), rewriter.getIndexType(),
        tensor::ExtractOp::create(rewriter, op.getLoc(), op.getRows(),
                                  position));
    // Unsigned: a negative index is beyond the end.
    Value inside =
        createCompare(loops, arith::CmpIPredicate::ult, row, numRows);
    return createIf(loops, inside, gathered, [&](Value before) {
      Value entry = extractEntry(rewriter, op.getLoc(), op.getSource(), row);
      return insertEntry(rewriter, op.getLoc(), entry, before, position);
    });
  };
  rewriter.replaceOp(op, createLoop(loops, loops.index(0), count,
                                    createZeros(loops, type, sizes), gather));
  return success();
}

static LogicalResult lowerConcat(ConcatOp op, PatternRewriter &rewriter) {
  EntryLoops loops(rewriter, op.getLoc());
  int64_t dim = op.getDim();
  SmallVector<OpFoldResult> sizes = loops.sizesOf(op.getSources()[0]);
  Value total = loops.index(0);
  SmallVector<Value> starts;
  for (Value source : op.getSources()) {
    starts.push_back(total);
    total = rewriter.createOrFold<arith::AddIOp>(op.getLoc(), total,
                                                 loops.sizeOf(source, dim));
  }
  sizes[dim] = total;
  Value whole = loops.empty(cast<RankedTensorType>(op.getType()), sizes);
  for (auto [source, start] : llvm::zip(op.getSources(), starts)) {
    if (isEmpty(source.getType()))
      continue;
    SmallVector<OpFoldResult> extents = loops.sizesOf(source);
    SmallVector<OpFoldResult> offsets(extents.size(), rewriter.getIndexAttr(0));
    SmallVector<OpFoldResult> strides(extents.size(), rewriter.getIndexAttr(1));
    offsets[dim] = getAsOpFoldResult(start);
    whole = tensor::InsertSliceOp::create(rewriter, op.getLoc(), source, whole,
                                          offsets, extents, strides);
  }
  rewriter.replaceOp(op, whole);
  return success();
}

//===----------------------------------------------------------------------===//
// Stacks of states
//===----------------------------------------------------------------------===//

/// accumulator[c, ...] + levels[c, level] read[c, ...]
static Value addWeighted(FenwickReadOp op, EntryLoops &loops, Value read,
                         Value accumulator, Value level) {
  auto type = cast<RankedTensorType>(op.getType());
  SmallVector<int64_t> dims = EntryLoops::dimsFrom(0, type.getRank());
  auto body = [&](OpBuilder &builder, Location loc,
                  ValueRange entries) -> Value {
    Value row = linalg::IndexOp::create(builder, loc, 0);
    Value weight = tensor::ExtractOp::create(builder, loc, op.getLevels(),
                                             ValueRange{row, level});
    Value cast = castFloat(builder, loc, weight, type.getElementType());
    Value weighted = arith::MulFOp::create(builder, loc, cast, entries[0]);
    return arith::AddFOp::create(builder, loc, entries[1], weighted);
  };
  return loops.fold(accumulator, 0, EntryLoops::Operand{read, dims}, body);
}

static LogicalResult lowerFenwickRead(FenwickReadOp op,
                                      PatternRewriter &rewriter) {
  EntryLoops loops(rewriter, op.getLoc());
  auto type = cast<RankedTensorType>(op.getType());
  SmallVector<OpFoldResult> sizes = loops.sizesOf(op.getStack());
  sizes.erase(sizes.begin(), sizes.begin() + 1);
  sizes[0] = loops.sizesOf(op.getQuery())[0];
  Value first = loops.index(op.getFirst());
  Value numLevels = loops.sizeOf(op.getLevels(), 1);
  Value levelsAbove =
      arith::SubIOp::create(rewriter, op.getLoc(), numLevels, first);
  // A chunk's number has no bits beyond the 63rd.
  int64_t numBits = std::min<int64_t>(
      63, cast<RankedTensorType>(op.getStack().getType()).getDimSize(0));
  Value numSlots = arith::MinSIOp::create(rewriter, op.getLoc(),
                                          loops.index(numBits), levelsAbove);
  if (isEmpty(op.getStack().getType())) {
    rewriter.replaceOp(op, loops.filled(type, sizes, 0.0));
    return success();
  }
  auto readSlot = [&](Value slot, Value accumulator) {
    Value shifted =
        arith::ShRUIOp::create(rewriter, op.getLoc(), op.getChunk(), slot);
    Value bit =
        arith::AndIOp::create(rewriter, op.getLoc(), shifted, loops.index(1));
    Value isSet =
        createCompare(loops, arith::CmpIPredicate::eq, bit, loops.index(1));
    return createIf(loops, isSet, accumulator, [&](Value before) {
      Value state = extractEntry(rewriter, op.getLoc(), op.getStack(), slot);
      Value read = loops.dot(op.getQuery(), state, 1, 0, op.getNumericsAttr());
      Value level = arith::AddIOp::create(rewriter, op.getLoc(), first, slot);
      return addWeighted(op, loops, read, before, level);
    });
  };
  rewriter.replaceOp(op, createLoop(loops, loops.index(0), numSlots,
                                    loops.filled(type, sizes, 0.0), readSlot));
  return success();
}

/// contribution plus the sum of slots [from, to).
static Value sumSlots(FenwickMergeOp op, EntryLoops &loops, Value from,
                      Value to) {
  auto type = cast<RankedTensorType>(op.getContribution().getType());
  SmallVector<int64_t> dims = EntryLoops::dimsFrom(0, type.getRank());
  auto add = [&](Value slot, Value sum) {
    Value state = extractEntry(loops.builder, loops.loc, op.getStack(), slot);
    auto body = [](OpBuilder &builder, Location loc,
                   ValueRange entries) -> Value {
      return arith::AddFOp::create(builder, loc, entries[1], entries[0]);
    };
    return loops.fold(sum, 0, EntryLoops::Operand{state, dims}, body);
  };
  return createLoop(loops, from, to, op.getContribution(), add);
}

/// Trailing zeros of block + 1, which are the trailing ones of the block; at
/// most the number of slots, which is what matters of them.
static Value countTrailingOnes(FenwickMergeOp op, EntryLoops &loops) {
  OpBuilder &builder = loops.builder;
  Location loc = loops.loc;
  int64_t numSlots =
      cast<RankedTensorType>(op.getStack().getType()).getDimSize(0);
  Value count = loops.index(0);
  for (int64_t ones = 1; ones <= numSlots; ++ones) {
    Value mask = loops.index((int64_t(1) << ones) - 1);
    Value low = arith::AndIOp::create(builder, loc, op.getBlock(), mask);
    Value full = createCompare(loops, arith::CmpIPredicate::eq, low, mask);
    Value one = arith::IndexCastUIOp::create(builder, loc,
                                             builder.getIndexType(), full);
    count = arith::AddIOp::create(builder, loc, count, one);
  }
  return count;
}

static LogicalResult lowerFenwickMerge(FenwickMergeOp op,
                                       PatternRewriter &rewriter) {
  EntryLoops loops(rewriter, op.getLoc());
  Location loc = op.getLoc();
  Value slot = arith::AddIOp::create(rewriter, loc, op.getLevel(),
                                     countTrailingOnes(op, loops));
  Value numSlots = loops.sizeOf(op.getStack(), 0);
  Value cleared = arith::MinSIOp::create(rewriter, loc, slot, numSlots);
  Value merged = sumSlots(op, loops, loops.index(0), cleared);
  auto stateType = cast<RankedTensorType>(merged.getType());
  Value zero = createZeros(loops, stateType, loops.sizesOf(merged));
  Value stack =
      createLoop(loops, loops.index(0), cleared, op.getStack(),
                 [&](Value position, Value before) {
                   return insertEntry(rewriter, loc, zero, before, position);
                 });
  // Unsigned: a negative level is beyond the end.
  Value inside =
      createCompare(loops, arith::CmpIPredicate::ult, slot, numSlots);
  rewriter.replaceOp(op, createIf(loops, inside, stack, [&](Value before) {
                       return insertEntry(rewriter, loc, merged, before, slot);
                     }));
  return success();
}

void scanweft::populateLowerSlicePatterns(RewritePatternSet &patterns) {
  patterns.add(lowerGatherRows);
  patterns.add(lowerConcat);
  patterns.add(lowerFenwickRead);
  patterns.add(lowerFenwickMerge);
}
