// Part of Scanweft, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "passes/Tile/Passes.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;
using namespace scanweft;

void scanweft::buildChunkedToTilePipeline(OpPassManager &manager,
                                          const ChunkedToTileOptions &options) {
  auto clean = [&] {
    manager.addPass(createCanonicalizerPass());
    manager.addPass(createCSEPass());
  };
  manager.addPass(createOutlineKernels());
  manager.addPass(createStackStates());
  manager.addPass(createExpandBody());
  clean();
  manager.addPass(createFuseAccumulators());
  clean();
  manager.addPass(createLoopInvariantCodeMotionPass());
  manager.addPass(createOrderOps());
  manager.addPass(createAssignLayouts({options.warps}));
  manager.addPass(createPipelineCopies({options.stages, options.target}));
  clean();
  manager.addPass(createPlaceBuffers({options.target}));
  manager.addPass(createInsertBarriers());
}

void scanweft::registerTilePipelines() {
  PassPipelineRegistration<ChunkedToTileOptions>(
      "chunked-to-tile",
      "kernels over chunks to one block's program with layouts, shared memory "
      "and barriers",
      buildChunkedToTilePipeline);
}
