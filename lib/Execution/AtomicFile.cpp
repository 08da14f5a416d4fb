// Part of Scanweft, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

//===----------------------------------------------------------------------===//
// Files that appear whole or not at all.
//===----------------------------------------------------------------------===//

#include "scanweft/Execution/AtomicFile.h"
#include "llvm/Support/FileSystem.h"

using namespace llvm;
using namespace scanweft;

/// Writes and flushes; the stream's own error becomes ours, since a stream that
/// dies with an unread one ends the process.
static Error writeAll(int descriptor,
                      function_ref<Error(raw_ostream &)> write) {
  raw_fd_ostream os(descriptor, /*shouldClose=*/false);
  Error error = write(os);
  os.flush();
  std::error_code code = os.error();
  os.clear_error();
  if (error)
    return error;
  return code ? createStringError(code, code.message()) : Error::success();
}

Error scanweft::writeFileAtomically(StringRef path,
                                    function_ref<Error(raw_ostream &)> write) {
  if (sys::fs::is_directory(path))
    return createStringError("it is a directory");
  Expected<sys::fs::TempFile> file =
      sys::fs::TempFile::create(path + ".%%%%%%%%.tmp");
  if (!file)
    return file.takeError();
  if (Error error = writeAll(file->FD, write)) {
    consumeError(file->discard());
    return error;
  }
  return file->keep(path);
}
