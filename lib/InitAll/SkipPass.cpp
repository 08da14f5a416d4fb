// Part of Scanweft, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

//===----------------------------------------------------------------------===//
// Turns one pass off wherever it runs: SCANWEFT_SKIP_PASS=<argument>.
//
// To see which pass breaks a program, or whether the tests would notice that a
// pass does nothing. The environment reaches every tool alike, the stock
// mlir-opt with the plugin and the tools that a test script starts included.
//===----------------------------------------------------------------------===//

#include "SkipPass.h"
#include "mlir/IR/BuiltinDialect.h"
#include "mlir/IR/DialectRegistry.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Pass/Pass.h"
#include <cstdlib>
#include <string>

using namespace mlir;

/// Runs every action but the execution of the named pass. A pass that is not
/// run has neither changed the IR nor failed.
static void runUnlessSkipped(StringRef skipped,
                             llvm::function_ref<void()> transform,
                             const tracing::Action &action) {
  const auto *execution = dyn_cast<PassExecutionAction>(&action);
  if (execution && execution->getPass().getArgument() == skipped)
    return;
  transform();
}

void scanweft::registerSkippedPass(DialectRegistry &registry) {
  const char *name = std::getenv("SCANWEFT_SKIP_PASS");
  if (!name || !*name)
    return;
  registry.addExtension(+[](MLIRContext *context, BuiltinDialect *) {
    std::string skipped = std::getenv("SCANWEFT_SKIP_PASS");
    context->registerActionHandler(
        [skipped](llvm::function_ref<void()> transform,
                  const tracing::Action &action) {
          runUnlessSkipped(skipped, transform, action);
        });
  });
}
