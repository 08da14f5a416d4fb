// Part of Scanweft, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

//===----------------------------------------------------------------------===//
// From LLVM IR back to the author's file, for diagnostics.
//===----------------------------------------------------------------------===//

#ifndef SCANWEFT_LIB_TARGET_SOURCELOCATIONS_H
#define SCANWEFT_LIB_TARGET_SOURCELOCATIONS_H

#include "mlir/IR/Location.h"
#include "llvm/ADT/StringMap.h"

namespace llvm {
class DebugLoc;
class DiagnosticInfo;
class GlobalValue;
class Instruction;
class Module;
} // namespace llvm

namespace mlir {
class Operation;
} // namespace mlir

namespace scanweft {

/// Locations of what was translated from an op. Translation keeps the names of
/// functions and globals, and an op's place as the instruction's debug
/// location.
class SourceLocations {
public:
  explicit SourceLocations(mlir::Operation *op);

  mlir::Location get(const llvm::Instruction &instruction) const;
  mlir::Location get(const llvm::GlobalValue &symbol) const;
  mlir::Location get(const llvm::DiagnosticInfo &info) const;
  /// Of the function or global of this name, or of the whole.
  mlir::Location get(llvm::StringRef symbol) const;
  mlir::Location getWhole() const { return whole; }

  /// Of what the text of a fatal error names: an intrinsic or inline assembly
  /// of `module`, a function, or nothing.
  mlir::Location find(llvm::StringRef fatalError,
                      const llvm::Module &module) const;

private:
  mlir::Location get(const llvm::DebugLoc &loc, mlir::Location fallback) const;

  mlir::Location whole;
  llvm::StringMap<mlir::Location> symbols;
};

} // namespace scanweft

#endif // SCANWEFT_LIB_TARGET_SOURCELOCATIONS_H
