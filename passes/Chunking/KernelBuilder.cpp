// Part of Scanweft, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "passes/Chunking/KernelBuilder.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace scanweft;
using weft::Axis;

static RankedTensorType typeOf(Value value) {
  return cast<RankedTensorType>(value.getType());
}

//===----------------------------------------------------------------------===//
// Which value lives where
//===----------------------------------------------------------------------===//

KernelBuilder::KernelBuilder(weft::GroupOp group, const AlgebraAxes &axes,
                             const LaunchShape &shape, Extents &extents)
    : group(group), axes(axes), shape(shape), extents(extents),
      scope(axes, shape, extents), program(group.getContext()),
      body(group.getContext()), after(group.getContext()) {
  analyze();
}

bool KernelBuilder::isOutside(Value value) {
  return value.getParentBlock() != &group.getBody().front();
}

/// Calls `visit` for the operands whose entries matter.
static void forEachReadOperand(Operation &op, function_ref<void(Value)> visit) {
  auto dimwise = dyn_cast<weft::DimwiseOpInterface>(op);
  for (OpOperand &operand : op.getOpOperands())
    if (!dimwise || !dimwise.isShapeOnly(operand.getOperandNumber()))
      visit(operand.get());
}

/// Whether a value is one number repeated: it varies along no axis.
static bool isSplat(Value value) {
  DenseElementsAttr constant;
  return matchPattern(value, m_Constant(&constant)) && constant.isSplat();
}

void KernelBuilder::analyze() {
  Block &block = group.getBody().front();
  llvm::DenseSet<Value> live;
  live.insert_range(group.getYield().getOperands());
  for (Operation &op : llvm::reverse(block.without_terminator())) {
    if (!llvm::any_of(op.getResults(),
                      [&](Value result) { return live.contains(result); }))
      continue;
    needed.push_back(&op);
    forEachReadOperand(op, [&](Value operand) { live.insert(operand); });
  }
  std::reverse(needed.begin(), needed.end());

  FinalValues finalValues(axes);
  auto visitOutside = [&](Value value) {
    if (isOutside(value) && axes.isToken(value) && !isSplat(value))
      varying.insert(value);
  };
  for (Operation *op : needed) {
    forEachReadOperand(*op, visitOutside);
    (void)finalValues.visit(op);
    bool reads = matchPattern(op, m_Constant()) && !isSplat(op->getResult(0));
    forEachReadOperand(*op, [&](Value operand) { reads |= varies(operand); });
    for (Value result : op->getResults()) {
      if (finalValues.contains(result))
        finals.insert(result);
      else if (axes.isToken(result) && (reads || asScan(op)))
        varying.insert(result);
    }
  }
  llvm::for_each(group.getYield().getOperands(), visitOutside);

  // Every size is known before the kernel that uses it.
  auto noteSizes = [&](Value value) {
    auto type = dyn_cast<RankedTensorType>(value.getType());
    for (unsigned dim : llvm::seq<unsigned>(type ? type.getRank() : 0))
      if (axes.getAxis(value, dim) != Axis::Feature)
        extents.get(axes.getKnownClass(value, dim));
  };
  for (Operation *op : needed) {
    llvm::for_each(op->getOperands(), noteSizes);
    llvm::for_each(op->getResults(), noteSizes);
  }
  llvm::for_each(group.getYield().getOperands(), noteSizes);
}

//===----------------------------------------------------------------------===//
// The kernel
//===----------------------------------------------------------------------===//

weft::KernelOp KernelBuilder::build(int64_t size) {
  chunk = size;
  scans.clear();
  elements.clear();
  values.clear();
  Location loc = group.getLoc();
  OpBuilder builder(group);
  SmallVector<Value> inits;
  for (Value yielded : group.getYield().getOperands()) {
    SmallVector<Value> sizes;
    for (auto [dim, extent] : llvm::enumerate(typeOf(yielded).getShape()))
      if (ShapedType::isDynamic(extent))
        sizes.push_back(extents.get(axes.getKnownClass(yielded, dim)));
    inits.push_back(
        tensor::EmptyOp::create(builder, loc, yielded.getType(), sizes));
  }
  SmallVector<Value> programs = scope.getProgramSizes();
  kernel = weft::KernelOp::create(builder, loc, group.getResultTypes(),
                                  group.getNameAttr(), programs, inits);
  Block *block = builder.createBlock(
      &kernel.getBody(), {},
      SmallVector<Type>(programs.size(), builder.getIndexType()),
      SmallVector<Location>(programs.size(), loc));
  scope.setCoordinates(block->getArguments());
  program.setInsertionPointToEnd(block);
  emitProgramOps();
  createLoop();
  program.setInsertionPoint(loop);
  after.setInsertionPointToEnd(block);
  emitChunkOps();
  emitFinalOps();
  return kernel;
}

void KernelBuilder::emitProgramOps() {
  for (Operation *op : needed) {
    auto isLater = [&](Value value) { return varies(value) || isFinal(value); };
    if (!asScan(op) && llvm::none_of(op->getResults(), isLater))
      emit(program, *op, /*withTime=*/false);
  }
}

/// A scan's surroundings, in terms of the values of its kernel.
class KernelBuilder::Scope : public weft::ChunkScope {
public:
  Scope(KernelBuilder &kernel, weft::ChunkRuleOpInterface op)
      : ChunkScope(kernel.body, kernel.program, kernel.chunk), kernel(kernel),
        op(op) {}

  Value getRows(unsigned operand) override {
    return kernel.getRows(body, op->getOperand(operand));
  }
  Value getProgramValue(unsigned operand) override {
    return kernel.get(op->getOperand(operand));
  }
  Value keepLive(Value rows, double other) override {
    return weft::KeepLiveOp::create(body, op.getLoc(), rows, /*dim=*/0,
                                    getLiveFrom(), getLiveTo(),
                                    llvm::APFloat(other));
  }
  Value getLiveFrom() override { return kernel.loop.getLiveFrom(); }
  Value getLiveTo() override { return kernel.loop.getLiveTo(); }
  FlatSymbolRefAttr outline(Region &combine) override {
    return kernel.outline(combine);
  }

private:
  KernelBuilder &kernel;
  weft::ChunkRuleOpInterface op;
};

void KernelBuilder::createLoop() {
  Location loc = group.getLoc();
  SmallVector<Value> states, outs;
  SmallVector<Attribute> kinds;
  for (Operation *op : needed) {
    if (!asScan(op))
      continue;
    auto scan = cast<weft::ChunkRuleOpInterface>(op);
    Scope scanScope(*this, scan);
    size_t first = states.size();
    for (weft::CarryDeclaration &carry : scan.declareCarries(scanScope)) {
      kinds.push_back(carry.kind);
      llvm::append_range(states, carry.initialStates);
    }
    scans.push_back({scan, states.size() - first});
  }
  for (Value yielded : group.getYield().getOperands()) {
    if (!axes.isToken(yielded))
      continue;
    RankedTensorType type = typeOf(yielded);
    SmallVector<int64_t> rowShape =
        llvm::map_to_vector(getKeptDims(yielded, /*withTime=*/true, axes),
                            [&](int64_t dim) { return type.getDimSize(dim); });
    SmallVector<Value> sizes;
    if (ShapedType::isDynamic(rowShape.front()))
      sizes.push_back(extents.get(shape.getTime()));
    outs.push_back(tensor::EmptyOp::create(
        program, loc, RankedTensorType::get(rowShape, type.getElementType()),
        sizes));
  }
  SmallVector<Type> results = llvm::to_vector(ValueRange(outs).getTypes());
  llvm::append_range(results, ValueRange(states).getTypes());
  Value first = arith::ConstantIndexOp::create(program, loc, 0);
  loop = weft::ChunkedOp::create(program, loc, results, first,
                                 extents.get(shape.getTime()), chunk,
                                 shape.reverse.value_or(false), ValueRange(),
                                 states, program.getArrayAttr(kinds), outs);
  SmallVector<Type> arguments(3, program.getIndexType());
  llvm::append_range(arguments, ValueRange(states).getTypes());
  Block *block = body.createBlock(&loop.getBody(), {}, arguments,
                                  SmallVector<Location>(arguments.size(), loc));
  body.setInsertionPointToEnd(block);
}

void KernelBuilder::emitChunkOps() {
  const auto *scan = scans.begin();
  unsigned numStates = 0;
  for (Operation *op : needed) {
    auto isRows = [&](Value value) { return varies(value); };
    if (asScan(op)) {
      unsigned count = scan->second;
      // A copy: slices that the scan takes move the loop's arguments.
      SmallVector<Value> states(loop.getCarryArgs().slice(numStates, count));
      emitScan(scan->first, states);
      for (auto [result, state] : llvm::zip(
               llvm::make_filter_range(
                   op->getResults(), [&](Value v) { return !axes.isToken(v); }),
               loop.getFinalStates().slice(numStates, count)))
        values[result] = state;
      numStates += count;
      ++scan;
    } else if (llvm::any_of(op->getResults(), isRows)) {
      emit(body, *op, /*withTime=*/true);
    }
  }
  SmallVector<Value> rows;
  for (Value yielded : group.getYield().getOperands())
    if (axes.isToken(yielded))
      rows.push_back(getRows(body, yielded));
  weft::NextOp::create(body, group.getLoc(), rows, elements);
}

void KernelBuilder::emitFinalOps() {
  for (Operation *op : needed)
    if (!asScan(op) && isFinal(op->getResult(0)))
      emit(after, *op, /*withTime=*/false);
  SmallVector<Value> placed;
  auto rows = loop.getOutResults().begin();
  for (Value yielded : group.getYield().getOperands())
    placed.push_back(axes.isToken(yielded) ? Value(*rows++) : get(yielded));
  scope.buildPlace(after, group.getLoc(), placed,
                   group.getYield().getOperands());
}

void KernelBuilder::emitScan(weft::ChunkRuleOpInterface op, ValueRange states) {
  Scope scanScope(*this, op);
  weft::ChunkEmission emission = op.emitChunk(scanScope, states);
  llvm::append_range(elements, emission.elements);
  const Value *rows = emission.rows.begin();
  for (Value result : op->getResults())
    if (axes.isToken(result))
      values[result] = *rows++;
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
