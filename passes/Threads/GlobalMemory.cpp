// Part of Scanweft, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

//===----------------------------------------------------------------------===//
// Global memory: addresses are 64 bits, and every access of rows stands under
// the predicate that its row lives.
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "passes/Threads/ThreadLowering.h"
#include "passes/Tile/MatrixFragments.h"

using namespace mlir;
using namespace scanweft;
using namespace scanweft::wtile;

//===----------------------------------------------------------------------===//
// Views
//===----------------------------------------------------------------------===//

LogicalResult ThreadLowering::lowerSubview(memref::SubViewOp op) {
  const GlobalView source = views.lookup(op.getSource());
  GlobalView view;
  view.elementType = source.elementType;
  llvm::SmallBitVector dropped = op.getDroppedDims();
  unsigned bytes = (source.elementType.getIntOrFloatBitWidth() + 7) / 8;
  auto known = [&](OpFoldResult value) -> OpFoldResult {
    if (auto dynamic = dyn_cast<Value>(value))
      return scalar(dynamic);
    return value;
  };
  Value offset;
  for (auto [dim, start] : llvm::enumerate(op.getMixedOffsets())) {
    if (getConstantIntValue(op.getMixedStrides()[dim]) != 1)
      return op.emitOpError("has a step: rows of a view are consecutive");
    if (!dropped.test(dim)) {
      view.sizes.push_back(known(op.getMixedSizes()[dim]));
      view.strides.push_back(source.strides[dim]);
    }
    if (getConstantIntValue(start) == 0)
      continue;
    Value step = arith::MulIOp::create(builder, loc, asI64(known(start)),
                                       asI64(source.strides[dim]));
    offset = offset ? Value(arith::AddIOp::create(builder, loc, offset, step))
                    : step;
  }
  view.base = source.base;
  if (offset)
    view.base = offsetBytes(
        source.base, arith::MulIOp::create(builder, loc, offset, i64(bytes)));
  views[op.getResult()] = std::move(view);
  return success();
}

void ThreadLowering::lowerDim(memref::DimOp op) {
  const GlobalView &view = views[op.getSource()];
  scalars.map(op.getResult(), asIndex(view.sizes[*op.getConstantIndex()]));
}

//===----------------------------------------------------------------------===//
// Pieces
//===----------------------------------------------------------------------===//

static unsigned getBytes(Type elementType) {
  return (elementType.getIntOrFloatBitWidth() + 7) / 8;
}

/// log2 of the elements that an access moves: as many registers as step along
/// the contiguous dim, up to 16 bytes, if rows are whole pieces.
unsigned ThreadLowering::getPieceBits(const LinearLayout &layout,
                                      const GlobalView &view) {
  unsigned rank = layout.getRank();
  if (rank == 0 || getConstantIntValue(view.strides.back()) != 1)
    return 0;
  auto width = getConstantIntValue(view.sizes.back());
  if (!width)
    return 0;
  SharedLayout plain;
  plain.shape.assign(layout.getShape().begin(), layout.getShape().end());
  plain.width = getBytes(view.elementType);
  plain.contiguous = rank - 1;
  unsigned bits = getVectorBits(composeWithShared(layout, plain), plain.width);
  while (bits && *width % (int64_t(1) << bits) != 0)
    --bits;
  return bits;
}

Value ThreadLowering::getRow(Value first, const LinearLayout &layout,
                             unsigned reg) {
  Value own = asI64(getCoordinate(layout, reg, 0));
  if (!first)
    return own;
  return arith::AddIOp::create(builder, loc, asI64(first), own);
}

Value ThreadLowering::getAddress(const GlobalView &view, Value row,
                                 const LinearLayout &layout, unsigned reg) {
  unsigned bytes = getBytes(view.elementType);
  auto scaled = [&](Value steps, OpFoldResult stride) -> Value {
    Value elements = steps;
    if (getConstantIntValue(stride) != 1)
      elements = arith::MulIOp::create(builder, loc, steps, asI64(stride));
    return arith::MulIOp::create(builder, loc, elements, i64(bytes));
  };
  Value address = view.base;
  if (row)
    address = offsetBytes(address, scaled(row, view.strides[0]));
  for (unsigned dim = 1; dim < layout.getRank(); ++dim) {
    ThreadPart part = getThreadPart(layout, dim);
    uint32_t own = layout.at(reg)[dim];
    if (own & part.bits) {
      address = offsetBytes(
          address, scaled(asI64(addConstant(part, own)), view.strides[dim]));
      continue;
    }
    if (part.value)
      address =
          offsetBytes(address, scaled(asI64(part.value), view.strides[dim]));
    if (own)
      address = offsetBytes(address, scaled(i64(own), view.strides[dim]));
  }
  return address;
}

Value ThreadLowering::isLive(Value from, Value to, const LinearLayout &layout,
                             unsigned reg) {
  Value row = asI64(getCoordinate(layout, reg, 0));
  Value notBefore = arith::CmpIOp::create(
      builder, loc, arith::CmpIPredicate::sge, row, asI64(from));
  Value notAfter = arith::CmpIOp::create(
      builder, loc, arith::CmpIPredicate::slt, row, asI64(to));
  return arith::AndIOp::create(builder, loc, notBefore, notAfter);
}

//===----------------------------------------------------------------------===//
// Loads and stores
//===----------------------------------------------------------------------===//

void ThreadLowering::lowerLoad(LoadOp op) {
  const GlobalView view = views.lookup(op.getView());
  const LinearLayout &layout = layoutOf(op.getResult());
  unsigned bits = getPieceBits(layout, view);
  unsigned count = 1u << bits;
  Type type =
      count == 1 ? view.elementType : VectorType::get(count, view.elementType);
  Value first = op.getFirst() ? scalar(op.getFirst()) : Value();
  Value other;
  if (first) {
    other = op.getOther()
                ? scalar(op.getOther())
                : Value(arith::ConstantOp::create(
                      builder, loc, builder.getZeroAttr(view.elementType)));
    if (count > 1)
      other = buildVector(builder, loc, Elements(count, other));
  }
  Elements elements;
  for (unsigned reg = 0; reg < layout.getNumRegisters(); reg += count) {
    auto load = [&]() -> Value {
      Value row = layout.getRank() ? getRow(first, layout, reg) : Value();
      return LLVM::LoadOp::create(builder, loc, type,
                                  getAddress(view, row, layout, reg),
                                  count * getBytes(view.elementType));
    };
    Value piece;
    if (first) {
      Value live =
          isLive(scalar(op.getFrom()), scalar(op.getTo()), layout, reg);
      auto conditional =
          scf::IfOp::create(builder, loc, TypeRange(type), live,
                            /*addThenBlock=*/true, /*addElseBlock=*/true);
      OpBuilder::InsertionGuard guard(builder);
      builder.setInsertionPointToStart(conditional.thenBlock());
      Value loaded = load();
      scf::YieldOp::create(builder, loc, loaded);
      builder.setInsertionPointToStart(conditional.elseBlock());
      scf::YieldOp::create(builder, loc, other);
      piece = conditional.getResult(0);
    } else {
      piece = load();
    }
    for (unsigned i = 0; i < count; ++i)
      elements.push_back(
          count == 1 ? piece : Value(buildElement(builder, loc, piece, i)));
  }
  setElements(op.getResult(), elements);
}

void ThreadLowering::storePieces(Value tile, const GlobalView &view,
                                 function_ref<Value(unsigned)> row,
                                 function_ref<Value(unsigned)> live) {
  const LinearLayout &layout = layoutOf(tile);
  unsigned count = 1u << getPieceBits(layout, view);
  Elements elements = getElements(tile);
  onOneCopy(layout, [&] {
    for (unsigned reg = 0; reg < elements.size(); reg += count) {
      auto store = [&] {
        Value value = elements[reg];
        if (count > 1)
          value =
              buildVector(builder, loc, ValueRange(elements).slice(reg, count));
        LLVM::StoreOp::create(builder, loc, value,
                              getAddress(view, row(reg), layout, reg),
                              count * getBytes(view.elementType));
      };
      if (Value condition = live(reg))
        when(condition, store);
      else
        store();
    }
  });
}

void ThreadLowering::lowerStore(StoreOp op) {
  const GlobalView view = views.lookup(op.getView());
  const LinearLayout &layout = layoutOf(op.getTile());
  Value first = op.getFirst() ? scalar(op.getFirst()) : Value();
  storePieces(
      op.getTile(), view,
      [&](unsigned reg) {
        return layout.getRank() ? getRow(first, layout, reg) : Value();
      },
      [&](unsigned reg) {
        return first ? isLive(scalar(op.getFrom()), scalar(op.getTo()), layout,
                              reg)
                     : Value();
      });
}

/// Whether `row` is one of the view's.
static Value isInside(OpBuilder &builder, Location loc, Value row,
                      Value numRows) {
  // Negative numbers are large ones.
  return arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ult, row,
                               numRows);
}

void ThreadLowering::lowerScatter(ScatterOp op) {
  const GlobalView view = views.lookup(op.getView());
  const LinearLayout &layout = layoutOf(op.getTile());
  const LinearLayout &rowLayout = layoutOf(op.getRows());
  Elements rows = getElements(op.getRows());
  auto getIndex = [&](unsigned reg) {
    Coordinates at{layout.at(reg)[0]};
    return asI64(rows[*rowLayout.findRegister(at)]);
  };
  storePieces(op.getTile(), view, getIndex, [&](unsigned reg) -> Value {
    Value live = isLive(scalar(op.getFrom()), scalar(op.getTo()), layout, reg);
    Value inside = isInside(builder, loc, getIndex(reg), asI64(view.sizes[0]));
    return arith::AndIOp::create(builder, loc, live, inside);
  });
}

//===----------------------------------------------------------------------===//
// Asynchronous copies
//===----------------------------------------------------------------------===//

/// The row that the index names; `live` becomes false where it is none.
Value ThreadLowering::getIndexedRow(CopyAsyncOp op, const LinearLayout &layout,
                                    unsigned reg, Value &live) {
  Value index = op.getIndex();
  Value number;
  auto type = index.getType();
  if (isa<MemRefType>(type)) {
    const GlobalView numbers = views.lookup(index);
    auto conditional =
        scf::IfOp::create(builder, loc, TypeRange(numbers.elementType), live,
                          /*addThenBlock=*/true, /*addElseBlock=*/true);
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(conditional.thenBlock());
    Value position = getRow(scalar(op.getFirst()), layout, reg);
    Value step = arith::MulIOp::create(builder, loc, position,
                                       asI64(numbers.strides[0]));
    unsigned bytes = getBytes(numbers.elementType);
    Value address = offsetBytes(
        numbers.base, arith::MulIOp::create(builder, loc, step, i64(bytes)));
    Value loaded =
        LLVM::LoadOp::create(builder, loc, numbers.elementType, address, bytes);
    scf::YieldOp::create(builder, loc, loaded);
    builder.setInsertionPointToStart(conditional.elseBlock());
    Value none = arith::ConstantOp::create(
        builder, loc, builder.getIntegerAttr(numbers.elementType, -1));
    scf::YieldOp::create(builder, loc, none);
    number = conditional.getResult(0);
  } else {
    SharedBuffer buffer = getBuffer(index);
    Value offset = arith::MulIOp::create(
        builder, loc, getCoordinate(layout, reg, 0), i32(buffer.layout.width));
    number = LLVM::LoadOp::create(builder, loc, buffer.elementType,
                                  offsetBytes(buffer.base, offset),
                                  buffer.layout.width);
  }
  Value row = asI64(number);
  const GlobalView &view = views[op.getView()];
  live = arith::AndIOp::create(
      builder, loc, live, isInside(builder, loc, row, asI64(view.sizes[0])));
  return row;
}

/// Elements of a piece: 16 bytes where rows are made of such pieces and fill
/// the buffer's, else one.
static unsigned getCopyElements(const GlobalView &view,
                                const SharedLayout &shared) {
  unsigned bytes = getBytes(view.elementType);
  auto width = getConstantIntValue(view.sizes.back());
  if (shared.shape.size() != 2 ||
      getConstantIntValue(view.strides.back()) != 1 || !width ||
      *width != shared.shape[1] || *width * bytes % 16 != 0)
    return 1;
  return 16 / bytes;
}

void ThreadLowering::lowerCopy(CopyAsyncOp op) {
  const GlobalView view = views.lookup(op.getView());
  SharedBuffer buffer = getBuffer(op.getBuffer());
  ArrayRef<int64_t> shape = op.getBuffer().getType().getShape();
  unsigned count = getCopyElements(view, buffer.layout);
  unsigned bytes = count * getBytes(view.elementType);
  LinearLayout layout = makePiecesLayout(shape, count, *kernel.getWarps());
  onOneCopy(layout, [&] {
    for (unsigned reg = 0; reg < layout.getNumRegisters(); reg += count) {
      Value live =
          isLive(scalar(op.getFrom()), scalar(op.getTo()), layout, reg);
      Value row = op.getIndex() ? getIndexedRow(op, layout, reg, live)
                                : getRow(scalar(op.getFirst()), layout, reg);
      if (shape.size() == 2 && getConstantIntValue(view.sizes[1]) != shape[1]) {
        Value width = asI64(view.sizes[1]);
        Value column = asI64(getCoordinate(layout, reg, 1));
        live = arith::AndIOp::create(
            builder, loc, live,
            arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::slt,
                                  column, width));
      }
      Value target = getSharedAddress(buffer, layout, reg);
      if (bytes >= 4) {
        Value size =
            arith::SelectOp::create(builder, loc, live, i32(bytes), i32(0));
        buildCopyAsync(builder, loc, target, getAddress(view, row, layout, reg),
                       bytes, size);
        continue;
      }
      auto conditional =
          scf::IfOp::create(builder, loc, TypeRange(view.elementType), live,
                            /*addThenBlock=*/true, /*addElseBlock=*/true);
      {
        OpBuilder::InsertionGuard guard(builder);
        builder.setInsertionPointToStart(conditional.thenBlock());
        Value loaded =
            LLVM::LoadOp::create(builder, loc, view.elementType,
                                 getAddress(view, row, layout, reg), bytes);
        scf::YieldOp::create(builder, loc, loaded);
        builder.setInsertionPointToStart(conditional.elseBlock());
        Value zero = arith::ConstantOp::create(
            builder, loc, builder.getZeroAttr(view.elementType));
        scf::YieldOp::create(builder, loc, zero);
      }
      LLVM::StoreOp::create(builder, loc, conditional.getResult(0), target,
                            bytes);
    }
  });
}
