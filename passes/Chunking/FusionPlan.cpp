// Part of Scanweft, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "passes/Chunking/FusionPlan.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace scanweft;
using weft::Axis;

static bool isConstant(Operation *op) { return matchPattern(op, m_Constant()); }

SmallVector<Operation *> scanweft::inBlockOrder(const FusionPlan::Ops &ops) {
  SmallVector<Operation *> sorted = llvm::to_vector(ops);
  llvm::sort(sorted, [](Operation *first, Operation *second) {
    return first->isBeforeInBlock(second);
  });
  return sorted;
}

FusionPlan::FusionPlan(Block &block, const AlgebraAxes &axes)
    : block(block), axes(axes) {
  joinScans();
  for (unsigned group : llvm::seq<unsigned>(groups.size()))
    addProducers(group, groups[group].members.getArrayRef());
  for (unsigned group : llvm::seq<unsigned>(groups.size()))
    addConsumers(group);
  noteNeeded();
  groupTheRest();
}

//===----------------------------------------------------------------------===//
// The graph of the block
//===----------------------------------------------------------------------===//

/// Ops of the block that `op`, or an op inside it, reads.
FusionPlan::Ops FusionPlan::getProducers(Operation *op) const {
  Ops producers;
  op->walk([&](Operation *inner) {
    for (Value operand : inner->getOperands())
      if (Operation *producer = operand.getDefiningOp())
        if (producer->getBlock() == &block)
          producers.insert(producer);
  });
  return producers;
}

FusionPlan::Ops FusionPlan::getConsumers(Operation *op) const {
  Ops consumers;
  for (Operation *user : op->getUsers())
    if (Operation *consumer = block.findAncestorOpInBlock(*user))
      consumers.insert(consumer);
  return consumers;
}

/// What depends on `start`, where a group depends on a value as a whole; ops of
/// `start` itself only where the way to them leaves it.
FusionPlan::Ops FusionPlan::getReached(const Ops &start) const {
  Ops reached;
  SmallVector<Operation *> work;
  auto reach = [&](Operation *from) {
    for (Operation *consumer : getConsumers(from)) {
      bool leaves = !start.contains(consumer) || !start.contains(from);
      if (leaves && reached.insert(consumer))
        work.push_back(consumer);
    }
  };
  llvm::for_each(start, reach);
  while (!work.empty()) {
    Operation *op = work.pop_back_val();
    if (start.contains(op))
      continue;
    reach(op);
    if (const Group *owner = getOwner(op))
      for (Operation *member : owner->members)
        if (!start.contains(member) && reached.insert(member))
          work.push_back(member);
  }
  return reached;
}

bool FusionPlan::closesCycle(unsigned group, const Ops &more) const {
  Ops all = groups[group].members;
  all.insert_range(more);
  Ops reached = getReached(all);
  return llvm::any_of(all, [&](Operation *op) { return reached.contains(op); });
}

/// Ops on the ways from a group to `op`, without both.
FusionPlan::Ops FusionPlan::getBetween(unsigned group, Operation *op) const {
  Ops reached = getReached(groups[group].members);
  Ops between;
  SmallVector<Operation *> work{op};
  while (!work.empty())
    for (Operation *producer : getProducers(work.pop_back_val()))
      if (reached.contains(producer) && !groups[group].contains(producer) &&
          between.insert(producer))
        work.push_back(producer);
  return between;
}

const FusionPlan::Group *FusionPlan::getOwner(Operation *op) const {
  auto owner = owners.find(op);
  return owner == owners.end() ? nullptr : &groups[owner->second];
}

bool FusionPlan::isCopied(Operation *op) const {
  return llvm::any_of(
      groups, [&](const Group &group) { return group.copies.contains(op); });
}

void FusionPlan::noteNeeded() {
  needed.clear();
  for (Operation &op : llvm::reverse(block)) {
    if (op.hasTrait<OpTrait::IsTerminator>() || !isMemoryEffectFree(&op)) {
      needed.insert(&op);
      continue;
    }
    auto needsOriginal = [&](Operation *consumer) {
      if (const Group *owner = getOwner(consumer))
        return !owner->contains(&op);
      bool isMadeInGroup = llvm::any_of(groups, [&](const Group &group) {
        return group.copies.contains(consumer) && !group.contains(&op);
      });
      return isMadeInGroup || needed.contains(consumer);
    };
    if (llvm::any_of(getConsumers(&op), needsOriginal))
      needed.insert(&op);
  }
}

bool FusionPlan::isReadOutside(Value result) const {
  Operation *op = result.getDefiningOp();
  const Group *own = getOwner(op);
  return llvm::any_of(result.getUsers(), [&](Operation *user) {
    Operation *consumer = block.findAncestorOpInBlock(*user);
    if (!consumer)
      return true;
    bool isReadByGroup = llvm::any_of(groups, [&](const Group &group) {
      return &group != own && group.contains(consumer) && !group.contains(op);
    });
    return isReadByGroup || (!isOwned(consumer) && isNeeded(consumer));
  });
}

//===----------------------------------------------------------------------===//
// Adding ops to groups
//===----------------------------------------------------------------------===//

/// Why some step would need a value that is known after the last one.
WhyNot FusionPlan::whyNotOrdered(const Group &group, const Ops &more) const {
  Ops all = group.members;
  all.insert_range(group.copies);
  all.insert_range(more);
  FinalValues finals(axes);
  for (Operation *op : inBlockOrder(all))
    if (WhyNot reason = finals.visit(op))
      return reason;
  return std::nullopt;
}

WhyNot FusionPlan::tryAdd(unsigned number, const Ops &ops) {
  Group &group = groups[number];
  LaunchShape shape = group.shape;
  for (Operation *op : ops) {
    if (WhyNot reason = whyNotInGroup(op, axes))
      return reason;
    if (WhyNot reason = shape.join(op, axes))
      return reason;
  }
  if (WhyNot reason = whyNotOrdered(group, ops))
    return reason;
  if (closesCycle(number, ops))
    return "one launch would need a value that another makes of its own";
  group.shape = shape;
  group.members.insert_range(ops);
  for (Operation *op : ops)
    owners[op] = number;
  return std::nullopt;
}

/// Whether a producer is made anew in the group rather than moved there.
bool FusionPlan::isShared(unsigned group, Operation *op) const {
  return llvm::any_of(op->getResults(), [&](Value result) {
    return !axes.isToken(result) ||
           groups[group].shape.lacksProgramAxis(result, axes);
  });
}

WhyNot FusionPlan::tryCopy(unsigned number, Operation *op) {
  Group &group = groups[number];
  LaunchShape shape = group.shape;
  if (WhyNot reason = whyNotInGroup(op, axes))
    return reason;
  if (WhyNot reason = shape.join(op, axes))
    return reason;
  Ops more;
  more.insert(op);
  if (WhyNot reason = whyNotOrdered(group, more))
    return reason;
  group.shape = shape;
  group.copies.insert(op);
  return std::nullopt;
}

void FusionPlan::addProducers(unsigned group, ArrayRef<Operation *> start) {
  SmallVector<Operation *> work(start);
  while (!work.empty())
    for (Operation *producer : getProducers(work.pop_back_val())) {
      if (groups[group].contains(producer) || isConstant(producer) ||
          asScan(producer))
        continue;
      Ops ops;
      ops.insert(producer);
      bool isAdded = isShared(group, producer) ? !tryCopy(group, producer)
                     : !isOwned(producer)      ? !tryAdd(group, ops)
                                               : false;
      if (isAdded)
        work.push_back(producer);
    }
}

void FusionPlan::addConsumers(unsigned group) {
  Ops visited;
  auto findNext = [&]() -> Operation * {
    Ops candidates;
    for (Operation *member : groups[group].members)
      for (Operation *consumer : getConsumers(member))
        if (!isOwned(consumer) && !asScan(consumer) &&
            (!isCopied(consumer) || isNeeded(consumer)) &&
            !consumer->hasTrait<OpTrait::IsTerminator>() &&
            !visited.contains(consumer))
          candidates.insert(consumer);
    return candidates.empty() ? nullptr : inBlockOrder(candidates).front();
  };
  while (Operation *consumer = findNext()) {
    visited.insert(consumer);
    Ops ops;
    ops.insert(consumer);
    if (!tryAdd(group, ops))
      addProducers(group, consumer);
  }
}

void FusionPlan::groupTheRest() {
  for (Operation &op : block) {
    if (isOwned(&op) || asScan(&op) || isConstant(&op) ||
        !touchesTokens(&op, axes) || whyNotInGroup(&op, axes) || !isNeeded(&op))
      continue;
    unsigned group = groups.size();
    groups.emplace_back();
    Ops ops;
    ops.insert(&op);
    if (tryAdd(group, ops) || !groups[group].shape.time) {
      owners.erase(&op);
      groups.pop_back();
      continue;
    }
    addProducers(group, &op);
    addConsumers(group);
    noteNeeded();
  }
}

//===----------------------------------------------------------------------===//
// Scans
//===----------------------------------------------------------------------===//

/// Takes a scan into a group, with the token-wise ops between them.
WhyNot FusionPlan::tryJoin(unsigned group, Operation *scan) {
  LaunchShape shape = groups[group].shape;
  if (WhyNot reason = shape.join(scan, axes))
    return reason;
  Ops ops = getBetween(group, scan);
  for (Operation *op : ops)
    if (isOwned(op) || asScan(op))
      return "'" + op->getName().getStringRef().str() +
             "' of another launch stands between them";
  ops.insert(scan);
  return tryAdd(group, ops);
}

void FusionPlan::joinScans() {
  for (Operation &op : block) {
    if (!asScan(&op) || whyNotInGroup(&op, axes))
      continue;
    bool isJoined = false;
    for (unsigned group : llvm::seq<unsigned>(groups.size())) {
      WhyNot reason = tryJoin(group, &op);
      isJoined = !reason;
      if (isJoined)
        break;
      if (groups[group].shape.time ==
          axes.findClass(op.getResult(0), Axis::Time))
        apart.push_back({groups[group].members.front(), &op, *reason});
    }
    if (isJoined)
      continue;
    unsigned group = groups.size();
    groups.emplace_back();
    Ops ops;
    ops.insert(&op);
    if (tryAdd(group, ops))
      groups.pop_back();
  }
}

std::string FusionPlan::whyApart(Operation *producer,
                                 Operation *consumer) const {
  for (Operation *op : {producer, consumer})
    if (WhyNot reason = whyNotInGroup(op, axes))
      return *reason;
  const Group *first = getOwner(producer);
  const Group *second = getOwner(consumer);
  if (first && second) {
    LaunchShape shape = first->shape;
    if (WhyNot reason = shape.join(second->shape, axes))
      return *reason;
    if (WhyNot reason = whyNotOrdered(*first, second->members))
      return *reason;
  }
  return "one launch would need a value that another makes of its own";
}
