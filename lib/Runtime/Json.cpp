// Part of Scanweft, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

//===----------------------------------------------------------------------===//
// A recursive descent over the text; the depth of nesting is bounded, so is the
// stack.
//===----------------------------------------------------------------------===//

#include "Json.h"
#include <algorithm>

using namespace scanweft::runtime;

static constexpr int kMaxDepth = 32;
static constexpr size_t kMaxMembers = 64;

const Json *Json::find(std::string_view name) const {
  for (size_t i = 0; i < names.size(); ++i)
    if (names[i] == name)
      return &elements[i];
  return nullptr;
}

namespace {
class Parser {
public:
  Parser(std::string_view text, JsonError &error) : text(text), error(error) {}
  bool run(Json &value);

private:
  bool parseValue(Json &value, int depth);
  bool parseArray(Json &value, int depth);
  bool parseObject(Json &value, int depth);
  bool parseInteger(Json &value);
  bool parseString(std::string &string);
  bool parseEscape(std::string &string);
  bool parseHex(uint32_t &code);
  bool parseCharacter(std::string &string);
  bool parseWord(const char *word);

  bool failAt(size_t offset, std::string message) {
    error = {std::move(message), offset};
    return false;
  }
  bool atEnd() const { return next >= text.size(); }
  char peek() const { return atEnd() ? '\0' : text[next]; }
  void skipSpace() {
    while (!atEnd() && (peek() == ' ' || peek() == '\n' || peek() == '\r' ||
                        peek() == '\t'))
      ++next;
  }
  bool take(char wanted) {
    skipSpace();
    if (atEnd() || peek() != wanted)
      return false;
    ++next;
    return true;
  }
  bool expect(char wanted) {
    if (take(wanted))
      return true;
    return failAt(next, std::string("expected '") + wanted + "'" +
                            (atEnd() ? " before the end" : ""));
  }

  std::string_view text;
  JsonError &error;
  size_t next = 0;
};
} // namespace

bool Parser::run(Json &value) {
  if (!parseValue(value, 0))
    return false;
  skipSpace();
  return atEnd() || failAt(next, "expected nothing after the value");
}

bool Parser::parseValue(Json &value, int depth) {
  skipSpace();
  value.offset = next;
  if (depth > kMaxDepth)
    return failAt(next,
                  "nested more than " + std::to_string(kMaxDepth) + " deep");
  if (atEnd())
    return failAt(next, "expected a value before the end");
  switch (peek()) {
  case '{':
    return parseObject(value, depth);
  case '[':
    return parseArray(value, depth);
  case '"':
    value.kind = Json::Kind::String;
    return parseString(value.string);
  case 't':
  case 'f':
    value.kind = Json::Kind::Bool;
    value.boolean = peek() == 't';
    return parseWord(value.boolean ? "true" : "false");
  case 'n':
    value.kind = Json::Kind::Null;
    return parseWord("null");
  default:
    return parseInteger(value);
  }
}

bool Parser::parseWord(const char *word) {
  std::string_view wanted = word;
  if (text.substr(next, wanted.size()) != wanted)
    return failAt(next, "expected '" + std::string(wanted) + "'");
  next += wanted.size();
  return true;
}

bool Parser::parseArray(Json &value, int depth) {
  value.kind = Json::Kind::Array;
  ++next;
  if (take(']'))
    return true;
  do {
    value.elements.emplace_back();
    if (!parseValue(value.elements.back(), depth + 1))
      return false;
  } while (take(','));
  return expect(']');
}

bool Parser::parseObject(Json &value, int depth) {
  value.kind = Json::Kind::Object;
  ++next;
  if (take('}'))
    return true;
  do {
    skipSpace();
    size_t start = next;
    if (peek() != '"')
      return failAt(next, "expected a member's name");
    std::string name;
    if (!parseString(name))
      return false;
    if (std::find(value.names.begin(), value.names.end(), name) !=
        value.names.end())
      return failAt(start, "'" + name + "' stands twice");
    if (value.names.size() == kMaxMembers)
      return failAt(start, "an object of more than " +
                               std::to_string(kMaxMembers) + " members");
    value.names.push_back(std::move(name));
    value.elements.emplace_back();
    if (!expect(':') || !parseValue(value.elements.back(), depth + 1))
      return false;
  } while (take(','));
  return expect('}');
}

bool Parser::parseInteger(Json &value) {
  value.kind = Json::Kind::Integer;
  size_t start = next;
  bool negative = peek() == '-';
  next += negative;
  size_t digits = next;
  // Accumulated on the negative side, which holds every 64-bit value.
  int64_t number = 0;
  for (; !atEnd() && peek() >= '0' && peek() <= '9'; ++next) {
    int digit = peek() - '0';
    if (__builtin_mul_overflow(number, int64_t(10), &number) ||
        __builtin_sub_overflow(number, int64_t(digit), &number))
      return failAt(start, "an integer past 64 bits");
  }
  if (next == digits)
    return failAt(start, "expected a value");
  if (next - digits > 1 && text[digits] == '0')
    return failAt(start, "an integer with a leading zero");
  if (!atEnd() && (peek() == '.' || peek() == 'e' || peek() == 'E'))
    return failAt(start, "expected an integer");
  if (!negative && __builtin_sub_overflow(int64_t(0), number, &number))
    return failAt(start, "an integer past 64 bits");
  value.integer = number;
  return true;
}

bool Parser::parseString(std::string &string) {
  size_t start = next++;
  while (true) {
    if (atEnd())
      return failAt(start, "a string without an end");
    char c = peek();
    if (c == '"') {
      ++next;
      return true;
    }
    bool parsed = c == '\\' ? parseEscape(string) : parseCharacter(string);
    if (!parsed)
      return false;
  }
}

static void appendUtf8(std::string &string, uint32_t code) {
  if (code < 0x80) {
    string += static_cast<char>(code);
    return;
  }
  int following = code < 0x800 ? 1 : code < 0x10000 ? 2 : 3;
  static constexpr uint8_t lead[] = {0, 0xc0, 0xe0, 0xf0};
  string += static_cast<char>(lead[following] | code >> (6 * following));
  while (following--)
    string += static_cast<char>(0x80 | (code >> (6 * following) & 0x3f));
}

bool Parser::parseHex(uint32_t &code) {
  code = 0;
  for (int i = 0; i < 4; ++i, ++next) {
    char c = peek();
    int digit = c >= '0' && c <= '9'   ? c - '0'
                : c >= 'a' && c <= 'f' ? c - 'a' + 10
                : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                       : -1;
    if (digit < 0)
      return failAt(next, "expected four hexadecimal digits");
    code = code * 16 + digit;
  }
  return true;
}

bool Parser::parseEscape(std::string &string) {
  size_t start = next++;
  char c = peek();
  if (c == 'u') {
    ++next;
    uint32_t code, low;
    if (!parseHex(code))
      return false;
    if (code >= 0xd800 && code < 0xdc00) {
      if (text.substr(next, 2) != "\\u")
        return failAt(start, "half of a surrogate pair");
      next += 2;
      if (!parseHex(low))
        return false;
      if (low < 0xdc00 || low > 0xdfff)
        return failAt(start, "half of a surrogate pair");
      code = 0x10000 + ((code - 0xd800) << 10) + (low - 0xdc00);
    }
    if (code == 0 || (code >= 0xd800 && code < 0xe000))
      return failAt(start, "a character that text cannot hold");
    appendUtf8(string, code);
    return true;
  }
  static constexpr std::string_view from = "\"\\/bfnrt", to = "\"\\/\b\f\n\r\t";
  size_t index = atEnd() ? std::string_view::npos : from.find(c);
  if (index == std::string_view::npos)
    return failAt(start, "an unknown escape");
  string += to[index];
  ++next;
  return true;
}

/// One character that stands for itself, whose UTF-8 must be well formed.
bool Parser::parseCharacter(std::string &string) {
  auto c = static_cast<unsigned char>(peek());
  if (c < 0x20)
    return failAt(next, "a control character in a string");
  if (c < 0x80) {
    string += text[next++];
    return true;
  }
  int following = c >= 0xf0 && c < 0xf5   ? 3
                  : c >= 0xe0 && c < 0xf0 ? 2
                  : c >= 0xc2 && c < 0xe0 ? 1
                                          : -1;
  if (following < 0 || text.size() - next <= static_cast<size_t>(following))
    return failAt(next, "text that is not UTF-8");
  uint32_t code = c & (0x3f >> following);
  for (int i = 1; i <= following; ++i) {
    auto byte = static_cast<unsigned char>(text[next + i]);
    if ((byte & 0xc0) != 0x80)
      return failAt(next, "text that is not UTF-8");
    code = code << 6 | (byte & 0x3f);
  }
  static constexpr uint32_t least[] = {0, 0x80, 0x800, 0x10000};
  if (code < least[following] || code > 0x10ffff ||
      (code >= 0xd800 && code < 0xe000))
    return failAt(next, "text that is not UTF-8");
  string.append(text.substr(next, following + 1));
  next += following + 1;
  return true;
}

bool scanweft::runtime::parseJson(std::string_view text, Json &value,
                                  JsonError &error) {
  return Parser(text, error).run(value);
}

std::pair<size_t, size_t> scanweft::runtime::findLine(std::string_view text,
                                                      size_t offset) {
  std::string_view before = text.substr(0, std::min(offset, text.size()));
  size_t line = std::count(before.begin(), before.end(), '\n') + 1;
  size_t start = before.rfind('\n');
  size_t column =
      before.size() - (start == std::string_view::npos ? 0 : start + 1) + 1;
  return {line, column};
}

const char *scanweft::runtime::kindName(Json::Kind kind) {
  static constexpr const char *names[] = {"null",       "true or false",
                                          "an integer", "a string",
                                          "an array",   "an object"};
  return names[static_cast<int>(kind)];
}
