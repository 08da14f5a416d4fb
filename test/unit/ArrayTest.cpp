// Part of Scanweft, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

//===----------------------------------------------------------------------===//
// Roundings against LLVM's own software floats, and conversions.
//===----------------------------------------------------------------------===//

#include "scanweft/Execution/Array.h"
#include "scanweft/Execution/Random.h"
#include "llvm/ADT/APFloat.h"
#include "llvm/ADT/APInt.h"
#include <cmath>
#include <gtest/gtest.h>

using namespace llvm;
using namespace scanweft;

/// What APFloat makes of a double in 16 bits.
static uint16_t expectedBits(double value, const fltSemantics &semantics) {
  APFloat number(value);
  bool losesInfo;
  number.convert(semantics, APFloat::rmNearestTiesToEven, &losesInfo);
  return number.bitcastToAPInt().getZExtValue();
}

static void expectRoundings(double value) {
  EXPECT_EQ(roundToHalf(value), expectedBits(value, APFloat::IEEEhalf()))
      << value;
  EXPECT_EQ(roundToBFloat(value), expectedBits(value, APFloat::BFloat()))
      << value;
}

TEST(Array, EveryHalfAndBFloatSurvives) {
  for (unsigned bits = 0; bits < 0x10000; ++bits) {
    double half = halfToDouble(bits), bfloat = bfloatToDouble(bits);
    if (!std::isnan(half))
      EXPECT_EQ(roundToHalf(half), bits);
    if (!std::isnan(bfloat))
      EXPECT_EQ(roundToBFloat(bfloat), bits);
    APFloat number(APFloat::IEEEhalf(), APInt(16, bits));
    if (!std::isnan(half))
      EXPECT_EQ(half, number.convertToDouble());
    EXPECT_EQ(std::isnan(half), number.isNaN());
  }
}

TEST(Array, RoundsOnceToNearestEven) {
  RandomStream stream(/*seed=*/0, "roundings");
  for (int i = 0; i < 20000; ++i) {
    // All magnitudes, subnormal and overflowing ones among them.
    double value =
        std::ldexp(stream.normal(2 * i),
                   static_cast<int>(stream.bits(2 * i + 1) % 330) - 165);
    expectRoundings(value);
  }
  for (unsigned bits = 0; bits < 0x7f80; ++bits) {
    // Ties, and their neighbours in float64.
    double tie = (bfloatToDouble(bits) + bfloatToDouble(bits + 1)) / 2;
    for (double value :
         {tie, std::nextafter(tie, 0.0), std::nextafter(tie, 1e300)}) {
      if (std::isinf(value))
        continue;
      expectRoundings(value);
      expectRoundings(-value);
    }
  }
  expectRoundings(0.0);
  expectRoundings(-0.0);
  expectRoundings(65519.99);
  expectRoundings(65520.0);
}

TEST(Array, NanAndInfinity) {
  EXPECT_TRUE(std::isnan(halfToDouble(roundToHalf(NAN))));
  EXPECT_TRUE(std::isnan(bfloatToDouble(roundToBFloat(NAN))));
  EXPECT_EQ(halfToDouble(roundToHalf(-INFINITY)), -INFINITY);
  EXPECT_EQ(bfloatToDouble(roundToBFloat(1e39)), INFINITY);
}

TEST(Array, CountsElementsWithoutOverflow) {
  EXPECT_EQ(countElements({2, 3, 4}, 8), 24);
  EXPECT_EQ(countElements({}, 8), 1);
  EXPECT_EQ(countElements({int64_t(1) << 40, 0, int64_t(1) << 40}, 8), 0);
  EXPECT_EQ(countElements({2, -1}, 4), std::nullopt);
  EXPECT_EQ(countElements({0, -1}, 4), std::nullopt);
  EXPECT_EQ(countElements({int64_t(1) << 32, int64_t(1) << 32}, 1),
            std::nullopt);
}

/// A conversion's outcome as text: the values, or the error.
static std::string convertedTo(ElementType from, ElementType to,
                               ArrayRef<double> values) {
  Expected<Array> array =
      Array::create(from, static_cast<int64_t>(values.size()));
  cantFail(array.takeError());
  for (auto [i, value] : llvm::enumerate(values)) {
    if (isFloat(from))
      array->setDouble(i, value);
    else
      EXPECT_TRUE(array->setInteger(i, static_cast<int64_t>(value)));
  }
  Expected<Array> result = convert(*array, to);
  if (!result)
    return toString(result.takeError());
  std::string text;
  for (int64_t i = 0; i < result->getNumElements(); ++i)
    text += (i ? " " : "") + std::to_string(result->getDouble(i));
  return text;
}

TEST(Array, Conversions) {
  EXPECT_EQ(convertedTo(ElementType::F64, ElementType::I32, {3, -7}),
            "3.000000 -7.000000");
  EXPECT_EQ(convertedTo(ElementType::F64, ElementType::I32, {3, 0.5}),
            "element 1 is 0.5, which i32 cannot hold");
  EXPECT_EQ(convertedTo(ElementType::F32, ElementType::I64, {1e30}),
            "element 0 is 1e+30, which i64 cannot hold");
  EXPECT_EQ(convertedTo(ElementType::I64, ElementType::I8, {127}),
            "127.000000");
  EXPECT_EQ(convertedTo(ElementType::I64, ElementType::I8, {128}),
            "element 0 is 128, which i8 cannot hold");
  EXPECT_EQ(convertedTo(ElementType::I32, ElementType::U32, {-1}),
            "element 0 is -1, which u32 cannot hold");
  EXPECT_EQ(convertedTo(ElementType::I32, ElementType::I1, {0, 1}),
            "0.000000 1.000000");
  EXPECT_EQ(convertedTo(ElementType::I32, ElementType::I1, {2}),
            "element 0 is 2, which i1 cannot hold");
  EXPECT_EQ(convertedTo(ElementType::U8, ElementType::BF16, {255}),
            "255.000000");
}
