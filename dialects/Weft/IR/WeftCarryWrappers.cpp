// Part of Scanweft, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

//===----------------------------------------------------------------------===//
// The carry kinds made of something else: a stack of an inner kind's states,
// an author's function, and the summary of a segment.
//===----------------------------------------------------------------------===//

#include "dialects/Weft/IR/CarryKindBuilder.h"
#include "dialects/Weft/IR/WeftRules.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/IRMapping.h"

using namespace mlir;
using namespace scanweft::weft;

//===----------------------------------------------------------------------===//
// FenwickAttr
//===----------------------------------------------------------------------===//

LogicalResult FenwickAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                                  CarryKindInterface inner) {
  if (inner && inner.isAffineAction() && inner.getNumStateTensors() == 1)
    return success();
  return emitError() << "#weft.fenwick has inner kind " << inner << rule::C13;
}

/// The type of one slot.
static Type getSlotType(Type stack) {
  RankedTensorType type = tensorType(stack);
  return RankedTensorType::get(type.getShape().drop_front(),
                               type.getElementType());
}

unsigned FenwickAttr::getNumStateTensors() const { return 1; }
bool FenwickAttr::isScannedByAction() const { return true; }
Attribute FenwickAttr::getElementKind() const {
  return getInner().getElementKind();
}

LogicalResult
FenwickAttr::verifyState(function_ref<InFlightDiagnostic()> emitError,
                         TypeRange states) const {
  if (failed(verifyStateTensors(emitError, "fenwick", states,
                                getNumStateTensors())))
    return failure();
  if (tensorType(states[0]).getRank() < 1)
    return emitError() << "#weft.fenwick has a state of type " << states[0]
                       << rule::C14;
  return getInner().verifyState(emitError, TypeRange(getSlotType(states[0])));
}

LogicalResult
FenwickAttr::verifyElement(function_ref<InFlightDiagnostic()> emitError,
                           Operation *element, TypeRange states) const {
  return getInner().verifyElement(emitError, element,
                                  TypeRange(getSlotType(states[0])));
}

LogicalResult
FenwickAttr::verifyDense(function_ref<InFlightDiagnostic()> emitError,
                         TypeRange dense) const {
  return getInner().verifyDense(emitError, dense);
}

LogicalResult
FenwickAttr::verifySymbols(function_ref<InFlightDiagnostic()> emitError,
                           Operation *user,
                           SymbolTableCollection &symbols) const {
  return getInner().verifySymbols(emitError, user, symbols);
}

SmallVector<Type> FenwickAttr::getDenseTypes(TypeRange states) const {
  return getInner().getDenseTypes(TypeRange(getSlotType(states[0])));
}

SmallVector<Value> FenwickAttr::buildIdentity(OpBuilder &builder, Location loc,
                                              TypeRange dense) const {
  return getInner().buildIdentity(builder, loc, dense);
}

SmallVector<Value> FenwickAttr::buildDense(OpBuilder &builder, Location loc,
                                           Operation *element,
                                           TypeRange states) const {
  return getInner().buildDense(builder, loc, element,
                               TypeRange(getSlotType(states[0])));
}

SmallVector<Value>
FenwickAttr::buildCombine(OpBuilder &builder, Location loc, ValueRange later,
                          ValueRange earlier,
                          const NumericsAttr &numerics) const {
  return getInner().buildCombine(builder, loc, later, earlier, numerics);
}

/// Replaces every slot of a stack by `transition` of it.
static Value mapSlots(CarryKindBuilder &build, Value stack,
                      function_ref<Value(Value)> transition) {
  for (int64_t slot : llvm::seq(tensorType(stack).getDimSize(0))) {
    Value before = build.extractSlot(stack, slot);
    Value after = transition(before);
    if (after == before) { // the transition is the identity
      before.getDefiningOp()->erase();
      return stack;
    }
    stack = build.insertSlot(after, stack, slot);
  }
  return stack;
}

SmallVector<Value> FenwickAttr::buildActOnRows(OpBuilder &builder, Location loc,
                                               Operation *element,
                                               ValueRange state,
                                               Value chunk) const {
  CarryKindBuilder build(builder, loc);
  SmallVector<Value> dense =
      buildDense(builder, loc, element, state.getTypes());
  Value contribution =
      getInner().buildDenseContribution(builder, loc, dense).front();
  Value stack = mapSlots(build, state[0], [&](Value slot) {
    return getInner().buildTransition(builder, loc, element, slot).front();
  });
  Value level = arith::ConstantIndexOp::create(builder, loc, 0);
  return {FenwickMergeOp::create(builder, loc, stack.getType(), stack,
                                 contribution, chunk, level)};
}

SmallVector<Value>
FenwickAttr::buildActOnDense(OpBuilder &builder, Location loc, ValueRange dense,
                             ValueRange state, Value block, Value level,
                             const NumericsAttr &numerics) const {
  CarryKindBuilder build(builder, loc);
  Value contribution =
      getInner().buildDenseContribution(builder, loc, dense).front();
  Value stack = mapSlots(build, state[0], [&](Value slot) {
    return getInner()
        .buildDenseTransition(builder, loc, dense, slot, numerics)
        .front();
  });
  return {FenwickMergeOp::create(builder, loc, stack.getType(), stack,
                                 contribution, block, level)};
}

SmallVector<StateDimTie> FenwickAttr::getStateDimTies(Operation *element,
                                                      TypeRange states) const {
  auto ties =
      getInner().getStateDimTies(element, TypeRange(getSlotType(states[0])));
  for (StateDimTie &tie : ties)
    ++tie.stateDim;
  return ties;
}

SmallVector<std::pair<unsigned, unsigned>>
FenwickAttr::getFreeDims(TypeRange states) const {
  auto dims = getInner().getFreeDims(TypeRange(getSlotType(states[0])));
  for (auto &[tensor, dim] : dims)
    ++dim;
  return dims;
}

//===----------------------------------------------------------------------===//
// RegionAttr
//===----------------------------------------------------------------------===//

LogicalResult RegionAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                                 FlatSymbolRefAttr combine,
                                 ArrayAttr identity) {
  if (identity.empty())
    return emitError() << "#weft.region<" << combine
                       << "> has an empty identity" << rule::C15;
  for (Attribute entry : identity)
    if (!isa<FloatAttr>(entry))
      return emitError() << "#weft.region<" << combine << "> has identity "
                         << entry << rule::C15;
  return success();
}

unsigned RegionAttr::getNumStateTensors() const { return getIdentity().size(); }

LogicalResult
RegionAttr::verifyState(function_ref<InFlightDiagnostic()> emitError,
                        TypeRange states) const {
  if (failed(verifyStateTensors(emitError, "region", states,
                                getNumStateTensors())))
    return failure();
  for (auto [state, entry] : llvm::zip(states, getIdentity())) {
    RankedTensorType type = tensorType(state);
    if (type.getShape() != tensorType(states[0]).getShape() ||
        type.getElementType() != cast<FloatAttr>(entry).getType())
      return emitError() << "#weft.region<" << getCombine()
                         << "> has a state tensor of type " << type
                         << " and identity " << entry << rule::C16;
  }
  return success();
}

LogicalResult
RegionAttr::verifyElement(function_ref<InFlightDiagnostic()> emitError,
                          Operation *element, TypeRange states) const {
  auto op = dyn_cast_if_present<RegionElementOp>(element);
  if (!op)
    return emitError() << "element is not made by 'weft.region_element'"
                       << rule::C2;
  if (TypeRange(op.getParts()) == states)
    return success();
  return emitError() << "parts have types " << op.getParts().getTypes()
                     << " for a state " << states << rule::C17;
}

LogicalResult
RegionAttr::verifySymbols(function_ref<InFlightDiagnostic()> emitError,
                          Operation *user,
                          SymbolTableCollection &symbols) const {
  return verifyCombineFunction(emitError, user, getCombine(), getIdentity(),
                               symbols);
}

SmallVector<Type> RegionAttr::getDenseTypes(TypeRange states) const {
  return llvm::to_vector(states);
}

SmallVector<Value> RegionAttr::buildIdentity(OpBuilder &builder, Location loc,
                                             TypeRange dense) const {
  SmallVector<Value> identity;
  for (auto [type, entry] : llvm::zip(dense, getIdentity()))
    identity.push_back(arith::ConstantOp::create(
        builder, loc,
        DenseElementsAttr::get(tensorType(type), Attribute(entry))));
  return identity;
}

SmallVector<Value> RegionAttr::buildDense(OpBuilder &, Location,
                                          Operation *element, TypeRange) const {
  return llvm::to_vector(cast<RegionElementOp>(element).getParts());
}

/// Copies a scalar op of a combine function onto tensors of `shape`.
static void cloneOnTensors(OpBuilder &builder, Location loc, Operation &op,
                           ArrayRef<int64_t> shape, IRMapping &mapping) {
  if (auto constant = dyn_cast<arith::ConstantOp>(op)) {
    auto type = RankedTensorType::get(shape, constant.getType());
    auto splat = DenseElementsAttr::get(type, Attribute(constant.getValue()));
    mapping.map(constant.getResult(),
                arith::ConstantOp::create(builder, loc, splat).getResult());
    return;
  }
  OperationState state(loc, op.getName());
  for (Value operand : op.getOperands())
    state.operands.push_back(mapping.lookup(operand));
  for (Type type : op.getResultTypes())
    state.types.push_back(RankedTensorType::get(shape, type));
  state.attributes = op.getDiscardableAttrDictionary();
  state.propertiesAttr = op.getPropertiesAsAttribute();
  Operation *copy = builder.create(state);
  mapping.map(op.getResults(), copy->getResults());
}

SmallVector<Value> RegionAttr::buildCombine(OpBuilder &builder, Location loc,
                                            ValueRange later,
                                            ValueRange earlier,
                                            const NumericsAttr &) const {
  // Uses of the symbol are verified, so the function is there and elementwise.
  auto combine = SymbolTable::lookupNearestSymbolFrom<func::FuncOp>(
      builder.getInsertionBlock()->getParentOp(), getCombine());
  Block &body = combine.getBody().front();
  IRMapping mapping;
  SmallVector<Value> operands = llvm::to_vector(earlier);
  llvm::append_range(operands, later);
  mapping.map(body.getArguments(), operands);
  ArrayRef<int64_t> shape = tensorType(later[0]).getShape();
  for (Operation &op : body.without_terminator())
    cloneOnTensors(builder, loc, op, shape, mapping);
  return llvm::map_to_vector(
      body.getTerminator()->getOperands(),
      [&](Value result) { return mapping.lookup(result); });
}

SmallVector<Value> RegionAttr::buildActOnRows(OpBuilder &builder, Location loc,
                                              Operation *element,
                                              ValueRange state, Value) const {
  return buildCombine(builder, loc, cast<RegionElementOp>(element).getParts(),
                      state, {});
}

SmallVector<Value>
RegionAttr::buildActOnDense(OpBuilder &builder, Location loc, ValueRange dense,
                            ValueRange state, Value, Value,
                            const NumericsAttr &numerics) const {
  return buildCombine(builder, loc, dense, state, numerics);
}

SmallVector<StateDimTie> RegionAttr::getStateDimTies(Operation *element,
                                                     TypeRange states) const {
  return tieAllDims(states);
}

SmallVector<std::pair<unsigned, unsigned>>
RegionAttr::getFreeDims(TypeRange states) const {
  SmallVector<std::pair<unsigned, unsigned>> dims;
  for (unsigned tensor : llvm::seq<unsigned>(states.size()))
    for (unsigned dim :
         llvm::seq<unsigned>(tensorType(states[tensor]).getRank()))
      dims.push_back({tensor, dim});
  return dims;
}

//===----------------------------------------------------------------------===//
// SummaryAttr
//===----------------------------------------------------------------------===//

LogicalResult SummaryAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                                  CarryKindInterface inner,
                                  ArrayRef<Type> states) {
  return inner.verifyState(emitError, states);
}

unsigned SummaryAttr::getNumStateTensors() const {
  return getInner().getDenseTypes(getStates()).size();
}
bool SummaryAttr::isSummary() const { return true; }
Attribute SummaryAttr::getElementKind() const {
  return getInner().getElementKind();
}

LogicalResult
SummaryAttr::verifyState(function_ref<InFlightDiagnostic()> emitError,
                         TypeRange states) const {
  if (TypeRange(getInner().getDenseTypes(getStates())) == states)
    return success();
  return emitError() << "#weft.summary has a state of types " << states
                     << rule::C18;
}

LogicalResult
SummaryAttr::verifyElement(function_ref<InFlightDiagnostic()> emitError,
                           Operation *element, TypeRange) const {
  return getInner().verifyElement(emitError, element, getStates());
}

LogicalResult
SummaryAttr::verifyDense(function_ref<InFlightDiagnostic()> emitError,
                         TypeRange dense) const {
  return getInner().verifyDense(emitError, dense);
}

LogicalResult
SummaryAttr::verifySymbols(function_ref<InFlightDiagnostic()> emitError,
                           Operation *user,
                           SymbolTableCollection &symbols) const {
  return getInner().verifySymbols(emitError, user, symbols);
}

SmallVector<Type> SummaryAttr::getDenseTypes(TypeRange states) const {
  return llvm::to_vector(states);
}

SmallVector<Value> SummaryAttr::buildIdentity(OpBuilder &builder, Location loc,
                                              TypeRange dense) const {
  return getInner().buildIdentity(builder, loc, dense);
}

SmallVector<Value> SummaryAttr::buildDense(OpBuilder &builder, Location loc,
                                           Operation *element,
                                           TypeRange) const {
  return getInner().buildDense(builder, loc, element, getStates());
}

SmallVector<Value>
SummaryAttr::buildCombine(OpBuilder &builder, Location loc, ValueRange later,
                          ValueRange earlier,
                          const NumericsAttr &numerics) const {
  return getInner().buildCombine(builder, loc, later, earlier, numerics);
}

SmallVector<Value> SummaryAttr::buildActOnRows(OpBuilder &builder, Location loc,
                                               Operation *element,
                                               ValueRange state, Value) const {
  auto numerics = cast<ElementOpInterface>(element).getElementNumerics();
  return getInner().buildCombine(
      builder, loc, getInner().buildDense(builder, loc, element, getStates()),
      state, numerics);
}

SmallVector<Value>
SummaryAttr::buildActOnDense(OpBuilder &builder, Location loc, ValueRange dense,
                             ValueRange state, Value, Value,
                             const NumericsAttr &numerics) const {
  return getInner().buildCombine(builder, loc, dense, state, numerics);
}

SmallVector<StateDimTie> SummaryAttr::getStateDimTies(Operation *element,
                                                      TypeRange states) const {
  return {};
}

SmallVector<std::pair<unsigned, unsigned>>
SummaryAttr::getFreeDims(TypeRange) const {
  return {};
}
