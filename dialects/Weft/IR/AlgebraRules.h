// Part of Scanweft, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

//===----------------------------------------------------------------------===//
// Checks that the verifiers of several algebra ops share. Private to the
// dialect. A `role` is what an operand or result is to the author: "clause
// 'read'", "the output".
//===----------------------------------------------------------------------===//

#ifndef SCANWEFT_DIALECTS_WEFT_IR_ALGEBRARULES_H
#define SCANWEFT_DIALECTS_WEFT_IR_ALGEBRARULES_H

#include "dialects/Weft/IR/Weft.h"
#include "dialects/Weft/IR/WeftRules.h"
#include "llvm/ADT/SmallVector.h"

namespace scanweft::weft {

/// A1: scans run over axis 1.
llvm::LogicalResult verifyTimeAxis(mlir::Operation *op, int64_t axis);

/// A8: a chunk size is a power of two.
llvm::LogicalResult verifyChunkSize(mlir::Operation *op,
                                    std::optional<int64_t> chunk);

/// Axes of the letters in `letters`.
llvm::SmallVector<Axis> toAxes(llvm::StringRef letters);

/// [b, t, h], then features, of a tensor of this rank; without `hasTime` [b, h]
/// and features.
llvm::SmallVector<Axis> leadingAxes(unsigned rank, bool hasTime);

/// Sizes that several tensors share along an axis: the first static size of
/// each axis is remembered with the role that has it.
class SharedSizes {
public:
  SharedSizes(mlir::Operation *op, const Rule &rule) : op(op), rule(rule) {}

  /// Notes that `role` has `size` along `axis`; a diagnostic where another size
  /// was noted before.
  llvm::LogicalResult note(Axis axis, int64_t size, llvm::StringRef role);

private:
  struct Entry {
    Axis axis;
    int64_t size;
    llvm::StringRef role;
  };
  mlir::Operation *op;
  const Rule &rule;
  llvm::SmallVector<Entry> entries;
};

} // namespace scanweft::weft

#endif // SCANWEFT_DIALECTS_WEFT_IR_ALGEBRARULES_H
