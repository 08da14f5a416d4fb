// Part of Scanweft, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

//===----------------------------------------------------------------------===//
// The loop over chunks as an scf.for. Per chunk:
//
//   live rows of a slice  ->  inserted into C zero rows
//   body                  ->  as it is
//   element of a carry    ->  the kind's act on rows; the state is threaded
//   rows of output        ->  the live ones inserted into the threaded output
//
// A chunk of C rows is the same code whether all of them live or one does.
//===----------------------------------------------------------------------===//

#include "dialects/Weft/IR/Weft.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/PatternMatch.h"
#include "passes/CPU/KernelLoops.h"
#include "passes/CPU/Passes.h"
#include "passes/CPU/StatisticsCalls.h"
#include "scanweft/Support/ChunkRange.h"
#include "scanweft/Support/TensorRows.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Support/MathExtras.h"

namespace scanweft {
#define GEN_PASS_DEF_LOWERCHUNKED
#include "passes/CPU/Passes.h.inc"
} // namespace scanweft

using namespace mlir;
using namespace scanweft;
using namespace scanweft::weft;

namespace {
/// Emits one loop.
class ChunkedLowering {
public:
  ChunkedLowering(ChunkedOp op, IRRewriter &rewriter,
                  StatisticsCalls &statistics)
      : op(op), rewriter(rewriter), loc(op.getLoc()), statistics(statistics),
        axis{op.getFrom(), op.getTo(), static_cast<int64_t>(op.getChunk())} {}

  void run();

private:
  Value buildSlice(Value source, Type chunkType, const ChunkRange &range);
  SmallVector<Value> buildStates(NextOp next, ValueRange states, Value number);
  SmallVector<Value> buildOuts(NextOp next, ValueRange outs,
                               const ChunkRange &range);
  void buildBody(scf::ForOp loop, Value first, Value last);

  Value constant(int64_t value) {
    return arith::ConstantIndexOp::create(rewriter, loc, value);
  }

  ChunkedOp op;
  IRRewriter &rewriter;
  Location loc;
  StatisticsCalls &statistics;
  ChunkedAxis axis;
};
} // namespace

Value ChunkedLowering::buildSlice(Value source, Type chunkType,
                                  const ChunkRange &range) {
  auto type = cast<RankedTensorType>(chunkType);
  Value live =
      extractRows(rewriter, loc, source, range.firstRow, range.liveCount);
  Value empty = tensor::EmptyOp::create(rewriter, loc, type.getShape(),
                                        type.getElementType());
  Value zero = arith::ConstantOp::create(
      rewriter, loc, rewriter.getZeroAttr(type.getElementType()));
  Value zeros = linalg::FillOp::create(rewriter, loc, zero, empty).getResult(0);
  return insertRows(rewriter, loc, live, zeros, range.liveFrom,
                    range.liveCount);
}

SmallVector<Value> ChunkedLowering::buildStates(NextOp next, ValueRange states,
                                                Value number) {
  SmallVector<Value> after;
  for (auto [carry, element] : llvm::enumerate(next.getElements())) {
    auto [first, count] = op.getCarryRange(carry);
    CarryKindInterface kind = op.getKind(carry);
    if (kind.isSummary())
      statistics.count(rewriter, loc, Counter::FoldCombines);
    llvm::append_range(
        after, kind.buildActOnRows(rewriter, loc, element.getDefiningOp(),
                                   states.slice(first, count), number));
  }
  return after;
}

SmallVector<Value> ChunkedLowering::buildOuts(NextOp next, ValueRange outs,
                                              const ChunkRange &range) {
  SmallVector<Value> after;
  for (auto [rows, out] : llvm::zip_equal(next.getRows(), outs)) {
    Value live =
        extractRows(rewriter, loc, rows, range.liveFrom, range.liveCount);
    after.push_back(
        insertRows(rewriter, loc, live, out, range.firstRow, range.liveCount));
  }
  return after;
}

void ChunkedLowering::buildBody(scf::ForOp loop, Value first, Value last) {
  Block *block = loop.getBody();
  rewriter.setInsertionPointToEnd(block);
  Value number = buildChunkNumber(rewriter, loc, loop.getInductionVar(), first,
                                  last, op.getDescending());
  ChunkRange range = buildChunkRange(rewriter, loc, axis, number);
  ValueRange threaded = loop.getRegionIterArgs();
  ValueRange outs = threaded.take_front(op.getOuts().size());
  ValueRange states = threaded.drop_front(op.getOuts().size());
  SmallVector<Value> arguments{range.number, range.liveFrom, range.liveTo};
  for (auto [source, chunk] :
       llvm::zip_equal(op.getSlices(), op.getSliceArgs()))
    arguments.push_back(buildSlice(source, chunk.getType(), range));
  llvm::append_range(arguments, states);

  NextOp next = op.getNext();
  rewriter.inlineBlockBefore(&op.getBody().front(), block, block->end(),
                             arguments);
  rewriter.setInsertionPoint(next);
  statistics.count(rewriter, loc, Counter::Chunks);
  SmallVector<Value> results = buildOuts(next, outs, range);
  llvm::append_range(results, buildStates(next, states, range.number));
  // One element may serve several carries.
  llvm::SmallSetVector<Operation *, 4> makers;
  for (Value element : next.getElements())
    makers.insert(element.getDefiningOp());
  rewriter.replaceOpWithNewOp<scf::YieldOp>(next, results);
  for (Operation *maker : makers)
    if (maker->use_empty())
      rewriter.eraseOp(maker);
}

void ChunkedLowering::run() {
  rewriter.setInsertionPoint(op);
  auto [first, last] = buildChunkBounds(rewriter, loc, axis);
  SmallVector<Value> threaded = llvm::to_vector(op.getOuts());
  llvm::append_range(threaded, op.getCarries());
  Value step = constant(1);
  auto loop = scf::ForOp::create(rewriter, loc, first, last, step, threaded);
  buildBody(loop, first, last);
  rewriter.replaceOp(op, loop.getResults());
}

/// Elements are expanded from the op that makes them.
static LogicalResult checkElements(ChunkedOp op) {
  for (auto [i, element] : llvm::enumerate(op.getNext().getElements()))
    if (!isa_and_present<ElementOpInterface>(element.getDefiningOp()))
      return op.getNext().emitOpError("element #")
             << i << " is not the result of an element op: "
             << "an element is expanded from the op that makes it";
  return success();
}

/// Where a body asks for the rows of its chunks, the number.
static void replaceChunkSizes(ChunkedOp op, IRRewriter &rewriter) {
  for (ChunkSizeOp size :
       llvm::make_early_inc_range(op.getBody().getOps<ChunkSizeOp>())) {
    rewriter.setInsertionPoint(size);
    rewriter.replaceOpWithNewOp<arith::ConstantIndexOp>(size, op.getChunk());
  }
}

namespace {
struct LowerChunkedPass : scanweft::impl::LowerChunkedBase<LowerChunkedPass> {
  using LowerChunkedBase::LowerChunkedBase;

  void runOnOperation() override {
    StatisticsCalls calls(getOperation(), statistics);
    IRRewriter rewriter(&getContext());
    SmallVector<ChunkedOp> loops;
    getOperation().walk([&](ChunkedOp op) { loops.push_back(op); });
    for (ChunkedOp op : loops)
      if (failed(checkElements(op)))
        return signalPassFailure();
    for (ChunkedOp op : loops)
      replaceChunkSizes(op, rewriter);
    for (ChunkedOp op : loops)
      ChunkedLowering(op, rewriter, calls).run();
    SmallVector<KernelOp> kernels;
    getOperation().walk([&](KernelOp op) { kernels.push_back(op); });
    for (KernelOp op : kernels)
      lowerKernel(op, rewriter);
  }
};
} // namespace
