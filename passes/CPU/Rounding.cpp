// Part of Scanweft, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

//===----------------------------------------------------------------------===//
// Rounding of a product's operands, by integer arithmetic on the bits of an
// f32, so that it is the same on every processor:
//
//   bf16  nearest, ties to even          f16  nearest, ties to even
//   tf32  nearest, ties away from zero (the hardware's cvt.rna)
//
// The x3 and x2 precisions split an operand in a high and a low half.
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "passes/CPU/LowerBody.h"

using namespace mlir;
using namespace scanweft;
using namespace scanweft::weft;

namespace {
/// Rounds f32 scalars at one place.
class Rounding {
public:
  Rounding(OpBuilder &builder, Location loc) : builder(builder), loc(loc) {}

  /// `x` to `bits` fewer fraction bits.
  Value dropBits(Value x, unsigned bits, bool tiesToEven);
  Value toHalf(Value x);
  Value round(Value x, Precision precision);

private:
  Value integer(int64_t value) {
    return arith::ConstantOp::create(builder, loc,
                                     builder.getI32IntegerAttr(value));
  }
  Value number(double value) {
    return createFloat(builder, loc, builder.getF32Type(), value);
  }
  Value toBits(Value x) {
    return arith::BitcastOp::create(builder, loc, builder.getI32Type(), x);
  }
  Value fromBits(Value pattern) {
    return arith::BitcastOp::create(builder, loc, builder.getF32Type(),
                                    pattern);
  }
  Value mask(Value pattern, int64_t bits) {
    return arith::AndIOp::create(builder, loc, pattern, integer(bits));
  }
  Value compare(arith::CmpFPredicate predicate, Value lhs, Value rhs) {
    return arith::CmpFOp::create(builder, loc, predicate, lhs, rhs);
  }
  Value select(Value condition, Value yes, Value no) {
    return arith::SelectOp::create(builder, loc, condition, yes, no);
  }

  OpBuilder &builder;
  Location loc;
};
} // namespace

Value Rounding::dropBits(Value x, unsigned bits, bool tiesToEven) {
  Value pattern = toBits(x);
  // Half of the last kept place, less one where a tie goes to even: then the
  // last kept bit decides.
  Value half = integer((1 << (bits - 1)) - (tiesToEven ? 1 : 0));
  Value raised = arith::AddIOp::create(builder, loc, pattern, half);
  if (tiesToEven) {
    Value shifted =
        arith::ShRUIOp::create(builder, loc, pattern, integer(bits));
    Value last = mask(shifted, 1);
    raised = arith::AddIOp::create(builder, loc, raised, last);
  }
  Value rounded = fromBits(mask(raised, -(int64_t(1) << bits)));
  Value isNan = compare(arith::CmpFPredicate::UNO, x, x);
  return select(isNan, x, rounded);
}

Value Rounding::toHalf(Value x) {
  Value magnitude = fromBits(mask(toBits(x), 0x7FFFFFFF));
  Value normal = dropBits(magnitude, 13, /*tiesToEven=*/true);
  // Between the largest finite half and infinity: after rounding.
  Value overflows = compare(arith::CmpFPredicate::OGT, normal, number(65504.0));
  normal = select(overflows, number(std::numeric_limits<double>::infinity()),
                  normal);
  // Below 2^-14 halves are multiples of 2^-24, the last place of [0.5, 1).
  Value magic = number(0.75);
  Value sum = arith::AddFOp::create(builder, loc, magnitude, magic);
  Value small = arith::SubFOp::create(builder, loc, sum, magic);
  Value isSmall =
      compare(arith::CmpFPredicate::OLT, magnitude, number(0x1p-14));
  Value rounded = select(isSmall, small, normal);
  Value sign = mask(toBits(x), -(int64_t(1) << 31));
  return fromBits(arith::OrIOp::create(builder, loc, toBits(rounded), sign));
}

Value Rounding::round(Value x, Precision precision) {
  switch (precision) {
  case Precision::F64:
  case Precision::F32:
    return x;
  case Precision::TF32:
  case Precision::TF32x3:
    return dropBits(x, 13, /*tiesToEven=*/false);
  case Precision::BF16:
  case Precision::BF16x3:
    return dropBits(x, 16, /*tiesToEven=*/true);
  case Precision::F16:
  case Precision::F16x2:
    return toHalf(x);
  }
  llvm_unreachable("every precision is a case");
}

/// Whether every number of the type is one of the precision's.
static bool isExact(Type type, Precision precision) {
  switch (precision) {
  case Precision::F64:
  case Precision::F32:
    return true;
  case Precision::TF32:
  case Precision::TF32x3:
    return type.isBF16() || type.isF16();
  case Precision::BF16:
  case Precision::BF16x3:
    return type.isBF16();
  case Precision::F16:
  case Precision::F16x2:
    return type.isF16();
  }
  llvm_unreachable("every precision is a case");
}

/// Whether the operands are split in two halves: the first, the second.
static std::pair<bool, bool> getSplits(Precision precision) {
  bool three = precision == Precision::TF32x3 || precision == Precision::BF16x3;
  return {three, three || precision == Precision::F16x2};
}

Value scanweft::createRounded(OpBuilder &builder, Location loc, Value x,
                              NumericsAttr numerics) {
  Precision precision = numerics.getIn();
  if (precision == Precision::F64)
    return castFloat(builder, loc, x, numerics.getAcc());
  Rounding rounding(builder, loc);
  x = castFloat(builder, loc, x, builder.getF32Type());
  Value high = rounding.round(x, precision);
  if (!getSplits(precision).first)
    return high;
  Value rest = arith::SubFOp::create(builder, loc, x, high);
  Value low = rounding.round(rest, precision);
  return arith::AddFOp::create(builder, loc, high, low);
}

Value scanweft::createProduct(OpBuilder &builder, Location loc, Value lhs,
                              Value rhs, NumericsAttr numerics) {
  Precision precision = numerics.getIn();
  Type acc = numerics.getAcc();
  auto multiply = [&](Value a, Value b) -> Value {
    return arith::MulFOp::create(builder, loc, a, b);
  };
  if (precision == Precision::F64)
    return multiply(castFloat(builder, loc, lhs, acc),
                    castFloat(builder, loc, rhs, acc));
  Rounding rounding(builder, loc);
  Type f32 = builder.getF32Type();
  auto split = [&](Value x, bool inTwo) {
    bool exact = isExact(x.getType(), precision);
    x = castFloat(builder, loc, x, f32);
    Value high = exact ? x : rounding.round(x, precision);
    Value low;
    if (inTwo) {
      Value rest = arith::SubFOp::create(builder, loc, x, high);
      low = rounding.round(rest, precision);
    }
    return std::make_pair(high, low);
  };
  auto [splitLhs, splitRhs] = getSplits(precision);
  auto [lhsHigh, lhsLow] = split(lhs, splitLhs);
  auto [rhsHigh, rhsLow] = split(rhs, splitRhs);
  Value product = multiply(lhsHigh, rhsHigh);
  if (rhsLow)
    product =
        arith::AddFOp::create(builder, loc, product, multiply(lhsHigh, rhsLow));
  if (lhsLow)
    product =
        arith::AddFOp::create(builder, loc, product, multiply(lhsLow, rhsHigh));
  return castFloat(builder, loc, product, acc);
}
