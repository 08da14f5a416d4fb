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
#include "scanweft/Execution/StatisticsRuntime.h"
#include "llvm/ExecutionEngine/Orc/AbsoluteSymbols.h"
#include "llvm/ExecutionEngine/Orc/LLJIT.h"
#include "llvm/IR/Verifier.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Target/TargetMachine.h"
#include <cstring>
#include <deque>
#include <vector>

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
  if (!entry)
    return emit(loc, llvm::joinErrors(entry.takeError(),
                                      llvm::createStringError(details)));
  compiled->entry = entry->toPtr<Entry>();
  compiled->jit = std::move(*jit);
  return compiled;
}

namespace {

/// The flattened arguments of a call. Values live in a deque so that their
/// addresses stay.
class ArgumentList {
public:
  void add(const Parameter &parameter, const Array &array) {
    if (!parameter.isTensor) {
      addresses.push_back(const_cast<char *>(array.getData()));
      return;
    }
    addPointer(array.getData());
    addPointer(array.getData());
    addInteger(0);
    for (int64_t size : array.getShape())
      addInteger(size);
    int64_t stride = 1;
    SmallVector<int64_t> strides(array.getShape().size());
    for (size_t axis = strides.size(); axis-- > 0;) {
      strides[axis] = stride;
      stride *= array.getShape()[axis];
    }
    for (int64_t value : strides)
      addInteger(value);
  }

  void **data() { return addresses.data(); }

private:
  void addPointer(const char *pointer) {
    addInteger(reinterpret_cast<intptr_t>(pointer));
  }
  void addInteger(int64_t value) {
    words.push_back(value);
    addresses.push_back(&words.back());
  }

  std::deque<int64_t> words;
  std::vector<void *> addresses;
};

/// A returned buffer: the fields of the llvm dialect's struct.
struct BufferView {
  const char *base, *aligned;
  int64_t offset;
  ArrayRef<int64_t> sizes, strides;

  BufferView(const char *fields, size_t rank) {
    std::memcpy(&base, fields, sizeof(base));
    std::memcpy(&aligned, fields + 8, sizeof(aligned));
    std::memcpy(&offset, fields + 16, sizeof(offset));
    auto *words = reinterpret_cast<const int64_t *>(fields + 24);
    sizes = ArrayRef(words, rank);
    strides = ArrayRef(words + rank, rank);
  }
};

} // namespace

/// Copies a strided buffer into row-major order.
static llvm::Expected<Array> copyBuffer(const BufferView &view,
                                        ElementType type) {
  llvm::Expected<Array> array = Array::create(type, view.sizes);
  if (!array)
    return array;
  const int64_t width = byteSize(type);
  SmallVector<int64_t> index(view.sizes.size(), 0);
  int64_t source = view.offset;
  for (int64_t i = 0, e = array->getNumElements(); i < e; ++i) {
    std::memcpy(array->getData() + i * width, view.aligned + source * width,
                width);
    for (size_t axis = index.size(); axis-- > 0;) {
      source += view.strides[axis];
      if (++index[axis] < view.sizes[axis])
        break;
      source -= view.strides[axis] * view.sizes[axis];
      index[axis] = 0;
    }
  }
  return array;
}

static llvm::Expected<Array> copyResult(const char *fields,
                                        const Parameter &result) {
  if (result.isTensor)
    return copyBuffer(BufferView(fields, result.shape.size()), result.type);
  llvm::Expected<Array> array = Array::create(result.type, {});
  if (array)
    std::memcpy(array->getData(), fields, byteSize(result.type));
  return array;
}

FailureOr<SmallVector<Array>> CompiledFunction::run(ArrayRef<Array> arguments,
                                                    ProgramHeap &heap) const {
  ArgumentList list;
  for (auto [parameter, array] :
       llvm::zip_equal(signature.arguments, arguments))
    list.add(parameter, array);
  // Words, so that fields are aligned.
  std::vector<int64_t> fields(llvm::divideCeil(resultBytes, 8) + 1);
  auto *results = reinterpret_cast<char *>(fields.data());
  std::string problem = heap.run([&] { entry(list.data(), results); });
  if (!problem.empty()) {
    heap.releaseAll();
    return emitError(signature.loc)
           << "'" << signature.function << "' was stopped by " << problem;
  }
  SmallVector<Array> arrays;
  for (auto [parameter, offset] :
       llvm::zip_equal(signature.results, resultOffsets)) {
    llvm::Expected<Array> array = copyResult(results + offset, parameter);
    if (!array)
      return emitError(signature.loc)
             << "result '" << parameter.name
             << "': " << llvm::toString(array.takeError());
    arrays.push_back(std::move(*array));
  }
  for (auto [parameter, offset] :
       llvm::zip_equal(signature.results, resultOffsets))
    if (parameter.isTensor)
      heap.releaseIfOwned(
          BufferView(results + offset, parameter.shape.size()).base);
  return arrays;
}
