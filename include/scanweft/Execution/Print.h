// Part of Scanweft, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

//===----------------------------------------------------------------------===//
// Arrays as text.
//===----------------------------------------------------------------------===//

#ifndef SCANWEFT_EXECUTION_PRINT_H
#define SCANWEFT_EXECUTION_PRINT_H

#include "scanweft/Execution/Array.h"
#include "llvm/Support/raw_ostream.h"

namespace scanweft {

/// `result o: 2x131x3x64xf32, rms 9.81e-01, max abs 4.1e+00`, with the number
/// of values that are not finite where there are any.
void printSummary(llvm::raw_ostream &os, llvm::StringRef name,
                  const Array &array);

/// Every value, a row of the last axis a line, nested brackets for the others.
/// Floating point with nine significant digits, or 17 for f64.
void printValues(llvm::raw_ostream &os, const Array &array);

} // namespace scanweft

#endif // SCANWEFT_EXECUTION_PRINT_H
