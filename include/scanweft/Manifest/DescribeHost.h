// Part of Scanweft, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

//===----------------------------------------------------------------------===//
// From host functions to a manifest's entries. A host function holds sizes
// (`tensor.dim` and `arith` on integers), `tensor.empty`, `wtile.launch`, and
// `cf.assert` for what must hold of its arguments; what is returned is a
// result, every other tensor a launch writes a temporary in the workspace.
//
// Sizes are never negative: unsigned arithmetic on them is signed arithmetic.
//===----------------------------------------------------------------------===//

#ifndef SCANWEFT_MANIFEST_DESCRIBEHOST_H
#define SCANWEFT_MANIFEST_DESCRIBEHOST_H

#include "mlir/IR/BuiltinOps.h"
#include "scanweft/Manifest/Manifest.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace scanweft::manifest {

/// A guard on a kernel's operand: `ins`, then `outs`, numbered through.
struct OperandGuard {
  /// "alignment", "stride", "span" or "packed".
  std::string word;
  int64_t operand = 0;
  int64_t dim = 0;   ///< of "stride"
  int64_t value = 0; ///< bytes; not of "packed"
};

/// One compiled form of a kernel.
struct KernelVariant {
  std::string name = "plain";
  std::string symbol;
  int64_t threads = 0;
  int64_t dynamicSharedBytes = 0;
  llvm::SmallVector<OperandGuard> guards;
  /// All programs of a launch wait for each other.
  bool waits = false;
};

/// The variants of the kernel that a launch names, the best first, the last
/// without guards.
using FindVariants =
    llvm::function_ref<mlir::FailureOr<llvm::SmallVector<KernelVariant>>(
        mlir::Operation *launch, llvm::StringRef kernel)>;

/// The one variant of a kernel as the module holds it: a `wtile.kernel` whose
/// buffers are placed, or an `llvm.func` in a `gpu.module` with
/// `nvvm.reqntid` or `nvvm.maxntid` and `wtile.shared_bytes`.
mlir::FailureOr<llvm::SmallVector<KernelVariant>>
findKernelInModule(mlir::Operation *launch, llvm::StringRef kernel);

/// An entry for every public function with a body. Reports what a manifest
/// cannot say.
mlir::FailureOr<Program>
describeHostFunctions(mlir::ModuleOp module,
                      FindVariants findVariants = findKernelInModule);

} // namespace scanweft::manifest

#endif // SCANWEFT_MANIFEST_DESCRIBEHOST_H
