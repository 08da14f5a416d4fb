// Part of Scanweft, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

//===----------------------------------------------------------------------===//
// LLVM's passes at level 1 without unrolling and vectorization, whose choices
// are those of the stages above, and its NVPTX backend.
//
// Levels above change ptxas's registers, spills and code by 1 % at most, over
// the kernels of all examples, and take half as long again.
//===----------------------------------------------------------------------===//

#include "Backend.h"
#include "InlineAsm.h"
#include "Screen.h"
#include "SourceLocations.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/Operation.h"
#include "mlir/Target/LLVMIR/Export.h"
#include "scanweft/Support/Guard.h"
#include "scanweft/Target/Target.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/IR/DiagnosticHandler.h"
#include "llvm/IR/DiagnosticInfo.h"
#include "llvm/IR/DiagnosticPrinter.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/OptBisect.h"
#include "llvm/IR/Verifier.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Support/Regex.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Target/TargetMachine.h"
#include <tuple>

using namespace mlir;
using namespace scanweft;

namespace {

/// LLVM's errors and warnings at the author's lines; remarks are dropped.
class Reporter : public llvm::DiagnosticHandler {
public:
  Reporter(const SourceLocations &locations, bool &hasErrors)
      : locations(locations), hasErrors(hasErrors) {}

  bool handleDiagnostics(const llvm::DiagnosticInfo &info) override {
    std::string text;
    llvm::raw_string_ostream stream(text);
    llvm::DiagnosticPrinterRawOStream printer(stream);
    info.print(printer);
    if (info.getSeverity() == llvm::DS_Error) {
      hasErrors = true;
      emitError(locations.get(info)) << "LLVM: " << text;
    } else if (info.getSeverity() == llvm::DS_Warning) {
      emitWarning(locations.get(info)) << "LLVM: " << text;
    }
    return true;
  }

private:
  const SourceLocations &locations;
  bool &hasErrors;
};

/// Leaves out passes of the backend that take more than they give.
class PassGate : public llvm::OptPassGate {
public:
  bool isEnabled() const override { return true; }
  bool shouldRunPass(StringRef pass, StringRef) const override {
    // Straight-line strength reduction compares every address with those before
    // it: 2.1 of 3.1 s where a block has 20,000 instructions, for 1 % of the
    // code.
    return pass != "slsr";
  }
};

} // namespace

Backend::Backend(const Target &target, const SourceLocations &locations)
    : target(target), locations(locations),
      context(std::make_unique<llvm::LLVMContext>()) {
  static PassGate gate;
  context->setOptPassGate(gate);
  context->setDiagnosticHandler(
      std::make_unique<Reporter>(locations, hasErrors));
}

Backend::~Backend() = default;

FailureOr<std::unique_ptr<Backend>>
Backend::create(const Target &target, const SourceLocations &locations) {
  static const bool initialized = [] {
    LLVMInitializeNVPTXTargetInfo();
    LLVMInitializeNVPTXTarget();
    LLVMInitializeNVPTXTargetMC();
    LLVMInitializeNVPTXAsmPrinter();
    return true;
  }();
  (void)initialized;
  const llvm::Triple triple("nvptx64-nvidia-cuda");
  std::string problem;
  const llvm::Target *backend =
      llvm::TargetRegistry::lookupTarget(triple, problem);
  if (!backend)
    return emitError(locations.getWhole())
           << "this LLVM has no backend for PTX: " << problem;
  llvm::TargetOptions options;
  // Products and sums fuse where they can, as users of GPUs expect: one
  // rounding less.
  options.AllowFPOpFusion = llvm::FPOpFusion::Fast;
  std::unique_ptr<Backend> result(new Backend(target, locations));
  result->machine.reset(backend->createTargetMachine(
      triple, target.name, target.ptxFeature, options, std::nullopt,
      std::nullopt, llvm::CodeGenOptLevel::Default));
  return result;
}

LogicalResult Backend::translate(Operation *op) {
  std::string crash = runGuarded([&] {
    module = translateModuleToLLVMIR(op, *context, "scanweft",
                                     /*disableVerification=*/true);
  });
  if (!crash.empty()) {
    abandon();
    return emitError(locations.getWhole())
           << "the translation to LLVM IR failed by " << crash;
  }
  if (!module)
    return failure();
  module->setTargetTriple(machine->getTargetTriple());
  module->setDataLayout(machine->createDataLayout());
  std::string problems;
  llvm::raw_string_ostream stream(problems);
  if (llvm::verifyModule(*module, &stream))
    return emitError(locations.getWhole())
           << "the translation to LLVM IR is not valid: "
           << StringRef(problems).rtrim();
  if (failed(screenForPtx(*module, locations)))
    return failure();
  markConvergent(*module);
  return success();
}

void Backend::abandon() {
  std::ignore = module.release();
  std::ignore = machine.release();
  std::ignore = context.release();
}

void Backend::optimize() {
  llvm::LoopAnalysisManager loops;
  llvm::FunctionAnalysisManager functions;
  llvm::CGSCCAnalysisManager graph;
  llvm::ModuleAnalysisManager modules;
  llvm::PipelineTuningOptions tuning;
  tuning.LoopUnrolling = false;
  tuning.LoopInterleaving = false;
  tuning.LoopVectorization = false;
  tuning.SLPVectorization = false;
  llvm::PassBuilder builder(machine.get(), tuning);
  builder.registerModuleAnalyses(modules);
  builder.registerCGSCCAnalyses(graph);
  builder.registerFunctionAnalyses(functions);
  builder.registerLoopAnalyses(loops);
  builder.crossRegisterProxies(loops, functions, graph, modules);
  builder.buildPerModuleDefaultPipeline(llvm::OptimizationLevel::O1)
      .run(*module, modules);
}

/// Returns false where the backend cannot print text at all.
bool Backend::printPtx(std::string &ptx) {
  llvm::SmallString<0> buffer;
  llvm::raw_svector_ostream stream(buffer);
  llvm::legacy::PassManager passes;
  if (machine->addPassesToEmitFile(passes, stream, nullptr,
                                   llvm::CodeGenFileType::AssemblyFile))
    return false;
  passes.run(*module);
  ptx = buffer.str().str();
  return true;
}

/// A fatal error's first line without addresses of this run.
static std::string clean(StringRef fatalError) {
  std::string text = fatalError.split('\n').first.str();
  llvm::Regex address("0x[0-9a-f]+(: )?");
  while (address.match(text))
    text = address.sub("", text);
  return StringRef(text).rtrim(" ,").str();
}

FailureOr<std::string> Backend::emitPtx() {
  std::string ptx;
  bool printed = false;
  std::string problem = runGuarded([&] {
    optimize();
    printed = printPtx(ptx);
  });
  if (!problem.empty()) {
    emitError(locations.find(problem, *module))
        << "LLVM cannot make PTX for " << target.name << ": " << clean(problem);
    abandon();
    return failure();
  }
  if (!printed)
    return emitError(locations.getWhole())
           << "this LLVM prints no PTX for " << target.name;
  if (hasErrors)
    return failure();
  return ptx;
}
