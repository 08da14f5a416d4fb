// Part of Scanweft, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

//===----------------------------------------------------------------------===//
// The heap of an executed program: its malloc and free. It knows every live
// block, so that a leak can be told, and it stops the run where a limit is
// passed. One run at a time, in a process that ends with it.
//===----------------------------------------------------------------------===//

#ifndef SCANWEFT_EXECUTION_MEMORY_H
#define SCANWEFT_EXECUTION_MEMORY_H

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include <cstdint>
#include <string>

namespace scanweft {

/// Three quarters of the machine's memory.
uint64_t defaultMemoryLimit();

class ProgramHeap {
public:
  explicit ProgramHeap(uint64_t limit) : limit(limit) {}
  ProgramHeap(const ProgramHeap &) = delete;

  /// Runs compiled code under guard, with this heap behind `heapMalloc` and its
  /// kin. Returns what stopped it, or an empty text.
  std::string run(llvm::function_ref<void()> code);

  void *allocate(uint64_t size);
  void release(void *pointer);
  /// Frees the block that starts at `pointer`; results may share one.
  void releaseIfOwned(const void *pointer);

  uint64_t getLiveBytes() const { return liveBytes; }
  uint64_t getPeakBytes() const { return peakBytes; }

private:
  llvm::DenseMap<const void *, uint64_t> blocks;
  uint64_t limit;
  uint64_t liveBytes = 0, peakBytes = 0;
};

/// What compiled code calls as malloc, calloc, free, puts and abort.
void *heapMalloc(uint64_t size);
void *heapCalloc(uint64_t number, uint64_t size);
void heapFree(void *pointer);
int heapPuts(const char *text);
void heapAbort();

} // namespace scanweft

#endif // SCANWEFT_EXECUTION_MEMORY_H
