// Part of Scanweft, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

//===----------------------------------------------------------------------===//
// A loaded artifact: the manifest, the driver's module, and each kernel as the
// driver knows it.
//===----------------------------------------------------------------------===//

#ifndef SCANWEFT_LIB_RUNTIME_ARTIFACT_H
#define SCANWEFT_LIB_RUNTIME_ARTIFACT_H

#include "Context.h"
#include "Manifest.h"
#include <memory>

/// One function of an artifact; what the C interface hands out.
struct scanweft_entry {
  const scanweft_artifact *artifact = nullptr;
  const scanweft::runtime::Entry *entry = nullptr;
};

struct scanweft_artifact {
  struct LoadedKernel {
    scanweft::runtime::CUfunction function = nullptr;
    int registers = 0, localBytes = 0, staticShared = 0;
    /// Programs that the device holds at once.
    int64_t resident = 0;
  };

  ~scanweft_artifact();

  scanweft_context *context = nullptr;
  scanweft::runtime::Manifest manifest;
  scanweft::runtime::CUmodule module = nullptr;
  std::vector<LoadedKernel> kernels;
  std::vector<scanweft_entry> entries;
};

namespace scanweft::runtime {

/// Fails unless the bytes can be handed to the driver: those that the manifest
/// names, and a cubin whose parts lie inside it.
Status verifyCode(const Manifest &manifest, std::string_view code);

/// Whether code for `target`, as sm_90a, runs on the context's device.
Status verifyTarget(const Manifest &manifest, const scanweft_context &context);

} // namespace scanweft::runtime

#endif // SCANWEFT_LIB_RUNTIME_ARTIFACT_H
