// Part of Scanweft, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

//===----------------------------------------------------------------------===//
// Ops whose every entry is a function of few entries and of its place: masks,
// broadcasts, outer products, softmax and normalisation along a dim.
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "passes/CPU/LowerBody.h"

using namespace mlir;
using namespace scanweft;
using namespace scanweft::weft;

static constexpr double kInfinity = std::numeric_limits<double>::infinity();

static Value compare(OpBuilder &builder, Location loc,
                     arith::CmpIPredicate predicate, Value lhs, Value rhs) {
  return arith::CmpIOp::create(builder, loc, predicate, lhs, rhs);
}

static Value select(OpBuilder &builder, Location loc, Value condition,
                    Value yes, Value no) {
  return arith::SelectOp::create(builder, loc, condition, yes, no);
}

/// A map over the entries of `op`'s one tensor operand, in its result's shape.
template <typename OpTy>
static LogicalResult replaceByMap(OpTy op, Value source,
                                  PatternRewriter &rewriter,
                                  EntryLoops::Body body) {
  EntryLoops loops(rewriter, op.getLoc());
  auto type = cast<RankedTensorType>(op.getType());
  EntryLoops::Operand operand{source, EntryLoops::dimsFrom(0, type.getRank())};
  rewriter.replaceOp(op, loops.map(type, loops.sizesOf(source), operand, body));
  return success();
}

//===----------------------------------------------------------------------===//
// Masks by place
//===----------------------------------------------------------------------===//

static LogicalResult lowerEye(EyeOp op, PatternRewriter &rewriter) {
  EntryLoops loops(rewriter, op.getLoc());
  auto type = cast<RankedTensorType>(op.getType());
  auto body = [&](OpBuilder &builder, Location loc, ValueRange) {
    Value same = compare(builder, loc, arith::CmpIPredicate::eq,
                         linalg::IndexOp::create(builder, loc, 0),
                         linalg::IndexOp::create(builder, loc, 1));
    Type element = type.getElementType();
    return select(builder, loc, same, createFloat(builder, loc, element, 1.0),
                  createFloat(builder, loc, element, 0.0));
  };
  Value shape = loops.empty(type, {});
  rewriter.replaceOp(op, loops.map(type, loops.sizesOf(shape), {}, body));
  return success();
}

static LogicalResult lowerTril(TrilOp op, PatternRewriter &rewriter) {
  return replaceByMap(
      op, op.getSource(), rewriter,
      [&](OpBuilder &builder, Location loc, ValueRange entries) {
        Value row = linalg::IndexOp::create(builder, loc, 0);
        Value column = linalg::IndexOp::create(builder, loc, 1);
        if (op.getReverse())
          std::swap(row, column);
        Value diagonal =
            arith::ConstantIndexOp::create(builder, loc, op.getDiagonal());
        Value last = arith::AddIOp::create(builder, loc, row, diagonal);
        Value kept =
            compare(builder, loc, arith::CmpIPredicate::sle, column, last);
        return select(builder, loc, kept, entries[0],
                      createFloat(builder, loc, entries[0].getType(), 0.0));
      });
}

static LogicalResult lowerKeepLive(KeepLiveOp op, PatternRewriter &rewriter) {
  return replaceByMap(
      op, op.getSource(), rewriter,
      [&](OpBuilder &builder, Location loc, ValueRange entries) {
        Value place = linalg::IndexOp::create(builder, loc, op.getDim());
        Value notBefore = compare(builder, loc, arith::CmpIPredicate::sge,
                                  place, op.getFrom());
        Value before =
            compare(builder, loc, arith::CmpIPredicate::slt, place, op.getTo());
        Value live = arith::AndIOp::create(builder, loc, notBefore, before);
        Value other = createFloat(builder, loc, entries[0].getType(),
                                  op.getOther().convertToDouble());
        return select(builder, loc, live, entries[0], other);
      });
}

/// Whether key slot minus query slot lies in the window.
static Value isInWindow(MaskWindowOp op, OpBuilder &builder, Location loc) {
  Value row = linalg::IndexOp::create(builder, loc, 0);
  Value column = linalg::IndexOp::create(builder, loc, 1);
  Value query = arith::AddIOp::create(builder, loc, op.getRowStart(), row);
  Value key = arith::AddIOp::create(builder, loc, op.getColStart(), column);
  Value distance = arith::SubIOp::create(builder, loc, key, query);
  Value inside =
      arith::ConstantOp::create(builder, loc, builder.getBoolAttr(true));
  auto restrict = [&](arith::CmpIPredicate predicate, int64_t bound) {
    Value limit = arith::ConstantIndexOp::create(builder, loc, bound);
    inside = arith::AndIOp::create(
        builder, loc, inside,
        compare(builder, loc, predicate, distance, limit));
  };
  int64_t left = op.getWindow()[0], right = op.getWindow()[1];
  if (left != MaskWindowOp::kUnbounded)
    restrict(arith::CmpIPredicate::sge, -left);
  if (right != MaskWindowOp::kUnbounded)
    restrict(arith::CmpIPredicate::sle, right);
  return inside;
}

static LogicalResult lowerMaskWindow(MaskWindowOp op,
                                     PatternRewriter &rewriter) {
  EntryLoops loops(rewriter, op.getLoc());
  auto type = cast<RankedTensorType>(op.getType());
  SmallVector<EntryLoops::Operand> operands{{op.getScores(), {0, 1}}};
  if (op.getRowIndex()) {
    operands.push_back({op.getRowIndex(), {0}});
    operands.push_back({op.getColIndex(), {1}});
  }
  auto body = [&](OpBuilder &builder, Location loc, ValueRange entries) {
    Value seen = isInWindow(op, builder, loc);
    if (op.getRowIndex()) {
      auto toIndex = [&](Value x) -> Value {
        return arith::IndexCastOp::create(builder, loc, builder.getIndexType(),
                                          x);
      };
      Value causal = compare(builder, loc, arith::CmpIPredicate::sle,
                             toIndex(entries[2]), toIndex(entries[1]));
      seen = arith::AndIOp::create(builder, loc, seen, causal);
    }
    Value masked = createFloat(builder, loc, type.getElementType(), -kInfinity);
    return select(builder, loc, seen, entries[0], masked);
  };
  rewriter.replaceOp(
      op, loops.map(type, loops.sizesOf(op.getScores()), operands, body));
  return success();
}

/// Bits needed to write later xor earlier, both below `numRows`: one for every
/// power of two that the number reaches.
static Value createBitLength(OpBuilder &builder, Location loc, Value later,
                             Value earlier, int64_t numRows) {
  Value bits = arith::XOrIOp::create(builder, loc, later, earlier);
  Value length = arith::ConstantIndexOp::create(builder, loc, 0);
  for (int64_t power = 1; power < numRows; power *= 2) {
    Value bound = arith::ConstantIndexOp::create(builder, loc, power);
    Value reached =
        compare(builder, loc, arith::CmpIPredicate::sge, bits, bound);
    Value one = arith::IndexCastUIOp::create(builder, loc,
                                             builder.getIndexType(), reached);
    length = arith::AddIOp::create(builder, loc, length, one);
  }
  return length;
}

static LogicalResult lowerLevelWeights(LevelWeightsOp op,
                                       PatternRewriter &rewriter) {
  EntryLoops loops(rewriter, op.getLoc());
  auto type = cast<RankedTensorType>(op.getType());
  OpFoldResult rows = loops.sizesOf(op.getLevels())[0];
  auto body = [&](OpBuilder &builder, Location loc, ValueRange) {
    Value later = linalg::IndexOp::create(builder, loc, 0);
    Value earlier = linalg::IndexOp::create(builder, loc, 1);
    Value level =
        createBitLength(builder, loc, later, earlier, type.getDimSize(0));
    Value weight = tensor::ExtractOp::create(builder, loc, op.getLevels(),
                                             ValueRange{later, level});
    Value seen =
        compare(builder, loc, arith::CmpIPredicate::sle, earlier, later);
    Value cast = castFloat(builder, loc, weight, type.getElementType());
    return select(builder, loc, seen, cast,
                  createFloat(builder, loc, type.getElementType(), 0.0));
  };
  rewriter.replaceOp(op, loops.map(type, {rows, rows}, {}, body));
  return success();
}

//===----------------------------------------------------------------------===//
// Repetition
//===----------------------------------------------------------------------===//

static LogicalResult lowerBroadcast(BroadcastOp op, PatternRewriter &rewriter) {
  EntryLoops loops(rewriter, op.getLoc());
  auto type = cast<RankedTensorType>(op.getType());
  SmallVector<OpFoldResult> sizes;
  SmallVector<OpFoldResult> sourceSizes = loops.sizesOf(op.getSource());
  for (int64_t dim : llvm::seq(type.getRank())) {
    const auto *source = llvm::find(op.getDims(), dim);
    if (source != op.getDims().end())
      sizes.push_back(sourceSizes[source - op.getDims().begin()]);
    else if (type.isDynamicDim(dim))
      sizes.push_back(loops.sizesOf(op.getLike())[dim]);
    else
      sizes.push_back(rewriter.getIndexAttr(type.getDimSize(dim)));
  }
  EntryLoops::Operand operand{op.getSource(), llvm::to_vector(op.getDims())};
  rewriter.replaceOp(op,
                     loops.map(type, sizes, operand,
                               [](OpBuilder &, Location, ValueRange entries) {
                                 return entries[0];
                               }));
  return success();
}

static LogicalResult lowerOuter(OuterOp op, PatternRewriter &rewriter) {
  EntryLoops loops(rewriter, op.getLoc());
  auto type = cast<RankedTensorType>(op.getType());
  int64_t shared = type.getRank() - 2;
  SmallVector<int64_t> lhsDims = EntryLoops::dimsFrom(0, shared + 1);
  SmallVector<int64_t> rhsDims = EntryLoops::dimsFrom(0, shared);
  rhsDims.push_back(shared + 1);
  SmallVector<OpFoldResult> sizes = loops.sizesOf(op.getLhs());
  sizes.push_back(loops.sizesOf(op.getRhs()).back());
  EntryLoops::Operand operands[] = {{op.getLhs(), lhsDims},
                                    {op.getRhs(), rhsDims}};
  auto body = [&](OpBuilder &builder, Location loc,
                  ValueRange entries) -> Value {
    Type element = type.getElementType();
    return arith::MulFOp::create(builder, loc,
                                 castFloat(builder, loc, entries[0], element),
                                 castFloat(builder, loc, entries[1], element));
  };
  rewriter.replaceOp(op, loops.map(type, sizes, operands, body));
  return success();
}

//===----------------------------------------------------------------------===//
// Maps along one dim
//===----------------------------------------------------------------------===//

/// The type softmax and norms are computed in: the result's, at least f32.
static Type getComputeType(RankedTensorType result) {
  Type element = result.getElementType();
  return element.isF64() ? element : Float32Type::get(element.getContext());
}

namespace {
/// Loops over one dim of a tensor: entries, and one number per line along it.
struct LineLoops {
  EntryLoops &loops;
  Value source;
  int64_t dim;
  RankedTensorType lineType;
  SmallVector<OpFoldResult> lineSizes;

  LineLoops(EntryLoops &loops, Value source, int64_t dim, Type compute)
      : loops(loops), source(source), dim(dim) {
    auto type = cast<RankedTensorType>(source.getType());
    SmallVector<int64_t> shape(type.getShape());
    shape.erase(shape.begin() + dim);
    lineType = RankedTensorType::get(shape, compute);
    lineSizes = loops.sizesOf(source);
    lineSizes.erase(lineSizes.begin() + dim);
  }

  /// Loop dims of the source when the line's dims come first.
  SmallVector<int64_t> foldDims(int64_t rank) const {
    SmallVector<int64_t> dims;
    int64_t next = 0;
    for (int64_t i : llvm::seq(rank))
      dims.push_back(i == dim ? rank - 1 : next++);
    return dims;
  }
  /// Loop dims of a line tensor when the source's dims come in order.
  SmallVector<int64_t> mapDims(int64_t rank) const {
    SmallVector<int64_t> dims;
    for (int64_t i : llvm::seq(rank))
      if (i != dim)
        dims.push_back(i);
    return dims;
  }

  Value fold(double init, ArrayRef<Value> lines, EntryLoops::Body body) {
    int64_t rank = lineType.getRank() + 1;
    SmallVector<EntryLoops::Operand> operands{{source, foldDims(rank)}};
    for (Value line : lines)
      operands.push_back({line, EntryLoops::dimsFrom(0, rank - 1)});
    return loops.fold(loops.filled(lineType, lineSizes, init), 1, operands,
                      body);
  }
  Value map(RankedTensorType type, ArrayRef<Value> lines,
            EntryLoops::Body body) {
    int64_t rank = type.getRank();
    SmallVector<EntryLoops::Operand> operands{
        {source, EntryLoops::dimsFrom(0, rank)}};
    for (Value line : lines)
      operands.push_back({line, mapDims(rank)});
    return loops.map(type, loops.sizesOf(source), operands, body);
  }
};
} // namespace

/// exp(x - maximum), where a line of -inf throughout gives 0.
static Value createWeight(OpBuilder &builder, Location loc, Value x,
                          Value maximum) {
  Value wide = castFloat(builder, loc, x, maximum.getType());
  Value infinity = createFloat(builder, loc, maximum.getType(), -kInfinity);
  Value empty = arith::CmpFOp::create(builder, loc, arith::CmpFPredicate::OEQ,
                                      maximum, infinity);
  Value zero = createFloat(builder, loc, maximum.getType(), 0.0);
  Value shift = select(builder, loc, empty, zero, maximum);
  Value shifted = arith::SubFOp::create(builder, loc, wide, shift);
  return math::ExpOp::create(builder, loc, shifted);
}

static LogicalResult lowerSoftmax(SoftmaxOp op, PatternRewriter &rewriter) {
  EntryLoops loops(rewriter, op.getLoc());
  auto type = cast<RankedTensorType>(op.getType());
  Type compute = getComputeType(type);
  LineLoops lines(loops, op.getSource(), op.getDim(), compute);
  Value maximum = lines.fold(
      -kInfinity, {},
      [&](OpBuilder &builder, Location loc, ValueRange entries) -> Value {
        Value x = castFloat(builder, loc, entries[0], compute);
        return arith::MaximumFOp::create(builder, loc, entries[1], x);
      });
  Value sum = lines.fold(
      0.0, maximum,
      [&](OpBuilder &builder, Location loc, ValueRange entries) -> Value {
        Value weight = createWeight(builder, loc, entries[0], entries[1]);
        return arith::AddFOp::create(builder, loc, entries[2], weight);
      });
  Value result = lines.map(
      type, {maximum, sum},
      [&](OpBuilder &builder, Location loc, ValueRange entries) -> Value {
        Value weight = createWeight(builder, loc, entries[0], entries[1]);
        Value quotient =
            arith::DivFOp::create(builder, loc, weight, entries[2]);
        Value zero = createFloat(builder, loc, compute, 0.0);
        Value empty = arith::CmpFOp::create(
            builder, loc, arith::CmpFPredicate::OEQ, entries[2], zero);
        Value guarded = select(builder, loc, empty, zero, quotient);
        return castFloat(builder, loc, guarded, type.getElementType());
      });
  rewriter.replaceOp(op, result);
  return success();
}

static LogicalResult lowerL2Normalize(L2NormalizeOp op,
                                      PatternRewriter &rewriter) {
  EntryLoops loops(rewriter, op.getLoc());
  auto type = cast<RankedTensorType>(op.getType());
  Type compute = getComputeType(type);
  LineLoops lines(loops, op.getSource(), op.getDim(), compute);
  Value squares = lines.fold(
      0.0, {},
      [&](OpBuilder &builder, Location loc, ValueRange entries) -> Value {
        Value x = castFloat(builder, loc, entries[0], compute);
        Value square = arith::MulFOp::create(builder, loc, x, x);
        return arith::AddFOp::create(builder, loc, entries[1], square);
      });
  Value result = lines.map(
      type, squares,
      [&](OpBuilder &builder, Location loc, ValueRange entries) -> Value {
        Value norm = math::SqrtOp::create(builder, loc, entries[1]);
        Value eps =
            createFloat(builder, loc, compute, op.getEps().convertToDouble());
        Value bounded = arith::MaximumFOp::create(builder, loc, norm, eps);
        Value x = castFloat(builder, loc, entries[0], compute);
        Value unit = arith::DivFOp::create(builder, loc, x, bounded);
        return castFloat(builder, loc, unit, type.getElementType());
      });
  rewriter.replaceOp(op, result);
  return success();
}

void scanweft::populateLowerEntryPatterns(RewritePatternSet &patterns) {
  patterns.add(lowerEye);
  patterns.add(lowerTril);
  patterns.add(lowerKeepLive);
  patterns.add(lowerMaskWindow);
  patterns.add(lowerLevelWeights);
  patterns.add(lowerBroadcast);
  patterns.add(lowerOuter);
  patterns.add(lowerSoftmax);
  patterns.add(lowerL2Normalize);
}
