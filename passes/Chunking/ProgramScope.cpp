// Part of Scanweft, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "passes/Chunking/ProgramScope.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace scanweft;
using weft::Axis;

static RankedTensorType typeOf(Value value) {
  return cast<RankedTensorType>(value.getType());
}

static Value constantIndex(OpBuilder &builder, Location loc, int64_t value) {
  return arith::ConstantIndexOp::create(builder, loc, value);
}

SmallVector<int64_t> scanweft::getKeptDims(Value value, bool withTime,
                                           const AlgebraAxes &axes) {
  SmallVector<int64_t> kept;
  for (int64_t dim : llvm::seq<int64_t>(typeOf(value).getRank())) {
    Axis axis = axes.getAxis(value, dim);
    if (axis == Axis::Feature || (axis == Axis::Time && withTime))
      kept.push_back(dim);
  }
  return kept;
}

//===----------------------------------------------------------------------===//
// Extents
//===----------------------------------------------------------------------===//

Value Extents::get(AlgebraAxes::Class dims) {
  if (Value value = known.lookup(dims))
    return value;
  Value value;
  if (std::optional<int64_t> size = axes.getSize(dims))
    value = constantIndex(builder, group.getLoc(), *size);
  if (!value)
    value = findSize(dims);
  if (!value)
    value = findHeads(dims);
  return known[dims] = value;
}

/// The size of an operand that the group takes from outside.
Value Extents::findSize(AlgebraAxes::Class dims) {
  Value found;
  group.getBody().walk([&](Operation *op) {
    for (Value operand : op->getOperands()) {
      auto type = dyn_cast<RankedTensorType>(operand.getType());
      if (!type || group.getBody().isAncestor(operand.getParentRegion()))
        continue;
      for (unsigned dim : llvm::seq<unsigned>(type.getRank()))
        if (axes.getClass(operand, dim) == dims) {
          found = tensor::DimOp::create(
              builder, group.getLoc(), operand,
              constantIndex(builder, group.getLoc(), dim));
          return WalkResult::interrupt();
        }
    }
    return WalkResult::advance();
  });
  return found;
}

/// The heads of a scan's results are the most of its operands' heads.
Value Extents::findHeads(AlgebraAxes::Class dims) {
  for (Operation &op : group.getBody().front()) {
    auto algebra = dyn_cast<weft::AlgebraOpInterface>(op);
    if (!algebra || axes.findClass(op.getResult(0), Axis::Head) != dims)
      continue;
    llvm::SmallSetVector<AlgebraAxes::Class, 4> parts;
    for (Value operand : op.getOperands())
      if (auto heads = axes.findClass(operand, Axis::Head))
        parts.insert(*heads);
    parts.remove(dims);
    Value most;
    for (AlgebraAxes::Class heads : parts)
      if (Value size = get(heads))
        most = most
                   ? arith::MaxUIOp::create(builder, group.getLoc(), most, size)
                   : size;
    if (most)
      return most;
  }
  return {};
}

//===----------------------------------------------------------------------===//
// Coordinates
//===----------------------------------------------------------------------===//

SmallVector<Value> ProgramScope::getProgramSizes() {
  SmallVector<Value> sizes;
  for (std::optional<AlgebraAxes::Class> axis : {shape.batch, shape.heads})
    if (axis)
      sizes.push_back(extents.get(*axis));
  return sizes;
}

void ProgramScope::setCoordinates(ValueRange coordinates) {
  if (shape.batch)
    batch = coordinates.front();
  if (shape.heads)
    head = coordinates.back();
}

bool ProgramScope::hasOwnHeads(AlgebraAxes::Class heads) const {
  std::optional<int64_t> size = axes.getSize(heads);
  return heads == shape.getHeads() ||
         (size && size == axes.getSize(shape.getHeads()));
}

Value ProgramScope::getHead(OpBuilder &builder, Location loc,
                            AlgebraAxes::Class heads) {
  if (hasOwnHeads(heads))
    return head;
  if (axes.getSize(heads) == 1)
    return constantIndex(builder, loc, 0);
  Value scaled = arith::MulIOp::create(builder, loc, head, extents.get(heads));
  return arith::DivUIOp::create(builder, loc, scaled,
                                extents.get(shape.getHeads()));
}

Value ProgramScope::getIsFirst(OpBuilder &builder, Location loc, Value whole) {
  std::optional<AlgebraAxes::Class> heads = axes.findClass(whole, Axis::Head);
  if (!heads || hasOwnHeads(*heads))
    return {};
  Value scaled = arith::MulIOp::create(builder, loc, head, extents.get(*heads));
  Value rest = arith::RemUIOp::create(builder, loc, scaled,
                                      extents.get(shape.getHeads()));
  return arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq, rest,
                               constantIndex(builder, loc, 0));
}

//===----------------------------------------------------------------------===//
// Views and placements
//===----------------------------------------------------------------------===//

Value ProgramScope::buildView(OpBuilder &builder, Location loc, Value whole,
                              Value value) {
  RankedTensorType type = typeOf(whole);
  SmallVector<int64_t> kept = getKeptDims(value, /*withTime=*/true, axes);
  if (kept.size() == static_cast<size_t>(type.getRank()))
    return whole;
  SmallVector<OpFoldResult> offsets, sizes;
  SmallVector<OpFoldResult> strides(type.getRank(), builder.getIndexAttr(1));
  for (auto [dim, size] : llvm::enumerate(type.getShape())) {
    Axis axis = axes.getAxis(value, dim);
    bool isOne = axis == Axis::Batch || axis == Axis::Head;
    if (axis == Axis::Batch)
      offsets.push_back(batch);
    else if (axis == Axis::Head)
      offsets.push_back(getHead(builder, loc, axes.getKnownClass(value, dim)));
    else
      offsets.push_back(builder.getIndexAttr(0));
    if (isOne || !ShapedType::isDynamic(size))
      sizes.push_back(builder.getIndexAttr(isOne ? 1 : size));
    else
      sizes.push_back(extents.get(axes.getKnownClass(value, dim)));
  }
  SmallVector<int64_t> viewShape = llvm::map_to_vector(
      kept, [&](int64_t dim) { return type.getDimSize(dim); });
  auto view = RankedTensorType::get(viewShape, type.getElementType());
  return tensor::ExtractSliceOp::create(builder, loc, view, whole, offsets,
                                        sizes, strides);
}

void ProgramScope::buildPlace(OpBuilder &builder, Location loc,
                              ValueRange values, ValueRange wholes) {
  SmallVector<Value> indices, conditions;
  SmallVector<Attribute> spans;
  SmallVector<bool> hasCondition;
  for (Value whole : wholes) {
    SmallVector<bool> spanned;
    for (unsigned dim : llvm::seq<unsigned>(typeOf(whole).getRank())) {
      Axis axis = axes.getAxis(whole, dim);
      spanned.push_back(axis != Axis::Batch && axis != Axis::Head);
      if (axis == Axis::Batch)
        indices.push_back(batch);
      else if (axis == Axis::Head)
        indices.push_back(
            getHead(builder, loc, axes.getKnownClass(whole, dim)));
    }
    spans.push_back(builder.getDenseBoolArrayAttr(spanned));
    Value isFirst = getIsFirst(builder, loc, whole);
    hasCondition.push_back(static_cast<bool>(isFirst));
    if (isFirst)
      conditions.push_back(isFirst);
  }
  SmallVector<bool> hasRows(values.size(), false);
  weft::PlaceOp::create(builder, loc, values, indices, ValueRange(),
                        ValueRange(), conditions, builder.getArrayAttr(spans),
                        builder.getDenseBoolArrayAttr(hasRows),
                        builder.getDenseBoolArrayAttr(hasCondition));
}
