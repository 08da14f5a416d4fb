// Part of Scanweft, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

//===----------------------------------------------------------------------===//
// Arrays and the rounding between element types.
//===----------------------------------------------------------------------===//

#include "scanweft/Execution/Array.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/bit.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/raw_ostream.h"
#include <cmath>
#include <cstring>
#include <limits>

using namespace llvm;
using namespace scanweft;

/// Buffers are aligned as vector loads and the buffers of programs are.
static constexpr size_t kAlignment = 64;

int64_t scanweft::byteSize(ElementType type) {
  switch (type) {
  case ElementType::I1:
  case ElementType::I8:
  case ElementType::U8:
    return 1;
  case ElementType::F16:
  case ElementType::BF16:
  case ElementType::I16:
  case ElementType::U16:
    return 2;
  case ElementType::F32:
  case ElementType::I32:
  case ElementType::U32:
    return 4;
  case ElementType::F64:
  case ElementType::I64:
  case ElementType::U64:
    return 8;
  }
  llvm_unreachable("every element type has a size");
}

bool scanweft::isFloat(ElementType type) { return type <= ElementType::F64; }

StringRef scanweft::elementTypeName(ElementType type) {
  static constexpr StringLiteral names[] = {"f16", "bf16", "f32", "f64", "i1",
                                            "i8",  "i16",  "i32", "i64", "u8",
                                            "u16", "u32",  "u64"};
  return names[static_cast<int>(type)];
}

uint16_t scanweft::roundToSmallFloat(double value, int exponentBits,
                                     int fractionBits) {
  const uint16_t sign = std::signbit(value) ? 0x8000 : 0;
  const int bias = (1 << (exponentBits - 1)) - 1;
  const uint16_t infinity = ((1 << exponentBits) - 1) << fractionBits;
  if (std::isnan(value))
    return sign | infinity | (1 << (fractionBits - 1));
  if (std::isinf(value))
    return sign | infinity;
  if (value == 0.0)
    return sign;
  // The value in units of its last place, rounded: a carry out of the fraction
  // lands in the exponent of the encoding by itself, and subnormals are the
  // units of the smallest normal exponent.
  int exponent = std::max(std::ilogb(value), 1 - bias);
  double units =
      std::nearbyint(std::scalbn(std::fabs(value), fractionBits - exponent));
  if (exponent > bias)
    return sign | infinity;
  int encoded =
      ((exponent + bias - 1) << fractionBits) + static_cast<int>(units);
  return sign | std::min<int>(encoded, infinity);
}

uint16_t scanweft::roundToHalf(double value) {
  return roundToSmallFloat(value, /*exponentBits=*/5, /*fractionBits=*/10);
}

uint16_t scanweft::roundToBFloat(double value) {
  return roundToSmallFloat(value, /*exponentBits=*/8, /*fractionBits=*/7);
}

double scanweft::halfToDouble(uint16_t bits) {
  int exponent = (bits >> 10) & 0x1f, fraction = bits & 0x3ff;
  double magnitude;
  if (exponent == 0x1f)
    magnitude = fraction ? std::numeric_limits<double>::quiet_NaN()
                         : std::numeric_limits<double>::infinity();
  else if (exponent == 0)
    magnitude = std::scalbn(fraction, -24);
  else
    magnitude = std::scalbn(fraction + 1024, exponent - 25);
  return bits & 0x8000 ? -magnitude : magnitude;
}

double scanweft::bfloatToDouble(uint16_t bits) {
  return llvm::bit_cast<float>(static_cast<uint32_t>(bits) << 16);
}

std::optional<int64_t> scanweft::countElements(ArrayRef<int64_t> shape,
                                               int64_t elementBytes) {
  // An empty dim makes the array empty, whatever the others are; they must be
  // sizes all the same.
  bool empty = false;
  for (int64_t size : shape) {
    if (size < 0)
      return std::nullopt;
    empty |= size == 0;
  }
  if (empty)
    return 0;
  int64_t count = 1;
  const int64_t limit = (int64_t(1) << 62) / elementBytes;
  for (int64_t size : shape) {
    if (count > limit / size)
      return std::nullopt;
    count *= size;
  }
  return count;
}

std::string scanweft::shapeToString(ArrayRef<int64_t> shape) {
  if (shape.empty())
    return "scalar";
  return llvm::join(
      llvm::map_range(shape, [](int64_t size) { return std::to_string(size); }),
      "x");
}

Expected<Array> Array::create(ElementType type, ArrayRef<int64_t> shape) {
  std::optional<int64_t> count = countElements(shape, scanweft::byteSize(type));
  if (!count)
    return createStringError(
        formatv("an array of {0} elements {1} passes the address space",
                shapeToString(shape), elementTypeName(type)));
  Array array;
  array.type = type;
  array.shape.assign(shape.begin(), shape.end());
  array.numElements = *count;
  size_t bytes =
      llvm::alignTo(std::max<int64_t>(array.getNumBytes(), 1), kAlignment);
  array.data.reset(static_cast<char *>(std::aligned_alloc(kAlignment, bytes)));
  if (!array.data)
    return createStringError(
        formatv("no memory for an array of {0} elements {1}",
                shapeToString(shape), elementTypeName(type)));
  std::memset(array.data.get(), 0, bytes);
  return array;
}

Expected<Array> Array::clone() const {
  Expected<Array> copy = create(type, shape);
  if (copy)
    std::memcpy(copy->getData(), getData(), getNumBytes());
  return copy;
}

template <typename T> static T load(const char *data, int64_t index) {
  T value;
  std::memcpy(&value, data + index * sizeof(T), sizeof(T));
  return value;
}

template <typename T> static void store(char *data, int64_t index, T value) {
  std::memcpy(data + index * sizeof(T), &value, sizeof(T));
}

template <typename T>
static bool storeChecked(char *data, int64_t index, int64_t value) {
  if (std::is_unsigned_v<T> && value < 0)
    return false;
  if (static_cast<int64_t>(static_cast<T>(value)) != value)
    return false;
  store<T>(data, index, static_cast<T>(value));
  return true;
}

double Array::getDouble(int64_t index) const {
  const char *bytes = data.get();
  switch (type) {
  case ElementType::F16:
    return halfToDouble(load<uint16_t>(bytes, index));
  case ElementType::BF16:
    return bfloatToDouble(load<uint16_t>(bytes, index));
  case ElementType::F32:
    return load<float>(bytes, index);
  case ElementType::F64:
    return load<double>(bytes, index);
  case ElementType::U64:
    return load<uint64_t>(bytes, index);
  default:
    return getInteger(index);
  }
}

int64_t Array::getInteger(int64_t index) const {
  const char *bytes = data.get();
  switch (type) {
  case ElementType::I1:
    return load<uint8_t>(bytes, index) & 1;
  case ElementType::I8:
    return load<int8_t>(bytes, index);
  case ElementType::I16:
    return load<int16_t>(bytes, index);
  case ElementType::I32:
    return load<int32_t>(bytes, index);
  case ElementType::I64:
  case ElementType::U64:
    return load<int64_t>(bytes, index);
  case ElementType::U8:
    return load<uint8_t>(bytes, index);
  case ElementType::U16:
    return load<uint16_t>(bytes, index);
  case ElementType::U32:
    return load<uint32_t>(bytes, index);
  default:
    llvm_unreachable("a floating-point element is no integer");
  }
}

void Array::setDouble(int64_t index, double value) {
  char *bytes = data.get();
  switch (type) {
  case ElementType::F16:
    return store(bytes, index, roundToHalf(value));
  case ElementType::BF16:
    return store(bytes, index, roundToBFloat(value));
  case ElementType::F32:
    return store(bytes, index, static_cast<float>(value));
  case ElementType::F64:
    return store(bytes, index, value);
  default:
    llvm_unreachable("an integer element holds no fraction");
  }
}

bool Array::setInteger(int64_t index, int64_t value) {
  char *bytes = data.get();
  switch (type) {
  case ElementType::I1:
    return (value == 0 || value == 1) &&
           storeChecked<uint8_t>(bytes, index, value);
  case ElementType::I8:
    return storeChecked<int8_t>(bytes, index, value);
  case ElementType::I16:
    return storeChecked<int16_t>(bytes, index, value);
  case ElementType::I32:
    return storeChecked<int32_t>(bytes, index, value);
  case ElementType::I64:
    return storeChecked<int64_t>(bytes, index, value);
  case ElementType::U8:
    return storeChecked<uint8_t>(bytes, index, value);
  case ElementType::U16:
    return storeChecked<uint16_t>(bytes, index, value);
  case ElementType::U32:
    return storeChecked<uint32_t>(bytes, index, value);
  case ElementType::U64:
    return value >= 0 && storeChecked<int64_t>(bytes, index, value);
  default:
    llvm_unreachable("a floating-point element takes setDouble");
  }
}

/// A number as C's %g prints it: short, and large ones by their power of ten.
static std::string printNumber(double value) {
  std::string text;
  raw_string_ostream(text) << format("%g", value);
  return text;
}

/// Converts one element; false where the target cannot hold it.
static bool convertElement(const Array &from, Array &to, int64_t index) {
  if (isFloat(to.getType())) {
    to.setDouble(index, from.getDouble(index));
    return true;
  }
  if (isFloat(from.getType())) {
    double value = from.getDouble(index);
    if (!(std::fabs(value) < 0x1p63) || value != std::trunc(value))
      return false;
    return to.setInteger(index, static_cast<int64_t>(value));
  }
  int64_t value = from.getInteger(index);
  if (from.getType() == ElementType::U64 && value < 0)
    return false;
  return to.setInteger(index, value);
}

Expected<Array> scanweft::convert(const Array &array, ElementType type) {
  if (array.getType() == type)
    return array.clone();
  Expected<Array> result = Array::create(type, array.getShape());
  if (!result)
    return result;
  for (int64_t i = 0, e = array.getNumElements(); i < e; ++i)
    if (!convertElement(array, *result, i))
      return createStringError(
          formatv("element {0} is {1}, which {2} cannot hold", i,
                  printNumber(array.getDouble(i)), elementTypeName(type)));
  return result;
}
