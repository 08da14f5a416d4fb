// Part of Scanweft, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

//===----------------------------------------------------------------------===//
// Canonical Huffman decoding, one bit at a time: code lengths sorted by length
// then symbol; a code of length n is the n-bit number `first[n] + i` of the
// i-th symbol of that length. Slow beside zlib and enough for test data.
//===----------------------------------------------------------------------===//

#include "scanweft/Execution/Inflate.h"
#include "llvm/ADT/ArrayRef.h"
#include <array>
#include <cstdint>

using namespace llvm;
using namespace scanweft;

namespace {

constexpr int kMaxCodeLength = 15;
constexpr int kNumLiterals = 288;
constexpr int kNumDistances = 30;
constexpr int kEndOfBlock = 256;

/// A Huffman code: how many symbols each length has, and the symbols in order.
struct HuffmanCode {
  std::array<uint16_t, kMaxCodeLength + 1> count = {};
  std::array<uint16_t, kNumLiterals> symbols = {};

  /// False where the lengths promise more codes than there are.
  bool build(ArrayRef<uint8_t> lengths) {
    count.fill(0);
    for (uint8_t length : lengths)
      ++count[length];
    count[0] = 0;
    int left = 1;
    std::array<uint16_t, kMaxCodeLength + 2> next = {};
    for (int length = 1; length <= kMaxCodeLength; ++length) {
      left = 2 * left - count[length];
      if (left < 0)
        return false;
      next[length + 1] = next[length] + count[length];
    }
    for (size_t symbol = 0; symbol < lengths.size(); ++symbol)
      if (lengths[symbol])
        symbols[next[lengths[symbol]]++] = symbol;
    return true;
  }
};

class Inflater {
public:
  Inflater(StringRef packed, size_t size) : packed(packed), size(size) {
    output.reserve(size);
  }

  Expected<std::string> run();

private:
  /// Each returns false, or -1, on a bad stream, with `problem` set.
  bool readBlock(bool &last);
  bool copyStored();
  bool readDynamicCodes();
  void makeFixedCodes();
  bool readSymbols();
  bool copyMatch(int lengthSymbol);
  int readSymbol(const HuffmanCode &code);
  int readBits(int number);

  bool fail(StringRef text) {
    if (problem.empty())
      problem = text;
    return false;
  }
  bool append(char byte) {
    if (output.size() == size)
      return fail("it unpacks to more than it declares");
    output.push_back(byte);
    return true;
  }

  StringRef packed;
  size_t size;
  size_t position = 0;
  uint32_t bitBuffer = 0;
  int numBits = 0;
  std::string output;
  StringRef problem;
  HuffmanCode literals, distances;
};

} // namespace

int Inflater::readBits(int number) {
  while (numBits < number) {
    if (position == packed.size()) {
      fail("the compressed data end early");
      return -1;
    }
    bitBuffer |= static_cast<uint32_t>(static_cast<uint8_t>(packed[position++]))
                 << numBits;
    numBits += 8;
  }
  int value = bitBuffer & ((1u << number) - 1);
  bitBuffer >>= number;
  numBits -= number;
  return value;
}

int Inflater::readSymbol(const HuffmanCode &code) {
  int value = 0, first = 0, index = 0;
  for (int length = 1; length <= kMaxCodeLength; ++length) {
    int bit = readBits(1);
    if (bit < 0)
      return -1;
    value |= bit;
    int count = code.count[length];
    if (value - count < first)
      return code.symbols[index + (value - first)];
    index += count;
    first = (first + count) << 1;
    value <<= 1;
  }
  fail("the compressed data hold a code that is not in their table");
  return -1;
}

bool Inflater::copyStored() {
  bitBuffer = 0;
  numBits = 0;
  if (packed.size() - position < 4)
    return fail("the compressed data end early");
  auto byteAt = [&](size_t at) {
    return static_cast<unsigned>(static_cast<uint8_t>(packed[at]));
  };
  unsigned length = byteAt(position) | byteAt(position + 1) << 8;
  unsigned inverse = byteAt(position + 2) | byteAt(position + 3) << 8;
  position += 4;
  if (length != (~inverse & 0xffff))
    return fail("a stored block's length is corrupt");
  if (packed.size() - position < length)
    return fail("the compressed data end early");
  if (size - output.size() < length)
    return fail("it unpacks to more than it declares");
  output.append(packed.data() + position, length);
  position += length;
  return true;
}

void Inflater::makeFixedCodes() {
  std::array<uint8_t, kNumLiterals> lengths;
  for (int symbol = 0; symbol < kNumLiterals; ++symbol)
    lengths[symbol] = symbol < 144   ? 8
                      : symbol < 256 ? 9
                      : symbol < 280 ? 7
                                     : 8;
  literals.build(lengths);
  std::array<uint8_t, kNumDistances> five;
  five.fill(5);
  distances.build(five);
}

bool Inflater::readDynamicCodes() {
  static constexpr uint8_t order[19] = {16, 17, 18, 0, 8,  7, 9,  6, 10, 5,
                                        11, 4,  12, 3, 13, 2, 14, 1, 15};
  int numLiterals = readBits(5), numDistances = readBits(5),
      numLengths = readBits(4);
  if (numLiterals < 0 || numDistances < 0 || numLengths < 0)
    return false;
  numLiterals += 257;
  numDistances += 1;
  numLengths += 4;
  if (numLiterals > 286 || numDistances > kNumDistances)
    return fail("a block's code counts are corrupt");

  std::array<uint8_t, 19> lengthLengths = {};
  for (int i = 0; i < numLengths; ++i) {
    int length = readBits(3);
    if (length < 0)
      return false;
    lengthLengths[order[i]] = length;
  }
  HuffmanCode lengthCode;
  if (!lengthCode.build(lengthLengths))
    return fail("a block's code lengths are corrupt");

  std::array<uint8_t, 286 + kNumDistances> lengths = {};
  const int total = numLiterals + numDistances;
  for (int i = 0; i < total;) {
    int symbol = readSymbol(lengthCode);
    if (symbol < 0)
      return false;
    if (symbol < 16) {
      lengths[i++] = symbol;
      continue;
    }
    // 16 repeats the last length, 17 and 18 write zeros.
    if (symbol == 16 && i == 0)
      return fail("a block's code lengths are corrupt");
    uint8_t value = symbol == 16 ? lengths[i - 1] : 0;
    int extra = readBits(symbol == 16 ? 2 : symbol == 17 ? 3 : 7);
    if (extra < 0)
      return false;
    int repeat = extra + (symbol == 18 ? 11 : 3);
    if (repeat > total - i)
      return fail("a block's code lengths are corrupt");
    while (repeat--)
      lengths[i++] = value;
  }
  if (!literals.build(ArrayRef(lengths).take_front(numLiterals)) ||
      !distances.build(ArrayRef(lengths).slice(numLiterals, numDistances)))
    return fail("a block's code lengths are corrupt");
  return true;
}

bool Inflater::copyMatch(int lengthSymbol) {
  static constexpr uint16_t lengthBase[29] = {
      3,  4,  5,  6,  7,  8,  9,  10, 11,  13,  15,  17,  19,  23, 27,
      31, 35, 43, 51, 59, 67, 83, 99, 115, 131, 163, 195, 227, 258};
  static constexpr uint8_t lengthExtra[29] = {0, 0, 0, 0, 0, 0, 0, 0, 1, 1,
                                              1, 1, 2, 2, 2, 2, 3, 3, 3, 3,
                                              4, 4, 4, 4, 5, 5, 5, 5, 0};
  static constexpr uint16_t distanceBase[kNumDistances] = {
      1,    2,    3,    4,    5,    7,    9,    13,    17,    25,
      33,   49,   65,   97,   129,  193,  257,  385,   513,   769,
      1025, 1537, 2049, 3073, 4097, 6145, 8193, 12289, 16385, 24577};
  if (lengthSymbol >= 29)
    return fail("the compressed data hold a length that does not exist");
  int extra = readBits(lengthExtra[lengthSymbol]);
  if (extra < 0)
    return false;
  int length = lengthBase[lengthSymbol] + extra;
  int symbol = readSymbol(distances);
  if (symbol < 0)
    return false;
  if (symbol >= kNumDistances)
    return fail("the compressed data hold a distance that does not exist");
  extra = readBits(symbol < 4 ? 0 : symbol / 2 - 1);
  if (extra < 0)
    return false;
  size_t distance = distanceBase[symbol] + extra;
  if (distance > output.size())
    return fail("the compressed data refer to before their start");
  while (length--)
    if (!append(output[output.size() - distance]))
      return false;
  return true;
}

bool Inflater::readSymbols() {
  while (true) {
    int symbol = readSymbol(literals);
    if (symbol < 0)
      return false;
    if (symbol == kEndOfBlock)
      return true;
    if (symbol < kEndOfBlock ? !append(static_cast<char>(symbol))
                             : !copyMatch(symbol - kEndOfBlock - 1))
      return false;
  }
}

bool Inflater::readBlock(bool &last) {
  int final = readBits(1), kind = readBits(2);
  if (final < 0 || kind < 0)
    return false;
  last = final;
  switch (kind) {
  case 0:
    return copyStored();
  case 1:
    makeFixedCodes();
    return readSymbols();
  case 2:
    return readDynamicCodes() && readSymbols();
  default:
    return fail("a compressed block is of no known kind");
  }
}

Expected<std::string> Inflater::run() {
  bool last = false;
  while (!last)
    if (!readBlock(last))
      return createStringError(problem);
  if (output.size() != size)
    return createStringError("it unpacks to less than it declares");
  return std::move(output);
}

Expected<std::string> scanweft::inflate(StringRef packed, size_t size) {
  return Inflater(packed, size).run();
}
