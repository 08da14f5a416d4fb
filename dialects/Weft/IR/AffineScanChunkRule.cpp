// Part of Scanweft, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

//===----------------------------------------------------------------------===//
// The chunk rule of `weft.affine_scan`, put together from its clauses.
//
// With g the log decays of the chunk's rows and G their inclusive running sum
// in the order of time, what step s wrote reaches the read of step t with
//
//     exp(R_t - W_s),   R = G if the decay acts before the read, else G - g,
//                       W = G if the decay acts before the write, else G - g,
//
// for s <= t if the write acts before the read, else for s < t. So for every
// order of the clauses
//
//     out   = tril((q k^T) exp(R_t - W_s)) v + (q exp(R)) S
//     S'    = exp(G_end) S + (k exp(G_end - W))^T v
//
// and no exponent is positive where decays are at most 1. A normaliser is the
// same with one value, 1: its state z is a carry of its own. Decays per key
// channel enter through `weft.decayed_dot`, since exp(R) and exp(-W) apart
// overflow. Linear decays may be negative: their signs are kept apart.
//===----------------------------------------------------------------------===//

#include "dialects/Weft/IR/CarryKindBuilder.h"
#include "dialects/Weft/IR/WeftNumerics.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;
using namespace scanweft::weft;

//===----------------------------------------------------------------------===//
// Carries
//===----------------------------------------------------------------------===//

/// The operand number of an optional operand.
static unsigned operandNumber(AffineScanOp op, Value operand) {
  for (OpOperand &use : op->getOpOperands())
    if (use.get() == operand)
      return use.getOperandNumber();
  llvm_unreachable("an operand of the op");
}

SmallVector<CarryDeclaration> AffineScanOp::declareCarries(ChunkScope &scope) {
  Attribute kind = getDecay() ? Attribute(AffineAttr::get(getContext()))
                              : Attribute(SumAttr::get(getContext()));
  Type acc = getResolvedNumerics().getAcc();
  CarryKindBuilder build(scope.program, getLoc());
  auto declare = [&](int init, ArrayRef<int64_t> shape) -> CarryDeclaration {
    auto [first, count] = getODSOperandIndexAndLength(init);
    Value state = count ? scope.getProgramValue(first)
                        : build.splat(RankedTensorType::get(shape, acc), 0.0);
    return {kind, {state}};
  };
  // Operand groups 4 and 5 are the initial state and normaliser.
  SmallVector<CarryDeclaration> carries;
  carries.push_back(declare(4, {getKeySize(), getValueSize()}));
  if (isNormalized())
    carries.push_back(declare(5, {getKeySize()}));
  return carries;
}

//===----------------------------------------------------------------------===//
// Decays
//===----------------------------------------------------------------------===//

namespace {

/// A factor per row, or per row and key channel: exp(logarithm) times a sign,
/// which is null where all are positive.
struct Factor {
  Value logarithm;
  Value sign;
};

/// The factors of the formulas above; null members without a decay.
struct Decays {
  Factor read;      ///< exp(R)
  Factor write;     ///< exp(W)
  Factor remaining; ///< exp(G_end - W)
  Factor end;       ///< exp(G_end), without the dim of rows
};

class RuleBuilder {
public:
  RuleBuilder(AffineScanOp op, ChunkScope &scope)
      : op(op), scope(scope), build(scope.body, op.getLoc()),
        numerics(op.getResolvedNumerics()), acc(numerics.getAcc()) {
    for (auto [place, clause] : llvm::enumerate(op.getClauses()))
      places[static_cast<unsigned>(clause)] = place;
  }

  ChunkEmission emit(ValueRange states);

private:
  bool actsBefore(ScanClause first, ScanClause second) const {
    return places[static_cast<unsigned>(first)] <
           places[static_cast<unsigned>(second)];
  }
  bool isPerChannel() const {
    return tensorType(decays.read.logarithm).getRank() == 2;
  }

  Value getRows(Value operand) {
    return scope.getRows(operandNumber(op, operand));
  }
  Factor loadDecay();
  Factor accumulate(Factor step, bool inclusive);
  Decays buildDecays();

  Value exponential(Factor factor, Value target);
  Value multiply(Value rows, Factor factor);
  Value buildWeights();
  Value normalize(Value out, Value denominator);
  Value buildElement(Value state, Value value);

  AffineScanOp op;
  ChunkScope &scope;
  CarryKindBuilder build;
  NumericsAttr numerics;
  Type acc;
  unsigned places[3];
  Value query, key, value;
  Value decayedQuery, decayedKey; ///< q exp(R), k exp(G_end - W)
  Decays decays;
};

} // namespace

/// The chunk's log decays, 0 on dead rows. Logarithms are clamped as they are
/// loaded: below, exp is 0 in f32, and sums with an infinity are not numbers.
Factor RuleBuilder::loadDecay() {
  Value rows = build.cast(getRows(op.getDecay()), acc);
  Factor step{rows, Value()};
  DecaySpace space = op.getDecaySpace();
  if (space == DecaySpace::Linear) {
    Value zero = build.splat(rows.getType(), 0.0);
    Value negative = arith::CmpFOp::create(
        build.builder, build.loc, arith::CmpFPredicate::OLT, rows, zero);
    Value count =
        arith::SelectOp::create(build.builder, build.loc, negative,
                                build.splat(rows.getType(), 1.0), zero);
    step.sign = scope.keepLive(count, 0.0);
    Value magnitude = math::AbsFOp::create(build.builder, build.loc, rows);
    step.logarithm = math::LogOp::create(build.builder, build.loc, magnitude);
  } else if (space == DecaySpace::Log2) {
    constexpr double ln2 = 0.693147180559945309417232121458;
    step.logarithm = build.mul(rows, build.splat(rows.getType(), ln2));
  }
  Value smallest = build.splat(rows.getType(), kSmallestLogDecay);
  step.logarithm = arith::MaximumFOp::create(build.builder, build.loc,
                                             step.logarithm, smallest);
  step.logarithm = scope.keepLive(step.logarithm, 0.0);
  return step;
}

/// Running sums of logarithms and of counted signs.
Factor RuleBuilder::accumulate(Factor step, bool inclusive) {
  auto runningSum = [&](Value rows) -> Value {
    if (!rows)
      return {};
    return CumsumOp::create(build.builder, build.loc, rows.getType(), rows,
                            /*dim=*/0, /*exclusive=*/!inclusive,
                            op.getReverse());
  };
  return {runningSum(step.logarithm), runningSum(step.sign)};
}

/// 1 where a count of negative factors is even, -1 where it is odd.
static Value signOfCount(CarryKindBuilder &build, Value count) {
  if (!count)
    return {};
  Value two = build.splat(count.getType(), 2.0);
  Value half = build.mul(count, build.splat(count.getType(), 0.5));
  Value pairs = math::FloorOp::create(build.builder, build.loc, half);
  Value odd = build.sub(count, build.mul(pairs, two));
  return build.sub(build.splat(count.getType(), 1.0), build.mul(odd, two));
}

Decays RuleBuilder::buildDecays() {
  Factor step = loadDecay();
  Decays result;
  bool readInclusive = actsBefore(ScanClause::Decay, ScanClause::Read);
  bool writeInclusive = actsBefore(ScanClause::Decay, ScanClause::Write);
  result.read = accumulate(step, readInclusive);
  result.write = readInclusive == writeInclusive
                     ? result.read
                     : accumulate(step, writeInclusive);
  auto total = [&](Value rows) -> Value {
    return rows ? SumOp::create(build.builder, build.loc, rows, 0) : Value();
  };
  result.end = {total(step.logarithm), total(step.sign)};
  for (Factor *factor : {&result.read, &result.write, &result.end})
    factor->sign = signOfCount(build, factor->sign);
  // G_end - W, with the sign of what lies between.
  auto repeatEnd = [&](Value end, Value rows) -> Value {
    auto dims =
        llvm::to_vector(llvm::seq<int64_t>(1, tensorType(rows).getRank()));
    return BroadcastOp::create(build.builder, build.loc, rows.getType(), end,
                               dims);
  };
  Value logarithm = result.write.logarithm, sign = result.write.sign;
  result.remaining.logarithm =
      build.sub(repeatEnd(result.end.logarithm, logarithm), logarithm);
  if (sign)
    result.remaining.sign = build.mul(repeatEnd(result.end.sign, sign), sign);
  return result;
}

//===----------------------------------------------------------------------===//
// Rows and elements
//===----------------------------------------------------------------------===//

/// exp of a factor with its sign, repeated to the shape of `target`.
Value RuleBuilder::exponential(Factor factor, Value target) {
  Value result = build.exp(factor.logarithm);
  if (factor.sign)
    result = build.mul(result, factor.sign);
  return target ? build.broadcastLeading(result, target) : result;
}

/// rows times a factor, in the accumulator's type.
Value RuleBuilder::multiply(Value rows, Factor factor) {
  Value wide = build.cast(rows, acc);
  return build.mul(wide, exponential(factor, wide));
}

/// The weights of the chunk's values in the chunk's rows, [C, C].
Value RuleBuilder::buildWeights() {
  bool strict = !actsBefore(ScanClause::Write, ScanClause::Read);
  int64_t diagonal = strict ? -1 : 0;
  auto triangle = [&](Value matrix) -> Value {
    return TrilOp::create(build.builder, build.loc, matrix.getType(), matrix,
                          diagonal, op.getReverse());
  };
  if (!op.getDecay())
    return triangle(build.dot(query, key, 1, 1, numerics));
  auto withSign = [&](Value rows, Factor factor) {
    return factor.sign ? build.mul(build.cast(rows, acc), factor.sign) : rows;
  };
  Type square = RankedTensorType::get({scope.chunk, scope.chunk}, acc);
  if (isPerChannel())
    return DecayedDotOp::create(
        build.builder, build.loc, square, withSign(query, decays.read),
        withSign(key, decays.write), decays.read.logarithm,
        decays.write.logarithm, strict, op.getReverse(), numerics);
  auto alongDim = [&](Value rows, int64_t dim) -> Value {
    return BroadcastOp::create(build.builder, build.loc, square, rows,
                               ArrayRef<int64_t>{dim});
  };
  // Masked before exp: above the diagonal exponents are positive.
  Value exponent = triangle(build.sub(alongDim(decays.read.logarithm, 0),
                                      alongDim(decays.write.logarithm, 1)));
  Value factor = build.exp(exponent);
  if (decays.read.sign)
    factor = build.mul(factor, build.mul(alongDim(decays.read.sign, 0),
                                         alongDim(decays.write.sign, 1)));
  Value scores = build.dot(query, key, 1, 1, numerics);
  return triangle(build.mul(scores, factor));
}

Value RuleBuilder::normalize(Value out, Value denominator) {
  double number = op.getEpsilonAttr().getValueAsDouble();
  Value epsilon = build.splat(denominator.getType(), number);
  bool isAdded = op.getEpsilonMode() == EpsilonMode::Added;
  Value divisor =
      isAdded ? build.add(denominator, epsilon)
              : Value(arith::MaximumFOp::create(build.builder, build.loc,
                                                denominator, epsilon));
  return arith::DivFOp::create(build.builder, build.loc, out,
                               build.broadcastLeading(divisor, out));
}

/// The element of a carry whose state takes k v^T; a null value is 1.
Value RuleBuilder::buildElement(Value state, Value value) {
  if (!op.getDecay()) {
    Value addend = value
                       ? build.dot(key, value, 0, 0, numerics)
                       : Value(SumOp::create(build.builder, build.loc,
                                             build.cast(key, acc), /*dim=*/0));
    return SumElementOp::create(build.builder, build.loc, addend);
  }
  if (!value)
    value = build.splat(RankedTensorType::get({scope.chunk}, acc), 1.0);
  Value end = exponential(decays.end, Value());
  AffineTerm term{decayedKey, Value(), value};
  return AffineElementOp::create(build.builder, build.loc, end, term, numerics);
}

ChunkEmission RuleBuilder::emit(ValueRange states) {
  query = getRows(op.getQuery());
  key = scope.keepLive(getRows(op.getKey()), 0.0);
  value = scope.keepLive(getRows(op.getValue()), 0.0);
  decayedQuery = query;
  decayedKey = key;
  if (op.getDecay()) {
    decays = buildDecays();
    decayedQuery = multiply(query, decays.read);
    decayedKey = multiply(key, decays.remaining);
  }
  Value weights = buildWeights();
  auto scaled = [&](Value rows) -> Value {
    if (!op.getScaleAttr())
      return rows;
    double scale = op.getScaleAttr().getValueAsDouble();
    return scale == 1.0 ? rows
                        : build.mul(rows, build.splat(rows.getType(), scale));
  };
  Value inside = build.dot(weights, value, 1, 0, numerics);
  Value before = build.dot(decayedQuery, states[0], 1, 0, numerics);
  Value out = scaled(build.add(inside, before));
  SmallVector<Value> elements{buildElement(states[0], value)};
  if (op.isNormalized()) {
    Value sums = SumOp::create(build.builder, build.loc, weights, /*dim=*/1);
    Value carried = build.dot(decayedQuery, states[1], 1, 0, numerics);
    out = normalize(out, scaled(build.add(sums, carried)));
    elements.push_back(buildElement(states[1], Value()));
  }
  Type element = tensorType(op.getOut()).getElementType();
  return {{build.cast(out, element)}, elements};
}

ChunkEmission AffineScanOp::emitChunk(ChunkScope &scope, ValueRange states) {
  return RuleBuilder(*this, scope).emit(states);
}
