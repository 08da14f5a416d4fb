// Part of Scanweft, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef SCANWEFT_PASSES_SCHEDULE_SUMMARYWALK_H
#define SCANWEFT_PASSES_SCHEDULE_SUMMARYWALK_H

#include "dialects/Weft/IR/Weft.h"
#include "mlir/IR/PatternMatch.h"

namespace scanweft {

/// A walk over `rows` of the loop `op` that holds only what the elements of
/// these carries are made of: those of `along` are acted, those of `folded`
/// become summaries. `inits` are the states of the former, then the dense
/// elements that the latter start from.
weft::ChunkedOp buildSummaryWalk(weft::ChunkedOp op,
                                 llvm::ArrayRef<unsigned> along,
                                 llvm::ArrayRef<unsigned> folded,
                                 mlir::ValueRange inits,
                                 std::pair<mlir::Value, mlir::Value> rows,
                                 mlir::RewriterBase &rewriter);

} // namespace scanweft

#endif // SCANWEFT_PASSES_SCHEDULE_SUMMARYWALK_H
