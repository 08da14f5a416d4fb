// Part of Scanweft, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "passes/Tile/MatrixFragments.h"

using namespace mlir;
using namespace scanweft;
using namespace scanweft::wtile;

static ArrayRef<int64_t> getShape(Value factor) {
  if (auto shared = dyn_cast<SharedType>(factor.getType()))
    return shared.getShape();
  return cast<RankedTensorType>(factor.getType()).getShape();
}

static bool isSinglePrecision(Value factor) {
  if (auto shared = dyn_cast<SharedType>(factor.getType()))
    return shared.getElementType().isF32();
  return cast<RankedTensorType>(factor.getType()).getElementType().isF32();
}

MatrixFragments scanweft::getMatrixFragments(MmaOp product, unsigned numWarps) {
  ArrayRef<int64_t> shape =
      cast<RankedTensorType>(product.getResult().getType()).getShape();
  MatrixFragments fragments;
  fragments.grid = splitWarps(numWarps, shape[0], shape[1]);
  fragments.step = isSinglePrecision(product.getRhs()) ? 8 : 16;
  fragments.first = makeOperandALayout(getShape(product.getLhs()),
                                       product.getLhsDim(), fragments.grid);
  fragments.second =
      makeOperandBLayout(getShape(product.getRhs()), product.getRhsDim(),
                         fragments.grid, fragments.step);
  fragments.accumulator = makeAccumulatorLayout(shape, fragments.grid);
  return fragments;
}

LinearLayout scanweft::makeRowPieces(ArrayRef<int64_t> shape,
                                     unsigned elementBytes, unsigned numWarps) {
  return makePiecesLayout(shape, 16 / std::max(1u, elementBytes), numWarps);
}
