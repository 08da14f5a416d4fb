// Part of Scanweft, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

//===----------------------------------------------------------------------===//
// Who holds which element of a tile: a linear map over bits.
//
// A tile of shape (64, 64) lives in the registers of a block's threads. The
// element in register r of lane l of warp w has coordinates
//
//   at(r, l, w) = XOR of the bases of the bits set in r, l and w
//
// where each bit of each input has one basis, a vector of coordinates. Example:
// the accumulator of a 16 x 8 matrix instruction,
//
//   register bits  (0,1) (8,0)          lane bits  (0,2) (0,4) (1,0) (2,0)
//   (4,0)
//
// gives lane 5 = 0b101, register 3: (0,2)^(1,0)^(0,1)^(8,0) = (9, 3). A zero
// basis replicates: threads that differ in that bit hold the same element.
// Everything that a compiler asks of a layout is linear algebra over GF(2):
// whether two layouts agree, which shuffles take one to the other, which
// addresses a warp touches, hence bank conflicts and vector widths. Nothing
// else in the compiler knows how lanes and warps are numbered.
//===----------------------------------------------------------------------===//

#ifndef SCANWEFT_LAYOUT_LINEARLAYOUT_H
#define SCANWEFT_LAYOUT_LINEARLAYOUT_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/Hashing.h"
#include "llvm/ADT/SmallVector.h"
#include <array>
#include <cstdint>
#include <optional>
#include <string>

namespace scanweft {

/// What a layout maps from. A lane is one of 32 threads of a warp.
enum class LayoutInput : unsigned { Register = 0, Lane = 1, Warp = 2 };
inline constexpr std::array<LayoutInput, 3> layoutInputs = {
    LayoutInput::Register, LayoutInput::Lane, LayoutInput::Warp};
inline constexpr unsigned numLaneBits = 5;

/// One coordinate per dim of a tile.
using Coordinates = llvm::SmallVector<int32_t, 3>;
/// One vector of coordinates per bit of an input.
using Bases = llvm::SmallVector<Coordinates, 8>;

class LinearLayout {
public:
  LinearLayout() = default;
  /// Rank 0 is a scalar that every thread holds; every basis has one entry per
  /// dim; five lane bases. `numRegisters` 0 means 2^(register bits). Less cuts
  /// the map off, which is how a dim whose size is no power of two is held
  /// (accumulators of 24, 40, 96 columns): its coordinates have as many bits
  /// as those of the next power of two, and registers past the end do not
  /// exist. Bases of bits that no register has set are dropped.
  LinearLayout(llvm::ArrayRef<int64_t> shape, Bases registers, Bases lanes,
               Bases warps, unsigned numRegisters = 0);

  unsigned getRank() const { return shape.size(); }
  llvm::ArrayRef<int64_t> getShape() const { return shape; }
  const Bases &getBases(LayoutInput input) const {
    return bases[static_cast<unsigned>(input)];
  }
  /// Elements that a thread holds.
  unsigned getNumRegisters() const { return numRegisters; }
  unsigned getNumWarps() const {
    return 1u << getBases(LayoutInput::Warp).size();
  }

  Coordinates at(unsigned reg, unsigned lane = 0, unsigned warp = 0) const;
  /// The lowest register of lane 0 of warp 0 with these coordinates: what a
  /// register of any thread adds to the thread's own coordinates.
  std::optional<unsigned> findRegister(llvm::ArrayRef<int32_t> coords) const;

  /// The layout of the tile without `dim`: what a reduction over it leaves,
  /// and what a broadcast along it reads. Register bits that only ran along
  /// `dim` are dropped.
  LinearLayout dropDim(unsigned dim) const;
  /// The layout of the tile of `dims` alone (in increasing order): what a
  /// broadcast into this layout wants of an operand that covers them.
  LinearLayout keepDims(llvm::ArrayRef<unsigned> dims) const;
  /// Dim i of the result is dim `permutation[i]` of this.
  LinearLayout permuteDims(llvm::ArrayRef<unsigned> permutation) const;

  /// Whether every element of the tile is held by some thread.
  bool isSurjective() const;
  /// Bits of `input` that only replicate what lower bits (registers first, then
  /// lanes, then warps) hold: where one of several equal copies is to be
  /// stored, threads with such a bit set stay silent.
  unsigned getReplicationMask(LayoutInput input) const;

  friend bool operator==(const LinearLayout &a, const LinearLayout &b) {
    return a.shape == b.shape && a.bases == b.bases &&
           a.numRegisters == b.numRegisters;
  }
  friend bool operator!=(const LinearLayout &a, const LinearLayout &b) {
    return !(a == b);
  }
  friend llvm::hash_code hash_value(const LinearLayout &layout);
  /// For messages: `64x64 register [[0, 1], [8, 0]] lane [...] warp [...]`.
  std::string str() const;

private:
  bool isCutOff() const {
    return numRegisters != 1u << getBases(LayoutInput::Register).size();
  }

  llvm::SmallVector<int64_t, 3> shape;
  std::array<Bases, 3> bases = {Bases{}, Bases(numLaneBits), Bases{}};
  unsigned numRegisters = 1;
};

/// Bits of the coordinates of a dim.
unsigned getNumCoordinateBits(int64_t size);
/// Rank over GF(2) of vectors of bits.
unsigned getRankOverBits(llvm::ArrayRef<uint64_t> vectors);
/// A set of indices of `columns` (as a mask) whose XOR is `target`, the
/// earliest columns preferred; none where the target is not in their span.
std::optional<uint64_t> solveOverBits(llvm::ArrayRef<uint64_t> columns,
                                      uint64_t target);
/// Coordinates as one number, the last dim in the lowest bits.
uint64_t flattenCoordinates(llvm::ArrayRef<int32_t> coords,
                            llvm::ArrayRef<int64_t> shape);

} // namespace scanweft

#endif // SCANWEFT_LAYOUT_LINEARLAYOUT_H
