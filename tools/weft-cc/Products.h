// Part of Scanweft, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

//===----------------------------------------------------------------------===//
// PTX and cubin of a module whose kernels are in the llvm and nvvm dialects.
//===----------------------------------------------------------------------===//

#ifndef SCANWEFT_TOOLS_WEFT_CC_PRODUCTS_H
#define SCANWEFT_TOOLS_WEFT_CC_PRODUCTS_H

#include "mlir/IR/BuiltinOps.h"
#include <chrono>
#include <string>

namespace scanweft {

struct CompileOptions;
struct Target;

mlir::FailureOr<std::string> makePtx(mlir::ModuleOp module,
                                     const Target &target,
                                     const CompileOptions &options);
mlir::FailureOr<std::string> makeCubin(mlir::ModuleOp module,
                                       const Target &target,
                                       const CompileOptions &options);

/// Prints `timing: <step> = <milliseconds> ms` when it ends, if asked to.
class StepTimer {
public:
  StepTimer(const CompileOptions &options, llvm::StringRef step);
  ~StepTimer();

private:
  bool enabled;
  std::string step;
  std::chrono::steady_clock::time_point start;
};

} // namespace scanweft

#endif // SCANWEFT_TOOLS_WEFT_CC_PRODUCTS_H
