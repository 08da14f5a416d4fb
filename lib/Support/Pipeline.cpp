// Part of Scanweft, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

//===----------------------------------------------------------------------===//
// Parsing a pipeline's text and running it, with a diagnostic for each failure.
//===----------------------------------------------------------------------===//

#include "scanweft/Support/Pipeline.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"

using namespace mlir;

LogicalResult scanweft::runPipeline(ModuleOp module, StringRef text) {
  if (text.consume_front("builtin.module("))
    text.consume_back(")");
  PassManager manager(module.getContext());
  std::string problems;
  llvm::raw_string_ostream stream(problems);
  if (failed(parsePassPipeline(text, manager, stream)))
    return emitError(module.getLoc())
           << "the pipeline '" << text
           << "' does not parse: " << StringRef(problems).rtrim();
  // A pass that fails in silence would leave the user with nothing.
  bool reported = false;
  ScopedDiagnosticHandler handler(
      module.getContext(), [&](Diagnostic &diagnostic) {
        reported |= diagnostic.getSeverity() == DiagnosticSeverity::Error;
        return failure();
      });
  if (succeeded(manager.run(module)))
    return success();
  if (!reported)
    return emitError(module.getLoc()) << "the passes '" << text << "' failed";
  return failure();
}
