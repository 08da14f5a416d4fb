// Part of Scanweft, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

//===----------------------------------------------------------------------===//
// The screen: intrinsics that need a library, types, control flow, symbols.
//===----------------------------------------------------------------------===//

#include "Screen.h"
#include "SourceLocations.h"
#include "mlir/IR/Diagnostics.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"

using namespace mlir;
using namespace scanweft;

/// Mathematics that LLVM leaves to a library, which a GPU does not have.
/// tanh is an instruction of f32 and 16-bit floats where it may be approximate.
static bool needsLibrary(const llvm::IntrinsicInst &call) {
  switch (call.getIntrinsicID()) {
  case llvm::Intrinsic::exp:
  case llvm::Intrinsic::exp10:
  case llvm::Intrinsic::log:
  case llvm::Intrinsic::log2:
  case llvm::Intrinsic::log10:
  case llvm::Intrinsic::pow:
  case llvm::Intrinsic::powi:
  case llvm::Intrinsic::sin:
  case llvm::Intrinsic::cos:
  case llvm::Intrinsic::sincos:
  case llvm::Intrinsic::sincospi:
  case llvm::Intrinsic::tan:
  case llvm::Intrinsic::asin:
  case llvm::Intrinsic::acos:
  case llvm::Intrinsic::atan:
  case llvm::Intrinsic::atan2:
  case llvm::Intrinsic::sinh:
  case llvm::Intrinsic::cosh:
  case llvm::Intrinsic::modf:
    return true;
  case llvm::Intrinsic::exp2:
    return call.getType()->getScalarType()->isDoubleTy();
  case llvm::Intrinsic::tanh:
    return call.getType()->getScalarType()->isDoubleTy() ||
           !call.hasApproxFunc();
  default:
    return false;
  }
}

/// An unrolled kernel makes the same mistake thousands of times.
static constexpr unsigned kMaxReports = 20;

/// Functions that the driver provides.
static bool isProvidedByDriver(StringRef name) {
  return name == "vprintf" || name == "malloc" || name == "free" ||
         name == "__assertfail";
}

static bool isForeignIntrinsic(const llvm::Function &function) {
  return function.isTargetIntrinsic() &&
         !function.getName().starts_with("llvm.nvvm.");
}

namespace {

class Screen {
public:
  Screen(const llvm::Module &module, const SourceLocations &locations)
      : module(module), locations(locations) {
    llvm::SmallVector<StringRef> names;
    module.getContext().getSyncScopeNames(names);
    for (auto [id, name] : llvm::enumerate(names))
      scopes[id] = name;
  }

  LogicalResult run();

private:
  InFlightDiagnostic report(Location loc) {
    ++numReports;
    return emitError(loc);
  }
  void checkGlobal(const llvm::GlobalVariable &global);
  void checkFunction(const llvm::Function &function);
  void checkInstruction(const llvm::Instruction &instruction);
  void checkCall(const llvm::CallBase &call);
  bool isValidType(llvm::Type *type, Location loc);
  void checkScope(const llvm::Instruction &instruction);

  const llvm::Module &module;
  const SourceLocations &locations;
  llvm::DenseMap<unsigned, StringRef> scopes;
  unsigned numReports = 0;
};

} // namespace

static bool isValidName(StringRef name) {
  return llvm::all_of(name, [](char c) {
    return llvm::isAlnum(c) || c == '_' || c == '$' || c == '.';
  });
}

void Screen::checkGlobal(const llvm::GlobalVariable &global) {
  StringRef name = global.getName();
  Location loc = locations.get(global);
  if (name == "llvm.global_ctors" || name == "llvm.global_dtors") {
    report(loc) << "'" << name << "': nothing runs before or after a kernel";
    return;
  }
  if (name.starts_with("llvm."))
    return;
  if (!isValidName(name))
    report(loc) << "global '" << name
                << "': a name in PTX has letters, digits, '_', '$' and '.'";
  const bool isShared = global.getAddressSpace() == 3;
  if (isShared && global.hasInitializer() &&
      !isa<llvm::UndefValue>(global.getInitializer()))
    report(loc) << "global '" << name
                << "' has an initial value: shared memory starts undefined";
}

bool Screen::isValidType(llvm::Type *type, Location loc) {
  if (type->isScalableTy()) {
    report(loc) << "a vector of a length unknown at compile time is no type of "
                   "PTX";
    return false;
  }
  llvm::Type *scalar = type->getScalarType();
  if (!scalar->isFP128Ty() && !scalar->isX86_FP80Ty() &&
      !scalar->isPPC_FP128Ty())
    return true;
  report(loc) << "a float of "
              << scalar->getPrimitiveSizeInBits().getFixedValue()
              << " bits is no type of PTX: it has 16, 32 and 64";
  return false;
}

void Screen::checkScope(const llvm::Instruction &instruction) {
  std::optional<llvm::SyncScope::ID> scope =
      llvm::getAtomicSyncScopeID(&instruction);
  if (!scope || !instruction.isAtomic())
    return;
  StringRef name = scopes.lookup(*scope);
  static const llvm::StringSet<> known = {"", "singlethread", "block",
                                          "cluster", "device"};
  if (!known.contains(name))
    report(locations.get(instruction))
        << "syncscope '" << name
        << "' is unknown to PTX: it has block, cluster, device and the system";
}

void Screen::checkCall(const llvm::CallBase &call) {
  Location loc = locations.get(call);
  if (const auto *intrinsic = dyn_cast<llvm::IntrinsicInst>(&call))
    if (needsLibrary(*intrinsic)) {
      report(loc) << "'"
                  << llvm::Intrinsic::getBaseName(intrinsic->getIntrinsicID())
                  << "' is no instruction of a GPU: wtile-math-to-nvvm expands "
                     "what the math dialect has";
      return;
    }
  if (const auto *assembly = dyn_cast<llvm::InlineAsm>(call.getCalledOperand()))
    if (llvm::Error error = llvm::InlineAsm::verify(
            assembly->getFunctionType(), assembly->getConstraintString()))
      report(loc) << "the constraints '" << assembly->getConstraintString()
                  << "' of the assembly do not fit its operands: "
                  << llvm::toString(std::move(error));
  const llvm::Function *callee = call.getCalledFunction();
  if (!callee)
    return;
  if (isForeignIntrinsic(*callee))
    report(loc) << "'" << callee->getName()
                << "' is an instruction of another processor";
  else if (callee->isDeclaration() && !callee->isIntrinsic() &&
           !isProvidedByDriver(callee->getName()))
    report(loc) << "call of '" << callee->getName()
                << "', which the module does not define: nothing is linked "
                   "with a kernel";
  else if (callee->getCallingConv() == llvm::CallingConv::PTX_Kernel)
    report(loc) << "call of '" << callee->getName()
                << "', which is a kernel: kernels are launched";
}

void Screen::checkInstruction(const llvm::Instruction &instruction) {
  Location loc = locations.get(instruction);
  if (!isValidType(instruction.getType(), loc))
    return;
  for (const llvm::Value *operand : instruction.operands()) {
    if (!isValidType(operand->getType(), loc))
      return;
    if (isa<llvm::BlockAddress>(operand))
      report(loc) << "the address of a block has no meaning in PTX";
  }
  if (isa<llvm::IndirectBrInst, llvm::InvokeInst, llvm::LandingPadInst,
          llvm::ResumeInst, llvm::FuncletPadInst, llvm::CallBrInst>(
          instruction)) {
    report(loc) << "'" << instruction.getOpcodeName()
                << "': PTX has neither exceptions nor computed branches";
    return;
  }
  checkScope(instruction);
  if (const auto *call = dyn_cast<llvm::CallBase>(&instruction))
    checkCall(*call);
}

void Screen::checkFunction(const llvm::Function &function) {
  if (function.isIntrinsic())
    return;
  Location loc = locations.get(function);
  if (!isValidName(function.getName()))
    report(loc) << "function '" << function.getName()
                << "': a name in PTX has letters, digits, '_', '$' and '.'";
  if (function.getCallingConv() == llvm::CallingConv::PTX_Kernel &&
      !function.getReturnType()->isVoidTy())
    report(loc) << "kernel '" << function.getName()
                << "' returns a value: a kernel returns nothing";
  for (const llvm::Argument &argument : function.args())
    isValidType(argument.getType(), loc);
  for (const llvm::Instruction &instruction : llvm::instructions(function))
    if (numReports < kMaxReports)
      checkInstruction(instruction);
}

LogicalResult Screen::run() {
  for (const llvm::GlobalVariable &global : module.globals())
    checkGlobal(global);
  for (const llvm::GlobalAlias &alias : module.aliases())
    report(locations.get(alias))
        << "alias '" << alias.getName() << "': PTX has one name for a thing";
  for (const llvm::GlobalIFunc &ifunc : module.ifuncs())
    report(locations.get(ifunc))
        << "ifunc '" << ifunc.getName()
        << "': which function is called is known at compile time";
  for (const llvm::Function &function : module)
    checkFunction(function);
  return success(numReports == 0);
}

LogicalResult scanweft::screenForPtx(const llvm::Module &module,
                                     const SourceLocations &locations) {
  return Screen(module, locations).run();
}
