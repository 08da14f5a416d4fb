// Part of Scanweft, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

//===----------------------------------------------------------------------===//
// The instructions of a GPU that lowerings emit, behind plain values: the one
// file that pays for the header of the nvvm dialect.
//===----------------------------------------------------------------------===//

#ifndef SCANWEFT_PASSES_THREADS_INSTRUCTIONS_H
#define SCANWEFT_PASSES_THREADS_INSTRUCTIONS_H

#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectRegistry.h"

namespace scanweft {

/// The dialects of the instructions.
void registerInstructionDialects(mlir::DialectRegistry &registry);

enum class ShuffleKind { Xor, Up, Down, Index };
enum class FactorType { BF16, F16, TF32 };

mlir::Value buildThreadIndex(mlir::OpBuilder &builder, mlir::Location loc);
mlir::Value buildBlockIndex(mlir::OpBuilder &builder, mlir::Location loc);
void buildBarrier(mlir::OpBuilder &builder, mlir::Location loc);
/// The warp's lanes arrive, and see each other's shared memory.
void buildWarpBarrier(mlir::OpBuilder &builder, mlir::Location loc);
/// `value`, of 32 bits or a pair of 16, from another lane of the warp.
mlir::Value buildShuffle(mlir::OpBuilder &builder, mlir::Location loc,
                         ShuffleKind kind, mlir::Value value, mlir::Value lane);
/// `count` 8 x 8 matrices of 16 bits: i32 each.
llvm::SmallVector<mlir::Value> buildMatrixLoad(mlir::OpBuilder &builder,
                                               mlir::Location loc,
                                               mlir::Value address,
                                               unsigned count, bool transposed);
/// accumulator (4 f32) + a b: a has 4 registers, b has 2, as i32.
llvm::SmallVector<mlir::Value>
buildMatrixProduct(mlir::OpBuilder &builder, mlir::Location loc,
                   FactorType type, mlir::ValueRange a, mlir::ValueRange b,
                   mlir::ValueRange accumulator);
/// Copies `bytes` (4, 8 or 16) from global to shared memory, zeros in place of
/// what lies behind the first `live`.
void buildCopyAsync(mlir::OpBuilder &builder, mlir::Location loc,
                    mlir::Value shared, mlir::Value global, unsigned bytes,
                    mlir::Value live);
void buildCopyWait(mlir::OpBuilder &builder, mlir::Location loc);
/// f32 to the nearest tf32, as f32.
mlir::Value buildRoundToTF32(mlir::OpBuilder &builder, mlir::Location loc,
                             mlir::Value value);
/// A vector of scalars, and one of its elements.
mlir::Value buildVector(mlir::OpBuilder &builder, mlir::Location loc,
                        mlir::ValueRange elements);
mlir::Value buildElement(mlir::OpBuilder &builder, mlir::Location loc,
                         mlir::Value vector, unsigned element);
/// The value, of which the optimiser knows nothing: what is derived from it is
/// not moved above this place.
mlir::Value buildOpaque(mlir::OpBuilder &builder, mlir::Location loc,
                        mlir::Value value);

} // namespace scanweft

#endif // SCANWEFT_PASSES_THREADS_INSTRUCTIONS_H
