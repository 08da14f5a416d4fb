// Part of Scanweft, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

//===----------------------------------------------------------------------===//
// A dense array in row-major order, as files hold it and programs receive it,
// and the conversions between element types. A value is rounded once, to
// nearest even, from the exact value in the source; an integer that the target
// cannot hold is an error.
//===----------------------------------------------------------------------===//

#ifndef SCANWEFT_EXECUTION_ARRAY_H
#define SCANWEFT_EXECUTION_ARRAY_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <optional>

namespace scanweft {

enum class ElementType : uint8_t {
  F16,
  BF16,
  F32,
  F64,
  I1,
  I8,
  I16,
  I32,
  I64,
  U8,
  U16,
  U32,
  U64
};

int64_t byteSize(ElementType type);
bool isFloat(ElementType type);
/// "f32", "bf16", "i1", ...
llvm::StringRef elementTypeName(ElementType type);

/// Rounds to nearest even into 1 sign bit, `exponentBits` and `fractionBits`.
uint16_t roundToSmallFloat(double value, int exponentBits, int fractionBits);
uint16_t roundToHalf(double value);
uint16_t roundToBFloat(double value);
double halfToDouble(uint16_t bits);
double bfloatToDouble(uint16_t bits);

/// Product of the sizes, or nullopt where a size is negative or the product
/// times `elementBytes` passes 2^62.
std::optional<int64_t> countElements(llvm::ArrayRef<int64_t> shape,
                                     int64_t elementBytes);
/// "2x131x64", or "scalar".
std::string shapeToString(llvm::ArrayRef<int64_t> shape);

class Array {
public:
  Array() = default;

  /// Zeros. The shape must pass countElements; an error when memory is short.
  static llvm::Expected<Array> create(ElementType type,
                                      llvm::ArrayRef<int64_t> shape);

  ElementType getType() const { return type; }
  llvm::ArrayRef<int64_t> getShape() const { return shape; }
  int64_t getNumElements() const { return numElements; }
  int64_t getNumBytes() const { return numElements * byteSize(type); }
  char *getData() { return data.get(); }
  const char *getData() const { return data.get(); }

  /// Any element as a double: exact, except for integers above 2^53.
  double getDouble(int64_t index) const;
  /// An element of an integer type.
  int64_t getInteger(int64_t index) const;
  /// Rounds into a floating-point element.
  void setDouble(int64_t index, double value);
  /// Stores into an integer element; false where the value does not fit.
  bool setInteger(int64_t index, int64_t value);

  llvm::Expected<Array> clone() const;

private:
  struct Free {
    void operator()(char *pointer) const { std::free(pointer); }
  };

  ElementType type = ElementType::F64;
  llvm::SmallVector<int64_t> shape;
  int64_t numElements = 0;
  std::unique_ptr<char, Free> data;
};

/// The array with another element type. Floating point becomes an integer only
/// where every value is one.
llvm::Expected<Array> convert(const Array &array, ElementType type);

} // namespace scanweft

#endif // SCANWEFT_EXECUTION_ARRAY_H
