// Part of Scanweft, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef SCANWEFT_PASSES_CPU_PASSES_H
#define SCANWEFT_PASSES_CPU_PASSES_H

#include "mlir/Pass/Pass.h"
#include "mlir/Pass/PassOptions.h"

namespace scanweft {

#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "passes/CPU/Passes.h.inc"

struct ToLinalgOptions : mlir::PassPipelineOptions<ToLinalgOptions> {
  Option<bool> statistics{
      *this, "statistics",
      llvm::cl::desc("count chunks and combines while the program runs")};
};

/// Any stage without layouts to linalg, scf, tensor, arith and math.
void buildToLinalgPipeline(mlir::OpPassManager &manager,
                           const ToLinalgOptions &options);

/// Registers weft-bufferize-to-llvm, and weft-to-cpu, which is weft-to-linalg
/// with it behind.
void registerBufferizeToLLVMPipeline();

/// Registers the family's pipelines.
void registerCPUPipelines();

} // namespace scanweft

#endif // SCANWEFT_PASSES_CPU_PASSES_H
