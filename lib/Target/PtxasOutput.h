// Part of Scanweft, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

//===----------------------------------------------------------------------===//
// What ptxas writes: its verbose report, its errors, and the cubin.
//===----------------------------------------------------------------------===//

#ifndef SCANWEFT_LIB_TARGET_PTXASOUTPUT_H
#define SCANWEFT_LIB_TARGET_PTXASOUTPUT_H

#include "scanweft/Target/Assemble.h"
#include "llvm/Support/Error.h"

namespace scanweft {

/// An error of ptxas, and the line of its input, from 1, where it names one.
struct PtxasError {
  std::string text;
  unsigned line = 0;
};

/// All errors in `log`, without the name of the file.
llvm::SmallVector<PtxasError> parsePtxasErrors(llvm::StringRef log);

/// Fills in the kernels, in the order of the report, and the notes.
void parsePtxasReport(llvm::StringRef log, Cubin &cubin);

/// Fills in the kernels' bytes of code, from the ELF sections.
llvm::Error readCodeBytes(Cubin &cubin);

} // namespace scanweft

#endif // SCANWEFT_LIB_TARGET_PTXASOUTPUT_H
