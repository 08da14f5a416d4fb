// Part of Scanweft, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

//===----------------------------------------------------------------------===//
// Which ops can become part of one launch, and whether several agree on its
// shape. Fusion asks before it gathers ops into a group, the normal form asks
// of a group that is there; both get the reason in words.
//===----------------------------------------------------------------------===//

#ifndef SCANWEFT_PASSES_CHUNKING_LAUNCHSHAPE_H
#define SCANWEFT_PASSES_CHUNKING_LAUNCHSHAPE_H

#include "scanweft/Analysis/AlgebraAxes.h"

namespace scanweft {

/// A reason why not, in words that go on after a colon; nothing where it can.
using WhyNot = std::optional<std::string>;

/// A scan with a chunk rule, or nothing.
weft::AlgebraOpInterface asScan(mlir::Operation *op);

/// Whether an op has a result or a tensor operand with a time axis.
bool touchesTokens(mlir::Operation *op, const AlgebraAxes &axes);

/// Why `op` cannot stand in a group: scans can, and ops that act along no
/// batch, time or head axis.
WhyNot whyNotInGroup(mlir::Operation *op, const AlgebraAxes &axes);

/// Axes, direction and chunk size of a launch, as far as its ops say.
struct LaunchShape {
  std::optional<AlgebraAxes::Class> batch, time, heads;
  std::optional<bool> reverse;
  std::optional<int64_t> chunk;

  /// The axes of a launch that has them.
  AlgebraAxes::Class getTime() const {
    assert(time && "a launch walks time");
    return time.value_or(0);
  }
  AlgebraAxes::Class getHeads() const {
    assert(heads && "no op asks for heads of a launch without any");
    return heads.value_or(0);
  }

  /// Takes in what another launch or op says; says why they do not agree and
  /// is then unchanged.
  WhyNot join(const LaunchShape &other, const AlgebraAxes &axes);
  WhyNot join(mlir::Operation *op, const AlgebraAxes &axes);

  /// Whether a value lacks one of the launch's program axes.
  bool lacksProgramAxis(mlir::Value value, const AlgebraAxes &axes) const;
};

/// Values that are known only after the last step: final states of scans among
/// the ops asked about, and what is made of them.
class FinalValues {
public:
  explicit FinalValues(const AlgebraAxes &axes) : axes(axes) {}

  /// Notes the results of `op`; ops come in order. Says why not if the op needs
  /// such a value before the last step.
  WhyNot visit(mlir::Operation *op);
  bool contains(mlir::Value value) const { return values.contains(value); }

private:
  const AlgebraAxes &axes;
  llvm::DenseSet<mlir::Value> values;
};

/// The launch that a group is, or diagnostics for why it is none.
mlir::FailureOr<LaunchShape> verifyGroup(weft::GroupOp group,
                                         const AlgebraAxes &axes);

} // namespace scanweft

#endif // SCANWEFT_PASSES_CHUNKING_LAUNCHSHAPE_H
