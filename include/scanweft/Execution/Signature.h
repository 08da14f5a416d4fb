// Part of Scanweft, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

//===----------------------------------------------------------------------===//
// What a function's signature tells the runner: each argument's and result's
// name (`weft.name`), the names of its sizes (`weft.dims`) and how to generate
// it
// (`weft.input`). SSA names do not survive parsing, so names are attributes.
//===----------------------------------------------------------------------===//

#ifndef SCANWEFT_EXECUTION_SIGNATURE_H
#define SCANWEFT_EXECUTION_SIGNATURE_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "scanweft/Execution/Array.h"
#include "scanweft/Execution/Random.h"
#include <string>

namespace scanweft {

/// One argument or result: a ranked tensor or a scalar.
struct Parameter {
  std::string name;
  mlir::Location loc;
  ElementType type;
  bool isTensor;
  /// Static sizes, or ShapedType::kDynamic. Empty for a scalar.
  llvm::SmallVector<int64_t> shape;
  /// A name for each dim; a dynamic dim without one is `<parameter>.<dim>`, a
  /// static dim without one is empty.
  llvm::SmallVector<std::string> dims;
  std::optional<Distribution> distribution;
};

struct Signature {
  mlir::Location loc;
  std::string function;
  llvm::SmallVector<Parameter> arguments, results;
};

/// The element type of programs and files for an MLIR type; index is i64.
std::optional<ElementType> getElementType(mlir::Type type);

/// Reads a function's signature; names must be unique. Reports what is wrong.
mlir::FailureOr<Signature> readSignature(mlir::func::FuncOp function);

/// The function to run: the named one, or the only public one with a body.
mlir::FailureOr<mlir::func::FuncOp> findFunction(mlir::ModuleOp module,
                                                 llvm::StringRef name);

} // namespace scanweft

#endif // SCANWEFT_EXECUTION_SIGNATURE_H
