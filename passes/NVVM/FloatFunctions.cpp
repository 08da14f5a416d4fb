// Part of Scanweft, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

//===----------------------------------------------------------------------===//
// The formulas. None of them branches, and none of them depends on whether a
// product and a sum fuse, unless they are written as `fma`.
//===----------------------------------------------------------------------===//

#include "FloatFunctions.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace scanweft;

static constexpr double kLog2E = 1.4426950408889634074;
static constexpr double kLn2 = 0.69314718055994530942;
static constexpr double kLog10E = 0.43429448190325182765;

namespace {

/// Ops on f32 scalars by short names.
class Scalars {
public:
  explicit Scalars(ImplicitLocOpBuilder &b) : b(b) {}

  Value constant(double value) {
    return arith::ConstantOp::create(b, b.getF32FloatAttr(value));
  }
  Value integer(uint32_t value) {
    return arith::ConstantOp::create(
        b, b.getI32IntegerAttr(static_cast<int32_t>(value)));
  }
  Value add(Value x, Value y) { return arith::AddFOp::create(b, x, y); }
  Value sub(Value x, Value y) { return arith::SubFOp::create(b, x, y); }
  Value mul(Value x, Value y) { return arith::MulFOp::create(b, x, y); }
  Value mul(Value x, double y) { return mul(x, constant(y)); }
  Value fma(Value x, Value y, Value z) {
    return math::FmaOp::create(b, x, y, z);
  }
  Value negate(Value x) { return arith::NegFOp::create(b, x); }
  Value abs(Value x) { return math::AbsFOp::create(b, x); }
  /// NaN stays NaN.
  Value clamp(Value x, double low, double high) {
    x = arith::MaximumFOp::create(b, x, constant(low));
    return arith::MinimumFOp::create(b, x, constant(high));
  }
  Value select(Value condition, Value x, Value y) {
    return arith::SelectOp::create(b, condition, x, y);
  }
  Value isLess(Value x, Value y) {
    return arith::CmpFOp::create(b, arith::CmpFPredicate::OLT, x, y);
  }
  Value toBits(Value x) {
    return arith::BitcastOp::create(b, b.getI32Type(), x);
  }
  Value fromBits(Value x) {
    return arith::BitcastOp::create(b, b.getF32Type(), x);
  }
  /// c[0] + x c[1] + x^2 c[2] + ...
  Value polynomial(Value x, ArrayRef<double> coefficients) {
    Value sum = constant(coefficients.back());
    for (double coefficient : llvm::reverse(coefficients.drop_back()))
      sum = fma(sum, x, constant(coefficient));
    return sum;
  }

  /// An instruction of the GPU.
  Value instruction(StringRef intrinsic, ValueRange operands) {
    return LLVM::CallIntrinsicOp::create(b, b.getF32Type(),
                                         b.getStringAttr(intrinsic), operands)
        .getResult(0);
  }
  /// 2^x to 2^-22.5; 0 for -inf; results below the normal range are 0.
  Value exp2(Value x) { return instruction("llvm.nvvm.ex2.approx.ftz", x); }
  /// To 2^-22, absolute between 1/2 and 2; -inf for 0, NaN below.
  Value log2(Value x) { return instruction("llvm.nvvm.lg2.approx.ftz.f", x); }
  Value reciprocal(Value x) {
    return instruction("llvm.nvvm.rcp.approx.ftz.f", x);
  }

  ImplicitLocOpBuilder &b;
};

} // namespace

//===----------------------------------------------------------------------===//
// Powers
//===----------------------------------------------------------------------===//

static Value expandExp2(ImplicitLocOpBuilder &b, ValueRange x, FloatMode) {
  return Scalars(b).exp2(x[0]);
}

/// x log2(e) is rounded, which costs |x| 2^-24 beside exp2's own error: at -16
/// 1.1e-6, at -80 5e-6. The precise form adds that rounding's error back; its
/// bounds are those of overflow and underflow, and keep infinities out of the
/// difference.
static Value expandExp(ImplicitLocOpBuilder &b, ValueRange operands,
                       FloatMode mode) {
  Scalars s(b);
  Value x = operands[0];
  if (!mode.precise || mode.roundedTo16Bits)
    return s.exp2(s.mul(x, kLog2E));
  const double high = static_cast<float>(kLog2E);
  x = s.clamp(x, -104.0, 89.0);
  Value log2E = s.constant(kLog2E);
  Value rounded = s.mul(x, log2E);
  Value rest = s.fma(x, log2E, s.negate(rounded));
  rest = s.fma(x, s.constant(kLog2E - high), rest);
  Value correction = s.fma(rest, s.constant(kLn2), s.constant(1.0));
  return s.mul(s.exp2(rounded), correction);
}

/// x = j ln 2 + f with |f| <= ln(2) / 2, then 2^j (e^f - 1) + (2^j - 1), with
/// half of 2^j, which does not overflow for j = 128. 2 units in the last place.
static Value expandExpM1(ImplicitLocOpBuilder &b, ValueRange operands,
                         FloatMode) {
  // Adding 1.5 * 2^23 leaves the nearest integer in the lowest bits.
  constexpr double shift = 12582912.0;
  // ln 2 in two parts, of which j times the first is exact.
  constexpr double ln2High = 0.693145751953125, ln2Low = 1.42860677e-6;
  Scalars s(b);
  Value x = s.clamp(operands[0], -30.0, 89.0);
  Value shifted = s.fma(x, s.constant(kLog2E), s.constant(shift));
  Value j = s.sub(shifted, s.constant(shift));
  Value f = s.fma(j, s.constant(-ln2High), x);
  f = s.fma(j, s.constant(-ln2Low), f);
  Value tail = s.polynomial(f, {0.4999999701976776, 0.16666539013385773,
                                0.04166722297668457, 0.008367180824279785,
                                0.0013882393250241876});
  Value fraction = s.fma(s.mul(f, f), tail, f);
  Value exponent = arith::AddIOp::create(b, s.toBits(shifted), s.integer(126));
  Value halfPower =
      s.fromBits(arith::ShLIOp::create(b, exponent, s.integer(23)));
  Value half = s.fma(fraction, halfPower, s.sub(halfPower, s.constant(0.5)));
  return s.add(half, half);
}

//===----------------------------------------------------------------------===//
// Logarithms
//===----------------------------------------------------------------------===//

namespace {

/// A number as 2^exponent (1 + fraction), -1/3 <= fraction <= 1/3.
/// `scaledExponent` is the exponent times 2^23, an integer.
struct Decomposed {
  Value scaledExponent;
  Value fraction;
};

} // namespace

/// The bits of the exponent by which to divide x, so that the quotient lies
/// between 2/3 and 4/3.
static Value exponentBits(Scalars &s, Value x) {
  Value distance =
      arith::SubIOp::create(s.b, s.toBits(x), s.integer(0x3f2aaaab));
  return arith::AndIOp::create(s.b, distance, s.integer(0xff800000));
}

/// log(2^e (1 + f)), by f + f^2 P(f).
static Value logOfDecomposed(Scalars &s, const Decomposed &x) {
  Value f = x.fraction;
  Value tail = s.polynomial(f, {-0.5, 0.3333320915699005, -0.24999716877937317,
                                0.20010747015476227, -0.16682302951812744,
                                0.14001159369945526, -0.12167185544967651,
                                0.14004762470722198, -0.12948833405971527});
  Value log = s.fma(s.mul(f, f), tail, f);
  Value exponent =
      arith::SIToFPOp::create(s.b, s.b.getF32Type(), x.scaledExponent);
  return s.fma(exponent, s.constant(kLn2 / (1 << 23)), log);
}

/// `value` where 0 < x < inf, else what the instruction makes of x: -inf at 0,
/// inf at inf, NaN below 0 and for NaN.
static Value unlessSpecial(Scalars &s, Value x, Value value) {
  Value below = arith::SubIOp::create(s.b, s.toBits(x), s.integer(1));
  Value regular = arith::CmpIOp::create(s.b, arith::CmpIPredicate::ult, below,
                                        s.integer(0x7f7fffff));
  return s.select(regular, value, s.log2(x));
}

/// Numbers below the normal range are scaled up first. 1 unit in the last
/// place.
static Value preciseLog(Scalars &s, Value x) {
  Value isSmall = s.isLess(x, s.constant(0x1p-126));
  Value normal = s.select(isSmall, s.mul(x, 0x1p23), x);
  Value offset = s.select(isSmall, s.integer(23u << 23), s.integer(0));
  Value bits = exponentBits(s, normal);
  Value mantissa =
      s.fromBits(arith::SubIOp::create(s.b, s.toBits(normal), bits));
  Value log = logOfDecomposed(s, {arith::SubIOp::create(s.b, bits, offset),
                                  s.sub(mantissa, s.constant(1.0))});
  return unlessSpecial(s, x, log);
}

/// The instruction's error is absolute near 1, where a logarithm is near 0: the
/// difference of two of them is none the worse for it.
static Value expandLog(ImplicitLocOpBuilder &b, ValueRange x, FloatMode mode) {
  Scalars s(b);
  if (!mode.precise || mode.roundedTo16Bits)
    return s.mul(s.log2(x[0]), kLn2);
  return preciseLog(s, x[0]);
}

static Value expandLog2(ImplicitLocOpBuilder &b, ValueRange x, FloatMode mode) {
  Scalars s(b);
  if (!mode.precise || mode.roundedTo16Bits)
    return s.log2(x[0]);
  return s.mul(preciseLog(s, x[0]), kLog2E);
}

static Value expandLog10(ImplicitLocOpBuilder &b, ValueRange x,
                         FloatMode mode) {
  Scalars s(b);
  if (!mode.precise || mode.roundedTo16Bits)
    return s.mul(s.log2(x[0]), kLn2 * kLog10E);
  return s.mul(preciseLog(s, x[0]), kLog10E);
}

/// The exponent is that of 1 + x; the fraction 2^-e (1 + x) - 1 comes from x
/// itself, so that small x lose nothing. 4 2^-e is used, since 2^-e may lie
/// below the normal range; x / 4 is there from 2^-124 down, and loses two bits.
/// 2 units in the last place.
static Value expandLog1p(ImplicitLocOpBuilder &b, ValueRange operands,
                         FloatMode) {
  Scalars s(b);
  Value x = operands[0];
  Value sum = s.add(x, s.constant(1.0));
  Value bits = exponentBits(s, sum);
  Value scale =
      s.fromBits(arith::SubIOp::create(b, s.integer(0x40800000), bits));
  Value shift = s.fma(scale, s.constant(0.25), s.constant(-1.0));
  Value fraction = s.fma(s.mul(x, 0.25), scale, shift);
  return unlessSpecial(s, sum, logOfDecomposed(s, {bits, fraction}));
}

//===----------------------------------------------------------------------===//
// Roots, quotients, tanh
//===----------------------------------------------------------------------===//

static Value expandSqrt(ImplicitLocOpBuilder &b, ValueRange x, FloatMode mode) {
  if (mode.precise && !mode.roundedTo16Bits)
    return Scalars(b).instruction("llvm.nvvm.sqrt.rn.f", x);
  return Scalars(b).instruction("llvm.nvvm.sqrt.approx.ftz.f", x);
}

/// To 2^-22.4. The precise form takes operands below the normal range too.
static Value expandRsqrt(ImplicitLocOpBuilder &b, ValueRange x,
                         FloatMode mode) {
  if (mode.precise && !mode.roundedTo16Bits)
    return Scalars(b).instruction("llvm.nvvm.rsqrt.approx.f", x);
  return Scalars(b).instruction("llvm.nvvm.rsqrt.approx.ftz.f", x);
}

/// div.full scales its operands, so that a large divisor does no harm; 2 units
/// in the last place. A reciprocal is one instruction.
static Value expandDivision(ImplicitLocOpBuilder &b, ValueRange operands,
                            FloatMode mode) {
  Scalars s(b);
  if (mode.precise && !mode.roundedTo16Bits)
    return s.instruction("llvm.nvvm.div.rn.f", operands);
  APFloat numerator(0.0f);
  if (matchPattern(operands[0], m_ConstantFloat(&numerator)) &&
      numerator.isExactlyValue(1.0))
    return s.reciprocal(operands[1]);
  return s.instruction("llvm.nvvm.div.full.ftz", operands);
}

/// 1 - 2 / (e^2|x| + 1) with the sign of x; for small x an odd polynomial,
/// since that difference would have the absolute error of 1. 6 units in the
/// last place. The instruction's 2^-11 is that of f16.
static Value expandTanh(ImplicitLocOpBuilder &b, ValueRange operands,
                        FloatMode mode) {
  Scalars s(b);
  Value x = operands[0];
  if (mode.roundedTo16Bits)
    return LLVM::CallIntrinsicOp::create(
               b, TypeRange(b.getF32Type()), b.getStringAttr("llvm.tanh"),
               ValueRange(x),
               LLVM::FastmathFlagsAttr::get(b.getContext(),
                                            LLVM::FastmathFlags::afn))
        .getResult(0);
  Value magnitude = s.abs(x);
  Value power = s.exp2(s.mul(magnitude, 2.0 * kLog2E));
  Value large = s.fma(s.reciprocal(s.add(power, s.constant(1.0))),
                      s.constant(-2.0), s.constant(1.0));
  large = math::CopySignOp::create(b, large, x);
  Value square = s.mul(x, x);
  Value tail = s.polynomial(
      square, {-0.33333298563957214, 0.13331924378871918, -0.053783830255270004,
               0.020795974880456924, -0.005895161535590887});
  Value small = s.fma(s.mul(square, tail), x, x);
  return s.select(s.isLess(magnitude, s.constant(0.6)), small, large);
}

static constexpr NamedFunction kFunctions[] = {
    {"arith.divf", expandDivision}, {"math.exp", expandExp},
    {"math.exp2", expandExp2},      {"math.expm1", expandExpM1},
    {"math.log", expandLog},        {"math.log10", expandLog10},
    {"math.log1p", expandLog1p},    {"math.log2", expandLog2},
    {"math.rsqrt", expandRsqrt},    {"math.sqrt", expandSqrt},
    {"math.tanh", expandTanh},
};

ArrayRef<NamedFunction> scanweft::getFloatFunctions() { return kFunctions; }
