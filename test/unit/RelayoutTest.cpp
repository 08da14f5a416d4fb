// Part of Scanweft, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

//===----------------------------------------------------------------------===//
// Plans of relayouts, executed on every input; their kinds against a search for
// anything cheaper.
//===----------------------------------------------------------------------===//

#include "scanweft/Layout/Relayout.h"
#include "LayoutTesting.h"
#include <gtest/gtest.h>
#include <map>

using namespace llvm;
using namespace scanweft;
using namespace scanweft::testing;

/// Whether every destination input finds its element where the plan says.
static void expectCorrect(const RelayoutPlan &plan, const LinearLayout &from,
                          const LinearLayout &to) {
  if (plan.kind == RelayoutKind::Shared)
    return;
  forEachInput(to, [&](unsigned reg, unsigned lane, unsigned warp) {
    RelayoutSource source = plan.at(reg, lane, warp);
    ASSERT_LT(source.reg, from.getNumRegisters());
    ASSERT_EQ(from.at(source.reg, source.lane, warp), to.at(reg, lane, warp))
        << from.str() << " to " << to.str();
    if (plan.kind != RelayoutKind::Shuffle) {
      ASSERT_EQ(source.lane, lane);
    }
    if (plan.kind <= RelayoutKind::Rename) {
      ASSERT_EQ(source.reg, plan.at(reg, 0, 0).reg);
    }
  });
}

/// Registers of thread (0, 0) that every thread could read in place of `reg`.
static bool hasRename(const LinearLayout &from, const LinearLayout &to,
                      unsigned reg) {
  return any_of(seq(from.getNumRegisters()), [&](unsigned source) {
    for (unsigned warp : seq(to.getNumWarps()))
      for (unsigned lane : seq(32u))
        if (from.at(source, lane, warp) != to.at(reg, lane, warp))
          return false;
    return true;
  });
}

/// The cheapest kind of all, by enumeration.
static RelayoutKind searchKind(const LinearLayout &from,
                               const LinearLayout &to) {
  if (from == to)
    return RelayoutKind::Identity;
  if (all_of(seq(to.getNumRegisters()),
             [&](unsigned reg) { return hasRename(from, to, reg); }))
    return RelayoutKind::Rename;
  bool inThread = true, inWarp = true;
  for (unsigned warp : seq(to.getNumWarps())) {
    std::set<Point> ofWarp;
    std::vector<std::set<Point>> ofThread(32);
    for (unsigned lane : seq(32u))
      for (unsigned reg : seq(from.getNumRegisters())) {
        Point point = toPoint(from.at(reg, lane, warp));
        ofWarp.insert(point);
        ofThread[lane].insert(point);
      }
    for (unsigned lane : seq(32u))
      for (unsigned reg : seq(to.getNumRegisters())) {
        Point point = toPoint(to.at(reg, lane, warp));
        inThread &= ofThread[lane].count(point);
        inWarp &= ofWarp.count(point);
      }
  }
  return inThread ? RelayoutKind::Move
         : inWarp ? RelayoutKind::Shuffle
                  : RelayoutKind::Shared;
}

/// A layout that differs from `from` by additions of its own bases: within
/// registers, of registers to threads, of lanes, or of warps.
static LinearLayout derive(RandomLayouts &random, const LinearLayout &from) {
  std::array<Bases, 3> bases;
  for (LayoutInput input : layoutInputs)
    bases[static_cast<unsigned>(input)] = from.getBases(input);
  unsigned numSteps = 1 + random.below(4), depth = random.below(3);
  for (unsigned step = 0; step < numSteps; ++step) {
    unsigned target = random.below(3);
    unsigned source = std::min(random.below(depth + 1), target);
    if (bases[source].empty() || bases[target].empty())
      continue;
    unsigned from = random.below(bases[source].size());
    unsigned to = random.below(bases[target].size());
    if (source == target) {
      std::swap(bases[source][from], bases[target][to]);
      continue;
    }
    Coordinates basis = bases[source][from];
    for (auto [coord, more] : zip_equal(bases[target][to], basis))
      coord ^= more;
  }
  return LinearLayout(from.getShape(), bases[0], bases[1], bases[2]);
}

TEST(Relayout, RandomPairs) {
  RandomLayouts random(11);
  std::map<RelayoutKind, unsigned> kinds;
  for (unsigned round = 0; round < 600; ++round) {
    auto shape = random.shape(1 + random.below(2), 4);
    LinearLayout from = random.oneIn(2) ? random.covering(shape, 4, 1)
                                        : random.any(shape, 4, 1);
    LinearLayout to =
        random.oneIn(4) ? random.covering(shape, 3, 1) : derive(random, from);
    RelayoutPlan plan = planRelayout(from, to);
    EXPECT_EQ(plan.kind, searchKind(from, to))
        << from.str() << " to " << to.str();
    expectCorrect(plan, from, to);
    ++kinds[plan.kind];
  }
  for (RelayoutKind kind :
       {RelayoutKind::Identity, RelayoutKind::Rename, RelayoutKind::Move,
        RelayoutKind::Shuffle, RelayoutKind::Shared})
    EXPECT_GE(kinds[kind], 20u) << static_cast<int>(kind);
}

TEST(Relayout, PairsOfConstructors) {
  RandomLayouts random(12);
  std::map<RelayoutKind, unsigned> kinds;
  for (unsigned numWarps : {1u, 4u, 8u})
    for (SmallVector<int64_t> shape :
         {SmallVector<int64_t>{16, 16}, {64, 32}, {32, 128}}) {
      std::vector<LinearLayout> layouts = {
          makeAccumulatorLayout(shape,
                                splitWarps(numWarps, shape[0], shape[1])),
          makePiecesLayout(shape, 8, numWarps),
          makePiecesLayout(shape, 4, numWarps)};
      for (unsigned dim : {0u, 1u}) {
        int64_t rows = shape[1 - dim];
        layouts.push_back(
            makeOperandALayout(shape, dim, splitWarps(numWarps, rows, 8)));
        layouts.push_back(
            makeOperandBLayout(shape, dim, splitWarps(numWarps, 16, rows), 16));
        layouts.push_back(makeLinesLayout(shape, dim, numWarps));
      }
      for (const LinearLayout &from : layouts)
        for (const LinearLayout &to : layouts) {
          RelayoutPlan plan = planRelayout(from, to);
          expectCorrect(plan, from, to);
          ++kinds[plan.kind];
          LinearLayout sum = from.dropDim(0), wanted = to.dropDim(0);
          RelayoutPlan dropped = planRelayout(sum, wanted);
          expectCorrect(dropped, sum, wanted);
          EXPECT_EQ(dropped.kind, searchKind(sum, wanted));
        }
    }
  EXPECT_GT(kinds[RelayoutKind::Rename], 0u);
  EXPECT_GT(kinds[RelayoutKind::Shuffle], 0u);
  EXPECT_GT(kinds[RelayoutKind::Shared], 0u);
}

TEST(Relayout, CutOffPairs) {
  RandomLayouts random(13);
  unsigned numInRegisters = 0;
  for (unsigned round = 0; round < 300; ++round) {
    auto shape = random.shape(2, 3);
    LinearLayout from = random.any(shape, 3, 1, true);
    LinearLayout to = random.any(shape, 2, 1, true);
    RelayoutPlan plan = planRelayout(from, to);
    expectCorrect(plan, from, to);
    numInRegisters += plan.kind != RelayoutKind::Shared;
  }
  EXPECT_GT(numInRegisters, 10u);
}

TEST(Relayout, RegistersThatDoNotExistAreNotRead) {
  Bases lanes(numLaneBits, Coordinates(1, 0));
  LinearLayout three({3}, {{1}, {2}}, lanes, {}, 3);
  LinearLayout turned({3}, {{2}, {1}}, lanes, {}, 3);
  LinearLayout mixed({3}, {{3}, {2}}, lanes, {}, 3);
  EXPECT_EQ(planRelayout(three, turned).kind, RelayoutKind::Rename);
  EXPECT_EQ(planRelayout(three, mixed).kind, RelayoutKind::Shared);
}

TEST(Relayout, Costs) {
  LinearLayout rows = makeAccumulatorLayout({64, 64}, {4, 1, 4});
  LinearLayout operand = makeOperandALayout({64, 64}, 1, {4, 1, 4});
  EXPECT_EQ(planRelayout(rows, rows).cost, 0u);
  EXPECT_EQ(planRelayout(rows, operand).cost, 0u);
  // Lane bit 0 takes a column from the registers and gives one to them.
  LinearLayout plain({4}, {{1}}, {{2}, {0}, {0}, {0}, {0}}, {});
  LinearLayout swapped({4}, {{2}}, {{1}, {0}, {0}, {0}, {0}}, {});
  RelayoutPlan shuffle = planRelayout(plain, swapped);
  EXPECT_EQ(shuffle.kind, RelayoutKind::Shuffle);
  EXPECT_EQ(shuffle.cost, 3u * 2 * 2);
  LinearLayout turned({4}, {{1}}, {{3}, {0}, {0}, {0}, {0}}, {});
  RelayoutPlan move = planRelayout(plain, turned);
  EXPECT_EQ(move.kind, RelayoutKind::Move);
  EXPECT_EQ(move.cost, 2u * 2);
  RelayoutPlan shared =
      planRelayout(rows, makeAccumulatorLayout({64, 64}, {1, 4, 4}));
  EXPECT_EQ(shared.kind, RelayoutKind::Shared);
  EXPECT_EQ(shared.cost, 8u * 32 + 16);
}
