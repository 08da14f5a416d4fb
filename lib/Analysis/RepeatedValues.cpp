// Part of Scanweft, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "scanweft/Analysis/RepeatedValues.h"
#include "dialects/Weft/IR/Weft.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace scanweft;

static bool isRepeated(Operation *op) {
  return isa<weft::BroadcastOp>(op) ||
         (isa<arith::ConstantOp>(op) &&
          isa<RankedTensorType>(op->getResult(0).getType()));
}

void scanweft::separateRepeatedValues(Operation *root) {
  SmallVector<Operation *> repeated;
  // Users first: what a copy reads is separated for it as well.
  root->walk<WalkOrder::PostOrder>([&](Operation *op) {
    if (isRepeated(op))
      repeated.push_back(op);
  });
  for (Operation *op : llvm::reverse(repeated)) {
    bool first = true;
    for (OpOperand &use :
         llvm::make_early_inc_range(op->getResult(0).getUses())) {
      if (std::exchange(first, false))
        continue;
      OpBuilder builder(op);
      use.set(builder.clone(*op)->getResult(0));
    }
  }
}
