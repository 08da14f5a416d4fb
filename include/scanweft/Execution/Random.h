// Part of Scanweft, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

//===----------------------------------------------------------------------===//
// Generated inputs. A value depends on the seed, the argument's name and the
// element's row-major index alone, in float64; it is rounded to the argument's
// type afterwards. docs/weft-run.md gives the formulas.
//===----------------------------------------------------------------------===//

#ifndef SCANWEFT_EXECUTION_RANDOM_H
#define SCANWEFT_EXECUTION_RANDOM_H

#include "scanweft/Execution/Array.h"

namespace scanweft {

/// What `weft.input` may say.
enum class Distribution : uint8_t {
  Zeros,       ///< 0
  Ones,        ///< 1
  Iota,        ///< the element's index
  Normal,      ///< N(0, 1)
  Offset,      ///< N(0, 1) + 2
  Uniform,     ///< uniform in (0, 1)
  Positive,    ///< 0.5 + uniform
  LogSigmoid,  ///< log(sigmoid(N(0, 1))): a log decay
  Softplus,    ///< log(1 + exp(N(0, 1)))
  Unit,        ///< rows of norm 1
  LowRank,     ///< rows near a space of dimension 4
  Spd,         ///< symmetric positive definite matrices I + X X^T / n
  Permutation, ///< each row a permutation of 0, 1, ...
};

std::optional<Distribution> parseDistribution(llvm::StringRef name);
/// All names, separated by ", ".
std::string distributionNames();

/// A stream of random numbers that can be read at any place.
class RandomStream {
public:
  RandomStream(uint64_t seed, llvm::StringRef name);

  uint64_t bits(uint64_t index) const;
  /// In (0, 1), never an end.
  double uniform(uint64_t index) const;
  double normal(uint64_t index) const;

private:
  uint64_t key;
};

/// Fills an array of the given type and shape. Integers take zeros, ones, iota
/// and permutation only; spd takes square matrices only.
llvm::Expected<Array> generate(Distribution distribution, ElementType type,
                               llvm::ArrayRef<int64_t> shape, uint64_t seed,
                               llvm::StringRef name);

} // namespace scanweft

#endif // SCANWEFT_EXECUTION_RANDOM_H
