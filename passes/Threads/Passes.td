// Part of Scanweft, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef SCANWEFT_PASSES_THREADS_PASSES_TD
#define SCANWEFT_PASSES_THREADS_PASSES_TD

include "mlir/Pass/PassBase.td"

def LowerToThreads : Pass<"wtile-lower-to-threads", "::mlir::ModuleOp"> {
  let summary = "a block's program to one thread's";
  let description = [{
    Every register tile becomes the elements that its layout gives a thread, shared
    buffers addresses, global memory pointers with sizes and strides. One pattern per
    op; all of them ask layouts for coordinates and addresses. The kernels stand in a
    `gpu.module` as functions of the llvm dialect, over arith, math, scf, llvm and nvvm.
  }];
  let dependentDialects = ["::mlir::gpu::GPUDialect", "::mlir::LLVM::LLVMDialect", "::mlir::scf::SCFDialect"];
}

#endif // SCANWEFT_PASSES_THREADS_PASSES_TD
