// Part of Scanweft, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

//===----------------------------------------------------------------------===//
// Picks the loops over chunks that can be cut into segments, and says what was
// done with each.
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Remarks.h"
#include "passes/Schedule/Passes.h"
#include "passes/Schedule/SegmentedLoop.h"

namespace scanweft {
#define GEN_PASS_DEF_SEGMENT
#include "passes/Schedule/Passes.h.inc"
} // namespace scanweft

using namespace mlir;
using namespace scanweft;
using namespace scanweft::weft;

static constexpr llvm::StringLiteral kPassName = "weft-segment";

/// Why a loop stays as it is, or nothing.
static std::optional<std::string> getObstacle(ChunkedOp op,
                                              const CarryPhases &phases) {
  if (op.getNumCarries() == 0)
    return "it carries nothing, so its chunks are independent already";
  for (unsigned carry : llvm::seq(op.getNumCarries()))
    if (op.getKind(carry).isSummary())
      return "it is a segment's walk already";
  for (Value element : op.getNext().getElements())
    if (!isa_and_present<ElementOpInterface>(element.getDefiningOp()))
      return "an element is not the result of an element op";
  if (auto cycle = phases.getCycle())
    return "element #" + std::to_string(cycle->first) + " reads carry #" +
           std::to_string(cycle->second) +
           ": an element may read earlier carries only";
  return std::nullopt;
}

/// "cut into 3 segments, 2 phases (carries 0, 2; 1) and a replay"
static std::string describe(ChunkedOp op, const CarryPhases &phases,
                            int64_t numSegments) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  stream << "cut into " << numSegments
         << (numSegments == 1 ? " segment, " : " segments, ")
         << phases.getNumPhases()
         << (phases.getNumPhases() == 1 ? " phase" : " phases") << " (carries ";
  for (unsigned phase : llvm::seq_inclusive(1u, phases.getNumPhases())) {
    stream << (phase > 1 ? "; " : "");
    llvm::interleaveComma(phases.getCarries(phase), stream);
  }
  stream << ") and " << (needsReplay(op) ? "a replay" : "no replay");
  return text;
}

namespace {
struct SegmentPass : scanweft::impl::SegmentBase<SegmentPass> {
  using SegmentBase::SegmentBase;

  LogicalResult initialize(MLIRContext *context) override {
    if (segments >= 1)
      return success();
    return emitError(UnknownLoc::get(context))
           << kPassName << " got segments=" << segments.getValue()
           << ": a loop is cut into at least 1 segment";
  }

  void runOnOperation() override {
    IRRewriter rewriter(&getContext());
    SmallVector<ChunkedOp> loops;
    getOperation()->walk([&](ChunkedOp op) { loops.push_back(op); });
    for (ChunkedOp op : loops)
      segment(op, rewriter);
  }

  void segment(ChunkedOp op, IRRewriter &rewriter) {
    CarryPhases phases(op);
    if (auto obstacle = getObstacle(op, phases)) {
      remark::missed(
          op.getLoc(),
          remark::RemarkOpts::name("NotSegmented").category(kPassName))
          << "not cut into segments: " + *obstacle;
      return;
    }
    remark::passed(op.getLoc(),
                   remark::RemarkOpts::name("Segmented").category(kPassName))
        << describe(op, phases, segments);
    cutIntoSegments(op, phases, segments, rewriter);
  }
};
} // namespace
