// Part of Scanweft, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

//===----------------------------------------------------------------------===//
// Passes and compilation, under guard: text that nobody foresaw must not end
// the process.
//===----------------------------------------------------------------------===//

#include "Program.h"
#include "scanweft/Support/Guard.h"
#include "scanweft/Support/Pipeline.h"
#include "llvm/Support/Format.h"
#include <chrono>

using namespace mlir;
using namespace scanweft;

static double now() {
  using namespace std::chrono;
  return duration<double, std::milli>(steady_clock::now().time_since_epoch())
      .count();
}

StepTimer::StepTimer(const RunOptions &options, StringRef step)
    : enabled(options.timing), step(step), start(now()) {}

StepTimer::~StepTimer() {
  if (enabled)
    llvm::outs() << "timing: " << step << " = "
                 << llvm::format("%.1f", now() - start) << " ms\n";
}

static LogicalResult runGivenPasses(ModuleOp module,
                                    const RunOptions &options) {
  if (options.inDouble &&
      failed(runPipeline(module, "weft-instantiate{in=f64}")))
    return failure();
  if (!options.pipeline.empty())
    return runPipeline(module, options.pipeline);
  return success();
}

/// Drops what the function does not need: a file may hold many functions, and
/// none of them pays for the others or fails for their sake.
static LogicalResult isolate(ModuleOp module, func::FuncOp function) {
  for (auto other : module.getOps<func::FuncOp>())
    if (other != function)
      other.setPrivate();
  return runPipeline(module, "symbol-dce");
}

static LogicalResult compileUnguarded(ModuleOp module,
                                      const RunOptions &options,
                                      std::optional<Program> &program) {
  FailureOr<func::FuncOp> function = findFunction(module, options.function);
  if (failed(function))
    return failure();
  FailureOr<Signature> written = readSignature(*function);
  if (failed(written) || failed(isolate(module, *function)))
    return failure();
  {
    StepTimer timer(options, "passes");
    if (failed(runGivenPasses(module, options)))
      return failure();
  }
  function = findFunction(module, written->function);
  if (failed(function))
    return failure();
  FailureOr<Signature> executed = readSignature(*function);
  if (failed(executed))
    return failure();
  {
    StepTimer timer(options, "lowering");
    if (failed(runPipeline(module, options.statistics
                                       ? "weft-to-cpu{statistics=true}"
                                       : "weft-to-cpu")))
      return failure();
  }
  StepTimer timer(options, "compilation");
  auto compiled =
      CompiledFunction::compile(module, *executed, {options.optimizationLevel});
  if (failed(compiled))
    return failure();
  program =
      Program{std::move(*written), std::move(*executed), std::move(*compiled)};
  return success();
}

FailureOr<Program> scanweft::compileProgram(ModuleOp module,
                                            const RunOptions &options) {
  std::optional<Program> program;
  LogicalResult result = failure();
  std::string problem =
      runGuarded([&] { result = compileUnguarded(module, options, program); });
  if (!problem.empty())
    return emitError(module.getLoc())
           << "the compiler itself failed on this file by " << problem;
  if (failed(result))
    return failure();
  return std::move(*program);
}
