// Part of Scanweft, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

//===----------------------------------------------------------------------===//
// A device context and what is asked of its device again and again. Counted
// references keep it while something is loaded into it.
//===----------------------------------------------------------------------===//

#ifndef SCANWEFT_LIB_RUNTIME_CONTEXT_H
#define SCANWEFT_LIB_RUNTIME_CONTEXT_H

#include "Driver.h"
#include <atomic>
#include <string>

struct scanweft_context {
  const scanweft::runtime::Driver *driver = nullptr;
  scanweft::runtime::CUcontext context = nullptr;
  scanweft::runtime::CUdevice device = 0;
  bool isPrimary = false; ///< retained by us
  std::string deviceName;
  int major = 0, minor = 0;
  int multiprocessors = 0;
  int sharedBytesPerBlock = 0;
  int l2CacheBytes = 0;
  /// What a flush of the second-level cache overwrites; allocated at its first.
  scanweft::runtime::CUdeviceptr flushBuffer = 0;
  std::atomic<int> references{1};

  void retain() { ++references; }
  void release();
};

namespace scanweft::runtime {

/// Makes a context current for a scope, where it is not.
class CurrentContext {
public:
  explicit CurrentContext(const scanweft_context &context);
  ~CurrentContext();
  Status status() const { return state; }

private:
  const scanweft_context &context;
  bool pushed = false;
  Status state = SCANWEFT_OK;
};

} // namespace scanweft::runtime

#endif // SCANWEFT_LIB_RUNTIME_CONTEXT_H
