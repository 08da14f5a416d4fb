// Part of Scanweft, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

//===----------------------------------------------------------------------===//
// Sums of products: dot, and the two contractions of rows that decay.
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "passes/CPU/LowerBody.h"

using namespace mlir;
using namespace scanweft;
using namespace scanweft::weft;

/// The loop dims of a factor: `first`, `first` + 1, ... for its free dims,
/// `contracted` for the contracted one.
static SmallVector<int64_t> getFactorDims(int64_t rank, int64_t dim,
                                          int64_t first, int64_t contracted) {
  SmallVector<int64_t> dims;
  for (int64_t i : llvm::seq(rank))
    dims.push_back(i == dim ? contracted : first++);
  return dims;
}

Value EntryLoops::contract(Value init, Value lhs, Value rhs, int64_t lhsDim,
                           int64_t rhsDim, Body body) {
  int64_t lhsRank = cast<RankedTensorType>(lhs.getType()).getRank();
  int64_t rhsRank = cast<RankedTensorType>(rhs.getType()).getRank();
  int64_t contracted = lhsRank + rhsRank - 2;
  Operand operands[] = {
      {lhs, getFactorDims(lhsRank, lhsDim, 0, contracted)},
      {rhs, getFactorDims(rhsRank, rhsDim, lhsRank - 1, contracted)}};
  // The free dims of rhs innermost: sums of one entry do not wait for each
  // other, and the order in which each is summed stays.
  return fold(init, 1, operands, body, /*firstReduced=*/lhsRank - 1);
}

Value EntryLoops::dot(Value lhs, Value rhs, int64_t lhsDim, int64_t rhsDim,
                      NumericsAttr numerics) {
  SmallVector<OpFoldResult> sizes;
  SmallVector<int64_t> shape;
  auto appendFree = [&](Value factor, int64_t contracted) {
    auto type = cast<RankedTensorType>(factor.getType());
    for (auto [dim, size] : llvm::enumerate(sizesOf(factor))) {
      if (static_cast<int64_t>(dim) == contracted)
        continue;
      sizes.push_back(size);
      shape.push_back(type.getDimSize(dim));
    }
  };
  appendFree(lhs, lhsDim);
  appendFree(rhs, rhsDim);
  auto body = [&](OpBuilder &builder, Location loc,
                  ValueRange entries) -> Value {
    Value product =
        createProduct(builder, loc, entries[0], entries[1], numerics);
    return arith::AddFOp::create(builder, loc, entries[2], product);
  };
  Value zero =
      filled(RankedTensorType::get(shape, numerics.getAcc()), sizes, 0.0);
  return contract(zero, lhs, rhs, lhsDim, rhsDim, body);
}

static LogicalResult lowerDot(DotOp op, PatternRewriter &rewriter) {
  EntryLoops loops(rewriter, op.getLoc());
  rewriter.replaceOp(op, loops.dot(op.getLhs(), op.getRhs(), op.getLhsDim(),
                                   op.getRhsDim(), op.getNumericsAttr()));
  return success();
}

/// accumulator + lhs rhs exp(lhsDecay - rhsDecay) where row `later` may see row
/// `earlier`, else the accumulator, whatever the factors are. The exponent is
/// masked before exp: none that may be positive is formed.
template <typename OpTy>
static Value addDecayed(OpTy op, OpBuilder &builder, Location loc,
                        ValueRange entries, unsigned laterDim,
                        unsigned earlierDim) {
  Value later = linalg::IndexOp::create(builder, loc, laterDim);
  Value earlier = linalg::IndexOp::create(builder, loc, earlierDim);
  if (op.getReverse())
    std::swap(later, earlier);
  auto predicate =
      op.getStrict() ? arith::CmpIPredicate::slt : arith::CmpIPredicate::sle;
  Value seen = arith::CmpIOp::create(builder, loc, predicate, earlier, later);
  Value exponent = arith::SubFOp::create(builder, loc, entries[2], entries[3]);
  Value minusInfinity = createFloat(builder, loc, exponent.getType(),
                                    -std::numeric_limits<double>::infinity());
  Value masked =
      arith::SelectOp::create(builder, loc, seen, exponent, minusInfinity);
  Value decay = math::ExpOp::create(builder, loc, masked);
  Value product =
      createProduct(builder, loc, entries[0], entries[1], op.getNumericsAttr());
  Value decayed = arith::MulFOp::create(builder, loc, product, decay);
  Value sum = arith::AddFOp::create(builder, loc, entries[4], decayed);
  return arith::SelectOp::create(builder, loc, seen, sum, entries[4]);
}

static LogicalResult lowerDecayedDot(DecayedDotOp op,
                                     PatternRewriter &rewriter) {
  EntryLoops loops(rewriter, op.getLoc());
  auto type = cast<RankedTensorType>(op.getType());
  // Loop dims: later row, earlier row, channel.
  EntryLoops::Operand operands[] = {{op.getLhs(), {0, 2}},
                                    {op.getRhs(), {1, 2}},
                                    {op.getLhsDecay(), {0, 2}},
                                    {op.getRhsDecay(), {1, 2}}};
  Value zero = loops.filled(
      type, {loops.sizesOf(op.getLhs())[0], loops.sizesOf(op.getRhs())[0]},
      0.0);
  auto body = [&](OpBuilder &builder, Location loc,
                  ValueRange entries) -> Value {
    return addDecayed(op, builder, loc, entries, 0, 1);
  };
  rewriter.replaceOp(op, loops.fold(zero, 1, operands, body));
  return success();
}

static LogicalResult lowerDecayedMatmul(DecayedMatmulOp op,
                                        PatternRewriter &rewriter) {
  EntryLoops loops(rewriter, op.getLoc());
  auto type = cast<RankedTensorType>(op.getType());
  // Dims: later row, channel, earlier row; the loop over channels innermost.
  EntryLoops::Operand operands[] = {{op.getWeights(), {0, 2}},
                                    {op.getRhs(), {2, 1}},
                                    {op.getLhsDecay(), {0, 1}},
                                    {op.getRhsDecay(), {2, 1}}};
  Value zero = loops.filled(type, loops.sizesOf(op.getLhsDecay()), 0.0);
  auto body = [&](OpBuilder &builder, Location loc,
                  ValueRange entries) -> Value {
    return addDecayed(op, builder, loc, entries, 0, 1);
  };
  rewriter.replaceOp(op,
                     loops.fold(zero, 1, operands, body, /*firstReduced=*/1));
  return success();
}

void scanweft::populateLowerProductPatterns(RewritePatternSet &patterns) {
  patterns.add(lowerDot);
  patterns.add(lowerDecayedDot);
  patterns.add(lowerDecayedMatmul);
}
