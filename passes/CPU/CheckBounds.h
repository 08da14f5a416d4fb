// Part of Scanweft, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

//===----------------------------------------------------------------------===//
// Checks at run time, emitted before the ops that need them.
//===----------------------------------------------------------------------===//

#ifndef SCANWEFT_PASSES_CPU_CHECKBOUNDS_H
#define SCANWEFT_PASSES_CPU_CHECKBOUNDS_H

#include "dialects/Weft/IR/Weft.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "llvm/ADT/StringMap.h"

namespace scanweft {

/// Emits checks before one op after the other.
class Checks {
public:
  explicit Checks(mlir::ModuleOp module)
      : module(module), symbols(module), builder(module.getContext()) {}

  void moveTo(mlir::Operation *op) {
    current = op;
    builder.setInsertionPoint(op);
  }
  /// Entries [offset, offset + size) of [0, extent).
  void range(mlir::OpFoldResult offset, mlir::OpFoldResult size,
             mlir::OpFoldResult extent, const llvm::Twine &what);
  void equal(mlir::OpFoldResult a, mlir::OpFoldResult b,
             const llvm::Twine &what);
  /// Of a tensor or a memref.
  mlir::OpFoldResult sizeOf(mlir::Value shaped, int64_t dim);
  mlir::OpFoldResult index(int64_t value) {
    return builder.getIndexAttr(value);
  }

  mlir::ModuleOp module;
  mlir::SymbolTable symbols;
  mlir::OpBuilder builder;

private:
  void call(llvm::StringRef function,
            llvm::ArrayRef<mlir::OpFoldResult> numbers,
            const llvm::Twine &what);
  mlir::Value getSite(const llvm::Twine &what);

  mlir::Operation *current = nullptr;
  llvm::StringMap<mlir::LLVM::GlobalOp> sites;
};

/// Sizes that the operands of a body op share, with each other and with its
/// result.
void checkBodySizes(Checks &checks, mlir::Operation *op);

} // namespace scanweft

#endif // SCANWEFT_PASSES_CPU_CHECKBOUNDS_H
