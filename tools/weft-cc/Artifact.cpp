// Part of Scanweft, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

//===----------------------------------------------------------------------===//
// The manifest: what host functions say, and what the assembler said of their
// kernels.
//===----------------------------------------------------------------------===//

#include "Options.h"
#include "Products.h"
#include "scanweft/Manifest/DescribeHost.h"
#include "scanweft/Target/Assemble.h"
#include "scanweft/Target/Target.h"
#include "llvm/Support/Path.h"

using namespace mlir;
using namespace scanweft;

static void addReports(manifest::Program &program,
                       ArrayRef<KernelReport> reports) {
  for (manifest::Kernel &kernel : program.kernels)
    for (const KernelReport &report : reports)
      if (report.name == kernel.symbol)
        kernel.report = manifest::Report{
            report.registers,  report.spillStoreBytes,   report.spillLoadBytes,
            report.stackBytes, report.staticSharedBytes, report.barriers,
            report.codeBytes};
}

/// Kernels that no launch names are none of the manifest's; a launch of one
/// that needs more than the target has is refused here, with both numbers.
static LogicalResult verifyResources(ModuleOp module,
                                     const manifest::Program &program,
                                     const Target &target) {
  for (const manifest::Kernel &kernel : program.kernels) {
    int64_t bytes = kernel.dynamicSharedBytes +
                    (kernel.report ? kernel.report->staticSharedBytes : 0);
    if (bytes > target.sharedBytesPerBlock)
      return module.emitError()
             << "kernel '" << kernel.symbol << "' needs " << bytes
             << " bytes of shared memory, a block of " << target.name << " has "
             << target.sharedBytesPerBlock;
  }
  return success();
}

FailureOr<Output> scanweft::makeManifest(ModuleOp module, const Target &target,
                                         const CompileOptions &options) {
  manifest::Code code;
  code.isPtx = options.code == "ptx";
  if (!code.isPtx && failed(findPtxas(module.getLoc())))
    return failure();
  FailureOr<manifest::Program> program =
      manifest::describeHostFunctions(module);
  if (failed(program))
    return failure();
  FailureOr<std::string> bytes = translate(module, target, options);
  if (failed(bytes))
    return failure();
  if (!code.isPtx || options.report) {
    FailureOr<Cubin> cubin = assembleAndReport(module, *bytes, target, options);
    if (failed(cubin))
      return failure();
    addReports(*program, cubin->kernels);
    if (!code.isPtx)
      bytes = std::move(cubin->bytes);
  }
  if (failed(verifyResources(module, *program, target)))
    return failure();
  code.bytes = *bytes;
  Output output;
  if (options.output != "-")
    output.besideFile =
        (llvm::sys::path::stem(options.output) + "." + options.code).str();
  code.file = output.besideFile;
  llvm::raw_string_ostream stream(output.bytes);
  manifest::write(stream, *program, target.name, code);
  output.besideBytes = std::move(*bytes);
  return output;
}
