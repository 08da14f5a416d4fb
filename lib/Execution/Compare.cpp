// Part of Scanweft, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

//===----------------------------------------------------------------------===//
// The measures of a comparison and its report.
//===----------------------------------------------------------------------===//

#include "scanweft/Execution/Compare.h"
#include "llvm/Support/FormatVariadic.h"
#include <cmath>

using namespace llvm;
using namespace scanweft;

/// Values of a row that a report shows.
static constexpr int64_t kShownValues = 4;

std::string scanweft::indexToString(int64_t index, ArrayRef<int64_t> shape) {
  SmallVector<int64_t> coordinates(shape.size());
  for (size_t axis = shape.size(); axis-- > 0;) {
    coordinates[axis] = index % shape[axis];
    index /= shape[axis];
  }
  std::string text = "[";
  for (auto [axis, coordinate] : llvm::enumerate(coordinates))
    text += (axis ? ", " : "") + std::to_string(coordinate);
  return text + "]";
}

/// Elements of a row: the last axis. A vector is one row.
static int64_t rowWidth(ArrayRef<int64_t> shape) {
  return shape.empty() ? 1 : shape.back();
}

/// Both values the same infinity or both NaN, or both finite.
static bool agreeOnFiniteness(double x, double y) {
  if (std::isfinite(x) && std::isfinite(y))
    return true;
  return (std::isnan(x) && std::isnan(y)) || x == y;
}

/// Norms of error and reference over [start, start + number), finite places
/// only.
static std::pair<double, double> norms(const Array &result,
                                       const Array &reference, int64_t start,
                                       int64_t number) {
  double error = 0.0, size = 0.0;
  for (int64_t i = start; i < start + number; ++i) {
    double x = result.getDouble(i), y = reference.getDouble(i);
    if (!std::isfinite(x) || !std::isfinite(y))
      continue;
    error += (x - y) * (x - y);
    size += y * y;
  }
  return {std::sqrt(error), std::sqrt(size)};
}

/// Against a reference of norm zero the error itself counts.
static double ratio(double error, double size) {
  return size > 0.0 ? error / size : error;
}

static void compareElements(const Array &result, const Array &reference,
                            const Tolerance &tolerance,
                            Comparison &comparison) {
  const bool elementwise = tolerance.absolute || tolerance.relative;
  double largest = 0.0;
  for (int64_t i = 0, e = result.getNumElements(); i < e; ++i) {
    double x = result.getDouble(i), y = reference.getDouble(i);
    if (!agreeOnFiniteness(x, y)) {
      if (comparison.numNonFinite++ == 0)
        comparison.nonFinite = i;
      continue;
    }
    if (!std::isfinite(x))
      continue;
    double difference = std::fabs(x - y);
    largest = std::max(largest, std::fabs(y));
    if (difference > comparison.maxDifference || comparison.worstElement < 0) {
      comparison.maxDifference = difference;
      comparison.worstElement = i;
    }
    if (elementwise &&
        !(difference <= tolerance.absolute.value_or(0.0) +
                            tolerance.relative.value_or(0.0) * std::fabs(y)))
      if (comparison.numOutside++ == 0)
        comparison.outside = i;
  }
  comparison.relativeMax = ratio(comparison.maxDifference, largest);
}

static void compareRows(const Array &result, const Array &reference,
                        Comparison &comparison) {
  const int64_t width = rowWidth(result.getShape());
  const int64_t numRows = width ? result.getNumElements() / width : 0;
  if (numRows == 0)
    return;
  auto [error, size] = norms(result, reference, 0, result.getNumElements());
  comparison.relativeRms = ratio(error, size);
  const double small = kSmallRowShare * size / std::sqrt(double(numRows));
  for (int64_t row = 0; row < numRows; ++row) {
    auto [rowError, rowSize] = norms(result, reference, row * width, width);
    double relative = ratio(rowError, std::max(rowSize, small));
    if (comparison.worstRow < 0 || relative > comparison.worstRowError) {
      comparison.worstRow = row;
      comparison.worstRowError = relative;
    }
  }
}

static bool within(double value, const std::optional<double> &bound) {
  return !bound || value <= *bound;
}

Comparison scanweft::compare(const Array &result, const Array &reference,
                             const Tolerance &tolerance) {
  assert(result.getShape() == reference.getShape() &&
         "the caller reports different shapes");
  Comparison comparison;
  compareElements(result, reference, tolerance, comparison);
  compareRows(result, reference, comparison);
  comparison.passed = comparison.nonFinite < 0 && comparison.outside < 0 &&
                      within(comparison.relativeRms, tolerance.rms) &&
                      within(comparison.worstRowError, tolerance.row) &&
                      within(comparison.relativeMax, tolerance.relativeMax);
  return comparison;
}

static std::string show(double value) { return formatv("{0:e3}", value).str(); }

static void printBound(raw_ostream &os, StringRef measure, double value,
                       const std::optional<double> &bound) {
  if (!within(value, bound))
    os << "  " << measure << " " << show(value) << " exceeds " << show(*bound)
       << "\n";
}

static void printRow(raw_ostream &os, StringRef title, const Array &array,
                     int64_t row, int64_t width) {
  os << "  " << title;
  for (int64_t i = 0; i < std::min(width, kShownValues); ++i)
    os << " " << formatv("{0:e9}", array.getDouble(row * width + i));
  os << (width > kShownValues ? " ...\n" : "\n");
}

static void printFailure(raw_ostream &os, const Array &result,
                         const Array &reference, const Tolerance &tolerance,
                         const Comparison &comparison) {
  printBound(os, "relative rms", comparison.relativeRms, tolerance.rms);
  printBound(os, "worst row", comparison.worstRowError, tolerance.row);
  printBound(os, "relative max", comparison.relativeMax, tolerance.relativeMax);
  ArrayRef<int64_t> shape = result.getShape();
  auto printElement = [&](int64_t index, int64_t number, StringRef text) {
    if (number)
      os << "  " << number << text << ", first at "
         << indexToString(index, shape) << ": "
         << formatv("{0:e9}, expected {1:e9}", result.getDouble(index),
                    reference.getDouble(index))
         << "\n";
  };
  printElement(comparison.nonFinite, comparison.numNonFinite,
               " values differ in being finite");
  printElement(comparison.outside, comparison.numOutside,
               " values lie outside atol + rtol |expected|");
  if (comparison.worstRow < 0)
    return;
  const int64_t width = rowWidth(shape);
  printRow(os, "result:  ", result, comparison.worstRow, width);
  printRow(os, "expected:", reference, comparison.worstRow, width);
}

void scanweft::printComparison(raw_ostream &os, StringRef name,
                               const Array &result, const Array &reference,
                               const Tolerance &tolerance,
                               const Comparison &comparison) {
  ArrayRef<int64_t> shape = result.getShape();
  os << "compare " << name << ": " << (comparison.passed ? "pass" : "FAIL")
     << ", relative rms " << show(comparison.relativeRms) << ", worst row ";
  if (comparison.worstRow < 0)
    os << "none";
  else
    os << show(comparison.worstRowError) << " at "
       << indexToString(comparison.worstRow, shape.drop_back(!shape.empty()));
  os << ", max abs " << show(comparison.maxDifference);
  if (comparison.worstElement >= 0)
    os << " at " << indexToString(comparison.worstElement, shape);
  os << "\n";
  if (!comparison.passed)
    printFailure(os, result, reference, tolerance, comparison);
}
