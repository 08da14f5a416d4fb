// Part of Scanweft, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

//===----------------------------------------------------------------------===//
// What is checked of buffers, of moves between them and registers, and of
// stacks.
//===----------------------------------------------------------------------===//

#include "dialects/WTile/IR/WTile.h"
#include "dialects/WTile/IR/WTileVerifiers.h"
#include "llvm/Support/MathExtras.h"
#include <limits>

using namespace mlir;
using namespace scanweft;
using namespace scanweft::wtile;

//===----------------------------------------------------------------------===//
// Shared memory
//===----------------------------------------------------------------------===//

/// Whether units of 16 bytes stay inside their line.
static bool isInside(SwizzleAttr swizzle, SharedType type,
                     ArrayRef<int64_t> shape) {
  if (shape.size() != 2 || swizzle.getContiguous() > 1 ||
      swizzle.getShift() > 31 || swizzle.getLeft() > 31 ||
      !llvm::isPowerOf2_64(shape[swizzle.getContiguous()]))
    return false;
  uint64_t units = shape[swizzle.getContiguous()] * type.getElementBytes() / 16;
  return static_cast<uint64_t>(swizzle.getMask()) << swizzle.getLeft() <
         std::max<uint64_t>(units, 1);
}

LogicalResult AllocOp::verify() {
  SharedType type = getBuffer().getType();
  ArrayRef<int64_t> shape = type.getShape();
  // Offsets are XORs of those of coordinates' bits.
  for (int64_t size : shape.drop_front(std::min<size_t>(1, shape.size())))
    if (!llvm::isPowerOf2_64(size))
      return emitOpError() << "of " << type << " has a dim of size " << size
                           << ": sizes behind the first are powers of two";
  std::optional<int64_t> address = getAddress();
  if (address &&
      (*address < 0 || *address % 16 != 0 ||
       *address > std::numeric_limits<int32_t>::max() - type.getNumBytes()))
    return emitOpError() << "at " << *address << " of " << type
                         << ": an address is a multiple of 16 below 2^31";
  // The order of a ring is that of its stages.
  if (!shape.empty() && llvm::any_of(getBuffer().getUsers(), [](Operation *op) {
        return isa<StageOp>(op);
      }))
    shape = shape.drop_front();
  SwizzleAttr swizzle = getSwizzleAttr();
  if (!swizzle || isInside(swizzle, type, shape))
    return success();
  return emitOpError() << "of " << type << " has " << swizzle
                       << ": units of 16 bytes stay inside their line of a "
                          "matrix";
}

LogicalResult StageOp::verify() {
  ArrayRef<int64_t> ring = getRing().getType().getShape();
  if (!ring.empty() && llvm::isPowerOf2_64(ring[0]) &&
      ring.drop_front() == getResult().getType().getShape() &&
      getRing().getType().getElementType() ==
          getResult().getType().getElementType())
    return success();
  return emitOpError() << "of " << getRing().getType() << " is "
                       << getResult().getType()
                       << ": a ring has a power of two of stages";
}

LogicalResult SubviewOp::verify() {
  return verifyBlock(*this, getSource().getType(), getResult().getType(),
                     getOffsets());
}

static LogicalResult verifySameTile(Operation *op, Type tile, Type buffer) {
  if (getShape(tile) == getShape(buffer) &&
      getElementType(tile) == getElementType(buffer))
    return success();
  return op->emitOpError() << "moves " << tile << " and " << buffer
                           << ": tile and buffer have one shape and element "
                              "type";
}

LogicalResult StoreSharedOp::verify() {
  return verifySameTile(*this, getTile().getType(), getBuffer().getType());
}

LogicalResult LoadSharedOp::verify() {
  return verifySameTile(*this, getResult().getType(), getBuffer().getType());
}

LogicalResult RelayoutOp::verify() {
  Type source = getSource().getType(), result = getResult().getType();
  if (getShape(source) == getShape(result) &&
      getElementType(source) == getElementType(result))
    return verifyLayouts(*this);
  return emitOpError() << "of " << source << " is " << result
                       << ": another layout changes no shape and no element "
                          "type";
}

LogicalResult CopyAsyncOp::verify() {
  auto view = cast<MemRefType>(getView().getType());
  ArrayRef<int64_t> buffer = getBuffer().getType().getShape();
  bool fits = view.getRank() == static_cast<int64_t>(buffer.size()) &&
              !buffer.empty() &&
              view.getElementType() == getBuffer().getType().getElementType();
  for (size_t dim = 1; fits && dim < buffer.size(); ++dim)
    fits = !view.isDynamicDim(dim) && view.getDimSize(dim) <= buffer[dim];
  if (!fits)
    return emitOpError() << "of " << view << " to " << getBuffer().getType()
                         << ": the buffer holds rows of the memory";
  if (!getIndex())
    return success();
  Type index = getIndex().getType();
  if (getShape(index).size() != 1 || !getElementType(index).isInteger())
    return emitOpError() << "by " << index
                         << ": row numbers are a vector of integers";
  if (!isa<SharedType>(index) || getShape(index)[0] == buffer[0])
    return success();
  return emitOpError() << "by " << index << " to " << getBuffer().getType()
                       << ": there is one row number per row";
}

LogicalResult FactorSharedOp::verify() {
  if (failed(verifyFactor(*this, getSource().getType(), getFactor().getType(),
                          getInverse().getType())))
    return failure();
  SharedType strips = getStrips().getType();
  if (strips.getRank() == 1 && strips.getNumElements() % 64 == 0 &&
      strips.getElementType().isF32())
    return success();
  return emitOpError() << "has strips of " << strips
                       << ": pivot rows take 64 numbers of f32 a warp";
}

LogicalResult InvertSharedOp::verify() {
  return verifyInverses(*this, getSource().getType(), getInverses().getType());
}

/// A slot of a stack.
static LogicalResult verifySlot(Operation *op, Type tile, Type stack,
                                int64_t slot) {
  ArrayRef<int64_t> shape = getShape(stack);
  if (!shape.empty() && slot < shape[0] &&
      getShape(tile) == shape.drop_front() &&
      getElementType(tile) == getElementType(stack))
    return success();
  return op->emitOpError() << "moves " << tile << " and slot " << slot << " of "
                           << stack << ": the tile is one of the stack's slots";
}

LogicalResult LoadSlotOp::verify() {
  return verifySlot(*this, getResult().getType(), getStack().getType(),
                    getSlot());
}

LogicalResult StoreSlotOp::verify() {
  return verifySlot(*this, getTile().getType(), getStack().getType(),
                    getSlot());
}
