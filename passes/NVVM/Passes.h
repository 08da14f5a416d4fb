// Part of Scanweft, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef SCANWEFT_PASSES_NVVM_PASSES_H
#define SCANWEFT_PASSES_NVVM_PASSES_H

#include "mlir/Pass/Pass.h"

namespace scanweft {

#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "passes/NVVM/Passes.h.inc"

/// Registers wtile-to-llvm.
void registerNVVMPipelines();

} // namespace scanweft

#endif // SCANWEFT_PASSES_NVVM_PASSES_H
