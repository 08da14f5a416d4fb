// Part of Scanweft, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

//===----------------------------------------------------------------------===//
// Where an element of a tile lies in shared memory, and what an access costs.
//
// A tile of rank 2 is stored line by line along its contiguous dim; units of 16
// bytes within a line are XORed with some bits of the line's number, so that
// the eight lines of a matrix load fall into different banks:
//
//   offset(line, c) = line * length + (c ^ (((line >> shift) & mask) << left) *
//   unit)
//
// All steps are XOR-linear, hence composing with a register layout gives the
// offsets that every register of every thread touches as one more linear map.
//===----------------------------------------------------------------------===//

#ifndef SCANWEFT_LAYOUT_SHAREDLAYOUT_H
#define SCANWEFT_LAYOUT_SHAREDLAYOUT_H

#include "scanweft/Layout/LinearLayout.h"

namespace scanweft {

struct SharedLayout {
  llvm::SmallVector<int64_t, 3> shape; ///< powers of two
  unsigned width = 4;                  ///< bytes of an element: 1, 2, 4 or 8
  /// Rank 2: the contiguous dim. Other ranks: the last dim is contiguous.
  unsigned contiguous = 1;
  unsigned shift = 0, left = 0, mask = 0;

  int64_t getNumElements() const;
  /// Element offset.
  int64_t offset(llvm::ArrayRef<int32_t> coords) const;

  friend bool operator==(const SharedLayout &a, const SharedLayout &b) {
    return a.shape == b.shape && a.width == b.width &&
           a.contiguous == b.contiguous && a.shift == b.shift &&
           a.left == b.left && a.mask == b.mask;
  }
};

/// Plain, and every XOR of line bits into the units of a line; for both choices
/// of the contiguous dim only where `bothOrders`.
llvm::SmallVector<SharedLayout>
getSharedCandidates(llvm::ArrayRef<int64_t> shape, unsigned width,
                    bool bothOrders = false);

/// The element offsets that registers, lanes and warps touch: a rank-1 layout
/// over the number of elements.
LinearLayout composeWithShared(const LinearLayout &layout,
                               const SharedLayout &shared);

/// log2 of how many consecutive elements a thread can move at once: low
/// register bits that step through consecutive offsets which no other input bit
/// touches, up to 16 bytes.
unsigned getVectorBits(const LinearLayout &offsets, unsigned width);

/// Passes of one warp access through shared memory: a byte address per lane,
/// `size` bytes each (4, 8, 16; less counts as 4).
unsigned countWavefronts(llvm::ArrayRef<int64_t> addresses, unsigned size);

struct AccessCost {
  unsigned wavefronts = 0; ///< of one warp that moves its part of the tile
  unsigned least = 0;      ///< the same without bank conflicts
};

/// Moving the tile between registers and shared memory by ordinary accesses.
AccessCost getAccessCost(const LinearLayout &layout,
                         const SharedLayout &shared);

/// Whether ldmatrix along `dim` can load the layout of a 16-bit tile: pairs of
/// registers and lanes 0, 1 along it, lanes 2..4 down the other dim.
bool isMatrixLoad(const LinearLayout &layout, unsigned dim);

/// The addresses that ldmatrix of `count` (1, 2, 4) matrices wants: lanes 0..2
/// the row of a matrix, the next ones its number; registers the further loads.
/// `count` times two divides the layout's registers.
/// `transposed`: the rows of a matrix run along `dim` itself (.trans).
LinearLayout getMatrixRows(const LinearLayout &layout, unsigned dim,
                           unsigned count, bool transposed);

/// As getAccessCost, by ldmatrix along `dim`, .trans where `dim` is not the
/// contiguous dim.
AccessCost getMatrixLoadCost(const LinearLayout &layout,
                             const SharedLayout &shared, unsigned dim);

/// Wavefronts of the way that loads and stores of this layout would take:
/// ldmatrix of 16-bit tiles where it can, ordinary accesses elsewhere.
unsigned getUseCost(const LinearLayout &layout, const SharedLayout &shared);

} // namespace scanweft

#endif // SCANWEFT_LAYOUT_SHAREDLAYOUT_H
