// Part of Scanweft, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

//===----------------------------------------------------------------------===//
// numpy's .npy format, versions 1 to 3. Little-endian f2, f4, f8, i1 to i8,
// u1 to u8, b1, and bf16 as the two raw bytes V2 (what ml_dtypes saves); either
// order of axes. bf16 and f16 results are written as f4 and f2: exact, and
// readable without ml_dtypes.
//===----------------------------------------------------------------------===//

#ifndef SCANWEFT_EXECUTION_NPY_H
#define SCANWEFT_EXECUTION_NPY_H

#include "scanweft/Execution/Array.h"
#include "llvm/Support/raw_ostream.h"

namespace scanweft {

/// The array in the bytes of a .npy file, in row-major order. An error says
/// what is wrong with them.
llvm::Expected<Array> parseNpy(llvm::StringRef bytes);

/// Writes version 1.0.
void writeNpy(llvm::raw_ostream &os, const Array &array);

/// Reads a file; an error does not repeat its name.
llvm::Expected<Array> readNpyFile(llvm::StringRef path);

} // namespace scanweft

#endif // SCANWEFT_EXECUTION_NPY_H
