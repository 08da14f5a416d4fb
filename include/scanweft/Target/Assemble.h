// Part of Scanweft, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

//===----------------------------------------------------------------------===//
// From PTX to a cubin by ptxas, and what ptxas said about each kernel.
//===----------------------------------------------------------------------===//

#ifndef SCANWEFT_TARGET_ASSEMBLE_H
#define SCANWEFT_TARGET_ASSEMBLE_H

#include "mlir/IR/Location.h"
#include "mlir/Support/LLVM.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include <cstdint>
#include <functional>
#include <string>

namespace scanweft {

struct Target;

/// One kernel, as assembled.
struct KernelReport {
  std::string name;
  int64_t registers = 0;
  int64_t spillStoreBytes = 0;
  int64_t spillLoadBytes = 0;
  int64_t stackBytes = 0;
  /// Without what the launch adds.
  int64_t staticSharedBytes = 0;
  int64_t barriers = 0;
  /// Of its code, functions that were not inlined apart.
  int64_t codeBytes = 0;
};

struct Cubin {
  std::string bytes;
  /// In the order of the PTX.
  llvm::SmallVector<KernelReport> kernels;
  /// ptxas's notes that cost speed, and its warnings, in its own words:
  /// `(C7510) Potential Performance Loss: ...`.
  llvm::SmallVector<std::string> notes;
};

struct AssembleOptions {
  bool lineInfo = false;
  /// Where it is nonzero, ptxas is stopped after this time.
  unsigned timeLimitSeconds = 600;
  /// Where the author's kernel of this name stands; without, it is unknown.
  std::function<mlir::Location(llvm::StringRef kernel)> locate;
};

/// The ptxas to run: the one that SCANWEFT_PTXAS names; else the first of PATH,
/// of a CUDA toolkit in /usr/local/cuda, and of the wheel nvidia-cuda-nvcc in
/// the active virtual environment or in ./.venv. Reports where there is none.
mlir::FailureOr<std::string> findPtxas(mlir::Location loc);

/// Assembles with ptxas, whose errors become diagnostics at `loc`, each with
/// the line of PTX that it names.
mlir::FailureOr<Cubin> assemble(llvm::StringRef ptx, const Target &target,
                                mlir::Location loc,
                                const AssembleOptions &options = {});

} // namespace scanweft

#endif // SCANWEFT_TARGET_ASSEMBLE_H
