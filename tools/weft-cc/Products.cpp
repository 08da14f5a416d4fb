// Part of Scanweft, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

//===----------------------------------------------------------------------===//
// Calls of the target library, and what is printed beside the product.
//===----------------------------------------------------------------------===//

#include "Products.h"
#include "Options.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "scanweft/Target/Assemble.h"
#include "scanweft/Target/Ptx.h"
#include "scanweft/Target/Target.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace scanweft;

StepTimer::StepTimer(const CompileOptions &options, StringRef step)
    : enabled(options.timing), step(step),
      start(std::chrono::steady_clock::now()) {}

StepTimer::~StepTimer() {
  std::chrono::duration<double, std::milli> time =
      std::chrono::steady_clock::now() - start;
  if (enabled)
    llvm::errs() << llvm::formatv("timing: {0} = {1:f1} ms\n", step,
                                  time.count());
}

static void printReport(const KernelReport &kernel, const Target &target) {
  llvm::errs() << llvm::formatv(
      "kernel {0}: target = {1}, registers = {2}, spill stores = {3} bytes, "
      "spill loads = {4} bytes, stack = {5} bytes, static shared memory = {6} "
      "bytes, barriers = {7}, code = {8} bytes\n",
      kernel.name, target.name, kernel.registers, kernel.spillStoreBytes,
      kernel.spillLoadBytes, kernel.stackBytes, kernel.staticSharedBytes,
      kernel.barriers, kernel.codeBytes);
}

/// The place of a kernel, by its name in PTX.
static Location locateKernel(ModuleOp module, StringRef name) {
  Location loc = module.getLoc();
  module.walk([&](LLVM::LLVMFuncOp function) {
    if (function.getName() == name)
      loc = function.getLoc();
  });
  return loc;
}

FailureOr<Cubin> scanweft::assembleAndReport(ModuleOp module, StringRef ptx,
                                             const Target &target,
                                             const CompileOptions &options) {
  StepTimer timer(options, "ptxas");
  AssembleOptions assembly;
  assembly.lineInfo = options.lineInfo;
  assembly.locate = [&](StringRef kernel) {
    return locateKernel(module, kernel);
  };
  FailureOr<Cubin> cubin = assemble(ptx, target, module.getLoc(), assembly);
  if (failed(cubin))
    return failure();
  if (options.report)
    for (const KernelReport &kernel : cubin->kernels)
      printReport(kernel, target);
  return cubin;
}

FailureOr<std::string> scanweft::translate(ModuleOp module,
                                           const Target &target,
                                           const CompileOptions &options) {
  StepTimer timer(options, "ptx");
  PtxOptions ptx;
  ptx.lineInfo = options.lineInfo;
  return translateToPtx(module, target, ptx);
}

FailureOr<Output> scanweft::makePtx(ModuleOp module, const Target &target,
                                    const CompileOptions &options) {
  FailureOr<std::string> ptx = translate(module, target, options);
  if (failed(ptx))
    return failure();
  if (options.report &&
      failed(assembleAndReport(module, *ptx, target, options)))
    return failure();
  return Output{std::move(*ptx), "", ""};
}

FailureOr<Output> scanweft::makeCubin(ModuleOp module, const Target &target,
                                      const CompileOptions &options) {
  // Without ptxas nothing else is worth doing.
  if (failed(findPtxas(module.getLoc())))
    return failure();
  FailureOr<std::string> ptx = translate(module, target, options);
  if (failed(ptx))
    return failure();
  FailureOr<Cubin> cubin = assembleAndReport(module, *ptx, target, options);
  if (failed(cubin))
    return failure();
  return Output{std::move(cubin->bytes), "", ""};
}
