// Part of Scanweft, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

//===----------------------------------------------------------------------===//
// Passes that lower weft for execution on the CPU.
// One entry a pass; its argument is `weft-...`, the stem of its .cpp and test.
//===----------------------------------------------------------------------===//

#ifndef SCANWEFT_PASSES_CPU_PASSES_TD
#define SCANWEFT_PASSES_CPU_PASSES_TD

include "mlir/Pass/PassBase.td"

#endif // SCANWEFT_PASSES_CPU_PASSES_TD
