// Part of Scanweft, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

//===----------------------------------------------------------------------===//
// Which ops of a block become which launch. Greedy, in the order of the block,
// so that the same program always gives the same groups:
//
//   1. scans join where one launch can hold them, with what lies between them;
//   2. every group takes in its producers, as far up as they go;
//   3. then its token-wise consumers, with their other producers;
//   4. token-wise ops that are left form groups of their own.
//
// A producer without a time axis, or without an axis of the programs, is copied
// into every group that reads it: it costs little and is never stored. Groups
// stay free of cycles: no group may need a value that needs one of its own.
//===----------------------------------------------------------------------===//

#ifndef SCANWEFT_PASSES_CHUNKING_FUSIONPLAN_H
#define SCANWEFT_PASSES_CHUNKING_FUSIONPLAN_H

#include "passes/Chunking/LaunchShape.h"
#include "llvm/ADT/SetVector.h"

namespace scanweft {

class FusionPlan {
public:
  using Ops = llvm::SetVector<mlir::Operation *>;

  struct Group {
    LaunchShape shape;
    Ops members;
    Ops copies; ///< producers that are made anew in the group

    bool contains(mlir::Operation *op) const {
      return members.contains(op) || copies.contains(op);
    }
  };

  /// Two scans, the later not joined to the group of the earlier.
  struct Apart {
    mlir::Operation *earlier, *later;
    std::string reason;
  };

  FusionPlan(mlir::Block &block, const AlgebraAxes &axes);

  llvm::ArrayRef<Group> getGroups() const { return groups; }
  llvm::ArrayRef<Apart> getScansApart() const { return apart; }

  /// The group that `op` moves into; null for none.
  const Group *getOwner(mlir::Operation *op) const;

  /// Whether something still reads `op` where it stands once the groups are
  /// made: an op that every group copies may not be needed any more.
  bool isNeeded(mlir::Operation *op) const { return needed.contains(op); }

  /// Whether a result of a member is read outside of its group.
  bool isReadOutside(mlir::Value result) const;

  /// Why a consumer and what it reads stand in different launches.
  std::string whyApart(mlir::Operation *producer,
                       mlir::Operation *consumer) const;

private:
  void joinScans();
  void addProducers(unsigned group, llvm::ArrayRef<mlir::Operation *> start);
  void addConsumers(unsigned group);
  void groupTheRest();
  void noteNeeded();

  WhyNot tryJoin(unsigned group, mlir::Operation *scan);
  WhyNot tryAdd(unsigned group, const Ops &ops);
  WhyNot tryCopy(unsigned group, mlir::Operation *op);
  WhyNot whyNotOrdered(const Group &group, const Ops &more) const;
  bool closesCycle(unsigned group, const Ops &more) const;

  Ops getProducers(mlir::Operation *op) const;
  Ops getConsumers(mlir::Operation *op) const;
  Ops getReached(const Ops &start) const;
  Ops getBetween(unsigned group, mlir::Operation *op) const;
  bool isOwned(mlir::Operation *op) const { return owners.contains(op); }
  bool isCopied(mlir::Operation *op) const;
  bool isShared(unsigned group, mlir::Operation *op) const;

  mlir::Block &block;
  const AlgebraAxes &axes;
  llvm::SmallVector<Group> groups;
  llvm::SmallVector<Apart> apart;
  llvm::DenseMap<mlir::Operation *, unsigned> owners;
  llvm::DenseSet<mlir::Operation *> needed;
};

/// Ops in the order of their block.
llvm::SmallVector<mlir::Operation *> inBlockOrder(const FusionPlan::Ops &ops);

} // namespace scanweft

#endif // SCANWEFT_PASSES_CHUNKING_FUSIONPLAN_H
