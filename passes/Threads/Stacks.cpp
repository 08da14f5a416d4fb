// Part of Scanweft, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

//===----------------------------------------------------------------------===//
// Stacks of states. In shared memory in the order of the threads: 16 bytes of
// each thread side by side, so that no bank is asked twice. In global memory in
// the order of the tile. Either way a thread reads what it wrote itself.
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "passes/Threads/ThreadLowering.h"

using namespace mlir;
using namespace scanweft;
using namespace scanweft::wtile;

/// Registers that are moved at once.
static unsigned getPieceSize(unsigned numRegisters, unsigned elementBytes) {
  unsigned count = 16 / elementBytes;
  while (numRegisters % count)
    count /= 2;
  return count;
}

Value ThreadLowering::getSlotAddress(Value stack, int64_t slot, unsigned reg,
                                     unsigned numRegisters, unsigned count) {
  SharedBuffer buffer = getBuffer(stack);
  int64_t threads = 32 * *kernel.getWarps();
  int64_t pieceBytes = count * buffer.layout.width;
  int64_t first = (slot * (numRegisters / count) + reg / count) * threads;
  Value warpPart = arith::MulIOp::create(builder, loc, warp, i32(32));
  Value thread = arith::AddIOp::create(builder, loc, warpPart, lane);
  Value own = arith::MulIOp::create(builder, loc, thread, i32(pieceBytes));
  return offsetBytes(offsetBytes(buffer.base, own), i32(first * pieceBytes));
}

GlobalView ThreadLowering::getSlotView(Value stack, int64_t slot) {
  const GlobalView whole = views.lookup(stack);
  GlobalView view;
  view.elementType = whole.elementType;
  view.sizes.assign(whole.sizes.begin() + 1, whole.sizes.end());
  view.strides.assign(whole.strides.begin() + 1, whole.strides.end());
  unsigned bytes = whole.elementType.getIntOrFloatBitWidth() / 8;
  Value offset = arith::MulIOp::create(builder, loc, asI64(whole.strides[0]),
                                       i64(slot * bytes));
  view.base = offsetBytes(whole.base, offset);
  return view;
}

void ThreadLowering::lowerLoadSlot(LoadSlotOp op) {
  const LinearLayout &layout = layoutOf(op.getResult());
  unsigned numRegisters = layout.getNumRegisters();
  bool isGlobal = isa<MemRefType>(op.getStack().getType());
  GlobalView view;
  if (isGlobal)
    view = getSlotView(op.getStack(), op.getSlot());
  Type type = getElementType(op.getResult());
  unsigned bytes = type.getIntOrFloatBitWidth() / 8;
  unsigned count = isGlobal ? 1u << getPieceBits(layout, view)
                            : getPieceSize(numRegisters, bytes);
  Elements elements;
  for (unsigned reg = 0; reg < numRegisters; reg += count) {
    Value address =
        isGlobal ? getAddress(view, getRow(Value(), layout, reg), layout, reg)
                 : getSlotAddress(op.getStack(), op.getSlot(), reg,
                                  numRegisters, count);
    Type piece = count == 1 ? type : VectorType::get(count, type);
    Value loaded =
        LLVM::LoadOp::create(builder, loc, piece, address, count * bytes);
    for (unsigned i = 0; i < count; ++i)
      elements.push_back(count == 1 ? loaded
                                    : buildElement(builder, loc, loaded, i));
  }
  setElements(op.getResult(), elements);
}

void ThreadLowering::lowerStoreSlot(StoreSlotOp op) {
  const LinearLayout &layout = layoutOf(op.getTile());
  if (isa<MemRefType>(op.getStack().getType())) {
    storePieces(
        op.getTile(), getSlotView(op.getStack(), op.getSlot()),
        [&](unsigned reg) { return getRow(Value(), layout, reg); },
        [](unsigned) { return Value(); });
    return;
  }
  Elements elements = getElements(op.getTile());
  unsigned bytes = getElementType(op.getTile()).getIntOrFloatBitWidth() / 8;
  unsigned count = getPieceSize(elements.size(), bytes);
  for (unsigned reg = 0; reg < elements.size(); reg += count) {
    Value value =
        count == 1
            ? elements[reg]
            : buildVector(builder, loc, ValueRange(elements).slice(reg, count));
    LLVM::StoreOp::create(builder, loc, value,
                          getSlotAddress(op.getStack(), op.getSlot(), reg,
                                         elements.size(), count),
                          count * bytes);
  }
}
