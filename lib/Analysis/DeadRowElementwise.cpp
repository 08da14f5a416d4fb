// Part of Scanweft, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

//===----------------------------------------------------------------------===//
// Transfer functions of elementwise ops. Where every operand is one number the
// op's own folder computes; else a table by op.
//===----------------------------------------------------------------------===//

#include "DeadRowTransfer.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace scanweft;

using Kind = RowFact::Kind;

//===----------------------------------------------------------------------===//
// Numbers
//===----------------------------------------------------------------------===//

/// The number as a constant of a type: a splat where that is a tensor.
static Attribute getConstantOf(Type type, Attribute number) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  if (!tensor)
    return number;
  if (!tensor.hasStaticShape())
    return {};
  return DenseElementsAttr::get(tensor, number);
}

/// The fact that a fold's outcome stands for.
static std::optional<RowFact> readFold(Operation *op, OpFoldResult outcome,
                                       ArrayRef<RowFact> operands) {
  if (auto value = dyn_cast<Value>(outcome)) {
    for (auto [operand, fact] : llvm::zip(op->getOperands(), operands))
      if (operand == value)
        return fact;
    return std::nullopt;
  }
  auto attribute = cast<Attribute>(outcome);
  if (auto splat = dyn_cast<SplatElementsAttr>(attribute))
    return RowFact::constant(splat.getSplatValue<Attribute>());
  if (isa<FloatAttr, IntegerAttr>(attribute))
    return RowFact::constant(attribute);
  return std::nullopt;
}

static std::optional<RowFact> foldNumbers(Operation *op,
                                          ArrayRef<RowFact> operands) {
  SmallVector<Attribute> constants;
  for (auto [operand, fact] : llvm::zip(op->getOperands(), operands)) {
    Attribute number = fact.getNumber();
    if (!number)
      return std::nullopt;
    constants.push_back(getConstantOf(operand.getType(), number));
    if (!constants.back())
      return std::nullopt;
  }
  // A fold may change the op: it is a copy's.
  Operation *copy = op->clone();
  SmallVector<OpFoldResult> outcomes;
  std::optional<RowFact> fact;
  if (succeeded(copy->fold(constants, outcomes)) && outcomes.size() == 1)
    fact = readFold(op, outcomes.front(), operands);
  copy->destroy();
  return fact;
}

//===----------------------------------------------------------------------===//
// The table
//===----------------------------------------------------------------------===//

/// The strongest of the kinds that order by sign and finiteness.
static RowFact getBound(bool positive, bool nonNegative, bool finite,
                        bool belowInfinity) {
  return positive        ? Kind::Positive
         : nonNegative   ? Kind::NonNegative
         : finite        ? Kind::Finite
         : belowInfinity ? Kind::BelowInfinity
                         : Kind::Unknown;
}

static RowFact add(const RowFact &a, const RowFact &b) {
  if (a.isZero())
    return b;
  if (b.isZero())
    return a;
  if ((a.isMinusInfinity() && b.isBelowInfinity()))
    return a;
  if ((b.isMinusInfinity() && a.isBelowInfinity()))
    return b;
  bool isNonNegative = a.isNonNegative() && b.isNonNegative();
  return getBound(isNonNegative && (a.isPositive() || b.isPositive()),
                  isNonNegative, a.isFinite() && b.isFinite(),
                  a.isBelowInfinity() && b.isBelowInfinity());
}

static RowFact subtract(const RowFact &a, const RowFact &b) {
  if (b.isZero() || (a.isMinusInfinity() && b.isFinite()))
    return a;
  return getBound(false, false, a.isFinite() && b.isFinite(),
                  a.isBelowInfinity() && b.isFinite());
}

/// A product may underflow: of positive factors it is not negative.
static RowFact multiply(const RowFact &a, const RowFact &b) {
  if (!a.isFinite() || !b.isFinite())
    return Kind::Unknown;
  if (a.isZero() || b.isZero())
    return a.isZero() ? a : b;
  return getBound(false, a.isNonNegative() && b.isNonNegative(), true, true);
}

static RowFact divide(const RowFact &a, const RowFact &b) {
  if (!a.isFinite() || !b.isPositive())
    return Kind::Unknown;
  if (a.isZero())
    return a;
  return getBound(false, a.isNonNegative(), true, true);
}

static RowFact maximum(const RowFact &a, const RowFact &b) {
  if (!a.isBelowInfinity() || !b.isBelowInfinity())
    return Kind::Unknown;
  return getBound(a.isPositive() || b.isPositive(),
                  a.isNonNegative() || b.isNonNegative(),
                  a.isFinite() || b.isFinite(), true);
}

static RowFact minimum(const RowFact &a, const RowFact &b) {
  return getBound(
      a.isPositive() && b.isPositive(), a.isNonNegative() && b.isNonNegative(),
      a.isFinite() && b.isFinite(), a.isBelowInfinity() && b.isBelowInfinity());
}

static RowFact exponential(const RowFact &x) {
  return x.isBelowInfinity() ? Kind::NonNegative : Kind::Unknown;
}

static RowFact logarithm(const RowFact &x) {
  return getBound(false, false, x.isPositive(), x.isNonNegative());
}

static RowFact finiteIfFinite(const RowFact &x) {
  return x.isFinite() ? Kind::Finite : Kind::Unknown;
}

/// Casts that round or widen: rounding to zero takes positive away.
static RowFact castFloat(Operation *op, const RowFact &x) {
  bool keepsSign = isa<arith::ExtFOp>(op);
  return getBound(keepsSign && x.isPositive(), x.isNonNegative(), x.isFinite(),
                  x.isBelowInfinity());
}

static RowFact select(ArrayRef<RowFact> operands) {
  if (Attribute condition = operands[0].getNumber())
    return operands[0].isZero() ? operands[2] : operands[1];
  return operands[1].join(operands[2]);
}

static RowFact lookUp(Operation *op, ArrayRef<RowFact> x) {
  return llvm::TypeSwitch<Operation *, RowFact>(op)
      .Case<arith::AddFOp>([&](auto) { return add(x[0], x[1]); })
      .Case<arith::SubFOp>([&](auto) { return subtract(x[0], x[1]); })
      .Case<arith::MulFOp>([&](auto) { return multiply(x[0], x[1]); })
      .Case<arith::DivFOp>([&](auto) { return divide(x[0], x[1]); })
      .Case<arith::MaximumFOp, arith::MaxNumFOp>(
          [&](auto) { return maximum(x[0], x[1]); })
      .Case<arith::MinimumFOp, arith::MinNumFOp>(
          [&](auto) { return minimum(x[0], x[1]); })
      .Case<math::FmaOp>([&](auto) { return add(multiply(x[0], x[1]), x[2]); })
      .Case<arith::SelectOp>([&](auto) { return select(x); })
      .Case<arith::ExtFOp, arith::TruncFOp>(
          [&](auto) { return castFloat(op, x[0]); })
      .Case<math::ExpOp, math::Exp2Op>([&](auto) { return exponential(x[0]); })
      .Case<math::ExpM1Op>([&](auto) {
        return x[0].isBelowInfinity() ? Kind::Finite : Kind::Unknown;
      })
      .Case<math::LogOp, math::Log2Op, math::Log10Op>(
          [&](auto) { return logarithm(x[0]); })
      .Case<math::Log1pOp>([&](auto) {
        return x[0].isNonNegative() ? Kind::NonNegative : Kind::Unknown;
      })
      .Case<math::SqrtOp>([&](auto) {
        return getBound(x[0].isPositive(), x[0].isNonNegative(),
                        x[0].isNonNegative(), x[0].isNonNegative());
      })
      .Case<math::RsqrtOp>([&](auto) {
        return x[0].isPositive() ? Kind::Positive : Kind::Unknown;
      })
      .Case<math::AbsFOp>([&](auto) {
        return x[0].isFinite() ? Kind::NonNegative : Kind::Unknown;
      })
      .Case<arith::NegFOp, math::TanhOp, math::SinOp, math::CosOp, math::ErfOp,
            math::AtanOp, math::FloorOp, math::CeilOp, math::RoundOp,
            math::TruncOp>([&](auto) { return finiteIfFinite(x[0]); })
      .Case<arith::SIToFPOp, arith::UIToFPOp>([](auto) { return Kind::Finite; })
      .Default([](auto) { return Kind::Unknown; });
}

RowFact scanweft::transferElementwise(Operation *op,
                                      ArrayRef<RowFact> operands) {
  if (std::optional<RowFact> number = foldNumbers(op, operands))
    return *number;
  Type type = getElementTypeOrSelf(op->getResult(0).getType());
  // Integers have no infinities.
  return isa<FloatType>(type) ? lookUp(op, operands) : RowFact(Kind::Finite);
}
