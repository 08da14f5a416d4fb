// Part of Scanweft, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

//===----------------------------------------------------------------------===//
// Generated inputs: fixed values, independence of type, and distributions.
//===----------------------------------------------------------------------===//

#include "scanweft/Execution/Random.h"
#include <cmath>
#include <gtest/gtest.h>

using namespace llvm;
using namespace scanweft;

static Array make(StringRef kind, ElementType type, ArrayRef<int64_t> shape,
                  uint64_t seed = 0, StringRef name = "x") {
  return cantFail(generate(*parseDistribution(kind), type, shape, seed, name));
}

static std::string errorOf(StringRef kind, ElementType type,
                           ArrayRef<int64_t> shape) {
  Expected<Array> array =
      generate(*parseDistribution(kind), type, shape, 0, "x");
  return array ? "" : toString(array.takeError());
}

TEST(Random, StreamIsFixed) {
  // Files and reports of other machines rely on these.
  RandomStream stream(/*seed=*/1, "q");
  EXPECT_EQ(stream.bits(0), 0x124eff27be428c38u);
  EXPECT_EQ(stream.bits(1), 0xa435ef39501b12f5u);
  EXPECT_DOUBLE_EQ(stream.normal(0), -1.447918968254621);
  EXPECT_DOUBLE_EQ(stream.normal(1), -1.783015942585444);
}

TEST(Random, ValuesDoNotDependOnTheType) {
  Array wide = make("normal", ElementType::F64, {100});
  Array single = make("normal", ElementType::F32, {100});
  Array small = make("normal", ElementType::BF16, {10, 10});
  for (int64_t i = 0; i < 100; ++i) {
    EXPECT_EQ(single.getDouble(i), static_cast<float>(wide.getDouble(i)));
    EXPECT_EQ(small.getDouble(i),
              bfloatToDouble(roundToBFloat(wide.getDouble(i))));
  }
}

TEST(Random, SeedsAndNamesDiffer) {
  double first = make("normal", ElementType::F64, {1}).getDouble(0);
  EXPECT_NE(first, make("normal", ElementType::F64, {1}, 1).getDouble(0));
  EXPECT_NE(first, make("normal", ElementType::F64, {1}, 0, "y").getDouble(0));
}

TEST(Random, NormalMoments) {
  Array array = make("normal", ElementType::F64, {100000});
  double sum = 0.0, square = 0.0, neighbours = 0.0;
  for (int64_t i = 0; i < array.getNumElements(); ++i) {
    sum += array.getDouble(i);
    square += array.getDouble(i) * array.getDouble(i);
    if (i)
      neighbours += array.getDouble(i) * array.getDouble(i - 1);
  }
  // Five standard errors.
  EXPECT_NEAR(sum / 1e5, 0.0, 0.016);
  EXPECT_NEAR(square / 1e5, 1.0, 0.023);
  EXPECT_NEAR(neighbours / 1e5, 0.0, 0.016);
}

TEST(Random, Ranges) {
  for (auto [kind, low, high] :
       {std::tuple("uniform", 0.0, 1.0), std::tuple("positive", 0.5, 1.5),
        std::tuple("logsigmoid", -20.0, 0.0),
        std::tuple("softplus", 0.0, 20.0)}) {
    Array array = make(kind, ElementType::F64, {10000});
    for (int64_t i = 0; i < array.getNumElements(); ++i) {
      EXPECT_GT(array.getDouble(i), low) << kind;
      EXPECT_LT(array.getDouble(i), high) << kind;
    }
  }
}

TEST(Random, UnitRows) {
  Array array = make("unit", ElementType::F64, {7, 16});
  for (int64_t row = 0; row < 7; ++row) {
    double square = 0.0;
    for (int64_t i = 0; i < 16; ++i)
      square += std::pow(array.getDouble(16 * row + i), 2);
    EXPECT_NEAR(square, 1.0, 1e-14);
  }
}

TEST(Random, PermutationsOfEachRow) {
  Array array = make("permutation", ElementType::I32, {3, 50});
  bool differ = false;
  for (int64_t row = 0; row < 3; ++row) {
    SmallVector<bool> seen(50, false);
    for (int64_t i = 0; i < 50; ++i) {
      int64_t value = array.getInteger(50 * row + i);
      ASSERT_TRUE(value >= 0 && value < 50 && !seen[value]);
      seen[value] = true;
      differ |= value != array.getInteger(i);
    }
  }
  EXPECT_TRUE(differ);
}

TEST(Random, SpdIsSymmetricAndDominatesTheIdentity) {
  Array array = make("spd", ElementType::F64, {2, 4, 4});
  for (int64_t m = 0; m < 2; ++m)
    for (int64_t i = 0; i < 4; ++i) {
      EXPECT_GT(array.getDouble(16 * m + 5 * i), 1.0);
      for (int64_t j = 0; j < 4; ++j)
        EXPECT_EQ(array.getDouble(16 * m + 4 * i + j),
                  array.getDouble(16 * m + 4 * j + i));
    }
}

TEST(Random, Errors) {
  EXPECT_EQ(errorOf("normal", ElementType::I32, {4}),
            "'normal' makes floating-point values, not i32; integers take "
            "zeros, ones, iota and permutation");
  EXPECT_EQ(errorOf("permutation", ElementType::F32, {4}),
            "'permutation' makes integers, not f32");
  EXPECT_EQ(errorOf("permutation", ElementType::I8, {1000}),
            "i8 is too narrow for the values of 'permutation'");
  EXPECT_EQ(errorOf("spd", ElementType::F32, {3, 4}),
            "'spd' makes square matrices, not 3x4");
  EXPECT_EQ(errorOf("iota", ElementType::I1, {3}),
            "i1 is too narrow for the values of 'iota'");
  EXPECT_FALSE(parseDistribution("gaussian"));
}
