// Part of Scanweft, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

//===----------------------------------------------------------------------===//
// Reductions, scans, and the maps along a dim that are made of them.
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/IRMapping.h"
#include "passes/Tile/ExpandBody.h"

using namespace mlir;
using namespace scanweft;
using namespace scanweft::weft;

static LogicalResult expandSum(SumOp op, PatternRewriter &rewriter) {
  TileBuilder build(rewriter, op.getLoc());
  rewriter.replaceOp(op, build.sum(op.getSource(), op.getDim()));
  return success();
}

static LogicalResult expandMax(MaxOp op, PatternRewriter &rewriter) {
  TileBuilder build(rewriter, op.getLoc());
  rewriter.replaceOp(op, build.max(op.getSource(), op.getDim()));
  return success();
}

static LogicalResult expandBroadcast(weft::BroadcastOp op,
                                     PatternRewriter &rewriter) {
  rewriter.replaceOpWithNewOp<wtile::BroadcastOp>(op, op.getResult().getType(),
                                                  op.getSource(), op.getDims());
  return success();
}

static LogicalResult expandConcat(weft::ConcatOp op,
                                  PatternRewriter &rewriter) {
  if (!llvm::isPowerOf2_64(op.getSources().size()) ||
      !llvm::all_equal(op.getSources().getTypes()))
    return failure();
  rewriter.replaceOpWithNewOp<wtile::ConcatOp>(op, op.getResult().getType(),
                                               op.getSources(), op.getDim());
  return success();
}

/// exp(x - max) / sum; where all is -inf the sum is 0 and so is the result.
static LogicalResult expandSoftmax(SoftmaxOp op, PatternRewriter &rewriter) {
  TileBuilder build(rewriter, op.getLoc());
  auto type = cast<RankedTensorType>(op.getResult().getType());
  int64_t dim = op.getDim();
  Value x = build.convert(op.getSource(), type.getElementType());
  Value top = build.max(x, dim);
  RankedTensorType row = TileBuilder::getType(top);
  Value none =
      arith::CmpFOp::create(rewriter, op.getLoc(), arith::CmpFPredicate::OEQ,
                            top, build.splat(row, -INFINITY));
  Value safe = build.select(none, build.splat(row, 0.0), top);
  Value below = build.create<arith::SubFOp>(
      x, build.broadcastAlong(safe, type.getShape(), dim));
  Value weights = math::ExpOp::create(rewriter, op.getLoc(), below);
  Value total = build.sum(weights, dim);
  Value inverse = build.create<arith::DivFOp>(build.splat(row, 1.0), total);
  Value scale = build.select(none, build.splat(row, 0.0), inverse);
  rewriter.replaceOp(
      op, build.create<arith::MulFOp>(
              weights, build.broadcastAlong(scale, type.getShape(), dim)));
  return success();
}

/// x min(1 / |x|, 1 / eps).
static LogicalResult expandL2Normalize(L2NormalizeOp op,
                                       PatternRewriter &rewriter) {
  TileBuilder build(rewriter, op.getLoc());
  auto type = cast<RankedTensorType>(op.getResult().getType());
  int64_t dim = op.getDim();
  Value x = build.convert(op.getSource(), type.getElementType());
  Value squares = build.sum(build.create<arith::MulFOp>(x, x), dim);
  Value inverse = math::RsqrtOp::create(rewriter, op.getLoc(), squares);
  double eps = op.getEps().convertToDouble();
  if (eps > 0)
    inverse = build.create<arith::MinimumFOp>(
        inverse, build.splat(TileBuilder::getType(inverse), 1.0 / eps));
  rewriter.replaceOp(
      op, build.create<arith::MulFOp>(
              x, build.broadcastAlong(inverse, type.getShape(), dim)));
  return success();
}

static LogicalResult expandCumsum(CumsumOp op, PatternRewriter &rewriter) {
  Type scalar = cast<RankedTensorType>(op.getType()).getElementType();
  auto scan = wtile::ScanOp::create(
      rewriter, op.getLoc(), TypeRange(op.getType()),
      ValueRange(op.getSource()), op.getDim(),
      rewriter.getArrayAttr({rewriter.getFloatAttr(scalar, 0.0)}),
      op.getExclusive(), op.getReverse());
  rewriter.replaceOp(op, scan.getResults());
  Block *block = rewriter.createBlock(&scan.getCombine(), {}, {scalar, scalar},
                                      {scan.getLoc(), scan.getLoc()});
  Value sum = arith::AddFOp::create(
      rewriter, scan.getLoc(), block->getArgument(0), block->getArgument(1));
  wtile::YieldOp::create(rewriter, scan.getLoc(), sum);
  return success();
}

/// Fills a region with a function's body: (earlier..., later...) on scalars,
/// exchanged where time runs the other way along the dim.
static void fillCombine(OpBuilder &builder, Location loc, Region &region,
                        func::FuncOp combine, bool reversed) {
  Block &body = combine.getBody().front();
  SmallVector<Location> locations(body.getNumArguments(), loc);
  OpBuilder::InsertionGuard guard(builder);
  Block *block = builder.createBlock(
      &region, {}, llvm::to_vector(body.getArgumentTypes()), locations);
  SmallVector<Value> arguments =
      llvm::to_vector_of<Value>(block->getArguments());
  if (reversed)
    std::rotate(arguments.begin(), arguments.begin() + arguments.size() / 2,
                arguments.end());
  IRMapping mapping;
  mapping.map(body.getArguments(), arguments);
  for (Operation &op : body.without_terminator())
    builder.clone(op, mapping);
  auto results =
      llvm::map_to_vector(body.getTerminator()->getOperands(),
                          [&](Value value) { return mapping.lookup(value); });
  wtile::YieldOp::create(builder, loc, results);
}

/// Rows outside [from, to) take the identity, the others stay.
static SmallVector<Value> maskRows(TileBuilder &build, ScanRowsOp op) {
  SmallVector<Value> rows;
  for (auto [source, identity] :
       llvm::zip_equal(op.getSources(), op.getIdentity())) {
    RankedTensorType type = TileBuilder::getType(source);
    Value at = build.coordinate(type.getShape(), 0);
    RankedTensorType integers = TileBuilder::getType(at);
    Value notBefore = build.compare(arith::CmpIPredicate::sge, at,
                                    build.splatIndex(integers, op.getFrom()));
    Value notAfter = build.compare(arith::CmpIPredicate::slt, at,
                                   build.splatIndex(integers, op.getTo()));
    Value live = build.create<arith::AndIOp>(notBefore, notAfter);
    Value neutral = arith::ConstantOp::create(
        build.builder, build.loc,
        DenseElementsAttr::get(type, Attribute(identity)));
    rows.push_back(build.select(live, source, neutral));
  }
  return rows;
}

static LogicalResult expandScanRows(ScanRowsOp op, PatternRewriter &rewriter) {
  TileBuilder build(rewriter, op.getLoc());
  auto combine = SymbolTable::lookupNearestSymbolFrom<func::FuncOp>(
      op, op.getCombineAttr());
  SmallVector<Value> rows = maskRows(build, op);
  auto scan = wtile::ScanOp::create(
      rewriter, op.getLoc(), op.getScanned().getTypes(), rows, 0,
      op.getIdentity(), op.getExclusive(), op.getReverse());
  fillCombine(rewriter, op.getLoc(), scan.getCombine(), combine, false);
  auto total = wtile::ReduceOp::create(
      rewriter, op.getLoc(), op.getTotals().getTypes(), rows, 0, IntegerAttr(),
      /*commutative=*/false);
  fillCombine(rewriter, op.getLoc(), total.getCombine(), combine,
              op.getReverse());
  SmallVector<Value> results = llvm::to_vector_of<Value>(scan.getResults());
  llvm::append_range(results, total.getResults());
  rewriter.replaceOp(op, results);
  return success();
}

void scanweft::populateExpandReductionPatterns(RewritePatternSet &patterns) {
  patterns.add(expandSum);
  patterns.add(expandMax);
  patterns.add(expandBroadcast);
  patterns.add(expandConcat);
  patterns.add(expandSoftmax);
  patterns.add(expandL2Normalize);
  patterns.add(expandCumsum);
  patterns.add(expandScanRows);
}
