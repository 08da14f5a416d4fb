// Part of Scanweft, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "dialects/WTile/IR/WTile.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Transforms/RegionUtils.h"
#include "passes/Tile/LayoutAssignment.h"
#include "passes/Tile/Passes.h"
#include "llvm/ADT/SetVector.h"

namespace scanweft {
#define GEN_PASS_DEF_ORDEROPS
#include "passes/Tile/Passes.h.inc"
} // namespace scanweft

using namespace mlir;
using namespace scanweft;
using namespace scanweft::wtile;

/// What a product or a solve step adds to the length of a way.
static constexpr int64_t productHeight = 4;

namespace {
/// One op that takes part; what costs no registers follows its users.
struct Node {
  Operation *op;
  SmallVector<Value> sources;      ///< register tiles that it reads
  SmallVector<Operation *> before; ///< nodes that come first
  int64_t height = 0;
};

class BlockOrder {
public:
  explicit BlockOrder(Block &block) : block(block) {}
  void run();

private:
  void build();
  void collectSources(Operation *op, Node &node,
                      llvm::SmallPtrSetImpl<Operation *> &seen);
  void computeHeights();
  int64_t getGrowth(const Node &node);
  void emit(Operation *op);
  void place(const Node &node);

  Block &block;
  SmallVector<Node, 0> nodes;
  DenseMap<Operation *, unsigned> number;
  /// Nodes that still read a value; one more where the block yields it.
  DenseMap<Value, unsigned> readers;
  llvm::SetVector<Operation *> done;
};
} // namespace

/// Elements of a register tile, of which each thread holds its share.
static int64_t getSize(Value value) {
  if (!isTile(value) || getHome(value) != TileHome::Registers)
    return 0;
  return cast<RankedTensorType>(value.getType()).getNumElements();
}

static bool isRead(Operation *op) { return isa<LoadOp, GatherOp>(op); }

/// Whether the op follows its users: no registers are held for what it makes.
static bool isFree(Operation *op) {
  if (op->getNumRegions() > 0 && !isa<ReduceOp, ScanOp>(op))
    return false;
  if (!isPure(op) && !isRead(op))
    return false;
  return llvm::all_of(op->getResults(), [](Value result) {
    return !isTile(result) || getHome(result) != TileHome::Registers;
  });
}

void BlockOrder::collectSources(Operation *op, Node &node,
                                llvm::SmallPtrSetImpl<Operation *> &seen) {
  llvm::SetVector<Value> operands(op->operand_begin(), op->operand_end());
  for (Region &region : op->getRegions())
    getUsedValuesDefinedAbove(region, operands);
  for (Value operand : operands) {
    if (getSize(operand) > 0 && !llvm::is_contained(node.sources, operand))
      node.sources.push_back(operand);
    Operation *maker = operand.getDefiningOp();
    maker = maker ? block.findAncestorOpInBlock(*maker) : nullptr;
    if (!maker)
      continue;
    if (!isFree(maker))
      node.before.push_back(maker);
    else if (seen.insert(maker).second)
      collectSources(maker, node, seen);
  }
}

void BlockOrder::build() {
  Operation *lastEffect = nullptr;
  for (Operation &op : block.without_terminator()) {
    if (isFree(&op))
      continue;
    Node node{&op, {}, {}};
    llvm::SmallPtrSet<Operation *, 8> seen;
    collectSources(&op, node, seen);
    if (!isPure(&op)) {
      if (lastEffect)
        node.before.push_back(lastEffect);
      lastEffect = &op;
    }
    for (Value source : node.sources)
      ++readers[source];
    number[&op] = nodes.size();
    nodes.push_back(std::move(node));
  }
  Node end{block.getTerminator(), {}, {}};
  llvm::SmallPtrSet<Operation *, 8> seen;
  collectSources(block.getTerminator(), end, seen);
  for (Value source : end.sources)
    ++readers[source];
}

void BlockOrder::computeHeights() {
  for (Node &node : llvm::reverse(nodes)) {
    int64_t own = isa<MmaOp, FactorBlockOp>(node.op) ? productHeight : 1;
    for (Operation *earlier : node.before) {
      int64_t &height = nodes[number[earlier]].height;
      height = std::max(height, node.height + own);
    }
  }
}

/// Elements that must be held more after the op than before it.
int64_t BlockOrder::getGrowth(const Node &node) {
  int64_t growth = 0;
  for (Value result : node.op->getResults())
    growth += getSize(result);
  for (Value source : node.sources)
    if (readers[source] == 1)
      growth -= getSize(source);
  return growth;
}

/// The op behind what it needs and what follows it.
void BlockOrder::emit(Operation *op) {
  if (!done.insert(op))
    return;
  llvm::SetVector<Value> operands(op->operand_begin(), op->operand_end());
  for (Region &region : op->getRegions())
    getUsedValuesDefinedAbove(region, operands);
  for (Value operand : operands)
    if (Operation *maker = operand.getDefiningOp())
      if (Operation *here = block.findAncestorOpInBlock(*maker))
        emit(here);
  op->moveBefore(block.getTerminator());
}

void BlockOrder::place(const Node &node) {
  emit(node.op);
  for (Value source : node.sources)
    --readers[source];
}

void BlockOrder::run() {
  build();
  computeHeights();
  SmallVector<unsigned> left =
      llvm::to_vector(llvm::seq<unsigned>(nodes.size()));
  while (!left.empty()) {
    auto best = left.end();
    std::tuple<int64_t, int64_t, unsigned> least;
    for (auto it = left.begin(); it != left.end(); ++it) {
      const Node &node = nodes[*it];
      bool ready = llvm::all_of(
          node.before, [&](Operation *op) { return done.contains(op); });
      if (!ready)
        continue;
      auto rank = std::tuple(getGrowth(node), -node.height, *it);
      if (best == left.end() || rank < least) {
        best = it;
        least = rank;
      }
    }
    place(nodes[*best]);
    left.erase(best);
  }
  // What is left is read by the terminator, or by nobody.
  for (Operation &op : llvm::make_early_inc_range(block.without_terminator()))
    if (!done.contains(&op))
      op.moveBefore(block.getTerminator());
}

namespace {
struct OrderOpsPass : scanweft::impl::OrderOpsBase<OrderOpsPass> {
  void runOnOperation() override {
    for (auto kernel : getOperation().getOps<KernelOp>()) {
      if (kernel.getWarps())
        continue;
      SmallVector<Block *> blocks;
      kernel.walk([&](Operation *op) {
        if (isa<KernelOp, scf::ForOp, scf::IfOp>(op))
          for (Region &region : op->getRegions())
            for (Block &block : region)
              blocks.push_back(&block);
      });
      for (Block *block : blocks)
        BlockOrder(*block).run();
    }
  }
};
} // namespace
