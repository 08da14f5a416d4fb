// Part of Scanweft, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

//===----------------------------------------------------------------------===//
// PTX and cubin of a module whose kernels are in the llvm and nvvm dialects.
//===----------------------------------------------------------------------===//

#ifndef SCANWEFT_TOOLS_WEFT_CC_PRODUCTS_H
#define SCANWEFT_TOOLS_WEFT_CC_PRODUCTS_H

#include "Stages.h"
#include "mlir/IR/BuiltinOps.h"
#include <chrono>
#include <string>

namespace scanweft {

struct CompileOptions;
struct Cubin;
struct Target;

mlir::FailureOr<Output> makePtx(mlir::ModuleOp module, const Target &target,
                                const CompileOptions &options);
mlir::FailureOr<Output> makeCubin(mlir::ModuleOp module, const Target &target,
                                  const CompileOptions &options);
/// A manifest for the runtime, with its code in a file beside it.
mlir::FailureOr<Output> makeManifest(mlir::ModuleOp module,
                                     const Target &target,
                                     const CompileOptions &options);

// The steps, each timed and reported as the options say.
mlir::FailureOr<std::string> translate(mlir::ModuleOp module,
                                       const Target &target,
                                       const CompileOptions &options);
mlir::FailureOr<Cubin> assembleAndReport(mlir::ModuleOp module,
                                         llvm::StringRef ptx,
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
