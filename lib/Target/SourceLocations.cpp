// Part of Scanweft, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

//===----------------------------------------------------------------------===//
// Debug locations, names of functions, and the text of fatal errors.
//===----------------------------------------------------------------------===//

#include "SourceLocations.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/Operation.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/DiagnosticInfo.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/InstrTypes.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/Path.h"

using namespace mlir;
using namespace scanweft;

SourceLocations::SourceLocations(Operation *op) : whole(op->getLoc()) {
  op->walk([&](Operation *inner) {
    if (auto function = dyn_cast<LLVM::LLVMFuncOp>(inner))
      symbols.try_emplace(function.getName(), function.getLoc());
    else if (auto global = dyn_cast<LLVM::GlobalOp>(inner))
      symbols.try_emplace(global.getName(), global.getLoc());
  });
}

Location SourceLocations::get(StringRef symbol) const {
  auto found = symbols.find(symbol);
  return found == symbols.end() ? whole : found->second;
}

Location SourceLocations::get(const llvm::GlobalValue &symbol) const {
  return get(symbol.getName());
}

Location SourceLocations::get(const llvm::DebugLoc &loc,
                              Location fallback) const {
  if (!loc || !loc.getLine())
    return fallback;
  auto *scope = cast<llvm::DIScope>(loc.getScope());
  SmallString<128> path(scope->getDirectory());
  llvm::sys::path::append(path, scope->getFilename());
  return FileLineColLoc::get(whole.getContext(), path, loc.getLine(),
                             loc.getCol());
}

Location SourceLocations::get(const llvm::Instruction &instruction) const {
  return get(instruction.getDebugLoc(), get(*instruction.getFunction()));
}

Location SourceLocations::get(const llvm::DiagnosticInfo &info) const {
  auto ofLocated = [&](const llvm::DiagnosticInfoWithLocationBase &located) {
    Location function = get(located.getFunction());
    if (!located.isLocationAvailable())
      return function;
    StringRef path;
    unsigned line, column;
    located.getLocation(path, line, column);
    return Location(
        FileLineColLoc::get(whole.getContext(), path, line, column));
  };
  if (const auto *unsupported =
          dyn_cast<llvm::DiagnosticInfoUnsupported>(&info))
    return ofLocated(*unsupported);
  if (const auto *generic = dyn_cast<llvm::DiagnosticInfoGenericWithLoc>(&info))
    return ofLocated(*generic);
  if (const auto *limit = dyn_cast<llvm::DiagnosticInfoResourceLimit>(&info))
    return ofLocated(*limit);
  if (const auto *assembly = dyn_cast<llvm::DiagnosticInfoInlineAsm>(&info))
    if (const llvm::Instruction *instruction = assembly->getInstruction())
      return get(*instruction);
  return whole;
}

/// The name behind `marker`, up to a character that no name has.
static StringRef nameBehind(StringRef text, StringRef marker) {
  size_t start = text.find(marker);
  if (start == StringRef::npos)
    return "";
  return text.substr(start + marker.size()).take_while([](char c) {
    return llvm::isAlnum(c) || c == '_' || c == '.' || c == '$';
  });
}

/// Whether the text of a fatal error names what `call` calls: an intrinsic, or
/// inline assembly by its text.
static bool namesCallee(StringRef fatalError, StringRef intrinsic,
                        const llvm::CallBase &call) {
  if (const auto *assembly = dyn_cast<llvm::InlineAsm>(call.getCalledOperand()))
    return !assembly->getAsmString().empty() &&
           fatalError.contains(assembly->getAsmString());
  const llvm::Function *callee = call.getCalledFunction();
  return callee && !intrinsic.empty() &&
         callee->getName().starts_with(intrinsic);
}

Location SourceLocations::find(StringRef fatalError,
                               const llvm::Module &module) const {
  StringRef intrinsic = nameBehind(fatalError, "intrinsic %");
  for (const llvm::Function &function : module)
    for (const llvm::Instruction &instruction : llvm::instructions(function))
      if (const auto *call = dyn_cast<llvm::CallBase>(&instruction))
        if (namesCallee(fatalError, intrinsic, *call))
          return get(instruction);
  return get(nameBehind(fatalError, "In function: "));
}
