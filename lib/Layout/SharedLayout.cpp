// Part of Scanweft, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "scanweft/Layout/SharedLayout.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallSet.h"
#include "llvm/Support/MathExtras.h"
#include <algorithm>

using namespace scanweft;
using llvm::ArrayRef;
using llvm::SmallVector;

/// The unit that swizzles move, in bytes; also the widest access.
static constexpr unsigned unitBytes = 16;
static constexpr unsigned numBanks = 32;
static constexpr unsigned bankBytes = 4;

int64_t SharedLayout::getNumElements() const {
  int64_t count = 1;
  for (int64_t size : shape)
    count *= size;
  return count;
}

int64_t SharedLayout::offset(ArrayRef<int32_t> coords) const {
  if (shape.size() != 2) {
    int64_t offset = 0;
    for (auto [coordinate, size] : llvm::zip_equal(coords, shape))
      offset = offset * size + coordinate;
    return offset;
  }
  int64_t line = coords[1 - contiguous], column = coords[contiguous];
  int64_t unit = unitBytes / width;
  column ^= (((line >> shift) & mask) << left) * unit;
  return line * shape[contiguous] + column;
}

SmallVector<SharedLayout> scanweft::getSharedCandidates(ArrayRef<int64_t> shape,
                                                        unsigned width,
                                                        bool bothOrders) {
  SharedLayout plain;
  plain.shape.assign(shape.begin(), shape.end());
  plain.width = width;
  plain.contiguous = shape.empty() ? 0 : shape.size() - 1;
  if (shape.size() != 2)
    return {plain};
  SmallVector<SharedLayout> candidates;
  for (unsigned contiguous : {1u, 0u}) {
    if (contiguous == 0 && !bothOrders)
      continue;
    plain.contiguous = contiguous;
    candidates.push_back(plain);
    int64_t units = shape[contiguous] * width / unitBytes;
    int64_t lines = shape[1 - contiguous];
    for (unsigned shift : {0u, 1u, 2u})
      for (unsigned left : {0u, 1u, 2u})
        for (unsigned bits : {1u, 2u, 3u}) {
          unsigned mask = (1u << bits) - 1;
          if ((mask << left) >= units || (int64_t(1) << (bits + shift)) > lines)
            continue;
          SharedLayout swizzled = plain;
          swizzled.shift = shift;
          swizzled.left = left;
          swizzled.mask = mask;
          candidates.push_back(swizzled);
        }
  }
  return candidates;
}

LinearLayout scanweft::composeWithShared(const LinearLayout &layout,
                                         const SharedLayout &shared) {
  std::array<Bases, 3> offsets;
  for (LayoutInput input : layoutInputs)
    for (const Coordinates &basis : layout.getBases(input))
      offsets[static_cast<unsigned>(input)].push_back(
          {static_cast<int32_t>(shared.offset(basis))});
  return LinearLayout(
      {static_cast<int64_t>(llvm::PowerOf2Ceil(shared.getNumElements()))},
      offsets[0], offsets[1], offsets[2], layout.getNumRegisters());
}

unsigned scanweft::getVectorBits(const LinearLayout &offsets, unsigned width) {
  const Bases &registers = offsets.getBases(LayoutInput::Register);
  unsigned bits = 0;
  while (bits < registers.size() && (width << (bits + 1)) <= unitBytes &&
         registers[bits][0] == (1 << bits))
    ++bits;
  auto isTouched = [&](unsigned low) {
    int32_t mask = (1 << low) - 1;
    for (LayoutInput input : layoutInputs)
      for (auto [bit, basis] : llvm::enumerate(offsets.getBases(input)))
        if (!(input == LayoutInput::Register && bit < low) && (basis[0] & mask))
          return true;
    return false;
  };
  while (bits && isTouched(bits))
    --bits;
  return bits;
}

unsigned scanweft::countWavefronts(ArrayRef<int64_t> addresses, unsigned size) {
  // Wide accesses go a half or a quarter of the warp at a time.
  size_t group = size == 16 ? 8 : size == 8 ? 16 : 32;
  unsigned total = 0;
  for (size_t start = 0; start < addresses.size(); start += group) {
    std::array<llvm::SmallSet<int64_t, 4>, numBanks> words;
    for (int64_t address :
         addresses.slice(start, std::min(group, addresses.size() - start)))
      for (unsigned word = 0; word < std::max(1u, size / bankBytes); ++word) {
        int64_t index = address / bankBytes + word;
        words[index % numBanks].insert(index);
      }
    size_t most = 0;
    for (const auto &bank : words)
      most = std::max<size_t>(most, bank.size());
    total += most;
  }
  return total;
}

/// Byte addresses of a warp's lanes for one register.
static SmallVector<int64_t> getAddresses(const LinearLayout &offsets,
                                         unsigned reg, unsigned numLanes,
                                         unsigned width) {
  SmallVector<int64_t> addresses;
  for (unsigned lane = 0; lane < numLanes; ++lane)
    addresses.push_back(int64_t(offsets.at(reg, lane)[0]) * width);
  return addresses;
}

AccessCost scanweft::getAccessCost(const LinearLayout &layout,
                                   const SharedLayout &shared) {
  LinearLayout offsets = composeWithShared(layout, shared);
  unsigned bits = getVectorBits(offsets, shared.width);
  unsigned size = shared.width << bits;
  AccessCost cost;
  for (unsigned reg = 0; reg < layout.getNumRegisters(); reg += 1u << bits) {
    SmallVector<int64_t> addresses =
        getAddresses(offsets, reg, 32, shared.width);
    cost.wavefronts += countWavefronts(addresses, size);
    llvm::sort(addresses);
    unsigned distinct =
        std::unique(addresses.begin(), addresses.end()) - addresses.begin();
    cost.least += std::max(1u, distinct * size / (numBanks * bankBytes));
  }
  return cost;
}

/// Whether the bases are first, 2 first, ... along the dim.
static bool runsAlong(ArrayRef<Coordinates> bases, unsigned dim,
                      int32_t first) {
  for (const Coordinates &basis : bases) {
    Coordinates expected(2, 0);
    expected[dim] = first;
    if (basis != expected)
      return false;
    first *= 2;
  }
  return true;
}

bool scanweft::isMatrixLoad(const LinearLayout &layout, unsigned dim) {
  if (layout.getRank() != 2 || layout.getBases(LayoutInput::Register).empty())
    return false;
  ArrayRef<Coordinates> lanes = layout.getBases(LayoutInput::Lane);
  ArrayRef<Coordinates> registers = layout.getBases(LayoutInput::Register);
  return runsAlong(registers.take_front(1), dim, 1) &&
         runsAlong(lanes.take_front(2), dim, 2) &&
         runsAlong(lanes.drop_front(2), 1 - dim, 1);
}

LinearLayout scanweft::getMatrixRows(const LinearLayout &layout, unsigned dim,
                                     unsigned count, bool transposed) {
  (void)dim;
  const Bases &registers = layout.getBases(LayoutInput::Register);
  const Bases &old = layout.getBases(LayoutInput::Lane);
  unsigned numberBits = llvm::Log2_32(count);
  Bases lanes;
  if (transposed) {
    lanes.push_back(registers[0]);
    lanes.append(old.begin(), old.begin() + 2);
  } else {
    lanes.append(old.begin() + 2, old.end());
  }
  lanes.append(registers.begin() + 1, registers.begin() + 1 + numberBits);
  while (lanes.size() < numLaneBits)
    lanes.push_back(Coordinates(layout.getRank(), 0));
  Bases rest(registers.begin() + 1 + numberBits, registers.end());
  return LinearLayout(layout.getShape(), rest, lanes,
                      layout.getBases(LayoutInput::Warp));
}

AccessCost scanweft::getMatrixLoadCost(const LinearLayout &layout,
                                       const SharedLayout &shared,
                                       unsigned dim) {
  unsigned count = layout.getNumRegisters() >= 8 ? 4 : 2;
  LinearLayout rows = composeWithShared(
      getMatrixRows(layout, dim, count, shared.contiguous != dim), shared);
  AccessCost cost;
  for (unsigned reg = 0; reg < rows.getNumRegisters(); ++reg) {
    cost.wavefronts += countWavefronts(
        getAddresses(rows, reg, 8 * count, shared.width), unitBytes);
    cost.least += count;
  }
  return cost;
}
