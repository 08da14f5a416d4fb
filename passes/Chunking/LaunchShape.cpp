// Part of Scanweft, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "passes/Chunking/LaunchShape.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace scanweft;
using weft::Axis;

weft::AlgebraOpInterface scanweft::asScan(Operation *op) {
  auto algebra = dyn_cast<weft::AlgebraOpInterface>(op);
  bool isScan =
      algebra && algebra.isScan() && isa<weft::ChunkRuleOpInterface>(op);
  return isScan ? algebra : weft::AlgebraOpInterface();
}

bool scanweft::touchesTokens(Operation *op, const AlgebraAxes &axes) {
  auto isToken = [&](Value value) { return axes.isToken(value); };
  return llvm::any_of(op->getOperands(), isToken) ||
         llvm::any_of(op->getResults(), isToken);
}

static std::string nameOf(Operation *op) {
  return "'" + op->getName().getStringRef().str() + "'";
}

//===----------------------------------------------------------------------===//
// Ops one by one
//===----------------------------------------------------------------------===//

static StringRef describe(Axis axis) {
  switch (axis) {
  case Axis::Batch:
    return "batch";
  case Axis::Time:
    return "time";
  default:
    return "head";
  }
}

/// Why an op reads along an axis that a program or chunk has only a part of.
static WhyNot whyActsAlong(weft::DimwiseOpInterface op, OpOperand &operand,
                           const AlgebraAxes &axes) {
  auto type = dyn_cast<RankedTensorType>(operand.get().getType());
  for (unsigned dim : llvm::seq<unsigned>(type ? type.getRank() : 0)) {
    Axis axis = axes.getAxis(operand.get(), dim);
    if (axis != Axis::Feature && op.actsAlong(operand.getOperandNumber(), dim))
      return nameOf(op) + " acts along the " + describe(axis).str() + " axis";
  }
  return std::nullopt;
}

/// Every axis but features passes through a reshape as a dim of its own.
static WhyNot whyMixesAxes(Operation *op, Value expanded,
                           ArrayRef<SmallVector<int64_t, 2>> groups,
                           const AlgebraAxes &axes) {
  for (ArrayRef<int64_t> group : groups)
    for (int64_t dim : group)
      if (group.size() > 1 && axes.getAxis(expanded, dim) != Axis::Feature)
        return nameOf(op) + " mixes the " +
               describe(axes.getAxis(expanded, dim)).str() +
               " axis with others";
  return std::nullopt;
}

static WhyNot whyNotTokenwise(Operation *op, const AlgebraAxes &axes) {
  if (auto dimwise = dyn_cast<weft::DimwiseOpInterface>(op)) {
    if (isa<weft::AlgebraOpInterface>(op))
      return std::nullopt;
    for (OpOperand &operand : op->getOpOperands())
      if (!dimwise.isShapeOnly(operand.getOperandNumber()))
        if (WhyNot reason = whyActsAlong(dimwise, operand, axes))
          return reason;
    return std::nullopt;
  }
  if (OpTrait::hasElementwiseMappableTraits(op))
    return std::nullopt;
  if (auto expand = dyn_cast<tensor::ExpandShapeOp>(op))
    return whyMixesAxes(op, expand.getResult(),
                        expand.getReassociationIndices(), axes);
  if (auto collapse = dyn_cast<tensor::CollapseShapeOp>(op))
    return whyMixesAxes(op, collapse.getSrc(),
                        collapse.getReassociationIndices(), axes);
  return nameOf(op) + " is neither a scan nor a token-wise op";
}

/// An associative scan's function is applied to tensors, entry by entry.
static WhyNot whyNotOnTensors(weft::AlgebraOpInterface scan) {
  for (Region &region : scan->getRegions())
    for (Operation &op : region.front().without_terminator())
      if (!isa<arith::ConstantOp>(op) &&
          !OpTrait::hasElementwiseMappableTraits(&op))
        return nameOf(&op) + " in the region has no form on tensors";
  return std::nullopt;
}

WhyNot scanweft::whyNotInGroup(Operation *op, const AlgebraAxes &axes) {
  if (!isMemoryEffectFree(op))
    return nameOf(op) + " has side effects";
  WhyNot reason;
  if (weft::AlgebraOpInterface scan = asScan(op))
    reason = whyNotOnTensors(scan);
  else if (op->getNumRegions() != 0)
    reason = nameOf(op) + " has a region";
  else
    reason = whyNotTokenwise(op, axes);
  if (reason)
    return reason;
  for (Value value : llvm::concat<Value>(op->getOperands(), op->getResults()))
    if (WhyNot irregular = axes.whyIrregular(value))
      return nameOf(op) + " takes or gives a tensor whose " + *irregular;
  return std::nullopt;
}

//===----------------------------------------------------------------------===//
// Launches
//===----------------------------------------------------------------------===//

/// Takes in a class of heads: one must be known to divide the other.
static bool joinHeads(std::optional<AlgebraAxes::Class> &heads,
                      std::optional<AlgebraAxes::Class> other,
                      const AlgebraAxes &axes) {
  if (!other || (heads && axes.headsDivide(*other, *heads)))
    return true;
  if (heads && !axes.headsDivide(*heads, *other))
    return false;
  heads = other;
  return true;
}

template <typename T>
static bool joinEqual(std::optional<T> &value, std::optional<T> other) {
  if (value && other && *value != *other)
    return false;
  if (other)
    value = other;
  return true;
}

WhyNot LaunchShape::join(const LaunchShape &other, const AlgebraAxes &axes) {
  LaunchShape joined = *this;
  if (!joinEqual(joined.time, other.time))
    return "lengths are not known to agree";
  if (!joinEqual(joined.reverse, other.reverse))
    return "directions differ";
  if (!joinEqual(joined.batch, other.batch))
    return "batch sizes are not known to agree";
  if (!joinHeads(joined.heads, other.heads, axes))
    return "head counts are not known to divide each other";
  if (!joinEqual(joined.chunk, other.chunk))
    return "chunk sizes differ, " + std::to_string(chunk.value_or(0)) +
           " and " + std::to_string(other.chunk.value_or(0));
  *this = joined;
  return std::nullopt;
}

WhyNot LaunchShape::join(Operation *op, const AlgebraAxes &axes) {
  LaunchShape joined = *this;
  for (Value value : llvm::concat<Value>(op->getResults(), op->getOperands())) {
    LaunchShape shape;
    shape.batch = axes.findClass(value, Axis::Batch);
    shape.time = axes.findClass(value, Axis::Time);
    shape.heads = axes.findClass(value, Axis::Head);
    if (WhyNot reason = joined.join(shape, axes))
      return reason;
  }
  if (weft::AlgebraOpInterface scan = asScan(op)) {
    LaunchShape shape;
    shape.reverse = scan.runsReverse();
    shape.chunk = scan.getRequestedChunk();
    if (WhyNot reason = joined.join(shape, axes))
      return reason;
  }
  *this = joined;
  return std::nullopt;
}

bool LaunchShape::lacksProgramAxis(Value value, const AlgebraAxes &axes) const {
  return (batch && !axes.findDim(value, Axis::Batch)) ||
         (heads && !axes.findDim(value, Axis::Head));
}

//===----------------------------------------------------------------------===//
// Final values
//===----------------------------------------------------------------------===//

WhyNot FinalValues::visit(Operation *op) {
  bool isScan = static_cast<bool>(asScan(op));
  auto dimwise = dyn_cast<weft::DimwiseOpInterface>(op);
  bool readsFinal = false;
  for (OpOperand &operand : op->getOpOperands())
    if (!dimwise || !dimwise.isShapeOnly(operand.getOperandNumber()))
      readsFinal |= contains(operand.get());
  bool hasTokens = touchesTokens(op, axes);
  if (readsFinal && (isScan || hasTokens))
    return nameOf(op) + " reads a scan's final state, which is known after the "
                        "last step only";
  for (Value result : op->getResults())
    if (readsFinal || (isScan && !axes.isToken(result)))
      values.insert(result);
  return std::nullopt;
}
