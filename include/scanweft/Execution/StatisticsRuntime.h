// Part of Scanweft, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

//===----------------------------------------------------------------------===//
// The runner's side of Statistics.h: the counters and their report.
//===----------------------------------------------------------------------===//

#ifndef SCANWEFT_EXECUTION_STATISTICSRUNTIME_H
#define SCANWEFT_EXECUTION_STATISTICSRUNTIME_H

#include "scanweft/Execution/Statistics.h"
#include "llvm/Support/raw_ostream.h"
#include <array>

namespace scanweft {

/// What compiled code calls as kCountFunction. Unknown counters are ignored.
void countStatistic(int64_t counter, int64_t amount);

using CounterValues = std::array<int64_t, kNumCounters>;

/// The counters of this process, all 0 at its start.
const CounterValues &getStatistics();

/// One line a counter, zeros included: `statistic: scan_combines = 14`.
void printStatistics(llvm::raw_ostream &os, const CounterValues &values);

} // namespace scanweft

#endif // SCANWEFT_EXECUTION_STATISTICSRUNTIME_H
