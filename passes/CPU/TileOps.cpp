// Part of Scanweft, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

//===----------------------------------------------------------------------===//
// The pure ops on tiles, as loops over their entries. Combinations run in
// increasing order of time, one entry at a time; so do the sums of products.
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Transforms/WalkPatternRewriteDriver.h"
#include "passes/CPU/LowerBody.h"
#include "passes/CPU/LowerToLoops.h"

using namespace mlir;
using namespace scanweft;
using namespace scanweft::wtile;

static RankedTensorType getType(Value tile) {
  return cast<RankedTensorType>(tile.getType());
}

//===----------------------------------------------------------------------===//
// Entries by their place
//===----------------------------------------------------------------------===//

static LogicalResult lowerCoordinate(CoordinateOp op,
                                     PatternRewriter &rewriter) {
  EntryLoops loops(rewriter, op.getLoc());
  RankedTensorType type = getType(op.getResult());
  auto body = [&](OpBuilder &builder, Location loc, ValueRange) -> Value {
    Value place = linalg::IndexOp::create(builder, loc, op.getDim());
    return arith::IndexCastOp::create(builder, loc, type.getElementType(),
                                      place);
  };
  rewriter.replaceOp(op, loops.map(type, {}, {}, body));
  return success();
}

/// Entries of the source, dim i of which runs along dim `dims[i]`.
static LogicalResult replaceByCopy(Operation *op, Value source,
                                   ArrayRef<int64_t> dims,
                                   PatternRewriter &rewriter) {
  EntryLoops loops(rewriter, op->getLoc());
  EntryLoops::Operand operand{source, llvm::to_vector(dims)};
  rewriter.replaceOp(op,
                     loops.map(getType(op->getResult(0)), {}, operand,
                               [](OpBuilder &, Location, ValueRange entries) {
                                 return entries[0];
                               }));
  return success();
}

static LogicalResult lowerBroadcast(BroadcastOp op, PatternRewriter &rewriter) {
  return replaceByCopy(op, op.getSource(), op.getDims(), rewriter);
}

static LogicalResult lowerTranspose(TransposeOp op, PatternRewriter &rewriter) {
  return replaceByCopy(op, op.getSource(), {1, 0}, rewriter);
}

static LogicalResult lowerRound(RoundOp op, PatternRewriter &rewriter) {
  EntryLoops loops(rewriter, op.getLoc());
  RankedTensorType type = getType(op.getResult());
  auto numerics = weft::NumericsAttr::get(
      op.getContext(), weft::Precision::TF32, rewriter.getF32Type());
  EntryLoops::Operand operand{op.getSource(),
                              EntryLoops::dimsFrom(0, type.getRank())};
  auto body = [&](OpBuilder &builder, Location loc, ValueRange entries) {
    return createRounded(builder, loc, entries[0], numerics);
  };
  rewriter.replaceOp(op, loops.map(type, {}, operand, body));
  return success();
}

namespace {
struct LowerTake : OpRewritePattern<TakeOp> {
  LowerTake(MLIRContext *context, Checks &checks)
      : OpRewritePattern(context), checks(checks) {}

  LogicalResult matchAndRewrite(TakeOp op,
                                PatternRewriter &rewriter) const override {
    EntryLoops loops(rewriter, op.getLoc());
    Value source = op.getSource();
    auto body = [&](OpBuilder &builder, Location loc,
                    ValueRange entries) -> Value {
      Value row = linalg::IndexOp::create(builder, loc, 0);
      Value column = arith::IndexCastOp::create(
          builder, loc, builder.getIndexType(), entries[0]);
      checks.moveTo(op);
      checks.builder.setInsertionPointAfterValue(column);
      checks.range(column, builder.getIndexAttr(1),
                   builder.getIndexAttr(getType(source).getDimSize(1)),
                   "a column");
      return tensor::ExtractOp::create(builder, loc, source,
                                       ValueRange{row, column});
    };
    EntryLoops::Operand columns{
        op.getColumns(),
        EntryLoops::dimsFrom(0, getType(op.getResult()).getRank())};
    rewriter.replaceOp(op,
                       loops.map(getType(op.getResult()), {}, columns, body));
    return success();
  }

  Checks &checks;
};
} // namespace

//===----------------------------------------------------------------------===//
// Blocks
//===----------------------------------------------------------------------===//

static SmallVector<OpFoldResult> getAttributes(OpBuilder &builder,
                                               ArrayRef<int64_t> numbers) {
  return getAsIndexOpFoldResult(builder.getContext(), numbers);
}

/// The block of `shape` at `offsets`, of type `type`.
static Value extractBlock(OpBuilder &builder, Location loc, Value tile,
                          ArrayRef<int64_t> offsets, ArrayRef<int64_t> shape,
                          RankedTensorType type) {
  SmallVector<int64_t> ones(shape.size(), 1);
  return tensor::ExtractSliceOp::create(
      builder, loc, type, tile, getAttributes(builder, offsets),
      getAttributes(builder, shape), getAttributes(builder, ones));
}

static Value insertBlock(OpBuilder &builder, Location loc, Value block,
                         Value tile, ArrayRef<int64_t> offsets,
                         ArrayRef<int64_t> shape) {
  SmallVector<int64_t> ones(shape.size(), 1);
  return tensor::InsertSliceOp::create(
      builder, loc, block, tile, getAttributes(builder, offsets),
      getAttributes(builder, shape), getAttributes(builder, ones));
}

static LogicalResult lowerExtract(ExtractOp op, PatternRewriter &rewriter) {
  RankedTensorType type = getType(op.getResult());
  rewriter.replaceOp(op, extractBlock(rewriter, op.getLoc(), op.getSource(),
                                      op.getOffsets(), type.getShape(), type));
  return success();
}

static LogicalResult lowerConcat(ConcatOp op, PatternRewriter &rewriter) {
  EntryLoops loops(rewriter, op.getLoc());
  Value whole = loops.empty(getType(op.getResult()), {});
  SmallVector<int64_t> offsets(getType(whole).getRank(), 0);
  for (Value source : op.getSources()) {
    whole = insertBlock(rewriter, op.getLoc(), source, whole, offsets,
                        getType(source).getShape());
    offsets[op.getDim()] += getType(source).getDimSize(op.getDim());
  }
  rewriter.replaceOp(op, whole);
  return success();
}

//===----------------------------------------------------------------------===//
// Combinations
//===----------------------------------------------------------------------===//

/// combine(earlier: accumulators, later: entries of `sources`), whose dim `dim`
/// is folded over or, where null, which are combined entry by entry.
static SmallVector<Value> combine(EntryLoops &loops, Region &region,
                                  ValueRange sources, ValueRange accumulators,
                                  std::optional<int64_t> dim) {
  int64_t rank = getType(sources[0]).getRank();
  SmallVector<AffineExpr> exprs;
  SmallVector<utils::IteratorType> iterators(rank,
                                             utils::IteratorType::parallel);
  for (int64_t i : llvm::seq(rank))
    if (i != dim)
      exprs.push_back(loops.builder.getAffineDimExpr(i));
  if (dim)
    iterators[*dim] = utils::IteratorType::reduction;
  SmallVector<AffineMap> maps(sources.size(),
                              loops.builder.getMultiDimIdentityMap(rank));
  maps.append(accumulators.size(),
              AffineMap::get(rank, 0, exprs, loops.builder.getContext()));
  auto emit = [&](OpBuilder &inner, Location loc, ValueRange entries) {
    SmallVector<Value> arguments =
        llvm::to_vector(entries.drop_front(sources.size()));
    llvm::append_range(arguments, entries.take_front(sources.size()));
    linalg::YieldOp::create(inner, loc,
                            inlineScalars(inner, region.front(), arguments));
  };
  auto generic = linalg::GenericOp::create(loops.builder, loops.loc,
                                           TypeRange(accumulators), sources,
                                           accumulators, maps, iterators, emit);
  return SmallVector<Value>(generic.getResults());
}

/// Entries [from, from + size) along the dim of a reduction, combined.
static SmallVector<Value> reducePart(ReduceOp op, EntryLoops &loops,
                                     int64_t from, int64_t size) {
  SmallVector<Value> firsts, rest;
  for (Value source : op.getSources()) {
    RankedTensorType type = getType(source);
    SmallVector<int64_t> offsets(type.getRank(), 0), shape(type.getShape());
    offsets[op.getDim()] = from;
    shape[op.getDim()] = 1;
    SmallVector<int64_t> line(shape);
    line.erase(line.begin() + op.getDim());
    firsts.push_back(extractBlock(loops.builder, loops.loc, source, offsets,
                                  shape, type.clone(line)));
    offsets[op.getDim()] = from + 1;
    shape[op.getDim()] = size - 1;
    if (size > 1)
      rest.push_back(extractBlock(loops.builder, loops.loc, source, offsets,
                                  shape, type.clone(shape)));
  }
  return size > 1 ? combine(loops, op.getCombine(), rest, firsts, op.getDim())
                  : firsts;
}

static LogicalResult lowerReduce(ReduceOp op, PatternRewriter &rewriter) {
  EntryLoops loops(rewriter, op.getLoc());
  int64_t size = getType(op.getSources()[0]).getDimSize(op.getDim());
  if (!op.getParts()) {
    rewriter.replaceOp(op, reducePart(op, loops, 0, size));
    return success();
  }
  int64_t parts = *op.getParts(), partSize = size / parts;
  SmallVector<Value> results;
  for (Value result : op.getResults())
    results.push_back(loops.empty(getType(result), {}));
  SmallVector<int64_t> offsets(getType(results[0]).getRank(), 0);
  SmallVector<int64_t> shape(getType(results[0]).getShape());
  shape[0] = 1;
  for (int64_t part : llvm::seq(parts)) {
    offsets[0] = part;
    for (auto [value, result] :
         llvm::zip(reducePart(op, loops, part * partSize, partSize), results))
      result =
          insertBlock(rewriter, op.getLoc(), value, result, offsets, shape);
  }
  rewriter.replaceOp(op, results);
  return success();
}

static LogicalResult lowerScan(ScanOp op, PatternRewriter &rewriter) {
  EntryLoops loops(rewriter, op.getLoc());
  SmallVector<Value> inits;
  for (auto [source, identity] : llvm::zip(op.getSources(), op.getIdentity())) {
    SmallVector<int64_t> line(getType(source).getShape());
    line.erase(line.begin() + op.getDim());
    Value neutral = arith::ConstantOp::create(rewriter, op.getLoc(),
                                              cast<TypedAttr>(identity));
    inits.push_back(loops.filled(getType(source).clone(line), {}, neutral));
  }
  auto step = [&](EntryLoops &inner, Value, ValueRange slices,
                  ValueRange accumulators) {
    return combine(inner, op.getCombine(), slices, accumulators, std::nullopt);
  };
  RunningScan scan{op.getSources(), static_cast<int64_t>(op.getDim()),
                   op.getExclusive(), op.getReverse()};
  SmallVector<Value> results = createRunningScan(loops, scan, inits, step);
  results.truncate(op.getResults().size());
  rewriter.replaceOp(op, results);
  return success();
}

//===----------------------------------------------------------------------===//
// Products and factors
//===----------------------------------------------------------------------===//

/// A factor's entry as the matrix unit reads it: of an f32 the tf32 part.
static Value createFactor(OpBuilder &builder, Location loc, Value entry) {
  if (!entry.getType().isF32())
    return castFloat(builder, loc, entry, builder.getF32Type());
  Value bits =
      arith::BitcastOp::create(builder, loc, builder.getI32Type(), entry);
  Value mask = arith::ConstantOp::create(
      builder, loc, builder.getI32IntegerAttr(-(int32_t(1) << 13)));
  Value high = arith::AndIOp::create(builder, loc, bits, mask);
  return arith::BitcastOp::create(builder, loc, builder.getF32Type(), high);
}

static LogicalResult lowerMma(MmaOp op, PatternRewriter &rewriter) {
  EntryLoops loops(rewriter, op.getLoc());
  auto body = [&](OpBuilder &builder, Location loc,
                  ValueRange entries) -> Value {
    Value product = arith::MulFOp::create(
        builder, loc, createFactor(builder, loc, entries[0]),
        createFactor(builder, loc, entries[1]));
    if (op.getSubtract())
      return arith::SubFOp::create(builder, loc, entries[2], product);
    return arith::AddFOp::create(builder, loc, entries[2], product);
  };
  rewriter.replaceOp(op, loops.contract(op.getAccumulator(), op.getLhs(),
                                        op.getRhs(), op.getLhsDim(),
                                        op.getRhsDim(), body));
  return success();
}

/// The inverse of a lower triangle, as a body op.
static Value createInverse(OpBuilder &builder, Location loc, Value triangle,
                           bool unit) {
  auto exact = weft::NumericsAttr::get(
      builder.getContext(), weft::Precision::F32, builder.getF32Type());
  Value eye = weft::EyeOp::create(builder, loc, triangle.getType());
  return weft::SolveTrilOp::create(builder, loc, triangle.getType(), triangle,
                                   eye, unit, /*reverse=*/false, exact);
}

static LogicalResult lowerFactorBlock(FactorBlockOp op,
                                      PatternRewriter &rewriter) {
  auto exact = weft::NumericsAttr::get(
      rewriter.getContext(), weft::Precision::F32, rewriter.getF32Type());
  Value factor =
      weft::CholeskyOp::create(rewriter, op.getLoc(), op.getSource().getType(),
                               op.getSource(), /*reverse=*/false, exact);
  Value inverse = createInverse(rewriter, op.getLoc(), factor, /*unit=*/false);
  rewriter.replaceOp(op, {factor, inverse});
  return success();
}

static LogicalResult lowerInvertBlocks(InvertBlocksOp op,
                                       PatternRewriter &rewriter) {
  EntryLoops loops(rewriter, op.getLoc());
  RankedTensorType type = getType(op.getResult());
  int64_t rows = type.getDimSize(1);
  SmallVector<int64_t> shape{rows, rows};
  Value inverses = loops.empty(type, {});
  for (int64_t at = 0; at < type.getDimSize(0); at += rows) {
    Value block = extractBlock(rewriter, op.getLoc(), op.getSource(), {at, at},
                               shape, type.clone(shape));
    Value inverse = createInverse(rewriter, op.getLoc(), block, op.getUnit());
    inverses =
        insertBlock(rewriter, op.getLoc(), inverse, inverses, {at, 0}, shape);
  }
  rewriter.replaceOp(op, inverses);
  return success();
}

void scanweft::lowerTileOps(ModuleOp module, Checks &checks) {
  RewritePatternSet patterns(module.getContext());
  patterns.add(lowerCoordinate);
  patterns.add(lowerBroadcast);
  patterns.add(lowerTranspose);
  patterns.add(lowerRound);
  patterns.add<LowerTake>(module.getContext(), checks);
  patterns.add(lowerExtract);
  patterns.add(lowerConcat);
  patterns.add(lowerReduce);
  patterns.add(lowerScan);
  patterns.add(lowerMma);
  patterns.add(lowerFactorBlock);
  patterns.add(lowerInvertBlocks);
  walkAndApplyPatterns(module, std::move(patterns));
}
