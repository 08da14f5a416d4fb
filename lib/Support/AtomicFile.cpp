// Part of Scanweft, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

//===----------------------------------------------------------------------===//
// Files that appear whole or not at all.
//===----------------------------------------------------------------------===//

#include "scanweft/Support/AtomicFile.h"
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

/// Whether `path` is a device, a pipe or the like: renaming over it would put a
/// file in its place.
static bool isSpecial(StringRef path) {
  sys::fs::file_status status;
  return !sys::fs::status(path, status) && sys::fs::is_other(status);
}

static Expected<sys::fs::TempFile> createBeside(StringRef path) {
  if (sys::fs::is_directory(path))
    return createStringError("it is a directory");
  return sys::fs::TempFile::create(path + ".%%%%%%%%.tmp");
}

static Error writeSpecial(StringRef path,
                          function_ref<Error(raw_ostream &)> write) {
  int descriptor;
  if (std::error_code code =
          sys::fs::openFileForWrite(path, descriptor, sys::fs::CD_OpenExisting))
    return createStringError(code, code.message());
  Error error = writeAll(descriptor, write);
  sys::fs::file_t file = sys::fs::convertFDToNativeFile(descriptor);
  std::error_code code = sys::fs::closeFile(file);
  if (error)
    return error;
  return code ? createStringError(code, code.message()) : Error::success();
}

Error scanweft::writeFileAtomically(StringRef path,
                                    function_ref<Error(raw_ostream &)> write) {
  if (isSpecial(path))
    return writeSpecial(path, write);
  Expected<sys::fs::TempFile> file = createBeside(path);
  if (!file)
    return file.takeError();
  if (Error error = writeAll(file->FD, write)) {
    consumeError(file->discard());
    return error;
  }
  return file->keep(path);
}

Error scanweft::checkWritable(StringRef path) {
  if (isSpecial(path)) {
    std::error_code code = sys::fs::access(path, sys::fs::AccessMode::Write);
    return code ? createStringError(code, code.message()) : Error::success();
  }
  Expected<sys::fs::TempFile> file = createBeside(path);
  if (!file)
    return file.takeError();
  return file->discard();
}
