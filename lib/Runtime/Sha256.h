// Part of Scanweft, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

//===----------------------------------------------------------------------===//
// SHA-256 (FIPS 180-4): what ties a manifest to its code and to its own text.
//===----------------------------------------------------------------------===//

#ifndef SCANWEFT_LIB_RUNTIME_SHA256_H
#define SCANWEFT_LIB_RUNTIME_SHA256_H

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>

namespace scanweft::runtime {

class Sha256 {
public:
  void update(const void *data, size_t size);
  /// The digest in hexadecimal; the object is used up.
  std::string finish();

private:
  void addBlock(const uint8_t *block);

  std::array<uint32_t, 8> state{0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                                0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
  std::array<uint8_t, 64> pending{};
  uint64_t length = 0; ///< bytes so far
};

std::string sha256(const void *data, size_t size);

} // namespace scanweft::runtime

#endif // SCANWEFT_LIB_RUNTIME_SHA256_H
