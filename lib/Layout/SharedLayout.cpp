// Part of Scanweft, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

//===----------------------------------------------------------------------===//
// Shared memory: addresses, vector widths, bank conflicts.
//===----------------------------------------------------------------------===//

#include "scanweft/Layout/SharedLayout.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Sequence.h"
#include "llvm/ADT/SmallSet.h"
#include "llvm/ADT/SmallVectorExtras.h"

#include "llvm/Support/MathExtras.h"

using namespace llvm;
using namespace scanweft;

/// Bytes of a unit that a swizzle moves, of a row of an 8 x 8 matrix, and of
/// the widest access.
static constexpr unsigned unitBytes = 16;
static constexpr unsigned bankBytes = 4;
static constexpr unsigned numBanks = 32;
static constexpr unsigned numLanes = 1u << numLaneBits;

int64_t SharedLayout::getNumElements() const {
  int64_t count = 1;
  for (int64_t size : shape)
    count *= size;
  return count;
}

int64_t SharedLayout::offset(ArrayRef<int32_t> coords) const {
  assert(coords.size() == shape.size() && "one coordinate per dim");
  if (shape.size() != 2)
    return flattenCoordinates(coords, shape);
  int64_t line = coords[1 - contiguous], column = coords[contiguous];
  int64_t unit = unitBytes / width;
  column ^= (((line >> shift) & mask) << left) * unit;
  return line * shape[contiguous] + column;
}

/// Every XOR of one to three bits of the line's number, from one of its lowest
/// three on, into the units of the line, from one of its lowest three on.
static void addSwizzles(const SharedLayout &plain,
                        SmallVectorImpl<SharedLayout> &candidates) {
  int64_t numLines = plain.shape[1 - plain.contiguous];
  int64_t numUnits = plain.shape[plain.contiguous] * plain.width / unitBytes;
  for (unsigned shift : seq(3u))
    for (unsigned left : seq(3u))
      for (unsigned numBits : seq_inclusive(1u, 3u)) {
        unsigned mask = maskTrailingOnes<unsigned>(numBits);
        if (mask << left >= numUnits || 1 << (numBits + shift) > numLines)
          continue;
        SharedLayout swizzled = plain;
        swizzled.shift = shift;
        swizzled.left = left;
        swizzled.mask = mask;
        candidates.push_back(swizzled);
      }
}

SmallVector<SharedLayout> scanweft::getSharedCandidates(ArrayRef<int64_t> shape,
                                                        unsigned width,
                                                        bool bothOrders) {
  SmallVector<SharedLayout> candidates;
  SharedLayout plain;
  plain.shape.assign(shape.begin(), shape.end());
  plain.width = width;
  if (shape.size() != 2) {
    candidates.push_back(plain);
    return candidates;
  }
  for (unsigned contiguous : {1u, 0u}) {
    if (contiguous == 0 && !bothOrders)
      continue;
    plain.contiguous = contiguous;
    candidates.push_back(plain);
    addSwizzles(plain, candidates);
  }
  return candidates;
}

LinearLayout scanweft::composeWithShared(const LinearLayout &layout,
                                         const SharedLayout &shared) {
  assert(layout.getShape() == ArrayRef<int64_t>(shared.shape) &&
         "layouts of one tile");
  assert(
      all_of(shared.shape, [](int64_t size) { return isPowerOf2_64(size); }) &&
      "offsets are linear only where sizes are powers of two");
  auto compose = [&](LayoutInput input) {
    return map_to_vector<8>(
        layout.getBases(input), [&](const Coordinates &basis) {
          return Coordinates(1, static_cast<int32_t>(shared.offset(basis)));
        });
  };
  return LinearLayout(shared.getNumElements(), compose(LayoutInput::Register),
                      compose(LayoutInput::Lane), compose(LayoutInput::Warp),
                      layout.getNumRegisters());
}

unsigned scanweft::getVectorBits(const LinearLayout &offsets, unsigned width) {
  const Bases &registers = offsets.getBases(LayoutInput::Register);
  unsigned numBits = 0;
  while (numBits < registers.size() && width << (numBits + 1) <= unitBytes &&
         registers[numBits][0] == 1 << numBits)
    ++numBits;
  // Every other input, and a cut-off number of registers, keeps to multiples.
  unsigned others = offsets.getNumRegisters();
  for (const Coordinates &basis : drop_begin(registers, numBits))
    others |= basis[0];
  for (LayoutInput input : {LayoutInput::Lane, LayoutInput::Warp})
    for (const Coordinates &basis : offsets.getBases(input))
      others |= basis[0];
  return std::min<unsigned>(numBits, countr_zero(others));
}

/// Lanes that one pass of an access of this many bytes can serve.
static unsigned getGroupSize(unsigned size) {
  return std::min(numLanes, numBanks * bankBytes / std::max(size, bankBytes));
}

/// Passes with (`wavefronts`) and without (`least`) bank conflicts.
static AccessCost getCostOf(ArrayRef<int64_t> addresses, unsigned size) {
  AccessCost cost;
  unsigned groupSize = getGroupSize(size);
  for (; !addresses.empty(); addresses = addresses.drop_front(std::min<size_t>(
                                 groupSize, addresses.size()))) {
    SmallSet<int64_t, numBanks> words;
    for (int64_t address : addresses.take_front(groupSize))
      for (unsigned part = 0; part < std::max(size, bankBytes);
           part += bankBytes)
        words.insert((address + part) / bankBytes);
    std::array<unsigned, numBanks> perBank = {};
    for (int64_t word : words)
      ++perBank[word % numBanks];
    cost.wavefronts += *max_element(perBank);
    cost.least += divideCeil(words.size(), numBanks);
  }
  return cost;
}

unsigned scanweft::countWavefronts(ArrayRef<int64_t> addresses, unsigned size) {
  return getCostOf(addresses, size).wavefronts;
}

/// Sums over the accesses of warp 0 of registers 0, `step`, 2 `step` ... by its
/// first `lanes` lanes.
static AccessCost sumAccesses(const LinearLayout &offsets, unsigned width,
                              unsigned step, unsigned lanes, unsigned size) {
  AccessCost sum;
  for (unsigned reg = 0; reg < offsets.getNumRegisters(); reg += step) {
    auto addresses = map_to_vector(seq(lanes), [&](unsigned lane) -> int64_t {
      return static_cast<int64_t>(offsets.at(reg, lane)[0]) * width;
    });
    AccessCost cost = getCostOf(addresses, size);
    sum.wavefronts += cost.wavefronts;
    sum.least += cost.least;
  }
  return sum;
}

AccessCost scanweft::getAccessCost(const LinearLayout &layout,
                                   const SharedLayout &shared) {
  LinearLayout offsets = composeWithShared(layout, shared);
  unsigned step = 1u << getVectorBits(offsets, shared.width);
  return sumAccesses(offsets, shared.width, step, numLanes,
                     shared.width * step);
}

//===----------------------------------------------------------------------===//
// Matrix loads
//===----------------------------------------------------------------------===//

static bool isAlong(const Coordinates &basis, unsigned dim, int32_t step) {
  return basis[dim] == step && basis[1 - dim] == 0;
}

bool scanweft::isMatrixLoad(const LinearLayout &layout, unsigned dim) {
  const Bases &registers = layout.getBases(LayoutInput::Register);
  const Bases &lanes = layout.getBases(LayoutInput::Lane);
  return layout.getRank() == 2 && layout.getNumRegisters() % 2 == 0 &&
         !registers.empty() && isAlong(registers[0], dim, 1) &&
         isAlong(lanes[0], dim, 2) && isAlong(lanes[1], dim, 4) &&
         isAlong(lanes[2], 1 - dim, 1) && isAlong(lanes[3], 1 - dim, 2) &&
         isAlong(lanes[4], 1 - dim, 4);
}

LinearLayout scanweft::getMatrixRows(const LinearLayout &layout, unsigned dim,
                                     unsigned count, bool transposed) {
  assert(isMatrixLoad(layout, dim) &&
         layout.getNumRegisters() % (2 * count) == 0 && "no matrix load");
  const Bases &fromRegisters = layout.getBases(LayoutInput::Register);
  const Bases &fromLanes = layout.getBases(LayoutInput::Lane);
  Bases lanes;
  if (transposed)
    lanes = {fromRegisters[0], fromLanes[0], fromLanes[1]};
  else
    append_range(lanes, drop_begin(fromLanes, 2));
  auto furtherRegisters = ArrayRef(fromRegisters).drop_front();
  unsigned numMatrixBits = Log2_32(count);
  append_range(lanes, furtherRegisters.take_front(numMatrixBits));
  lanes.resize(numLaneBits, Coordinates(2, 0));
  return LinearLayout(layout.getShape(),
                      Bases(furtherRegisters.drop_front(numMatrixBits)),
                      std::move(lanes), layout.getBases(LayoutInput::Warp),
                      layout.getNumRegisters() / (2 * count));
}

AccessCost scanweft::getMatrixLoadCost(const LinearLayout &layout,
                                       const SharedLayout &shared,
                                       unsigned dim) {
  assert(shared.width == 2 && "matrices of 16-bit elements");
  unsigned count =
      std::min(4, 1 << (countr_zero(layout.getNumRegisters()) - 1));
  LinearLayout rows =
      getMatrixRows(layout, dim, count, dim != shared.contiguous);
  return sumAccesses(composeWithShared(rows, shared), shared.width, /*step=*/1,
                     /*lanes=*/8 * count, unitBytes);
}

unsigned scanweft::getUseCost(const LinearLayout &layout,
                              const SharedLayout &shared) {
  if (shared.width == 2)
    for (unsigned dim : {0u, 1u})
      if (isMatrixLoad(layout, dim))
        return getMatrixLoadCost(layout, shared, dim).wavefronts;
  return getAccessCost(layout, shared).wavefronts;
}
