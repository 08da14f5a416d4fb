// Part of Scanweft, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "passes/Chunking/Passes.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"
#include "passes/Verification/Passes.h"

using namespace mlir;

void scanweft::buildToChunkedPipeline(OpPassManager &manager,
                                      const ToChunkedOptions &options) {
  manager.addPass(createFuse());
  manager.addPass(createVerifyAlgebra());
  manager.addPass(createChunk({options.chunk}));
  manager.addPass(createCanonicalizerPass());
  manager.addPass(createCSEPass());
  manager.addPass(createVerifyChunked());
}

void scanweft::registerChunkingPipelines() {
  PassPipelineRegistration<ToChunkedOptions>(
      "weft-to-chunked",
      "from the algebra stage to the chunked one: groups, kernels, chunks",
      buildToChunkedPipeline);
}
