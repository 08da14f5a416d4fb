// Part of Scanweft, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

//===----------------------------------------------------------------------===//
// A zip archive is read from its end: the end record says where the central
// directory is, whose entries say where the members are. Entries with sizes
// past 32 bits keep them in an extra field (zip64).
//===----------------------------------------------------------------------===//

#include "scanweft/Execution/Npz.h"
#include "scanweft/Execution/Inflate.h"
#include "scanweft/Execution/Npy.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/CRC.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/EndianStream.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MemoryBuffer.h"

using namespace llvm;
using namespace scanweft;

static constexpr uint32_t kLocalSignature = 0x04034b50;
static constexpr uint32_t kCentralSignature = 0x02014b50;
static constexpr uint32_t kEndSignature = 0x06054b50;
static constexpr uint32_t kZip64EndSignature = 0x06064b50;
static constexpr uint32_t kZip64LocatorSignature = 0x07064b50;
static constexpr size_t kLocalSize = 30, kCentralSize = 46, kEndSize = 22,
                        kZip64EndSize = 56, kZip64LocatorSize = 20;
static constexpr uint32_t kEscape32 = 0xffffffff;
static constexpr uint16_t kStored = 0, kDeflated = 8, kEncryptedFlag = 1,
                          kZip64Extra = 1;
/// Deflate's best case; a member that declares more is corrupt.
static constexpr uint64_t kMaxDeflateRatio = 1032;
/// 1980-01-01, so that equal arrays make equal bytes.
static constexpr uint16_t kFixedDate = (1 << 5) | 1;

namespace {

/// One entry of the central directory.
struct Member {
  std::string name;
  uint16_t flags, method;
  uint32_t crc;
  uint64_t packedSize, size, offset;
};

/// Little-endian fields of a record at a checked place in the file.
class Record {
public:
  explicit Record(StringRef bytes) : bytes(bytes) {}
  uint16_t get16(size_t at) const {
    return support::endian::read16le(bytes.data() + at);
  }
  uint32_t get32(size_t at) const {
    return support::endian::read32le(bytes.data() + at);
  }
  uint64_t get64(size_t at) const {
    return support::endian::read64le(bytes.data() + at);
  }

private:
  StringRef bytes;
};

/// Where the central directory lies.
struct Directory {
  uint64_t offset, numEntries;
};

} // namespace

static Error corrupt(StringRef what) {
  return createStringError(formatv("the zip archive is corrupt: {0}", what));
}

/// `size` bytes at `offset`, or an empty string past the end.
static StringRef bytesAt(StringRef file, uint64_t offset, uint64_t size) {
  if (offset > file.size() || size > file.size() - offset)
    return StringRef();
  return file.substr(offset, size);
}

static Expected<size_t> findEndRecord(StringRef file) {
  if (file.size() < kEndSize)
    return createStringError("it is too short for a zip archive");
  // A comment of at most 64 KiB follows the record.
  size_t first = file.size() - kEndSize;
  size_t last = first > 0xffff ? first - 0xffff : 0;
  for (size_t at = first + 1; at-- > last;)
    if (support::endian::read32le(file.data() + at) == kEndSignature)
      return at;
  return createStringError("it is no zip archive, or its end is missing");
}

static Expected<Directory> findDirectory(StringRef file) {
  Expected<size_t> end = findEndRecord(file);
  if (!end)
    return end.takeError();
  Record record(file.substr(*end, kEndSize));
  Directory directory{record.get32(16), record.get16(10)};
  if (directory.offset != kEscape32 && directory.numEntries != 0xffff)
    return directory;
  if (*end < kZip64LocatorSize)
    return corrupt("its zip64 locator is missing");
  Record locator(file.substr(*end - kZip64LocatorSize, kZip64LocatorSize));
  StringRef bytes = bytesAt(file, locator.get64(8), kZip64EndSize);
  if (locator.get32(0) != kZip64LocatorSignature || bytes.empty() ||
      Record(bytes).get32(0) != kZip64EndSignature)
    return corrupt("its zip64 end record is missing");
  return Directory{Record(bytes).get64(48), Record(bytes).get64(32)};
}

/// Replaces escaped sizes by those of the zip64 extra field, in its order.
static Error readZip64Extra(StringRef extra, Member &member) {
  uint64_t *fields[] = {&member.size, &member.packedSize, &member.offset};
  bool escaped = false;
  for (uint64_t *field : fields)
    escaped |= *field == kEscape32;
  if (!escaped)
    return Error::success();
  while (extra.size() >= 4) {
    uint16_t id = Record(extra).get16(0), length = Record(extra).get16(2);
    extra = extra.drop_front(4);
    StringRef body = extra.take_front(length);
    extra = extra.drop_front(std::min<size_t>(length, extra.size()));
    if (id != kZip64Extra)
      continue;
    for (uint64_t *field : fields) {
      if (*field != kEscape32)
        continue;
      if (body.size() < 8)
        return corrupt("a zip64 field is cut off");
      *field = Record(body).get64(0);
      body = body.drop_front(8);
    }
    return Error::success();
  }
  return corrupt("a zip64 field is missing");
}

/// Reads the directory entry at `offset`, which moves to the next one.
static Expected<Member> readMember(StringRef file, uint64_t &offset) {
  StringRef bytes = bytesAt(file, offset, kCentralSize);
  if (bytes.empty() || Record(bytes).get32(0) != kCentralSignature)
    return corrupt("its central directory is cut off");
  Record record(bytes);
  Member member;
  member.flags = record.get16(8);
  member.method = record.get16(10);
  member.crc = record.get32(16);
  member.packedSize = record.get32(20);
  member.size = record.get32(24);
  member.offset = record.get32(42);
  uint64_t nameSize = record.get16(28), extraSize = record.get16(30);
  StringRef tail = bytesAt(file, offset + kCentralSize, nameSize + extraSize);
  if (tail.size() != nameSize + extraSize)
    return corrupt("its central directory is cut off");
  member.name = tail.take_front(nameSize).str();
  if (Error error = readZip64Extra(tail.drop_front(nameSize), member))
    return std::move(error);
  offset += kCentralSize + nameSize + extraSize + record.get16(32);
  return member;
}

/// The bytes of a member, unpacked into `storage` where they are deflated.
static Expected<StringRef> readContents(StringRef file, const Member &member,
                                        std::string &storage) {
  if (member.flags & kEncryptedFlag)
    return createStringError("it is encrypted");
  StringRef header = bytesAt(file, member.offset, kLocalSize);
  if (header.empty() || Record(header).get32(0) != kLocalSignature)
    return createStringError("its header is missing");
  uint64_t start = member.offset + kLocalSize + Record(header).get16(26) +
                   Record(header).get16(28);
  StringRef packed = bytesAt(file, start, member.packedSize);
  if (packed.size() != member.packedSize)
    return createStringError("it is cut off");
  if (member.method == kStored) {
    if (member.size != member.packedSize)
      return createStringError("its two sizes differ though it is stored");
    return packed;
  }
  if (member.method != kDeflated)
    return createStringError(
        formatv("its compression method is {0}, known are stored and deflated",
                member.method));
  if (member.size / kMaxDeflateRatio > member.packedSize)
    return createStringError("it declares more than it can unpack to");
  Expected<std::string> unpacked = inflate(packed, member.size);
  if (!unpacked)
    return unpacked.takeError();
  storage = std::move(*unpacked);
  return StringRef(storage);
}

static Expected<Array> readArray(StringRef file, const Member &member) {
  std::string storage;
  Expected<StringRef> contents = readContents(file, member, storage);
  if (!contents)
    return contents.takeError();
  if (crc32(arrayRefFromStringRef(*contents)) != member.crc)
    return createStringError("its checksum is wrong");
  return parseNpy(*contents);
}

Expected<ArrayMap> scanweft::parseNpz(StringRef bytes) {
  Expected<Directory> directory = findDirectory(bytes);
  if (!directory)
    return directory.takeError();
  ArrayMap arrays;
  uint64_t offset = directory->offset;
  for (uint64_t i = 0; i < directory->numEntries; ++i) {
    Expected<Member> member = readMember(bytes, offset);
    if (!member)
      return member.takeError();
    StringRef key = member->name;
    key.consume_back(".npy");
    Expected<Array> array = readArray(bytes, *member);
    if (!array)
      return createStringError(
          formatv("array '{0}': {1}", key, toString(array.takeError())));
    if (!arrays.insert({key.str(), std::move(*array)}).second)
      return createStringError(formatv("array '{0}' appears twice", key));
  }
  return std::move(arrays);
}

Expected<ArrayMap> scanweft::readNpzFile(StringRef path) {
  auto buffer = MemoryBuffer::getFile(path, /*IsText=*/false,
                                      /*RequiresNullTerminator=*/false);
  if (!buffer)
    return createStringError(buffer.getError(), buffer.getError().message());
  return parseNpz((*buffer)->getBuffer());
}

namespace {

/// Writes records and counts.
class ZipWriter {
public:
  explicit ZipWriter(raw_ostream &os) : os(os) {}

  Error add(StringRef name, StringRef contents);
  Error finish();

private:
  static constexpr uint16_t kVersion = 20;

  static void put16(raw_ostream &out, uint16_t value) {
    support::endian::write<uint16_t>(out, value, endianness::little);
  }
  static void put32(raw_ostream &out, uint32_t value) {
    support::endian::write<uint32_t>(out, value, endianness::little);
  }
  /// The fields that local and central headers share.
  static void putCommon(raw_ostream &out, StringRef name, StringRef contents,
                        uint32_t crc);

  raw_ostream &os;
  std::string directory;
  uint64_t offset = 0;
  uint64_t numMembers = 0;
};

} // namespace

void ZipWriter::putCommon(raw_ostream &out, StringRef name, StringRef contents,
                          uint32_t crc) {
  put16(out, kVersion);
  put16(out, /*flags=*/0);
  put16(out, kStored);
  put16(out, /*time=*/0);
  put16(out, kFixedDate);
  put32(out, crc);
  put32(out, contents.size());
  put32(out, contents.size());
  put16(out, name.size());
  put16(out, /*extra=*/0);
}

Error ZipWriter::add(StringRef name, StringRef contents) {
  if (offset + contents.size() + kLocalSize + name.size() >= kEscape32)
    return createStringError("the arrays pass the 4 GiB of a zip archive");
  uint32_t crc = crc32(arrayRefFromStringRef(contents));
  put32(os, kLocalSignature);
  putCommon(os, name, contents, crc);
  os << name << contents;

  raw_string_ostream central(directory);
  put32(central, kCentralSignature);
  put16(central, /*made by=*/kVersion);
  putCommon(central, name, contents, crc);
  put16(central, /*comment=*/0);
  put16(central, /*disk=*/0);
  put16(central, /*internal attributes=*/0);
  put32(central, /*external attributes=*/0);
  put32(central, offset);
  central << name;
  offset += kLocalSize + name.size() + contents.size();
  ++numMembers;
  return Error::success();
}

Error ZipWriter::finish() {
  if (numMembers >= 0xffff || offset + directory.size() >= kEscape32)
    return createStringError("the arrays pass the limits of a zip archive");
  os << directory;
  put32(os, kEndSignature);
  put16(os, /*disk=*/0);
  put16(os, /*directory's disk=*/0);
  put16(os, numMembers);
  put16(os, numMembers);
  put32(os, directory.size());
  put32(os, offset);
  put16(os, /*comment=*/0);
  return Error::success();
}

Error scanweft::writeNpz(
    raw_ostream &os, ArrayRef<std::pair<std::string, const Array *>> arrays) {
  ZipWriter writer(os);
  for (const auto &[name, array] : arrays) {
    std::string contents;
    raw_string_ostream stream(contents);
    writeNpy(stream, *array);
    if (Error error = writer.add(name + ".npy", contents))
      return error;
  }
  return writer.finish();
}
