// Part of Scanweft, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

//===----------------------------------------------------------------------===//
// What a program checks about itself while it runs: sizes and indices that are
// known only then. `weft-check-bounds` emits calls of these functions, the
// runner provides them. A check that fails ends the run with a text that says
// which op of the author's file asked for what.
//===----------------------------------------------------------------------===//

#ifndef SCANWEFT_EXECUTION_CHECKS_H
#define SCANWEFT_EXECUTION_CHECKS_H

#include "llvm/ADT/StringRef.h"
#include <cstdint>

namespace scanweft {

/// (offset, size, extent, site): entries [offset, offset + size) lie inside
/// [0, extent), or there are none.
inline constexpr llvm::StringLiteral kCheckRangeFunction = "weft_check_range";
void checkRange(int64_t offset, int64_t size, int64_t extent, const char *site);

/// (a, b, site): two sizes agree.
inline constexpr llvm::StringLiteral kCheckEqualFunction = "weft_check_equal";
void checkEqual(int64_t a, int64_t b, const char *site);

} // namespace scanweft

#endif // SCANWEFT_EXECUTION_CHECKS_H
