// Part of Scanweft, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef SCANWEFT_PASSES_CHUNKING_PASSES_H
#define SCANWEFT_PASSES_CHUNKING_PASSES_H

#include "mlir/Pass/Pass.h"
#include "mlir/Pass/PassOptions.h"

namespace scanweft {

#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "passes/Chunking/Passes.h.inc"

struct ToChunkedOptions : mlir::PassPipelineOptions<ToChunkedOptions> {
  Option<int64_t> chunk{
      *this, "chunk",
      llvm::cl::desc("rows of a chunk, a power of two; 0: what the scans ask "
                     "for, else the cost model's choice"),
      llvm::cl::init(0)};
};

/// From the algebra stage to the chunked one.
void buildToChunkedPipeline(mlir::OpPassManager &manager,
                            const ToChunkedOptions &options);

/// Registers the family's pipelines.
void registerChunkingPipelines();

} // namespace scanweft

#endif // SCANWEFT_PASSES_CHUNKING_PASSES_H
