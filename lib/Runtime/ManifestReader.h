// Part of Scanweft, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

//===----------------------------------------------------------------------===//
// Reading structs out of JSON. The first failure sticks: from then on every
// getter returns a harmless value, and the reader's status says what was wrong,
// with the line of the manifest.
//===----------------------------------------------------------------------===//

#ifndef SCANWEFT_LIB_RUNTIME_MANIFESTREADER_H
#define SCANWEFT_LIB_RUNTIME_MANIFESTREADER_H

#include "Json.h"
#include "Manifest.h"
#include <initializer_list>

namespace scanweft::runtime {

class ManifestReader {
public:
  ManifestReader(const char *origin, std::string_view text)
      : origin(origin), text(text) {}

  Status read(Manifest &manifest);

private:
  bool ok() const { return status == SCANWEFT_OK; }
  [[gnu::format(printf, 3, 4)]] void failAt(const Json &value,
                                            const char *format, ...);

  // Access to JSON; ManifestReader.cpp.
  bool expect(const Json &value, Json::Kind kind, const char *what);
  /// An object whose members are all among `names`; those before the null are
  /// required.
  bool expectMembers(const Json &value, const char *what,
                     std::initializer_list<const char *> names);
  const Json &member(const Json &object, const char *name);
  const std::vector<Json> &elements(const Json &value, const char *what,
                                    size_t least, size_t most);
  int64_t integer(const Json &value, const char *what, int64_t least,
                  int64_t most);
  /// An index below `size`.
  int32_t index(const Json &value, const char *what, size_t size);
  std::string string(const Json &value, const char *what);
  std::string name(const Json &value, const char *what);
  bool boolean(const Json &value, const char *what);
  int32_t type(const Json &value);
  std::string digest(const Json &value, const char *what);
  int64_t reported(const Json &report, const char *name);

  // The parts of a manifest; ManifestReader.cpp and ManifestEntry.cpp.
  void verifyDigest(const Json &root);
  void readCode(const Json &value, Manifest &manifest);
  Kernel readKernel(const Json &value);
  Entry readEntry(const Json &value);
  Argument readArgument(const Json &value);
  void findEqualDims(std::vector<Argument> &arguments);
  Expression readExpression(const Json &value, size_t number);
  int32_t readSizes(const Json &value, int32_t *sizes);
  void readWorkspace(const Json &value, Entry &entry);
  Variant readVariant(const Json &value, bool last);
  Parameter readParameter(const Json &value, size_t numAxes);
  Guard readGuard(const Json &value);
  int32_t bufferRank(int32_t buffer) const;
  bool bufferIsScalar(int32_t buffer) const;
  void readBufferDim(const Json &buffer, const Json &dim, int32_t &index,
                     int32_t &dimIndex);

  const char *origin;
  std::string_view text;
  Status status = SCANWEFT_OK;
  Manifest *manifest = nullptr; ///< as far as it is read
  Entry *entry = nullptr;       ///< the one being read
};

} // namespace scanweft::runtime

#endif // SCANWEFT_LIB_RUNTIME_MANIFESTREADER_H
