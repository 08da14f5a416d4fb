// Part of Scanweft, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

//===----------------------------------------------------------------------===//
// Layouts against evaluation of every input, and linear algebra against
// enumeration.
//===----------------------------------------------------------------------===//

#include "LayoutTesting.h"
#include <gtest/gtest.h>
#include <map>

using namespace llvm;
using namespace scanweft;
using namespace scanweft::testing;

/// The accumulator that the header comment explains.
static LinearLayout makeExample() {
  return LinearLayout({16, 8}, {{0, 1}, {8, 0}},
                      {{0, 2}, {0, 4}, {1, 0}, {2, 0}, {4, 0}}, {});
}

/// XOR of the columns of a set.
static uint64_t combine(ArrayRef<uint64_t> columns, uint64_t set) {
  uint64_t sum = 0;
  for (auto [index, column] : enumerate(columns))
    if (set >> index & 1)
      sum ^= column;
  return sum;
}

static SmallVector<uint64_t> randomColumns(RandomLayouts &random,
                                           unsigned numBits) {
  SmallVector<uint64_t> columns(random.below(9));
  for (uint64_t &column : columns)
    column = random.below(1u << numBits);
  return columns;
}

TEST(LinearLayout, Example) {
  LinearLayout layout = makeExample();
  EXPECT_EQ(layout.at(3, 5), Coordinates({9, 3}));
  EXPECT_EQ(layout.getNumRegisters(), 4u);
  EXPECT_EQ(layout.getNumWarps(), 1u);
  EXPECT_EQ(layout.str(), "16x8 register [[0, 1], [8, 0]] lane [[0, 2], "
                          "[0, 4], [1, 0], [2, 0], [4, 0]] warp []");
}

TEST(LinearLayout, ScalarOfAThread) {
  LinearLayout layout;
  EXPECT_EQ(layout.getRank(), 0u);
  EXPECT_EQ(layout.at(0, 31), Coordinates());
  EXPECT_TRUE(layout.isSurjective());
  EXPECT_EQ(layout.getReplicationMask(LayoutInput::Lane), 31u);
  EXPECT_EQ(layout.str(), "scalar register [] lane [[], [], [], [], []] "
                          "warp []");
}

TEST(LinearLayout, RankAgreesWithTheSizeOfTheSpan) {
  RandomLayouts random(1);
  for (unsigned round = 0; round < 300; ++round) {
    SmallVector<uint64_t> columns = randomColumns(random, 6);
    std::set<uint64_t> span;
    for (uint64_t set : seq(uint64_t(1) << columns.size()))
      span.insert(combine(columns, set));
    EXPECT_EQ(uint64_t(1) << getRankOverBits(columns), span.size());
  }
  SmallVector<uint64_t> many(100, 3);
  many.push_back(uint64_t(1) << 63);
  EXPECT_EQ(getRankOverBits(many), 2u);
}

TEST(LinearLayout, SolutionsAreTheLowestSets) {
  RandomLayouts random(2);
  for (unsigned round = 0; round < 300; ++round) {
    SmallVector<uint64_t> columns = randomColumns(random, 5);
    std::map<uint64_t, uint64_t> lowest;
    for (uint64_t set : seq(uint64_t(1) << columns.size()))
      lowest.try_emplace(combine(columns, set), set);
    for (uint64_t target : seq(uint64_t(32))) {
      std::optional<uint64_t> found = solveOverBits(columns, target);
      auto expected = lowest.find(target);
      ASSERT_EQ(found.has_value(), expected != lowest.end());
      if (found) {
        EXPECT_EQ(*found, expected->second);
      }
    }
  }
}

TEST(LinearLayout, FlattenedCoordinatesAreRowMajorAndLinear) {
  EXPECT_EQ(flattenCoordinates({3, 5, 1}, {4, 8, 2}), (3u * 8 + 5) * 2 + 1);
  EXPECT_EQ(flattenCoordinates({1, 5}, {2, 24}), 32u + 5);
  EXPECT_EQ(flattenCoordinates({}, {}), 0u);
}

TEST(LinearLayout, FindRegisterIsTheLowestOfAll) {
  RandomLayouts random(3);
  unsigned numMissing = 0;
  for (unsigned round = 0; round < 200; ++round) {
    auto shape = random.shape(2, 2);
    LinearLayout layout = random.any(shape, 4, 0, /*cutOff=*/random.oneIn(2));
    std::map<Point, unsigned> lowest;
    for (unsigned reg : seq(layout.getNumRegisters()))
      lowest.try_emplace(toPoint(layout.at(reg)), reg);
    for (int32_t row : seq<int32_t>(-1, shape[0] + 1))
      for (int32_t column : seq<int32_t>(-1, shape[1] + 1)) {
        std::optional<unsigned> found = layout.findRegister({row, column});
        auto expected = lowest.find({row, column});
        ASSERT_EQ(found.has_value(), expected != lowest.end());
        if (found)
          EXPECT_EQ(*found, expected->second);
        else
          ++numMissing;
      }
  }
  EXPECT_GT(numMissing, 1000u);
}

TEST(LinearLayout, DropDimAgreesPointByPoint) {
  RandomLayouts random(4);
  for (unsigned round = 0; round < 200; ++round) {
    auto shape = random.shape(1 + random.below(3), 3);
    LinearLayout layout = random.any(shape, 4, 1, random.oneIn(2));
    unsigned dim = random.below(shape.size());
    LinearLayout dropped = layout.dropDim(dim);
    // What a register of the tile becomes: bits along `dim` alone close up.
    auto project = [&](unsigned reg) {
      unsigned closed = 0, position = 0;
      for (auto [bit, basis] :
           enumerate(layout.getBases(LayoutInput::Register))) {
        Coordinates rest = basis;
        rest.erase(rest.begin() + dim);
        if (any_of(rest, [](int32_t step) { return step != 0; }))
          closed |= (reg >> bit & 1) << position++;
      }
      return closed;
    };
    std::set<unsigned> registers;
    forEachInput(layout, [&](unsigned reg, unsigned lane, unsigned warp) {
      Coordinates expected = layout.at(reg, lane, warp);
      expected.erase(expected.begin() + dim);
      EXPECT_EQ(dropped.at(project(reg), lane, warp), expected);
      registers.insert(project(reg));
    });
    EXPECT_EQ(registers.size(), dropped.getNumRegisters());
    EXPECT_EQ(*registers.rbegin() + 1, dropped.getNumRegisters());
  }
}

TEST(LinearLayout, KeepDimsDropsTheOthers) {
  RandomLayouts random(5);
  LinearLayout layout = random.any({4, 8, 2}, 4, 1);
  EXPECT_EQ(layout.keepDims({0, 1, 2}), layout);
  EXPECT_EQ(layout.keepDims({1}), layout.dropDim(2).dropDim(0));
  EXPECT_EQ(layout.keepDims({0, 2}), layout.dropDim(1));
  EXPECT_EQ(layout.keepDims({}).getRank(), 0u);
}

TEST(LinearLayout, PermuteDimsAgreesPointByPoint) {
  RandomLayouts random(6);
  for (unsigned round = 0; round < 50; ++round) {
    auto shape = random.shape(3, 3);
    LinearLayout layout = random.any(shape, 3, 1, random.oneIn(2));
    SmallVector<unsigned> permutation = {0, 1, 2};
    std::swap(permutation[random.below(3)], permutation[random.below(3)]);
    std::swap(permutation[0], permutation[random.below(3)]);
    LinearLayout permuted = layout.permuteDims(permutation);
    forEachInput(layout, [&](unsigned reg, unsigned lane, unsigned warp) {
      Coordinates source = layout.at(reg, lane, warp);
      Coordinates result = permuted.at(reg, lane, warp);
      for (auto [to, from] : enumerate(permutation)) {
        EXPECT_EQ(result[to], source[from]);
        EXPECT_EQ(permuted.getShape()[to], shape[from]);
      }
    });
  }
}

TEST(LinearLayout, SurjectiveWhereEveryElementIsHeld) {
  RandomLayouts random(7);
  unsigned numSurjective = 0;
  for (unsigned round = 0; round < 300; ++round) {
    auto shape = random.shape(2, 3);
    if (random.oneIn(3))
      shape[1] = 3 + 2 * random.below(2);
    LinearLayout layout = random.any(shape, 3, 1, random.oneIn(2));
    std::set<Point> held;
    forEachInput(layout, [&](unsigned reg, unsigned lane, unsigned warp) {
      Point point = toPoint(layout.at(reg, lane, warp));
      if (point[1] < shape[1])
        held.insert(point);
    });
    bool isSurjective = held.size() == uint64_t(shape[0] * shape[1]);
    EXPECT_EQ(layout.isSurjective(), isSurjective) << layout.str();
    numSurjective += isSurjective;
  }
  EXPECT_GT(numSurjective, 30u);
  EXPECT_LT(numSurjective, 270u);
}

/// Inputs that store when those with a bit of the masks stay silent.
static std::multiset<Point> getStored(const LinearLayout &layout) {
  std::array<unsigned, 3> masks;
  for (LayoutInput input : layoutInputs)
    masks[static_cast<unsigned>(input)] = layout.getReplicationMask(input);
  std::multiset<Point> stored;
  forEachInput(layout, [&](unsigned reg, unsigned lane, unsigned warp) {
    if (!(reg & masks[0]) && !(lane & masks[1]) && !(warp & masks[2]))
      stored.insert(toPoint(layout.at(reg, lane, warp)));
  });
  return stored;
}

static std::set<Point> getHeld(const LinearLayout &layout) {
  std::set<Point> held;
  forEachInput(layout, [&](unsigned reg, unsigned lane, unsigned warp) {
    held.insert(toPoint(layout.at(reg, lane, warp)));
  });
  return held;
}

TEST(LinearLayout, OneOfEqualCopiesIsNotReplicated) {
  RandomLayouts random(8);
  unsigned numReplicated = 0;
  for (unsigned round = 0; round < 200; ++round) {
    LinearLayout layout = random.any(random.shape(2, 4), 3, 2);
    std::set<Point> held = getHeld(layout);
    std::multiset<Point> stored = getStored(layout);
    EXPECT_EQ(std::set<Point>(stored.begin(), stored.end()), held);
    EXPECT_EQ(stored.size(), held.size()) << layout.str();
    numReplicated += layout.getReplicationMask(LayoutInput::Lane) != 0;
  }
  EXPECT_GT(numReplicated, 50u);
}

TEST(LinearLayout, CutOffLayoutsStoreEverything) {
  RandomLayouts random(9);
  for (unsigned round = 0; round < 200; ++round) {
    LinearLayout layout = random.any(random.shape(2, 4), 3, 2, true);
    std::multiset<Point> stored = getStored(layout);
    EXPECT_EQ(std::set<Point>(stored.begin(), stored.end()), getHeld(layout))
        << layout.str();
  }
}

TEST(LinearLayout, LowestInputsWinReplication) {
  // Registers hold the bit, so that lane 0 and warp 1 replicate it.
  LinearLayout layout({2}, {{1}, {0}}, {{1}, {0}, {0}, {0}, {0}}, {{0}, {1}});
  EXPECT_EQ(layout.getReplicationMask(LayoutInput::Register), 2u);
  EXPECT_EQ(layout.getReplicationMask(LayoutInput::Lane), 31u);
  EXPECT_EQ(layout.getReplicationMask(LayoutInput::Warp), 3u);
}

TEST(LinearLayout, ReplicationOfCutOffRegisters) {
  // Registers 0, 1, 2 are columns 0, 1, 2: column 3 is in the span of their
  // bits, but no register holds it, and lane 0 does not replicate.
  Bases lanes = {{3}, {0}, {0}, {0}, {0}};
  LinearLayout whole({4}, {{1}, {2}}, lanes, {});
  LinearLayout cut({4}, {{1}, {2}}, lanes, {}, 3);
  EXPECT_EQ(whole.getReplicationMask(LayoutInput::Lane), 31u);
  EXPECT_EQ(cut.getReplicationMask(LayoutInput::Lane), 30u);
  EXPECT_TRUE(cut.isSurjective());
}

TEST(LinearLayout, EqualityAndHash) {
  LinearLayout layout = makeExample(), same = makeExample();
  EXPECT_EQ(layout, same);
  EXPECT_EQ(hash_value(layout), hash_value(same));
  LinearLayout cut(layout.getShape(), layout.getBases(LayoutInput::Register),
                   layout.getBases(LayoutInput::Lane), {}, 3);
  EXPECT_NE(layout, cut);
  EXPECT_NE(hash_value(layout), hash_value(cut));
  EXPECT_EQ(cut.str(), layout.str() + " cut off at 3 registers");
  // Cut off at a power of two, the bits above it are gone.
  LinearLayout half(layout.getShape(), layout.getBases(LayoutInput::Register),
                    layout.getBases(LayoutInput::Lane), {}, 2);
  EXPECT_EQ(half, LinearLayout(layout.getShape(), {{0, 1}},
                               layout.getBases(LayoutInput::Lane), {}));
  EXPECT_NE(layout, layout.permuteDims({1, 0}));
  RandomLayouts random(10);
  std::set<size_t> codes;
  for (unsigned round = 0; round < 100; ++round)
    codes.insert(hash_value(random.any({64, 64}, 4, 2)));
  EXPECT_EQ(codes.size(), 100u);
}
