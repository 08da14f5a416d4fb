// Part of Scanweft, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "passes/Schedule/CarryPhases.h"
#include "llvm/ADT/BitVector.h"

using namespace mlir;
using namespace scanweft;
using namespace scanweft::weft;

/// The op's ancestor in `block`, or null.
static Operation *getAncestor(Block *block, Value value) {
  Operation *definition = value.getDefiningOp();
  return definition ? block->findAncestorOpInBlock(*definition) : nullptr;
}

BodySlice scanweft::getElementSlice(ChunkedOp op, ArrayRef<unsigned> carries) {
  Block *body = &op.getBody().front();
  llvm::DenseSet<Operation *> found;
  BodySlice slice;
  SmallVector<Value> pending;
  for (unsigned carry : carries)
    pending.push_back(op.getNext().getElements()[carry]);
  while (!pending.empty()) {
    Value value = pending.pop_back_val();
    if (auto argument = dyn_cast<BlockArgument>(value))
      if (argument.getOwner() == body)
        slice.arguments.insert(argument);
    Operation *maker = getAncestor(body, value);
    if (!maker || !found.insert(maker).second)
      continue;
    maker->walk([&](Operation *inner) {
      llvm::append_range(pending, inner->getOperands());
    });
  }
  for (Operation &inner : body->without_terminator())
    if (found.contains(&inner))
      slice.ops.insert(&inner);
  return slice;
}

/// The carries whose states are among `arguments`, in order.
static SmallVector<unsigned> getStates(ChunkedOp op, const BodySlice &slice) {
  SmallVector<unsigned> carries;
  for (unsigned carry : llvm::seq(op.getNumCarries()))
    if (llvm::any_of(op.getCarryArgs(carry), [&](BlockArgument state) {
          return slice.arguments.contains(state);
        }))
      carries.push_back(carry);
  return carries;
}

CarryPhases::CarryPhases(ChunkedOp op) {
  for (unsigned carry : llvm::seq(op.getNumCarries())) {
    reads.push_back(getStates(op, getElementSlice(op, carry)));
    unsigned phase = 1;
    for (unsigned read : reads.back()) {
      if (read >= carry) {
        cycle = {carry, read};
        return;
      }
      phase = std::max(phase, phases[read] + 1);
    }
    phases.push_back(phase);
    numPhases = std::max(numPhases, phase);
  }
}

SmallVector<unsigned> CarryPhases::getCarries(unsigned phase) const {
  SmallVector<unsigned> carries;
  for (unsigned carry : llvm::seq<unsigned>(phases.size()))
    if (phases[carry] == phase)
      carries.push_back(carry);
  return carries;
}

SmallVector<unsigned> CarryPhases::getCarriesActedAlong(unsigned phase) const {
  llvm::BitVector needed(phases.size());
  SmallVector<unsigned> pending = getCarries(phase);
  while (!pending.empty())
    for (unsigned read : reads[pending.pop_back_val()])
      if (!needed.test(read)) {
        needed.set(read);
        pending.push_back(read);
      }
  SmallVector<unsigned> carries;
  for (unsigned carry : needed.set_bits())
    carries.push_back(carry);
  return carries;
}

bool CarryPhases::isRead(unsigned carry) const {
  return llvm::any_of(reads, [&](ArrayRef<unsigned> read) {
    return llvm::is_contained(read, carry);
  });
}
