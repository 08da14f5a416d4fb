// Part of Scanweft, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

//===----------------------------------------------------------------------===//
// What an op does to shared memory.
//===----------------------------------------------------------------------===//

#ifndef SCANWEFT_PASSES_TILE_SHAREDACCESSES_H
#define SCANWEFT_PASSES_TILE_SHAREDACCESSES_H

#include "dialects/WTile/IR/WTile.h"
#include "scanweft/Layout/SharedLayout.h"

namespace scanweft {

/// The allocation that a buffer is, or is a part of.
wtile::AllocOp getAllocation(mlir::Value buffer);
/// Whether a buffer is a stage of a ring.
bool isRing(wtile::AllocOp allocation);

/// How an access walks a buffer.
struct SharedAccess {
  wtile::AllocOp allocation;
  bool write = false;
  /// Of the ring of an asynchronous copy: ordered by the loop's own wait.
  bool ring = false;
  /// Each thread keeps to its own part.
  bool own = false;
  /// Whether a layout describes the access, and whether ldmatrix may make it.
  std::optional<LinearLayout> layout;
  bool matrix = false;
};

/// The accesses of one op, in no order; regions not included.
llvm::SmallVector<SharedAccess, 2> getSharedAccesses(mlir::Operation *op,
                                                     unsigned numWarps);

/// The inner order of a buffer: of a stage where it is a ring.
SharedLayout getSharedLayout(wtile::AllocOp allocation);

/// Gives every buffer its inner order and its address; the kernel's shared
/// bytes.
int64_t placeBuffers(wtile::KernelOp kernel);

} // namespace scanweft

#endif // SCANWEFT_PASSES_TILE_SHAREDACCESSES_H
