// Part of Scanweft, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

//===----------------------------------------------------------------------===//
// Translation, optimization and ORC.
//===----------------------------------------------------------------------===//

#include "scanweft/Execution/Jit.h"
#include "JitEntry.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Target/LLVMIR/Dialect/Builtin/BuiltinToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/LLVMIR/LLVMToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Export.h"
#include "scanweft/Execution/Checks.h"
#include "scanweft/Execution/Memory.h"
#include "scanweft/Execution/StatisticsRuntime.h"
#include "llvm/ExecutionEngine/Orc/AbsoluteSymbols.h"
#include "llvm/ExecutionEngine/Orc/LLJIT.h"
#include "llvm/IR/Verifier.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Target/TargetMachine.h"

using namespace mlir;
using namespace scanweft;

static mlir::LogicalResult emit(Location loc, llvm::Error error) {
  return emitError(loc) << "compilation for this machine failed: "
                        << llvm::toString(std::move(error));
}

/// What pays on the first run: values in registers and invariants out of loops,
/// at the cost of parsing them. Measured on a delta rule of 60 ops a chunk:
/// 0.25 s to lower and compile, where LLVM's O1 takes 0.59 s for equally fast
/// code.
static constexpr llvm::StringLiteral kQuickPasses(
    "function(sroa,early-cse,simplifycfg,loop-mssa(loop-rotate,licm))");

static llvm::Error optimize(llvm::Module &module, llvm::TargetMachine &machine,
                            unsigned level) {
  llvm::LoopAnalysisManager loops;
  llvm::FunctionAnalysisManager functions;
  llvm::CGSCCAnalysisManager graph;
  llvm::ModuleAnalysisManager modules;
  llvm::PassBuilder builder(&machine);
  builder.registerModuleAnalyses(modules);
  builder.registerCGSCCAnalyses(graph);
  builder.registerFunctionAnalyses(functions);
  builder.registerLoopAnalyses(loops);
  builder.crossRegisterProxies(loops, functions, graph, modules);
  static const llvm::OptimizationLevel levels[] = {
      llvm::OptimizationLevel::O0, llvm::OptimizationLevel::O1,
      llvm::OptimizationLevel::O2, llvm::OptimizationLevel::O3};
  llvm::ModulePassManager manager;
  if (level == 0) {
    if (llvm::Error error = builder.parsePassPipeline(manager, kQuickPasses))
      return error;
  } else {
    manager = builder.buildPerModuleDefaultPipeline(levels[level]);
  }
  manager.run(module, modules);
  return llvm::Error::success();
}

/// What compiled code may call beside the C library's mathematics.
static llvm::Error defineRuntime(llvm::orc::LLJIT &jit) {
  llvm::orc::SymbolMap symbols;
  auto define = [&](llvm::StringRef name, auto *function) {
    symbols[jit.mangleAndIntern(name)] = {
        llvm::orc::ExecutorAddr::fromPtr(function),
        llvm::JITSymbolFlags::Exported | llvm::JITSymbolFlags::Callable};
  };
  define("malloc", heapMalloc);
  define("calloc", heapCalloc);
  define("free", heapFree);
  define("puts", heapPuts);
  define("abort", heapAbort);
  define(kCountFunction, countStatistic);
  define(kCheckRangeFunction, checkRange);
  define(kCheckEqualFunction, checkEqual);
  return jit.getMainJITDylib().define(
      llvm::orc::absoluteSymbols(std::move(symbols)));
}

CompiledFunction::CompiledFunction(const Signature &signature)
    : signature(signature) {}

CompiledFunction::~CompiledFunction() = default;

/// Drops argument and result attributes that are not LLVM's: the translation
/// warns of each.
static void dropForeignAttributes(ModuleOp module) {
  for (auto function : module.getOps<FunctionOpInterface>()) {
    auto isForeign = [](NamedAttribute attribute) {
      return !attribute.getName().strref().starts_with("llvm.");
    };
    for (unsigned i = 0, e = function.getNumArguments(); i < e; ++i)
      for (NamedAttribute attribute : function.getArgAttrs(i))
        if (isForeign(attribute))
          function.removeArgAttr(i, attribute.getName());
    for (unsigned i = 0, e = function.getNumResults(); i < e; ++i)
      for (NamedAttribute attribute : function.getResultAttrs(i))
        if (isForeign(attribute))
          function.removeResultAttr(i, attribute.getName());
  }
}

/// The module as LLVM IR; null where the translation reported.
static std::unique_ptr<llvm::Module> translate(ModuleOp module,
                                               llvm::LLVMContext &context,
                                               llvm::TargetMachine &machine) {
  registerBuiltinDialectTranslation(*module.getContext());
  registerLLVMDialectTranslation(*module.getContext());
  dropForeignAttributes(module);
  std::unique_ptr<llvm::Module> result =
      translateModuleToLLVMIR(module, context, "scanweft");
  if (!result)
    return nullptr;
  result->setDataLayout(machine.createDataLayout());
  result->setTargetTriple(machine.getTargetTriple());
  return result;
}

/// How many arguments the llvm dialect makes of a signature.
static size_t countFlatArguments(const Signature &signature) {
  size_t count = 0;
  for (const Parameter &argument : signature.arguments)
    count += argument.isTensor ? 3 + 2 * argument.shape.size() : 1;
  return count;
}

FailureOr<std::unique_ptr<CompiledFunction>>
CompiledFunction::compile(ModuleOp module, const Signature &signature,
                          const JitOptions &options) {
  Location loc = signature.loc;
  llvm::InitializeNativeTarget();
  llvm::InitializeNativeTargetAsmPrinter();
  auto target = llvm::orc::JITTargetMachineBuilder::detectHost();
  if (!target)
    return emit(loc, target.takeError());
  static const llvm::CodeGenOptLevel levels[] = {
      llvm::CodeGenOptLevel::Less, llvm::CodeGenOptLevel::Less,
      llvm::CodeGenOptLevel::Default, llvm::CodeGenOptLevel::Aggressive};
  assert(options.optimizationLevel <= 3 && "levels are 0 to 3");
  target->setCodeGenOptLevel(levels[options.optimizationLevel]);
  auto machine = target->createTargetMachine();
  if (!machine)
    return emit(loc, machine.takeError());

  auto context = std::make_unique<llvm::LLVMContext>();
  std::unique_ptr<llvm::Module> translated =
      translate(module, *context, **machine);
  llvm::Function *function =
      translated ? translated->getFunction(signature.function) : nullptr;
  if (!function || function->arg_size() != countFlatArguments(signature))
    return emitError(loc) << "'" << signature.function
                          << "' did not lower to an LLVM function of its "
                             "signature";
  auto compiled =
      std::unique_ptr<CompiledFunction>(new CompiledFunction(signature));
  ResultLayout layout =
      addEntry(*translated, *function,
               /*severalResults=*/signature.results.size() > 1);
  compiled->resultOffsets = std::move(layout.offsets);
  compiled->resultBytes = layout.bytes;
  if (llvm::Error error =
          optimize(*translated, **machine, options.optimizationLevel))
    return emit(loc, std::move(error));

  auto jit = llvm::orc::LLJITBuilder()
                 .setJITTargetMachineBuilder(std::move(*target))
                 .setPlatformSetUp(llvm::orc::setUpInactivePlatform)
                 .create();
  if (!jit)
    return emit(loc, jit.takeError());
  // The session prints what a failed lookup does not say: the missing symbols.
  std::string details;
  (*jit)->getExecutionSession().setErrorReporter(
      [&](llvm::Error error) { details += llvm::toString(std::move(error)); });
  if (llvm::Error error = defineRuntime(**jit))
    return emit(loc, std::move(error));
  if (llvm::Error error = (*jit)->addIRModule(llvm::orc::ThreadSafeModule(
          std::move(translated), std::move(context))))
    return emit(loc, std::move(error));
  auto entry = (*jit)->lookup(kEntryName);
  (*jit)->getExecutionSession().setErrorReporter(
      [](llvm::Error error) { llvm::consumeError(std::move(error)); });
  if (!entry) {
    std::string symbols = llvm::toString(entry.takeError());
    return emit(loc,
                llvm::createStringError(details.empty() ? symbols : details));
  }
  compiled->entry = entry->toPtr<Entry>();
  compiled->jit = std::move(*jit);
  return compiled;
}
