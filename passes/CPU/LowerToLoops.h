// Part of Scanweft, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

//===----------------------------------------------------------------------===//
// The parts of the lowering of the tile stage.
//===----------------------------------------------------------------------===//

#ifndef SCANWEFT_PASSES_CPU_LOWERTOLOOPS_H
#define SCANWEFT_PASSES_CPU_LOWERTOLOOPS_H

#include "dialects/WTile/IR/WTile.h"
#include "mlir/IR/PatternMatch.h"
#include "passes/CPU/CheckBounds.h"

namespace scanweft {

/// Replaces the accesses to global memory, and stacks of tiles with theirs.
/// Memory is read and written where the op stands: a tile is a copy.
void lowerTileMemory(mlir::ModuleOp module, Checks &checks);

/// Replaces the pure ops on tiles, by body ops where there is one.
void lowerTileOps(mlir::ModuleOp module, Checks &checks);

/// Makes functions of kernels, and of launches loops that call them.
void lowerTileKernels(mlir::ModuleOp module);

/// A buffer with what `tensor` holds at this place. Nothing else writes it.
mlir::Value createReadBuffer(mlir::OpBuilder &builder, mlir::Location loc,
                             mlir::Value tensor, mlir::MemRefType type);

} // namespace scanweft

#endif // SCANWEFT_PASSES_CPU_LOWERTOLOOPS_H
