// Part of Scanweft, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

//===----------------------------------------------------------------------===//
// Plans of relayouts. Both maps are linear, so it is enough to solve for every
// bit of the destination. Solving is exact: where one bit's element is not in
// the thread (the warp), no other choice of registers (lanes) finds it there.
//===----------------------------------------------------------------------===//

#include "scanweft/Layout/Relayout.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Sequence.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Support/MathExtras.h"

using namespace llvm;
using namespace scanweft;

RelayoutSource RelayoutPlan::at(unsigned reg, unsigned lane,
                                unsigned warp) const {
  RelayoutSource source;
  for (auto [ofInput, value] : zip_equal(bits, std::array{reg, lane, warp}))
    for (auto [bit, part] : enumerate(ofInput))
      if (value >> bit & 1) {
        source.reg ^= part.reg;
        source.lane ^= part.lane;
      }
  return source;
}

namespace {

/// Answers where in the source one bit of the destination comes from.
class BitSolver {
public:
  explicit BitSolver(const LinearLayout &from) : from(from) {
    for (LayoutInput input : {LayoutInput::Register, LayoutInput::Lane})
      for (const Coordinates &basis : from.getBases(input))
        columns.push_back(flatten(basis));
    numRegisterBits = from.getBases(LayoutInput::Register).size();
  }

  /// The registers of the same thread.
  std::optional<RelayoutSource> inThread(LayoutInput input, unsigned bit,
                                         const Coordinates &basis) const {
    uint64_t own =
        input == LayoutInput::Register ? 0 : flatten(from.getBases(input)[bit]);
    std::optional<uint64_t> regs = solveOverBits(
        ArrayRef(columns).take_front(numRegisterBits), flatten(basis) ^ own);
    if (!regs)
      return std::nullopt;
    return RelayoutSource{static_cast<unsigned>(*regs),
                          input == LayoutInput::Lane ? 1u << bit : 0u};
  }

  /// Registers and lanes of the same warp.
  std::optional<RelayoutSource> inWarp(LayoutInput input, unsigned bit,
                                       const Coordinates &basis) const {
    uint64_t own =
        input == LayoutInput::Warp ? flatten(from.getBases(input)[bit]) : 0;
    std::optional<uint64_t> found =
        solveOverBits(columns, flatten(basis) ^ own);
    if (!found)
      return std::nullopt;
    return RelayoutSource{
        static_cast<unsigned>(*found &
                              maskTrailingOnes<uint64_t>(numRegisterBits)),
        static_cast<unsigned>(*found >> numRegisterBits)};
  }

private:
  uint64_t flatten(const Coordinates &coords) const {
    return flattenCoordinates(coords, from.getShape());
  }

  const LinearLayout &from;
  SmallVector<uint64_t, 16> columns;
  unsigned numRegisterBits;
};

} // namespace

/// What lanes and warps add to the register they read, over all threads.
static SmallVector<uint64_t> getThreadPicks(const RelayoutPlan &plan) {
  SmallVector<uint64_t> picks;
  for (LayoutInput input : {LayoutInput::Lane, LayoutInput::Warp})
    for (RelayoutSource part : plan.bits[static_cast<unsigned>(input)])
      picks.push_back(part.reg);
  return picks;
}

/// Whether the source has every register that some thread reads.
static bool hasAllRegisters(const RelayoutPlan &plan, const LinearLayout &from,
                            const LinearLayout &to) {
  SmallSetVector<unsigned, 8> ofThreads;
  ofThreads.insert(0);
  for (unsigned pick : getThreadPicks(plan))
    for (unsigned other : SmallVector<unsigned>(ofThreads.getArrayRef()))
      ofThreads.insert(other ^ pick);
  return all_of(seq(to.getNumRegisters()), [&](unsigned reg) {
    unsigned source = plan.at(reg, 0, 0).reg;
    return all_of(ofThreads, [&](unsigned pick) {
      return (source ^ pick) < from.getNumRegisters();
    });
  });
}

static RelayoutPlan makeSharedPlan(const LinearLayout &to) {
  // A store and a load per register with their addresses, and the barrier.
  RelayoutPlan plan;
  plan.kind = RelayoutKind::Shared;
  plan.cost = 8 * to.getNumRegisters() + 16;
  return plan;
}

/// Kind and cost of a plan within the warp: a register that a thread chooses is
/// one select per doubling of the choice, a shuffle about three instructions.
static void classify(RelayoutPlan &plan, bool isShuffle,
                     const LinearLayout &to) {
  unsigned numPicks = getRankOverBits(getThreadPicks(plan));
  plan.kind = isShuffle  ? RelayoutKind::Shuffle
              : numPicks ? RelayoutKind::Move
                         : RelayoutKind::Rename;
  if (plan.kind != RelayoutKind::Rename)
    plan.cost = (to.getNumRegisters() << numPicks) * (isShuffle ? 3 : 1);
}

RelayoutPlan scanweft::planRelayout(const LinearLayout &from,
                                    const LinearLayout &to) {
  assert(from.getShape() == to.getShape() && "layouts of one tile");
  assert(from.getNumWarps() == to.getNumWarps() && "layouts of one block");
  RelayoutPlan plan;
  BitSolver solver(from);
  bool isShuffle = false;
  for (LayoutInput input : layoutInputs)
    for (auto [bit, basis] : enumerate(to.getBases(input))) {
      std::optional<RelayoutSource> source = solver.inThread(input, bit, basis);
      if (!source) {
        source = solver.inWarp(input, bit, basis);
        isShuffle = true;
      }
      if (!source)
        return makeSharedPlan(to);
      plan.bits[static_cast<unsigned>(input)].push_back(*source);
    }
  if (from == to)
    return plan;
  if (!hasAllRegisters(plan, from, to))
    return makeSharedPlan(to);
  classify(plan, isShuffle, to);
  return plan;
}
