// Part of Scanweft, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

//===----------------------------------------------------------------------===//
// A kernel as a nest of loops over its program coordinates. The loops thread
// the results; a placement inserts a program's tensor into one of them.
//===----------------------------------------------------------------------===//

#include "passes/CPU/KernelLoops.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "scanweft/Support/TensorRows.h"

using namespace mlir;
using namespace scanweft;
using namespace scanweft::weft;

/// Inserts `value` into `result`: at an index where there is one, whole where
/// it spans the dim.
static Value buildInsert(OpBuilder &builder, Location loc, Value value,
                         ArrayRef<Value> indices, Value result) {
  SmallVector<OpFoldResult> valueSizes =
      tensor::getMixedSizes(builder, loc, value);
  SmallVector<OpFoldResult> offsets, sizes;
  auto spanned = valueSizes.begin();
  for (Value index : indices) {
    offsets.push_back(index ? OpFoldResult(index) : builder.getIndexAttr(0));
    sizes.push_back(index ? OpFoldResult(builder.getIndexAttr(1)) : *spanned++);
  }
  SmallVector<OpFoldResult> strides(indices.size(), builder.getIndexAttr(1));
  return tensor::InsertSliceOp::create(builder, loc, value, result, offsets,
                                       sizes, strides);
}

/// `then` where the condition holds, `result` elsewhere.
static Value buildIf(OpBuilder &builder, Location loc, Value condition,
                     Value result,
                     function_ref<Value(OpBuilder &, Location)> then) {
  auto conditional = scf::IfOp::create(
      builder, loc, condition,
      [&](OpBuilder &inner, Location place) {
        scf::YieldOp::create(inner, place, then(inner, place));
      },
      [&](OpBuilder &inner, Location place) {
        scf::YieldOp::create(inner, place, result);
      });
  return conditional.getResult(0);
}

/// The first spanned dim of a placement.
static unsigned getRowDim(const PlaceOp::Placement &placement) {
  return llvm::find(placement.indices, Value()) - placement.indices.begin();
}

/// Row `row` of the value goes to the row of the result that its index names;
/// a row with an index outside the result is not stored.
static Value buildInsertRow(OpBuilder &builder, Location loc,
                            const PlaceOp::Placement &placement, Value row,
                            Value result) {
  unsigned dim = getRowDim(placement);
  Value entry = tensor::ExtractOp::create(builder, loc, placement.rows, row);
  Value index =
      arith::IndexCastOp::create(builder, loc, builder.getIndexType(), entry);
  Value zero = arith::ConstantIndexOp::create(builder, loc, 0);
  Value end = tensor::DimOp::create(builder, loc, result, dim);
  Value notBefore = arith::CmpIOp::create(
      builder, loc, arith::CmpIPredicate::sge, index, zero);
  Value notAfter = arith::CmpIOp::create(builder, loc,
                                         arith::CmpIPredicate::slt, index, end);
  Value inside = arith::AndIOp::create(builder, loc, notBefore, notAfter);
  return buildIf(builder, loc, inside, result,
                 [&](OpBuilder &inner, Location place) {
                   Value one = extractEntry(inner, place, placement.value, row);
                   SmallVector<Value> indices = placement.indices;
                   indices[dim] = index;
                   return buildInsert(inner, place, one, indices, result);
                 });
}

/// A loop over the live rows of a placement by row index.
static Value buildScatter(OpBuilder &builder, Location loc,
                          const PlaceOp::Placement &placement, Value result) {
  Value zero = arith::ConstantIndexOp::create(builder, loc, 0);
  Value one = arith::ConstantIndexOp::create(builder, loc, 1);
  Value numRows = tensor::DimOp::create(builder, loc, placement.rows, 0);
  Value from = arith::MaxSIOp::create(builder, loc, placement.from, zero);
  Value to = arith::MinSIOp::create(builder, loc, placement.to, numRows);
  auto loop = scf::ForOp::create(
      builder, loc, from, to, one, result,
      [&](OpBuilder &inner, Location place, Value row, ValueRange threaded) {
        scf::YieldOp::create(
            inner, place,
            buildInsertRow(inner, place, placement, row, threaded[0]));
      });
  return loop.getResult(0);
}

static Value buildPlacement(OpBuilder &builder, Location loc,
                            const PlaceOp::Placement &placement, Value result) {
  auto place = [&](OpBuilder &inner, Location at) {
    return placement.rows ? buildScatter(inner, at, placement, result)
                          : buildInsert(inner, at, placement.value,
                                        placement.indices, result);
  };
  if (!placement.condition)
    return place(builder, loc);
  return buildIf(builder, loc, placement.condition, result, place);
}

void scanweft::lowerKernel(KernelOp op, IRRewriter &rewriter) {
  Location loc = op.getLoc();
  rewriter.setInsertionPoint(op);
  Value zero = arith::ConstantIndexOp::create(rewriter, loc, 0);
  Value one = arith::ConstantIndexOp::create(rewriter, loc, 1);
  SmallVector<Value> extents = llvm::to_vector(op.getPrograms());
  SmallVector<Value> zeros(extents.size(), zero), ones(extents.size(), one);
  auto place = cast<PlaceOp>(op.getBody().front().getTerminator());
  auto buildProgram = [&](OpBuilder &builder, Location, ValueRange coordinates,
                          ValueRange threaded) -> scf::ValueVector {
    rewriter.inlineBlockBefore(&op.getBody().front(),
                               builder.getInsertionBlock(),
                               builder.getInsertionPoint(), coordinates);
    scf::ValueVector results;
    builder.setInsertionPoint(place);
    for (auto [placement, result] :
         llvm::zip_equal(place.getPlacements(), threaded))
      results.push_back(
          buildPlacement(builder, place.getLoc(), placement, result));
    builder.setInsertionPointAfter(place);
    rewriter.eraseOp(place);
    return results;
  };
  scf::LoopNest nest = scf::buildLoopNest(rewriter, loc, zeros, extents, ones,
                                          op.getInits(), buildProgram);
  rewriter.replaceOp(op, nest.results);
}
