// Part of Scanweft, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

//===----------------------------------------------------------------------===//
// Reductions over a dim, running sums and running combinations of rows. All go
// in increasing order of time, one entry at a time.
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/IRMapping.h"
#include "passes/CPU/LowerBody.h"

using namespace mlir;
using namespace scanweft;
using namespace scanweft::weft;

/// Sizes of `tensor` without one dim.
static SmallVector<OpFoldResult> sizesWithout(EntryLoops &loops, Value tensor,
                                              int64_t dim) {
  SmallVector<OpFoldResult> sizes = loops.sizesOf(tensor);
  sizes.erase(sizes.begin() + dim);
  return sizes;
}

//===----------------------------------------------------------------------===//
// Reductions
//===----------------------------------------------------------------------===//

template <typename OpTy, typename CombineOp>
static LogicalResult lowerReduction(OpTy op, PatternRewriter &rewriter,
                                    double neutral) {
  EntryLoops loops(rewriter, op.getLoc());
  auto type = cast<RankedTensorType>(op.getType());
  int64_t dim = op.getDim();
  SmallVector<int64_t> dims;
  int64_t next = 0;
  for (int64_t i : llvm::seq(type.getRank() + 1))
    dims.push_back(i == dim ? type.getRank() : next++);
  Value init =
      loops.filled(type, sizesWithout(loops, op.getSource(), dim), neutral);
  auto body = [](OpBuilder &builder, Location loc,
                 ValueRange entries) -> Value {
    return CombineOp::create(builder, loc, entries[1], entries[0]);
  };
  rewriter.replaceOp(
      op, loops.fold(init, 1, EntryLoops::Operand{op.getSource(), dims}, body));
  return success();
}

static LogicalResult lowerSum(SumOp op, PatternRewriter &rewriter) {
  return lowerReduction<SumOp, arith::AddFOp>(op, rewriter, 0.0);
}

static LogicalResult lowerMax(MaxOp op, PatternRewriter &rewriter) {
  return lowerReduction<MaxOp, arith::MaximumFOp>(
      op, rewriter, -std::numeric_limits<double>::infinity());
}

//===----------------------------------------------------------------------===//
// Running combinations
//===----------------------------------------------------------------------===//

namespace {
/// One slice of a tensor along a dim: which, and how to take and put it.
struct StepSlice {
  SmallVector<OpFoldResult> offsets, sizes, strides;

  StepSlice(EntryLoops &loops, Value tensor, int64_t dim, Value step) {
    sizes = loops.sizesOf(tensor);
    offsets.assign(sizes.size(), loops.builder.getIndexAttr(0));
    strides.assign(sizes.size(), loops.builder.getIndexAttr(1));
    offsets[dim] = step;
    sizes[dim] = loops.builder.getIndexAttr(1);
  }

  Value extract(EntryLoops &loops, Value tensor, RankedTensorType type) {
    return tensor::ExtractSliceOp::create(loops.builder, loops.loc, type,
                                          tensor, offsets, sizes, strides);
  }
  Value insert(EntryLoops &loops, Value slice, Value tensor) {
    return tensor::InsertSliceOp::create(loops.builder, loops.loc, slice,
                                         tensor, offsets, sizes, strides);
  }
};
} // namespace

SmallVector<Value> scanweft::createRunningScan(EntryLoops &loops,
                                               const RunningScan &scan,
                                               ValueRange inits,
                                               ScanStep combine) {
  OpBuilder &builder = loops.builder;
  Location loc = loops.loc;
  unsigned count = scan.sources.size();
  SmallVector<Value> carried;
  for (Value source : scan.sources)
    carried.push_back(loops.empty(cast<RankedTensorType>(source.getType()),
                                  loops.sizesOf(source)));
  llvm::append_range(carried, inits);
  Value numSteps = loops.sizeOf(scan.sources[0], scan.dim);
  Value one = loops.index(1);
  auto loop =
      scf::ForOp::create(builder, loc, loops.index(0), numSteps, one, carried);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(loop.getBody());
  Value step = loop.getInductionVar();
  if (scan.reverse) {
    Value last = arith::SubIOp::create(builder, loc, numSteps, one);
    step = arith::SubIOp::create(builder, loc, last, step);
  }
  ValueRange state = loop.getRegionIterArgs();
  ValueRange outputs = state.take_front(count);
  ValueRange before = state.drop_front(count);
  SmallVector<Value> slices;
  for (auto [source, init] : llvm::zip(scan.sources, inits))
    slices.push_back(
        StepSlice(loops, source, scan.dim, step)
            .extract(loops, source, cast<RankedTensorType>(init.getType())));
  SmallVector<Value> results(outputs);
  auto insertAll = [&](ValueRange values) {
    for (auto [value, output] : llvm::zip(values, results))
      output =
          StepSlice(loops, output, scan.dim, step).insert(loops, value, output);
  };
  // What is stored before it is overwritten needs no copy.
  if (scan.exclusive)
    insertAll(before);
  SmallVector<Value> after = combine(loops, step, slices, before);
  if (!scan.exclusive)
    insertAll(after);
  llvm::append_range(results, after);
  scf::YieldOp::create(builder, loc, results);
  return SmallVector<Value>(loop.getResults());
}

static LogicalResult lowerCumsum(CumsumOp op, PatternRewriter &rewriter) {
  EntryLoops loops(rewriter, op.getLoc());
  Value source = op.getSource();
  int64_t dim = op.getDim();
  auto type = cast<RankedTensorType>(source.getType());
  SmallVector<int64_t> shape(type.getShape());
  shape.erase(shape.begin() + dim);
  auto sliceType = RankedTensorType::get(shape, type.getElementType());
  Value zero = loops.filled(sliceType, sizesWithout(loops, source, dim), 0.0);
  SmallVector<int64_t> dims = EntryLoops::dimsFrom(0, sliceType.getRank());
  auto add = [](OpBuilder &builder, Location loc, ValueRange entries) -> Value {
    return arith::AddFOp::create(builder, loc, entries[1], entries[0]);
  };
  auto combine = [&](EntryLoops &loops, Value, ValueRange slices,
                     ValueRange accumulators) -> SmallVector<Value> {
    EntryLoops::Operand slice{slices[0], dims};
    return {loops.fold(accumulators[0], 0, slice, add)};
  };
  RunningScan scan{source, dim, op.getExclusive(), op.getReverse()};
  rewriter.replaceOp(op, createRunningScan(loops, scan, zero, combine).front());
  return success();
}

SmallVector<Value> scanweft::inlineScalars(OpBuilder &builder, Block &block,
                                           ValueRange arguments) {
  IRMapping mapping;
  mapping.map(block.getArguments(), arguments);
  for (Operation &op : block.without_terminator())
    builder.clone(op, mapping);
  return llvm::map_to_vector(
      block.getTerminator()->getOperands(),
      [&](Value result) { return mapping.lookupOrDefault(result); });
}

/// One step of a running combination: every accumulator tensor in one loop
/// over entries, dead rows replaced by the identity.
static SmallVector<Value> combineStep(ScanRowsOp op, func::FuncOp combine,
                                      EntryLoops &loops, Value step,
                                      ValueRange slices,
                                      ValueRange accumulators) {
  OpBuilder &builder = loops.builder;
  Location loc = loops.loc;
  Value notBefore = arith::CmpIOp::create(
      builder, loc, arith::CmpIPredicate::sge, step, op.getFrom());
  Value before = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::slt,
                                       step, op.getTo());
  Value live = arith::AndIOp::create(builder, loc, notBefore, before);
  int64_t rank = cast<RankedTensorType>(slices[0].getType()).getRank();
  AffineMap identity = builder.getMultiDimIdentityMap(rank);
  SmallVector<AffineMap> maps(slices.size() + accumulators.size(), identity);
  SmallVector<utils::IteratorType> iterators(rank,
                                             utils::IteratorType::parallel);
  auto emit = [&](OpBuilder &inner, Location loc, ValueRange entries) {
    SmallVector<Value> arguments =
        llvm::to_vector(entries.drop_front(slices.size()));
    for (auto [entry, neutral] : llvm::zip(entries, op.getIdentity())) {
      Value number =
          arith::ConstantOp::create(inner, loc, cast<FloatAttr>(neutral));
      arguments.push_back(
          arith::SelectOp::create(inner, loc, live, entry, number));
    }
    linalg::YieldOp::create(
        inner, loc, inlineScalars(inner, combine.getBody().front(), arguments));
  };
  auto generic =
      linalg::GenericOp::create(builder, loc, TypeRange(accumulators), slices,
                                accumulators, maps, iterators, emit);
  return SmallVector<Value>(generic.getResults());
}

static LogicalResult lowerScanRows(ScanRowsOp op, PatternRewriter &rewriter) {
  auto combine = SymbolTable::lookupNearestSymbolFrom<func::FuncOp>(
      op, op.getCombineAttr());
  if (!combine)
    return failure();
  EntryLoops loops(rewriter, op.getLoc());
  SmallVector<Value> inits;
  for (auto [source, total, identity] :
       llvm::zip(op.getSources(), op.getTotals(), op.getIdentity())) {
    Value neutral = arith::ConstantOp::create(rewriter, op.getLoc(),
                                              cast<FloatAttr>(identity));
    inits.push_back(loops.filled(cast<RankedTensorType>(total.getType()),
                                 sizesWithout(loops, source, 0), neutral));
  }
  if (isEmpty(op.getSources()[0].getType())) {
    // The combination of no rows is the identity.
    SmallVector<Value> results;
    for (Value source : op.getSources())
      results.push_back(loops.empty(cast<RankedTensorType>(source.getType()),
                                    loops.sizesOf(source)));
    llvm::append_range(results, inits);
    rewriter.replaceOp(op, results);
    return success();
  }
  auto step = [&](EntryLoops &loops, Value step, ValueRange slices,
                  ValueRange accumulators) {
    return combineStep(op, combine, loops, step, slices, accumulators);
  };
  RunningScan scan{op.getSources(), 0, op.getExclusive(), op.getReverse()};
  rewriter.replaceOp(op, createRunningScan(loops, scan, inits, step));
  return success();
}

void scanweft::populateLowerScanPatterns(RewritePatternSet &patterns) {
  patterns.add(lowerSum);
  patterns.add(lowerMax);
  patterns.add(lowerCumsum);
  patterns.add(lowerScanRows);
}
