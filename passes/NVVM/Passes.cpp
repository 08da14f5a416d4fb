// Part of Scanweft, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

//===----------------------------------------------------------------------===//
// The last pipeline before PTX.
//===----------------------------------------------------------------------===//

#include "passes/NVVM/Passes.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"
#include "llvm/ADT/Twine.h"
#include <string>

using namespace mlir;

/// Kernels on scalars and pointers to the llvm and nvvm dialects. An index has
/// the 64 bits of a pointer. Ops of nvvm that LLVM has no intrinsic for become
/// inline assembly.
static constexpr llvm::StringLiteral
    kToLLVM("convert-scf-to-cf,convert-to-llvm,canonicalize,cse,"
            "reconcile-unrealized-casts");

void scanweft::registerNVVMPipelines() {
  registerPassPipeline(
      "wtile-to-llvm",
      "scf, arith, math and nvvm in gpu.module to llvm and nvvm; takes the "
      "options of wtile-math-to-nvvm",
      [](OpPassManager &manager, StringRef options,
         function_ref<LogicalResult(const Twine &)> emitError) {
        std::string text = ("gpu.module(wtile-math-to-nvvm{" + Twine(options) +
                            "}," + kToLLVM + ")")
                               .str();
        std::string problems;
        llvm::raw_string_ostream stream(problems);
        if (succeeded(parsePassPipeline(text, manager, stream)))
          return success();
        return emitError(problems);
      },
      [](function_ref<void(const detail::PassOptions &)>) {});
}
