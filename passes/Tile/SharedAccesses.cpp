// Part of Scanweft, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "passes/Tile/SharedAccesses.h"
#include "passes/Tile/MatrixFragments.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace scanweft;
using namespace scanweft::wtile;

AllocOp scanweft::getAllocation(Value buffer) {
  while (true) {
    Operation *op = buffer.getDefiningOp();
    if (auto stage = dyn_cast_if_present<StageOp>(op))
      buffer = stage.getRing();
    else if (auto subview = dyn_cast_if_present<SubviewOp>(op))
      buffer = subview.getSource();
    else
      return dyn_cast_if_present<AllocOp>(op);
  }
}

bool scanweft::isRing(AllocOp allocation) {
  return llvm::any_of(allocation->getUsers(),
                      [](Operation *user) { return isa<StageOp>(user); });
}

SharedLayout scanweft::getSharedLayout(AllocOp allocation) {
  SharedType type = allocation.getBuffer().getType();
  ArrayRef<int64_t> shape = type.getShape();
  if (isRing(allocation))
    shape = shape.drop_front();
  SharedLayout layout;
  layout.shape.assign(shape.begin(), shape.end());
  layout.width = type.getElementBytes();
  layout.contiguous = shape.empty() ? 0 : shape.size() - 1;
  if (auto swizzle = allocation.getSwizzleAttr()) {
    layout.contiguous = swizzle.getContiguous();
    layout.shift = swizzle.getShift();
    layout.left = swizzle.getLeft();
    layout.mask = swizzle.getMask();
  }
  return layout;
}

namespace {
/// Gathers the accesses of one op.
struct Accesses {
  SmallVector<SharedAccess, 2> list;

  void add(Value buffer, bool write,
           std::optional<LinearLayout> layout = std::nullopt,
           bool matrix = false) {
    if (!isa<SharedType>(buffer.getType()))
      return;
    SharedAccess access;
    access.allocation = getAllocation(buffer);
    access.write = write;
    access.layout = std::move(layout);
    access.matrix = matrix;
    list.push_back(std::move(access));
  }
  void markOwn() {
    for (SharedAccess &access : list)
      access.own = true;
  }
};
} // namespace

static std::optional<LinearLayout> getTileLayout(Value tile) {
  const LinearLayout *layout = getLayout(tile);
  return layout ? std::optional<LinearLayout>(*layout) : std::nullopt;
}

SmallVector<SharedAccess, 2> scanweft::getSharedAccesses(Operation *op,
                                                         unsigned numWarps) {
  Accesses accesses;
  TypeSwitch<Operation *>(op)
      .Case([&](StoreSharedOp store) {
        accesses.add(store.getBuffer(), true, getTileLayout(store.getTile()));
      })
      .Case([&](LoadSharedOp load) {
        accesses.add(load.getBuffer(), false, getTileLayout(load.getResult()));
      })
      .Case([&](MmaOp product) {
        MatrixFragments fragments = getMatrixFragments(product, numWarps);
        bool matrix = fragments.step == 16;
        accesses.add(product.getLhs(), false, fragments.first, matrix);
        accesses.add(product.getRhs(), false, fragments.second, matrix);
      })
      .Case([&](TakeOp take) { accesses.add(take.getSource(), false); })
      .Case([&](CopyAsyncOp copy) {
        SharedType type = copy.getBuffer().getType();
        std::optional<LinearLayout> pieces;
        if (type.getRank() == 2)
          pieces =
              makeRowPieces(type.getShape(), type.getElementBytes(), numWarps);
        accesses.add(copy.getBuffer(), true, pieces);
        accesses.list.back().ring = isRing(accesses.list.back().allocation);
        if (copy.getIndex())
          accesses.add(copy.getIndex(), false);
      })
      .Case([&](LoadSlotOp load) {
        accesses.add(load.getStack(), false);
        accesses.markOwn();
      })
      .Case([&](StoreSlotOp store) {
        accesses.add(store.getStack(), true);
        accesses.markOwn();
      })
      .Case([&](FactorSharedOp factor) {
        accesses.add(factor.getSource(), false);
        accesses.add(factor.getFactor(), true);
        accesses.add(factor.getInverse(), true);
        accesses.add(factor.getStrips(), true);
      })
      .Case([&](InvertSharedOp invert) {
        accesses.add(invert.getSource(), false);
        accesses.add(invert.getInverses(), true);
      });
  return accesses.list;
}
