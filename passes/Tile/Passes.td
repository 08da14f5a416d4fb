// Part of Scanweft, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef SCANWEFT_PASSES_TILE_PASSES_TD
#define SCANWEFT_PASSES_TILE_PASSES_TD

include "mlir/Pass/PassBase.td"

def OutlineKernels : Pass<"wtile-outline-kernels", "::mlir::ModuleOp"> {
  let summary = "weft.kernel to wtile.kernel and wtile.launch";
  let description = [{
    A kernel leaves its function: what it reads and writes becomes global memory that
    arrives as memrefs, what is computed from sizes is computed again inside. The loop
    over chunks becomes an `scf.for` that carries the states; slices become loads,
    row outputs and placements stores, elements the act of their kind. Body ops stay
    as they are.
  }];
  let dependentDialects = ["::mlir::memref::MemRefDialect", "::mlir::scf::SCFDialect",
                           "::scanweft::wtile::WTileDialect"];
}

#endif // SCANWEFT_PASSES_TILE_PASSES_TD
