// Part of Scanweft, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

//===----------------------------------------------------------------------===//
// A value in the form that a user asks for.
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "passes/Tile/LayoutRealization.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace scanweft;
using namespace scanweft::wtile;

/// A program-scope value of more registers waits in shared memory.
static constexpr unsigned mostHeldRegisters = 8;

static RankedTensorType getTile(Value value) {
  return cast<RankedTensorType>(value.getType());
}

/// A block that is no part of a register tile is one of a shared buffer.
TileHome LayoutRealization::getHomeNow(Value value) {
  TileHome home = getHome(value);
  if (home == TileHome::Registers && value.getDefiningOp<ExtractOp>() &&
      !assignment.has(value))
    return TileHome::Shared;
  return home;
}

bool LayoutRealization::isReadyAs(Value value, const LinearLayout &layout) {
  if (auto transpose = value.getDefiningOp<TransposeOp>())
    return isReadyAs(transpose.getSource(), layout.permuteDims({1, 0}));
  if (getHomeNow(value) != TileHome::Registers || !assignment.has(value))
    return false;
  RelayoutKind kind = planRelayout(assignment.get(value), layout).kind;
  return kind == RelayoutKind::Identity || kind == RelayoutKind::Rename;
}

bool LayoutRealization::isHeld(Value value, const LinearLayout &layout,
                               Operation *user) {
  auto loop = user->getParentOfType<scf::ForOp>();
  return loop && layout.getNumRegisters() > mostHeldRegisters &&
         !loop->isAncestor(value.getParentBlock()->getParentOp());
}

Value LayoutRealization::getRegisters(Value value, const LinearLayout &layout,
                                      Operation *user) {
  TileHome home = getHomeNow(value);
  if (home == TileHome::Anywhere)
    return getRemade(value, layout, user);
  if (home == TileHome::Shared || isHeld(value, layout, user))
    return getLoaded(value, layout, user);
  if (home == TileHome::Global)
    return getReadFromMemory(value, layout);
  RelayoutPlan plan = planRelayout(assignment.get(value), layout);
  if (plan.kind == RelayoutKind::Identity)
    return value;
  if (plan.kind == RelayoutKind::Shared)
    return getLoaded(value, layout, user);
  return getRelaid(value, layout, plan);
}

Value LayoutRealization::getRelaid(Value value, const LinearLayout &layout,
                                   const RelayoutPlan &) {
  Value &known = relaid[{value, getKey(layout)}];
  if (known)
    return known;
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointAfterValue(value);
  known = RelayoutOp::create(builder, value.getLoc(),
                             withLayout(getTile(value), layout), value);
  return known;
}

Value LayoutRealization::getLoaded(Value value, const LinearLayout &layout,
                                   Operation *user) {
  Value buffer = getBuffer(value);
  Value &known = local[{{value, getKey(layout)}, user->getBlock()}];
  if (known)
    return known;
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPoint(user);
  known = LoadSharedOp::create(builder, value.getLoc(),
                               withLayout(getTile(value), layout), buffer);
  return known;
}

Value LayoutRealization::getReadFromMemory(Value value,
                                           const LinearLayout &layout) {
  Value &known = relaid[{value, getKey(layout)}];
  if (known)
    return known;
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointAfterValue(value);
  Operation *copy = builder.clone(*value.getDefiningOp());
  copy->getResult(0).setType(withLayout(getTile(value), layout));
  known = copy->getResult(0);
  return known;
}

/// The layout in which an operand of a value that is made again is needed.
static LinearLayout getOperandLayout(Operation *op,
                                     const LinearLayout &layout) {
  return TypeSwitch<Operation *, LinearLayout>(op)
      .Case([&](BroadcastOp broadcast) {
        return dropToDims(layout, broadcast.getDims());
      })
      .Case([&](TransposeOp) { return layout.permuteDims({1, 0}); })
      .Default([&](Operation *) { return layout; });
}

Value LayoutRealization::getRemade(Value value, const LinearLayout &layout,
                                   Operation *user) {
  Value known = local.lookup({{value, getKey(layout)}, user->getBlock()});
  if (known)
    return known;
  Operation *op = value.getDefiningOp();
  SmallVector<Value> operands;
  for (Value operand : op->getOperands())
    operands.push_back(
        isTile(operand)
            ? getRegisters(operand, getOperandLayout(op, layout), user)
            : operand);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPoint(user);
  Operation *copy = builder.clone(*op);
  copy->setOperands(operands);
  RankedTensorType type = withLayout(getTile(value), layout);
  if (auto constant = dyn_cast<arith::ConstantOp>(copy))
    constant.setValueAttr(
        cast<DenseElementsAttr>(constant.getValue()).reshape(type));
  copy->getResult(0).setType(type);
  known = copy->getResult(0);
  local[{{value, getKey(layout)}, user->getBlock()}] = known;
  return known;
}

//===----------------------------------------------------------------------===//
// Shared buffers
//===----------------------------------------------------------------------===//

Value LayoutRealization::createBuffer(Type tile) {
  auto type = cast<RankedTensorType>(tile);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(&kernel.getBody().front());
  return AllocOp::create(builder, kernel.getLoc(),
                         SharedType::get(kernel.getContext(), type.getShape(),
                                         type.getElementType()),
                         SwizzleAttr(), IntegerAttr(), UnitAttr());
}

/// Rows of global memory, in order or by index, on their way into a buffer. Row
/// numbers that are themselves rows of memory are read there.
Value LayoutRealization::createCopy(Operation *op) {
  RankedTensorType rows = getTile(op->getResult(0));
  SmallVector<int64_t> padded =
      llvm::map_to_vector(rows.getShape(), [](int64_t size) -> int64_t {
        return llvm::PowerOf2Ceil(size);
      });
  Value buffer = createBuffer(rows.clone(padded));
  builder.setInsertionPoint(op);
  if (auto load = dyn_cast<LoadOp>(op)) {
    CopyAsyncOp::create(builder, op->getLoc(), load.getView(), load.getFirst(),
                        load.getFrom(), load.getTo(), Value(), buffer);
    return buffer;
  }
  auto gather = cast<GatherOp>(op);
  auto numbers = gather.getRows().getDefiningOp<LoadOp>();
  if (numbers && numbers.getFirst() && !numbers.getOther()) {
    CopyAsyncOp::create(builder, op->getLoc(), gather.getView(),
                        numbers.getFirst(), numbers.getFrom(), numbers.getTo(),
                        numbers.getView(), buffer);
    return buffer;
  }
  Value zero = arith::ConstantIndexOp::create(builder, op->getLoc(), 0);
  Value count = arith::ConstantIndexOp::create(
      builder, op->getLoc(), getTile(gather.getResult()).getDimSize(0));
  Value index = getBuffer(gather.getRows());
  builder.setInsertionPoint(op);
  CopyAsyncOp::create(builder, op->getLoc(), gather.getView(), zero, zero,
                      count, index, buffer);
  return buffer;
}

Value LayoutRealization::getBuffer(Value value) {
  if (Value known = buffers.lookup(value))
    return known;
  OpBuilder::InsertionGuard guard(builder);
  Value buffer;
  if (auto extract = value.getDefiningOp<ExtractOp>()) {
    Value whole = getBuffer(extract.getSource());
    builder.setInsertionPoint(extract);
    RankedTensorType type = getTile(value);
    buffer =
        SubviewOp::create(builder, extract.getLoc(),
                          SharedType::get(kernel.getContext(), type.getShape(),
                                          type.getElementType()),
                          whole, extract.getOffsets());
  } else if (isa_and_present<LoadOp, GatherOp>(value.getDefiningOp()) &&
             getHome(value) == TileHome::Shared) {
    buffer = createCopy(value.getDefiningOp());
  } else {
    buffer = createBuffer(value.getType());
    LinearLayout layout = assignment.estimate(value);
    Operation *place = value.getDefiningOp();
    Operation *user =
        place ? place->getNextNode() : &value.getParentBlock()->front();
    Value tile = getHomeNow(value) == TileHome::Registers
                     ? value
                     : getRegisters(value, layout, user);
    builder.setInsertionPointAfterValue(tile);
    StoreSharedOp::create(builder, value.getLoc(), tile, buffer);
  }
  buffers[value] = buffer;
  return buffer;
}
