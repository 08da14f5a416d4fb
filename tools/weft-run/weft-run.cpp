// Part of Scanweft, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

//===----------------------------------------------------------------------===//
// Executes a function of a .mlir file on the CPU: generated inputs or files,
// results to a file, a comparison with a reference. docs/weft-run.md.
//===----------------------------------------------------------------------===//

#include "Case.h"
#include "Options.h"
#include "Program.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Parser/Parser.h"
#include "scanweft/Execution/Isolate.h"
#include "scanweft/InitAll.h"
#include "scanweft/Support/Guard.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/SourceMgr.h"
#include <csignal>
#include <unistd.h>

using namespace mlir;
using namespace scanweft;

static int fail(StringRef where, const Twine &text) {
  llvm::errs() << where << ": error: " << text << "\n";
  return EXIT_FAILURE;
}

/// Async-signal-safe: a program in an endless loop cannot be asked to stop.
static void stopAtTimeLimit(int) {
  killIsolated();
  static constexpr char text[] =
      "weft-run: error: stopped at the time limit (--time-limit)\n";
  ssize_t written = write(STDERR_FILENO, text, sizeof(text) - 1);
  (void)written;
  _exit(EXIT_FAILURE);
}

static int runCases(const Program &program, const RunOptions &options) {
  if (options.cases.empty())
    return failed(runCase(program, options.defaults, options));
  auto buffer = llvm::MemoryBuffer::getFile(options.cases, /*IsText=*/true);
  if (!buffer)
    return fail(options.cases, buffer.getError().message());
  SmallVector<StringRef> lines;
  (*buffer)->getBuffer().split(lines, '\n');
  int64_t numPassed = 0, numFailed = 0;
  for (auto [number, line] : llvm::enumerate(lines)) {
    StringRef text = line.split('#').first.trim();
    if (text.empty())
      continue;
    std::string where = (options.cases + ":" + Twine(number + 1)).str();
    llvm::outs() << "case " << where << ": " << text << "\n";
    llvm::Expected<CaseOptions> parsed = parseCase(text, options.defaults);
    if (!parsed)
      return fail(where, llvm::toString(parsed.takeError()));
    bool passed = succeeded(runCase(program, *parsed, options));
    ++(passed ? numPassed : numFailed);
    llvm::outs().flush();
  }
  llvm::outs() << "cases: " << numPassed << " passed, " << numFailed
               << " failed\n";
  return numFailed ? EXIT_FAILURE : EXIT_SUCCESS;
}

int main(int argc, char **argv) {
  llvm::Expected<RunOptions> options =
      parseCommandLine(ArrayRef<const char *>(argv, argc).drop_front());
  if (!options)
    return fail("weft-run", llvm::toString(options.takeError()));
  if (options->help) {
    printHelp(llvm::outs());
    return EXIT_SUCCESS;
  }
  if (options->timeLimit) {
    std::signal(SIGALRM, stopAtTimeLimit);
    alarm(options->timeLimit);
  }
  auto buffer = llvm::MemoryBuffer::getFileOrSTDIN(options->file);
  if (!buffer)
    return fail(options->file, buffer.getError().message());

  DialectRegistry registry;
  registerAllDialects(registry);
  registerScanweftPasses();
  registerUpstreamPasses();
  MLIRContext context(registry, MLIRContext::Threading::DISABLED);
  context.printOpOnDiagnostic(false);
  llvm::SourceMgr sources;
  sources.AddNewSourceBuffer(std::move(*buffer), llvm::SMLoc());
  SourceMgrDiagnosticHandler handler(sources, &context);
  OwningOpRef<ModuleOp> module;
  std::string problem = runGuarded([&] {
    StepTimer timer(*options, "parsing");
    module = parseSourceFile<ModuleOp>(sources, &context);
  });
  if (!problem.empty())
    return fail(options->file + ":1:1", "the parser failed by " + problem);
  if (!module)
    return EXIT_FAILURE;
  // What concerns the file as a whole points at its start; the parser says 0:0.
  (*module)->setLoc(FileLineColLoc::get(&context, options->file, 1, 1));
  FailureOr<Program> program = compileProgram(*module, *options);
  if (failed(program))
    return EXIT_FAILURE;
  return runCases(*program, *options);
}
