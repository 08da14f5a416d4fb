// Part of Scanweft, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "scanweft/Layout/LinearLayout.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/raw_ostream.h"
#include <cassert>

using namespace scanweft;
using llvm::ArrayRef;
using llvm::SmallVector;

//===----------------------------------------------------------------------===//
// Linear algebra over bits
//===----------------------------------------------------------------------===//

uint64_t scanweft::flattenCoordinates(ArrayRef<int32_t> coords,
                                      ArrayRef<int64_t> shape) {
  uint64_t flat = 0;
  for (auto [coordinate, size] : llvm::zip_equal(coords, shape))
    flat = flat << llvm::Log2_64(size) | static_cast<uint64_t>(coordinate);
  return flat;
}

namespace {
/// A set of vectors in echelon form; each knows which of the given columns its
/// XOR is made of.
class Echelon {
public:
  /// Reduces `vector` by the set; `combination` collects the columns.
  uint64_t reduce(uint64_t vector, uint64_t &combination) const {
    while (vector) {
      unsigned top = llvm::Log2_64(vector);
      if (!rows[top])
        return vector;
      vector ^= rows[top];
      combination ^= combinations[top];
    }
    return 0;
  }

  /// False where the vector is in the span already.
  bool add(uint64_t vector, uint64_t column) {
    uint64_t combination = column;
    vector = reduce(vector, combination);
    if (!vector)
      return false;
    unsigned top = llvm::Log2_64(vector);
    rows[top] = vector;
    combinations[top] = combination;
    return true;
  }

private:
  std::array<uint64_t, 64> rows = {}, combinations = {};
};
} // namespace

unsigned scanweft::getRankOverBits(ArrayRef<uint64_t> vectors) {
  Echelon echelon;
  unsigned rank = 0;
  for (uint64_t vector : vectors)
    rank += echelon.add(vector, 0);
  return rank;
}

std::optional<uint64_t> scanweft::solveOverBits(ArrayRef<uint64_t> columns,
                                                uint64_t target) {
  assert(columns.size() <= 64 && "columns are named by the bits of a mask");
  Echelon echelon;
  for (auto [index, column] : llvm::enumerate(columns))
    echelon.add(column, uint64_t(1) << index);
  uint64_t combination = 0;
  if (echelon.reduce(target, combination))
    return std::nullopt;
  return combination;
}

//===----------------------------------------------------------------------===//
// LinearLayout
//===----------------------------------------------------------------------===//

LinearLayout::LinearLayout(ArrayRef<int64_t> shape, Bases registers,
                           Bases lanes, Bases warps, unsigned numRegisters)
    : shape(shape.begin(), shape.end()),
      bases{std::move(registers), std::move(lanes), std::move(warps)},
      numRegisters(numRegisters ? numRegisters : 1u << bases[0].size()) {
  assert(llvm::all_of(shape,
                      [](int64_t size) { return llvm::isPowerOf2_64(size); }) &&
         "sizes are powers of two");
  assert(bases[1].size() == numLaneBits && "a warp has 32 lanes");
}

Coordinates LinearLayout::at(unsigned reg, unsigned lane, unsigned warp) const {
  Coordinates point(shape.size(), 0);
  for (auto [group, value] :
       llvm::zip_equal(bases, std::array<unsigned, 3>{reg, lane, warp}))
    for (auto [bit, basis] : llvm::enumerate(group))
      if (value >> bit & 1)
        for (auto [coordinate, step] : llvm::zip_equal(point, basis))
          coordinate ^= step;
  return point;
}

std::optional<unsigned>
LinearLayout::findRegister(ArrayRef<int32_t> coords) const {
  // Later bases that are in the span of earlier ones never enter the solution,
  // which makes it the lowest register where bases are in increasing order.
  SmallVector<uint64_t> columns;
  for (const Coordinates &basis : bases[0])
    columns.push_back(flattenCoordinates(basis, shape));
  auto found = solveOverBits(columns, flattenCoordinates(coords, shape));
  if (!found || *found >= numRegisters)
    return std::nullopt;
  return static_cast<unsigned>(*found);
}

static Coordinates without(const Coordinates &basis, unsigned dim) {
  Coordinates rest = basis;
  rest.erase(rest.begin() + dim);
  return rest;
}

static bool isZero(const Coordinates &basis) {
  return llvm::all_of(basis, [](int32_t step) { return step == 0; });
}

LinearLayout LinearLayout::dropDim(unsigned dim) const {
  SmallVector<int64_t> rest(shape.begin(), shape.end());
  rest.erase(rest.begin() + dim);
  Bases registers, lanes, warps;
  for (const Coordinates &basis : bases[0])
    if (Coordinates cut = without(basis, dim); !isZero(cut))
      registers.push_back(cut);
  for (const Coordinates &basis : bases[1])
    lanes.push_back(without(basis, dim));
  for (const Coordinates &basis : bases[2])
    warps.push_back(without(basis, dim));
  return LinearLayout(rest, registers, lanes, warps);
}

LinearLayout LinearLayout::permuteDims(ArrayRef<unsigned> permutation) const {
  assert(permutation.size() == shape.size() && "one entry per dim");
  LinearLayout turned = *this;
  for (auto [to, from] : llvm::enumerate(permutation))
    turned.shape[to] = shape[from];
  for (auto [group, source] : llvm::zip_equal(turned.bases, bases))
    for (auto [basis, old] : llvm::zip_equal(group, source))
      for (auto [to, from] : llvm::enumerate(permutation))
        basis[to] = old[from];
  return turned;
}

bool LinearLayout::isSurjective() const {
  SmallVector<uint64_t> vectors;
  for (const Bases &group : bases)
    for (const Coordinates &basis : group)
      vectors.push_back(flattenCoordinates(basis, shape));
  unsigned bits = 0;
  for (int64_t size : shape)
    bits += llvm::Log2_64(size);
  return getRankOverBits(vectors) == bits;
}

unsigned LinearLayout::getReplicationMask(LayoutInput input) const {
  Echelon echelon;
  unsigned mask = 0;
  for (LayoutInput group : layoutInputs)
    for (auto [bit, basis] : llvm::enumerate(getBases(group)))
      if (!echelon.add(flattenCoordinates(basis, shape), 0) && group == input)
        mask |= 1u << bit;
  return mask;
}

namespace scanweft {
llvm::hash_code hash_value(const LinearLayout &layout) {
  llvm::hash_code code = llvm::hash_combine(
      layout.numRegisters, llvm::hash_combine_range(layout.shape));
  for (const Bases &group : layout.bases) {
    code = llvm::hash_combine(code, group.size());
    for (const Coordinates &basis : group)
      code = llvm::hash_combine(code, llvm::hash_combine_range(basis));
  }
  return code;
}
} // namespace scanweft

std::string LinearLayout::str() const {
  std::string text;
  llvm::raw_string_ostream out(text);
  llvm::interleave(shape, out, "x");
  static constexpr const char *names[] = {"register", "lane", "warp"};
  for (auto [name, group] : llvm::zip_equal(names, bases)) {
    out << ' ' << name << " [";
    llvm::interleaveComma(group, out, [&](const Coordinates &basis) {
      out << '[';
      llvm::interleaveComma(basis, out);
      out << ']';
    });
    out << ']';
  }
  return text;
}
