// Part of Scanweft, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

//===----------------------------------------------------------------------===//
// Which numerics an op has that names none. Everything that lowers an algebra
// op asks here, so that its reference meaning and its chunked form agree.
//===----------------------------------------------------------------------===//

#ifndef SCANWEFT_DIALECTS_WEFT_IR_WEFTNUMERICS_H
#define SCANWEFT_DIALECTS_WEFT_IR_WEFTNUMERICS_H

#include "dialects/Weft/IR/Weft.h"

namespace scanweft::weft {

/// Smallest natural logarithm of a decay: exp of it is about the smallest
/// normal number of f32. Log decays are clamped to it where they are loaded, in
/// every precision, so that differences of their sums stay finite.
inline constexpr double kSmallestLogDecay = -87.0;

/// Whether tokens may have this element type: f64, f32, bf16 or f16.
inline bool isTokenFloat(mlir::Type type) {
  return type.isF64() || type.isF32() || type.isBF16() || type.isF16();
}

/// The type in which values of this element type are summed: f64 for f64, f32
/// for every other.
inline mlir::Type getAccumulatorType(mlir::Type element) {
  return element.isF64() ? element
                         : mlir::Float32Type::get(element.getContext());
}

/// The numerics of products of values of this element type: operands as they
/// are, summed in the accumulator type.
inline NumericsAttr getDefaultNumerics(mlir::Type element) {
  Precision in = element.isF64()    ? Precision::F64
                 : element.isBF16() ? Precision::BF16
                 : element.isF16()  ? Precision::F16
                                    : Precision::F32;
  return NumericsAttr::get(element.getContext(), in,
                           getAccumulatorType(element));
}

} // namespace scanweft::weft

#endif // SCANWEFT_DIALECTS_WEFT_IR_WEFTNUMERICS_H
