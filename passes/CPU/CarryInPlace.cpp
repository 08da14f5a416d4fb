// Part of Scanweft, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

//===----------------------------------------------------------------------===//
// Bufferization wants the tensor that a loop yields in the buffer of the one it
// carries. Where the yielded tensor is not already a chain of insertions into
// the carried one, this pass writes it there:
//
//   scf.for iter_args(%a = ...)            scf.for iter_args(%a = ...)
//     %b = linalg.generic ... outs(%e)  ->   %b = linalg.generic ... outs(%e)
//     scf.yield %b                           %c = materialize %b in %a
//                                            scf.yield %c
//
// A long loop then runs in the memory of one turn. And every loop starts from
// buffers of its own: contents of a tensor.empty count as undefined, so that
// two loop operands that are one tensor.empty would come to share one buffer.
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Interfaces/DestinationStyleOpInterface.h"
#include "passes/CPU/Passes.h"

namespace scanweft {
#define GEN_PASS_DEF_CARRYINPLACE
#include "passes/CPU/Passes.h.inc"
} // namespace scanweft

using namespace mlir;

/// The tensor whose buffer `value` takes over from its op; null where the op
/// makes a buffer of its own. Loops carry in place, as this pass makes them.
static Value getDestination(OpResult value) {
  Operation *op = value.getOwner();
  if (auto loop = dyn_cast<scf::ForOp>(op))
    return loop.getTiedLoopInit(value)->get();
  if (auto style = dyn_cast<DestinationStyleOpInterface>(op))
    return style.getTiedOpOperand(value)->get();
  return {};
}

/// Whether `user` may run after `op`. In another branch it does not.
static bool isAfter(Operation *user, Operation *op) {
  Operation *ancestor = op->getBlock()->findAncestorOpInBlock(*user);
  while (!ancestor) {
    op = op->getParentOp();
    ancestor = op->getBlock()->findAncestorOpInBlock(*user);
  }
  if (ancestor == op)
    return user == op || !isa<scf::IfOp>(op);
  return op->isBeforeInBlock(ancestor);
}

/// Whether an op may write its result over `destination`: nothing else reads
/// that afterwards.
static bool mayOverwrite(Value destination, OpResult result) {
  Operation *op = result.getOwner();
  unsigned ownUses = 0;
  for (OpOperand &use : destination.getUses()) {
    if (use.getOwner() == op)
      ++ownUses;
    else if (isAfter(use.getOwner(), op))
      return false;
  }
  return ownUses == 1;
}

/// Whether `value` is made of `carried` by ops that work in place.
static bool isMadeInPlace(Value value, Value carried) {
  while (value != carried) {
    auto result = dyn_cast<OpResult>(value);
    if (!result)
      return false;
    if (auto branch = dyn_cast<scf::IfOp>(result.getOwner())) {
      unsigned number = result.getResultNumber();
      return isMadeInPlace(branch.thenYield().getOperand(number), carried) &&
             isMadeInPlace(branch.elseYield().getOperand(number), carried);
    }
    value = getDestination(result);
    if (!value || !mayOverwrite(value, result))
      return false;
  }
  return true;
}

/// Gives `loop` its own tensor.empty where it starts from one with other uses.
static void separateEmptyInits(scf::ForOp loop) {
  OpBuilder builder(loop);
  for (OpOperand &init : loop.getInitArgsMutable())
    if (auto empty = init.get().getDefiningOp<tensor::EmptyOp>())
      if (!empty->hasOneUse())
        init.set(builder.clone(*empty)->getResult(0));
}

static void carryInPlace(scf::ForOp loop) {
  separateEmptyInits(loop);
  Operation *yield = loop.getBody()->getTerminator();
  OpBuilder builder(yield);
  for (OpOperand &operand : yield->getOpOperands()) {
    Value carried = loop.getRegionIterArg(operand.getOperandNumber());
    if (!isa<RankedTensorType>(carried.getType()) ||
        isMadeInPlace(operand.get(), carried))
      continue;
    operand.set(
        bufferization::MaterializeInDestinationOp::create(
            builder, loop.getLoc(), carried.getType(), operand.get(), carried)
            .getResult());
  }
}

namespace {
struct CarryInPlace : scanweft::impl::CarryInPlaceBase<CarryInPlace> {
  // Inner loops first: an outer one relies on them.
  void runOnOperation() override { getOperation().walk(carryInPlace); }
};
} // namespace
