// Part of Scanweft, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

//===----------------------------------------------------------------------===//
// The manifest's frame: its digest, code and kernels; getters with checks.
//===----------------------------------------------------------------------===//

#include "ManifestReader.h"
#include "Sha256.h"
#include <cstdarg>
#include <cstdio>
#include <cstring>

using namespace scanweft::runtime;

static constexpr int64_t kVersion = 1;
static constexpr size_t kMaxManifestBytes = 8 << 20;
static constexpr int64_t kMaxCodeBytes = int64_t(1) << 30;
static constexpr size_t kMaxList = 4096;
static constexpr size_t kMaxName = 512;
static constexpr size_t kDigestDigits = 64;
static constexpr int64_t kMaxInt = 0x7fffffff;
static const Json kNothing;

void ManifestReader::failAt(const Json &value, const char *format, ...) {
  if (!ok())
    return;
  char message[512];
  va_list arguments;
  va_start(arguments, format);
  std::vsnprintf(message, sizeof(message), format, arguments);
  va_end(arguments);
  auto [line, column] = findLine(text, value.offset);
  status = fail(SCANWEFT_BAD_MANIFEST, "%.256s:%zu:%zu: %s", origin, line,
                column, message);
}

bool ManifestReader::expect(const Json &value, Json::Kind kind,
                            const char *what) {
  if (ok() && value.kind != kind)
    failAt(value, "%s is %s, not %s", what, kindName(value.kind),
           kindName(kind));
  return ok();
}

bool ManifestReader::expectMembers(const Json &value, const char *what,
                                   std::initializer_list<const char *> names) {
  if (!expect(value, Json::Kind::Object, what))
    return false;
  bool required = true;
  for (const char *name : names) {
    if (!name)
      required = false;
    else if (required && !value.find(name))
      failAt(value, "%s has no '%s'", what, name);
  }
  for (size_t i = 0; i < value.names.size(); ++i) {
    bool known = false;
    for (const char *name : names)
      known |= name && value.names[i] == name;
    if (!known)
      failAt(value.elements[i],
             "%s has a '%.64s', which version %d does not know", what,
             value.names[i].c_str(), static_cast<int>(kVersion));
  }
  return ok();
}

const Json &ManifestReader::member(const Json &object, const char *name) {
  const Json *found = object.find(name);
  return ok() && found ? *found : kNothing;
}

const std::vector<Json> &ManifestReader::elements(const Json &value,
                                                  const char *what,
                                                  size_t least, size_t most) {
  if (!expect(value, Json::Kind::Array, what))
    return kNothing.elements;
  size_t size = value.elements.size();
  if (size < least)
    failAt(value, "%s has %zu elements: at least %zu", what, size, least);
  else if (size > most)
    failAt(value, "%s has %zu elements: at most %zu", what, size, most);
  return ok() ? value.elements : kNothing.elements;
}

int64_t ManifestReader::integer(const Json &value, const char *what,
                                int64_t least, int64_t most) {
  if (!expect(value, Json::Kind::Integer, what))
    return least;
  if (value.integer >= least && value.integer <= most)
    return value.integer;
  failAt(value, "%s is %lld: from %lld to %lld", what,
         static_cast<long long>(value.integer), static_cast<long long>(least),
         static_cast<long long>(most));
  return least;
}

int32_t ManifestReader::index(const Json &value, const char *what,
                              size_t size) {
  if (!expect(value, Json::Kind::Integer, what))
    return 0;
  if (value.integer >= 0 && static_cast<uint64_t>(value.integer) < size)
    return static_cast<int32_t>(value.integer);
  failAt(value, "%s %lld does not exist here: there are %zu", what,
         static_cast<long long>(value.integer), size);
  return 0;
}

std::string ManifestReader::string(const Json &value, const char *what) {
  return expect(value, Json::Kind::String, what) ? value.string : "";
}

std::string ManifestReader::name(const Json &value, const char *what) {
  std::string name = string(value, what);
  if (ok() && (name.empty() || name.size() > kMaxName))
    failAt(value, "%s has %zu characters: from 1 to %zu", what, name.size(),
           kMaxName);
  return name;
}

bool ManifestReader::boolean(const Json &value, const char *what) {
  return expect(value, Json::Kind::Bool, what) && value.boolean;
}

int32_t ManifestReader::type(const Json &value) {
  if (!expect(value, Json::Kind::String, "a type"))
    return SCANWEFT_BOOL;
  for (int32_t type = 0; typeBytes(type); ++type)
    if (value.string == typeName(type))
      return type;
  failAt(value, "there is no type '%.64s'", value.string.c_str());
  return SCANWEFT_BOOL;
}

std::string ManifestReader::digest(const Json &value, const char *what) {
  std::string digest = string(value, what);
  if (ok() &&
      (digest.size() != kDigestDigits ||
       digest.find_first_not_of("0123456789abcdef") != std::string::npos))
    failAt(value, "%s is not %zu hexadecimal digits", what, kDigestDigits);
  return digest;
}

/// The digest is that of the text with the digest's own digits as zeros.
void ManifestReader::verifyDigest(const Json &root) {
  const Json &value = member(root, "digest");
  std::string said = digest(value, "digest");
  if (!ok())
    return;
  size_t start = value.offset + 1;
  if (text.substr(start, kDigestDigits) != said)
    return failAt(value, "digest is written with escapes");
  static constexpr char zeros[] =
      "0000000000000000000000000000000000000000000000000000000000000000";
  static_assert(sizeof(zeros) - 1 == kDigestDigits);
  Sha256 hash;
  hash.update(text.data(), start);
  hash.update(zeros, kDigestDigits);
  hash.update(text.data() + start + kDigestDigits,
              text.size() - start - kDigestDigits);
  std::string found = hash.finish();
  if (found != said)
    failAt(value,
           "its digest is %s, its text's is %s: damaged or edited after the "
           "compiler wrote it",
           said.c_str(), found.c_str());
}

void ManifestReader::readCode(const Json &value, Manifest &manifest) {
  if (!expectMembers(value, "code",
                     {"kind", "bytes", "sha256", nullptr, "file"}))
    return;
  const Json &kind = member(value, "kind");
  std::string kindText = string(kind, "code's kind");
  manifest.isPtx = kindText == "ptx";
  if (ok() && !manifest.isPtx && kindText != "cubin")
    failAt(kind, "code's kind is '%.64s': 'cubin' or 'ptx'", kindText.c_str());
  manifest.codeBytes =
      integer(member(value, "bytes"), "code's bytes", 1, kMaxCodeBytes);
  manifest.codeDigest = digest(member(value, "sha256"), "code's sha256");
  if (!value.find("file"))
    return;
  const Json &file = member(value, "file");
  manifest.codeFile = name(file, "code's file");
  // A plain name: a manifest cannot make the runtime read files elsewhere.
  if (ok() && (manifest.codeFile.find('/') != std::string::npos ||
               manifest.codeFile == "." || manifest.codeFile == ".."))
    failAt(file, "code's file '%.64s' is not a name beside the manifest",
           manifest.codeFile.c_str());
}

int64_t ManifestReader::reported(const Json &report, const char *name) {
  return report.find(name)
             ? integer(member(report, name), name, 0, kMaxCodeBytes)
             : -1;
}

Kernel ManifestReader::readKernel(const Json &value) {
  Kernel kernel;
  if (!expectMembers(
          value, "a kernel",
          {"symbol", "threads", "dynamic_shared", nullptr, "report"}))
    return kernel;
  kernel.symbol = name(member(value, "symbol"), "a kernel's symbol");
  kernel.threads =
      integer(member(value, "threads"), "a kernel's threads", 1, 1024);
  kernel.dynamicShared = integer(member(value, "dynamic_shared"),
                                 "a kernel's dynamic_shared", 0, kMaxInt);
  if (!value.find("report"))
    return kernel;
  const Json &report = member(value, "report");
  if (!expectMembers(report, "a report",
                     {nullptr, "registers", "spill_stores", "spill_loads",
                      "stack", "static_shared", "barriers", "code_bytes"}))
    return kernel;
  kernel.registers = reported(report, "registers");
  kernel.codeBytes = reported(report, "code_bytes");
  int64_t stores = reported(report, "spill_stores");
  int64_t loads = reported(report, "spill_loads");
  if (stores >= 0 && loads >= 0)
    kernel.spillBytes = stores + loads;
  for (const char *other : {"stack", "static_shared", "barriers"})
    reported(report, other);
  return kernel;
}

Status ManifestReader::read(Manifest &result) {
  manifest = &result;
  if (text.size() > kMaxManifestBytes)
    return fail(SCANWEFT_BAD_MANIFEST,
                "%.256s: a manifest of %zu bytes, at most %zu", origin,
                text.size(), kMaxManifestBytes);
  Json root;
  JsonError error;
  if (!parseJson(text, root, error)) {
    auto [line, column] = findLine(text, error.offset);
    return fail(SCANWEFT_BAD_MANIFEST, "%.256s:%zu:%zu: %s", origin, line,
                column, error.message.c_str());
  }
  if (!expect(root, Json::Kind::Object, "the manifest"))
    return status;
  const Json *version = root.find("scanweft_manifest");
  if (!version)
    return fail(SCANWEFT_BAD_MANIFEST,
                "%.256s: it has no 'scanweft_manifest': not a manifest",
                origin);
  if (integer(*version, "scanweft_manifest", 0, kMaxInt) != kVersion && ok())
    failAt(*version, "its version is %lld, this runtime reads %lld",
           static_cast<long long>(version->integer),
           static_cast<long long>(kVersion));
  if (!expectMembers(root, "the manifest",
                     {"scanweft_manifest", "target", "code", "kernels",
                      "entries", "digest", nullptr, "producer"}))
    return status;
  verifyDigest(root);
  result.target = name(member(root, "target"), "target");
  readCode(member(root, "code"), result);
  if (root.find("producer"))
    name(member(root, "producer"), "producer");
  for (const Json &value :
       elements(member(root, "kernels"), "kernels", 0, kMaxList))
    result.kernels.push_back(readKernel(value));
  for (const Json &value :
       elements(member(root, "entries"), "entries", 1, kMaxList)) {
    result.entries.push_back(readEntry(value));
    for (size_t i = 0; ok() && i + 1 < result.entries.size(); ++i)
      if (result.entries[i].name == result.entries.back().name)
        failAt(value, "two entries are called '%.64s'",
               result.entries[i].name.c_str());
  }
  return status;
}

Status scanweft::runtime::readManifest(const char *origin,
                                       std::string_view text,
                                       Manifest &manifest) {
  return ManifestReader(origin, text).read(manifest);
}
