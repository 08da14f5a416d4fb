// Part of Scanweft, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

//===----------------------------------------------------------------------===//
// The table of fragments against the formulas of the PTX ISA manual, in its
// terms: groupID = lane / 4, threadID_in_group = lane % 4, element number i.
//===----------------------------------------------------------------------===//

#include "scanweft/Layout/Fragments.h"
#include "LayoutTesting.h"
#include <gtest/gtest.h>

using namespace llvm;
using namespace scanweft;
using namespace scanweft::testing;

/// Where the manual says element i of a thread is.
using Formula =
    function_ref<Coordinates(int32_t i, int32_t group, int32_t thread)>;

static const LinearLayout &getLayout(StringRef name) {
  const Fragment *fragment = findFragment(name);
  EXPECT_NE(fragment, nullptr) << name.str();
  return fragment->layout;
}

/// `rowDim` is the dim along which the warps of a warpgroup have 16 each.
static void expectFormula(StringRef name, Formula formula) {
  const LinearLayout &layout = getLayout(name);
  forEachInput(layout, [&](unsigned reg, unsigned lane, unsigned warp) {
    Coordinates expected = formula(reg, lane / 4, lane % 4);
    if (warp)
      expected[0] += 16 * warp;
    ASSERT_EQ(layout.at(reg, lane, warp), expected)
        << name.str() << " element " << reg << " lane " << lane;
  });
}

TEST(Fragments, MapsAreOneToOne) {
  std::set<std::string> names;
  for (const Fragment &fragment : getFragments()) {
    const LinearLayout &layout = fragment.layout;
    EXPECT_TRUE(names.insert(fragment.name).second) << fragment.name;
    EXPECT_EQ(findFragment(fragment.name), &fragment);
    EXPECT_EQ(fragment.dims.size(), layout.getRank());
    EXPECT_FALSE(fragment.source.empty());
    std::set<Point> points;
    forEachInput(layout, [&](unsigned reg, unsigned lane, unsigned warp) {
      Coordinates coords = layout.at(reg, lane, warp);
      for (auto [coord, size] : zip_equal(coords, layout.getShape()))
        EXPECT_TRUE(coord >= 0 && coord < size) << fragment.name;
      EXPECT_TRUE(points.insert(toPoint(coords)).second) << fragment.name;
    });
    size_t numElements = 1;
    for (int64_t size : layout.getShape())
      numElements *= size;
    EXPECT_EQ(points.size(), numElements) << fragment.name;
  }
  EXPECT_EQ(names.size(), 52u);
  EXPECT_EQ(findFragment("mma.a.s4"), nullptr);
}

TEST(Fragments, RegistersOfInstructions) {
  auto registers = [](StringRef name) {
    return findFragment(name)->getNumRegisters();
  };
  for (std::string type : {"bf16", "f16", "tf32", "e4m3"}) {
    EXPECT_EQ(registers("mma.a." + type), 4u);
    EXPECT_EQ(registers("mma.b." + type), 2u);
    EXPECT_EQ(registers("wgmma.a." + type), 4u);
  }
  EXPECT_EQ(registers("mma.c"), 4u);
  for (unsigned columns = 8; columns <= 256; columns += 8)
    EXPECT_EQ(registers("wgmma.d.n" + std::to_string(columns)), columns / 2);
  for (unsigned count : {1u, 2u, 4u}) {
    EXPECT_EQ(registers("ldmatrix.x" + std::to_string(count)), count);
    EXPECT_EQ(registers("ldmatrix.x" + std::to_string(count) + ".trans"),
              count);
  }
  EXPECT_EQ(registers("movmatrix.trans"), 1u);
}

TEST(Fragments, OperandA) {
  for (std::string kind : {"mma", "wgmma"}) {
    for (std::string type : {".a.bf16", ".a.f16"})
      expectFormula(kind + type, [](int32_t i, int32_t group, int32_t thread) {
        bool isLowRow = i < 2 || (i >= 4 && i < 6);
        return Coordinates{isLowRow ? group : group + 8,
                           thread * 2 + (i & 1) + (i < 4 ? 0 : 8)};
      });
    expectFormula(kind + ".a.tf32",
                  [](int32_t i, int32_t group, int32_t thread) {
                    return Coordinates{i == 0 || i == 2 ? group : group + 8,
                                       i < 2 ? thread : thread + 4};
                  });
    expectFormula(kind + ".a.e4m3",
                  [](int32_t i, int32_t group, int32_t thread) {
                    bool isLowRow = i < 4 || (i >= 8 && i < 12);
                    return Coordinates{isLowRow ? group : group + 8,
                                       thread * 4 + (i & 3) + (i < 8 ? 0 : 16)};
                  });
  }
}

TEST(Fragments, OperandB) {
  for (std::string type : {"bf16", "f16"})
    expectFormula(
        "mma.b." + type, [](int32_t i, int32_t group, int32_t thread) {
          return Coordinates{thread * 2 + (i & 1) + (i < 2 ? 0 : 8), group};
        });
  expectFormula("mma.b.tf32", [](int32_t i, int32_t group, int32_t thread) {
    return Coordinates{i == 0 ? thread : thread + 4, group};
  });
  expectFormula("mma.b.e4m3", [](int32_t i, int32_t group, int32_t thread) {
    return Coordinates{thread * 4 + (i & 3) + (i < 4 ? 0 : 16), group};
  });
}

TEST(Fragments, Accumulators) {
  auto formula = [](int32_t i, int32_t group, int32_t thread) {
    return Coordinates{i % 4 < 2 ? group : group + 8,
                       8 * (i / 4) + thread * 2 + (i & 1)};
  };
  expectFormula("mma.c", formula);
  for (unsigned columns = 8; columns <= 256; columns += 8)
    expectFormula("wgmma.d.n" + std::to_string(columns), formula);
}

TEST(Fragments, MatrixMoves) {
  for (unsigned count : {1, 2, 4}) {
    std::string name = "ldmatrix.x" + std::to_string(count);
    expectFormula(name, [](int32_t i, int32_t group, int32_t thread) {
      return Coordinates{i / 2, group, 2 * thread + i % 2};
    });
    expectFormula(name + ".trans",
                  [](int32_t i, int32_t group, int32_t thread) {
                    return Coordinates{i / 2, 2 * thread + i % 2, group};
                  });
  }
  // The source of movmatrix is as ldmatrix.x1 leaves it; the result holds what
  // .trans would have loaded.
  EXPECT_EQ(getLayout("movmatrix.trans"),
            getLayout("ldmatrix.x1.trans").dropDim(0));
}

TEST(Fragments, PackedAccumulatorsAreOperands) {
  // Columns 16 j .. of the accumulator are A of k step j, in register order.
  const LinearLayout &result = getLayout("wgmma.d.n64");
  forEachInput(getLayout("wgmma.a.bf16"), [&](unsigned reg, unsigned lane,
                                              unsigned warp) {
    for (unsigned step : seq(4u)) {
      Coordinates expected = getLayout("wgmma.a.bf16").at(reg, lane, warp);
      expected[1] += 16 * step;
      EXPECT_EQ(result.at(8 * step + reg, lane, warp), expected);
    }
  });
  // Rows 0 .. 7 of two accumulators side by side are B of their transpose.
  const LinearLayout &b = getLayout("mma.b.bf16");
  forEachInput(b, [&](unsigned reg, unsigned lane, unsigned) {
    Coordinates half = getLayout("mma.c").at(reg & 1, lane);
    Coordinates expected = {half[1] + 8 * static_cast<int32_t>(reg >> 1),
                            half[0]};
    EXPECT_EQ(b.at(reg, lane), expected);
  });
}
