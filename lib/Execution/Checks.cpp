// Part of Scanweft, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "scanweft/Execution/Checks.h"
#include "scanweft/Support/Guard.h"
#include "llvm/Support/FormatVariadic.h"

using namespace scanweft;

void scanweft::checkRange(int64_t offset, int64_t size, int64_t extent,
                          const char *site) {
  if (size == 0 ||
      (offset >= 0 && size > 0 && size <= extent && offset <= extent - size))
    return;
  stopGuarded(llvm::formatv("{0}: it takes {1} entries from {2} on, of {3}",
                            site, size, offset, extent));
}

void scanweft::checkEqual(int64_t a, int64_t b, const char *site) {
  if (a != b)
    stopGuarded(llvm::formatv("{0}: sizes {1} and {2} differ", site, a, b));
}
