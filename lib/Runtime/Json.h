// Part of Scanweft, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

//===----------------------------------------------------------------------===//
// A strict reader of JSON, of the part that manifests use: numbers are 64-bit
// integers, a member's name stands once in its object, text is UTF-8 without
// the character 0, nesting is bounded. Every value knows its place in the text.
//===----------------------------------------------------------------------===//

#ifndef SCANWEFT_LIB_RUNTIME_JSON_H
#define SCANWEFT_LIB_RUNTIME_JSON_H

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace scanweft::runtime {

class Json {
public:
  enum class Kind : uint8_t { Null, Bool, Integer, String, Array, Object };

  Kind kind = Kind::Null;
  bool boolean = false;
  int64_t integer = 0;
  size_t offset = 0;              ///< of its first character
  std::string string;             ///< a string's text
  std::vector<Json> elements;     ///< an array's elements, an object's values
  std::vector<std::string> names; ///< an object's names

  /// A member, or null.
  const Json *find(std::string_view name) const;
};

/// What is wrong with a text, and where.
struct JsonError {
  std::string message;
  size_t offset = 0;
};

/// Reads a whole text. Returns false with `error` set where it is no JSON.
bool parseJson(std::string_view text, Json &value, JsonError &error);

/// Line and column of an offset, from 1.
std::pair<size_t, size_t> findLine(std::string_view text, size_t offset);

/// "an object", "an integer", ...
const char *kindName(Json::Kind kind);

} // namespace scanweft::runtime

#endif // SCANWEFT_LIB_RUNTIME_JSON_H
