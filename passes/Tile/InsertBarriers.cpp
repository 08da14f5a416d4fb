// Part of Scanweft, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "dialects/WTile/IR/WTile.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/BuiltinOps.h"
#include "passes/Tile/Passes.h"
#include "passes/Tile/SharedAccesses.h"

namespace scanweft {
#define GEN_PASS_DEF_INSERTBARRIERS
#include "passes/Tile/Passes.h.inc"
} // namespace scanweft

using namespace mlir;
using namespace scanweft;
using namespace scanweft::wtile;

namespace {
/// Bytes of shared memory. Accesses by which each thread keeps to its own part
/// of one buffer do not conflict with each other.
struct Range {
  int64_t from, to;
  Operation *owned = nullptr;
  bool overlaps(Range other) const {
    return from < other.to && other.from < to &&
           !(owned && owned == other.owned);
  }
  bool operator==(Range other) const {
    return from == other.from && to == other.to && owned == other.owned;
  }
};

/// Accesses since the last barrier, on any path.
struct Pending {
  SmallVector<Range> reads, writes;

  bool conflictsWith(Range range, bool write) const {
    auto overlaps = [&](Range other) { return range.overlaps(other); };
    return llvm::any_of(writes, overlaps) ||
           (write && llvm::any_of(reads, overlaps));
  }
  void add(Range range, bool write) {
    SmallVector<Range> &ranges = write ? writes : reads;
    if (!llvm::is_contained(ranges, range))
      ranges.push_back(range);
  }
  void merge(const Pending &other) {
    for (Range range : other.reads)
      add(range, /*write=*/false);
    for (Range range : other.writes)
      add(range, /*write=*/true);
  }
  void clear() {
    reads.clear();
    writes.clear();
  }
};

class BarrierInsertion {
public:
  explicit BarrierInsertion(KernelOp kernel)
      : kernel(kernel), numWarps(kernel.getWarps().value_or(1)) {}
  void run() { insertInto(kernel.getBody().front(), {}); }

private:
  Pending insertInto(Block &block, Pending pending);
  Pending insertIntoRegions(Operation *op, Pending pending);
  Range getRange(const SharedAccess &access) {
    int64_t address = AllocOp(access.allocation).getAddress().value_or(0);
    return {address,
            address +
                AllocOp(access.allocation).getBuffer().getType().getNumBytes()};
  }

  KernelOp kernel;
  unsigned numWarps;
};
} // namespace

Pending BarrierInsertion::insertIntoRegions(Operation *op, Pending pending) {
  if (isa<scf::ForOp>(op)) {
    // What the end of a turn leaves behind meets the start of the next.
    Block &body = op->getRegion(0).front();
    Pending once = insertInto(body, pending);
    once.merge(pending);
    Pending twice = insertInto(body, once);
    twice.merge(pending); // without a turn
    return twice;
  }
  Pending after = pending; // a path past the regions
  for (Region &region : op->getRegions())
    if (!region.empty())
      after.merge(insertInto(region.front(), pending));
  return after;
}

Pending BarrierInsertion::insertInto(Block &block, Pending pending) {
  for (Operation &op : llvm::make_early_inc_range(block)) {
    if (isa<BarrierOp>(op)) {
      pending.clear();
      continue;
    }
    if (op.getNumRegions() > 0 && isa<scf::ForOp, scf::IfOp>(op)) {
      pending = insertIntoRegions(&op, std::move(pending));
      continue;
    }
    SmallVector<SharedAccess, 2> accesses = getSharedAccesses(&op, numWarps);
    bool conflict = llvm::any_of(accesses, [&](const SharedAccess &access) {
      return !access.ring &&
             pending.conflictsWith(getRange(access), access.write);
    });
    if (conflict) {
      OpBuilder builder(&op);
      BarrierOp::create(builder, op.getLoc());
      pending.clear();
    }
    for (const SharedAccess &access : accesses)
      if (!access.ring)
        pending.add(getRange(access), access.write);
  }
  return pending;
}

namespace {
struct InsertBarriersPass
    : scanweft::impl::InsertBarriersBase<InsertBarriersPass> {
  void runOnOperation() override {
    for (auto kernel : getOperation().getOps<KernelOp>())
      BarrierInsertion(kernel).run();
  }
};
} // namespace
