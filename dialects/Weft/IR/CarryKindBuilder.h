// Part of Scanweft, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

//===----------------------------------------------------------------------===//
// Shorthand for the body ops that carry kinds expand into, and for the checks
// they share. Private to the dialect.
//===----------------------------------------------------------------------===//

#ifndef SCANWEFT_DIALECTS_WEFT_IR_CARRYKINDBUILDER_H
#define SCANWEFT_DIALECTS_WEFT_IR_CARRYKINDBUILDER_H

#include "dialects/Weft/IR/Weft.h"

namespace scanweft::weft {

/// Emits body ops on tensors at one place. Element types: `dot` gives the
/// accumulator's, every other method keeps its operands'.
class CarryKindBuilder {
public:
  CarryKindBuilder(mlir::OpBuilder &builder, mlir::Location loc)
      : builder(builder), loc(loc) {}

  mlir::Value dot(mlir::Value lhs, mlir::Value rhs, int64_t lhsDim,
                  int64_t rhsDim, NumericsAttr numerics);
  mlir::Value add(mlir::Value lhs, mlir::Value rhs);
  mlir::Value sub(mlir::Value lhs, mlir::Value rhs);
  mlir::Value mul(mlir::Value lhs, mlir::Value rhs);
  mlir::Value exp(mlir::Value x);
  /// `source` repeated to the shape of `target`; its dims are the first ones.
  mlir::Value broadcastLeading(mlir::Value source, mlir::Value target);
  mlir::Value splat(mlir::Type type, double value);
  mlir::Value eye(int64_t size, mlir::Type elementType);
  /// A floating-point cast to `elementType`, or `source` itself.
  mlir::Value cast(mlir::Value source, mlir::Type elementType);
  /// `x`, with 0 where it is -inf: a maximum that can be subtracted.
  mlir::Value finiteMaximum(mlir::Value x);
  /// Inverse of a symmetric positive definite matrix, by Cholesky.
  mlir::Value inverse(mlir::Value matrix, NumericsAttr numerics);
  /// Slot `slot` of a stack of states, without the slot dim, and back.
  mlir::Value extractSlot(mlir::Value stack, int64_t slot);
  mlir::Value insertSlot(mlir::Value state, mlir::Value stack, int64_t slot);

  mlir::OpBuilder &builder;
  mlir::Location loc;
};

inline mlir::RankedTensorType tensorType(mlir::Type type) {
  return llvm::cast<mlir::RankedTensorType>(type);
}
inline mlir::RankedTensorType tensorType(mlir::Value value) {
  return tensorType(value.getType());
}

/// Operand i of an element has the dims of state tensor i.
llvm::SmallVector<StateDimTie> tieAllDims(mlir::TypeRange states);

/// Checks the number of a state's tensors and that they are float tensors.
llvm::LogicalResult
verifyStateTensors(llvm::function_ref<mlir::InFlightDiagnostic()> emitError,
                   llvm::StringRef kind, mlir::TypeRange states,
                   unsigned expected);

/// Checks that `combine`, looked up from `user`, is a function on scalars
/// (earlier..., later...) -> results of the identity's types, made of
/// elementwise ops only: it can be applied to every entry of tensors.
llvm::LogicalResult verifyCombineFunction(
    llvm::function_ref<mlir::InFlightDiagnostic()> emitError,
    mlir::Operation *user, mlir::FlatSymbolRefAttr combine,
    mlir::ArrayAttr identity, mlir::SymbolTableCollection &symbols);

} // namespace scanweft::weft

#endif // SCANWEFT_DIALECTS_WEFT_IR_CARRYKINDBUILDER_H
