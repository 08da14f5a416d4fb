// Part of Scanweft, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

//===----------------------------------------------------------------------===//
// A result against its reference, in float64: the relative RMS
// |x - ref| / |ref| over all elements, the worst row along the last axis, the
// largest difference, and values that are not finite, which must agree place
// by place.
//===----------------------------------------------------------------------===//

#ifndef SCANWEFT_EXECUTION_COMPARE_H
#define SCANWEFT_EXECUTION_COMPARE_H

#include "scanweft/Execution/Array.h"
#include "llvm/Support/raw_ostream.h"

namespace scanweft {

/// Bounds of a comparison; a bound that is absent is not checked.
struct Tolerance {
  std::optional<double> rms;         ///< on the relative RMS
  std::optional<double> row;         ///< on the worst row
  std::optional<double> relativeMax; ///< on max |x - ref| / max |ref|
  /// |x - ref| <= absolute + relative |ref|, element by element.
  std::optional<double> absolute, relative;
};

struct Comparison {
  bool passed = true;
  double relativeRms = 0.0;
  double maxDifference = 0.0;
  double relativeMax = 0.0;
  double worstRowError = 0.0;
  int64_t worstRow = -1;     ///< index of the row, or -1 where there is none
  int64_t worstElement = -1; ///< where maxDifference is
  int64_t nonFinite = -1;    ///< first place where only one is finite, or
                             ///< both are not and differ
  int64_t numNonFinite = 0;  ///< how many such places
  int64_t outside = -1;      ///< first element outside absolute and relative
  int64_t numOutside = 0;    ///< how many such elements
};

/// Rows whose reference is below this share of the root mean square row are
/// measured against that share: a row of rounding residue is no reference.
inline constexpr double kSmallRowShare = 1e-3;

/// Compares arrays of one shape.
Comparison compare(const Array &result, const Array &reference,
                   const Tolerance &tolerance);

/// One line where it passed; where not, also the bounds that failed and both
/// worst rows.
void printComparison(llvm::raw_ostream &os, llvm::StringRef name,
                     const Array &result, const Array &reference,
                     const Tolerance &tolerance, const Comparison &comparison);

/// "[1, 130, 2]" for a row-major index.
std::string indexToString(int64_t index, llvm::ArrayRef<int64_t> shape);

} // namespace scanweft

#endif // SCANWEFT_EXECUTION_COMPARE_H
