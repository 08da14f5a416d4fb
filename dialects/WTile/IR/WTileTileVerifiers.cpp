// Part of Scanweft, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

//===----------------------------------------------------------------------===//
// What is checked of work on tiles: shapes and element types.
//===----------------------------------------------------------------------===//

#include "dialects/WTile/IR/WTile.h"
#include "dialects/WTile/IR/WTileVerifiers.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace scanweft;
using namespace scanweft::wtile;

static SmallVector<int64_t> dropDim(ArrayRef<int64_t> shape, unsigned dim) {
  SmallVector<int64_t> rest(shape);
  rest.erase(rest.begin() + dim);
  return rest;
}

static LogicalResult verifyDim(Operation *op, int64_t dim, Type type) {
  int64_t rank = getShape(type).size();
  if (dim < rank)
    return success();
  return op->emitOpError() << "over dim " << dim << " of " << type
                           << ": a dim is one of the tile's";
}

//===----------------------------------------------------------------------===//
// Tiles
//===----------------------------------------------------------------------===//

LogicalResult CoordinateOp::verify() {
  if (!getElementType(getResult().getType()).isInteger(32))
    return emitOpError() << "is " << getResult().getType()
                         << ": coordinates are i32";
  return verifyDim(*this, getDim(), getResult().getType());
}

LogicalResult BroadcastOp::verify() {
  auto source = cast<RankedTensorType>(getSource().getType());
  auto result = cast<RankedTensorType>(getResult().getType());
  ArrayRef<int64_t> dims = getDims();
  bool fits = source.getElementType() == result.getElementType() &&
              static_cast<int64_t>(dims.size()) == source.getRank();
  for (size_t i = 0; fits && i < dims.size(); ++i)
    fits = dims[i] >= 0 && dims[i] < result.getRank() &&
           (i == 0 || dims[i - 1] < dims[i]) &&
           source.getDimSize(i) == result.getDimSize(dims[i]);
  if (fits)
    return verifyLayouts(*this);
  return emitOpError() << "of " << source << " to dims " << toText(dims)
                       << " of " << result
                       << ": dims are increasing and of the source's sizes";
}

/// The region of a reduction or scan: (earlier..., later...) -> results, all
/// scalars of the sources' element types.
static LogicalResult verifyCombine(Operation *op, Region &region,
                                   ValueRange sources) {
  if (sources.empty())
    return op->emitOpError() << "has no source: there is one at least";
  SmallVector<Type> scalars;
  for (Value source : sources) {
    if (getShape(source.getType()) != getShape(sources[0].getType()))
      return op->emitOpError()
             << "has sources " << sources[0].getType() << " and "
             << source.getType() << ": sources have one shape";
    scalars.push_back(getElementType(source.getType()));
  }
  SmallVector<Type> arguments(scalars);
  llvm::append_range(arguments, scalars);
  Block &block = region.front();
  auto yield = dyn_cast<YieldOp>(block.back());
  if (llvm::equal(block.getArgumentTypes(), arguments) && yield &&
      llvm::equal(yield.getValues().getTypes(), scalars))
    return success();
  return op->emitOpError() << "combines " << block.getArgumentTypes()
                           << " for sources of element types " << scalars
                           << ": the region maps earlier and later scalars "
                              "to combined ones";
}

LogicalResult ReduceOp::verify() {
  if (failed(verifyCombine(*this, getCombine(), getSources())) ||
      failed(verifyDim(*this, getDim(), getSources()[0].getType())))
    return failure();
  if (getResults().size() != getSources().size())
    return emitOpError() << "has " << getResults().size() << " results of "
                         << getSources().size()
                         << " sources: there is one per source";
  SmallVector<int64_t> shape =
      dropDim(getShape(getSources()[0].getType()), getDim());
  if (std::optional<int64_t> parts = getParts()) {
    int64_t size = getShape(getSources()[0].getType())[getDim()];
    if (*parts <= 0 || size % *parts != 0)
      return emitOpError() << "in " << *parts << " parts of a dim of size "
                           << size << ": parts are equal";
    shape.insert(shape.begin(), *parts);
  }
  for (auto [source, result] : llvm::zip_equal(getSources(), getResults()))
    if (ArrayRef<int64_t>(shape) != getShape(result.getType()) ||
        getElementType(source.getType()) != getElementType(result.getType()))
      return emitOpError() << "of " << source.getType() << " is "
                           << result.getType()
                           << ": a result is its source without the dim, its "
                              "parts in front";
  return verifyLayouts(*this);
}

LogicalResult ScanOp::verify() {
  if (failed(verifyCombine(*this, getCombine(), getSources())) ||
      failed(verifyDim(*this, getDim(), getSources()[0].getType())))
    return failure();
  if (getSources().getTypes() != getResults().getTypes())
    return emitOpError() << "of " << getSources().getTypes() << " is "
                         << getResults().getTypes()
                         << ": results have the sources' types";
  if (getIdentity().size() != getSources().size())
    return emitOpError() << "has " << getIdentity().size() << " identities of "
                         << getSources().size()
                         << " sources: there is one per source";
  for (auto [entry, source] : llvm::zip_equal(getIdentity(), getSources())) {
    auto typed = dyn_cast<TypedAttr>(entry);
    if (!typed || typed.getType() != getElementType(source.getType()))
      return emitOpError() << "has identity " << entry << " of "
                           << source.getType()
                           << ": an identity is an element of its source";
  }
  return verifyLayouts(*this);
}

LogicalResult MmaOp::verify() {
  Type lhs = getLhs().getType(), rhs = getRhs().getType();
  auto accumulator = cast<RankedTensorType>(getAccumulator().getType());
  if (getDims().size() != 2 || getShape(lhs).size() != 2 ||
      getShape(rhs).size() != 2 || getDims()[0] < 0 || getDims()[0] > 1 ||
      getDims()[1] < 0 || getDims()[1] > 1)
    return emitOpError() << "over " << toText(getDims()) << " of " << lhs
                         << " and " << rhs
                         << ": one of the two dims of each factor is "
                            "contracted";
  if (getElementType(lhs) != getElementType(rhs) ||
      !(getElementType(lhs).isBF16() || getElementType(lhs).isF16() ||
        getElementType(lhs).isF32()) ||
      !accumulator.getElementType().isF32())
    return emitOpError() << "of " << lhs << " and " << rhs << " into "
                         << accumulator
                         << ": factors are both bf16, f16 or f32, and sums "
                            "f32";
  if (getRound() && !(isa<SharedType>(rhs) && getElementType(rhs).isF32()))
    return emitOpError() << "rounds " << rhs
                         << ": what is rounded as it is read is a shared "
                            "buffer of f32";
  int64_t rows = getShape(lhs)[1 - getLhsDim()];
  int64_t columns = getShape(rhs)[1 - getRhsDim()];
  if (getShape(lhs)[getLhsDim()] == getShape(rhs)[getRhsDim()] &&
      accumulator.getShape() == ArrayRef<int64_t>{rows, columns})
    return verifyLayouts(*this);
  return emitOpError() << "over " << toText(getDims()) << " of " << lhs
                       << " and " << rhs << " into " << accumulator
                       << ": contracted dims have one size, and the free ones "
                          "are the result's";
}

LogicalResult RoundOp::verify() {
  if (getElementType(getSource().getType()).isF32())
    return success();
  return emitOpError() << "of " << getSource().getType()
                       << ": tf32 values are f32";
}

LogicalResult TransposeOp::verify() {
  ArrayRef<int64_t> source = getShape(getSource().getType());
  ArrayRef<int64_t> result = getShape(getResult().getType());
  if (source.size() == 2 && result.size() == 2 && source[0] == result[1] &&
      source[1] == result[0] &&
      getElementType(getSource().getType()) ==
          getElementType(getResult().getType()))
    return verifyLayouts(*this);
  return emitOpError() << "of " << getSource().getType() << " is "
                       << getResult().getType()
                       << ": the dims of a matrix are swapped";
}

LogicalResult ExtractOp::verify() {
  if (failed(verifyBlock(*this, getSource().getType(), getResult().getType(),
                         getOffsets())))
    return failure();
  return verifyLayouts(*this);
}

LogicalResult ConcatOp::verify() {
  if (getSources().empty() || !llvm::isPowerOf2_64(getSources().size()) ||
      !llvm::all_equal(getSources().getTypes()))
    return emitOpError() << "of " << getSources().getTypes()
                         << ": a power of two of tiles of one type";
  if (failed(verifyDim(*this, getDim(), getSources()[0].getType())))
    return failure();
  SmallVector<int64_t> shape(getShape(getSources()[0].getType()));
  shape[getDim()] *= getSources().size();
  if (getShape(getResult().getType()) == ArrayRef<int64_t>(shape) &&
      getElementType(getResult().getType()) ==
          getElementType(getSources()[0].getType()))
    return verifyLayouts(*this);
  return emitOpError() << "of " << getSources().size() << " tiles "
                       << getSources()[0].getType() << " over dim " << getDim()
                       << " is " << getResult().getType()
                       << ": sizes along the dim add up";
}

LogicalResult TakeOp::verify() {
  ArrayRef<int64_t> source = getShape(getSource().getType());
  ArrayRef<int64_t> columns = getShape(getColumns().getType());
  ArrayRef<int64_t> result = getShape(getResult().getType());
  if (source.size() == 2 && (columns.size() == 1 || columns.size() == 2) &&
      result == columns && source[0] == columns[0] &&
      getElementType(getSource().getType()) ==
          getElementType(getResult().getType()))
    return verifyLayouts(*this);
  return emitOpError() << "from " << getSource().getType() << " by "
                       << getColumns().getType() << " is "
                       << getResult().getType()
                       << ": an index per element, and one row of the source "
                          "per row";
}

LogicalResult FactorBlockOp::verify() {
  return verifyFactor(*this, getSource().getType(), getFactor().getType(),
                      getInverse().getType());
}

LogicalResult InvertBlocksOp::verify() {
  return verifyInverses(*this, getSource().getType(), getResult().getType());
}
