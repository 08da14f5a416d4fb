// Part of Scanweft, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

//===----------------------------------------------------------------------===//
// The thread's error text, and names of codes.
//===----------------------------------------------------------------------===//

#include "Status.h"
#include <cstdarg>
#include <cstdio>

using namespace scanweft::runtime;

static thread_local char text[1024] = "";

Status scanweft::runtime::fail(Status status, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  std::vsnprintf(text, sizeof(text), format, arguments);
  va_end(arguments);
  // Names come from files: the text stays one printable line.
  for (char *c = text; *c; ++c)
    if (static_cast<unsigned char>(*c) < ' ' || *c == 0x7f)
      *c = ' ';
  return status;
}

const char *scanweft::runtime::errorText() { return text; }

static constexpr const char *kNames[] = {
    "ok",           "invalid call", "no driver",     "no device",
    "no context",   "bad file",     "bad manifest",  "bad code",
    "wrong target", "no entry",     "no kernel",     "no resources",
    "bad argument", "bad result",   "bad workspace", "too large",
    "not resident", "driver error", "out of memory"};

const char *scanweft_error_text(void) { return text; }

const char *scanweft_status_name(int32_t status) {
  bool known = status >= 0 &&
               static_cast<size_t>(status) < sizeof(kNames) / sizeof(*kNames);
  return known ? kNames[status] : "unknown status";
}

int32_t scanweft_runtime_abi(void) { return SCANWEFT_RUNTIME_ABI; }
