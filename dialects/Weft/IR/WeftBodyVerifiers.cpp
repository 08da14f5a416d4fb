// Part of Scanweft, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

//===----------------------------------------------------------------------===//
// Verifiers of the body ops. Token-wise ops serve whole tensors with dynamic
// sizes too: two sizes agree where they are equal or one is not known.
//===----------------------------------------------------------------------===//

#include "dialects/Weft/IR/CarryKindBuilder.h"
#include "dialects/Weft/IR/WeftRules.h"
#include "llvm/Support/MathExtras.h"
#include <cmath>

using namespace mlir;
using namespace scanweft::weft;

//===----------------------------------------------------------------------===//
// Shapes
//===----------------------------------------------------------------------===//

static bool sizesAgree(int64_t lhs, int64_t rhs) {
  return lhs == rhs || ShapedType::isDynamic(lhs) || ShapedType::isDynamic(rhs);
}

static bool shapesAgree(ArrayRef<int64_t> lhs, ArrayRef<int64_t> rhs) {
  return lhs.size() == rhs.size() &&
         llvm::all_of(llvm::zip(lhs, rhs), [](auto sizes) {
           return sizesAgree(std::get<0>(sizes), std::get<1>(sizes));
         });
}

static SmallVector<int64_t> withoutDim(RankedTensorType type, int64_t dim) {
  SmallVector<int64_t> shape(type.getShape());
  shape.erase(shape.begin() + dim);
  return shape;
}

/// Whether a tensor is [C, C].
static bool isSquare(RankedTensorType type) {
  return type.getRank() == 2 &&
         sizesAgree(type.getDimSize(0), type.getDimSize(1));
}

static LogicalResult verifyDim(Operation *op, RankedTensorType source,
                               int64_t dim) {
  if (dim >= 0 && dim < source.getRank())
    return success();
  return op->emitOpError("is over dim ")
         << dim << " of a source " << source << rule::B4;
}

/// A map along one dim: the result has the source's shape.
static LogicalResult verifyMap(Operation *op, Value source, int64_t dim,
                               Value result) {
  RankedTensorType type = tensorType(source);
  if (failed(verifyDim(op, type, dim)))
    return failure();
  if (shapesAgree(type.getShape(), tensorType(result).getShape()))
    return success();
  return op->emitOpError("maps ")
         << type << " to " << result.getType() << rule::B13;
}

static LogicalResult verifySquare(Operation *op, Value matrix) {
  if (isSquare(tensorType(matrix)))
    return success();
  return op->emitOpError("has an operand or result of type ")
         << matrix.getType() << rule::B7;
}

//===----------------------------------------------------------------------===//
// Products
//===----------------------------------------------------------------------===//

LogicalResult DotOp::verify() {
  RankedTensorType lhs = tensorType(getLhs()), rhs = tensorType(getRhs());
  ArrayRef<int64_t> dims = getDims();
  if (dims.size() != 2 || dims[0] < 0 || dims[0] >= lhs.getRank() ||
      dims[1] < 0 || dims[1] >= rhs.getRank())
    return emitOpError("is over [")
           << dims << "] of " << lhs << " and " << rhs << rule::B1;
  if (!sizesAgree(lhs.getDimSize(dims[0]), rhs.getDimSize(dims[1])))
    return emitOpError("contracts dim ")
           << dims[0] << " of " << lhs << " with dim " << dims[1] << " of "
           << rhs << rule::B2;
  SmallVector<int64_t> shape = withoutDim(lhs, dims[0]);
  llvm::append_range(shape, withoutDim(rhs, dims[1]));
  auto expected = RankedTensorType::get(shape, getNumerics().getAcc());
  if (expected == getType())
    return success();
  return emitOpError("has a result of type ")
         << getType() << " where it makes " << expected << rule::B3;
}

LogicalResult DecayedDotOp::verify() {
  RankedTensorType lhs = tensorType(getLhs()), rhs = tensorType(getRhs());
  RankedTensorType decay = tensorType(getLhsDecay()),
                   result = tensorType(getResult());
  Type acc = getNumerics().getAcc();
  bool fits =
      lhs.getRank() == 2 && shapesAgree(lhs.getShape(), rhs.getShape()) &&
      shapesAgree(lhs.getShape(), decay.getShape()) && isSquare(result) &&
      sizesAgree(result.getDimSize(0), lhs.getDimSize(0)) &&
      decay.getElementType() == acc && result.getElementType() == acc;
  if (fits)
    return success();
  return emitOpError("has rows ")
         << lhs << " and " << rhs << ", decays " << decay << " and a result "
         << result << rule::B24;
}

LogicalResult DecayedMatmulOp::verify() {
  RankedTensorType weights = tensorType(getWeights()),
                   rhs = tensorType(getRhs());
  RankedTensorType decay = tensorType(getLhsDecay()),
                   result = tensorType(getResult());
  Type acc = getNumerics().getAcc();
  bool fits = isSquare(weights) && rhs.getRank() == 2 &&
              sizesAgree(weights.getDimSize(0), rhs.getDimSize(0)) &&
              shapesAgree(rhs.getShape(), decay.getShape()) &&
              shapesAgree(rhs.getShape(), result.getShape()) &&
              decay.getElementType() == acc && result.getElementType() == acc;
  if (fits)
    return success();
  return emitOpError("has weights ")
         << weights << ", rows " << rhs << ", decays " << decay
         << " and a result " << result << rule::B25;
}

//===----------------------------------------------------------------------===//
// Reductions and running combinations
//===----------------------------------------------------------------------===//

template <typename OpTy> static LogicalResult verifyReduction(OpTy op) {
  RankedTensorType source = tensorType(op.getSource());
  if (failed(verifyDim(op, source, op.getDim())))
    return failure();
  auto expected = RankedTensorType::get(withoutDim(source, op.getDim()),
                                        source.getElementType());
  if (expected == op.getType())
    return success();
  return op.emitOpError("has a result of type ")
         << op.getType() << " where it makes " << expected << rule::B5;
}

LogicalResult SumOp::verify() { return verifyReduction(*this); }
LogicalResult MaxOp::verify() { return verifyReduction(*this); }

LogicalResult CumsumOp::verify() {
  return verifyDim(*this, tensorType(getSource()), getDim());
}

LogicalResult ScanRowsOp::verify() {
  auto emitTypes = [&]() -> InFlightDiagnostic {
    return emitOpError("scans ")
           << getSources().getTypes() << " to " << getScanned().getTypes()
           << " and " << getTotals().getTypes();
  };
  if (getSources().empty() ||
      TypeRange(getSources()) != TypeRange(getScanned()) ||
      getTotals().size() != getSources().size())
    return emitTypes() << rule::B22;
  ArrayRef<int64_t> shape = tensorType(getSources()[0]).getShape();
  for (auto [source, total] : llvm::zip(getSources(), getTotals())) {
    RankedTensorType type = tensorType(source);
    if (type.getRank() == 0 || type.getShape() != shape ||
        total.getType() !=
            RankedTensorType::get(shape.drop_front(), type.getElementType()))
      return emitTypes() << rule::B22;
  }
  auto fits = [](auto pair) {
    auto number = dyn_cast<FloatAttr>(std::get<1>(pair));
    return number &&
           number.getType() == tensorType(std::get<0>(pair)).getElementType();
  };
  if (getIdentity().size() != getSources().size() ||
      !llvm::all_of(llvm::zip(getSources(), getIdentity()), fits))
    return emitOpError("has identity ") << getIdentity() << " for sources "
                                        << getSources().getTypes() << rule::B23;
  return success();
}

LogicalResult ScanRowsOp::verifySymbolUses(SymbolTableCollection &symbols) {
  auto emitError = [&]() -> InFlightDiagnostic { return emitOpError(); };
  return verifyCombineFunction(emitError, *this, getCombineAttr(),
                               getIdentityAttr(), symbols);
}

//===----------------------------------------------------------------------===//
// Triangles
//===----------------------------------------------------------------------===//

LogicalResult EyeOp::verify() {
  RankedTensorType type = tensorType(getResult());
  if (isSquare(type) && type.hasStaticShape())
    return success();
  return emitOpError("has a result of type ") << type << rule::B7;
}

LogicalResult TrilOp::verify() {
  if (tensorType(getSource()).getRank() == 2)
    return success();
  return emitOpError("has a source of type ")
         << getSource().getType() << rule::B27;
}

LogicalResult SolveTrilOp::verify() {
  if (failed(verifySquare(*this, getMatrix())))
    return failure();
  RankedTensorType rhs = tensorType(getRhs()), result = tensorType(getResult());
  int64_t rank = rhs.getRank();
  bool fits =
      (rank == 1 || rank == 2) &&
      sizesAgree(rhs.getDimSize(0), tensorType(getMatrix()).getDimSize(0)) &&
      rhs.getShape() == result.getShape() &&
      result.getElementType() == getNumerics().getAcc();
  if (fits)
    return success();
  return emitOpError("has a matrix ")
         << getMatrix().getType() << ", rhs " << rhs << " and a result "
         << result << rule::B8;
}

LogicalResult CholeskyOp::verify() {
  if (failed(verifySquare(*this, getSource())))
    return failure();
  if (tensorType(getSource()).getElementType() == getNumerics().getAcc())
    return success();
  return emitOpError("has a source of type ")
         << getSource().getType() << " and accumulates in "
         << getNumerics().getAcc() << rule::B9;
}

//===----------------------------------------------------------------------===//
// Shapes
//===----------------------------------------------------------------------===//

LogicalResult BroadcastOp::verify() {
  RankedTensorType source = tensorType(getSource()),
                   result = tensorType(getResult());
  ArrayRef<int64_t> dims = getDims();
  auto emitDims = [&]() -> InFlightDiagnostic {
    return emitOpError("puts ")
           << source << " to [" << dims << "] of " << result;
  };
  if (static_cast<int64_t>(dims.size()) != source.getRank() ||
      source.getElementType() != result.getElementType())
    return emitDims() << rule::B10;
  int64_t last = -1;
  for (auto [dim, size] : llvm::zip(dims, source.getShape())) {
    if (dim <= last || dim >= result.getRank() ||
        !sizesAgree(size, result.getDimSize(dim)))
      return emitDims() << rule::B10;
    last = dim;
  }
  auto like = getLike() ? tensorType(getLike()) : RankedTensorType();
  bool needsLike = false;
  for (int64_t dim : llvm::seq(result.getRank()))
    needsLike |= result.isDynamicDim(dim) && !llvm::is_contained(dims, dim);
  if (like ? like.getRank() == result.getRank() : !needsLike)
    return success();
  if (like)
    return emitOpError("has like of type ")
           << like << " and a result of type " << result << rule::B11;
  return emitOpError("has a result of type ")
         << result << " and no like" << rule::B11;
}

LogicalResult ConcatOp::verify() {
  RankedTensorType result = tensorType(getResult());
  int64_t dim = getDim();
  if (getSources().empty())
    return emitOpError("has no parts") << rule::B6;
  if (failed(verifyDim(*this, result, dim)))
    return failure();
  int64_t total = 0;
  for (Value source : getSources()) {
    RankedTensorType type = tensorType(source);
    if (type.getRank() != result.getRank() ||
        type.getElementType() != result.getElementType() ||
        !shapesAgree(withoutDim(type, dim), withoutDim(result, dim)))
      return emitOpError("puts a part ")
             << type << " into " << result << " over " << dim << rule::B6;
    bool known = !type.isDynamicDim(dim) && !ShapedType::isDynamic(total);
    total = known ? total + type.getDimSize(dim) : ShapedType::kDynamic;
  }
  if (total == result.getDimSize(dim))
    return success();
  return emitOpError("has parts of types ")
         << getSources().getTypes() << " and a result " << result << " over "
         << dim << rule::B6;
}

LogicalResult OuterOp::verify() {
  RankedTensorType lhs = tensorType(getLhs()), rhs = tensorType(getRhs());
  RankedTensorType result = tensorType(getResult());
  if (lhs.getRank() >= 1 && lhs.getRank() == rhs.getRank() &&
      shapesAgree(lhs.getShape().drop_back(), rhs.getShape().drop_back())) {
    SmallVector<int64_t> shape(lhs.getShape());
    shape.push_back(rhs.getShape().back());
    if (shape == result.getShape())
      return success();
  }
  return emitOpError("has operands ")
         << lhs << " and " << rhs << " and a result " << result << rule::B12;
}

//===----------------------------------------------------------------------===//
// Maps along one dim
//===----------------------------------------------------------------------===//

LogicalResult SoftmaxOp::verify() {
  return verifyMap(*this, getSource(), getDim(), getResult());
}

LogicalResult L2NormalizeOp::verify() {
  if (failed(verifyMap(*this, getSource(), getDim(), getResult())))
    return failure();
  double eps = getEps().convertToDouble();
  Type element = tensorType(getResult()).getElementType();
  double rounded = element.isF64() ? eps : static_cast<float>(eps);
  if (rounded > 0 && std::isfinite(rounded))
    return success();
  return emitOpError("has eps ") << eps << rule::B14;
}

//===----------------------------------------------------------------------===//
// Live rows, gathers, masks
//===----------------------------------------------------------------------===//

LogicalResult KeepLiveOp::verify() {
  if (failed(verifyDim(*this, tensorType(getSource()), getDim())))
    return failure();
  Type element = tensorType(getSource()).getElementType();
  APFloat rounded = getOther();
  bool loses = false;
  rounded.convert(cast<FloatType>(element).getFloatSemantics(),
                  APFloat::rmNearestTiesToEven, &loses);
  if (!getOther().isNaN() && rounded.isInfinity() == getOther().isInfinity())
    return success();
  return emitOpError("replaces dead rows of type ")
         << element << " by " << getOtherAttr().getValueAsDouble() << rule::B26;
}

LogicalResult GatherRowsOp::verify() {
  RankedTensorType source = tensorType(getSource()),
                   result = tensorType(getResult());
  if (source.getRank() >= 1 &&
      source.getElementType() == result.getElementType()) {
    SmallVector<int64_t> shape(source.getShape());
    shape[0] = tensorType(getRows()).getDimSize(0);
    if (shape == result.getShape())
      return success();
  }
  return emitOpError("gathers rows ") << getRows().getType() << " of " << source
                                      << " to " << result << rule::B15;
}

LogicalResult MaskWindowOp::verify() {
  ArrayRef<int64_t> window = getWindow();
  if (window.size() != 2 || window[0] < 0 || window[1] < 0)
    return emitOpError("has window [") << window << ']' << rule::B16;
  RankedTensorType scores = tensorType(getScores());
  auto indexFits = [&](Value index, unsigned dim) {
    return !index ||
           sizesAgree(tensorType(index).getDimSize(0), scores.getDimSize(dim));
  };
  if (scores.getRank() == 2 && !getRowIndex() == !getColIndex() &&
      indexFits(getRowIndex(), 0) && indexFits(getColIndex(), 1))
    return success();
  InFlightDiagnostic diagnostic = emitOpError("has scores ") << scores;
  if (getRowIndex())
    diagnostic << ", query indices " << getRowIndex().getType();
  if (getColIndex())
    diagnostic << ", key indices " << getColIndex().getType();
  return diagnostic << rule::B17;
}

//===----------------------------------------------------------------------===//
// Fenwick levels
//===----------------------------------------------------------------------===//

LogicalResult LevelWeightsOp::verify() {
  RankedTensorType levels = tensorType(getLevels()),
                   result = tensorType(getResult());
  if (levels.getRank() == 2 && levels.hasStaticShape()) {
    int64_t rows = levels.getDimSize(0);
    if (llvm::isPowerOf2_64(rows) &&
        levels.getDimSize(1) > static_cast<int64_t>(llvm::Log2_64(rows)) &&
        result.getShape() == ArrayRef<int64_t>{rows, rows})
      return success();
  }
  return emitOpError("has levels ")
         << levels << " and a result " << result << rule::B18;
}

LogicalResult FenwickReadOp::verify() {
  RankedTensorType stack = tensorType(getStack()),
                   query = tensorType(getQuery());
  RankedTensorType levels = tensorType(getLevels()),
                   result = tensorType(getResult());
  bool ranksFit = (stack.getRank() == 2 || stack.getRank() == 3) &&
                  query.getRank() == 2 && levels.getRank() == 2 &&
                  levels.hasStaticShape() && query.hasStaticShape() &&
                  stack.hasStaticShape();
  if (ranksFit && stack.getDimSize(1) == query.getDimSize(1) &&
      query.getDimSize(0) == levels.getDimSize(0)) {
    SmallVector<int64_t> shape{query.getDimSize(0)};
    llvm::append_range(shape, stack.getShape().drop_front(2));
    if (result == RankedTensorType::get(shape, getNumerics().getAcc())) {
      if (static_cast<int64_t>(getFirst()) <= levels.getDimSize(1))
        return success();
      return emitOpError("reads from level ")
             << getFirst() << " of levels " << levels << rule::B20;
    }
  }
  return emitOpError("has a stack ")
         << stack << ", query " << query << ", levels " << levels
         << " and a result " << result << rule::B19;
}

LogicalResult FenwickMergeOp::verify() {
  RankedTensorType stack = tensorType(getStack());
  if (stack.hasStaticShape() && stack.getRank() >= 1 &&
      stack.getDimSize(0) < 63 &&
      getContribution().getType() ==
          RankedTensorType::get(stack.getShape().drop_front(),
                                stack.getElementType()))
    return success();
  return emitOpError("has a stack ")
         << stack << " and a contribution " << getContribution().getType()
         << rule::B21;
}
