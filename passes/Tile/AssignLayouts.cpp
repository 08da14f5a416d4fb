// Part of Scanweft, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "dialects/WTile/IR/WTile.h"
#include "mlir/IR/BuiltinOps.h"
#include "passes/Tile/LayoutAssignment.h"
#include "passes/Tile/LayoutRealization.h"
#include "passes/Tile/Passes.h"
#include "llvm/Support/MathExtras.h"

namespace scanweft {
#define GEN_PASS_DEF_ASSIGNLAYOUTS
#include "passes/Tile/Passes.h.inc"
} // namespace scanweft

using namespace mlir;
using namespace scanweft;

/// Elements a thread holds without spilling, beside addresses and fragments.
static constexpr int64_t heldElements = 224;

/// Elements of register tiles that live at once in a block, at most.
static int64_t getPeak(Block &block) {
  auto getSize = [](Value value) -> int64_t {
    bool held = isTile(value) && getHome(value) == TileHome::Registers;
    return held ? cast<RankedTensorType>(value.getType()).getNumElements() : 0;
  };
  DenseMap<Operation *, int64_t> freed;
  int64_t live = 0, peak = 0;
  auto countIn = [&](Value value) {
    Operation *last = nullptr;
    for (Operation *user : value.getUsers())
      if (Operation *here = block.findAncestorOpInBlock(*user))
        if (!last || last->isBeforeInBlock(here))
          last = here;
    if (!last)
      return;
    live += getSize(value);
    freed[last] += getSize(value);
  };
  for (BlockArgument argument : block.getArguments())
    countIn(argument);
  for (Operation &op : block) {
    for (Value result : op.getResults())
      countIn(result);
    peak = std::max(peak, live);
    live -= freed.lookup(&op);
  }
  return peak;
}

/// The fewest warps whose threads can hold what lives at once: fewer warps
/// share more of each factor, and exchange less.
static unsigned chooseWarps(wtile::KernelOp kernel) {
  int64_t peak = 0;
  kernel.walk([&](Operation *op) {
    if (isa<wtile::KernelOp, scf::ForOp>(op))
      peak = std::max(peak, getPeak(op->getRegion(0).front()));
  });
  unsigned warps = 4;
  while (warps < 8 && peak > heldElements * 32 * warps)
    warps *= 2;
  return warps;
}

namespace {
struct AssignLayoutsPass
    : scanweft::impl::AssignLayoutsBase<AssignLayoutsPass> {
  using AssignLayoutsBase::AssignLayoutsBase;

  void runOnOperation() override {
    if (warps != 0 &&
        (warps < 0 || warps > 16 || !llvm::isPowerOf2_64(warps))) {
      getOperation().emitError("wtile-assign-layouts has warps = ")
          << warps.getValue() << ": a block has 1, 2, 4, 8 or 16 warps";
      return signalPassFailure();
    }
    for (auto kernel : getOperation().getOps<wtile::KernelOp>()) {
      if (kernel.getWarps())
        continue;
      LayoutAssignment assignment(kernel, warps ? warps : chooseWarps(kernel));
      assignment.run();
      if (failed(LayoutRealization(kernel, assignment).run()))
        return signalPassFailure();
    }
  }
};
} // namespace
