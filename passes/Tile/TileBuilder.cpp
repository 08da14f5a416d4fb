// Part of Scanweft, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "passes/Tile/ExpandBody.h"

using namespace mlir;
using namespace scanweft;
using scanweft::weft::Precision;

Value TileBuilder::splat(RankedTensorType type, double value) {
  Attribute entry = builder.getFloatAttr(type.getElementType(), value);
  return arith::ConstantOp::create(builder, loc,
                                   DenseElementsAttr::get(type, entry));
}

Value TileBuilder::splatInteger(RankedTensorType type, int64_t value) {
  Attribute entry = builder.getIntegerAttr(type.getElementType(), value);
  return arith::ConstantOp::create(builder, loc,
                                   DenseElementsAttr::get(type, entry));
}

Value TileBuilder::splatIndex(RankedTensorType type, Value index) {
  Value narrow =
      arith::IndexCastOp::create(builder, loc, type.getElementType(), index);
  return tensor::SplatOp::create(builder, loc, type, narrow);
}

Value TileBuilder::coordinate(ArrayRef<int64_t> shape, int64_t dim) {
  auto type = RankedTensorType::get(shape, builder.getI32Type());
  return wtile::CoordinateOp::create(builder, loc, type, dim);
}

Value TileBuilder::compare(arith::CmpIPredicate predicate, Value lhs,
                           Value rhs) {
  return arith::CmpIOp::create(builder, loc, predicate, lhs, rhs);
}

Value TileBuilder::select(Value condition, Value yes, Value no) {
  return arith::SelectOp::create(builder, loc, condition, yes, no);
}

Value TileBuilder::broadcast(Value source, ArrayRef<int64_t> shape,
                             ArrayRef<int64_t> dims) {
  auto type = RankedTensorType::get(shape, getType(source).getElementType());
  return wtile::BroadcastOp::create(builder, loc, type, source, dims);
}

Value TileBuilder::broadcastAlong(Value source, ArrayRef<int64_t> shape,
                                  int64_t dim) {
  SmallVector<int64_t> dims;
  for (int64_t other = 0; other < static_cast<int64_t>(shape.size()); ++other)
    if (other != dim)
      dims.push_back(other);
  return broadcast(source, shape, dims);
}

Value TileBuilder::convert(Value value, Type elementType) {
  RankedTensorType from = getType(value);
  if (from.getElementType() == elementType)
    return value;
  RankedTensorType to = from.clone(elementType);
  unsigned before = from.getElementTypeBitWidth();
  unsigned after = elementType.getIntOrFloatBitWidth();
  if (before < after)
    return arith::ExtFOp::create(builder, loc, to, value);
  if (before == after) // between the two 16-bit types
    return convert(convert(value, builder.getF32Type()), elementType);
  return arith::TruncFOp::create(builder, loc, to, value);
}

Value TileBuilder::reduce(Value source, int64_t dim,
                          function_ref<Value(Value, Value)> combine) {
  RankedTensorType type = getType(source);
  SmallVector<int64_t> shape(type.getShape());
  shape.erase(shape.begin() + dim);
  Type result = RankedTensorType::get(shape, type.getElementType());
  auto op = wtile::ReduceOp::create(builder, loc, TypeRange(result),
                                    ValueRange(source), dim, IntegerAttr(),
                                    /*commutative=*/true);
  OpBuilder::InsertionGuard guard(builder);
  Type scalar = type.getElementType();
  Block *block =
      builder.createBlock(&op.getCombine(), {}, {scalar, scalar}, {loc, loc});
  Value combined = combine(block->getArgument(0), block->getArgument(1));
  wtile::YieldOp::create(builder, loc, combined);
  return op.getResult(0);
}

Value TileBuilder::sum(Value source, int64_t dim) {
  return reduce(source, dim, [&](Value earlier, Value later) {
    return create<arith::AddFOp>(earlier, later);
  });
}

Value TileBuilder::max(Value source, int64_t dim) {
  return reduce(source, dim, [&](Value earlier, Value later) {
    return create<arith::MaximumFOp>(earlier, later);
  });
}

Value TileBuilder::extract(Value source, ArrayRef<int64_t> shape,
                           ArrayRef<int64_t> offsets) {
  auto type = RankedTensorType::get(shape, getType(source).getElementType());
  return wtile::ExtractOp::create(builder, loc, type, source, offsets);
}

Value TileBuilder::concat(ValueRange sources, int64_t dim) {
  if (sources.size() == 1)
    return sources[0];
  RankedTensorType type = getType(sources[0]);
  SmallVector<int64_t> shape(type.getShape());
  shape[dim] *= sources.size();
  return wtile::ConcatOp::create(
      builder, loc, RankedTensorType::get(shape, type.getElementType()),
      sources, dim);
}

Value TileBuilder::transpose(Value source) {
  RankedTensorType type = getType(source);
  auto turned = RankedTensorType::get({type.getDimSize(1), type.getDimSize(0)},
                                      type.getElementType());
  return wtile::TransposeOp::create(builder, loc, turned, source);
}

//===----------------------------------------------------------------------===//
// Products
//===----------------------------------------------------------------------===//

Value TileBuilder::mma(Value lhs, Value rhs, Value accumulator, int64_t lhsDim,
                       int64_t rhsDim, bool subtract) {
  if (!accumulator)
    accumulator = splat(f32({getType(lhs).getDimSize(1 - lhsDim),
                             getType(rhs).getDimSize(1 - rhsDim)}),
                        0.0);
  return wtile::MmaOp::create(
      builder, loc, accumulator.getType(), lhs, rhs, accumulator,
      builder.getDenseI64ArrayAttr({lhsDim, rhsDim}), subtract);
}

SmallVector<Value> TileBuilder::splitFactor(Value factor, Precision precision,
                                            bool second) {
  Type given = getType(factor).getElementType();
  bool twice = precision == Precision::TF32x3 || precision == Precision::F32 ||
               precision == Precision::BF16x3 ||
               (precision == Precision::F16x2 && second);
  if (precision == Precision::TF32 || precision == Precision::TF32x3 ||
      precision == Precision::F32) {
    Value whole = convert(factor, builder.getF32Type());
    if (given.isBF16() || given.isF16())
      return {whole};
    Value high = wtile::RoundOp::create(builder, loc, whole.getType(), whole);
    if (!twice)
      return {high};
    Value rest = create<arith::SubFOp>(whole, high);
    return {high, wtile::RoundOp::create(builder, loc, rest.getType(), rest)};
  }
  bool brain = precision == Precision::BF16 || precision == Precision::BF16x3;
  Type narrow = brain ? Type(builder.getBF16Type()) : builder.getF16Type();
  Value high = convert(factor, narrow);
  if (!twice || given == narrow)
    return {high};
  Value whole = convert(factor, builder.getF32Type());
  Value rest =
      create<arith::SubFOp>(whole, convert(high, builder.getF32Type()));
  return {high, convert(rest, narrow)};
}

Value TileBuilder::accumulate(ValueRange lhs, ValueRange rhs, Value accumulator,
                              int64_t lhsDim, int64_t rhsDim, bool subtract) {
  // The small products first; low times low is below the accumulator's digits.
  if (lhs.size() > 1)
    accumulator = mma(lhs[1], rhs[0], accumulator, lhsDim, rhsDim, subtract);
  if (rhs.size() > 1)
    accumulator = mma(lhs[0], rhs[1], accumulator, lhsDim, rhsDim, subtract);
  return mma(lhs[0], rhs[0], accumulator, lhsDim, rhsDim, subtract);
}

Value TileBuilder::product(Value lhs, Value rhs, Value accumulator,
                           int64_t lhsDim, int64_t rhsDim, Precision precision,
                           bool subtract) {
  return accumulate(splitFactor(lhs, precision, /*second=*/false),
                    splitFactor(rhs, precision, /*second=*/true), accumulator,
                    lhsDim, rhsDim, subtract);
}
