// Part of Scanweft, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

//===----------------------------------------------------------------------===//
// How a tile gets from one layout to another: for every bit of a destination
// register, lane and warp, the registers and lanes of the source that hold the
// element, keeping the warp, then the lane, where possible.
//===----------------------------------------------------------------------===//

#ifndef SCANWEFT_LAYOUT_RELAYOUT_H
#define SCANWEFT_LAYOUT_RELAYOUT_H

#include "scanweft/Layout/LinearLayout.h"

namespace scanweft {

enum class RelayoutKind {
  Identity, ///< equal layouts
  Rename,   ///< the same thread holds it in a register known at compile time
  Move,     ///< the same thread holds it, in a register chosen by the thread
  Shuffle,  ///< another lane of the warp holds it
  Shared    ///< another warp holds it: through shared memory
};

/// Where a destination element stands in the source: both are linear in the
/// bits of (register, lane, warp) of the destination.
struct RelayoutSource {
  unsigned reg = 0;
  unsigned lane = 0;
  friend bool operator==(RelayoutSource a, RelayoutSource b) {
    return a.reg == b.reg && a.lane == b.lane;
  }
};

struct RelayoutPlan {
  RelayoutKind kind = RelayoutKind::Identity;
  /// Per input, per bit of the destination, its part of the source.
  std::array<llvm::SmallVector<RelayoutSource, 8>, 3> bits;
  /// Instructions a thread, roughly.
  unsigned cost = 0;

  RelayoutSource at(unsigned reg, unsigned lane, unsigned warp) const;
};

/// Shapes are equal. Deterministic; the plan of equal layouts is Identity.
RelayoutPlan planRelayout(const LinearLayout &from, const LinearLayout &to);

} // namespace scanweft

#endif // SCANWEFT_LAYOUT_RELAYOUT_H
