// Part of Scanweft, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "passes/Chunking/KernelBuilder.h"
#include "dialects/Weft/IR/WeftRules.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
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
  findNeeded();
  findScopes();
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

/// What the group's results are made of.
void KernelBuilder::findNeeded() {
  Block &block = group.getBody().front();
  llvm::DenseSet<Value> live;
  live.insert_range(group.getYield().getOperands());
  for (Operation &op : llvm::reverse(block.without_terminator())) {
    auto isLive = [&](Value result) { return live.contains(result); };
    if (!llvm::any_of(op.getResults(), isLive))
      continue;
    needed.push_back(&op);
    forEachReadOperand(op, [&](Value operand) { live.insert(operand); });
  }
  std::reverse(needed.begin(), needed.end());
}

/// What varies along time, and what is known after the last step only.
void KernelBuilder::findScopes() {
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
}

LogicalResult KernelBuilder::findSizes() {
  bool areKnown = true;
  auto visit = [&](Value value) {
    auto type = dyn_cast<RankedTensorType>(value.getType());
    for (unsigned dim : llvm::seq<unsigned>(type ? type.getRank() : 0))
      if (axes.getAxis(value, dim) != Axis::Feature)
        areKnown &= extents.get(axes.getKnownClass(value, dim)) != nullptr;
  };
  for (Operation *op : needed) {
    llvm::for_each(op->getOperands(), visit);
    llvm::for_each(op->getResults(), visit);
  }
  if (areKnown)
    return success();
  return group.emitOpError("takes no tensor that gives the sizes of its "
                           "batch, time and head axes")
         << weft::rule::L3;
}

//===----------------------------------------------------------------------===//
// The kernel
//===----------------------------------------------------------------------===//

weft::KernelOp KernelBuilder::build(int64_t size) {
  chunk = size;
  scans.clear();
  elements.clear();
  values.clear();
  zeroOnDeadRows.clear();
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
    return kernel.keepLive(op.getLoc(), rows, other);
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
