// Part of Scanweft, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

//===----------------------------------------------------------------------===//
// The layouts that instructions and access patterns ask for, by name.
//
// Sizes are powers of two. One dim of a tile may have another size where its
// coordinates end in the registers: then the registers past the end do not
// exist. Rows of a product are a multiple of 16, columns and k of 8.
//===----------------------------------------------------------------------===//

#ifndef SCANWEFT_LAYOUT_LAYOUTS_H
#define SCANWEFT_LAYOUT_LAYOUTS_H

#include "scanweft/Layout/LinearLayout.h"

namespace scanweft {

/// How a block's warps lie on a product's result.
struct WarpGrid {
  unsigned rows = 1;    ///< warps along the rows
  unsigned columns = 1; ///< warps along the columns; the rest replicate
  unsigned count = 1;   ///< warps of the block
};

/// Warps along rows of 16 first, the rest along columns, of which each warp has
/// 16 at least; each has as many rows, and as many columns, as every other.
/// Warps that are left hold copies.
WarpGrid splitWarps(unsigned numWarps, int64_t numRows, int64_t numColumns);

/// C and D of m16n8 instructions (rows, columns). It is also the A operand of
/// m16k16 in 16-bit types, and of m16k8 in tf32 with k permuted: lane t of a
/// quad takes k = 2t, 2t + 1 in place of t, t + 4, in both operands. A warp has
/// consecutive columns if their number is a power of two; else the warps take
/// turns in columns of 8.
LinearLayout makeAccumulatorLayout(llvm::ArrayRef<int64_t> shape,
                                   WarpGrid grid);

/// A operand in the dims of the operand's own tile, whose dim `contracted` is
/// k: all of k in every warp; warps along columns replicate.
LinearLayout makeOperandALayout(llvm::ArrayRef<int64_t> shape,
                                unsigned contracted, WarpGrid grid);

/// B operand in the dims of the operand's own tile, whose dim `contracted` is
/// k. `step` is k of one instruction: 16 for 16-bit types, 8 for tf32. The
/// registers of one k step of one column block are contiguous.
LinearLayout makeOperandBLayout(llvm::ArrayRef<int64_t> shape,
                                unsigned contracted, WarpGrid grid,
                                unsigned step);

/// One line per thread: coordinate `dim` runs over lanes, warps, then
/// registers; the other dims in registers, in order, the last fastest.
LinearLayout makeLinesLayout(llvm::ArrayRef<int64_t> shape, unsigned dim,
                             unsigned numWarps);

/// A vector along the lanes of every warp, then registers: every warp holds all
/// of it, so that scans and sums need no exchange between warps.
LinearLayout makeVectorLayout(int64_t size, unsigned numWarps);

/// Global accesses: the last dim in pieces of `perLane` elements a lane, lanes
/// along the last dim, then down the dims before it, then warps, then
/// registers.
LinearLayout makePiecesLayout(llvm::ArrayRef<int64_t> shape, unsigned perLane,
                              unsigned numWarps);

/// A scalar that every thread holds.
LinearLayout makeScalarLayout(unsigned numWarps);

} // namespace scanweft

#endif // SCANWEFT_LAYOUT_LAYOUTS_H
