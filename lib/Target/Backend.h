// Part of Scanweft, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

//===----------------------------------------------------------------------===//
// LLVM's passes and its NVPTX backend, behind a wall: what goes wrong inside
// comes out as a diagnostic.
//===----------------------------------------------------------------------===//

#ifndef SCANWEFT_LIB_TARGET_BACKEND_H
#define SCANWEFT_LIB_TARGET_BACKEND_H

#include "mlir/Support/LLVM.h"
#include <memory>
#include <string>

namespace llvm {
class LLVMContext;
class Module;
class TargetMachine;
} // namespace llvm

namespace mlir {
class Operation;
} // namespace mlir

namespace scanweft {

class SourceLocations;
struct Target;

/// One translation unit on its way from LLVM IR to PTX.
class Backend {
public:
  /// Fails, with a diagnostic, where this LLVM lacks the target.
  static mlir::FailureOr<std::unique_ptr<Backend>>
  create(const Target &target, const SourceLocations &locations);
  ~Backend();

  /// Translates `op`, which is in the llvm and nvvm dialects.
  mlir::LogicalResult translate(mlir::Operation *op);

  /// Optimizes and prints. The module is used up.
  mlir::FailureOr<std::string> emitPtx();

private:
  Backend(const Target &target, const SourceLocations &locations);
  void optimize();
  /// What a crash left half-done is never touched again, not even to free it.
  void abandon();
  bool printPtx(std::string &ptx);

  const Target &target;
  const SourceLocations &locations;
  std::unique_ptr<llvm::LLVMContext> context;
  std::unique_ptr<llvm::TargetMachine> machine;
  std::unique_ptr<llvm::Module> module;
  /// Set by the context's handler of diagnostics.
  bool hasErrors = false;
};

} // namespace scanweft

#endif // SCANWEFT_LIB_TARGET_BACKEND_H
