// Part of Scanweft, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

//===----------------------------------------------------------------------===//
// Evaluation and linear algebra of layouts.
//===----------------------------------------------------------------------===//

#include "scanweft/Layout/LinearLayout.h"
#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Sequence.h"
#include "llvm/ADT/SmallVectorExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;
using namespace scanweft;

//===----------------------------------------------------------------------===//
// Linear algebra over GF(2)
//===----------------------------------------------------------------------===//

namespace {

/// A basis in echelon form that grows by one vector at a time. It remembers of
/// every row which of the vectors added so far it is the XOR of, by the masks
/// that they came with.
class Echelon {
public:
  /// Whether `vector` was independent of the ones before.
  bool add(uint64_t vector, uint64_t members = 0) {
    reduce(vector, members);
    if (vector)
      rows.push_back({vector, members});
    return vector != 0;
  }

  /// Subtracts rows from `vector` until no leading bit of a row is left.
  /// Dependent vectors are no rows, so that only the earliest ones take part.
  void reduce(uint64_t &vector, uint64_t &members) const {
    // A row has none of the leading bits of the rows before it, hence one walk
    // in order clears them all.
    for (const Row &row : rows)
      if (vector & bit_floor(row.vector)) {
        vector ^= row.vector;
        members ^= row.members;
      }
  }

private:
  struct Row {
    uint64_t vector;
    uint64_t members;
  };
  SmallVector<Row, 16> rows;
};

} // namespace

unsigned scanweft::getRankOverBits(ArrayRef<uint64_t> vectors) {
  Echelon echelon;
  return count_if(vectors,
                  [&](uint64_t vector) { return echelon.add(vector); });
}

std::optional<uint64_t> scanweft::solveOverBits(ArrayRef<uint64_t> columns,
                                                uint64_t target) {
  assert(columns.size() <= 64 && "a set of columns is a mask of 64 bits");
  Echelon echelon;
  for (auto [index, column] : enumerate(columns))
    echelon.add(column, 1ull << index);
  uint64_t members = 0;
  echelon.reduce(target, members);
  if (target)
    return std::nullopt;
  return members;
}

unsigned scanweft::getNumCoordinateBits(int64_t size) {
  return Log2_64_Ceil(size);
}

uint64_t scanweft::flattenCoordinates(ArrayRef<int32_t> coords,
                                      ArrayRef<int64_t> shape) {
  uint64_t flat = 0;
  for (auto [coord, size] : zip_equal(coords, shape))
    flat = flat << getNumCoordinateBits(size) | static_cast<uint32_t>(coord);
  return flat;
}

static SmallVector<uint64_t, 8> flattenBases(const Bases &bases,
                                             ArrayRef<int64_t> shape) {
  return map_to_vector<8>(bases, [&](const Coordinates &basis) {
    return flattenCoordinates(basis, shape);
  });
}

//===----------------------------------------------------------------------===//
// LinearLayout
//===----------------------------------------------------------------------===//

LinearLayout::LinearLayout(ArrayRef<int64_t> shape, Bases registers,
                           Bases lanes, Bases warps, unsigned numRegisters)
    : shape(shape),
      bases{std::move(registers), std::move(lanes), std::move(warps)},
      numRegisters(numRegisters) {
  unsigned numAll = 1u << getBases(LayoutInput::Register).size();
  if (numRegisters == 0)
    this->numRegisters = numAll;
  assert(this->numRegisters <= numAll && "more registers than the bits name");
  bases[0].truncate(Log2_32_Ceil(this->numRegisters));
  assert(getBases(LayoutInput::Lane).size() == numLaneBits &&
         "a warp has 32 lanes");
  assert(all_of(this->bases,
                [&](const Bases &input) {
                  return all_of(input, [&](const Coordinates &basis) {
                    return basis.size() == getRank();
                  });
                }) &&
         "a basis has one entry per dim");
}

static void addSelected(Coordinates &coords, const Bases &bases,
                        unsigned value) {
  assert(value < 1u << bases.size() && "no such input");
  for (auto [bit, basis] : enumerate(bases))
    if (value >> bit & 1)
      for (auto [coord, step] : zip_equal(coords, basis))
        coord ^= step;
}

Coordinates LinearLayout::at(unsigned reg, unsigned lane, unsigned warp) const {
  Coordinates coords(getRank(), 0);
  addSelected(coords, getBases(LayoutInput::Register), reg);
  addSelected(coords, getBases(LayoutInput::Lane), lane);
  addSelected(coords, getBases(LayoutInput::Warp), warp);
  return coords;
}

std::optional<unsigned>
LinearLayout::findRegister(ArrayRef<int32_t> coords) const {
  for (auto [coord, size] : zip_equal(coords, shape))
    if (coord < 0 || coord >= size)
      return std::nullopt;
  // The solution has none of the columns that depend on earlier ones, and is
  // hence the lowest register of all solutions.
  std::optional<uint64_t> reg =
      solveOverBits(flattenBases(getBases(LayoutInput::Register), shape),
                    flattenCoordinates(coords, shape));
  if (!reg || *reg >= numRegisters)
    return std::nullopt;
  return *reg;
}

static Coordinates without(const Coordinates &coords, unsigned dim) {
  Coordinates result = coords;
  result.erase(result.begin() + dim);
  return result;
}

/// Of the registers below `numRegisters`, those where all bits but `kept` are
/// zero. Closing up the kept bits preserves order, so that they are again all
/// registers below a number.
static unsigned countRegistersOf(ArrayRef<unsigned> kept,
                                 unsigned numRegisters) {
  return count_if(seq(1u << kept.size()), [&](unsigned closed) {
    unsigned reg = 0;
    for (auto [bit, original] : enumerate(kept))
      reg |= (closed >> bit & 1) << original;
    return reg < numRegisters;
  });
}

LinearLayout LinearLayout::dropDim(unsigned dim) const {
  assert(dim < getRank() && "no such dim");
  SmallVector<int64_t, 3> rest = shape;
  rest.erase(rest.begin() + dim);
  auto cut = [&](const Coordinates &basis) { return without(basis, dim); };
  Bases registers;
  SmallVector<unsigned> kept;
  for (auto [bit, basis] : enumerate(getBases(LayoutInput::Register))) {
    Coordinates left = cut(basis);
    if (all_of(left, [](int32_t step) { return step == 0; }))
      continue;
    registers.push_back(left);
    kept.push_back(bit);
  }
  return LinearLayout(rest, std::move(registers),
                      map_to_vector<8>(getBases(LayoutInput::Lane), cut),
                      map_to_vector<8>(getBases(LayoutInput::Warp), cut),
                      countRegistersOf(kept, numRegisters));
}

LinearLayout LinearLayout::keepDims(ArrayRef<unsigned> dims) const {
  assert(is_sorted(dims) && "dims in increasing order");
  LinearLayout result = *this;
  for (unsigned dim : reverse(seq(getRank())))
    if (!is_contained(dims, dim))
      result = result.dropDim(dim);
  return result;
}

LinearLayout LinearLayout::permuteDims(ArrayRef<unsigned> permutation) const {
  assert(permutation.size() == getRank() && "one entry per dim");
  auto permute = [&](const Bases &input) {
    return map_to_vector<8>(input, [&](const Coordinates &basis) {
      return map_to_vector<3>(permutation,
                              [&](unsigned dim) { return basis[dim]; });
    });
  };
  auto sizes =
      map_to_vector(permutation, [&](unsigned dim) { return shape[dim]; });
  return LinearLayout(sizes, permute(getBases(LayoutInput::Register)),
                      permute(getBases(LayoutInput::Lane)),
                      permute(getBases(LayoutInput::Warp)), numRegisters);
}

namespace {

/// Which elements are held, for layouts that are cut off: what their registers
/// hold is no linear space, hence it is listed.
class Coverage {
public:
  explicit Coverage(const LinearLayout &layout) : shape(layout.getShape()) {
    unsigned numBits = 0;
    for (int64_t size : shape)
      numBits += getNumCoordinateBits(size);
    held.resize(1u << numBits);
    for (unsigned reg : seq(layout.getNumRegisters()))
      held.set(flattenCoordinates(layout.at(reg), shape));
  }

  /// Adds threads that differ from those so far in a bit with this basis;
  /// whether they hold anything new.
  bool add(const Coordinates &basis) {
    uint64_t step = flattenCoordinates(basis, shape);
    BitVector all = held;
    for (unsigned element : held.set_bits())
      all.set(element ^ step);
    bool grew = all.count() != held.count();
    held = std::move(all);
    return grew;
  }

  /// Whether every element of the tile is held.
  bool isComplete() const {
    return all_of(seq<uint64_t>(held.size()), [&](uint64_t element) {
      return held.test(element) || !isInside(element);
    });
  }

private:
  bool isInside(uint64_t element) const {
    for (int64_t size : reverse(shape)) {
      unsigned numBits = getNumCoordinateBits(size);
      if (static_cast<int64_t>(element & maskTrailingOnes<uint64_t>(numBits)) >=
          size)
        return false;
      element >>= numBits;
    }
    return true;
  }

  ArrayRef<int64_t> shape;
  BitVector held;
};

} // namespace

bool LinearLayout::isSurjective() const {
  if (isCutOff()) {
    Coverage coverage(*this);
    for (LayoutInput input : {LayoutInput::Lane, LayoutInput::Warp})
      for (const Coordinates &basis : getBases(input))
        coverage.add(basis);
    return coverage.isComplete();
  }
  SmallVector<uint64_t> columns;
  for (LayoutInput input : layoutInputs)
    append_range(columns, flattenBases(getBases(input), shape));
  unsigned numBits = 0;
  for (int64_t size : shape)
    numBits += getNumCoordinateBits(size);
  return getRankOverBits(columns) == numBits;
}

unsigned LinearLayout::getReplicationMask(LayoutInput input) const {
  // Registers are solved for alone; what a cut-off layout's registers hold
  // together is no span, and threads are held against the list.
  Echelon echelon;
  std::optional<Coverage> coverage;
  if (isCutOff())
    coverage.emplace(*this);
  unsigned mask = 0;
  for (LayoutInput current : layoutInputs)
    for (auto [bit, basis] : enumerate(getBases(current))) {
      bool isNew = coverage && current != LayoutInput::Register
                       ? coverage->add(basis)
                       : echelon.add(flattenCoordinates(basis, shape));
      if (!isNew && current == input)
        mask |= 1u << bit;
    }
  return mask;
}

namespace scanweft {

hash_code hash_value(const LinearLayout &layout) {
  hash_code code =
      hash_combine(hash_combine_range(layout.shape.begin(), layout.shape.end()),
                   layout.numRegisters);
  for (const Bases &input : layout.bases) {
    code = hash_combine(code, input.size());
    for (const Coordinates &basis : input)
      code = hash_combine(code, hash_combine_range(basis.begin(), basis.end()));
  }
  return code;
}

} // namespace scanweft

std::string LinearLayout::str() const {
  static constexpr const char *names[] = {"register", "lane", "warp"};
  std::string text;
  raw_string_ostream os(text);
  if (shape.empty())
    os << "scalar";
  interleave(shape, os, "x");
  for (LayoutInput input : layoutInputs) {
    os << ' ' << names[static_cast<unsigned>(input)] << " [";
    interleaveComma(getBases(input), os, [&](const Coordinates &basis) {
      os << '[';
      interleaveComma(basis, os);
      os << ']';
    });
    os << ']';
  }
  if (isCutOff())
    os << " cut off at " << numRegisters << " registers";
  return text;
}
