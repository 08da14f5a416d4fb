// Part of Scanweft, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

//===----------------------------------------------------------------------===//
// The named layouts: what each promises, that a product and its operands meet
// in every warp, and that their registers are the instructions' fragments.
//===----------------------------------------------------------------------===//

#include "LayoutTesting.h"
#include "scanweft/Layout/Fragments.h"
#include "scanweft/Layout/Relayout.h"
#include <gtest/gtest.h>
#include <map>

using namespace llvm;
using namespace scanweft;
using namespace scanweft::testing;

/// Sizes of a product, its warps, and how the operands' tiles lie.
struct Product {
  int64_t rows, columns, contracted;
  unsigned numWarps;
  bool isTurnedA, isTurnedB;
  unsigned step;

  WarpGrid getGrid() const { return splitWarps(numWarps, rows, columns); }
  LinearLayout getResult() const {
    return makeAccumulatorLayout({rows, columns}, getGrid());
  }
  /// A as (row, k) and B as (k, column), however their tiles lie.
  LinearLayout getA() const {
    return isTurnedA ? makeOperandALayout({contracted, rows}, 0, getGrid())
                           .permuteDims({1, 0})
                     : makeOperandALayout({rows, contracted}, 1, getGrid());
  }
  LinearLayout getB() const {
    return isTurnedB
               ? makeOperandBLayout({columns, contracted}, 1, getGrid(), step)
                     .permuteDims({1, 0})
               : makeOperandBLayout({contracted, columns}, 0, getGrid(), step);
  }
};

static std::vector<Product> getProducts() {
  std::vector<Product> products;
  for (auto [rows, columns, contracted] :
       {std::tuple(16, 8, 16), std::tuple(64, 64, 64), std::tuple(32, 128, 16),
        std::tuple(128, 16, 32), std::tuple(64, 24, 16), std::tuple(64, 96, 32),
        std::tuple(16, 40, 32), std::tuple(48, 64, 16), std::tuple(96, 32, 16),
        std::tuple(64, 32, 48)})
    for (unsigned numWarps : {1u, 2u, 4u, 8u})
      for (unsigned turned : {0u, 1u, 2u, 3u})
        for (unsigned step : {8u, 16u})
          products.push_back({rows, columns, contracted, numWarps,
                              (turned & 1) != 0, (turned & 2) != 0, step});
  return products;
}

/// Coordinates along `dim` that a warp holds.
static std::set<int32_t> getHeldBy(const LinearLayout &layout, unsigned dim,
                                   unsigned warp) {
  std::set<int32_t> held;
  for (unsigned lane : seq(32u))
    for (unsigned reg : seq(layout.getNumRegisters()))
      held.insert(layout.at(reg, lane, warp)[dim]);
  return held;
}

TEST(Layouts, WarpsOfAProduct) {
  auto expectGrid = [](WarpGrid grid, unsigned rows, unsigned columns) {
    EXPECT_EQ(grid.rows, rows);
    EXPECT_EQ(grid.columns, columns);
    EXPECT_EQ(grid.count, 4u);
  };
  expectGrid(splitWarps(4, 64, 64), 4, 1);
  expectGrid(splitWarps(4, 32, 64), 2, 2);
  expectGrid(splitWarps(4, 16, 8), 1, 1);
  expectGrid(splitWarps(4, 128, 8), 4, 1);
  expectGrid(splitWarps(4, 48, 64), 1, 4);
  expectGrid(splitWarps(4, 96, 24), 2, 1);
  expectGrid(splitWarps(4, 16, 48), 1, 2);
}

TEST(Layouts, OperandsMeetInEveryWarp) {
  for (const Product &product : getProducts()) {
    LinearLayout result = product.getResult();
    LinearLayout a = product.getA(), b = product.getB();
    for (const LinearLayout &layout : {result, a, b})
      ASSERT_TRUE(layout.isSurjective()) << layout.str();
    for (unsigned warp : seq(product.numWarps)) {
      EXPECT_EQ(getHeldBy(a, 0, warp), getHeldBy(result, 0, warp));
      EXPECT_EQ(getHeldBy(b, 1, warp), getHeldBy(result, 1, warp));
      EXPECT_EQ(int64_t(getHeldBy(a, 1, warp).size()), product.contracted);
      EXPECT_EQ(int64_t(getHeldBy(b, 0, warp).size()), product.contracted);
    }
  }
}

TEST(Layouts, FragmentsHoldNothingTwiceInAWarp) {
  for (const Product &product : getProducts()) {
    WarpGrid grid = product.getGrid();
    auto expectRegisters = [&](const LinearLayout &layout, int64_t elements) {
      EXPECT_EQ(layout.getNumRegisters(), elements / 32) << layout.str();
      EXPECT_EQ(layout.getReplicationMask(LayoutInput::Register), 0u);
      EXPECT_EQ(layout.getReplicationMask(LayoutInput::Lane), 0u);
    };
    int64_t rows = product.rows / grid.rows;
    int64_t columns = product.columns / grid.columns;
    expectRegisters(product.getResult(), rows * columns);
    expectRegisters(product.getA(), rows * product.contracted);
    expectRegisters(product.getB(), columns * product.contracted);
    unsigned idle = product.numWarps / (grid.rows * grid.columns);
    EXPECT_EQ(1u << popcount(
                  product.getResult().getReplicationMask(LayoutInput::Warp)),
              idle);
  }
}

/// Whether registers `group` * size .. of `layout` are the fragment, moved by
/// the coordinates of its first element. `renamed` maps an element of the
/// fragment to its register in the group and its coordinates to the tile's.
static void expectGroups(const LinearLayout &layout, StringRef name,
                         function_ref<unsigned(unsigned)> reg,
                         function_ref<Coordinates(Coordinates)> coords) {
  const Fragment *fragment = findFragment(name);
  ASSERT_NE(fragment, nullptr);
  unsigned size = fragment->layout.getNumRegisters();
  ASSERT_EQ(layout.getNumRegisters() % size, 0u);
  for (unsigned start = 0; start < layout.getNumRegisters(); start += size)
    forEachInput(fragment->layout, [&](unsigned element, unsigned lane,
                                       unsigned) {
      for (unsigned warp : seq(layout.getNumWarps())) {
        Coordinates expected = layout.at(start, 0, warp);
        for (auto [coord, step] :
             zip_equal(expected, coords(fragment->layout.at(element, lane))))
          coord ^= step;
        ASSERT_EQ(layout.at(start + reg(element), lane, warp), expected)
            << name.str() << ' ' << layout.str();
      }
    });
}

static unsigned keepRegister(unsigned reg) { return reg; }
static Coordinates keepCoords(Coordinates coords) { return coords; }

TEST(Layouts, RegistersAreFragmentsInOrder) {
  for (const Product &product : getProducts()) {
    expectGroups(product.getResult(), "mma.c", keepRegister, keepCoords);
    if (product.step == 16)
      expectGroups(product.getB(), "mma.b.bf16", keepRegister, keepCoords);
    if (isPowerOf2_64(product.contracted))
      expectGroups(product.getA(), "mma.a.f16", keepRegister, keepCoords);
  }
}

/// tf32 instructions see k in another order, the same in A and B: position t
/// stands for 2t, position t + 4 for 2t + 1.
static int32_t renamePosition(int32_t k) { return k < 4 ? 2 * k : 2 * k - 7; }

TEST(Layouts, RegistersAreFragmentsOfTf32WithKRenamed) {
  // Row 8 and the second half of k have changed places.
  auto swapRegisters = [](unsigned reg) {
    return (reg & 1) << 1 | (reg >> 1 & 1);
  };
  for (const Product &product : getProducts()) {
    if (product.step != 8)
      continue;
    expectGroups(product.getB(), "mma.b.tf32", keepRegister,
                 [](Coordinates coords) {
                   return Coordinates{renamePosition(coords[0]), coords[1]};
                 });
    if (isPowerOf2_64(product.contracted))
      expectGroups(product.getA(), "mma.a.tf32", swapRegisters,
                   [](Coordinates coords) {
                     return Coordinates{coords[0], renamePosition(coords[1])};
                   });
  }
}

TEST(Layouts, AccumulatorIsTheNextProductsOperand) {
  for (int64_t columns : {8, 16, 24, 40, 64, 96, 128})
    for (unsigned numWarps : {1u, 2u, 4u}) {
      WarpGrid grid = {numWarps, 1, numWarps};
      LinearLayout result = makeAccumulatorLayout({64, columns}, grid);
      // Its columns are k: as it stands, also where the tile is turned.
      EXPECT_EQ(result, makeOperandALayout({64, columns}, 1, grid));
      EXPECT_EQ(result.permuteDims({1, 0}),
                makeOperandALayout({columns, 64}, 0, grid));
      // Replicated warps change nothing.
      WarpGrid wider = {numWarps, 1, 2 * numWarps};
      EXPECT_EQ(makeAccumulatorLayout({64, columns}, wider),
                makeOperandALayout({64, columns}, 1, wider));
    }
}

TEST(Layouts, AccumulatorIsOperandBOfItsTransposeUpToOrder) {
  LinearLayout result = makeAccumulatorLayout({16, 64}, {1, 1, 1});
  LinearLayout b = makeOperandBLayout({16, 64}, 1, {1, 1, 1}, 16);
  RelayoutPlan plan = planRelayout(result, b);
  EXPECT_EQ(plan.kind, RelayoutKind::Rename);
  EXPECT_EQ(plan.cost, 0u);
}

TEST(Layouts, AccumulatorsOfWarpgroups) {
  for (int64_t columns = 8; columns <= 256; columns += 8) {
    const Fragment *fragment =
        findFragment("wgmma.d.n" + std::to_string(columns));
    ASSERT_NE(fragment, nullptr);
    EXPECT_EQ(makeAccumulatorLayout({64, columns}, {4, 1, 4}),
              fragment->layout);
  }
}

TEST(Layouts, CutOffRegisterCounts) {
  auto count = [](int64_t rows, int64_t columns, WarpGrid grid) {
    LinearLayout layout = makeAccumulatorLayout({rows, columns}, grid);
    EXPECT_TRUE(layout.isSurjective()) << layout.str();
    return layout.getNumRegisters();
  };
  EXPECT_EQ(count(64, 24, {4, 1, 4}), 12u);
  EXPECT_EQ(count(64, 40, {4, 1, 4}), 20u);
  EXPECT_EQ(count(64, 96, {4, 1, 4}), 48u);
  EXPECT_EQ(count(64, 96, {2, 2, 4}), 48u);
  EXPECT_EQ(count(64, 96, {1, 4, 4}), 48u);
  EXPECT_EQ(count(128, 24, {4, 1, 4}), 24u);
  EXPECT_EQ(count(48, 64, {1, 1, 1}), 96u);
  // A reduction leaves rows 8 and 64 apart, or the columns of one row.
  LinearLayout layout = makeAccumulatorLayout({128, 24}, {4, 1, 4});
  EXPECT_EQ(layout.dropDim(1).getNumRegisters(), 4u);
  EXPECT_EQ(layout.dropDim(0).getNumRegisters(), 6u);
  EXPECT_TRUE(layout.dropDim(0).isSurjective());
}

TEST(Layouts, OneLinePerThread) {
  for (unsigned dim : {0u, 1u, 2u}) {
    LinearLayout layout = makeLinesLayout({32, 128, 64}, dim, 2);
    forEachInput(layout, [&](unsigned reg, unsigned lane, unsigned warp) {
      Coordinates coords = layout.at(reg, lane, warp);
      int64_t size = layout.getShape()[dim], thread = lane + 32 * warp;
      SmallVector<int64_t> rest(layout.getShape());
      rest.erase(rest.begin() + dim);
      int64_t numOthers = rest[0] * rest[1];
      ASSERT_EQ(coords[dim], thread % size + 64 * (reg / numOthers));
      coords.erase(coords.begin() + dim);
      ASSERT_EQ(flattenCoordinates(coords, rest), reg % numOthers);
    });
  }
  EXPECT_EQ(makeLinesLayout({96}, 0, 1).getNumRegisters(), 3u);
  LinearLayout few = makeLinesLayout({16, 4}, 0, 4);
  EXPECT_EQ(few.getReplicationMask(LayoutInput::Lane), 16u);
  EXPECT_EQ(few.getReplicationMask(LayoutInput::Warp), 3u);
}

TEST(Layouts, VectorsInEveryWarp) {
  for (int64_t size : {1, 8, 32, 64, 96, 256}) {
    LinearLayout layout = makeVectorLayout(size, 4);
    EXPECT_EQ(layout.getNumRegisters(), std::max<int64_t>(1, size / 32));
    EXPECT_EQ(layout.getReplicationMask(LayoutInput::Warp), 3u);
    forEachInput(layout, [&](unsigned reg, unsigned lane, unsigned) {
      EXPECT_EQ(layout.at(reg, lane)[0], int64_t(lane % size + 32 * reg));
    });
  }
}

TEST(Layouts, PiecesInRowMajorOrder) {
  SmallVector<SmallVector<int64_t>> shapes = {
      {64, 64}, {4, 16, 32}, {256}, {2, 4}};
  for (ArrayRef<int64_t> shape : shapes)
    for (unsigned perLane : {1u, 4u, 8u}) {
      LinearLayout layout = makePiecesLayout(shape, perLane, 2);
      EXPECT_TRUE(layout.isSurjective());
      int64_t piece = std::min<int64_t>(perLane, shape.back());
      int64_t numElements = 1;
      for (int64_t size : shape)
        numElements *= size;
      forEachInput(layout, [&](unsigned reg, unsigned lane, unsigned warp) {
        int64_t thread = lane + 32 * warp;
        int64_t start = (thread + 64 * (reg / piece)) * piece;
        ASSERT_EQ(
            int64_t(flattenCoordinates(layout.at(reg, lane, warp), shape)),
            start % numElements + reg % piece);
      });
    }
}

TEST(Layouts, ScalarsInEveryThread) {
  LinearLayout layout = makeScalarLayout(4);
  EXPECT_EQ(layout.getNumRegisters(), 1u);
  EXPECT_EQ(layout.getNumWarps(), 4u);
  EXPECT_EQ(layout, makePiecesLayout({}, 8, 4));
  EXPECT_EQ(layout.getReplicationMask(LayoutInput::Lane), 31u);
  EXPECT_EQ(layout.getReplicationMask(LayoutInput::Warp), 3u);
  EXPECT_EQ(layout, makeVectorLayout(8, 4).dropDim(0));
}
