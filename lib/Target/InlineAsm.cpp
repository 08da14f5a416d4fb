// Part of Scanweft, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

//===----------------------------------------------------------------------===//
// Inline assembly of the llvm dialect arrives without the attribute
// `convergent`. LLVM then copies a barrier into both branches of a condition.
//===----------------------------------------------------------------------===//

#include "InlineAsm.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/InstrTypes.h"
#include "llvm/IR/Module.h"

using namespace llvm;

static constexpr StringLiteral kMemoryClobber("~{memory}");

/// Mnemonics that order memory accesses of this thread or of others.
static constexpr StringLiteral kOrdering[] = {
    "bar.",
    "barrier.",
    "mbarrier.",
    "fence.",
    "membar.",
    "cp.async",
    "cp.reduce.async",
    "wgmma.fence",
    "wgmma.commit_group",
    "wgmma.wait_group",
    "tcgen05.fence",
    "tcgen05.commit",
    "tcgen05.wait",
    "griddepcontrol.",
    "st.async",
    "red.async",
    "clusterlaunchcontrol.",
};

/// Whether an instruction of `text` begins with `mnemonic`: at the start of a
/// statement, or behind a predicate.
static bool usesMnemonic(StringRef text, StringRef mnemonic) {
  for (size_t at = text.find(mnemonic); at != StringRef::npos;
       at = text.find(mnemonic, at + 1)) {
    StringRef before = text.take_front(at);
    if (before.empty() || StringRef(" \t\n;{}").contains(before.back()))
      return true;
  }
  return false;
}

static bool ordersMemory(const InlineAsm &assembly) {
  StringRef text = assembly.getAsmString();
  return llvm::any_of(kOrdering, [&](StringRef mnemonic) {
    return usesMnemonic(text, mnemonic);
  });
}

/// The same assembly with side effects and a clobber of memory.
static InlineAsm *makeOrdering(const InlineAsm &assembly) {
  std::string constraints = assembly.getConstraintString().str();
  if (!StringRef(constraints).contains(kMemoryClobber))
    constraints += (constraints.empty() ? "" : ",") + kMemoryClobber.str();
  return InlineAsm::get(assembly.getFunctionType(), assembly.getAsmString(),
                        constraints, /*hasSideEffects=*/true,
                        assembly.isAlignStack(), assembly.getDialect(),
                        assembly.canThrow());
}

void scanweft::markConvergent(Module &module) {
  for (Function &function : module) {
    if (function.isIntrinsic())
      continue;
    function.addFnAttr(Attribute::Convergent);
    for (Instruction &instruction : instructions(function)) {
      auto *call = dyn_cast<CallBase>(&instruction);
      if (!call)
        continue;
      const Function *callee = call->getCalledFunction();
      if (callee && callee->isIntrinsic())
        continue;
      call->addFnAttr(Attribute::Convergent);
      auto *assembly = dyn_cast<InlineAsm>(call->getCalledOperand());
      if (assembly && ordersMemory(*assembly))
        call->setCalledOperand(makeOrdering(*assembly));
    }
  }
}
