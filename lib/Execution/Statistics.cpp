// Part of Scanweft, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

//===----------------------------------------------------------------------===//
// Counters of the program in execution. Programs run on one thread.
//===----------------------------------------------------------------------===//

#include "scanweft/Execution/StatisticsRuntime.h"

using namespace scanweft;

static CounterValues counters = {};

void scanweft::countStatistic(int64_t counter, int64_t amount) {
  if (counter >= 0 && counter < kNumCounters)
    counters[counter] += amount;
}

const CounterValues &scanweft::getStatistics() { return counters; }

void scanweft::printStatistics(llvm::raw_ostream &os,
                               const CounterValues &values) {
  for (int64_t i = 0; i < kNumCounters; ++i)
    os << "statistic: " << kCounterNames[i] << " = " << values[i] << "\n";
}
