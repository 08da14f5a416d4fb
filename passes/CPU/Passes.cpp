// Part of Scanweft, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "passes/CPU/Passes.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;

void scanweft::buildToLinalgPipeline(OpPassManager &manager,
                                     const ToLinalgOptions &options) {
  manager.addPass(createLowerAlgebra());
  manager.addPass(createCheckBounds());
  manager.addPass(createLowerToLoops());
  manager.addPass(createLowerChunked({options.statistics}));
  manager.addPass(createExpandCarries({options.statistics}));
  manager.addPass(createLowerBody({options.statistics}));
  manager.addPass(createCanonicalizerPass());
  manager.addPass(createCSEPass());
}

void scanweft::registerCPUPipelines() {
  PassPipelineRegistration<ToLinalgOptions>(
      "weft-to-linalg",
      "lower any stage without layouts to linalg, scf, tensor, arith and math",
      buildToLinalgPipeline);
  registerBufferizeToLLVMPipeline();
}
