// Part of Scanweft, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef SCANWEFT_PASSES_SCHEDULE_SEGMENTEDLOOP_H
#define SCANWEFT_PASSES_SCHEDULE_SEGMENTEDLOOP_H

#include "mlir/IR/PatternMatch.h"
#include "passes/Schedule/CarryPhases.h"

namespace scanweft {

/// Whether the outputs or the final states need a second walk: rows of output
/// do, and a kind scanned by its own action, whose summary says nothing of a
/// last segment that is cut short.
bool needsReplay(weft::ChunkedOp op);

/// Replaces `op`, whose phases are `phases`, by its schedule over `numSegments`
/// segments.
void cutIntoSegments(weft::ChunkedOp op, const CarryPhases &phases,
                     int64_t numSegments, mlir::RewriterBase &rewriter);

} // namespace scanweft

#endif // SCANWEFT_PASSES_SCHEDULE_SEGMENTEDLOOP_H
