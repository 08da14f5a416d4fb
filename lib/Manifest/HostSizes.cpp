// Part of Scanweft, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

//===----------------------------------------------------------------------===//
// Integers of a host function as expressions, as far as launches need them.
//===----------------------------------------------------------------------===//

#include "HostFunction.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace scanweft;
using namespace scanweft::manifest;

/// Operations of two operands, by the manifest's word; empty for others.
static StringRef getWord(Operation *op) {
  return llvm::TypeSwitch<Operation *, StringRef>(op)
      .Case<arith::AddIOp>([](auto) { return "add"; })
      .Case<arith::SubIOp>([](auto) { return "sub"; })
      .Case<arith::MulIOp>([](auto) { return "mul"; })
      .Case<arith::CeilDivUIOp, arith::CeilDivSIOp>(
          [](auto) { return "ceildiv"; })
      .Case<arith::FloorDivSIOp>([](auto) { return "floordiv"; })
      .Case<arith::DivUIOp, arith::DivSIOp>([](auto) { return "div"; })
      .Case<arith::RemUIOp, arith::RemSIOp>([](auto) { return "rem"; })
      .Case<arith::MinUIOp, arith::MinSIOp>([](auto) { return "min"; })
      .Case<arith::MaxUIOp, arith::MaxSIOp>([](auto) { return "max"; })
      // Of one bit.
      .Case<arith::AndIOp>(
          [](auto op) { return op.getType().isInteger(1) ? "min" : ""; })
      .Case<arith::OrIOp>(
          [](auto op) { return op.getType().isInteger(1) ? "max" : ""; })
      .Case<arith::XOrIOp>(
          [](auto op) { return op.getType().isInteger(1) ? "ne" : ""; })
      .Default([](auto) { return ""; });
}

/// A comparison's word, and whether its operands change places.
static std::pair<StringRef, bool> getComparison(arith::CmpIPredicate kind) {
  switch (kind) {
  case arith::CmpIPredicate::eq:
    return {"eq", false};
  case arith::CmpIPredicate::ne:
    return {"ne", false};
  case arith::CmpIPredicate::slt:
  case arith::CmpIPredicate::ult:
    return {"lt", false};
  case arith::CmpIPredicate::sle:
  case arith::CmpIPredicate::ule:
    return {"le", false};
  case arith::CmpIPredicate::sgt:
  case arith::CmpIPredicate::ugt:
    return {"lt", true};
  case arith::CmpIPredicate::sge:
  case arith::CmpIPredicate::uge:
    return {"le", true};
  }
  llvm_unreachable("every predicate is listed");
}

FailureOr<int64_t> HostFunction::getExpression(Value value) {
  if (auto known = expressions.find(value); known != expressions.end())
    return known->second;
  FailureOr<int64_t> made = makeExpression(value);
  if (succeeded(made))
    expressions[value] = *made;
  return made;
}

FailureOr<SmallVector<int64_t>> HostFunction::getSizes(Value tensor) {
  auto type = cast<RankedTensorType>(tensor.getType());
  SmallVector<int64_t> sizes;
  for (int64_t size : type.getShape())
    sizes.push_back(
        ShapedType::isDynamic(size) ? -1 : entry.expressions.constant(size));
  if (auto cast = tensor.getDefiningOp<tensor::CastOp>()) {
    FailureOr<SmallVector<int64_t>> source = getSizes(cast.getSource());
    if (failed(source))
      return failure();
    for (auto [size, of] : llvm::zip_equal(sizes, *source))
      size = size < 0 ? of : size;
    return sizes;
  }
  auto known = memory.find(tensor);
  if (known == memory.end()) {
    auto empty = tensor.getDefiningOp<tensor::EmptyOp>();
    if (!empty)
      return emitError(tensor.getLoc())
             << "a tensor of a host function is an argument, a tensor.empty "
                "or what a launch writes";
    unsigned next = 0;
    for (int64_t &size : sizes) {
      if (size >= 0)
        continue;
      FailureOr<int64_t> given = getExpression(empty.getDynamicSizes()[next++]);
      if (failed(given))
        return failure();
      size = *given;
    }
    return sizes;
  }
  for (auto [dim, size] : llvm::enumerate(sizes)) {
    if (size >= 0)
      continue;
    size = isArgument(known->second)
               ? entry.expressions.add(
                     "dim", {known->second, static_cast<int64_t>(dim)})
               : buffers[known->second - entry.arguments.size()].sizes[dim];
  }
  return sizes;
}

FailureOr<int64_t> HostFunction::makeSize(tensor::DimOp op) {
  std::optional<int64_t> dim = op.getConstantIndex();
  auto type = dyn_cast<RankedTensorType>(op.getSource().getType());
  if (!dim || !type || *dim < 0 || *dim >= type.getRank())
    return op.emitError("a host function asks for a dim by a constant below "
                        "the tensor's rank");
  FailureOr<SmallVector<int64_t>> sizes = getSizes(op.getSource());
  if (failed(sizes))
    return failure();
  return (*sizes)[*dim];
}

FailureOr<int64_t> HostFunction::makeExpression(Value value) {
  Operation *op = value.getDefiningOp();
  if (!op) {
    if (!value.getType().isIntOrIndex())
      return emitError(value.getLoc())
             << "a size is an integer, not " << value.getType();
    int64_t number = cast<BlockArgument>(value).getArgNumber();
    return entry.expressions.add("value", {number});
  }
  if (auto constant = dyn_cast<arith::ConstantOp>(op))
    if (auto integer = dyn_cast<IntegerAttr>(constant.getValue()))
      return entry.expressions.constant(integer.getType().isInteger(1)
                                            ? integer.getValue().getZExtValue()
                                            : integer.getInt());
  if (auto dim = dyn_cast<tensor::DimOp>(op))
    return makeSize(dim);
  // Sizes fit every type that they are cast to.
  if (isa<arith::IndexCastOp, arith::IndexCastUIOp, arith::ExtSIOp,
          arith::ExtUIOp>(op) &&
      op->getOperand(0).getType().isIntOrIndex())
    return getExpression(op->getOperand(0));
  SmallVector<int64_t> operands;
  auto compare = dyn_cast<arith::CmpIOp>(op);
  StringRef word = isa<arith::SelectOp>(op) ? "select"
                   : compare ? getComparison(compare.getPredicate()).first
                             : getWord(op);
  if (word.empty() || !value.getType().isIntOrIndex())
    return op->emitError() << "'" << op->getName()
                           << "' in a host function: sizes are computed by "
                              "integer arithmetic";
  for (Value operand : op->getOperands()) {
    FailureOr<int64_t> known = getExpression(operand);
    if (failed(known))
      return failure();
    operands.push_back(*known);
  }
  if (compare && getComparison(compare.getPredicate()).second)
    std::swap(operands[0], operands[1]);
  return entry.expressions.add(word, operands);
}
