// Part of Scanweft, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

//===----------------------------------------------------------------------===//
// Compiles a .mlir file ahead of time: to a stage, to PTX, to a cubin. Output
// appears whole or not at all; every failure is a diagnostic and exit status 1.
//===----------------------------------------------------------------------===//

#include "Options.h"
#include "Products.h"
#include "Stages.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/Remarks.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Parser/Parser.h"
#include "scanweft/InitAll.h"
#include "scanweft/Support/AtomicFile.h"
#include "scanweft/Support/Guard.h"
#include "scanweft/Support/Pipeline.h"
#include "scanweft/Target/Target.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Process.h"
#include "llvm/Support/SourceMgr.h"

using namespace mlir;
using namespace scanweft;

static int fail(StringRef where, const Twine &text) {
  llvm::errs() << where << ": error: " << text << "\n";
  return EXIT_FAILURE;
}

static void listTargets() {
  for (const Target &target : getTargets()) {
    SmallVector<StringRef> instructions;
    for (auto [instruction, name] : getOptionalInstructions())
      if (target.has(instruction))
        instructions.push_back(name);
    llvm::outs() << llvm::formatv(
        "{0}: shared memory = {1} bytes a block, threads = {2} a "
        "multiprocessor, instructions: {3}\n",
        target.name, target.sharedBytesPerBlock,
        target.threadsPerMultiprocessor,
        instructions.empty() ? "those of every target"
                             : llvm::join(instructions, ", "));
  }
}

namespace {

/// What the command line asks for, once it is known to make sense.
struct Job {
  const Stage *stage = nullptr;
  const Product *product = nullptr;
  const Target *target = nullptr;
};

} // namespace

static std::string listEmissions() {
  SmallVector<StringRef> names;
  for (const Stage &stage : getStages())
    names.push_back(stage.name);
  for (const Product &product : getProducts())
    names.push_back(product.name);
  return llvm::join(names, ", ");
}

/// Everything that can be refused without looking at the file. Returns why, or
/// nothing.
static std::string planJob(const CompileOptions &options, MLIRContext &context,
                           Job &job) {
  for (const Stage &stage : getStages())
    if (stage.name == options.emit)
      job.stage = &stage;
  for (const Product &product : getProducts())
    if (product.name == options.emit)
      job.product = &product;
  if (!job.stage && !job.product)
    return "'--emit' does not take '" + options.emit + "': it takes " +
           listEmissions();
  if (!options.target.empty()) {
    std::string problem;
    ScopedDiagnosticHandler handler(&context, [&](Diagnostic &diagnostic) {
      problem = diagnostic.str();
      return success();
    });
    FailureOr<const Target *> target = findTarget(
        options.target, [&] { return emitError(UnknownLoc::get(&context)); });
    if (failed(target))
      return problem;
    job.target = *target;
  } else if (job.product || job.stage->needsTarget) {
    return "'--emit=" + options.emit +
           "' needs a target: --target takes one of " + listTargetNames();
  }
  if (options.report && !job.product)
    return "'--report' needs '--emit=ptx' or '--emit=cubin'";
  if (options.code != "cubin" && options.code != "ptx")
    return "'--code' does not take '" + options.code +
           "': it takes cubin or ptx";
  if (options.emit == "manifest" &&
      llvm::sys::path::extension(options.output) == "." + options.code)
    return "cannot write '" + options.output +
           "': the manifest's code goes there, the manifest needs another name";
  if (options.output != "-") {
    if (llvm::Error error = checkWritable(options.output))
      return "cannot write '" + options.output +
             "': " + llvm::toString(std::move(error));
  } else if (job.product && !job.product->isText &&
             llvm::sys::Process::StandardOutIsDisplayed()) {
    return "'--emit=" + options.emit + "' is not text: name a file with -o";
  }
  return "";
}

static LogicalResult runStages(ModuleOp module, const Job &job,
                               const CompileOptions &options) {
  for (const Stage &stage : getStages()) {
    std::string pipeline = getPipeline(stage, options);
    StepTimer timer(options, stage.name);
    if (!pipeline.empty() && failed(runPipeline(module, pipeline)))
      return failure();
    if (&stage == job.stage)
      break;
  }
  return success();
}

static std::string print(ModuleOp module, const CompileOptions &options) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  OpPrintingFlags flags;
  if (options.locations)
    flags.enableDebugInfo(/*enable=*/true, /*prettyForm=*/false);
  module->print(stream, flags);
  stream << "\n";
  return text;
}

static FailureOr<Output> compile(ModuleOp module, const Job &job,
                                 const CompileOptions &options) {
  LogicalResult result = failure();
  std::string problem =
      runGuarded([&] { result = runStages(module, job, options); });
  if (!problem.empty())
    return emitError(module.getLoc())
           << "the compiler itself failed on this file by " << problem;
  if (failed(result))
    return failure();
  if (job.product)
    return job.product->make(module, *job.target, options);
  return Output{print(module, options), "", ""};
}

/// Reads and verifies the file; null where that was reported.
static OwningOpRef<ModuleOp> read(llvm::SourceMgr &sources,
                                  MLIRContext &context,
                                  const CompileOptions &options) {
  OwningOpRef<ModuleOp> module;
  std::string problem = runGuarded(
      [&] { module = parseSourceFile<ModuleOp>(sources, &context); });
  Location start = FileLineColLoc::get(&context, options.file, 1, 1);
  if (!problem.empty()) {
    emitError(start) << "the parser failed by " << problem;
    return {};
  }
  if (!module)
    return {};
  // What concerns the file as a whole points at its start; the parser says 0:0.
  (*module)->setLoc(start);
  if (module->getBody()->empty()) {
    emitError(start) << "the file holds nothing to compile";
    return {};
  }
  return module;
}

static llvm::Error writeFile(StringRef path, StringRef bytes) {
  return writeFileAtomically(path, [&](raw_ostream &stream) {
    stream << bytes;
    return llvm::Error::success();
  });
}

/// The file beside comes first: what names it is there only with it.
static llvm::Error writeFiles(const Output &output,
                              const CompileOptions &options) {
  if (!output.besideFile.empty()) {
    SmallString<128> path(options.output);
    llvm::sys::path::remove_filename(path);
    llvm::sys::path::append(path, output.besideFile);
    if (llvm::Error error = writeFile(path, output.besideBytes))
      return error;
  }
  return writeFile(options.output, output.bytes);
}

static int write(const Output &output, const CompileOptions &options) {
  if (options.output == "-") {
    llvm::outs() << output.bytes;
    llvm::outs().flush();
    if (!llvm::outs().has_error())
      return EXIT_SUCCESS;
    std::string why = llvm::outs().error().message();
    llvm::outs().clear_error();
    return fail("weft-cc", "cannot write to the standard output: " + why);
  }
  if (llvm::Error error = writeFiles(output, options))
    return fail("weft-cc", "cannot write '" + options.output +
                               "': " + llvm::toString(std::move(error)));
  return EXIT_SUCCESS;
}

static int compileFile(MLIRContext &context, const Job &job,
                       const CompileOptions &options) {
  auto buffer = llvm::MemoryBuffer::getFileOrSTDIN(options.file);
  if (!buffer)
    return fail(options.file, buffer.getError().message());
  llvm::SourceMgr sources;
  sources.AddNewSourceBuffer(std::move(*buffer), llvm::SMLoc());
  SourceMgrDiagnosticHandler handler(sources, &context);
  if (options.remarks) {
    const std::string every = ".*";
    if (failed(remark::enableOptimizationRemarks(
            context, nullptr,
            std::make_unique<remark::RemarkEmittingPolicyAll>(),
            {every, every, every, every, every},
            /*printAsEmitRemarks=*/true)))
      return fail("weft-cc", "remarks cannot be enabled");
  }
  OwningOpRef<ModuleOp> module = read(sources, context, options);
  if (!module)
    return EXIT_FAILURE;
  FailureOr<Output> output = compile(*module, job, options);
  if (failed(output))
    return EXIT_FAILURE;
  return write(*output, options);
}

int main(int argc, char **argv) {
  llvm::Expected<CompileOptions> options =
      parseCommandLine(ArrayRef<const char *>(argv, argc).drop_front());
  if (!options)
    return fail("weft-cc", llvm::toString(options.takeError()));
  if (options->help)
    printHelp(llvm::outs());
  else if (options->listTargets)
    listTargets();
  if (options->help || options->listTargets)
    return EXIT_SUCCESS;

  DialectRegistry registry;
  registerAllDialects(registry);
  registerScanweftPasses();
  registerUpstreamPasses();
  MLIRContext context(registry, MLIRContext::Threading::DISABLED);
  context.printOpOnDiagnostic(false);
  Job job;
  if (std::string problem = planJob(*options, context, job); !problem.empty())
    return fail("weft-cc", problem);
  return compileFile(context, job, *options);
}
