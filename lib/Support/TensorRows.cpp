// Part of Scanweft, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "scanweft/Support/TensorRows.h"

using namespace mlir;

namespace {
/// Offsets, sizes and strides of a run of rows.
struct RowSlice {
  SmallVector<OpFoldResult> offsets, sizes, strides;
};
} // namespace

static RowSlice getRowSlice(OpBuilder &builder, Location loc, Value tensor,
                            OpFoldResult offset, OpFoldResult count) {
  RowSlice slice;
  slice.sizes = tensor::getMixedSizes(builder, loc, tensor);
  slice.offsets.assign(slice.sizes.size(), builder.getIndexAttr(0));
  slice.strides.assign(slice.sizes.size(), builder.getIndexAttr(1));
  slice.offsets[0] = offset;
  slice.sizes[0] = count;
  return slice;
}

Value scanweft::extractRows(OpBuilder &builder, Location loc, Value source,
                            OpFoldResult offset, OpFoldResult count) {
  auto [offsets, sizes, strides] =
      getRowSlice(builder, loc, source, offset, count);
  return tensor::ExtractSliceOp::create(builder, loc, source, offsets, sizes,
                                        strides);
}

Value scanweft::insertRows(OpBuilder &builder, Location loc, Value rows,
                           Value target, OpFoldResult offset,
                           OpFoldResult count) {
  auto [offsets, sizes, strides] =
      getRowSlice(builder, loc, target, offset, count);
  return tensor::InsertSliceOp::create(builder, loc, rows, target, offsets,
                                       sizes, strides);
}

Value scanweft::extractEntry(OpBuilder &builder, Location loc, Value stack,
                             Value index) {
  auto [offsets, sizes, strides] =
      getRowSlice(builder, loc, stack, index, builder.getIndexAttr(1));
  auto type = cast<RankedTensorType>(stack.getType());
  auto entry = RankedTensorType::get(type.getShape().drop_front(),
                                     type.getElementType());
  return tensor::ExtractSliceOp::create(builder, loc, entry, stack, offsets,
                                        sizes, strides);
}

Value scanweft::insertEntry(OpBuilder &builder, Location loc, Value entry,
                            Value stack, Value index) {
  return insertRows(builder, loc, entry, stack, index, builder.getIndexAttr(1));
}
