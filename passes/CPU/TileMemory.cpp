// Part of Scanweft, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

//===----------------------------------------------------------------------===//
// Global memory and stacks of tiles. A load fills a buffer of its own:
//
//   %t = load %x[%first] live(%lo, %hi)   ->   %b = memref.alloc
//                                              fill %b with zero or `else`
//                                              copy rows first + lo .. of %x
//                                                to rows lo .. hi of %b
//                                              %t = to_tensor %b
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "passes/CPU/LowerToLoops.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace scanweft;
using namespace scanweft::wtile;

namespace {
/// The live rows of an access: `count` rows from `from` on, in the tile; `row`
/// is the first of them in the view.
struct LiveRows {
  OpFoldResult from, row, count;
};

/// Lowers one op.
class MemoryLowering {
public:
  MemoryLowering(Operation *op, Checks &checks,
                 DenseMap<Value, Value> &memories)
      : checks(checks), memories(memories), builder(op), loc(op->getLoc()) {
    checks.moveTo(op);
  }

  void lower(LoadOp op);
  void lower(StoreOp op);
  void lower(GatherOp op);
  void lower(ScatterOp op);
  void lower(NewStackOp op);
  void lower(LoadSlotOp op);
  void lower(StoreSlotOp op);

private:
  Value index(int64_t value) {
    return arith::ConstantIndexOp::create(builder, loc, value);
  }
  static MemRefType getBufferType(Value tile) {
    auto type = cast<RankedTensorType>(tile.getType());
    return MemRefType::get(type.getShape(), type.getElementType());
  }
  /// A buffer for the tile, filled where there is something to fill it with.
  Value createBuffer(Value tile, Value filler);
  Value createZero(Value tile) {
    auto type = cast<RankedTensorType>(tile.getType());
    return arith::ConstantOp::create(
        builder, loc, builder.getZeroAttr(type.getElementType()));
  }
  Value getBuffer(Value tile) {
    return createReadBuffer(builder, loc, tile, getBufferType(tile));
  }
  /// Live rows of a tile of `size` rows, checked to lie inside the view.
  LiveRows getLiveRows(Value first, Value from, Value to, int64_t size,
                       Value view);
  Value createRows(Value memory, OpFoldResult from, OpFoldResult count);
  /// Entry `slot` of memory whose dim 0 counts slots.
  Value createSlot(Value memory, int64_t slot);
  void copy(Value from, Value to) {
    memref::CopyOp::create(builder, loc, from, to);
  }
  /// For every row in [from, to) whose number lies inside the view:
  /// copyRow(row of the tile, row of the view).
  void forRows(Value rows, Value from, Value to, Value view,
               function_ref<void(Value, Value)> copyRow);
  void replaceByTile(Operation *op, Value buffer) {
    op->getResult(0).replaceAllUsesWith(bufferization::ToTensorOp::create(
        builder, loc, op->getResult(0).getType(), buffer, /*restrict=*/true,
        /*writable=*/true));
    op->erase();
  }

  Checks &checks;
  DenseMap<Value, Value> &memories; ///< of stacks
  OpBuilder builder;
  Location loc;
};
} // namespace

Value MemoryLowering::createBuffer(Value tile, Value filler) {
  Value buffer = memref::AllocOp::create(builder, loc, getBufferType(tile));
  if (filler)
    linalg::FillOp::create(builder, loc, filler, buffer);
  return buffer;
}

LiveRows MemoryLowering::getLiveRows(Value first, Value from, Value to,
                                     int64_t size, Value view) {
  auto clamp = [&](Value value, Value least) -> Value {
    Value bounded =
        builder.createOrFold<arith::MinSIOp>(loc, value, index(size));
    return builder.createOrFold<arith::MaxSIOp>(loc, bounded, least);
  };
  Value begin = clamp(from, index(0));
  Value end = clamp(to, begin);
  Value count = builder.createOrFold<arith::SubIOp>(loc, end, begin);
  Value row = builder.createOrFold<arith::AddIOp>(loc, first, begin);
  checks.range(getAsOpFoldResult(row), getAsOpFoldResult(count),
               memref::getMixedSize(builder, loc, view, 0), "rows");
  return {getAsOpFoldResult(begin), getAsOpFoldResult(row),
          getAsOpFoldResult(count)};
}

Value MemoryLowering::createRows(Value memory, OpFoldResult from,
                                 OpFoldResult count) {
  SmallVector<OpFoldResult> sizes = memref::getMixedSizes(builder, loc, memory);
  SmallVector<OpFoldResult> offsets(sizes.size(), builder.getIndexAttr(0));
  SmallVector<OpFoldResult> strides(sizes.size(), builder.getIndexAttr(1));
  offsets[0] = from;
  sizes[0] = count;
  return memref::SubViewOp::create(builder, loc, memory, offsets, sizes,
                                   strides);
}

Value MemoryLowering::createSlot(Value memory, int64_t slot) {
  auto type = cast<MemRefType>(memory.getType());
  SmallVector<OpFoldResult> sizes = memref::getMixedSizes(builder, loc, memory);
  SmallVector<OpFoldResult> offsets(sizes.size(), builder.getIndexAttr(0));
  SmallVector<OpFoldResult> strides(sizes.size(), builder.getIndexAttr(1));
  offsets[0] = builder.getIndexAttr(slot);
  sizes[0] = builder.getIndexAttr(1);
  auto entry = memref::SubViewOp::inferRankReducedResultType(
      type.getShape().drop_front(), type, offsets, sizes, strides);
  return memref::SubViewOp::create(builder, loc, entry, memory, offsets, sizes,
                                   strides);
}

void MemoryLowering::forRows(Value rows, Value from, Value to, Value view,
                             function_ref<void(Value, Value)> copyRow) {
  Value size = memref::DimOp::create(builder, loc, view, 0);
  auto loop = scf::ForOp::create(builder, loc, from, to, index(1));
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(loop.getBody());
  Value position = loop.getInductionVar();
  Value number = arith::IndexCastOp::create(
      builder, loc, builder.getIndexType(),
      tensor::ExtractOp::create(builder, loc, rows, position));
  // Unsigned: a negative number is beyond the end.
  Value inside = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ult,
                                       number, size);
  auto branch = scf::IfOp::create(builder, loc, inside, false);
  builder.setInsertionPointToStart(branch.thenBlock());
  copyRow(position, number);
}

void MemoryLowering::lower(LoadOp op) {
  if (!op.getFirst()) {
    Value buffer = createBuffer(op.getResult(), Value());
    copy(op.getView(), buffer);
    return replaceByTile(op, buffer);
  }
  Value filler = op.getOther() ? op.getOther() : createZero(op.getResult());
  Value buffer = createBuffer(op.getResult(), filler);
  LiveRows live =
      getLiveRows(op.getFirst(), op.getFrom(), op.getTo(),
                  getBufferType(op.getResult()).getDimSize(0), op.getView());
  copy(createRows(op.getView(), live.row, live.count),
       createRows(buffer, live.from, live.count));
  replaceByTile(op, buffer);
}

void MemoryLowering::lower(StoreOp op) {
  Value buffer = getBuffer(op.getTile());
  if (!op.getFirst()) {
    copy(buffer, op.getView());
    return op.erase();
  }
  LiveRows live =
      getLiveRows(op.getFirst(), op.getFrom(), op.getTo(),
                  getBufferType(op.getTile()).getDimSize(0), op.getView());
  copy(createRows(buffer, live.from, live.count),
       createRows(op.getView(), live.row, live.count));
  op.erase();
}

void MemoryLowering::lower(GatherOp op) {
  OpFoldResult one = builder.getIndexAttr(1);
  Value buffer = createBuffer(op.getResult(), createZero(op.getResult()));
  Value size = index(getBufferType(op.getResult()).getDimSize(0));
  forRows(op.getRows(), index(0), size, op.getView(),
          [&](Value position, Value number) {
            copy(createRows(op.getView(), number, one),
                 createRows(buffer, position, one));
          });
  replaceByTile(op, buffer);
}

void MemoryLowering::lower(ScatterOp op) {
  OpFoldResult one = builder.getIndexAttr(1);
  Value buffer = getBuffer(op.getTile());
  Value size = index(getBufferType(op.getTile()).getDimSize(0));
  Value from = arith::MaxSIOp::create(builder, loc, op.getFrom(), index(0));
  Value to = arith::MinSIOp::create(builder, loc, op.getTo(), size);
  forRows(op.getRows(), from, to, op.getView(),
          [&](Value position, Value number) {
            copy(createRows(buffer, position, one),
                 createRows(op.getView(), number, one));
          });
  op.erase();
}

//===----------------------------------------------------------------------===//
// Stacks
//===----------------------------------------------------------------------===//

void MemoryLowering::lower(NewStackOp op) {
  auto type = op.getStack().getType();
  memories[op.getStack()] = memref::AllocOp::create(
      builder, loc, MemRefType::get(type.getShape(), type.getElementType()));
}

void MemoryLowering::lower(LoadSlotOp op) {
  Value buffer = createBuffer(op.getResult(), Value());
  copy(createSlot(memories.lookup(op.getStack()), op.getSlot()), buffer);
  replaceByTile(op, buffer);
}

void MemoryLowering::lower(StoreSlotOp op) {
  copy(getBuffer(op.getTile()),
       createSlot(memories.lookup(op.getStack()), op.getSlot()));
  op.erase();
}

void scanweft::lowerTileMemory(ModuleOp module, Checks &checks) {
  SmallVector<Operation *> accesses, stacks;
  module.walk([&](Operation *op) {
    if (isa<LoadOp, StoreOp, GatherOp, ScatterOp, LoadSlotOp, StoreSlotOp>(op))
      accesses.push_back(op);
    else if (isa<NewStackOp>(op))
      stacks.push_back(op);
  });
  DenseMap<Value, Value> memories;
  for (Operation *op : llvm::concat<Operation *>(stacks, accesses))
    TypeSwitch<Operation *>(op)
        .Case<LoadOp, StoreOp, GatherOp, ScatterOp, NewStackOp, LoadSlotOp,
              StoreSlotOp>([&](auto access) {
          MemoryLowering(access, checks, memories).lower(access);
        });
  for (Operation *op : stacks)
    op->erase();
}
