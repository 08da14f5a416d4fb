// Part of Scanweft, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

//===----------------------------------------------------------------------===//
// numpy's .npz format: a zip archive of .npy members, stored or deflated. The
// central directory is believed, every member's CRC-32 is checked, and a member
// never unpacks to more than it declares.
//===----------------------------------------------------------------------===//

#ifndef SCANWEFT_EXECUTION_NPZ_H
#define SCANWEFT_EXECUTION_NPZ_H

#include "scanweft/Execution/Array.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/Support/raw_ostream.h"
#include <map>
#include <string>

namespace scanweft {

/// Arrays by key, in the file's order.
using ArrayMap =
    llvm::MapVector<std::string, Array, std::map<std::string, unsigned>>;

llvm::Expected<ArrayMap> parseNpz(llvm::StringRef bytes);

/// Reads a file; an error does not repeat its name.
llvm::Expected<ArrayMap> readNpzFile(llvm::StringRef path);

/// Writes stored members with a fixed time stamp: the same arrays, the same
/// bytes. An error where a member or the archive passes 4 GiB.
llvm::Error
writeNpz(llvm::raw_ostream &os,
         llvm::ArrayRef<std::pair<std::string, const Array *>> arrays);

} // namespace scanweft

#endif // SCANWEFT_EXECUTION_NPZ_H
