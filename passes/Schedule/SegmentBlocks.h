// Part of Scanweft, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

//===----------------------------------------------------------------------===//
// The segments of a loop over chunks: blocks of 2^level chunks, aligned from
// row 0. Segments are numbered in the order of the walk; a descending loop
// walks them from the last block to the first.
//===----------------------------------------------------------------------===//

#ifndef SCANWEFT_PASSES_SCHEDULE_SEGMENTBLOCKS_H
#define SCANWEFT_PASSES_SCHEDULE_SEGMENTBLOCKS_H

#include "dialects/Weft/IR/Weft.h"

namespace scanweft {

/// Values that describe the segments, and what is computed from them.
struct SegmentBlocks {
  mlir::Value level;   ///< a block is 2^level chunks
  mlir::Value numRows; ///< rows of a block
  /// Blocks that hold rows, the first ones in the order of the walk.
  mlir::Value numBlocks;
  mlir::Value first; ///< number of the block of segment 0
  bool descending = false;

  /// The smallest level such that `numSegments` blocks cover the loop's rows.
  static SegmentBlocks build(mlir::OpBuilder &builder, weft::ChunkedOp op,
                             int64_t numSegments);

  /// The number of a segment's block.
  mlir::Value buildNumber(mlir::OpBuilder &builder, mlir::Location loc,
                          mlir::Value segment) const;
  /// A segment's rows [from, to) of the loop `op`; none beyond the last block.
  std::pair<mlir::Value, mlir::Value> buildRows(mlir::OpBuilder &builder,
                                                weft::ChunkedOp op,
                                                mlir::Value segment) const;
};

} // namespace scanweft

#endif // SCANWEFT_PASSES_SCHEDULE_SEGMENTBLOCKS_H
