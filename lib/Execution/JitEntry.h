// Part of Scanweft, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

//===----------------------------------------------------------------------===//
// One entry point whatever the signature. Private to the library.
//
// The llvm dialect passes a buffer of rank r as 3 + 2 r arguments (base,
// aligned, offset, sizes, strides) and returns the same as a struct. The entry
// loads each argument from an address, calls, and stores what comes back.
//===----------------------------------------------------------------------===//

#ifndef SCANWEFT_LIB_EXECUTION_JITENTRY_H
#define SCANWEFT_LIB_EXECUTION_JITENTRY_H

#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/Module.h"

namespace scanweft {

inline constexpr llvm::StringLiteral kEntryName = "scanweft_entry";

/// Where results lie: filled while the entry is made.
struct ResultLayout {
  llvm::SmallVector<uint64_t> offsets;
  uint64_t bytes = 0;
};

/// `severalResults` says that the function returns a struct of results.
/// Adds the entry of `function`, and makes everything else that has a body
/// internal, so that what the function does not need is dropped.
ResultLayout addEntry(llvm::Module &module, llvm::Function &function,
                      bool severalResults);

} // namespace scanweft

#endif // SCANWEFT_LIB_EXECUTION_JITENTRY_H
