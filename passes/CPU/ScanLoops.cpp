// Part of Scanweft, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

//===----------------------------------------------------------------------===//
// Loops of a scan over whole tensors.
//===----------------------------------------------------------------------===//

#include "passes/CPU/ScanLoops.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace scanweft;
using weft::Axis;

static RankedTensorType typeOf(Value value) {
  return cast<RankedTensorType>(value.getType());
}

static std::optional<unsigned> findDim(ArrayRef<Axis> axes, Axis axis) {
  const Axis *found = llvm::find(axes, axis);
  if (found == axes.end())
    return std::nullopt;
  return found - axes.begin();
}

//===----------------------------------------------------------------------===//
// Sizes
//===----------------------------------------------------------------------===//

ScanLoops::ScanLoops(OpBuilder &builder, weft::AlgebraOpInterface op)
    : builder(builder), loc(op.getLoc()), op(op),
      batches(findSize(Axis::Batch)), steps(findSize(Axis::Time)),
      heads(findHeads()) {}

Value ScanLoops::index(int64_t value) {
  return arith::ConstantIndexOp::create(builder, loc, value);
}

Value ScanLoops::findSize(Axis axis) {
  unsigned resultDim = *findDim(op.getResultAxes(0), axis);
  int64_t size = typeOf(op->getResult(0)).getDimSize(resultDim);
  if (!ShapedType::isDynamic(size))
    return index(size);
  for (OpOperand &operand : op->getOpOperands())
    if (auto dim = findDim(op.getOperandAxes(operand.getOperandNumber()), axis))
      return builder.createOrFold<tensor::DimOp>(loc, operand.get(), *dim);
  llvm_unreachable("some operand has every axis of the results");
}

/// The most of the operands' heads: rule A6.
Value ScanLoops::findHeads() {
  unsigned resultDim = *findDim(op.getResultAxes(0), Axis::Head);
  int64_t size = typeOf(op->getResult(0)).getDimSize(resultDim);
  if (!ShapedType::isDynamic(size))
    return index(size);
  Value most;
  for (OpOperand &operand : op->getOpOperands()) {
    unsigned number = operand.getOperandNumber();
    auto dim = findDim(op.getOperandAxes(number), Axis::Head);
    if (!dim)
      continue;
    Value own = builder.createOrFold<tensor::DimOp>(loc, operand.get(), *dim);
    if (op.hasResultHeads(number))
      return own;
    most = most ? builder.createOrFold<arith::MaxUIOp>(loc, most, own) : own;
  }
  assert(most && "some operand has heads");
  return most;
}

Value ScanLoops::getHead(Value own, const Place &place) {
  if (isEqualConstantIntOrValue(own, heads))
    return place.head;
  Value scaled = builder.createOrFold<arith::MulIOp>(loc, place.head, own);
  return builder.createOrFold<arith::DivUIOp>(loc, scaled, heads);
}

//===----------------------------------------------------------------------===//
// Views
//===----------------------------------------------------------------------===//

namespace {
/// Offsets, sizes and type of the features at a place.
struct FeatureView {
  SmallVector<OpFoldResult> offsets, sizes, strides;
  RankedTensorType type;
};
} // namespace

static FeatureView getView(OpBuilder &builder, Value tensor,
                           ArrayRef<Axis> axes,
                           function_ref<Value(Axis)> coordinate) {
  RankedTensorType type = typeOf(tensor);
  FeatureView view;
  view.strides.assign(type.getRank(), builder.getIndexAttr(1));
  SmallVector<int64_t> shape;
  for (auto [axis, size] : llvm::zip_equal(axes, type.getShape())) {
    if (Value offset = coordinate(axis)) {
      view.offsets.push_back(offset);
      view.sizes.push_back(builder.getIndexAttr(1));
      continue;
    }
    view.offsets.push_back(builder.getIndexAttr(0));
    view.sizes.push_back(builder.getIndexAttr(size));
    shape.push_back(size);
  }
  view.type = RankedTensorType::get(shape, type.getElementType());
  return view;
}

Value ScanLoops::extract(Value tensor, ArrayRef<Axis> axes,
                         const Place &place) {
  FeatureView view = getView(builder, tensor, axes, [&](Axis axis) -> Value {
    if (axis == Axis::Batch)
      return place.batch;
    if (axis == Axis::Time)
      return place.step;
    if (axis != Axis::Head)
      return {};
    unsigned dim = *findDim(axes, Axis::Head);
    return getHead(builder.createOrFold<tensor::DimOp>(loc, tensor, dim),
                   place);
  });
  return tensor::ExtractSliceOp::create(builder, loc, view.type, tensor,
                                        view.offsets, view.sizes, view.strides);
}

Value ScanLoops::extractOperand(unsigned operand, const Place &place) {
  return extract(op->getOperand(operand), op.getOperandAxes(operand), place);
}

Value ScanLoops::insert(Value features, Value tensor, ArrayRef<Axis> axes,
                        const Place &place) {
  FeatureView view = getView(builder, tensor, axes, [&](Axis axis) -> Value {
    if (axis == Axis::Batch)
      return place.batch;
    if (axis == Axis::Time)
      return place.step;
    return axis == Axis::Head ? place.head : Value();
  });
  return tensor::InsertSliceOp::create(builder, loc, features, tensor,
                                       view.offsets, view.sizes, view.strides);
}

//===----------------------------------------------------------------------===//
// Loops
//===----------------------------------------------------------------------===//

SmallVector<Value> ScanLoops::createResults() {
  SmallVector<Value> results;
  for (OpResult result : op->getResults()) {
    SmallVector<Value> sizes;
    for (auto [axis, size] :
         llvm::zip_equal(op.getResultAxes(result.getResultNumber()),
                         typeOf(result).getShape()))
      if (ShapedType::isDynamic(size))
        sizes.push_back(axis == Axis::Batch  ? batches
                        : axis == Axis::Time ? steps
                                             : heads);
    results.push_back(
        tensor::EmptyOp::create(builder, loc, typeOf(result), sizes));
  }
  return results;
}

SmallVector<Value>
ScanLoops::loop(Value size, ValueRange carried,
                function_ref<SmallVector<Value>(Value, ValueRange)> body) {
  auto loop =
      scf::ForOp::create(builder, loc, index(0), size, index(1), carried);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(loop.getBody());
  SmallVector<Value> results =
      body(loop.getInductionVar(), loop.getRegionIterArgs());
  scf::YieldOp::create(builder, loc, results);
  return SmallVector<Value>(loop.getResults());
}

SmallVector<Value> ScanLoops::emit(unsigned numOuts, Start start, Step step) {
  auto walkSteps = [&](Place place, ValueRange carried) {
    SmallVector<Value> inits(carried.take_front(numOuts));
    llvm::append_range(inits, start(place));
    SmallVector<Value> results =
        loop(steps, inits, [&](Value turn, ValueRange carried) {
          place.step = turn;
          if (op.runsReverse()) {
            Value last = arith::SubIOp::create(builder, loc, steps, index(1));
            place.step = arith::SubIOp::create(builder, loc, last, turn);
          }
          SmallVector<Value> values(carried);
          MutableArrayRef<Value> all(values);
          step(place, all.take_front(numOuts), all.drop_front(numOuts));
          return values;
        });
    place.step = {};
    SmallVector<Value> updated(ArrayRef<Value>(results).take_front(numOuts));
    for (auto [i, total] : llvm::enumerate(carried.drop_front(numOuts)))
      updated.push_back(insert(results[numOuts + i], total,
                               op.getResultAxes(numOuts + i), place));
    return updated;
  };
  return loop(batches, createResults(), [&](Value batch, ValueRange carried) {
    return loop(heads, carried, [&](Value head, ValueRange carried) {
      return walkSteps({batch, {}, head}, carried);
    });
  });
}
