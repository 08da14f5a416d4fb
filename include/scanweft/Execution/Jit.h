// Part of Scanweft, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

//===----------------------------------------------------------------------===//
// A function in the llvm dialect, compiled in this process by ORC, called with
// arrays. Sizes are dynamic: one compilation serves every input.
//===----------------------------------------------------------------------===//

#ifndef SCANWEFT_EXECUTION_JIT_H
#define SCANWEFT_EXECUTION_JIT_H

#include "mlir/IR/BuiltinOps.h"
#include "scanweft/Execution/Signature.h"
#include "scanweft/Execution/StatisticsRuntime.h"
#include <memory>

namespace llvm::orc {
class LLJIT;
} // namespace llvm::orc

namespace scanweft {

struct JitOptions {
  /// 0 compiles quickly; 1 to 3 are LLVM's levels.
  unsigned optimizationLevel = 0;
};

/// What one run gives.
struct RunOutcome {
  llvm::SmallVector<Array> results;
  CounterValues counters = {};
  uint64_t peakBytes = 0, leakedBytes = 0;
};

class CompiledFunction {
public:
  /// Compiles the function of this signature out of a module that is in the
  /// llvm dialect. Reports at the signature's location.
  static mlir::FailureOr<std::unique_ptr<CompiledFunction>>
  compile(mlir::ModuleOp module, const Signature &signature,
          const JitOptions &options);
  ~CompiledFunction();

  /// Calls it on one array an argument, in a child process whose heap stays
  /// within `memoryLimit` bytes. Reports where the program had to be stopped.
  mlir::FailureOr<RunOutcome> run(llvm::ArrayRef<Array> arguments,
                                  uint64_t memoryLimit) const;

private:
  /// Takes the address of each argument of the flattened signature, and the
  /// address where the results go.
  using Entry = void (*)(void **arguments, char *results);

  explicit CompiledFunction(const Signature &signature);

  /// The child's side of a run: writes the outcome, or why there is none.
  void runAndWrite(llvm::ArrayRef<Array> arguments, uint64_t memoryLimit,
                   llvm::raw_ostream &os) const;

  Signature signature;
  std::unique_ptr<llvm::orc::LLJIT> jit;
  Entry entry = nullptr;
  /// Where each result lies in the results' bytes.
  llvm::SmallVector<uint64_t> resultOffsets;
  uint64_t resultBytes = 0;
};

} // namespace scanweft

#endif // SCANWEFT_EXECUTION_JIT_H
