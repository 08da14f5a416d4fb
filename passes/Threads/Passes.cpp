// Part of Scanweft, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "passes/Threads/Passes.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"
#include "llvm/ADT/Twine.h"
#include <string>

using namespace mlir;

void scanweft::registerThreadsPipelines() {
  registerPassPipeline(
      "tile-to-nvvm",
      "a block's program to one thread's, in the llvm and nvvm dialects; takes "
      "the options of wtile-math-to-nvvm",
      [](OpPassManager &manager, StringRef options,
         function_ref<LogicalResult(const Twine &)> emitError) {
        std::string text = ("wtile-lower-to-threads,canonicalize,cse,"
                            "wtile-to-llvm{" +
                            options + "}")
                               .str();
        std::string problems;
        llvm::raw_string_ostream stream(problems);
        if (succeeded(parsePassPipeline(text, manager, stream)))
          return success();
        return emitError(problems);
      },
      [](function_ref<void(const detail::PassOptions &)>) {});
}
