// Part of Scanweft, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

//===----------------------------------------------------------------------===//
// A function in the llvm dialect, compiled in this process by ORC, called with
// arrays. Sizes are dynamic: one compilation serves every input.
//===----------------------------------------------------------------------===//

#ifndef SCANWEFT_EXECUTION_JIT_H
#define SCANWEFT_EXECUTION_JIT_H

#include "mlir/IR/BuiltinOps.h"
#include "scanweft/Execution/Memory.h"
#include "scanweft/Execution/Signature.h"
#include <memory>

namespace llvm::orc {
class LLJIT;
} // namespace llvm::orc

namespace scanweft {

struct JitOptions {
  /// 0 compiles quickly; 1 to 3 are LLVM's levels.
  unsigned optimizationLevel = 0;
};

class CompiledFunction {
public:
  /// Compiles the function of this signature out of a module that is in the
  /// llvm dialect. Reports at the signature's location.
  static mlir::FailureOr<std::unique_ptr<CompiledFunction>>
  compile(mlir::ModuleOp module, const Signature &signature,
          const JitOptions &options);
  ~CompiledFunction();

  /// Calls it on one array an argument and copies the results out of `heap`,
  /// whose blocks are then released. Reports where the program had to be
  /// stopped.
  mlir::FailureOr<llvm::SmallVector<Array>> run(llvm::ArrayRef<Array> arguments,
                                                ProgramHeap &heap) const;

private:
  /// Takes the address of each argument of the flattened signature, and the
  /// address where the results go.
  using Entry = void (*)(void **arguments, char *results);

  explicit CompiledFunction(const Signature &signature);

  Signature signature;
  std::unique_ptr<llvm::orc::LLJIT> jit;
  Entry entry = nullptr;
  /// Where each result lies in the results' bytes.
  llvm::SmallVector<uint64_t> resultOffsets;
  uint64_t resultBytes = 0;
};

} // namespace scanweft

#endif // SCANWEFT_EXECUTION_JIT_H
