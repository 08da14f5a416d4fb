// Part of Scanweft, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

//===----------------------------------------------------------------------===//
// A file from its text to a compiled function.
//===----------------------------------------------------------------------===//

#ifndef SCANWEFT_TOOLS_WEFT_RUN_PROGRAM_H
#define SCANWEFT_TOOLS_WEFT_RUN_PROGRAM_H

#include "Options.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "scanweft/Execution/Jit.h"

namespace scanweft {

struct Program {
  /// As the file has it, and as it runs: passes may change types.
  Signature written, executed;
  std::unique_ptr<CompiledFunction> function;
};

/// Runs the passes that the options name, lowers and compiles. Reports every
/// failure; a crash of a pass is one.
mlir::FailureOr<Program> compileProgram(mlir::ModuleOp module,
                                        const RunOptions &options);

/// Prints `timing: <step> = <milliseconds> ms` when it ends, if asked to.
class StepTimer {
public:
  StepTimer(const RunOptions &options, llvm::StringRef step);
  ~StepTimer();

private:
  bool enabled;
  std::string step;
  double start;
};

} // namespace scanweft

#endif // SCANWEFT_TOOLS_WEFT_RUN_PROGRAM_H
