// Part of Scanweft, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

//===----------------------------------------------------------------------===//
// Builders of the body ops.
//===----------------------------------------------------------------------===//

#include "dialects/Weft/IR/Weft.h"

using namespace mlir;
using namespace scanweft::weft;

void DotOp::build(OpBuilder &builder, OperationState &state, Value lhs,
                  Value rhs, int64_t lhsDim, int64_t rhsDim,
                  NumericsAttr numerics) {
  SmallVector<int64_t> shape;
  auto appendFree = [&](Value value, int64_t contracted) {
    for (auto [dim, size] :
         llvm::enumerate(cast<RankedTensorType>(value.getType()).getShape()))
      if (static_cast<int64_t>(dim) != contracted)
        shape.push_back(size);
  };
  appendFree(lhs, lhsDim);
  appendFree(rhs, rhsDim);
  build(builder, state, RankedTensorType::get(shape, numerics.getAcc()), lhs,
        rhs, builder.getDenseI64ArrayAttr({lhsDim, rhsDim}), numerics);
}

/// The type of `source` reduced over `dim`.
static RankedTensorType dropDim(Value source, int64_t dim) {
  auto type = cast<RankedTensorType>(source.getType());
  SmallVector<int64_t> shape(type.getShape());
  shape.erase(shape.begin() + dim);
  return RankedTensorType::get(shape, type.getElementType());
}

void SumOp::build(OpBuilder &builder, OperationState &state, Value source,
                  int64_t dim) {
  build(builder, state, dropDim(source, dim), source,
        builder.getI64IntegerAttr(dim));
}

void MaxOp::build(OpBuilder &builder, OperationState &state, Value source,
                  int64_t dim) {
  build(builder, state, dropDim(source, dim), source,
        builder.getI64IntegerAttr(dim));
}

void BroadcastOp::build(OpBuilder &builder, OperationState &state, Type result,
                        Value source, ArrayRef<int64_t> dims) {
  build(builder, state, result, source, builder.getDenseI64ArrayAttr(dims),
        /*like=*/Value());
}
