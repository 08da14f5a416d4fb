// Part of Scanweft, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

//===----------------------------------------------------------------------===//
// weft-verify-algebra: the normal form between fusion and chunking.
//===----------------------------------------------------------------------===//

#include "dialects/Weft/IR/WeftRules.h"
#include "mlir/IR/Matchers.h"
#include "passes/Chunking/LaunchShape.h"
#include "passes/Chunking/Passes.h"
#include "llvm/ADT/SetVector.h"

namespace scanweft {
#define GEN_PASS_DEF_VERIFYALGEBRA
#include "passes/Chunking/Passes.h.inc"
} // namespace scanweft

using namespace mlir;
using namespace scanweft;
using weft::Axis;

static LogicalResult verifyYields(weft::GroupOp group, const LaunchShape &shape,
                                  const AlgebraAxes &axes) {
  for (auto [i, value] : llvm::enumerate(group.getYield().getOperands())) {
    if (value.getParentBlock() != &group.getBody().front())
      return group.emitOpError("result #")
             << i << " is not made in the group" << weft::rule::L4;
    if (shape.lacksProgramAxis(value, axes))
      return group.emitOpError("result #")
             << i << " has no "
             << (axes.findDim(value, Axis::Batch) ? "head" : "batch") << " axis"
             << weft::rule::L4;
  }
  return success();
}

/// The heads of a group's programs: those that all others divide.
static std::optional<AlgebraAxes::Class> findHeads(weft::GroupOp group,
                                                   const AlgebraAxes &axes) {
  llvm::SmallSetVector<AlgebraAxes::Class, 8> all;
  for (Operation &op : group.getBody().front())
    for (Value value : llvm::concat<Value>(op.getOperands(), op.getResults()))
      if (auto heads = axes.findClass(value, Axis::Head))
        all.insert(*heads);
  for (AlgebraAxes::Class most : all)
    if (llvm::all_of(all, [&](AlgebraAxes::Class few) {
          return axes.headsDivide(few, most);
        }))
      return most;
  return std::nullopt;
}

FailureOr<LaunchShape> scanweft::verifyGroup(weft::GroupOp group,
                                             const AlgebraAxes &axes) {
  LaunchShape shape;
  shape.heads = findHeads(group, axes);
  FinalValues finals(axes);
  for (Operation &op : group.getBody().front().without_terminator()) {
    if (matchPattern(&op, m_Constant()))
      continue;
    if (WhyNot reason = whyNotInGroup(&op, axes))
      return op.emitOpError("cannot stand in a group: ")
             << *reason << weft::rule::L2;
    if (WhyNot reason = shape.join(&op, axes))
      return op.emitOpError("does not fit its group: ")
             << *reason << weft::rule::L3;
    if (WhyNot reason = finals.visit(&op))
      return op.emitOpError("does not fit its group: ")
             << *reason << weft::rule::L3;
  }
  if (!shape.time)
    return group.emitOpError("touches no tensor with a time axis")
           << weft::rule::L3;
  if (failed(verifyYields(group, shape, axes)))
    return failure();
  return shape;
}

/// Scans and token-wise ops outside of groups. What reads along time or mixes
/// axes is no part of any launch and may stay.
static LogicalResult verifyUngrouped(Block &block, const AlgebraAxes &axes) {
  for (Operation &op : block) {
    if (isa<weft::GroupOp>(op) || matchPattern(&op, m_Constant()))
      continue;
    WhyNot reason = whyNotInGroup(&op, axes);
    if (asScan(&op) && reason)
      return op.emitOpError("cannot stand in a group: ")
             << *reason << weft::rule::L2;
    if (!reason && (asScan(&op) || touchesTokens(&op, axes)))
      return op.emitOpError("stands outside of a group") << weft::rule::L1;
  }
  return success();
}

namespace {

struct VerifyAlgebra : scanweft::impl::VerifyAlgebraBase<VerifyAlgebra> {
  using VerifyAlgebraBase::VerifyAlgebraBase;

  void runOnOperation() override {
    WalkResult result = getOperation().walk([&](Block *block) {
      // Kernels are past this stage; groups are seen with the block around.
      Operation *parent = block->getParentOp();
      if (isa<weft::KernelOp, weft::GroupOp>(parent))
        return WalkResult::skip();
      AlgebraAxes axes(*block);
      if (failed(verifyUngrouped(*block, axes)))
        return WalkResult::interrupt();
      for (auto group : block->getOps<weft::GroupOp>())
        if (failed(verifyGroup(group, axes)))
          return WalkResult::interrupt();
      return WalkResult::advance();
    });
    if (result.wasInterrupted())
      return signalPassFailure();
    markAllAnalysesPreserved();
  }
};

} // namespace
