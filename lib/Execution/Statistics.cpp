// Part of Scanweft, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

//===----------------------------------------------------------------------===//
// Counters of the program in execution. Programs run on one thread.
//===----------------------------------------------------------------------===//

#include "scanweft/Execution/StatisticsRuntime.h"

using namespace scanweft;

static int64_t counters[kNumCounters];

void scanweft::countStatistic(int64_t counter, int64_t amount) {
  if (counter >= 0 && counter < kNumCounters)
    counters[counter] += amount;
}

int64_t scanweft::getStatistic(Counter counter) {
  return counters[static_cast<int64_t>(counter)];
}

void scanweft::resetStatistics() {
  for (int64_t &counter : counters)
    counter = 0;
}

void scanweft::printStatistics(llvm::raw_ostream &os) {
  for (int64_t i = 0; i < kNumCounters; ++i)
    os << "statistic: " << kCounterNames[i] << " = " << counters[i] << "\n";
}
