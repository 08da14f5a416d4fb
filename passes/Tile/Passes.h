// Part of Scanweft, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

//===----------------------------------------------------------------------===//
// From kernels over chunks to one block's program with layouts, shared memory
// and barriers.
//===----------------------------------------------------------------------===//

#ifndef SCANWEFT_PASSES_TILE_PASSES_H
#define SCANWEFT_PASSES_TILE_PASSES_H

#include "mlir/Pass/Pass.h"
#include "mlir/Pass/PassOptions.h"

namespace scanweft {

#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "passes/Tile/Passes.h.inc"

void registerTilePipelines();

/// The way from the chunked stage to the tile stage with layouts.
struct ChunkedToTileOptions : mlir::PassPipelineOptions<ChunkedToTileOptions> {
  Option<std::string> target{
      *this, "target", llvm::cl::desc("whose shared memory the kernels fit"),
      llvm::cl::init("sm_90a")};
  Option<int64_t> warps{*this, "warps",
                        llvm::cl::desc("warps of a block; 0: chosen"),
                        llvm::cl::init(0)};
  Option<int64_t> stages{*this, "stages",
                         llvm::cl::desc("buffers of a ring, 1 or 2; 0: as many "
                                        "as fit"),
                         llvm::cl::init(0)};
};
void buildChunkedToTilePipeline(mlir::OpPassManager &manager,
                                const ChunkedToTileOptions &options);

} // namespace scanweft

#endif // SCANWEFT_PASSES_TILE_PASSES_H
