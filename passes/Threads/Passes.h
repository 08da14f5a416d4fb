// Part of Scanweft, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

//===----------------------------------------------------------------------===//
// From a block's program to one thread's, and the whole way to PTX.
//===----------------------------------------------------------------------===//

#ifndef SCANWEFT_PASSES_THREADS_PASSES_H
#define SCANWEFT_PASSES_THREADS_PASSES_H

#include "mlir/Pass/Pass.h"

namespace scanweft {

#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "passes/Threads/Passes.h.inc"

void registerThreadsPipelines();

} // namespace scanweft

#endif // SCANWEFT_PASSES_THREADS_PASSES_H
