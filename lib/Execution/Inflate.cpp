// Part of Scanweft, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "scanweft/Execution/Inflate.h"
#include "llvm/ADT/ScopeExit.h"
#include <limits>
#include <zlib.h>

using namespace llvm;

static Error createInflateError(const Twine &problem) {
  return createStringError(inconvertibleErrorCode(), problem);
}

Expected<std::string> scanweft::inflate(StringRef packed, size_t size) {
  constexpr size_t kLimit = std::numeric_limits<uInt>::max();
  if (packed.size() >= kLimit || size >= kLimit)
    return createInflateError("compressed members hold less than 4 GB");
  z_stream stream = {};
  // Negative: a raw stream, without the header and checksum of zlib's own.
  if (inflateInit2(&stream, -MAX_WBITS) != Z_OK)
    return createInflateError("there is no memory to unpack it");
  scope_exit end([&] { inflateEnd(&stream); });
  // One byte more than declared, to see a stream that is too long.
  std::string unpacked(size + 1, '\0');
  stream.next_in = reinterpret_cast<Bytef *>(const_cast<char *>(packed.data()));
  stream.avail_in = packed.size();
  stream.next_out = reinterpret_cast<Bytef *>(unpacked.data());
  stream.avail_out = unpacked.size();
  int status = ::inflate(&stream, Z_FINISH);
  if (stream.total_out > size)
    return createInflateError("it unpacks to more than it declares");
  if (status == Z_DATA_ERROR)
    return createInflateError(Twine("the compressed data are corrupt: ") +
                              (stream.msg ? stream.msg : "no reason given"));
  if (status != Z_STREAM_END)
    return createInflateError("the compressed data end early");
  if (stream.total_out < size)
    return createInflateError("it unpacks to less than it declares");
  unpacked.resize(size);
  return unpacked;
}
