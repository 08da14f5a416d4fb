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
//===----------------------------------------------------------------------===//

#include "passes/Schedule/SegmentedLoop.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "passes/Schedule/SegmentBlocks.h"
#include "passes/Schedule/SummaryWalk.h"
#include "scanweft/Support/TensorRows.h"

using namespace mlir;
using namespace scanweft;
using namespace scanweft::weft;

namespace {
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

  SmallVector<Value> buildSegmentLoop(Value from, Value to, ValueRange init,
                                      SegmentBody body);

  void buildPhase(unsigned phase);
  SmallVector<Value> buildSummaries(ArrayRef<unsigned> along,
                                    ArrayRef<unsigned> folded,
                                    ValueRange neutral, Value segment);
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
// Loops over segments
//===----------------------------------------------------------------------===//

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

/// One segment's walk: carries of earlier phases acted along from their starts,
/// the others folded from neutral. Returns the summaries.
SmallVector<Value> SegmentedLoop::buildSummaries(ArrayRef<unsigned> along,
                                                 ArrayRef<unsigned> folded,
                                                 ValueRange neutral,
                                                 Value segment) {
  SmallVector<Value> inits;
  for (unsigned carry : along)
    llvm::append_range(inits, extract(starts[carry], segment));
  unsigned numActed = inits.size();
  llvm::append_range(inits, neutral);
  ChunkedOp walk =
      buildSummaryWalk(op, along, folded, inits,
                       blocks.buildRows(rewriter, op, segment), rewriter);
  return SmallVector<Value>(walk.getFinalStates().drop_front(numActed));
}

SmallVector<Value> SegmentedLoop::buildAct(unsigned carry, ValueRange dense,
                                           ValueRange state, Value segment) {
  auto act = ActDenseOp::create(rewriter, loc, state.getTypes(),
                                op.getKind(carry), dense, state,
                                blocks.buildNumber(rewriter, loc, segment),
                                blocks.level, getNumerics(carry));
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
        return insert(buildSummaries(along, folded, neutral, segment), threaded,
                      segment);
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
        auto [from, to] = blocks.buildRows(rewriter, op, segment);
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
  blocks = SegmentBlocks::build(rewriter, op, numSegments);
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
