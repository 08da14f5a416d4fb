// Part of Scanweft, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

//===----------------------------------------------------------------------===//
// Classes by union and find over the dims of all values.
//===----------------------------------------------------------------------===//

#include "scanweft/Analysis/DimClasses.h"
#include "DimRules.h"

using namespace mlir;
using namespace scanweft;

DimClasses::DimClasses(Operation *root) {
  root->walk<WalkOrder::PreOrder>([&](Operation *op) {
    for (Value result : op->getResults())
      addValue(result);
    for (Region &region : op->getRegions())
      for (Block &block : region)
        for (Value argument : block.getArguments())
          addValue(argument);
  });
  DimRules rules(*this);
  root->walk<WalkOrder::PreOrder>([&](Operation *op) { rules.visit(op); });
  for (Class dims : llvm::seq<Class>(nodes.size()))
    if (Class head = find(dims); head != dims)
      nodes[head].members.push_back(nodes[dims].members.front());
}

void DimClasses::addValue(Value value) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  if (!type)
    return;
  firstDims[value] = nodes.size();
  for (unsigned dim : llvm::seq<unsigned>(type.getRank())) {
    Node &node = nodes.emplace_back();
    node.parent = nodes.size() - 1;
    node.size = type.getDimSize(dim);
    node.members.push_back({value, dim});
  }
}

DimClasses::Class DimClasses::find(Class dims) const {
  while (nodes[dims].parent != dims)
    dims = nodes[dims].parent;
  return dims;
}

/// The head is the member that comes first, so that numbers do not depend on
/// the order of unions.
void DimClasses::unify(Class first, Class second) {
  first = find(first);
  second = find(second);
  if (first == second)
    return;
  if (first > second)
    std::swap(first, second);
  Node &head = nodes[first], &other = nodes[second];
  other.parent = first;
  if (ShapedType::isDynamic(head.size))
    head.size = other.size;
  head.isRows |= other.isRows;
  head.isSlots |= other.isSlots;
  head.isLevels |= other.isLevels;
  head.isBound |= other.isBound;
  if (!head.fixedBy)
    head.fixedBy = other.fixedBy;
  for (StringAttr name : other.names)
    if (!llvm::is_contained(head.names, name))
      head.names.push_back(name);
}

std::optional<DimClasses::Class> DimClasses::getClass(Value value,
                                                      unsigned dim) const {
  auto first = firstDims.find(value);
  if (first == firstDims.end())
    return std::nullopt;
  return find(first->second + dim);
}

std::optional<DimClasses::Class>
DimClasses::getRows(weft::ChunkedOp loop) const {
  auto found = rows.find(loop);
  if (found == rows.end())
    return std::nullopt;
  return find(found->second);
}

SmallVector<DimClasses::Class> DimClasses::getClasses() const {
  SmallVector<Class> heads;
  for (Class dims : llvm::seq<Class>(nodes.size()))
    if (nodes[dims].parent == dims)
      heads.push_back(dims);
  return heads;
}

ArrayRef<DimClasses::Dim> DimClasses::getMembers(Class dims) const {
  return nodes[find(dims)].members;
}

DimClasses::Role DimClasses::getRole(Class dims) const {
  const Node &node = nodes[find(dims)];
  if (node.isRows)
    return Role::Rows;
  if (node.isSlots)
    return Role::Slots;
  if (node.isLevels)
    return Role::Levels;
  return ShapedType::isDynamic(node.size) ? Role::Dynamic : Role::Feature;
}

bool DimClasses::isFree(Class dims) const {
  const Node &node = nodes[find(dims)];
  return getRole(dims) == Role::Feature && !node.isBound && !node.fixedBy;
}

StringRef scanweft::stringifyRole(DimClasses::Role role) {
  switch (role) {
  case DimClasses::Role::Rows:
    return "rows";
  case DimClasses::Role::Slots:
    return "slots";
  case DimClasses::Role::Levels:
    return "levels";
  case DimClasses::Role::Feature:
    return "feature";
  case DimClasses::Role::Dynamic:
    return "dynamic";
  }
  llvm_unreachable("roles are named above");
}
