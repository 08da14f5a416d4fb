// Part of Scanweft, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

//===----------------------------------------------------------------------===//
// Where the chunks of an axis lie: chunk n covers rows [n C, n C + C) cut to
// [from, to). C is a power of two.
//===----------------------------------------------------------------------===//

#ifndef SCANWEFT_SUPPORT_CHUNKRANGE_H
#define SCANWEFT_SUPPORT_CHUNKRANGE_H

#include "mlir/IR/Builders.h"

namespace scanweft {

/// The rows that a loop walks. All values are index.
struct ChunkedAxis {
  mlir::Value from;
  mlir::Value to;
  int64_t chunk;
};

/// Numbers of the first chunk and of the first one after the last; equal where
/// there are no rows.
std::pair<mlir::Value, mlir::Value>
buildChunkBounds(mlir::OpBuilder &builder, mlir::Location loc,
                 const ChunkedAxis &axis);

/// Where one chunk lies.
struct ChunkRange {
  mlir::Value number;   ///< n
  mlir::Value start;    ///< n C, as a row of the axis
  mlir::Value liveFrom; ///< first live row inside the chunk
  mlir::Value liveTo;   ///< first row after the live ones inside the chunk
  mlir::Value firstRow; ///< liveFrom as a row of the axis
  mlir::Value liveCount;
};

ChunkRange buildChunkRange(mlir::OpBuilder &builder, mlir::Location loc,
                           const ChunkedAxis &axis, mlir::Value number);

/// The number of the chunk that turn `turn` of [first, last) visits: itself, or
/// with `descending` counted from the last.
mlir::Value buildChunkNumber(mlir::OpBuilder &builder, mlir::Location loc,
                             mlir::Value turn, mlir::Value first,
                             mlir::Value last, bool descending);

} // namespace scanweft

#endif // SCANWEFT_SUPPORT_CHUNKRANGE_H
