// Part of Scanweft, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "passes/Schedule/SummaryWalk.h"
#include "mlir/IR/IRMapping.h"
#include "passes/Schedule/CarryPhases.h"

using namespace mlir;
using namespace scanweft;
using namespace scanweft::weft;

/// Adds the walk's arguments, mapped to those of the loop that the slice reads.
/// A summary's own state is read by no element of the walk.
static void addArguments(ChunkedOp op, ChunkedOp walk, Block *block,
                         ArrayRef<unsigned> along, const BodySlice &slice,
                         IRMapping &mapping) {
  auto add = [&](BlockArgument original) {
    mapping.map(original,
                block->addArgument(original.getType(), original.getLoc()));
  };
  add(op.getChunkIndex());
  add(op.getLiveFrom());
  add(op.getLiveTo());
  for (BlockArgument argument : op.getSliceArgs())
    if (slice.arguments.contains(argument))
      add(argument);
  unsigned numActed = 0;
  for (unsigned carry : along)
    for (BlockArgument state : op.getCarryArgs(carry)) {
      add(state);
      ++numActed;
    }
  for (Value state : walk.getCarries().drop_front(numActed))
    block->addArgument(state.getType(), walk.getLoc());
}

static void buildBody(ChunkedOp op, ChunkedOp walk, ArrayRef<unsigned> along,
                      ArrayRef<unsigned> carries, const BodySlice &slice,
                      RewriterBase &rewriter) {
  OpBuilder::InsertionGuard guard(rewriter);
  Block *block = rewriter.createBlock(&walk.getBody());
  IRMapping mapping;
  addArguments(op, walk, block, along, slice, mapping);
  for (Operation *inner : slice.ops)
    rewriter.clone(*inner, mapping);
  NextOp next = op.getNext();
  auto elements = llvm::map_to_vector(carries, [&](unsigned carry) {
    return mapping.lookupOrDefault(Value(next.getElements()[carry]));
  });
  NextOp::create(rewriter, next.getLoc(), ValueRange(), elements);
}

ChunkedOp scanweft::buildSummaryWalk(ChunkedOp op, ArrayRef<unsigned> along,
                                     ArrayRef<unsigned> folded,
                                     ValueRange inits,
                                     std::pair<Value, Value> rows,
                                     RewriterBase &rewriter) {
  SmallVector<Attribute> kinds;
  for (unsigned carry : along)
    kinds.push_back(op.getKind(carry));
  for (unsigned carry : folded) {
    auto states = llvm::to_vector(op.getCarryInits(carry).getTypes());
    kinds.push_back(
        SummaryAttr::get(rewriter.getContext(), op.getKind(carry), states));
  }
  SmallVector<unsigned> carries = llvm::to_vector(along);
  llvm::append_range(carries, folded);
  BodySlice slice = getElementSlice(op, carries);
  SmallVector<Value> slices;
  for (auto [source, argument] :
       llvm::zip_equal(op.getSlices(), op.getSliceArgs()))
    if (slice.arguments.contains(argument))
      slices.push_back(source);
  auto walk =
      ChunkedOp::create(rewriter, op.getLoc(), inits.getTypes(), rows.first,
                        rows.second, op.getChunk(), op.getDescending(), slices,
                        inits, rewriter.getArrayAttr(kinds), ValueRange());
  buildBody(op, walk, along, carries, slice, rewriter);
  return walk;
}
