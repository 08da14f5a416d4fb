// Part of Scanweft, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

//===----------------------------------------------------------------------===//
// Files that appear whole or not at all.
//===----------------------------------------------------------------------===//

#ifndef SCANWEFT_SUPPORT_ATOMICFILE_H
#define SCANWEFT_SUPPORT_ATOMICFILE_H

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/raw_ostream.h"

namespace scanweft {

/// Writes through a temporary file beside `path` that is renamed over it when
/// complete: a failure leaves nothing behind and the old file as it was. What
/// is no file, such as a device or a pipe, is written to as it stands.
llvm::Error
writeFileAtomically(llvm::StringRef path,
                    llvm::function_ref<llvm::Error(llvm::raw_ostream &)> write);

/// Why `writeFileAtomically` could not write `path`, asked before the work
/// whose result goes there. Leaves nothing behind.
llvm::Error checkWritable(llvm::StringRef path);

} // namespace scanweft

#endif // SCANWEFT_SUPPORT_ATOMICFILE_H
