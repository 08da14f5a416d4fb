// Part of Scanweft, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

//===----------------------------------------------------------------------===//
// What the verifiers of several ops ask.
//===----------------------------------------------------------------------===//

#include "dialects/WTile/IR/WTileVerifiers.h"
#include "dialects/WTile/IR/WTile.h"

using namespace mlir;
using namespace scanweft;
using namespace scanweft::wtile;

ArrayRef<int64_t> wtile::getShape(Type type) {
  if (auto shared = dyn_cast<SharedType>(type))
    return shared.getShape();
  if (auto stack = dyn_cast<StackType>(type))
    return stack.getShape();
  return cast<ShapedType>(type).getShape();
}

Type wtile::getElementType(Type type) {
  if (auto shared = dyn_cast<SharedType>(type))
    return shared.getElementType();
  if (auto stack = dyn_cast<StackType>(type))
    return stack.getElementType();
  return cast<ShapedType>(type).getElementType();
}

std::string wtile::toText(ArrayRef<int64_t> list) {
  std::string text;
  llvm::raw_string_ostream os(text);
  os << '[';
  llvm::interleaveComma(list, os);
  os << ']';
  return text;
}

LogicalResult wtile::verifyBlock(Operation *op, Type whole, Type part,
                                 ArrayRef<int64_t> offsets) {
  ArrayRef<int64_t> outer = getShape(whole), inner = getShape(part);
  bool fits = outer.size() == inner.size() && outer.size() == offsets.size() &&
              getElementType(whole) == getElementType(part);
  for (size_t i = 0; fits && i < offsets.size(); ++i)
    fits = inner[i] > 0 && offsets[i] >= 0 && offsets[i] % inner[i] == 0 &&
           offsets[i] <= outer[i] - inner[i];
  if (fits)
    return success();
  return op->emitOpError() << "of " << whole << " at " << toText(offsets)
                           << " is " << part
                           << ": a block lies inside, at multiples of its "
                              "sizes";
}

LogicalResult wtile::verifyFactor(Operation *op, Type source, Type factor,
                                  Type inverse) {
  if (getShape(source) == ArrayRef<int64_t>{16, 16} &&
      getElementType(source).isF32() && factor == source && inverse == source)
    return success();
  return op->emitOpError() << "of " << source << " is " << factor << " and "
                           << inverse << ": all three are blocks of 16x16xf32";
}

LogicalResult wtile::verifyInverses(Operation *op, Type source, Type inverses) {
  ArrayRef<int64_t> shape = getShape(source);
  if (shape.size() == 2 && shape[0] == shape[1] && shape[0] > 0 &&
      shape[0] % 16 == 0 &&
      getShape(inverses) == ArrayRef<int64_t>{shape[0], 16} &&
      getElementType(source).isF32() && getElementType(inverses).isF32())
    return success();
  return op->emitOpError() << "of " << source << " is " << inverses
                           << ": f32 blocks of 16 rows, one below the other";
}
