// Part of Scanweft, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

//===----------------------------------------------------------------------===//
// Sizes of body ops on tensors of dynamic sizes: their verifiers let two sizes
// pass where one is not known.
//===----------------------------------------------------------------------===//

#include "passes/CPU/CheckBounds.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace scanweft;
using namespace scanweft::weft;

namespace {
/// A dim of a tensor.
struct TensorDim {
  Value tensor;
  int64_t dim;
};
} // namespace

static void checkEqual(Checks &checks, TensorDim a, TensorDim b) {
  checks.equal(checks.sizeOf(a.tensor, a.dim), checks.sizeOf(b.tensor, b.dim),
               "dim " + Twine(b.dim) + " of an operand");
}

/// All dims of `tensors` that have the same number agree.
static void checkSameShape(Checks &checks, ArrayRef<Value> tensors) {
  int64_t rank = cast<RankedTensorType>(tensors[0].getType()).getRank();
  for (Value tensor : tensors.drop_front())
    for (int64_t dim : llvm::seq(rank))
      checkEqual(checks, {tensors[0], dim}, {tensor, dim});
}

/// A result dim of known size agrees with an operand's.
static void checkResult(Checks &checks, Value result, int64_t dim,
                        TensorDim operand) {
  int64_t size = cast<RankedTensorType>(result.getType()).getDimSize(dim);
  if (!ShapedType::isDynamic(size))
    checks.equal(checks.index(size), checks.sizeOf(operand.tensor, operand.dim),
                 "dim " + Twine(operand.dim) + " of an operand");
}

static void checkSquare(Checks &checks, Value matrix) {
  checkEqual(checks, {matrix, 0}, {matrix, 1});
}

/// The result's dims that are known, as the operands that pass through give
/// them: `sizes` holds what the result's type or an earlier operand says.
static void checkPassingDims(Checks &checks, DimwiseOpInterface op) {
  auto type = cast<RankedTensorType>(op->getResult(0).getType());
  SmallVector<OpFoldResult> sizes(type.getRank());
  for (auto [size, extent] : llvm::zip(sizes, type.getShape()))
    if (!ShapedType::isDynamic(extent))
      size = checks.index(extent);
  for (OpOperand &operand : op->getOpOperands()) {
    unsigned number = operand.getOperandNumber();
    if (op.isShapeOnly(number))
      continue;
    for (auto [dim, target] : llvm::enumerate(op.getResultDims(number))) {
      if (target < 0)
        continue;
      OpFoldResult size = checks.sizeOf(operand.get(), dim);
      if (sizes[target])
        checks.equal(sizes[target], size,
                     "dim " + Twine(dim) + " of operand #" + Twine(number));
      else
        sizes[target] = size;
    }
  }
}

void scanweft::checkBodySizes(Checks &checks, Operation *op) {
  if (auto dimwise = dyn_cast<DimwiseOpInterface>(op))
    checkPassingDims(checks, dimwise);
  llvm::TypeSwitch<Operation *>(op)
      .Case([&](DotOp op) {
        checkEqual(checks, {op.getLhs(), op.getLhsDim()},
                   {op.getRhs(), op.getRhsDim()});
      })
      .Case([&](DecayedDotOp op) {
        checkSameShape(checks, {op.getLhs(), op.getRhs(), op.getLhsDecay(),
                                op.getRhsDecay()});
        checkResult(checks, op.getResult(), 0, {op.getLhs(), 0});
        checkResult(checks, op.getResult(), 1, {op.getRhs(), 0});
      })
      .Case([&](DecayedMatmulOp op) {
        checkSameShape(checks,
                       {op.getRhs(), op.getLhsDecay(), op.getRhsDecay()});
        checkSquare(checks, op.getWeights());
        checkEqual(checks, {op.getWeights(), 0}, {op.getRhs(), 0});
        checkResult(checks, op.getResult(), 0, {op.getRhs(), 0});
        checkResult(checks, op.getResult(), 1, {op.getRhs(), 1});
      })
      .Case([&](SolveTrilOp op) {
        checkSquare(checks, op.getMatrix());
        checkEqual(checks, {op.getMatrix(), 0}, {op.getRhs(), 0});
      })
      .Case([&](CholeskyOp op) { checkSquare(checks, op.getSource()); })
      .Case([&](ScanRowsOp op) {
        checkSameShape(checks, llvm::to_vector(op.getSources()));
      })
      .Case([&](MaskWindowOp op) {
        if (!op.getRowIndex())
          return;
        checkEqual(checks, {op.getScores(), 0}, {op.getRowIndex(), 0});
        checkEqual(checks, {op.getScores(), 1}, {op.getColIndex(), 0});
      });
}
