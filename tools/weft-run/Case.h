// Part of Scanweft, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

//===----------------------------------------------------------------------===//
// One run of a compiled program: inputs in, results out, reports.
//===----------------------------------------------------------------------===//

#ifndef SCANWEFT_TOOLS_WEFT_RUN_CASE_H
#define SCANWEFT_TOOLS_WEFT_RUN_CASE_H

#include "Options.h"
#include "Program.h"

namespace scanweft {

/// Runs and reports on standard output. Fails where an input is wrong, the
/// program is stopped, an output cannot be written, or a result differs from
/// what is expected.
mlir::LogicalResult runCase(const Program &program, const CaseOptions &options,
                            const RunOptions &run);

} // namespace scanweft

#endif // SCANWEFT_TOOLS_WEFT_RUN_CASE_H
