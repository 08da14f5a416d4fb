// Part of Scanweft, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

//===----------------------------------------------------------------------===//
// Views, tiles and placements; the loop over chunks is in ChunkTranslation.cpp.
//===----------------------------------------------------------------------===//

#include "passes/Tile/ProgramTranslation.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace scanweft;
using namespace scanweft::weft;

//===----------------------------------------------------------------------===//
// Values on demand
//===----------------------------------------------------------------------===//

FailureOr<Value> ProgramTranslation::getValue(Value value) {
  if (Value known = values.lookupOrNull(value))
    return known;
  // A placement's index may stand behind the loop that needs it; it depends on
  // nothing but sizes and coordinates.
  Operation *op = value.getDefiningOp();
  if (!op || failed(translate(*op)))
    return failure();
  Value known = values.lookupOrNull(value);
  if (known)
    return known;
  op->emitError("the tensor of '") << op->getName()
                                   << "' has no place in global memory: row "
                                      "outputs of a loop are placed as they "
                                      "are";
  return failure();
}

FailureOr<Value> ProgramTranslation::getTile(Value value) {
  FailureOr<Value> known = getValue(value);
  if (failed(known) || !isView(*known))
    return known;
  auto type = cast<MemRefType>(known->getType());
  if (!type.hasStaticShape()) {
    emitError(value.getLoc(), "a tensor of type ")
        << value.getType()
        << " is used whole by a program: what a program computes with has "
           "static sizes, longer tensors are cut into chunks";
    return failure();
  }
  // Beside the view, so that every later use sees it.
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointAfterValue(*known);
  auto tile = RankedTensorType::get(type.getShape(), type.getElementType());
  Value loaded = wtile::LoadOp::create(builder, value.getLoc(), tile, *known,
                                       Value(), Value(), Value(), Value());
  values.map(value, loaded);
  return loaded;
}

FailureOr<Value> ProgramTranslation::getView(Value value, Operation *user) {
  FailureOr<Value> known = getValue(value);
  if (failed(known) || isView(*known))
    return known;
  user->emitOpError() << "reads a tensor that the program computes, of type "
                      << value.getType()
                      << ": rows are read from global memory";
  return failure();
}

//===----------------------------------------------------------------------===//
// Ops
//===----------------------------------------------------------------------===//

LogicalResult ProgramTranslation::cloneOp(Operation &op) {
  for (Value operand : op.getOperands())
    if (failed(getTile(operand)))
      return failure();
  Operation *copy = builder.clone(op, values);
  for (auto [before, after] :
       llvm::zip_equal(op.getResults(), copy->getResults()))
    values.map(before, after);
  return success();
}

LogicalResult ProgramTranslation::translate(Operation &op) {
  return TypeSwitch<Operation *, LogicalResult>(&op)
      .Case([&](tensor::ExtractSliceOp) { return translateSlice(op); })
      .Case([&](tensor::PadOp) { return translatePad(op); })
      .Case([&](tensor::DimOp) { return translateDim(op); })
      .Case([&](GatherRowsOp gather) { return translateGather(gather); })
      .Case([&](ChunkedOp chunked) { return translateChunked(chunked); })
      .Case([&](PlaceOp placement) { return translatePlace(placement); })
      .Case([&](tensor::EmptyOp) { return success(); })
      .Default([&](Operation *) -> LogicalResult {
        if (op.getNumRegions() == 0)
          return cloneOp(op);
        return op.emitOpError(
            "stands in a program: a program of the tile stage is straight "
            "code around loops over chunks");
      });
}

/// Mixed sizes with their values in the new program.
static FailureOr<SmallVector<OpFoldResult>>
mapMixed(ArrayRef<OpFoldResult> mixed,
         function_ref<FailureOr<Value>(Value)> getValue) {
  SmallVector<OpFoldResult> mapped;
  for (OpFoldResult entry : mixed) {
    if (isa<Attribute>(entry)) {
      mapped.push_back(entry);
      continue;
    }
    FailureOr<Value> value = getValue(cast<Value>(entry));
    if (failed(value))
      return failure();
    mapped.push_back(*value);
  }
  return mapped;
}

LogicalResult ProgramTranslation::translateSlice(Operation &op) {
  auto slice = cast<tensor::ExtractSliceOp>(op);
  FailureOr<Value> source = getValue(slice.getSource());
  if (failed(source))
    return failure();
  if (!isView(*source))
    return cloneOp(op);
  auto get = [&](Value value) { return getValue(value); };
  auto offsets = mapMixed(slice.getMixedOffsets(), get);
  auto sizes = mapMixed(slice.getMixedSizes(), get);
  auto strides = mapMixed(slice.getMixedStrides(), get);
  if (failed(offsets) || failed(sizes) || failed(strides))
    return failure();
  auto type = memref::SubViewOp::inferRankReducedResultType(
      slice.getType().getShape(), cast<MemRefType>(source->getType()), *offsets,
      *sizes, *strides);
  values.map(slice.getResult(),
             memref::SubViewOp::create(builder, op.getLoc(), type, *source,
                                       *offsets, *sizes, *strides)
                 .getResult());
  return success();
}

/// Rows of a view followed by rows of one value: a load with `else`.
LogicalResult ProgramTranslation::translatePad(Operation &op) {
  auto pad = cast<tensor::PadOp>(op);
  Value filler = pad.getConstantPaddingValue();
  bool onlyRows = filler && pad.getType().hasStaticShape();
  for (OpFoldResult low : pad.getMixedLowPad())
    onlyRows &= getConstantIntValue(low) == 0;
  for (OpFoldResult high : ArrayRef(pad.getMixedHighPad()).drop_front())
    onlyRows &= getConstantIntValue(high) == 0;
  if (!onlyRows)
    return pad.emitOpError("stands in a program: padding there appends rows "
                           "of one value, up to a static number");
  FailureOr<Value> view = getView(pad.getSource(), pad);
  FailureOr<Value> other = getValue(filler);
  if (failed(view) || failed(other))
    return failure();
  Value zero = arith::ConstantIndexOp::create(builder, op.getLoc(), 0);
  Value rows = memref::DimOp::create(builder, op.getLoc(), *view, zero);
  values.map(pad.getResult(),
             wtile::LoadOp::create(builder, op.getLoc(), pad.getType(), *view,
                                   zero, zero, rows, *other)
                 .getResult());
  return success();
}

LogicalResult ProgramTranslation::translateDim(Operation &op) {
  auto dim = cast<tensor::DimOp>(op);
  FailureOr<Value> source = getValue(dim.getSource());
  FailureOr<Value> index = getValue(dim.getIndex());
  if (failed(source) || failed(index))
    return failure();
  Value size =
      isView(*source)
          ? memref::DimOp::create(builder, op.getLoc(), *source, *index)
                .getResult()
          : tensor::DimOp::create(builder, op.getLoc(), *source, *index)
                .getResult();
  values.map(dim.getResult(), size);
  return success();
}

LogicalResult ProgramTranslation::translateGather(GatherRowsOp op) {
  FailureOr<Value> view = getView(op.getSource(), op);
  if (failed(view))
    return failure();
  FailureOr<Value> rows = getTile(op.getRows());
  if (failed(rows))
    return failure();
  values.map(op.getResult(),
             wtile::GatherOp::create(builder, op.getLoc(),
                                     op.getResult().getType(), *view, *rows)
                 .getResult());
  return success();
}

//===----------------------------------------------------------------------===//
// Placements
//===----------------------------------------------------------------------===//

FailureOr<Value> ProgramTranslation::buildTarget(const Placement &placement,
                                                 Value output, Location loc) {
  auto type = cast<MemRefType>(output.getType());
  SmallVector<OpFoldResult> offsets, sizes,
      strides(type.getRank(), builder.getIndexAttr(1));
  SmallVector<int64_t> shape;
  for (auto [dim, index] : llvm::enumerate(placement.indices)) {
    if (!index) {
      offsets.push_back(builder.getIndexAttr(0));
      shape.push_back(type.getDimSize(dim));
      sizes.push_back(memref::getMixedSize(builder, loc, output, dim));
      continue;
    }
    FailureOr<Value> known = getValue(index);
    if (failed(known))
      return failure();
    offsets.push_back(*known);
    sizes.push_back(builder.getIndexAttr(1));
  }
  auto target = memref::SubViewOp::inferRankReducedResultType(
      shape, type, offsets, sizes, strides);
  return memref::SubViewOp::create(builder, loc, target, output, offsets, sizes,
                                   strides)
      .getResult();
}

LogicalResult
ProgramTranslation::storeIf(const Placement &placement, Location loc,
                            function_ref<void(OpBuilder &)> store) {
  if (!placement.condition) {
    store(builder);
    return success();
  }
  FailureOr<Value> condition = getValue(placement.condition);
  if (failed(condition))
    return failure();
  scf::IfOp::create(builder, loc, *condition,
                    [&](OpBuilder &inner, Location place) {
                      store(inner);
                      scf::YieldOp::create(inner, place);
                    });
  return success();
}

/// Whether the placed tensor has static sizes where the output's are dynamic:
/// its rows are then all live.
static bool needsRows(Value tile, Value target) {
  return cast<RankedTensorType>(tile.getType()).getShape() !=
         cast<MemRefType>(target.getType()).getShape();
}

LogicalResult ProgramTranslation::placeTile(const Placement &placement,
                                            Value output, Location loc) {
  FailureOr<Value> tile = getTile(placement.value);
  FailureOr<Value> target = buildTarget(placement, output, loc);
  if (failed(tile) || failed(target))
    return failure();
  if (placement.rows) {
    FailureOr<Value> rows = getTile(placement.rows);
    FailureOr<Value> from = getValue(placement.from);
    FailureOr<Value> to = getValue(placement.to);
    if (failed(rows) || failed(from) || failed(to))
      return failure();
    return storeIf(placement, loc, [&](OpBuilder &inner) {
      wtile::ScatterOp::create(inner, loc, *tile, *target, *rows, *from, *to);
    });
  }
  Value first, from, to;
  if (needsRows(*tile, *target)) {
    first = from = arith::ConstantIndexOp::create(builder, loc, 0);
    auto type = cast<RankedTensorType>(tile->getType());
    to = arith::ConstantIndexOp::create(builder, loc, type.getDimSize(0));
  }
  return storeIf(placement, loc, [&](OpBuilder &inner) {
    wtile::StoreOp::create(inner, loc, *tile, *target, first, from, to);
  });
}

/// Whether the value is rows that a loop has stored already.
static bool isRowOutput(Value value) {
  auto chunked = value.getDefiningOp<ChunkedOp>();
  return chunked &&
         cast<OpResult>(value).getResultNumber() < chunked.getOuts().size();
}

LogicalResult ProgramTranslation::translatePlace(PlaceOp op) {
  for (auto [placement, output] : llvm::zip_equal(op.getPlacements(), outputs))
    if (!isRowOutput(placement.value) &&
        failed(placeTile(placement, output, op.getLoc())))
      return failure();
  return success();
}

LogicalResult ProgramTranslation::run(KernelOp kernel, ValueRange coordinates) {
  Block &body = kernel.getBody().front();
  place = cast<PlaceOp>(body.getTerminator());
  values.map(body.getArguments(), coordinates);
  for (Operation &op : body)
    if (!(op.getNumResults() > 0 && values.contains(op.getResult(0))) &&
        failed(translate(op)))
      return failure();
  return success();
}
