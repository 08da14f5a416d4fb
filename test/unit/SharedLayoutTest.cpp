// Part of Scanweft, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

//===----------------------------------------------------------------------===//
// Shared memory: swizzles lose nothing, addresses and vector widths agree with
// evaluation, matrix loads deliver what the layout holds, and costs are those
// of known accesses.
//===----------------------------------------------------------------------===//

#include "scanweft/Layout/SharedLayout.h"
#include "LayoutTesting.h"
#include "scanweft/Layout/Fragments.h"
#include "llvm/ADT/SmallVectorExtras.h"
#include <gtest/gtest.h>

using namespace llvm;
using namespace scanweft;
using namespace scanweft::testing;

static SharedLayout makeShared(ArrayRef<int64_t> shape, unsigned width,
                               unsigned mask = 0, unsigned left = 0) {
  SharedLayout shared;
  shared.shape.assign(shape.begin(), shape.end());
  shared.width = width;
  shared.left = left;
  shared.mask = mask;
  return shared;
}

/// Lanes at multiples of `stride` bytes.
static SmallVector<int64_t> makeAddresses(int64_t stride, unsigned lanes = 32) {
  return map_to_vector(seq(lanes),
                       [&](unsigned lane) -> int64_t { return lane * stride; });
}

TEST(SharedLayout, CandidatesAreLinearPermutations) {
  RandomLayouts random(21);
  for (unsigned width : {1u, 2u, 4u, 8u})
    for (auto [rows, columns] :
         {std::pair(64, 64), std::pair(8, 16), std::pair(16, 128),
          std::pair(128, 8), std::pair(2, 2)}) {
      auto candidates = getSharedCandidates({rows, columns}, width, true);
      EXPECT_EQ(candidates[0].mask, 0u);
      for (const SharedLayout &shared : candidates) {
        std::set<int64_t> offsets;
        for (int32_t row : seq(rows))
          for (int32_t column : seq(columns))
            offsets.insert(shared.offset({row, column}));
        EXPECT_EQ(int64_t(offsets.size()), shared.getNumElements());
        EXPECT_EQ(*offsets.begin(), 0);
        EXPECT_EQ(*offsets.rbegin() + 1, shared.getNumElements());
        for (unsigned round = 0; round < 10; ++round) {
          Coordinates a = random.basis(shared.shape);
          Coordinates b = random.basis(shared.shape);
          EXPECT_EQ(shared.offset({a[0] ^ b[0], a[1] ^ b[1]}),
                    shared.offset(a) ^ shared.offset(b));
        }
      }
    }
}

TEST(SharedLayout, Candidates) {
  // 128-byte lines have 8 units: masks of 1, 2, 3 bits that fit at each place.
  auto candidates = getSharedCandidates({64, 64}, 2);
  EXPECT_EQ(candidates.size(), 1u + 3 * (3 + 2 + 1));
  EXPECT_EQ(getSharedCandidates({64, 64}, 2, true).size(),
            2 * candidates.size());
  EXPECT_EQ(getSharedCandidates({64}, 4).size(), 1u);
  EXPECT_EQ(getSharedCandidates({}, 4).size(), 1u);
  EXPECT_EQ(getSharedCandidates({4, 64, 64}, 4).size(), 1u);
  // Four lines have two bits to mix in: one of three places, or both of two.
  EXPECT_EQ(getSharedCandidates({4, 64}, 2).size(), 1u + 2 * 3 + 2);
  // One unit a line leaves nothing to exchange.
  EXPECT_EQ(getSharedCandidates({64, 8}, 2).size(), 1u);
}

TEST(SharedLayout, OffsetsOfOtherRanks) {
  EXPECT_EQ(makeShared({}, 4).offset({}), 0);
  EXPECT_EQ(makeShared({}, 4).getNumElements(), 1);
  EXPECT_EQ(makeShared({32}, 4).offset({7}), 7);
  EXPECT_EQ(makeShared({2, 4, 8}, 4).offset({1, 2, 3}), (1 * 4 + 2) * 8 + 3);
  SharedLayout columns = makeShared({4, 8}, 4);
  columns.contiguous = 0;
  EXPECT_EQ(columns.offset({3, 5}), 5 * 4 + 3);
}

TEST(SharedLayout, ComposingAgreesPointByPoint) {
  RandomLayouts random(22);
  for (unsigned round = 0; round < 50; ++round) {
    SmallVector<int64_t> shape = {16, 64};
    auto candidates = getSharedCandidates(shape, 2, true);
    const SharedLayout &shared = candidates[random.below(candidates.size())];
    LinearLayout layout = random.any(shape, 4, 1, random.oneIn(2));
    LinearLayout offsets = composeWithShared(layout, shared);
    EXPECT_EQ(offsets.getShape(), ArrayRef<int64_t>(1024));
    EXPECT_EQ(offsets.getNumRegisters(), layout.getNumRegisters());
    forEachInput(layout, [&](unsigned reg, unsigned lane, unsigned warp) {
      ASSERT_EQ(offsets.at(reg, lane, warp)[0],
                shared.offset(layout.at(reg, lane, warp)));
    });
  }
}

/// Whether all aligned groups of 2^numBits registers are aligned consecutive
/// elements in every thread.
static bool areVectors(const LinearLayout &offsets, unsigned numBits) {
  unsigned size = 1u << numBits;
  bool isVector = offsets.getNumRegisters() % size == 0;
  forEachInput(offsets, [&](unsigned reg, unsigned lane, unsigned warp) {
    int32_t start = offsets.at(reg & ~(size - 1), lane, warp)[0];
    isVector &= start % size == 0 &&
                offsets.at(reg, lane, warp)[0] == int32_t(start + reg % size);
  });
  return isVector;
}

TEST(SharedLayout, VectorBitsAreTheMost) {
  RandomLayouts random(23);
  std::array<unsigned, 5> counts = {};
  for (unsigned round = 0; round < 400; ++round) {
    // Some low bits in order, any bases above them.
    unsigned width = 1u << random.below(4), low = random.below(4);
    Bases registers;
    for (unsigned bit = 0; bit < low; ++bit)
      registers.push_back({1 << bit});
    auto more = [&](Bases &bases, unsigned count) {
      int32_t above = 1 << (random.oneIn(4) ? random.below(low + 1) : low);
      for (unsigned bit = 0; bit < count; ++bit)
        bases.push_back({static_cast<int32_t>(random.below(16) * above)});
    };
    Bases lanes, warps;
    more(registers, 4 - low);
    more(lanes, numLaneBits);
    more(warps, 1);
    unsigned numRegisters = random.oneIn(3) ? 1 + random.below(16) : 0;
    LinearLayout offsets({128}, registers, lanes, warps, numRegisters);
    unsigned most = 0;
    while (width << (most + 1) <= 16 && most < 4 &&
           areVectors(offsets, most + 1))
      ++most;
    EXPECT_EQ(getVectorBits(offsets, width), most)
        << offsets.str() << " width " << width;
    ++counts[most];
  }
  for (unsigned bits : seq(4u))
    EXPECT_GT(counts[bits], 10u) << bits;
}

TEST(SharedLayout, WavefrontsOfKnownAccesses) {
  EXPECT_EQ(countWavefronts(makeAddresses(4), 4), 1u);
  EXPECT_EQ(countWavefronts(makeAddresses(0), 4), 1u) << "one word for all";
  EXPECT_EQ(countWavefronts(makeAddresses(2), 2), 1u) << "halves of words";
  EXPECT_EQ(countWavefronts(makeAddresses(8), 4), 2u);
  EXPECT_EQ(countWavefronts(makeAddresses(64), 4), 16u);
  EXPECT_EQ(countWavefronts(makeAddresses(128), 4), 32u) << "one bank";
  EXPECT_EQ(countWavefronts(makeAddresses(132), 4), 1u) << "a padded column";
  EXPECT_EQ(countWavefronts(makeAddresses(8), 8), 2u);
  EXPECT_EQ(countWavefronts(makeAddresses(16), 16), 4u);
  EXPECT_EQ(countWavefronts(makeAddresses(128), 16), 32u);
  EXPECT_EQ(countWavefronts(makeAddresses(128, 8), 16), 8u);
  EXPECT_EQ(countWavefronts(makeAddresses(16, 8), 16), 1u);
  EXPECT_EQ(countWavefronts({}, 4), 0u);
}

TEST(SharedLayout, MatrixLoadsOf128ByteRows) {
  // Four warps of 16 rows: one ldmatrix.x4 per 16 columns, four a warp. Plain,
  // the eight rows of a matrix fall into the same banks.
  LinearLayout a = makeOperandALayout({64, 64}, 1, {4, 1, 4});
  AccessCost plain = getMatrixLoadCost(a, makeShared({64, 64}, 2), 1);
  EXPECT_EQ(plain.wavefronts, 4u * 32);
  EXPECT_EQ(plain.least, 4u * 4);
  AccessCost swizzled = getMatrixLoadCost(a, makeShared({64, 64}, 2, 7), 1);
  EXPECT_EQ(swizzled.wavefronts, 4u * 4);
  EXPECT_EQ(swizzled.least, 4u * 4);
  EXPECT_EQ(getMatrixLoadCost(a, makeShared({64, 64}, 2, 3), 1).wavefronts,
            4u * 8);
  EXPECT_EQ(getUseCost(a, makeShared({64, 64}, 2, 7)), 16u);
  // Turned over, .trans reads rows of k.
  LinearLayout turned = makeOperandALayout({64, 64}, 0, {4, 1, 4});
  EXPECT_EQ(getUseCost(turned, makeShared({64, 64}, 2)), 4u * 32);
  EXPECT_EQ(getUseCost(turned, makeShared({64, 64}, 2, 7)), 4u * 4);
}

TEST(SharedLayout, OrdinaryAccesses) {
  // The accumulator in 32 bits: pairs of columns, eight rows of 256 bytes.
  LinearLayout result = makeAccumulatorLayout({64, 64}, {4, 1, 4});
  AccessCost plain = getAccessCost(result, makeShared({64, 64}, 4));
  EXPECT_EQ(plain.least, 16u * 2);
  EXPECT_EQ(plain.wavefronts, 16u * 8);
  AccessCost swizzled =
      getAccessCost(result, makeShared({64, 64}, 4, /*mask=*/3, /*left=*/1));
  EXPECT_EQ(swizzled.wavefronts, 16u * 2);
  EXPECT_EQ(getUseCost(result, makeShared({64, 64}, 4)), plain.wavefronts);
  // 16 bytes a lane along the row.
  LinearLayout pieces = makePiecesLayout({64, 64}, 8, 4);
  AccessCost rows = getAccessCost(pieces, makeShared({64, 64}, 2, 7));
  EXPECT_EQ(rows.wavefronts, 4u * 4);
  EXPECT_EQ(rows.least, 4u * 4);
}

TEST(SharedLayout, NoAccessBeatsTheLeast) {
  RandomLayouts random(24);
  for (unsigned round = 0; round < 60; ++round) {
    unsigned width = 1u << random.below(4);
    auto candidates = getSharedCandidates({32, 64}, width, true);
    const SharedLayout &shared = candidates[random.below(candidates.size())];
    LinearLayout layout = random.covering({32, 64}, 5, 1);
    AccessCost cost = getAccessCost(layout, shared);
    EXPECT_GE(cost.wavefronts, cost.least);
    EXPECT_GE(cost.least, layout.getNumRegisters() * width / 16);
  }
}

TEST(SharedLayout, WhichLayoutsMatrixLoadsMake) {
  SmallVector<int64_t> shape = {64, 64};
  for (unsigned dim : {0u, 1u}) {
    LinearLayout a = makeOperandALayout(shape, dim, {4, 1, 4});
    LinearLayout b = makeOperandBLayout(shape, dim, {4, 1, 4}, 16);
    EXPECT_TRUE(isMatrixLoad(a, dim));
    EXPECT_TRUE(isMatrixLoad(b, dim));
    EXPECT_FALSE(isMatrixLoad(a, 1 - dim));
    EXPECT_FALSE(isMatrixLoad(makeLinesLayout(shape, dim, 4), dim));
    EXPECT_FALSE(isMatrixLoad(makePiecesLayout(shape, 8, 4), dim));
  }
  EXPECT_FALSE(isMatrixLoad(makeVectorLayout(64, 4), 0));
  EXPECT_FALSE(isMatrixLoad(makeScalarLayout(4), 0));
}

TEST(SharedLayout, EveryBitOfAMatrixLoadCounts) {
  LinearLayout layout = makeOperandALayout({64, 64}, 1, {4, 1, 4});
  Bases registers = layout.getBases(LayoutInput::Register);
  Bases lanes = layout.getBases(LayoutInput::Lane);
  const Bases &warps = layout.getBases(LayoutInput::Warp);
  for (unsigned bit : seq(numLaneBits + 1)) {
    Coordinates &basis = bit < numLaneBits ? lanes[bit] : registers[0];
    for (Coordinates other : {Coordinates{0, 0}, Coordinates{32, 0},
                              Coordinates{basis[0], basis[1] ^ 32}}) {
      std::swap(basis, other);
      EXPECT_FALSE(isMatrixLoad(
          LinearLayout(layout.getShape(), registers, lanes, warps), 1));
      std::swap(basis, other);
    }
  }
  EXPECT_TRUE(isMatrixLoad(
      LinearLayout(layout.getShape(), registers, lanes, warps), 1));
  EXPECT_FALSE(isMatrixLoad(
      LinearLayout(layout.getShape(), registers, lanes, warps, 7), 1));
  EXPECT_FALSE(
      isMatrixLoad(LinearLayout(layout.getShape(), {}, lanes, warps), 1));
}

/// Executes ldmatrix: every lane supplies the address of a row, and the
/// fragment says which elements of the rows a lane receives.
static void expectLoaded(const LinearLayout &layout, const SharedLayout &shared,
                         unsigned dim, unsigned count) {
  bool transposed = dim != shared.contiguous;
  LinearLayout rows = getMatrixRows(layout, dim, count, transposed);
  const Fragment *fragment = findFragment("ldmatrix.x" + std::to_string(count) +
                                          (transposed ? ".trans" : ""));
  ASSERT_NE(fragment, nullptr);
  ASSERT_EQ(rows.getNumRegisters() * 2 * count, layout.getNumRegisters());
  for (unsigned load : seq(rows.getNumRegisters()))
    for (unsigned warp : seq(layout.getNumWarps()))
      forEachInput(fragment->layout, [&](unsigned element, unsigned lane,
                                         unsigned) {
        Coordinates place = fragment->layout.at(element, lane);
        int64_t start = shared.offset(
            rows.at(load, /*lane=*/8 * place[0] + place[1], warp));
        ASSERT_EQ(start % 8, 0);
        ASSERT_EQ(
            start + place[2],
            shared.offset(layout.at(2 * count * load + element, lane, warp)));
      });
}

TEST(SharedLayout, MatrixLoadsDeliverTheLayout) {
  SmallVector<int64_t> shape = {32, 64};
  for (unsigned numWarps : {1u, 2u})
    for (unsigned dim : {0u, 1u}) {
      WarpGrid grid = splitWarps(numWarps, shape[1 - dim], 8);
      LinearLayout layouts[] = {
          makeOperandALayout(shape, dim, grid),
          makeOperandBLayout(shape, dim, splitWarps(numWarps, 16, 32), 16),
          makeOperandBLayout(shape, dim, splitWarps(numWarps, 16, 32), 8)};
      for (const LinearLayout &layout : layouts)
        for (const SharedLayout &shared : getSharedCandidates(shape, 2, true))
          for (unsigned count : {1u, 2u, 4u})
            expectLoaded(layout, shared, dim, count);
    }
}

TEST(SharedLayout, MatrixLoadsOfCutOffLayouts) {
  // 24 elements a thread are three loads of four matrices, 12 three of two.
  LinearLayout whole = makeOperandALayout({16, 64}, 1, {1, 1, 1});
  SharedLayout shared = makeShared({16, 64}, 2, 7);
  for (auto [numRegisters, count] : {std::pair(24u, 4u), std::pair(12u, 2u)}) {
    LinearLayout cut(whole.getShape(), whole.getBases(LayoutInput::Register),
                     whole.getBases(LayoutInput::Lane), {}, numRegisters);
    expectLoaded(cut, shared, 1, count);
    EXPECT_EQ(getMatrixLoadCost(cut, shared, 1).wavefronts, 3 * count);
  }
}
