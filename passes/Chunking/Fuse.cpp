// Part of Scanweft, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

//===----------------------------------------------------------------------===//
// weft-fuse: gathers what becomes one launch into groups.
//===----------------------------------------------------------------------===//

#include "mlir/Analysis/TopologicalSortUtils.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Iterators.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/Remarks.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "passes/Chunking/FusionPlan.h"
#include "passes/Chunking/Passes.h"
#include "llvm/ADT/StringSet.h"

namespace scanweft {
#define GEN_PASS_DEF_FUSE
#include "passes/Chunking/Passes.h.inc"
} // namespace scanweft

using namespace mlir;
using namespace scanweft;

static constexpr StringLiteral kCategory = "weft-fuse";

//===----------------------------------------------------------------------===//
// Remarks
//===----------------------------------------------------------------------===//

static void remarkFused(Operation *op, StringRef how, StringRef group) {
  auto options = remark::RemarkOpts::name("Fused").category(kCategory);
  remark::passed(op->getLoc(), options)
      << remark::add("'{0}' {1} @{2}", op->getName().getStringRef().str(),
                     how.str(), group.str());
}

/// One remark for every op of a group.
static void remarkGroup(const FusionPlan::Group &group, ArrayRef<Value> yielded,
                        StringRef name) {
  for (Operation *op : inBlockOrder(group.copies))
    remarkFused(op, "copied into", name);
  for (Operation *op : inBlockOrder(group.members)) {
    bool isStored = llvm::any_of(
        yielded, [&](Value value) { return value.getDefiningOp() == op; });
    remarkFused(op, isStored ? "fused into, and stored by," : "fused into",
                name);
  }
}

static void remarkApart(Operation *op, Operation *other, StringRef reason) {
  remark::missed(op->getLoc(),
                 remark::RemarkOpts::name("NotFused").category(kCategory))
      << remark::add("'{0}' not fused with '{1}'",
                     op->getName().getStringRef().str(),
                     other->getName().getStringRef().str())
      << remark::reason("{0}", reason.str());
}

/// One remark for every value that goes from a launch to another op.
static void remarkEdges(Block &block, const FusionPlan &plan) {
  for (Operation &consumer : block) {
    bool hasTensors = llvm::any_of(consumer.getResultTypes(), [](Type type) {
      return isa<RankedTensorType>(type);
    });
    if (!hasTensors || matchPattern(&consumer, m_Constant()))
      continue;
    const FusionPlan::Group *owner = plan.getOwner(&consumer);
    FusionPlan::Ops producers;
    for (Value operand : consumer.getOperands())
      if (Operation *producer = operand.getDefiningOp())
        producers.insert(producer);
    for (Operation *producer : producers) {
      bool isTensor = isa<RankedTensorType>(producer->getResult(0).getType());
      bool isLaunched = owner || plan.getOwner(producer);
      if (!isTensor || !isLaunched || producer->getBlock() != &block ||
          matchPattern(producer, m_Constant()) ||
          (owner && owner->contains(producer)))
        continue;
      if (owner || plan.isNeeded(&consumer))
        remarkApart(&consumer, producer, plan.whyApart(producer, &consumer));
    }
  }
}

//===----------------------------------------------------------------------===//
// Rewrite
//===----------------------------------------------------------------------===//

namespace {

struct Fuse : scanweft::impl::FuseBase<Fuse> {
  using FuseBase::FuseBase;

  void runOnOperation() override;

private:
  /// A name for the next group of a function that makes `count` of them.
  std::string nextName(StringRef function, size_t count);
  void fuseBlocks(FunctionOpInterface function);
  void makeGroups(Block &block, const FusionPlan &plan, StringRef function,
                  size_t count);

  llvm::StringSet<> names;
};

} // namespace

std::string Fuse::nextName(StringRef function, size_t count) {
  std::string name = function.str();
  for (unsigned i = 0; count > 1 || !names.insert(name).second; ++i) {
    name = (function + "_" + Twine(i)).str();
    if (names.insert(name).second)
      break;
  }
  return name;
}

/// Clones a group's ops into a `weft.group` before its last member.
static weft::GroupOp makeGroup(const FusionPlan::Group &group,
                               ArrayRef<Value> yielded, StringRef name) {
  FusionPlan::Ops all = group.copies;
  all.insert_range(group.members);
  SmallVector<Operation *> ops = inBlockOrder(all);
  OpBuilder builder(ops.back());
  auto grouped = weft::GroupOp::create(builder, group.members.front()->getLoc(),
                                       ValueRange(yielded).getTypes(), name);
  builder.createBlock(&grouped.getBody());
  IRMapping mapping;
  for (Operation *op : ops)
    builder.clone(*op, mapping);
  SmallVector<Value> results = llvm::map_to_vector(
      yielded, [&](Value value) { return mapping.lookup(value); });
  weft::YieldOp::create(builder, grouped.getLoc(), results);
  return grouped;
}

void Fuse::makeGroups(Block &block, const FusionPlan &plan, StringRef function,
                      size_t count) {
  // What is read outside is asked before anything moves.
  SmallVector<SmallVector<Value>> yielded;
  for (const FusionPlan::Group &group : plan.getGroups()) {
    SmallVector<Value> &values = yielded.emplace_back();
    for (Operation *op : inBlockOrder(group.members))
      llvm::copy_if(op->getResults(), std::back_inserter(values),
                    [&](Value result) { return plan.isReadOutside(result); });
  }
  FusionPlan::Ops originals;
  SmallVector<weft::GroupOp> made;
  for (auto [group, values] : llvm::zip(plan.getGroups(), yielded)) {
    std::string name = nextName(function, count);
    remarkGroup(group, values, name);
    made.push_back(makeGroup(group, values, name));
    originals.insert_range(group.members);
    originals.insert_range(group.copies);
  }
  for (auto [group, values] : llvm::zip(made, yielded))
    for (auto [value, result] : llvm::zip(values, group.getResults()))
      value.replaceAllUsesWith(result);
  SmallVector<Operation *> ordered = inBlockOrder(originals);
  for (Operation *op : llvm::reverse(ordered))
    if (op->use_empty())
      op->erase();
  sortTopologically(&block);
}

/// What nothing reads is part of no launch.
static void eraseDeadOps(FunctionOpInterface function) {
  function->walk<WalkOrder::PostOrder, ReverseIterator>([](Operation *op) {
    if (isOpTriviallyDead(op))
      op->erase();
  });
}

void Fuse::fuseBlocks(FunctionOpInterface function) {
  eraseDeadOps(function);
  struct BlockPlan {
    Block *block;
    std::unique_ptr<AlgebraAxes> axes;
    std::unique_ptr<FusionPlan> plan;
  };
  SmallVector<BlockPlan> plans;
  size_t count = 0;
  function->walk<WalkOrder::PreOrder>([&](Block *block) {
    if (isa<weft::GroupOp, weft::KernelOp>(block->getParentOp()))
      return WalkResult::skip();
    BlockPlan plan{block, std::make_unique<AlgebraAxes>(*block), nullptr};
    plan.plan = std::make_unique<FusionPlan>(*block, *plan.axes);
    count += plan.plan->getGroups().size();
    plans.push_back(std::move(plan));
    return WalkResult::advance();
  });
  for (BlockPlan &plan : plans) {
    for (const FusionPlan::Apart &apart : plan.plan->getScansApart())
      remarkApart(apart.later, apart.earlier, apart.reason);
    remarkEdges(*plan.block, *plan.plan);
    makeGroups(*plan.block, *plan.plan, function.getName(), count);
  }
}

void Fuse::runOnOperation() {
  names.clear();
  getOperation().walk([&](Operation *op) {
    if (auto group = dyn_cast<weft::GroupOp>(op))
      names.insert(group.getName());
    if (auto kernel = dyn_cast<weft::KernelOp>(op))
      names.insert(kernel.getName());
  });
  for (auto function : getOperation().getOps<FunctionOpInterface>())
    if (!function.isExternal())
      fuseBlocks(function);
}
