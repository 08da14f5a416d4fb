// Part of Scanweft, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

//===----------------------------------------------------------------------===//
// Functions of f32 in terms of a GPU's instructions. Errors are of the largest
// relative error over all f32 numbers with a normal result, unless said.
//===----------------------------------------------------------------------===//

#ifndef SCANWEFT_PASSES_NVVM_FLOATFUNCTIONS_H
#define SCANWEFT_PASSES_NVVM_FLOATFUNCTIONS_H

#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/IR/Value.h"

namespace scanweft {

/// How a function is expanded.
struct FloatMode {
  /// To a few units in the last place, whatever it costs.
  bool precise = false;
  /// The result is rounded to 16 bits next.
  bool roundedTo16Bits = false;
};

/// Expands a function of one or two f32 scalars.
using FloatFunction = mlir::Value (*)(mlir::ImplicitLocOpBuilder &builder,
                                      mlir::ValueRange operands,
                                      FloatMode mode);

struct NamedFunction {
  /// The op that means the function.
  llvm::StringLiteral op;
  FloatFunction expand;
};

/// All functions that have an expansion.
llvm::ArrayRef<NamedFunction> getFloatFunctions();

} // namespace scanweft

#endif // SCANWEFT_PASSES_NVVM_FLOATFUNCTIONS_H
