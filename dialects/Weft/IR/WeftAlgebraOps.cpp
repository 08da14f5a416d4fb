// Part of Scanweft, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

//===----------------------------------------------------------------------===//
// Syntax, verifiers and folds of the algebra stage.
//===----------------------------------------------------------------------===//

#include "dialects/Weft/IR/Weft.h"

using namespace mlir;
using namespace scanweft::weft;

ParseResult AffineScanOp::parse(OpAsmParser &, OperationState &) {
  return failure();
}
void AffineScanOp::print(OpAsmPrinter &) {}

void GroupOp::getSuccessorRegions(RegionBranchPoint point,
                                  SmallVectorImpl<RegionSuccessor> &regions) {
  if (point.isParent())
    regions.emplace_back(&getBody());
  else
    regions.emplace_back(getOperation(), getResults());
}

LogicalResult AffineScanOp::verify() { return success(); }
LogicalResult PrefixSumOp::verify() { return success(); }
LogicalResult AssociativeScanOp::verify() { return success(); }
LogicalResult TokenMatmulOp::verify() { return success(); }
LogicalResult GroupOp::verify() { return success(); }
