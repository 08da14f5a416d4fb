// Part of Scanweft, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

//===----------------------------------------------------------------------===//
// From kernels over chunks to one block's program with layouts, shared memory
// and barriers.
//===----------------------------------------------------------------------===//

#ifndef SCANWEFT_PASSES_TILE_PASSES_H
#define SCANWEFT_PASSES_TILE_PASSES_H

#include "mlir/Pass/Pass.h"

namespace scanweft {

#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "passes/Tile/Passes.h.inc"

void registerTilePipelines();

} // namespace scanweft

#endif // SCANWEFT_PASSES_TILE_PASSES_H
