// Part of Scanweft, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "scanweft/Layout/Relayout.h"
#include "llvm/ADT/STLExtras.h"
#include <cassert>

using namespace scanweft;
using llvm::SmallVector;

RelayoutSource RelayoutPlan::at(unsigned reg, unsigned lane,
                                unsigned warp) const {
  RelayoutSource source;
  for (auto [group, value] :
       llvm::zip_equal(bits, std::array<unsigned, 3>{reg, lane, warp}))
    for (auto [bit, part] : llvm::enumerate(group))
      if (value >> bit & 1) {
        source.reg ^= part.reg;
        source.lane ^= part.lane;
      }
  return source;
}

static SmallVector<uint64_t> getColumns(const LinearLayout &layout,
                                        LayoutInput input) {
  return llvm::map_to_vector(
      layout.getBases(input), [&](const Coordinates &basis) {
        return flattenCoordinates(basis, layout.getShape());
      });
}

namespace {
/// Finds, bit by bit, source inputs with from(source(x)) = to(x).
class Planner {
public:
  Planner(const LinearLayout &from, const LinearLayout &to)
      : to(to), registers(getColumns(from, LayoutInput::Register)),
        lanes(getColumns(from, LayoutInput::Lane)),
        warps(getColumns(from, LayoutInput::Warp)) {
    both = registers;
    llvm::append_range(both, lanes);
  }

  RelayoutPlan run();

private:
  bool planBit(LayoutInput input, unsigned bit, uint64_t target);

  const LinearLayout &to;
  SmallVector<uint64_t> registers, lanes, warps, both;
  RelayoutPlan plan;
};
} // namespace

/// A lane or a warp keeps its own part of the source; a part of a register is
/// found among registers, else among lanes too.
bool Planner::planBit(LayoutInput input, unsigned bit, uint64_t target) {
  uint64_t own = input == LayoutInput::Lane   ? lanes[bit]
                 : input == LayoutInput::Warp ? warps[bit]
                                              : 0;
  auto &parts = plan.bits[static_cast<unsigned>(input)];
  if (auto kept = solveOverBits(registers, target ^ own)) {
    unsigned lane = input == LayoutInput::Lane ? 1u << bit : 0;
    parts.push_back({static_cast<unsigned>(*kept), lane});
    return true;
  }
  uint64_t base = input == LayoutInput::Warp ? warps[bit] : 0;
  auto moved = solveOverBits(both, target ^ base);
  if (!moved)
    return false;
  unsigned numRegisterBits = registers.size();
  unsigned reg = *moved & ((uint64_t(1) << numRegisterBits) - 1);
  parts.push_back({reg, static_cast<unsigned>(*moved >> numRegisterBits)});
  plan.kind = RelayoutKind::Shuffle;
  return true;
}

RelayoutPlan Planner::run() {
  plan.kind = RelayoutKind::Rename;
  for (LayoutInput input : layoutInputs)
    for (auto [bit, basis] : llvm::enumerate(to.getBases(input)))
      if (!planBit(input, bit, flattenCoordinates(basis, to.getShape()))) {
        plan = RelayoutPlan();
        plan.kind = RelayoutKind::Shared;
        plan.cost = 8 * to.getNumRegisters() + 16;
        return plan;
      }
  // Registers that the thread itself picks: a select per candidate.
  SmallVector<uint64_t> picks;
  for (LayoutInput input : {LayoutInput::Lane, LayoutInput::Warp})
    for (RelayoutSource part : plan.bits[static_cast<unsigned>(input)])
      picks.push_back(part.reg);
  unsigned rank = getRankOverBits(picks);
  if (plan.kind == RelayoutKind::Rename && rank > 0)
    plan.kind = RelayoutKind::Move;
  unsigned moves = to.getNumRegisters() << rank;
  plan.cost = plan.kind == RelayoutKind::Rename ? 0
              : plan.kind == RelayoutKind::Move ? moves
                                                : 3 * moves;
  return plan;
}

RelayoutPlan scanweft::planRelayout(const LinearLayout &from,
                                    const LinearLayout &to) {
  assert(from.getShape() == to.getShape() && "a relayout keeps the tile");
  RelayoutPlan plan = Planner(from, to).run();
  if (from == to) {
    plan.kind = RelayoutKind::Identity;
    plan.cost = 0;
  }
  return plan;
}
