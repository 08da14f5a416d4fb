// Part of Scanweft, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef SCANWEFT_PASSES_CPU_KERNELLOOPS_H
#define SCANWEFT_PASSES_CPU_KERNELLOOPS_H

#include "dialects/Weft/IR/Weft.h"
#include "mlir/IR/PatternMatch.h"

namespace scanweft {

/// Replaces a kernel by a nest of loops over its programs.
void lowerKernel(weft::KernelOp op, mlir::IRRewriter &rewriter);

} // namespace scanweft

#endif // SCANWEFT_PASSES_CPU_KERNELLOOPS_H
