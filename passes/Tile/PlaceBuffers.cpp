// Part of Scanweft, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

//===----------------------------------------------------------------------===//
// A buffer is needed from its first access to its last, in the innermost block
// that holds all of them; a buffer of a loop's turn is free between turns, one
// that is also used outside for the whole loop.
//===----------------------------------------------------------------------===//

#include "dialects/WTile/IR/WTile.h"
#include "mlir/IR/BuiltinOps.h"
#include "passes/Tile/Passes.h"
#include "passes/Tile/SharedAccesses.h"
#include "scanweft/Target/Target.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/Support/MathExtras.h"

namespace scanweft {
#define GEN_PASS_DEF_PLACEBUFFERS
#include "passes/Tile/Passes.h.inc"
} // namespace scanweft

using namespace mlir;
using namespace scanweft;
using namespace scanweft::wtile;

/// Buffers start at multiples of this, which no swizzle reaches beyond.
static constexpr int64_t addressAlignment = 128;

namespace {
/// Where a buffer is needed.
struct Lifetime {
  AllocOp allocation;
  Block *block = nullptr; ///< innermost block with all accesses
  SmallVector<Operation *> accesses;
  SmallVector<SharedAccess, 0> patterns;

  Operation *first = nullptr, *last = nullptr; ///< in `block`
  int64_t bytes = 0, address = 0;
};
} // namespace

/// Whether `block` is `outer` or inside it.
static bool isInside(Block *block, Block *outer) {
  return outer->findAncestorOpInBlock(*block->getParentOp()) || block == outer;
}

static void findExtent(Lifetime &lifetime) {
  Block *block = lifetime.accesses.front()->getBlock();
  for (Operation *op : lifetime.accesses)
    while (!isInside(op->getBlock(), block))
      block = block->getParentOp()->getBlock();
  lifetime.block = block;
  for (Operation *op : lifetime.accesses) {
    Operation *here = block->findAncestorOpInBlock(*op);
    if (!lifetime.first || here->isBeforeInBlock(lifetime.first))
      lifetime.first = here;
    if (!lifetime.last || lifetime.last->isBeforeInBlock(here))
      lifetime.last = here;
  }
}

/// Whether op lies in [first, last] of the lifetime's block.
static bool isLiveAt(const Lifetime &lifetime, Operation *op) {
  Operation *here = lifetime.block->findAncestorOpInBlock(*op);
  return here && !here->isBeforeInBlock(lifetime.first) &&
         !lifetime.last->isBeforeInBlock(here);
}

static bool areLiveTogether(const Lifetime &a, const Lifetime &b) {
  if (a.block == b.block)
    return !a.last->isBeforeInBlock(b.first) &&
           !b.last->isBeforeInBlock(a.first);
  return isLiveAt(a, b.first) || isLiveAt(b, a.first);
}

static unsigned getCost(const SharedAccess &access,
                        const SharedLayout &shared) {
  if (access.matrix)
    for (unsigned dim : {0u, 1u})
      if (isMatrixLoad(*access.layout, dim) &&
          access.layout->getNumRegisters() >= 4)
        return getMatrixLoadCost(*access.layout, shared, dim).wavefronts;
  return getAccessCost(*access.layout, shared).wavefronts;
}

/// Of the orders and swizzles the one with the fewest passes; the plainest of
/// equal ones.
static void chooseSwizzle(Lifetime &lifetime) {
  SharedLayout plain = getSharedLayout(lifetime.allocation);
  if (plain.shape.size() != 2 || plain.width > 4)
    return;
  SharedLayout best = plain;
  unsigned least = UINT_MAX;
  for (const SharedLayout &candidate :
       getSharedCandidates(plain.shape, plain.width)) {
    unsigned cost = 0;
    for (const SharedAccess &access : lifetime.patterns)
      if (access.layout && access.layout->getRank() == 2)
        cost += getCost(access, candidate);
    if (cost < least) {
      least = cost;
      best = candidate;
    }
  }
  lifetime.allocation.setSwizzleAttr(
      SwizzleAttr::get(lifetime.allocation.getContext(), best.contiguous,
                       best.shift, best.left, best.mask));
}

/// Lowest address at which nothing lies that is needed at the same time.
static int64_t findAddress(const Lifetime &lifetime,
                           ArrayRef<Lifetime *> placed) {
  SmallVector<std::pair<int64_t, int64_t>> taken;
  for (const Lifetime *other : placed)
    if (areLiveTogether(lifetime, *other))
      taken.push_back({other->address, other->address + other->bytes});
  llvm::sort(taken);
  int64_t address = 0;
  for (auto [from, to] : taken) {
    if (address + lifetime.bytes <= from)
      break;
    address = std::max(address, to);
  }
  return address;
}

/// Big ones first, then in the order of the program.
static int64_t assignAddresses(MutableArrayRef<Lifetime> lifetimes) {
  SmallVector<Lifetime *> order;
  for (Lifetime &lifetime : lifetimes)
    order.push_back(&lifetime);
  llvm::sort(order, [](const Lifetime *a, const Lifetime *b) {
    return std::pair(-a->bytes, a) < std::pair(-b->bytes, b);
  });
  SmallVector<Lifetime *> placed;
  int64_t total = 0;
  for (Lifetime *lifetime : order) {
    lifetime->address = findAddress(*lifetime, placed);
    lifetime->allocation.setAddress(lifetime->address);
    total = std::max(total, lifetime->address + lifetime->bytes);
    placed.push_back(lifetime);
  }
  return total;
}

int64_t scanweft::placeBuffers(KernelOp kernel) {
  llvm::MapVector<AllocOp, Lifetime> found;
  unsigned numWarps = kernel.getWarps().value_or(1);
  kernel.walk([&](Operation *op) {
    for (SharedAccess &access : getSharedAccesses(op, numWarps)) {
      Lifetime &lifetime = found[access.allocation];
      lifetime.allocation = access.allocation;
      lifetime.accesses.push_back(op);
      lifetime.patterns.push_back(std::move(access));
    }
  });
  SmallVector<Lifetime, 0> lifetimes;
  for (auto &[allocation, lifetime] : found) {
    findExtent(lifetime);
    chooseSwizzle(lifetime);
    AllocOp op = allocation;
    lifetime.bytes =
        llvm::alignTo(op.getBuffer().getType().getNumBytes(), addressAlignment);
    lifetimes.push_back(std::move(lifetime));
  }
  int64_t bytes = assignAddresses(lifetimes);
  kernel.setSharedBytes(bytes);
  return bytes;
}

namespace {
struct PlaceBuffersPass : scanweft::impl::PlaceBuffersBase<PlaceBuffersPass> {
  using PlaceBuffersBase::PlaceBuffersBase;

  void runOnOperation() override {
    auto found = findTarget(target, [&] {
      return getOperation().emitError("wtile-place-buffers: ");
    });
    if (failed(found))
      return signalPassFailure();
    const Target *chip = *found;
    for (auto kernel : getOperation().getOps<KernelOp>()) {
      if (kernel.getSharedBytes())
        continue;
      int64_t bytes = placeBuffers(kernel);
      if (bytes <= chip->sharedBytesPerBlock)
        continue;
      kernel.emitOpError() << "needs " << bytes
                           << " bytes of shared memory, and a block of "
                           << chip->name << " has " << chip->sharedBytesPerBlock
                           << ": smaller chunks or heads need less";
      return signalPassFailure();
    }
  }
};
} // namespace
