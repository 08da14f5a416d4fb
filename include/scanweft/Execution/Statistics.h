// Part of Scanweft, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

//===----------------------------------------------------------------------===//
// What a program counts about itself while it runs. A lowering with its
// `statistics` option emits `func.call @weft_statistics_count(%counter: i64,
// %amount: i64)`; the runner provides that function and reports the sums under
// the counters' names.
//===----------------------------------------------------------------------===//

#ifndef SCANWEFT_EXECUTION_STATISTICS_H
#define SCANWEFT_EXECUTION_STATISTICS_H

#include "llvm/ADT/StringRef.h"
#include <cstdint>

namespace scanweft {

/// The numbers are passed at run time.
enum class Counter : int64_t {
  Chunks = 0,          ///< chunks walked
  ScanCombines = 1,    ///< combines of scans and reductions of summaries
  ScanDepth = 2,       ///< levels of those scans, one after the other
  FoldCombines = 3,    ///< combines that fold a segment's chunks
  CholeskyFactors = 4, ///< Cholesky factorisations
};

inline constexpr int64_t kNumCounters = 5;

/// Names in reports, by number.
inline constexpr llvm::StringLiteral kCounterNames[kNumCounters] = {
    "chunks", "scan_combines", "scan_depth", "fold_combines",
    "cholesky_factors"};

/// The function that counts: (counter, amount), both i64.
inline constexpr llvm::StringLiteral kCountFunction = "weft_statistics_count";

} // namespace scanweft

#endif // SCANWEFT_EXECUTION_STATISTICS_H
