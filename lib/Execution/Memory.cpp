// Part of Scanweft, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

//===----------------------------------------------------------------------===//
// The heap. Compiled code owns nothing but heap blocks, so that jumping out of
// it loses nothing.
//===----------------------------------------------------------------------===//

#include "scanweft/Execution/Memory.h"
#include "scanweft/Support/Guard.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MathExtras.h"
#include <cstdlib>
#include <cstring>
#include <unistd.h>

using namespace llvm;
using namespace scanweft;

/// The heap of the run in progress.
static ProgramHeap *currentHeap = nullptr;

uint64_t scanweft::defaultMemoryLimit() {
  long pages = sysconf(_SC_PHYS_PAGES), size = sysconf(_SC_PAGE_SIZE);
  if (pages <= 0 || size <= 0)
    return uint64_t(4) << 30;
  return static_cast<uint64_t>(pages) * size / 4 * 3;
}

void *ProgramHeap::allocate(uint64_t size) {
  if (size > limit || liveBytes > limit - size)
    stopGuarded(formatv("a request of {0} bytes with {1} in use, above the "
                        "memory limit of {2} bytes",
                        size, liveBytes, limit));
  void *pointer = std::malloc(std::max<uint64_t>(size, 1));
  if (!pointer)
    stopGuarded(formatv("lack of memory for {0} bytes", size));
  blocks[pointer] = size;
  liveBytes += size;
  peakBytes = std::max(peakBytes, liveBytes);
  return pointer;
}

void ProgramHeap::release(void *pointer) {
  if (!pointer)
    return;
  auto block = blocks.find(pointer);
  if (block == blocks.end())
    stopGuarded("a release of memory that it does not own");
  liveBytes -= block->second;
  blocks.erase(block);
  std::free(pointer);
}

void ProgramHeap::releaseIfOwned(const void *pointer) {
  if (blocks.contains(pointer))
    release(const_cast<void *>(pointer));
}

std::string ProgramHeap::run(function_ref<void()> code) {
  currentHeap = this;
  std::string problem = runGuarded(code);
  currentHeap = nullptr;
  return problem;
}

void *scanweft::heapMalloc(uint64_t size) {
  return currentHeap->allocate(size);
}

void *scanweft::heapCalloc(uint64_t number, uint64_t size) {
  bool overflow = false;
  uint64_t bytes = SaturatingMultiply(number, size, &overflow);
  void *pointer = currentHeap->allocate(bytes);
  std::memset(pointer, 0, bytes);
  return pointer;
}

void scanweft::heapFree(void *pointer) { currentHeap->release(pointer); }

/// What the program printed last: the text of an assertion that fails.
static std::string lastText;

int scanweft::heapPuts(const char *text) {
  lastText = text;
  return 0;
}

void scanweft::heapAbort() {
  stopGuarded(lastText.empty() ? "an abort of its own"
                               : "a failed assertion: " + lastText);
}
