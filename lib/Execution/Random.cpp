// Part of Scanweft, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

//===----------------------------------------------------------------------===//
// SplitMix64 as a counter-based generator, Box-Muller, and distributions.
//===----------------------------------------------------------------------===//

#include "scanweft/Execution/Random.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include <cmath>
#include <numeric>
#include <vector>

using namespace llvm;
using namespace scanweft;

static constexpr uint64_t kGolden = 0x9e3779b97f4a7c15;
static constexpr double kTwoPi = 6.283185307179586476925286766559;
/// The dimension that low-rank rows are near to, and their distance from it.
static constexpr int64_t kLowRank = 4;
static constexpr double kLowRankNoise = 0.1;

static constexpr StringLiteral kNames[] = {
    "zeros",    "ones",     "iota",       "normal",   "offset",
    "uniform",  "positive", "logsigmoid", "softplus", "unit",
    "low_rank", "spd",      "permutation"};

std::optional<Distribution> scanweft::parseDistribution(StringRef name) {
  for (auto [index, known] : llvm::enumerate(kNames))
    if (name == known)
      return static_cast<Distribution>(index);
  return std::nullopt;
}

std::string scanweft::distributionNames() {
  return llvm::join(ArrayRef<StringLiteral>(kNames), ", ");
}

/// SplitMix64's output function.
static uint64_t mix(uint64_t z) {
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
  z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
  return z ^ (z >> 31);
}

/// FNV-1a.
static uint64_t hash(StringRef text) {
  uint64_t value = 0xcbf29ce484222325;
  for (char c : text)
    value = (value ^ static_cast<uint8_t>(c)) * 0x100000001b3;
  return value;
}

RandomStream::RandomStream(uint64_t seed, StringRef name)
    : key(mix(mix(seed + kGolden) ^ hash(name))) {}

uint64_t RandomStream::bits(uint64_t index) const {
  return mix(key + (index + 1) * kGolden);
}

double RandomStream::uniform(uint64_t index) const {
  return (static_cast<double>(bits(index) >> 12) + 0.5) * 0x1p-52;
}

double RandomStream::normal(uint64_t index) const {
  uint64_t pair = index & ~uint64_t(1);
  double radius = std::sqrt(-2.0 * std::log(uniform(pair)));
  double angle = kTwoPi * uniform(pair + 1);
  return radius * (index & 1 ? std::sin(angle) : std::cos(angle));
}

/// log(1 + exp(x)) without overflow.
static double softplus(double x) {
  return std::max(x, 0.0) + std::log1p(std::exp(-std::fabs(x)));
}

static int64_t rowSize(ArrayRef<int64_t> shape) {
  return shape.empty() ? 1 : shape.back();
}

/// One element of a distribution whose elements are independent.
static double drawElement(Distribution distribution, const RandomStream &stream,
                          int64_t index) {
  switch (distribution) {
  case Distribution::Zeros:
    return 0.0;
  case Distribution::Ones:
    return 1.0;
  case Distribution::Iota:
    return index;
  case Distribution::Normal:
    return stream.normal(index);
  case Distribution::Offset:
    return stream.normal(index) + 2.0;
  case Distribution::Uniform:
    return stream.uniform(index);
  case Distribution::Positive:
    return stream.uniform(index) + 0.5;
  case Distribution::LogSigmoid:
    return -softplus(-stream.normal(index));
  case Distribution::Softplus:
    return softplus(stream.normal(index));
  default:
    llvm_unreachable("rows and matrices are drawn as a whole");
  }
}

static void fillUnit(const RandomStream &stream, Array &array) {
  const int64_t width = rowSize(array.getShape());
  std::vector<double> row(width);
  for (int64_t start = 0, e = array.getNumElements(); start < e;
       start += width) {
    double square = 0.0;
    for (int64_t i = 0; i < width; ++i) {
      row[i] = stream.normal(start + i);
      square += row[i] * row[i];
    }
    for (int64_t i = 0; i < width; ++i)
      array.setDouble(start + i, row[i] / std::sqrt(square));
  }
}

static void fillLowRank(const RandomStream &stream, uint64_t seed,
                        StringRef name, Array &array) {
  const int64_t width = rowSize(array.getShape());
  RandomStream basis(seed, (name + ":basis").str());
  RandomStream weights(seed, (name + ":weights").str());
  for (int64_t i = 0, e = array.getNumElements(); i < e; ++i) {
    double value = kLowRankNoise * stream.normal(i);
    for (int64_t r = 0; r < kLowRank; ++r)
      value += weights.normal(i / width * kLowRank + r) *
               basis.normal(r * width + i % width) / std::sqrt(kLowRank);
    array.setDouble(i, value);
  }
}

static void fillSpd(const RandomStream &stream, Array &array) {
  const int64_t n = array.getShape().back();
  for (int64_t start = 0, e = array.getNumElements(); start < e; start += n * n)
    for (int64_t i = 0; i < n; ++i)
      for (int64_t j = 0; j <= i; ++j) {
        double value = i == j ? 1.0 : 0.0;
        for (int64_t k = 0; k < n; ++k)
          value += stream.normal(start + i * n + k) *
                   stream.normal(start + j * n + k) / n;
        array.setDouble(start + i * n + j, value);
        array.setDouble(start + j * n + i, value);
      }
}

/// Fisher-Yates; element i of a row swaps with one of 0..i.
static bool fillPermutation(const RandomStream &stream, Array &array) {
  const int64_t width = rowSize(array.getShape());
  std::vector<int64_t> row(width);
  for (int64_t start = 0, e = array.getNumElements(); start < e;
       start += width) {
    std::iota(row.begin(), row.end(), 0);
    for (int64_t i = width; i-- > 1;)
      std::swap(row[i], row[stream.bits(start + i) % (i + 1)]);
    for (int64_t i = 0; i < width; ++i)
      if (!array.setInteger(start + i, row[i]))
        return false;
  }
  return true;
}

static Expected<Array> generateIntegers(Distribution distribution, Array array,
                                        const RandomStream &stream) {
  bool fits = true;
  switch (distribution) {
  case Distribution::Permutation:
    fits = fillPermutation(stream, array);
    break;
  case Distribution::Zeros:
  case Distribution::Ones:
  case Distribution::Iota:
    for (int64_t i = 0, e = array.getNumElements(); fits && i < e; ++i)
      fits = array.setInteger(
          i, static_cast<int64_t>(drawElement(distribution, stream, i)));
    break;
  default:
    return createStringError(
        formatv("'{0}' makes floating-point values, not {1}; integers take "
                "zeros, ones, iota and permutation",
                kNames[static_cast<int>(distribution)],
                elementTypeName(array.getType())));
  }
  if (!fits)
    return createStringError(
        formatv("{0} is too narrow for the values of '{1}'",
                elementTypeName(array.getType()),
                kNames[static_cast<int>(distribution)]));
  return std::move(array);
}

static Expected<Array> generateFloats(Distribution distribution, Array array,
                                      const RandomStream &stream, uint64_t seed,
                                      StringRef name) {
  ArrayRef<int64_t> shape = array.getShape();
  switch (distribution) {
  case Distribution::Permutation:
    return createStringError(formatv("'permutation' makes integers, not {0}",
                                     elementTypeName(array.getType())));
  case Distribution::Unit:
    fillUnit(stream, array);
    break;
  case Distribution::LowRank:
    fillLowRank(stream, seed, name, array);
    break;
  case Distribution::Spd:
    if (shape.size() < 2 || shape.back() != shape[shape.size() - 2])
      return createStringError(formatv("'spd' makes square matrices, not {0}",
                                       shapeToString(shape)));
    fillSpd(stream, array);
    break;
  default:
    for (int64_t i = 0, e = array.getNumElements(); i < e; ++i)
      array.setDouble(i, drawElement(distribution, stream, i));
  }
  return std::move(array);
}

Expected<Array> scanweft::generate(Distribution distribution, ElementType type,
                                   ArrayRef<int64_t> shape, uint64_t seed,
                                   StringRef name) {
  Expected<Array> array = Array::create(type, shape);
  if (!array)
    return array;
  RandomStream stream(seed, name);
  if (isFloat(type))
    return generateFloats(distribution, std::move(*array), stream, seed, name);
  return generateIntegers(distribution, std::move(*array), stream);
}
