// Part of Scanweft, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

//===----------------------------------------------------------------------===//
// What can be said of code before the driver sees it: that it is the code the
// manifest describes, whole, and for this device.
//===----------------------------------------------------------------------===//

#include "Artifact.h"
#include "Sha256.h"
#include <cstring>

using namespace scanweft::runtime;

namespace {
/// The header of a 64-bit ELF file.
struct ElfHeader {
  unsigned char ident[16];
  uint16_t type, machine;
  uint32_t version;
  uint64_t entry, programOffset, sectionOffset;
  uint32_t flags;
  uint16_t headerBytes, programBytes, numPrograms;
  uint16_t sectionBytes, numSections, nameSection;
};
struct ElfSection {
  uint32_t name, type;
  uint64_t flags, address, offset, size;
  uint32_t link, info;
  uint64_t alignment, entryBytes;
};
} // namespace

static constexpr uint16_t kCudaMachine = 190;
static constexpr uint32_t kNoBits = 8;

/// Whether `count` things of `size` bytes from `offset` lie inside `total`.
static bool isInside(uint64_t offset, uint64_t count, uint64_t size,
                     uint64_t total) {
  return offset <= total && (size == 0 || count <= (total - offset) / size);
}

static Status verifyCubin(std::string_view code) {
  ElfHeader header;
  if (code.size() < sizeof(header))
    return fail(SCANWEFT_BAD_CODE, "cubin: %zu bytes are no cubin",
                code.size());
  std::memcpy(&header, code.data(), sizeof(header));
  static constexpr unsigned char magic[] = {0x7f, 'E', 'L', 'F', 2, 1};
  if (std::memcmp(header.ident, magic, sizeof(magic)) ||
      header.machine != kCudaMachine)
    return fail(SCANWEFT_BAD_CODE, "cubin: its header is none of a cubin");
  if (header.sectionBytes != sizeof(ElfSection) ||
      !isInside(header.sectionOffset, header.numSections, sizeof(ElfSection),
                code.size()))
    return fail(SCANWEFT_BAD_CODE,
                "cubin: its table of %d sections lies outside its %zu bytes",
                header.numSections, code.size());
  if (!isInside(header.programOffset, header.numPrograms, header.programBytes,
                code.size()))
    return fail(SCANWEFT_BAD_CODE,
                "cubin: its table of %d segments lies outside its %zu bytes",
                header.numPrograms, code.size());
  for (int i = 0; i < header.numSections; ++i) {
    ElfSection section;
    std::memcpy(&section,
                code.data() + header.sectionOffset + i * sizeof(section),
                sizeof(section));
    if (section.type != kNoBits &&
        !isInside(section.offset, section.size, 1, code.size()))
      return fail(SCANWEFT_BAD_CODE,
                  "cubin: its section %d lies outside its %zu bytes", i,
                  code.size());
  }
  return SCANWEFT_OK;
}

Status scanweft::runtime::verifyCode(const Manifest &manifest,
                                     std::string_view code) {
  const char *kind = manifest.isPtx ? "PTX" : "cubin";
  if (code.size() != static_cast<uint64_t>(manifest.codeBytes))
    return fail(SCANWEFT_BAD_CODE, "%s: %zu bytes, the manifest says %lld",
                kind, code.size(), static_cast<long long>(manifest.codeBytes));
  std::string digest = sha256(code.data(), code.size());
  if (digest != manifest.codeDigest)
    return fail(SCANWEFT_BAD_CODE,
                "%s: its digest is %s, the manifest says %s: damaged, or of "
                "another compilation",
                kind, digest.c_str(), manifest.codeDigest.c_str());
  if (!manifest.isPtx)
    return verifyCubin(code);
  if (std::memchr(code.data(), 0, code.size()))
    return fail(SCANWEFT_BAD_CODE, "PTX: it holds a character 0");
  return SCANWEFT_OK;
}

Status scanweft::runtime::verifyTarget(const Manifest &manifest,
                                       const scanweft_context &context) {
  // sm_<number><letter>: the last digit is the minor version. A letter ties
  // code to that very version; without, a cubin runs on later minor versions
  // and PTX on everything later.
  const std::string &target = manifest.target;
  int number = 0;
  size_t digit = 3;
  bool known = target.compare(0, 3, "sm_") == 0;
  for (; known && digit < target.size() && target[digit] >= '0' &&
         target[digit] <= '9' && number < 10000;
       ++digit)
    number = number * 10 + (target[digit] - '0');
  std::string_view suffix = std::string_view(target).substr(
      digit < target.size() ? digit : target.size());
  known = known && number >= 10 &&
          (suffix.empty() || suffix == "a" || suffix == "f");
  if (!known)
    return fail(SCANWEFT_BAD_MANIFEST, "manifest: target '%.64s' is no sm_NN",
                target.c_str());
  int major = number / 10, minor = number % 10;
  bool runs;
  if (suffix == "a")
    runs = context.major == major && context.minor == minor;
  else if (!manifest.isPtx || suffix == "f")
    runs = context.major == major && context.minor >= minor;
  else
    runs = context.major > major ||
           (context.major == major && context.minor >= minor);
  if (runs)
    return SCANWEFT_OK;
  return fail(SCANWEFT_WRONG_TARGET,
              "the artifact is %s for %s, device '%s' is sm_%d%d",
              manifest.isPtx ? "PTX" : "a cubin", target.c_str(),
              context.deviceName.c_str(), context.major, context.minor);
}
