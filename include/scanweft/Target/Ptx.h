// Part of Scanweft, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

//===----------------------------------------------------------------------===//
// From the llvm dialect to PTX, in this process.
//===----------------------------------------------------------------------===//

#ifndef SCANWEFT_TARGET_PTX_H
#define SCANWEFT_TARGET_PTX_H

#include "mlir/Support/LLVM.h"
#include <string>

namespace mlir {
class DialectRegistry;
class Operation;
} // namespace mlir

namespace scanweft {

struct Target;

/// Registers the gpu and nvvm dialects with their translations and conversions.
void registerTargetDialects(mlir::DialectRegistry &registry);

struct PtxOptions {
  /// `.loc` lines that name the author's file.
  bool lineInfo = false;
};

/// The PTX of `op`: a `gpu.module`, or a `builtin.module` that is in the llvm
/// dialect or holds exactly one `gpu.module`. Leaves `op` as it is. The same op
/// and target give the same bytes.
///
/// Whatever LLVM cannot do becomes a diagnostic at the function, or the op
/// where it is known; the process survives.
mlir::FailureOr<std::string> translateToPtx(mlir::Operation *op,
                                            const Target &target,
                                            const PtxOptions &options = {});

} // namespace scanweft

#endif // SCANWEFT_TARGET_PTX_H
