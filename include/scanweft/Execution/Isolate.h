// Part of Scanweft, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

//===----------------------------------------------------------------------===//
// Runs compiled code in a child process. A program that writes where it should
// not may ruin the heap of whoever runs it; here that is a child, which says
// through a pipe what came out, or dies without harm.
//===----------------------------------------------------------------------===//

#ifndef SCANWEFT_EXECUTION_ISOLATE_H
#define SCANWEFT_EXECUTION_ISOLATE_H

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/raw_ostream.h"
#include <string>

namespace scanweft {

/// Runs `work` in a child and returns what it wrote. An error says how the
/// child died. The process has one thread.
llvm::Expected<std::string>
runIsolated(llvm::function_ref<void(llvm::raw_ostream &)> work);

/// Ends the child in progress, if there is one. Async-signal-safe.
void killIsolated();

} // namespace scanweft

#endif // SCANWEFT_EXECUTION_ISOLATE_H
