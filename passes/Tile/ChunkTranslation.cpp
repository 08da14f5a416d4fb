// Part of Scanweft, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

//===----------------------------------------------------------------------===//
// The loop over chunks in a program over global memory: an scf.for that carries
// the states. A slice of a chunk is a load whose dead rows are zero; a row
// output is stored, live rows only, to each of its placements.
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "passes/Tile/ProgramTranslation.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace scanweft;
using namespace scanweft::weft;

LogicalResult ProgramTranslation::storeRows(ChunkedOp op,
                                            const ChunkRange &range) {
  NextOp next = op.getNext();
  for (auto [placement, output] :
       llvm::zip_equal(place.getPlacements(), outputs)) {
    auto result = dyn_cast<OpResult>(placement.value);
    if (!result || result.getOwner() != op ||
        result.getResultNumber() >= op.getOuts().size())
      continue;
    if (placement.rows)
      return place.emitOpError()
             << "places rows of a loop over chunks by index: they are placed "
                "in order, and rows by index are made of a final state";
    FailureOr<Value> tile = getTile(next.getRows()[result.getResultNumber()]);
    FailureOr<Value> target = buildTarget(placement, output, op.getLoc());
    if (failed(tile) || failed(target))
      return failure();
    auto store = [&](OpBuilder &inner) {
      wtile::StoreOp::create(inner, next.getLoc(), *tile, *target, range.start,
                             range.liveFrom, range.liveTo);
    };
    if (failed(storeIf(placement, op.getLoc(), store)))
      return failure();
  }
  return success();
}

FailureOr<SmallVector<Value>>
ProgramTranslation::buildStates(ChunkedOp op, ValueRange states, Value number) {
  SmallVector<Value> after;
  for (auto [carry, element] : llvm::enumerate(op.getNext().getElements())) {
    auto [first, count] = op.getCarryRange(carry);
    Value copy = values.lookup(element);
    llvm::append_range(after, op.getKind(carry).buildActOnRows(
                                  builder, op.getLoc(), copy.getDefiningOp(),
                                  states.slice(first, count), number));
  }
  // Elements have been expanded; one may serve several carries.
  llvm::SmallSetVector<Operation *, 4> makers;
  for (Value element : op.getNext().getElements())
    makers.insert(values.lookup(element).getDefiningOp());
  for (Operation *maker : makers)
    maker->erase();
  return after;
}

LogicalResult ProgramTranslation::translateChunk(ChunkedOp op, Value turn,
                                                 ValueRange bounds,
                                                 ValueRange states) {
  Location loc = op.getLoc();
  ChunkedAxis axis{values.lookup(op.getFrom()), values.lookup(op.getTo()),
                   static_cast<int64_t>(op.getChunk())};
  Value number = buildChunkNumber(builder, loc, turn, bounds[0], bounds[1],
                                  op.getDescending());
  ChunkRange range = buildChunkRange(builder, loc, axis, number);
  values.map(op.getChunkIndex(), number);
  values.map(op.getLiveFrom(), range.liveFrom);
  values.map(op.getLiveTo(), range.liveTo);
  for (auto [source, chunk] :
       llvm::zip_equal(op.getSlices(), op.getSliceArgs())) {
    FailureOr<Value> view = getView(source, op);
    if (failed(view))
      return failure();
    values.map(chunk, wtile::LoadOp::create(builder, loc, chunk.getType(),
                                            *view, range.start, range.liveFrom,
                                            range.liveTo, Value())
                          .getResult());
  }
  values.map(op.getCarryArgs(), states);
  for (Operation &inner : op.getBody().front().without_terminator()) {
    auto size = dyn_cast<ChunkSizeOp>(inner);
    if (size)
      values.map(
          size.getResult(),
          arith::ConstantIndexOp::create(builder, loc, axis.chunk).getResult());
    else if (failed(translate(inner)))
      return failure();
  }
  if (failed(storeRows(op, range)))
    return failure();
  FailureOr<SmallVector<Value>> after = buildStates(op, states, number);
  if (failed(after))
    return failure();
  scf::YieldOp::create(builder, loc, *after);
  return success();
}

LogicalResult ProgramTranslation::translateChunked(ChunkedOp op) {
  Location loc = op.getLoc();
  SmallVector<Value> states;
  for (Value carry : op.getCarries()) {
    FailureOr<Value> state = getTile(carry);
    if (failed(state))
      return failure();
    states.push_back(*state);
  }
  FailureOr<Value> from = getValue(op.getFrom());
  FailureOr<Value> to = getValue(op.getTo());
  if (failed(from) || failed(to))
    return failure();
  // What the loop reads is made before it.
  for (Value source : op.getSlices())
    if (failed(getValue(source)))
      return failure();
  ChunkedAxis axis{*from, *to, static_cast<int64_t>(op.getChunk())};
  auto bounds = buildChunkBounds(builder, loc, axis);
  Value step = arith::ConstantIndexOp::create(builder, loc, 1);
  auto loop = scf::ForOp::create(builder, loc, bounds.first, bounds.second,
                                 step, states);
  {
    OpBuilder::InsertionGuard guard(builder);
    if (states.empty()) // the builder gave the body a terminator
      loop.getBody()->getTerminator()->erase();
    builder.setInsertionPointToEnd(loop.getBody());
    if (failed(translateChunk(op, loop.getInductionVar(),
                              {bounds.first, bounds.second},
                              loop.getRegionIterArgs())))
      return failure();
  }
  for (auto [result, state] :
       llvm::zip_equal(op.getFinalStates(), loop.getResults()))
    values.map(result, state);
  return success();
}
