// Part of Scanweft, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

//===----------------------------------------------------------------------===//
// What is translated, and the checks that need the ops: dialects, and
// instructions that the target lacks.
//===----------------------------------------------------------------------===//

#include "Backend.h"
#include "SourceLocations.h"
#include "mlir/AsmParser/AsmParser.h"
#include "mlir/Conversion/NVVMToLLVM/NVVMToLLVM.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/Transforms/Passes.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Target/LLVMIR/Dialect/Builtin/BuiltinToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/GPU/GPUToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/LLVMIR/LLVMToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/NVVM/NVVMToLLVMIRTranslation.h"
#include "scanweft/Target/Ptx.h"
#include "scanweft/Target/Target.h"

using namespace mlir;
using namespace scanweft;

void scanweft::registerTargetDialects(DialectRegistry &registry) {
  registerBuiltinDialectTranslation(registry);
  registerGPUDialectTranslation(registry);
  registerLLVMDialectTranslation(registry);
  registerNVVMDialectTranslation(registry);
  registerConvertNVVMToLLVMInterface(registry);
}

/// For a caller that did not register them beforehand.
static void registerTranslations(MLIRContext &context) {
  DialectRegistry registry;
  registerTargetDialects(registry);
  context.appendDialectRegistry(registry);
  for (StringRef dialect : {"gpu", "llvm", "nvvm"})
    context.getOrLoadDialect(dialect);
}

/// The op whose region holds the kernels.
static FailureOr<Operation *> findKernels(Operation *op) {
  auto module = dyn_cast<ModuleOp>(op);
  if (!module)
    return op;
  auto gpuModules = llvm::to_vector(module.getOps<gpu::GPUModuleOp>());
  if (gpuModules.empty()) {
    if (module.getOps<LLVM::LLVMFuncOp>().empty())
      return emitError(module.getLoc())
             << "there is no gpu.module, whose kernels become PTX";
    return op;
  }
  if (gpuModules.size() == 1)
    return gpuModules.front().getOperation();
  auto diagnostic = gpuModules[1].emitOpError()
                    << "@" << gpuModules[1].getName()
                    << " is a second one: a file of PTX is made of one";
  diagnostic.attachNote(gpuModules[0].getLoc()) << "the first is here";
  return diagnostic;
}

/// Every op below `root` has a translation, and there is something to do.
static LogicalResult checkDialects(Operation *root) {
  bool hasFunction = false;
  WalkResult walk = root->walk([&](Operation *op) {
    StringRef dialect = op->getName().getDialectNamespace();
    if (op == root || dialect == "llvm" || dialect == "nvvm") {
      auto function = dyn_cast<LLVM::LLVMFuncOp>(op);
      hasFunction |= function && !function.isExternal();
      return WalkResult::advance();
    }
    op->emitOpError("is neither of the llvm nor of the nvvm dialect, of which "
                    "PTX is made");
    return WalkResult::interrupt();
  });
  if (walk.wasInterrupted())
    return failure();
  if (!hasFunction)
    return root->emitOpError("holds no function: there is nothing to "
                             "translate");
  return success();
}

/// A copy of the kernels in a module of its own, so that the caller's op stays
/// as it is.
static FailureOr<OwningOpRef<ModuleOp>> copyKernels(Operation *kernels,
                                                    const PtxOptions &options) {
  MLIRContext *context = kernels->getContext();
  OwningOpRef<ModuleOp> copy;
  if (auto module = dyn_cast<ModuleOp>(kernels)) {
    copy = module.clone();
  } else {
    copy = ModuleOp::create(kernels->getLoc());
    copy->push_back(kernels->clone());
  }
  // With an emission kind of None the places reach LLVM IR, and so its
  // diagnostics, but not the PTX.
  PassManager manager(context);
  manager.addPass(LLVM::createDIScopeForLLVMFuncOpPass(
      {options.lineInfo ? LLVM::DIEmissionKind::DebugDirectivesOnly
                        : LLVM::DIEmissionKind::None}));
  if (failed(manager.run(*copy)))
    return failure();
  return copy;
}

/// Ops of the nvvm dialect say which targets have them: naming the target lets
/// their verifiers ask.
static LogicalResult checkTarget(gpu::GPUModuleOp kernels,
                                 const Target &target) {
  std::string text = ("#nvvm.target<chip = \"" + target.name + "\">").str();
  Attribute attribute = parseAttribute(text, kernels.getContext());
  if (!attribute)
    return failure();
  kernels.setTargetsAttr(ArrayAttr::get(kernels.getContext(), attribute));
  LogicalResult result = verify(kernels);
  kernels.removeTargetsAttr();
  return result;
}

FailureOr<std::string> scanweft::translateToPtx(Operation *op,
                                                const Target &target,
                                                const PtxOptions &options) {
  registerTranslations(*op->getContext());
  FailureOr<Operation *> kernels = findKernels(op);
  if (failed(kernels) || failed(checkDialects(*kernels)))
    return failure();
  auto copy = copyKernels(*kernels, options);
  if (failed(copy))
    return failure();
  Operation *copied = copy->get();
  if (isa<gpu::GPUModuleOp>(*kernels)) {
    copied = &(*copy)->getBody()->front();
    if (failed(checkTarget(cast<gpu::GPUModuleOp>(copied), target)))
      return failure();
  }
  SourceLocations locations(*kernels);
  auto backend = Backend::create(target, locations);
  if (failed(backend) || failed((*backend)->translate(copied)))
    return failure();
  return (*backend)->emitPtx();
}
