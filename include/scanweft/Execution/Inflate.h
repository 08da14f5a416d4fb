// Part of Scanweft, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

//===----------------------------------------------------------------------===//
// Unpacks the raw deflate streams of zip members, by zlib. LLVM's wrapper of it
// reads zlib streams only, which carry a header and a checksum that zip lacks.
//===----------------------------------------------------------------------===//

#ifndef SCANWEFT_EXECUTION_INFLATE_H
#define SCANWEFT_EXECUTION_INFLATE_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <string>

namespace scanweft {

/// Unpacks `packed` into exactly `size` bytes. Any other stream is an error,
/// found before a byte past `size` is written.
llvm::Expected<std::string> inflate(llvm::StringRef packed, size_t size);

} // namespace scanweft

#endif // SCANWEFT_EXECUTION_INFLATE_H
