// Part of Scanweft, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

//===----------------------------------------------------------------------===//
// Measures of a comparison and their report.
//===----------------------------------------------------------------------===//

#include "scanweft/Execution/Compare.h"
#include <cmath>
#include <gtest/gtest.h>

using namespace llvm;
using namespace scanweft;

static Array rows(ArrayRef<double> values, int64_t width) {
  Array array = cantFail(Array::create(
      ElementType::F64, {static_cast<int64_t>(values.size()) / width, width}));
  for (auto [i, value] : llvm::enumerate(values))
    array.setDouble(i, value);
  return array;
}

static Tolerance bounded(double rms) {
  Tolerance tolerance;
  tolerance.rms = rms;
  return tolerance;
}

TEST(Compare, Measures) {
  Array result = rows({3, 4, 0, 2}, 2), reference = rows({3, 4, 0, 1}, 2);
  Comparison comparison = compare(result, reference, bounded(0.2));
  EXPECT_TRUE(comparison.passed);
  EXPECT_NEAR(comparison.relativeRms, 1.0 / std::sqrt(26.0), 1e-15);
  EXPECT_EQ(comparison.worstRow, 1);
  EXPECT_EQ(comparison.worstRowError, 1.0);
  EXPECT_EQ(comparison.maxDifference, 1.0);
  EXPECT_EQ(comparison.worstElement, 3);
  EXPECT_EQ(comparison.relativeMax, 0.25);
  EXPECT_FALSE(compare(result, reference, bounded(0.19)).passed);
}

TEST(Compare, EachBoundAlone) {
  Array result = rows({3, 4, 0, 2}, 2), reference = rows({3, 4, 0, 1}, 2);
  Tolerance row, largest, element;
  row.row = 0.99;
  EXPECT_FALSE(compare(result, reference, row).passed);
  row.row = 1.0;
  EXPECT_TRUE(compare(result, reference, row).passed);
  largest.relativeMax = 0.24;
  EXPECT_FALSE(compare(result, reference, largest).passed);
  element.relative = 0.5;
  Comparison comparison = compare(result, reference, element);
  EXPECT_FALSE(comparison.passed);
  EXPECT_EQ(comparison.numOutside, 1);
  element.absolute = 0.5;
  EXPECT_TRUE(compare(result, reference, element).passed);
}

TEST(Compare, ARowOfResidueIsMeasuredAgainstTheOthers) {
  Array reference = rows({1, 1, 0, 0}, 2);
  EXPECT_TRUE(
      compare(rows({1, 1, 1e-9, 0}, 2), reference, bounded(1e-8)).passed);
  Tolerance row;
  row.row = 1e-5;
  EXPECT_TRUE(compare(rows({1, 1, 1e-9, 0}, 2), reference, row).passed);
  EXPECT_FALSE(compare(rows({1, 1, 1e-7, 0}, 2), reference, row).passed);
}

TEST(Compare, ZeroReference) {
  Array zeros = rows({0, 0}, 2);
  EXPECT_TRUE(compare(zeros, zeros, bounded(0.0)).passed);
  EXPECT_FALSE(compare(rows({0, 1e-3}, 2), zeros, bounded(1e-5)).passed);
}

TEST(Compare, ValuesThatAreNotFiniteAgreePlaceByPlace) {
  Array reference = rows({NAN, INFINITY, -INFINITY, 1}, 4);
  EXPECT_TRUE(compare(reference, reference, bounded(0.0)).passed);
  for (auto values : {std::array<double, 4>{1, INFINITY, -INFINITY, 1},
                      std::array<double, 4>{NAN, -INFINITY, -INFINITY, 1},
                      std::array<double, 4>{NAN, INFINITY, NAN, 1},
                      std::array<double, 4>{NAN, INFINITY, -INFINITY, NAN}}) {
    Comparison comparison = compare(rows(values, 4), reference, bounded(1e300));
    EXPECT_FALSE(comparison.passed);
    EXPECT_EQ(comparison.numNonFinite, 1);
  }
}

TEST(Compare, EmptyArraysAreEqual) {
  Array empty = cantFail(Array::create(ElementType::F32, {0, 4}));
  Comparison comparison = compare(empty, empty, bounded(0.0));
  EXPECT_TRUE(comparison.passed);
  EXPECT_EQ(comparison.worstRow, -1);
}

TEST(Compare, Report) {
  Array result = rows({3, 4, 0, NAN, 5, 6}, 2),
        reference = rows({3, 4, 0, 1, 5, 7}, 2);
  std::string text;
  raw_string_ostream os(text);
  Tolerance tolerance = bounded(1e-3);
  printComparison(os, "o", result, reference, tolerance,
                  compare(result, reference, tolerance));
  EXPECT_EQ(text,
            "compare o: FAIL, relative rms 1.005e-01, worst row 1.162e-01 at "
            "[2], max abs 1.000e+00 at [2, 1]\n"
            "  relative rms 1.005e-01 exceeds 1.000e-03\n"
            "  1 values differ in being finite, first at [1, 1]: nan, expected "
            "1.000000000e+00\n"
            "  result:   5.000000000e+00 6.000000000e+00\n"
            "  expected: 5.000000000e+00 7.000000000e+00\n");
}
