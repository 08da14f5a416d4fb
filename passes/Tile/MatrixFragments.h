// Part of Scanweft, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

//===----------------------------------------------------------------------===//
// The layouts that the matrix unit and global memory fix.
//===----------------------------------------------------------------------===//

#ifndef SCANWEFT_PASSES_TILE_MATRIXFRAGMENTS_H
#define SCANWEFT_PASSES_TILE_MATRIXFRAGMENTS_H

#include "dialects/WTile/IR/WTile.h"
#include "scanweft/Layout/Layouts.h"

namespace scanweft {

/// The fragments of one product.
struct MatrixFragments {
  WarpGrid grid;
  LinearLayout first;  ///< of lhs, from registers
  LinearLayout second; ///< of rhs
  LinearLayout accumulator;
  unsigned step; ///< k of one instruction
};

MatrixFragments getMatrixFragments(wtile::MmaOp product, unsigned numWarps);

/// Rows in accesses of 16 bytes a lane.
LinearLayout makeRowPieces(llvm::ArrayRef<int64_t> shape, unsigned elementBytes,
                           unsigned numWarps);

} // namespace scanweft

#endif // SCANWEFT_PASSES_TILE_MATRIXFRAGMENTS_H
