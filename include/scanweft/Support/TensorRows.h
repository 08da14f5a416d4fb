// Part of Scanweft, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

//===----------------------------------------------------------------------===//
// Runs of rows of a tensor (dim 0, all other dims whole), and single entries of
// a stack.
//===----------------------------------------------------------------------===//

#ifndef SCANWEFT_SUPPORT_TENSORROWS_H
#define SCANWEFT_SUPPORT_TENSORROWS_H

#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Builders.h"

namespace scanweft {

/// Rows [offset, offset + count) of `source`.
mlir::Value extractRows(mlir::OpBuilder &builder, mlir::Location loc,
                        mlir::Value source, mlir::OpFoldResult offset,
                        mlir::OpFoldResult count);

/// `target` with rows [offset, offset + count) replaced by those of `rows`.
mlir::Value insertRows(mlir::OpBuilder &builder, mlir::Location loc,
                       mlir::Value rows, mlir::Value target,
                       mlir::OpFoldResult offset, mlir::OpFoldResult count);

/// Entry `index` of a stack, without the stack's leading dim.
mlir::Value extractEntry(mlir::OpBuilder &builder, mlir::Location loc,
                         mlir::Value stack, mlir::Value index);

/// `stack` with entry `index` replaced.
mlir::Value insertEntry(mlir::OpBuilder &builder, mlir::Location loc,
                        mlir::Value entry, mlir::Value stack,
                        mlir::Value index);

} // namespace scanweft

#endif // SCANWEFT_SUPPORT_TENSORROWS_H
