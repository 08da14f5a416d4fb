// Part of Scanweft, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "scanweft/Analysis/AlgebraAxes.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SmallSet.h"

using namespace mlir;
using namespace scanweft;
using weft::Axis;

//===----------------------------------------------------------------------===//
// Classes
//===----------------------------------------------------------------------===//

AlgebraAxes::Class AlgebraAxes::find(Class dims) const {
  while (nodes[dims].parent != dims)
    dims = nodes[dims].parent;
  return dims;
}

AlgebraAxes::Class AlgebraAxes::makeClass(Value value, unsigned dim) {
  auto [entry, isNew] =
      classes.try_emplace({value, dim}, static_cast<Class>(nodes.size()));
  if (isNew) {
    nodes.emplace_back();
    nodes.back().parent = entry->second;
    nodes.back().size = cast<RankedTensorType>(value.getType()).getDimSize(dim);
  }
  return entry->second;
}

void AlgebraAxes::label(Class dims, Axis axis) {
  Node &node = nodes[find(dims)];
  if (axis == Axis::Key || axis == Axis::Value || axis == Axis::Feature)
    node.isKeyOrValue = true;
  else if (node.axis == Axis::Feature)
    node.axis = axis;
  else if (node.axis != axis)
    node.isConflicting = true;
}

void AlgebraAxes::unify(Class first, Class second) {
  first = find(first);
  second = find(second);
  if (first == second)
    return;
  if (second < first)
    std::swap(first, second);
  nodes[second].parent = first;
  Node &kept = nodes[first];
  const Node &gone = nodes[second];
  kept.isConflicting |= gone.isConflicting;
  kept.isKeyOrValue |= gone.isKeyOrValue;
  if (ShapedType::isDynamic(kept.size))
    kept.size = gone.size;
  if (gone.axis != Axis::Feature)
    label(first, gone.axis);
}

void AlgebraAxes::unifyDims(Value first, Value second) {
  auto type = cast<RankedTensorType>(first.getType());
  if (type.getRank() != cast<RankedTensorType>(second.getType()).getRank())
    return;
  for (unsigned dim : llvm::seq<unsigned>(type.getRank()))
    unify(makeClass(first, dim), makeClass(second, dim));
}

/// Dims of one axis and one static size have that size in common.
void AlgebraAxes::mergeStaticSizes() {
  llvm::MapVector<std::pair<int64_t, int64_t>, Class> first;
  for (Class dims : llvm::seq<Class>(nodes.size())) {
    Node node = nodes[find(dims)];
    if (node.axis == Axis::Feature || ShapedType::isDynamic(node.size))
      continue;
    std::pair<int64_t, int64_t> key(static_cast<int64_t>(node.axis), node.size);
    unify(first.insert({key, dims}).first->second, dims);
  }
}

//===----------------------------------------------------------------------===//
// Ops
//===----------------------------------------------------------------------===//

AlgebraAxes::AlgebraAxes(Block &block) {
  visitBlock(block);
  mergeStaticSizes();
}

void AlgebraAxes::visitBlock(Block &block) {
  for (Operation &op : block)
    visit(op);
}

void AlgebraAxes::visit(Operation &op) {
  if (auto algebra = dyn_cast<weft::AlgebraOpInterface>(op))
    visitAlgebra(algebra);
  if (auto dimwise = dyn_cast<weft::DimwiseOpInterface>(op))
    return visitDimwise(dimwise);
  if (OpTrait::hasElementwiseMappableTraits(&op))
    return visitElementwise(op);
  if (auto expand = dyn_cast<tensor::ExpandShapeOp>(op))
    return visitReshape(expand.getResult(), expand.getSrc(),
                        expand.getReassociationIndices());
  if (auto collapse = dyn_cast<tensor::CollapseShapeOp>(op))
    return visitReshape(collapse.getSrc(), collapse.getResult(),
                        collapse.getReassociationIndices());
  if (auto group = dyn_cast<weft::GroupOp>(op)) {
    visitBlock(group.getBody().front());
    for (auto [result, yielded] :
         llvm::zip(group.getResults(), group.getYield().getOperands()))
      unifyDims(result, yielded);
  }
}

void AlgebraAxes::visitAlgebra(weft::AlgebraOpInterface op) {
  llvm::MapVector<Axis, Class> shared;
  std::optional<Class> heads;
  SmallVector<Class> fewerHeads;
  auto visitDim = [&](Value value, unsigned dim, Axis axis, bool resultHeads) {
    Class dims = makeClass(value, dim);
    label(dims, axis);
    if (axis == Axis::Batch || axis == Axis::Time) {
      unify(shared.insert({axis, dims}).first->second, dims);
    } else if (axis == Axis::Head && resultHeads) {
      heads = heads ? *heads : dims;
      unify(*heads, dims);
    } else if (axis == Axis::Head) {
      fewerHeads.push_back(dims);
    }
  };
  for (OpResult result : op->getResults())
    for (auto [dim, axis] :
         llvm::enumerate(op.getResultAxes(result.getResultNumber())))
      visitDim(result, dim, axis, /*resultHeads=*/true);
  for (OpOperand &operand : op->getOpOperands())
    for (auto [dim, axis] :
         llvm::enumerate(op.getOperandAxes(operand.getOperandNumber())))
      visitDim(operand.get(), dim, axis,
               op.hasResultHeads(operand.getOperandNumber()));
  if (heads)
    for (Class few : fewerHeads)
      divisions.push_back({few, *heads});
}

void AlgebraAxes::visitDimwise(weft::DimwiseOpInterface op) {
  Value result = op->getResult(0);
  auto resultType = dyn_cast<RankedTensorType>(result.getType());
  if (!resultType)
    return;
  for (OpOperand &operand : op->getOpOperands())
    for (auto [dim, to] :
         llvm::enumerate(op.getResultDims(operand.getOperandNumber())))
      if (to >= 0)
        unify(makeClass(operand.get(), dim), makeClass(result, to));
}

void AlgebraAxes::visitElementwise(Operation &op) {
  Value first;
  auto visitValue = [&](Value value) {
    if (!isa<RankedTensorType>(value.getType()))
      return;
    if (first)
      unifyDims(first, value);
    first = value;
  };
  llvm::for_each(op.getOperands(), visitValue);
  llvm::for_each(op.getResults(), visitValue);
}

void AlgebraAxes::visitReshape(Value expanded, Value collapsed,
                               ArrayRef<SmallVector<int64_t, 2>> groups) {
  for (auto [dim, group] : llvm::enumerate(groups))
    if (group.size() == 1)
      unify(makeClass(expanded, group.front()), makeClass(collapsed, dim));
}

//===----------------------------------------------------------------------===//
// Questions
//===----------------------------------------------------------------------===//

std::optional<AlgebraAxes::Class> AlgebraAxes::getClass(Value value,
                                                        unsigned dim) const {
  auto entry = classes.find({value, dim});
  if (entry == classes.end())
    return std::nullopt;
  return find(entry->second);
}

Axis AlgebraAxes::getAxis(Value value, unsigned dim) const {
  std::optional<Class> dims = getClass(value, dim);
  return dims ? nodes[*dims].axis : Axis::Feature;
}

std::optional<unsigned> AlgebraAxes::findDim(Value value, Axis axis) const {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  if (!type)
    return std::nullopt;
  for (unsigned dim : llvm::seq<unsigned>(type.getRank()))
    if (getAxis(value, dim) == axis)
      return dim;
  return std::nullopt;
}

std::optional<AlgebraAxes::Class> AlgebraAxes::findClass(Value value,
                                                         Axis axis) const {
  std::optional<unsigned> dim = findDim(value, axis);
  return dim ? getClass(value, *dim) : std::nullopt;
}

std::optional<int64_t> AlgebraAxes::getSize(Class dims) const {
  int64_t size = nodes[find(dims)].size;
  return ShapedType::isDynamic(size) ? std::nullopt : std::optional(size);
}

bool AlgebraAxes::headsDivide(Class few, Class many) const {
  llvm::SmallSet<Class, 8> seen;
  SmallVector<Class> work{find(few)};
  std::optional<int64_t> manySize = getSize(many);
  while (!work.empty()) {
    Class dims = work.pop_back_val();
    if (!seen.insert(dims).second)
      continue;
    std::optional<int64_t> size = getSize(dims);
    bool divides = size && *size > 0 &&
                   (*size == 1 || (manySize && *manySize % *size == 0));
    if (dims == find(many) || divides)
      return true;
    for (auto [part, whole] : divisions)
      if (find(part) == dims)
        work.push_back(find(whole));
  }
  return false;
}

std::optional<std::string> AlgebraAxes::whyIrregular(Value value) const {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  if (!type)
    return std::nullopt;
  static constexpr Axis order[] = {Axis::Batch, Axis::Time, Axis::Head,
                                   Axis::Feature};
  const Axis *last = std::begin(order);
  for (unsigned dim : llvm::seq<unsigned>(type.getRank())) {
    std::optional<Class> dims = getClass(value, dim);
    Axis axis = getAxis(value, dim);
    std::string what = "dim " + std::to_string(dim);
    if (dims && axis != Axis::Feature &&
        (nodes[*dims].isConflicting || nodes[*dims].isKeyOrValue))
      return what + " is two axes at once";
    const Axis *place = llvm::find(order, axis);
    bool isRepeated =
        axis != Axis::Feature && dim > 0 && getAxis(value, dim - 1) == axis;
    if (place < last || isRepeated)
      return what + " is out of the order batch, time, head, features";
    last = place;
    if (axis == Axis::Feature && type.isDynamicDim(dim))
      return what + " is a feature of dynamic size";
  }
  return std::nullopt;
}
