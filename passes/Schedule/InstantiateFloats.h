// Part of Scanweft, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

//===----------------------------------------------------------------------===//
// Other element types for a whole program: float64 throughout, or another type
// for what is stored in 16 bits.
//===----------------------------------------------------------------------===//

#ifndef SCANWEFT_PASSES_SCHEDULE_INSTANTIATEFLOATS_H
#define SCANWEFT_PASSES_SCHEDULE_INSTANTIATEFLOATS_H

#include "mlir/IR/Operation.h"

namespace scanweft {

/// Rewrites types, constants and numerics below `root` to `in`: f64, f32, bf16
/// or f16. With f64 every float type becomes f64 and every product is one of
/// f64; else types of 16 bits become `in`, and so do products of that
/// precision; with f32 products of less precision become products of f32, but
/// for those of three passes. Casts between equal types are erased.
llvm::LogicalResult instantiateFloats(mlir::Operation *root,
                                      llvm::StringRef in);

} // namespace scanweft

#endif // SCANWEFT_PASSES_SCHEDULE_INSTANTIATEFLOATS_H
