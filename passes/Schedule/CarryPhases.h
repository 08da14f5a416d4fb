// Part of Scanweft, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

//===----------------------------------------------------------------------===//
// Which carries a carry's element reads, and the phases that follow: the order
// in which a schedule that is parallel in time can compute the states at its
// segments' starts.
//===----------------------------------------------------------------------===//

#ifndef SCANWEFT_PASSES_SCHEDULE_CARRYPHASES_H
#define SCANWEFT_PASSES_SCHEDULE_CARRYPHASES_H

#include "dialects/Weft/IR/Weft.h"
#include "llvm/ADT/SetVector.h"

namespace scanweft {

/// What values of a loop's body are made of, inside the body.
struct BodySlice {
  llvm::SetVector<mlir::Operation *> ops; ///< in the order of the body
  llvm::SetVector<mlir::BlockArgument> arguments;
};

/// The backward slice of some of a loop's elements.
BodySlice getElementSlice(weft::ChunkedOp op, llvm::ArrayRef<unsigned> carries);

/// Reads and phases of all carries of a loop.
class CarryPhases {
public:
  explicit CarryPhases(weft::ChunkedOp op);

  /// The first carry whose element reads itself or a later one, and what it
  /// reads: such a loop has no phases.
  std::optional<std::pair<unsigned, unsigned>> getCycle() const {
    return cycle;
  }

  unsigned getNumPhases() const { return numPhases; }
  unsigned getPhase(unsigned carry) const { return phases[carry]; }
  /// The carries of `phase`, counted from 1.
  llvm::SmallVector<unsigned> getCarries(unsigned phase) const;
  /// The carries of earlier phases that a walk of `phase` acts along: what its
  /// elements read, and what is read to make those.
  llvm::SmallVector<unsigned> getCarriesActedAlong(unsigned phase) const;
  /// Whether an element of another carry reads this one.
  bool isRead(unsigned carry) const;

private:
  llvm::SmallVector<llvm::SmallVector<unsigned>> reads;
  llvm::SmallVector<unsigned> phases;
  unsigned numPhases = 0;
  std::optional<std::pair<unsigned, unsigned>> cycle;
};

} // namespace scanweft

#endif // SCANWEFT_PASSES_SCHEDULE_CARRYPHASES_H
