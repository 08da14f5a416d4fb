// Part of Scanweft, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

//===----------------------------------------------------------------------===//
// A strided copy as a linalg op whose body yields its input.
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "passes/CPU/Passes.h"

namespace scanweft {
#define GEN_PASS_DEF_LOWERCOPIES
#include "passes/CPU/Passes.h.inc"
} // namespace scanweft

using namespace mlir;

/// The LLVM conversion makes a memcpy of such a copy.
static bool isContiguous(memref::CopyOp copy) {
  auto isIdentity = [](Value value) {
    auto type = dyn_cast<MemRefType>(value.getType());
    return !type || type.getLayout().isIdentity();
  };
  return isIdentity(copy.getSource()) && isIdentity(copy.getTarget());
}

static void lowerCopy(memref::CopyOp copy) {
  OpBuilder builder(copy);
  auto type = cast<MemRefType>(copy.getTarget().getType());
  AffineMap map = builder.getMultiDimIdentityMap(type.getRank());
  SmallVector<utils::IteratorType> iterators(type.getRank(),
                                             utils::IteratorType::parallel);
  linalg::GenericOp::create(
      builder, copy.getLoc(), ValueRange(copy.getSource()),
      ValueRange(copy.getTarget()), ArrayRef({map, map}), iterators,
      [](OpBuilder &nested, Location loc, ValueRange elements) {
        linalg::YieldOp::create(nested, loc, elements.front());
      });
  copy.erase();
}

namespace {

class LowerCopies : public scanweft::impl::LowerCopiesBase<LowerCopies> {
  void runOnOperation() override {
    getOperation()->walk([](memref::CopyOp copy) {
      if (!isContiguous(copy))
        lowerCopy(copy);
    });
  }
};

} // namespace
