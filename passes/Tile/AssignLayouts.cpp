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

/// Four warps hold all of a 64-row tile's k in a warp; eight take the wider
/// ones.
static unsigned chooseWarps(wtile::KernelOp kernel) {
  int64_t widest = 0;
  kernel.walk([&](wtile::MmaOp product) {
    auto type = cast<RankedTensorType>(product.getResult().getType());
    widest = std::max(widest, type.getNumElements());
  });
  return widest > 64 * 64 ? 8 : 4;
}

namespace {
struct AssignLayoutsPass
    : scanweft::impl::AssignLayoutsBase<AssignLayoutsPass> {
  using AssignLayoutsBase::AssignLayoutsBase;

  void runOnOperation() override {
    if (warps != 0 &&
        (warps < 0 || warps > 16 || !llvm::isPowerOf2_64(warps))) {
      getOperation().emitError("wtile-assign-layouts has warps = ")
          << warps << ": a block has 1, 2, 4, 8 or 16 warps";
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
