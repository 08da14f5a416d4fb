// Part of Scanweft, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

//===----------------------------------------------------------------------===//
// DimwiseOpInterface of the ops that serve whole tensors and chunks alike:
// which dims pass through, and the same op on fewer of them.
//===----------------------------------------------------------------------===//

#include "dialects/Weft/IR/CarryKindBuilder.h"

using namespace mlir;
using namespace scanweft::weft;

/// Marks a dim whose size no dim of the result has.
static constexpr int64_t kNone = -1;

/// The dims of a tensor, each passing through to the dim of its number.
static SmallVector<int64_t> sameDims(Value value) {
  return llvm::to_vector(llvm::seq<int64_t>(0, tensorType(value).getRank()));
}

static SmallVector<int64_t> sameDimsBut(Value value, int64_t acted) {
  SmallVector<int64_t> dims = sameDims(value);
  dims[acted] = kNone;
  return dims;
}

/// The number of dim `dim` among the dims kept.
static int64_t renumber(int64_t dim, ArrayRef<int64_t> kept) {
  const int64_t *found = llvm::find(kept, dim);
  assert(found != kept.end() && "an op keeps the dims that it acts along");
  return found - kept.begin();
}

//===----------------------------------------------------------------------===//
// Products
//===----------------------------------------------------------------------===//

SmallVector<int64_t> DotOp::getResultDims(unsigned operand) {
  int64_t next = operand == 0 ? 0 : tensorType(getLhs()).getRank() - 1;
  int64_t contracted = getDims()[operand];
  SmallVector<int64_t> dims;
  for (int64_t dim : sameDims(getOperand(operand)))
    dims.push_back(dim == contracted ? kNone : next++);
  return dims;
}

Value DotOp::buildOnDims(OpBuilder &builder, Location loc, ValueRange operands,
                         ArrayRef<SmallVector<int64_t>> operandDims,
                         ArrayRef<int64_t>, RankedTensorType) {
  return DotOp::create(builder, loc, operands[0], operands[1],
                       renumber(getLhsDim(), operandDims[0]),
                       renumber(getRhsDim(), operandDims[1]),
                       getNumericsAttr());
}

SmallVector<int64_t> TokenMatmulOp::getResultDims(unsigned operand) {
  if (operand == 0)
    return sameDimsBut(getSource(), tensorType(getSource()).getRank() - 1);
  SmallVector<int64_t> dims(tensorType(getWeights()).getRank(), kNone);
  int64_t features = tensorType(getResult()).getRank() - 1;
  (getTransposed() ? dims[dims.size() - 2] : dims.back()) = features;
  return dims;
}

Value TokenMatmulOp::buildOnDims(OpBuilder &builder, Location loc,
                                 ValueRange operands,
                                 ArrayRef<SmallVector<int64_t>>,
                                 ArrayRef<int64_t>, RankedTensorType) {
  int64_t features = tensorType(operands[0]).getRank() - 1;
  return DotOp::create(builder, loc, operands[0], operands[1], features,
                       getTransposed() ? 1 : 0, getNumericsAttr());
}

SmallVector<int64_t> OuterOp::getResultDims(unsigned operand) {
  SmallVector<int64_t> dims = sameDims(getOperand(operand));
  if (operand == 1)
    ++dims.back();
  return dims;
}

Value OuterOp::buildOnDims(OpBuilder &builder, Location loc,
                           ValueRange operands, ArrayRef<SmallVector<int64_t>>,
                           ArrayRef<int64_t>, RankedTensorType type) {
  return OuterOp::create(builder, loc, type, operands[0], operands[1]);
}

//===----------------------------------------------------------------------===//
// Reductions and maps along one dim
//===----------------------------------------------------------------------===//

/// The result of a reduction lacks the dim reduced.
static SmallVector<int64_t> reducedDims(Value source, int64_t reduced) {
  SmallVector<int64_t> dims = sameDimsBut(source, reduced);
  for (int64_t &dim : MutableArrayRef(dims).drop_front(reduced + 1))
    --dim;
  return dims;
}

SmallVector<int64_t> SumOp::getResultDims(unsigned) {
  return reducedDims(getSource(), getDim());
}
Value SumOp::buildOnDims(OpBuilder &builder, Location loc, ValueRange operands,
                         ArrayRef<SmallVector<int64_t>> operandDims,
                         ArrayRef<int64_t>, RankedTensorType) {
  return SumOp::create(builder, loc, operands[0],
                       renumber(getDim(), operandDims[0]));
}

SmallVector<int64_t> MaxOp::getResultDims(unsigned) {
  return reducedDims(getSource(), getDim());
}
Value MaxOp::buildOnDims(OpBuilder &builder, Location loc, ValueRange operands,
                         ArrayRef<SmallVector<int64_t>> operandDims,
                         ArrayRef<int64_t>, RankedTensorType) {
  return MaxOp::create(builder, loc, operands[0],
                       renumber(getDim(), operandDims[0]));
}

SmallVector<int64_t> CumsumOp::getResultDims(unsigned) {
  return sameDims(getSource());
}
bool CumsumOp::actsAlong(unsigned, unsigned dim) { return dim == getDim(); }
Value CumsumOp::buildOnDims(OpBuilder &builder, Location loc,
                            ValueRange operands,
                            ArrayRef<SmallVector<int64_t>> operandDims,
                            ArrayRef<int64_t>, RankedTensorType type) {
  return CumsumOp::create(builder, loc, type, operands[0],
                          renumber(getDim(), operandDims[0]), getExclusive(),
                          getReverse());
}

SmallVector<int64_t> SoftmaxOp::getResultDims(unsigned) {
  return sameDims(getSource());
}
bool SoftmaxOp::actsAlong(unsigned, unsigned dim) { return dim == getDim(); }
Value SoftmaxOp::buildOnDims(OpBuilder &builder, Location loc,
                             ValueRange operands,
                             ArrayRef<SmallVector<int64_t>> operandDims,
                             ArrayRef<int64_t>, RankedTensorType type) {
  return SoftmaxOp::create(builder, loc, type, operands[0],
                           renumber(getDim(), operandDims[0]));
}

SmallVector<int64_t> L2NormalizeOp::getResultDims(unsigned) {
  return sameDims(getSource());
}
bool L2NormalizeOp::actsAlong(unsigned, unsigned dim) {
  return dim == getDim();
}
Value L2NormalizeOp::buildOnDims(OpBuilder &builder, Location loc,
                                 ValueRange operands,
                                 ArrayRef<SmallVector<int64_t>> operandDims,
                                 ArrayRef<int64_t>, RankedTensorType type) {
  return L2NormalizeOp::create(builder, loc, type, operands[0],
                               renumber(getDim(), operandDims[0]), getEps());
}

//===----------------------------------------------------------------------===//
// Shapes
//===----------------------------------------------------------------------===//

SmallVector<int64_t> ConcatOp::getResultDims(unsigned operand) {
  return sameDimsBut(getSources()[operand], getDim());
}
Value ConcatOp::buildOnDims(OpBuilder &builder, Location loc,
                            ValueRange operands, ArrayRef<SmallVector<int64_t>>,
                            ArrayRef<int64_t> resultDims,
                            RankedTensorType type) {
  return ConcatOp::create(builder, loc, type, operands,
                          renumber(getDim(), resultDims));
}

SmallVector<int64_t> BroadcastOp::getResultDims(unsigned operand) {
  if (operand == 0)
    return llvm::to_vector(getDims());
  // Along the dims that repeat, the sizes of `like` are the result's.
  SmallVector<int64_t> dims(tensorType(getLike()).getRank(), kNone);
  for (auto [dim, size] : llvm::enumerate(tensorType(getResult()).getShape()))
    if (ShapedType::isDynamic(size) && !llvm::is_contained(getDims(), dim))
      dims[dim] = dim;
  return dims;
}
bool BroadcastOp::isShapeOnly(unsigned operand) { return operand == 1; }

Value BroadcastOp::buildOnDims(OpBuilder &builder, Location loc,
                               ValueRange operands,
                               ArrayRef<SmallVector<int64_t>> operandDims,
                               ArrayRef<int64_t> resultDims,
                               RankedTensorType type) {
  SmallVector<int64_t> dims =
      llvm::map_to_vector(operandDims[0], [&](int64_t dim) {
        return renumber(getDims()[dim], resultDims);
      });
  return BroadcastOp::create(builder, loc, type, operands[0], dims);
}

SmallVector<int64_t> TokenBroadcastOp::getResultDims(unsigned operand) {
  constexpr int64_t numLeading = 3; // batch, time, head
  if (operand == 1) {
    SmallVector<int64_t> dims(tensorType(getLike()).getRank(), kNone);
    for (int64_t dim : llvm::seq(numLeading))
      dims[dim] = dim;
    return dims;
  }
  SmallVector<int64_t> dims;
  if (hasHeads())
    dims.push_back(kNone);
  for (int64_t dim : llvm::seq(numLeading, tensorType(getResult()).getRank()))
    dims.push_back(dim);
  return dims;
}
bool TokenBroadcastOp::isShapeOnly(unsigned operand) { return operand == 1; }

Value TokenBroadcastOp::buildOnDims(OpBuilder &builder, Location loc,
                                    ValueRange operands,
                                    ArrayRef<SmallVector<int64_t>> operandDims,
                                    ArrayRef<int64_t> resultDims,
                                    RankedTensorType type) {
  SmallVector<int64_t> passed = getResultDims(0);
  SmallVector<int64_t> dims =
      llvm::map_to_vector(operandDims[0], [&](int64_t dim) {
        return renumber(passed[dim], resultDims);
      });
  return BroadcastOp::create(builder, loc, type, operands[0], dims);
}
