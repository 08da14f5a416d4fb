// Part of Scanweft, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

//===----------------------------------------------------------------------===//
// Runs code that may crash, abort or overflow its stack, without the process:
// compiled programs, and the compiler on input that nobody foresaw.
//===----------------------------------------------------------------------===//

#ifndef SCANWEFT_SUPPORT_GUARD_H
#define SCANWEFT_SUPPORT_GUARD_H

#include "llvm/ADT/STLFunctionalExtras.h"
#include <string>

namespace scanweft {

/// Runs `code` on this thread. Returns an empty text when it came back, else
/// what stopped it; what it held on its stack is then lost.
std::string runGuarded(llvm::function_ref<void()> code);

/// Ends the innermost guarded run with a text.
[[noreturn]] void stopGuarded(std::string text);

} // namespace scanweft

#endif // SCANWEFT_SUPPORT_GUARD_H
