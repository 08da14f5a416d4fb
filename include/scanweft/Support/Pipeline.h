// Part of Scanweft, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

//===----------------------------------------------------------------------===//
// Runs passes that are given as text, for tools.
//===----------------------------------------------------------------------===//

#ifndef SCANWEFT_SUPPORT_PIPELINE_H
#define SCANWEFT_SUPPORT_PIPELINE_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Support/LLVM.h"

namespace scanweft {

/// Runs a pipeline's text over the module, `builtin.module(...)` around it or
/// not. Every failure is reported, that of a pass that says nothing too.
mlir::LogicalResult runPipeline(mlir::ModuleOp module, llvm::StringRef text);

} // namespace scanweft

#endif // SCANWEFT_SUPPORT_PIPELINE_H
