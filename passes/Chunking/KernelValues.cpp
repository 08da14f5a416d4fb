// Part of Scanweft, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

//===----------------------------------------------------------------------===//
// The values of a kernel under construction: what comes from outside,
// token-wise ops on rows, functions that scans name.
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"
#include "passes/Chunking/KernelBuilder.h"

using namespace mlir;
using namespace scanweft;
using weft::Axis;

static RankedTensorType typeOf(Value value) {
  return cast<RankedTensorType>(value.getType());
}

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

RankedTensorType KernelBuilder::reduceType(Value value, bool withTime) const {
  RankedTensorType type = typeOf(value);
  SmallVector<int64_t> kept = getKeptDims(value, withTime, axes);
  SmallVector<int64_t> reduced = llvm::map_to_vector(kept, [&](int64_t dim) {
    return axes.getAxis(value, dim) == Axis::Time ? chunk
                                                  : type.getDimSize(dim);
  });
  return RankedTensorType::get(reduced, type.getElementType());
}

Value KernelBuilder::get(Value value) {
  auto entry = values.find(value);
  if (entry != values.end())
    return entry->second;
  return values[value] = takeFromOutside(value);
}

Value KernelBuilder::getRows(OpBuilder &builder, Value value) {
  return varies(value) ? get(value) : repeatToRows(builder, get(value));
}

Value KernelBuilder::repeatToRows(OpBuilder &builder, Value value) {
  RankedTensorType type = typeOf(value);
  SmallVector<int64_t> rowShape{chunk};
  llvm::append_range(rowShape, type.getShape());
  auto dims = llvm::to_vector(llvm::seq<int64_t>(1, type.getRank() + 1));
  return weft::BroadcastOp::create(
      builder, group.getLoc(),
      RankedTensorType::get(rowShape, type.getElementType()), value, dims);
}

Value KernelBuilder::getOperand(OpBuilder &builder, Value value,
                                bool withTime) {
  if (!isa<RankedTensorType>(value.getType()))
    return isOutside(value) ? value : get(value);
  return withTime && axes.isToken(value) ? getRows(builder, value) : get(value);
}

/// A splat constant has no axes; of any other tensor, the program's part.
Value KernelBuilder::takeFromOutside(Value value) {
  DenseElementsAttr splat;
  if (matchPattern(value, m_Constant(&splat)) && splat.isSplat())
    return arith::ConstantOp::create(
        program, group.getLoc(),
        splat.resizeSplat(reduceType(value, /*withTime=*/false)));
  Value whole = value;
  if (!isOutside(value)) // A constant of the group: all other ops are emitted.
    whole = program.clone(*value.getDefiningOp())->getResult(0);
  if (!isa<RankedTensorType>(value.getType()))
    return whole;
  Value view = scope.buildView(program, group.getLoc(), whole, value);
  return varies(value) ? addSlice(view) : view;
}

/// C rows of a view, as an argument of the loop's body.
Value KernelBuilder::addSlice(Value view) {
  RankedTensorType type = typeOf(view);
  SmallVector<int64_t> rowShape(type.getShape());
  rowShape.front() = chunk;
  unsigned place = 3 + loop.getSlices().size();
  Value rows = loop.getBody().insertArgument(
      place, RankedTensorType::get(rowShape, type.getElementType()),
      group.getLoc());
  loop.getSlicesMutable().append(view);
  return rows;
}

//===----------------------------------------------------------------------===//
// Dead rows
//===----------------------------------------------------------------------===//

/// Whether rows that are zero stay zero under an elementwise op.
static bool keepsZero(Operation *op) {
  return isa<arith::ExtFOp, arith::TruncFOp, arith::NegFOp, arith::AddFOp,
             arith::SubFOp, arith::MulFOp, math::AbsFOp, math::SqrtOp,
             math::TanhOp, math::ErfOp, math::SinOp, math::AtanOp,
             math::ExpM1Op, math::Log1pOp>(op);
}

/// Whether a constant is nowhere above zero: a maximum with it leaves zero.
static bool isNotPositive(Value value) {
  DenseElementsAttr constant;
  return matchPattern(value, m_Constant(&constant)) &&
         llvm::all_of(constant.getValues<APFloat>(), [](const APFloat &number) {
           return number.isZero() || number.isNegative();
         });
}

/// Whether what a chunk makes of zero rows is zero for certain.
bool KernelBuilder::isZeroOnDeadRows(Value rows) {
  if (auto argument = dyn_cast<BlockArgument>(rows))
    return llvm::is_contained(loop.getSliceArgs(), argument);
  auto [known, isNew] = zeroOnDeadRows.try_emplace(rows, false);
  if (!isNew)
    return known->second;
  bool isZero = makesZeroOfDeadRows(rows.getDefiningOp());
  return zeroOnDeadRows[rows] = isZero;
}

bool KernelBuilder::makesZeroOfDeadRows(Operation *op) {
  if (op->getBlock() != &loop.getBody().front())
    return false;
  if (auto kept = dyn_cast<weft::KeepLiveOp>(op))
    return kept.getDim() == 0 && kept.getOther().isZero();
  auto isZero = [&](Value value) { return isZeroOnDeadRows(value); };
  if (auto largest = dyn_cast<arith::MaximumFOp>(op))
    return isZero(largest.getLhs()) && isNotPositive(largest.getRhs());
  if (auto unit = dyn_cast<weft::L2NormalizeOp>(op))
    return unit.getDim() != 0 && isZero(unit.getSource());
  return keepsZero(op) && llvm::all_of(op->getOperands(), isZero);
}

Value KernelBuilder::keepLive(Location loc, Value rows, double other) {
  if (other == 0 && isZeroOnDeadRows(rows))
    return rows;
  return weft::KeepLiveOp::create(body, loc, rows, /*dim=*/0,
                                  loop.getLiveFrom(), loop.getLiveTo(),
                                  llvm::APFloat(other));
}

//===----------------------------------------------------------------------===//
// Token-wise ops
//===----------------------------------------------------------------------===//

void KernelBuilder::emit(OpBuilder &builder, Operation &op, bool withTime) {
  if (matchPattern(&op, m_Constant()))
    return; // Taken where it is read.
  if (auto dimwise = dyn_cast<weft::DimwiseOpInterface>(op))
    values[op.getResult(0)] = emitDimwise(builder, dimwise, withTime);
  else if (isa<tensor::ExpandShapeOp, tensor::CollapseShapeOp>(op))
    values[op.getResult(0)] = emitReshape(builder, op, withTime);
  else
    emitElementwise(builder, op, withTime);
}

Value KernelBuilder::emitDimwise(OpBuilder &builder,
                                 weft::DimwiseOpInterface op, bool withTime) {
  SmallVector<Value> operands;
  SmallVector<SmallVector<int64_t>> operandDims;
  for (OpOperand &operand : op->getOpOperands()) {
    bool isRead = !op.isShapeOnly(operand.getOperandNumber());
    operands.push_back(isRead ? getOperand(builder, operand.get(), withTime)
                              : Value());
    operandDims.push_back(getKeptDims(operand.get(), withTime, axes));
  }
  Value result = op->getResult(0);
  return op.buildOnDims(builder, op.getLoc(), operands, operandDims,
                        getKeptDims(result, withTime, axes),
                        reduceType(result, withTime));
}

/// Groups of a reshape without the dims that are gone.
static SmallVector<ReassociationIndices>
reduceGroups(ArrayRef<ReassociationIndices> groups, ArrayRef<int64_t> kept) {
  SmallVector<ReassociationIndices> reduced;
  int64_t next = 0;
  for (const ReassociationIndices &group : groups) {
    ReassociationIndices dims;
    for (int64_t dim : group)
      if (llvm::is_contained(kept, dim))
        dims.push_back(next++);
    if (!dims.empty())
      reduced.push_back(dims);
  }
  return reduced;
}

Value KernelBuilder::emitReshape(OpBuilder &builder, Operation &op,
                                 bool withTime) {
  Value source = getOperand(builder, op.getOperand(0), withTime);
  RankedTensorType type = reduceType(op.getResult(0), withTime);
  auto expand = dyn_cast<tensor::ExpandShapeOp>(op);
  Value expanded = expand ? op.getResult(0) : op.getOperand(0);
  SmallVector<ReassociationIndices> groups = reduceGroups(
      expand ? expand.getReassociationIndices()
             : cast<tensor::CollapseShapeOp>(op).getReassociationIndices(),
      getKeptDims(expanded, withTime, axes));
  if (expand)
    return tensor::ExpandShapeOp::create(builder, op.getLoc(), type, source,
                                         groups);
  return tensor::CollapseShapeOp::create(builder, op.getLoc(), type, source,
                                         groups);
}

void KernelBuilder::emitElementwise(OpBuilder &builder, Operation &op,
                                    bool withTime) {
  OperationState state(op.getLoc(), op.getName());
  for (Value operand : op.getOperands())
    state.operands.push_back(getOperand(builder, operand, withTime));
  for (Value result : op.getResults())
    state.types.push_back(isa<RankedTensorType>(result.getType())
                              ? Type(reduceType(result, withTime))
                              : result.getType());
  state.attributes = op.getDiscardableAttrDictionary();
  state.propertiesAttr = op.getPropertiesAsAttribute();
  Operation *copy = builder.create(state);
  for (auto [result, value] : llvm::zip(op.getResults(), copy->getResults()))
    values[result] = value;
}

//===----------------------------------------------------------------------===//
// Functions of associative scans
//===----------------------------------------------------------------------===//

FlatSymbolRefAttr KernelBuilder::outline(Region &combine) {
  FlatSymbolRefAttr &symbol = outlined[&combine];
  if (symbol)
    return symbol;
  auto module = group->getParentOfType<ModuleOp>();
  Block &block = combine.front();
  SymbolTable symbols(module);
  OpBuilder builder(group.getContext());
  auto type = builder.getFunctionType(block.getArgumentTypes(),
                                      block.getTerminator()->getOperandTypes());
  auto function = func::FuncOp::create(
      combine.getLoc(), (group.getName() + "_combine").str(), type);
  function.setPrivate();
  symbols.insert(function);
  IRMapping mapping;
  combine.cloneInto(&function.getBody(), mapping);
  Operation *yield = function.getBody().front().getTerminator();
  builder.setInsertionPoint(yield);
  func::ReturnOp::create(builder, yield->getLoc(), yield->getOperands());
  yield->erase();
  return symbol = FlatSymbolRefAttr::get(function);
}
