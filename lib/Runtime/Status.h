// Part of Scanweft, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

//===----------------------------------------------------------------------===//
// Failures: a status code, and one line of text for the calling thread. The
// text lies in a fixed buffer, so that no failure needs memory.
//===----------------------------------------------------------------------===//

#ifndef SCANWEFT_LIB_RUNTIME_STATUS_H
#define SCANWEFT_LIB_RUNTIME_STATUS_H

#include "scanweft/Runtime/scanweft_runtime.h"

namespace scanweft::runtime {

using Status = scanweft_status;

/// Writes the thread's text, printf's way, and returns `status`.
[[gnu::format(printf, 2, 3)]] [[gnu::cold]] Status
fail(Status status, const char *format, ...);

const char *errorText();

} // namespace scanweft::runtime

#endif // SCANWEFT_LIB_RUNTIME_STATUS_H
