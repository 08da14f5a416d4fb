// Part of Scanweft, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

//===----------------------------------------------------------------------===//
// One loop over chunks, cut into S segments:
//
//   blocks of 2^m chunks, aligned from row 0, S of them at most cover the rows
//   for each phase
//     for each segment    weft.chunked with summaries as carries
//     scan of summaries   entry s: all segments before s
//     states at starts    entry 0: the initial state; s: prefix s acts on it
//   replay
//     for each segment    the whole body from its start; outputs threaded
//
// Segments are numbered in the order of the walk. A descending loop walks its
// segments from the last block to the first.
//===----------------------------------------------------------------------===//

#include "passes/Schedule/SegmentedLoop.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/IRMapping.h"
#include "scanweft/Support/TensorRows.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace scanweft;
using namespace scanweft::weft;

namespace {
/// The blocks of chunks that the segments are.
struct SegmentBlocks {
  Value level;     ///< a block is 2^level chunks
  Value numRows;   ///< rows of a block
  Value numBlocks; ///< blocks that hold rows: the first ones in walking order
  Value first;     ///< number of the first block in walking order
};

class SegmentedLoop {
public:
  SegmentedLoop(ChunkedOp op, const CarryPhases &phases, int64_t numSegments,
                RewriterBase &rewriter)
      : op(op), phases(phases), numSegments(numSegments), rewriter(rewriter),
        loc(op.getLoc()), starts(op.getNumCarries()),
        finals(op.getNumCarries()) {}

  void run();

private:
  using SegmentBody = llvm::function_ref<SmallVector<Value>(
      Value segment, ValueRange threaded)>;

  SegmentBlocks buildBlocks();
  Value buildLevel(Value first, Value last);
  Value buildBlockNumber(Value segment);
  std::pair<Value, Value> buildRows(Value segment);
  SmallVector<Value> buildSegmentLoop(Value from, Value to, ValueRange init,
                                      SegmentBody body);

  void buildPhase(unsigned phase);
  SmallVector<Value> buildSummaryWalk(ArrayRef<unsigned> along,
                                      ArrayRef<unsigned> folded,
                                      ValueRange neutral, Value segment);
  void buildSummaryBody(ChunkedOp walk, ArrayRef<unsigned> carries,
                        const BodySlice &slice);
  void buildStarts(unsigned carry, ValueRange summaries);
  void buildFinal(unsigned carry, ValueRange summaries);
  SmallVector<Value> buildReplay();

  SmallVector<Value> extract(ValueRange stacks, Value segment);
  SmallVector<Value> insert(ValueRange entries, ValueRange stacks,
                            Value segment);
  SmallVector<Value> buildStacks(TypeRange entries);
  SmallVector<Value> buildAct(unsigned carry, ValueRange dense,
                              ValueRange state, Value segment);
  SmallVector<Type> getDenseTypes(unsigned carry) {
    return op.getKind(carry).getDenseTypes(op.getCarryInits(carry).getTypes());
  }
  NumericsAttr getNumerics(unsigned carry);
  Value constant(int64_t value) {
    return arith::ConstantIndexOp::create(rewriter, loc, value);
  }

  ChunkedOp op;
  const CarryPhases &phases;
  int64_t numSegments;
  RewriterBase &rewriter;
  Location loc;
  SegmentBlocks blocks;
  /// Per carry, its states at the segments' starts, stacked.
  SmallVector<SmallVector<Value>> starts;
  /// Per carry, its final state where there is no replay.
  SmallVector<SmallVector<Value>> finals;
};
} // namespace

//===----------------------------------------------------------------------===//
// Blocks of chunks
//===----------------------------------------------------------------------===//

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
Value SegmentedLoop::buildLevel(Value first, Value last) {
  Value zero = constant(0);
  Value one = constant(1);
  Value limit = constant(numSegments);
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
      scf::WhileOp::create(rewriter, loc, TypeRange{rewriter.getIndexType()},
                           ValueRange{zero}, buildTest, buildNext);
  return loop.getResult(0);
}

SegmentBlocks SegmentedLoop::buildBlocks() {
  Value log = constant(llvm::Log2_64(op.getChunk()));
  Value chunk = constant(op.getChunk());
  Value zero = constant(0);
  Value one = constant(1);
  Value from = arith::MaxSIOp::create(rewriter, loc, op.getFrom(), zero);
  Value first = buildFloorShift(rewriter, loc, from, log);
  Value end = buildCeilShift(rewriter, loc, op.getTo(), log);
  Value some = arith::CmpIOp::create(rewriter, loc, arith::CmpIPredicate::slt,
                                     op.getFrom(), op.getTo());
  Value last = arith::SelectOp::create(rewriter, loc, some, end, first);
  SegmentBlocks result;
  result.level = buildLevel(first, last);
  Value begin = buildFloorShift(rewriter, loc, first, result.level);
  Value past = buildCeilShift(rewriter, loc, last, result.level);
  Value top = arith::SubIOp::create(rewriter, loc, past, one);
  result.numRows = arith::ShLIOp::create(rewriter, loc, chunk, result.level);
  result.numBlocks = arith::SubIOp::create(rewriter, loc, past, begin);
  result.first = op.getDescending() ? top : begin;
  return result;
}

Value SegmentedLoop::buildBlockNumber(Value segment) {
  if (op.getDescending())
    return arith::SubIOp::create(rewriter, loc, blocks.first, segment);
  return arith::AddIOp::create(rewriter, loc, blocks.first, segment);
}

/// The rows of a segment; none (`from` >= `to`) beyond the last block.
std::pair<Value, Value> SegmentedLoop::buildRows(Value segment) {
  Value block = buildBlockNumber(segment);
  Value begin = arith::MulIOp::create(rewriter, loc, block, blocks.numRows);
  Value end = arith::AddIOp::create(rewriter, loc, begin, blocks.numRows);
  Value from = arith::MaxSIOp::create(rewriter, loc, begin, op.getFrom());
  Value to = arith::MinSIOp::create(rewriter, loc, end, op.getTo());
  return {from, to};
}

SmallVector<Value> SegmentedLoop::buildSegmentLoop(Value from, Value to,
                                                   ValueRange init,
                                                   SegmentBody body) {
  Value step = constant(1);
  auto loop = scf::ForOp::create(rewriter, loc, from, to, step, init);
  OpBuilder::InsertionGuard guard(rewriter);
  rewriter.setInsertionPointToEnd(loop.getBody());
  SmallVector<Value> next =
      body(loop.getInductionVar(), loop.getRegionIterArgs());
  scf::YieldOp::create(rewriter, loc, next);
  return SmallVector<Value>(loop.getResults());
}

//===----------------------------------------------------------------------===//
// Stacks of a tensor a segment
//===----------------------------------------------------------------------===//

SmallVector<Value> SegmentedLoop::extract(ValueRange stacks, Value segment) {
  return llvm::map_to_vector(stacks, [&](Value stack) {
    return extractEntry(rewriter, loc, stack, segment);
  });
}

SmallVector<Value> SegmentedLoop::insert(ValueRange entries, ValueRange stacks,
                                         Value segment) {
  SmallVector<Value> result;
  for (auto [entry, stack] : llvm::zip_equal(entries, stacks))
    result.push_back(insertEntry(rewriter, loc, entry, stack, segment));
  return result;
}

SmallVector<Value> SegmentedLoop::buildStacks(TypeRange entries) {
  return llvm::map_to_vector(entries, [&](Type entry) -> Value {
    auto type = cast<RankedTensorType>(entry);
    SmallVector<int64_t> shape{numSegments};
    llvm::append_range(shape, type.getShape());
    return tensor::EmptyOp::create(rewriter, loc, shape, type.getElementType());
  });
}

//===----------------------------------------------------------------------===//
// A phase: summaries, then states at the segments' starts
//===----------------------------------------------------------------------===//

/// The numerics of the element's products; elements without products fold in
/// the state's type.
NumericsAttr SegmentedLoop::getNumerics(unsigned carry) {
  Operation *element = op.getNext().getElements()[carry].getDefiningOp();
  if (NumericsAttr numerics =
          cast<ElementOpInterface>(element).getElementNumerics())
    return numerics;
  auto state = cast<RankedTensorType>(op.getCarryInits(carry)[0].getType());
  bool isDouble = state.getElementType().isF64();
  return NumericsAttr::get(
      rewriter.getContext(), isDouble ? Precision::F64 : Precision::F32,
      isDouble ? rewriter.getF64Type() : rewriter.getF32Type());
}

/// Fills the body of a summary walk: the slice of the body that its elements
/// are made of.
void SegmentedLoop::buildSummaryBody(ChunkedOp walk, ArrayRef<unsigned> carries,
                                     const BodySlice &slice) {
  OpBuilder::InsertionGuard guard(rewriter);
  Block *block = rewriter.createBlock(&walk.getBody());
  IRMapping mapping;
  auto addArgument = [&](BlockArgument original) {
    mapping.map(original,
                block->addArgument(original.getType(), original.getLoc()));
  };
  addArgument(op.getChunkIndex());
  addArgument(op.getLiveFrom());
  addArgument(op.getLiveTo());
  for (BlockArgument argument : op.getSliceArgs())
    if (slice.arguments.contains(argument))
      addArgument(argument);
  // A summary's own state is read by no element of the walk.
  for (Value state : walk.getCarries())
    block->addArgument(state.getType(), loc);
  unsigned first = 0;
  for (unsigned carry : carries) {
    unsigned position = walk.getCarryRange(first).first;
    if (walk.getKind(first) == op.getKind(carry))
      for (auto [i, original] : llvm::enumerate(op.getCarryArgs(carry)))
        mapping.map(original, walk.getCarryArgs()[position + i]);
    ++first;
  }
  for (Operation *inner : slice.ops)
    rewriter.clone(*inner, mapping);
  auto elements = llvm::map_to_vector(carries, [&](unsigned carry) {
    return mapping.lookup(op.getNext().getElements()[carry]);
  });
  NextOp::create(rewriter, loc, ValueRange(), elements);
}

/// One segment's walk: carries of earlier phases acted along from their starts,
/// the others folded from neutral. Returns the summaries.
SmallVector<Value> SegmentedLoop::buildSummaryWalk(ArrayRef<unsigned> along,
                                                   ArrayRef<unsigned> folded,
                                                   ValueRange neutral,
                                                   Value segment) {
  auto [from, to] = buildRows(segment);
  SmallVector<unsigned> carries = llvm::to_vector(along);
  SmallVector<Value> inits;
  SmallVector<Attribute> kinds;
  for (unsigned carry : along) {
    llvm::append_range(inits, extract(starts[carry], segment));
    kinds.push_back(op.getKind(carry));
  }
  unsigned numActed = inits.size();
  llvm::append_range(inits, neutral);
  for (unsigned carry : folded) {
    carries.push_back(carry);
    auto states = llvm::to_vector(op.getCarryInits(carry).getTypes());
    kinds.push_back(
        SummaryAttr::get(rewriter.getContext(), op.getKind(carry), states));
  }
  BodySlice slice = getElementSlice(op, carries);
  SmallVector<Value> slices;
  for (auto [source, argument] :
       llvm::zip_equal(op.getSlices(), op.getSliceArgs()))
    if (slice.arguments.contains(argument))
      slices.push_back(source);
  auto walk =
      ChunkedOp::create(rewriter, loc, ValueRange(inits).getTypes(), from, to,
                        op.getChunk(), op.getDescending(), slices, inits,
                        rewriter.getArrayAttr(kinds), ValueRange());
  buildSummaryBody(walk, carries, slice);
  return SmallVector<Value>(walk.getFinalStates().drop_front(numActed));
}

SmallVector<Value> SegmentedLoop::buildAct(unsigned carry, ValueRange dense,
                                           ValueRange state, Value segment) {
  auto act = ActDenseOp::create(
      rewriter, loc, state.getTypes(), op.getKind(carry), dense, state,
      buildBlockNumber(segment), blocks.level, getNumerics(carry));
  return SmallVector<Value>(act.getResults());
}

/// The state at the start of segment 0 is the initial one, untouched by the
/// rounding of a neutral act.
void SegmentedLoop::buildStarts(unsigned carry, ValueRange summaries) {
  SmallVector<Value> init = llvm::to_vector(op.getCarryInits(carry));
  SmallVector<Value> stacks = buildStacks(ValueRange(init).getTypes());
  Value zero = constant(0);
  stacks = insert(init, stacks, zero);
  Value one = constant(1);
  Value end = constant(numSegments);
  if (!op.getKind(carry).isScannedByAction()) {
    auto prefixes = ExclusiveScanOp::create(rewriter, loc, summaries.getTypes(),
                                            op.getKind(carry), summaries,
                                            getNumerics(carry));
    starts[carry] = buildSegmentLoop(
        one, end, stacks, [&](Value segment, ValueRange threaded) {
          SmallVector<Value> dense = extract(prefixes.getResults(), segment);
          return insert(buildAct(carry, dense, init, segment), threaded,
                        segment);
        });
    return;
  }
  unsigned numStates = init.size();
  llvm::append_range(stacks, init);
  SmallVector<Value> scanned = buildSegmentLoop(
      one, end, stacks, [&](Value segment, ValueRange threaded) {
        Value before = arith::SubIOp::create(rewriter, loc, segment, one);
        SmallVector<Value> state =
            buildAct(carry, extract(summaries, before),
                     threaded.drop_front(numStates), before);
        SmallVector<Value> next =
            insert(state, threaded.take_front(numStates), segment);
        llvm::append_range(next, state);
        return next;
      });
  scanned.truncate(numStates);
  starts[carry] = scanned;
}

/// Without a replay: all summaries, combined, act on the initial state.
void SegmentedLoop::buildFinal(unsigned carry, ValueRange summaries) {
  auto all =
      CombineAllOp::create(rewriter, loc, getDenseTypes(carry),
                           op.getKind(carry), summaries, getNumerics(carry));
  finals[carry] =
      buildAct(carry, all.getResults(), op.getCarryInits(carry), constant(0));
}

void SegmentedLoop::buildPhase(unsigned phase) {
  SmallVector<unsigned> folded = phases.getCarries(phase);
  SmallVector<unsigned> along = phases.getCarriesActedAlong(phase);
  SmallVector<Value> neutral;
  for (unsigned carry : folded) {
    auto identity = IdentityOp::create(rewriter, loc, getDenseTypes(carry),
                                       op.getKind(carry));
    llvm::append_range(neutral, identity.getResults());
  }
  Value zero = constant(0);
  Value end = constant(numSegments);
  SmallVector<Value> summaries = buildSegmentLoop(
      zero, end, buildStacks(ValueRange(neutral).getTypes()),
      [&](Value segment, ValueRange threaded) {
        return insert(buildSummaryWalk(along, folded, neutral, segment),
                      threaded, segment);
      });
  ValueRange rest = summaries;
  bool replays = needsReplay(op);
  for (unsigned carry : folded) {
    unsigned count = getDenseTypes(carry).size();
    if (replays || phases.isRead(carry))
      buildStarts(carry, rest.take_front(count));
    if (!replays)
      buildFinal(carry, rest.take_front(count));
    rest = rest.drop_front(count);
  }
}

//===----------------------------------------------------------------------===//
// The replay
//===----------------------------------------------------------------------===//

/// The whole loop, segment by segment from the starts. Threads the outputs and
/// the last segment's final states; without rows both stay as they are.
SmallVector<Value> SegmentedLoop::buildReplay() {
  SmallVector<Value> init = llvm::to_vector(op.getOuts());
  llvm::append_range(init, op.getCarries());
  Value zero = constant(0);
  return buildSegmentLoop(
      zero, blocks.numBlocks, init, [&](Value segment, ValueRange threaded) {
        auto [from, to] = buildRows(segment);
        SmallVector<Value> states;
        for (ArrayRef<Value> start : starts)
          llvm::append_range(states, extract(start, segment));
        auto copy = cast<ChunkedOp>(rewriter.clone(*op.getOperation()));
        copy.getFromMutable().assign(from);
        copy.getToMutable().assign(to);
        copy.getCarriesMutable().assign(states);
        copy.getOutsMutable().assign(threaded.take_front(op.getOuts().size()));
        return SmallVector<Value>(copy.getResults());
      });
}

void SegmentedLoop::run() {
  rewriter.setInsertionPoint(op);
  blocks = buildBlocks();
  for (unsigned phase : llvm::seq_inclusive(1u, phases.getNumPhases()))
    buildPhase(phase);
  if (needsReplay(op)) {
    rewriter.replaceOp(op, buildReplay());
    return;
  }
  SmallVector<Value> results;
  for (ArrayRef<Value> state : finals)
    llvm::append_range(results, state);
  rewriter.replaceOp(op, results);
}

bool scanweft::needsReplay(ChunkedOp op) {
  return !op.getOuts().empty() ||
         llvm::any_of(llvm::seq(op.getNumCarries()), [&](unsigned carry) {
           return op.getKind(carry).isScannedByAction();
         });
}

void scanweft::cutIntoSegments(ChunkedOp op, const CarryPhases &phases,
                               int64_t numSegments, RewriterBase &rewriter) {
  SegmentedLoop(op, phases, numSegments, rewriter).run();
}
