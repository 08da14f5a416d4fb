// Part of Scanweft, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

//===----------------------------------------------------------------------===//
// Passes that choose sizes, numerics and schedules of chunked kernels.
// One entry a pass; its argument is `weft-...`, the stem of its .cpp and test.
//===----------------------------------------------------------------------===//

#ifndef SCANWEFT_PASSES_SCHEDULE_PASSES_TD
#define SCANWEFT_PASSES_SCHEDULE_PASSES_TD

include "mlir/Pass/PassBase.td"

#endif // SCANWEFT_PASSES_SCHEDULE_PASSES_TD
