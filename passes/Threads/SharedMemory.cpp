// Part of Scanweft, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

//===----------------------------------------------------------------------===//
// Accesses to shared memory: as wide as the layout and the swizzle allow, by
// ldmatrix where they form its matrices.
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "passes/Threads/ThreadLowering.h"
#include "passes/Tile/SharedAccesses.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace scanweft;
using namespace scanweft::wtile;

SharedBuffer ThreadLowering::getBuffer(Value value) {
  SharedBuffer buffer;
  auto type = cast<SharedType>(value.getType());
  buffer.elementType = type.getElementType();
  buffer.offsets = Coordinates(type.getRank(), 0);
  Value stage;
  while (!value.getDefiningOp<AllocOp>()) {
    if (auto subview = value.getDefiningOp<SubviewOp>()) {
      for (auto [sum, offset] :
           llvm::zip_equal(buffer.offsets, subview.getOffsets()))
        sum += offset;
      value = subview.getSource();
      continue;
    }
    auto ring = value.getDefiningOp<StageOp>();
    stage = scalar(ring.getIndex());
    value = ring.getRing();
  }
  auto allocation = value.getDefiningOp<AllocOp>();
  buffer.layout = getSharedLayout(allocation);
  Value address = i32(allocation.getAddress().value_or(0));
  if (stage) {
    ArrayRef<int64_t> shape = allocation.getBuffer().getType().getShape();
    int64_t bytes = buffer.layout.getNumElements() * buffer.layout.width;
    Value number =
        arith::AndIOp::create(builder, loc, asI32(stage), i32(shape[0] - 1));
    Value start = arith::MulIOp::create(builder, loc, number, i32(bytes));
    address = arith::AddIOp::create(builder, loc, address, start);
  }
  buffer.base = offsetBytes(shared, address);
  return buffer;
}

/// The byte offsets that a thread touches.
static LinearLayout getByteOffsets(const LinearLayout &layout,
                                   const SharedLayout &shared) {
  std::array<Bases, 3> offsets;
  for (LayoutInput input : layoutInputs)
    for (const Coordinates &basis : layout.getBases(input))
      offsets[static_cast<unsigned>(input)].push_back(
          {static_cast<int32_t>(shared.offset(basis) * shared.width)});
  int64_t bytes = shared.getNumElements() * shared.width;
  return LinearLayout({static_cast<int64_t>(llvm::PowerOf2Ceil(bytes))},
                      offsets[0], offsets[1], offsets[2],
                      layout.getNumRegisters());
}

Value ThreadLowering::getSharedAddress(const SharedBuffer &buffer,
                                       const LinearLayout &layout,
                                       unsigned reg) {
  LinearLayout offsets = getByteOffsets(layout, buffer.layout);
  ThreadPart part = getThreadPart(offsets, 0);
  uint32_t block = buffer.layout.offset(buffer.offsets) * buffer.layout.width;
  uint32_t own = static_cast<uint32_t>(offsets.at(reg)[0]) ^ block;
  if (!part.value)
    return offsetBytes(buffer.base, i32(own));
  if (own & part.bits)
    return offsetBytes(buffer.base, addConstant(part, own));
  // The constant becomes part of the instruction.
  return offsetBytes(offsetBytes(buffer.base, part.value), i32(own));
}

Value ThreadLowering::getElementAddress(const SharedBuffer &buffer, Value line,
                                        Value column) {
  const SharedLayout &layout = buffer.layout;
  auto add = [&](Value value, int64_t by) {
    return by ? Value(arith::AddIOp::create(builder, loc, value, i32(by)))
              : value;
  };
  if (layout.shape.size() == 2 && layout.contiguous == 0)
    std::swap(line, column);
  unsigned lineDim = layout.shape.size() == 2 ? 1 - layout.contiguous : 0;
  unsigned columnDim = layout.shape.size() == 2 ? layout.contiguous : 1;
  line = add(line, buffer.offsets[lineDim]);
  column = add(column, buffer.offsets[columnDim]);
  int64_t unit = 16 / layout.width;
  if (layout.mask) {
    Value bits = arith::ShRUIOp::create(builder, loc, line, i32(layout.shift));
    bits = arith::AndIOp::create(builder, loc, bits, i32(layout.mask));
    bits = arith::MulIOp::create(builder, loc, bits,
                                 i32((int64_t(1) << layout.left) * unit));
    column = arith::XOrIOp::create(builder, loc, column, bits);
  }
  Value start =
      arith::MulIOp::create(builder, loc, line, i32(layout.shape[columnDim]));
  Value offset = arith::AddIOp::create(builder, loc, start, column);
  return offsetBytes(buffer.base, arith::MulIOp::create(builder, loc, offset,
                                                        i32(layout.width)));
}

void ThreadLowering::lowerStoreShared(StoreSharedOp op) {
  SharedBuffer buffer = getBuffer(op.getBuffer());
  const LinearLayout &layout = layoutOf(op.getTile());
  unsigned bits = getVectorBits(composeWithShared(layout, buffer.layout),
                                buffer.layout.width);
  Elements elements = getElements(op.getTile());
  unsigned count = 1u << bits;
  onOneCopy(layout, [&] {
    for (unsigned reg = 0; reg < elements.size(); reg += count) {
      Value value = elements[reg];
      if (count > 1)
        value =
            buildVector(builder, loc, ValueRange(elements).slice(reg, count));
      LLVM::StoreOp::create(builder, loc, value,
                            getSharedAddress(buffer, layout, reg),
                            count * buffer.layout.width);
    }
  });
}

/// The dim along which ldmatrix can load the layout from the buffer.
static std::optional<unsigned> getMatrixDim(const LinearLayout &layout,
                                            const SharedBuffer &buffer) {
  if (buffer.layout.width != 2 || layout.getRank() != 2 ||
      layout.getNumRegisters() < 2)
    return std::nullopt;
  for (unsigned dim : {0u, 1u})
    if (isMatrixLoad(layout, dim))
      return dim;
  return std::nullopt;
}

ThreadLowering::Elements
ThreadLowering::loadMatrices(const SharedBuffer &buffer,
                             const LinearLayout &layout, unsigned dim) {
  unsigned count = std::min(4u, layout.getNumRegisters() / 2);
  bool transposed = buffer.layout.contiguous != dim;
  LinearLayout rows = getMatrixRows(layout, dim, count, transposed);
  Elements pairs;
  Type pair = VectorType::get(2, buffer.elementType);
  for (unsigned reg = 0; reg < rows.getNumRegisters(); ++reg)
    for (Value matrix :
         buildMatrixLoad(builder, loc, getSharedAddress(buffer, rows, reg),
                         count, transposed))
      pairs.push_back(LLVM::BitcastOp::create(builder, loc, pair, matrix));
  return pairs;
}

void ThreadLowering::lowerLoadShared(LoadSharedOp op) {
  SharedBuffer buffer = getBuffer(op.getBuffer());
  const LinearLayout &layout = layoutOf(op.getResult());
  if (auto dim = getMatrixDim(layout, buffer)) {
    tiles[op.getResult()] = loadMatrices(buffer, layout, *dim);
    return;
  }
  unsigned bits = getVectorBits(composeWithShared(layout, buffer.layout),
                                buffer.layout.width);
  unsigned count = 1u << bits;
  Elements elements;
  for (unsigned reg = 0; reg < layout.getNumRegisters(); reg += count) {
    Type type = count == 1 ? buffer.elementType
                           : VectorType::get(count, buffer.elementType);
    Value loaded = LLVM::LoadOp::create(builder, loc, type,
                                        getSharedAddress(buffer, layout, reg),
                                        count * buffer.layout.width);
    for (unsigned i = 0; i < count; ++i)
      elements.push_back(
          count == 1 ? loaded : Value(buildElement(builder, loc, loaded, i)));
  }
  setElements(op.getResult(), elements);
}

void ThreadLowering::lowerTake(TakeOp op) {
  SharedBuffer buffer = getBuffer(op.getSource());
  const LinearLayout &layout = layoutOf(op.getResult());
  Elements columns = getElements(op.getColumns()), elements;
  for (unsigned reg = 0; reg < layout.getNumRegisters(); ++reg) {
    Value line = getCoordinate(layout, reg, 0);
    Value address = getElementAddress(buffer, line, asI32(columns[reg]));
    elements.push_back(LLVM::LoadOp::create(builder, loc, buffer.elementType,
                                            address, buffer.layout.width));
  }
  setElements(op.getResult(), elements);
}

void ThreadLowering::lowerBarrier() {
  buildBarrier(builder, loc);
  // Addresses are computed again where they are used: as loop invariants they
  // would fill the registers.
  pin();
}
