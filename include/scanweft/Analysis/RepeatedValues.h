// Part of Scanweft, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

//===----------------------------------------------------------------------===//
// A broadcast, or one number in every entry, may serve dims that have nothing to
// do with each other but their size: common subexpressions make one value of
// both. Analyses of dims look at programs in which each use has its own.
//===----------------------------------------------------------------------===//

#ifndef SCANWEFT_ANALYSIS_REPEATEDVALUES_H
#define SCANWEFT_ANALYSIS_REPEATEDVALUES_H

namespace mlir {
class Operation;
} // namespace mlir

namespace scanweft {

/// Gives every use of a broadcast and of a tensor constant below `root` an op of
/// its own.
void separateRepeatedValues(mlir::Operation *root);

} // namespace scanweft

#endif // SCANWEFT_ANALYSIS_REPEATEDVALUES_H
