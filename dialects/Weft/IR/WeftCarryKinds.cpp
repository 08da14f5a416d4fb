// Part of Scanweft, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

//===----------------------------------------------------------------------===//
// The carry kinds that stand alone: running sums, affine memories, inverse
// Gram matrices, online softmax. Each expands into body ops; the formulas are
// in the attributes' descriptions.
//===----------------------------------------------------------------------===//

#include "dialects/Weft/IR/CarryKindBuilder.h"
#include "dialects/Weft/IR/WeftRules.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace scanweft::weft;

LogicalResult NumericsAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                                   Precision in, Type acc) {
  bool isDouble = in == Precision::F64;
  if (isDouble ? acc.isF64() : acc.isF32())
    return success();
  return emitError() << "numerics with in = " << stringifyPrecision(in)
                     << " accumulates in " << acc << rule::N1;
}

/// The element op of a kind, or a diagnostic that names the expected op.
template <typename OpTy>
static FailureOr<OpTy> getElement(function_ref<InFlightDiagnostic()> emitError,
                                  Operation *element) {
  if (auto op = dyn_cast_if_present<OpTy>(element))
    return op;
  emitError() << "element is not made by '" << OpTy::getOperationName() << '\''
              << rule::C2;
  return failure();
}

static SmallVector<std::pair<unsigned, unsigned>> allDims(Type state) {
  SmallVector<std::pair<unsigned, unsigned>> dims;
  for (unsigned dim : llvm::seq<unsigned>(tensorType(state).getRank()))
    dims.push_back({0u, dim});
  return dims;
}

//===----------------------------------------------------------------------===//
// SumAttr
//===----------------------------------------------------------------------===//

unsigned SumAttr::getNumStateTensors() const { return 1; }
bool SumAttr::isAffineAction() const { return true; }

LogicalResult SumAttr::verifyState(function_ref<InFlightDiagnostic()> emitError,
                                   TypeRange states) const {
  return verifyStateTensors(emitError, "sum", states, getNumStateTensors());
}

LogicalResult
SumAttr::verifyElement(function_ref<InFlightDiagnostic()> emitError,
                       Operation *element, TypeRange states) const {
  auto op = getElement<SumElementOp>(emitError, element);
  if (failed(op))
    return failure();
  if (op->getAddend().getType() == states[0])
    return success();
  return emitError() << "addend has type " << op->getAddend().getType()
                     << " and the state " << states[0] << rule::C3;
}

SmallVector<Type> SumAttr::getDenseTypes(TypeRange states) const {
  return llvm::to_vector(states);
}

SmallVector<Value> SumAttr::buildIdentity(OpBuilder &builder, Location loc,
                                          TypeRange dense) const {
  return {CarryKindBuilder(builder, loc).splat(dense[0], 0.0)};
}

SmallVector<Value> SumAttr::buildDense(OpBuilder &, Location,
                                       Operation *element, TypeRange) const {
  return {cast<SumElementOp>(element).getAddend()};
}

SmallVector<Value> SumAttr::buildCombine(OpBuilder &builder, Location loc,
                                         ValueRange later, ValueRange earlier,
                                         const NumericsAttr &) const {
  return {CarryKindBuilder(builder, loc).add(earlier[0], later[0])};
}

SmallVector<Value> SumAttr::buildActOnRows(OpBuilder &builder, Location loc,
                                           Operation *element, ValueRange state,
                                           Value) const {
  Value addend = cast<SumElementOp>(element).getAddend();
  return {CarryKindBuilder(builder, loc).add(state[0], addend)};
}

SmallVector<Value> SumAttr::buildActOnDense(OpBuilder &builder, Location loc,
                                            ValueRange dense, ValueRange state,
                                            Value, Value,
                                            const NumericsAttr &) const {
  return {CarryKindBuilder(builder, loc).add(state[0], dense[0])};
}

SmallVector<Value> SumAttr::buildTransition(OpBuilder &, Location, Operation *,
                                            ValueRange state) const {
  return llvm::to_vector(state);
}

SmallVector<Value> SumAttr::buildDenseTransition(OpBuilder &, Location,
                                                 ValueRange, ValueRange state,
                                                 const NumericsAttr &) const {
  return llvm::to_vector(state);
}

SmallVector<Value> SumAttr::buildDenseContribution(OpBuilder &, Location,
                                                   ValueRange dense) const {
  return llvm::to_vector(dense);
}

SmallVector<StateDimTie> SumAttr::getStateDimTies(Operation *element,
                                                  TypeRange states) const {
  return tieAllDims(states);
}

SmallVector<std::pair<unsigned, unsigned>>
SumAttr::getFreeDims(TypeRange states) const {
  return allDims(states[0]);
}

//===----------------------------------------------------------------------===//
// AffineAttr
//===----------------------------------------------------------------------===//

unsigned AffineAttr::getNumStateTensors() const { return 1; }
bool AffineAttr::isAffineAction() const { return true; }

LogicalResult
AffineAttr::verifyState(function_ref<InFlightDiagnostic()> emitError,
                        TypeRange states) const {
  if (failed(verifyStateTensors(emitError, "affine", states,
                                getNumStateTensors())))
    return failure();
  int64_t rank = tensorType(states[0]).getRank();
  if (rank == 1 || rank == 2)
    return success();
  return emitError() << "#weft.affine has a state of type " << states[0]
                     << rule::C4;
}

/// Whether rows have the shape [C, tail...]; the rule names the part.
static LogicalResult verifyRows(function_ref<InFlightDiagnostic()> emitError,
                                StringRef part, unsigned term, Value rows,
                                int64_t numRows, ArrayRef<int64_t> tail,
                                Type state) {
  ArrayRef<int64_t> shape = tensorType(rows).getShape();
  if (!shape.empty() && shape.front() == numRows && shape.drop_front() == tail)
    return success();
  return emitError() << part << " rows of term #" << term << " have type "
                     << rows.getType() << " for a state " << state << rule::C5;
}

/// A decay is a scalar or one factor per row of the state, of its type.
static LogicalResult verifyDecay(function_ref<InFlightDiagnostic()> emitError,
                                 Value decay, RankedTensorType state) {
  if (!decay)
    return success();
  RankedTensorType type = tensorType(decay);
  bool fits =
      type.getRank() == 0 || type.getShape() == state.getShape().take_front(1);
  if (fits && type.getElementType() == state.getElementType())
    return success();
  return emitError() << "decay has type " << type << " for a state " << state
                     << rule::C6;
}

LogicalResult
AffineAttr::verifyElement(function_ref<InFlightDiagnostic()> emitError,
                          Operation *element, TypeRange states) const {
  auto op = getElement<AffineElementOp>(emitError, element);
  if (failed(op))
    return failure();
  RankedTensorType state = tensorType(states[0]);
  if (op->getNumerics().getAcc() != state.getElementType())
    return emitError() << "element accumulates in "
                       << op->getNumerics().getAcc() << " for a state " << state
                       << rule::C7;
  if (failed(verifyDecay(emitError, op->getDecay(), state)))
    return failure();
  ArrayRef<int64_t> keys = state.getShape().take_front(1);
  ArrayRef<int64_t> values = state.getShape().drop_front(1);
  for (auto [i, term] : llvm::enumerate(op->getTerms())) {
    RankedTensorType write = tensorType(term.write);
    int64_t numRows = write.getRank() ? write.getDimSize(0) : 0;
    if (failed(verifyRows(emitError, "write", i, term.write, numRows, keys,
                          state)) ||
        (term.erase && failed(verifyRows(emitError, "erase", i, term.erase,
                                         numRows, keys, state))) ||
        (term.value && failed(verifyRows(emitError, "value", i, term.value,
                                         numRows, values, state))))
      return failure();
  }
  return success();
}

LogicalResult
AffineAttr::verifyDense(function_ref<InFlightDiagnostic()> emitError,
                        TypeRange dense) const {
  if (dense.size() != 2)
    return emitError() << "#weft.affine has a dense element of " << dense.size()
                       << " tensors" << rule::C19;
  TypeRange state = dense.drop_front();
  if (failed(verifyState(emitError, state)))
    return failure();
  if (TypeRange(getDenseTypes(state)) == dense)
    return success();
  return emitError() << "#weft.affine has a dense element of types " << dense
                     << rule::C19;
}

SmallVector<Type> AffineAttr::getDenseTypes(TypeRange states) const {
  RankedTensorType state = tensorType(states[0]);
  int64_t keys = state.getDimSize(0);
  return {RankedTensorType::get({keys, keys}, state.getElementType()), state};
}

SmallVector<Value> AffineAttr::buildIdentity(OpBuilder &builder, Location loc,
                                             TypeRange dense) const {
  CarryKindBuilder build(builder, loc);
  RankedTensorType transition = tensorType(dense[0]);
  return {build.eye(transition.getDimSize(0), transition.getElementType()),
          build.splat(dense[1], 0.0)};
}

SmallVector<Value> AffineAttr::buildDense(OpBuilder &builder, Location loc,
                                          Operation *element,
                                          TypeRange states) const {
  CarryKindBuilder build(builder, loc);
  auto op = cast<AffineElementOp>(element);
  NumericsAttr numerics = op.getNumericsAttr();
  SmallVector<Value> dense = buildIdentity(builder, loc, getDenseTypes(states));
  if (Value decay = op.getDecay())
    dense[0] = build.mul(build.broadcastLeading(decay, dense[0]), dense[0]);
  for (const AffineTerm &term : op.getTerms()) {
    if (term.erase)
      dense[0] = build.sub(dense[0],
                           build.dot(term.write, term.erase, 0, 0, numerics));
    if (term.value)
      dense[1] = build.add(dense[1],
                           build.dot(term.write, term.value, 0, 0, numerics));
  }
  return dense;
}

SmallVector<Value>
AffineAttr::buildCombine(OpBuilder &builder, Location loc, ValueRange later,
                         ValueRange earlier,
                         const NumericsAttr &numerics) const {
  CarryKindBuilder build(builder, loc);
  Value carried = build.dot(later[0], earlier[1], 1, 0, numerics);
  return {build.dot(later[0], earlier[0], 1, 0, numerics),
          build.add(carried, later[1])};
}

/// decay state + sum over terms of write^T (value - erase state), or its
/// linear part where `withValues` is off.
static Value actOnAffineRows(CarryKindBuilder &build, AffineElementOp op,
                             Value state, bool withValues) {
  NumericsAttr numerics = op.getNumericsAttr();
  Value next = state;
  if (Value decay = op.getDecay())
    next = build.mul(build.broadcastLeading(decay, state), state);
  for (const AffineTerm &term : op.getTerms()) {
    Value value = withValues ? term.value : Value();
    if (!term.erase) {
      if (value)
        next = build.add(next, build.dot(term.write, value, 0, 0, numerics));
      continue;
    }
    Value erased = build.dot(term.erase, state, 1, 0, numerics);
    if (!value) {
      next = build.sub(next, build.dot(term.write, erased, 0, 0, numerics));
      continue;
    }
    Value left = build.sub(build.cast(value, numerics.getAcc()), erased);
    next = build.add(next, build.dot(term.write, left, 0, 0, numerics));
  }
  return next;
}

SmallVector<Value> AffineAttr::buildActOnRows(OpBuilder &builder, Location loc,
                                              Operation *element,
                                              ValueRange state, Value) const {
  CarryKindBuilder build(builder, loc);
  return {actOnAffineRows(build, cast<AffineElementOp>(element), state[0],
                          /*withValues=*/true)};
}

SmallVector<Value>
AffineAttr::buildActOnDense(OpBuilder &builder, Location loc, ValueRange dense,
                            ValueRange state, Value, Value,
                            const NumericsAttr &numerics) const {
  CarryKindBuilder build(builder, loc);
  return {build.add(build.dot(dense[0], state[0], 1, 0, numerics), dense[1])};
}

SmallVector<Value> AffineAttr::buildTransition(OpBuilder &builder, Location loc,
                                               Operation *element,
                                               ValueRange state) const {
  CarryKindBuilder build(builder, loc);
  return {actOnAffineRows(build, cast<AffineElementOp>(element), state[0],
                          /*withValues=*/false)};
}

SmallVector<Value>
AffineAttr::buildDenseTransition(OpBuilder &builder, Location loc,
                                 ValueRange dense, ValueRange state,
                                 const NumericsAttr &numerics) const {
  return {
      CarryKindBuilder(builder, loc).dot(dense[0], state[0], 1, 0, numerics)};
}

SmallVector<Value> AffineAttr::buildDenseContribution(OpBuilder &, Location,
                                                      ValueRange dense) const {
  return {dense[1]};
}

SmallVector<StateDimTie> AffineAttr::getStateDimTies(Operation *element,
                                                     TypeRange states) const {
  auto op = cast<AffineElementOp>(element);
  SmallVector<StateDimTie> ties;
  bool hasValueDim = tensorType(states[0]).getRank() == 2;
  for (OpOperand &operand : element->getOpOperands()) {
    unsigned number = operand.getOperandNumber();
    bool isDecay = operand.get() == op.getDecay() && number == 0;
    bool isValue = number >= op.getODSOperandIndexAndLength(3).first;
    if (isDecay && tensorType(operand.get()).getRank() == 1)
      ties.push_back({number, 0, 0, 0});
    else if (!isDecay && !isValue)
      ties.push_back({number, 1, 0, 0});
    else if (isValue && hasValueDim)
      ties.push_back({number, 1, 0, 1});
  }
  return ties;
}

SmallVector<std::pair<unsigned, unsigned>>
AffineAttr::getFreeDims(TypeRange states) const {
  if (tensorType(states[0]).getRank() < 2)
    return {};
  return {{0u, 1u}};
}

//===----------------------------------------------------------------------===//
// InverseGramAttr
//===----------------------------------------------------------------------===//

unsigned InverseGramAttr::getNumStateTensors() const { return 1; }

LogicalResult
InverseGramAttr::verifyState(function_ref<InFlightDiagnostic()> emitError,
                             TypeRange states) const {
  if (failed(verifyStateTensors(emitError, "inverse_gram", states,
                                getNumStateTensors())))
    return failure();
  RankedTensorType state = tensorType(states[0]);
  if (state.getRank() == 2 && state.getDimSize(0) == state.getDimSize(1))
    return success();
  return emitError() << "#weft.inverse_gram has a state of type " << state
                     << rule::C8;
}

LogicalResult
InverseGramAttr::verifyElement(function_ref<InFlightDiagnostic()> emitError,
                               Operation *element, TypeRange states) const {
  auto op = getElement<GramElementOp>(emitError, element);
  if (failed(op))
    return failure();
  RankedTensorType rows = tensorType(op->getSource());
  RankedTensorType state = tensorType(states[0]);
  if (op->getNumerics().getAcc() != state.getElementType())
    return emitError() << "element accumulates in "
                       << op->getNumerics().getAcc() << " for a state " << state
                       << rule::C7;
  if (rows.getRank() == 2 && rows.getDimSize(1) == state.getDimSize(0))
    return success();
  return emitError() << "rows have type " << rows << " for a state " << state
                     << rule::C9;
}

SmallVector<Type> InverseGramAttr::getDenseTypes(TypeRange states) const {
  return llvm::to_vector(states);
}

SmallVector<Value> InverseGramAttr::buildIdentity(OpBuilder &builder,
                                                  Location loc,
                                                  TypeRange dense) const {
  return {CarryKindBuilder(builder, loc).splat(dense[0], 0.0)};
}

SmallVector<Value> InverseGramAttr::buildDense(OpBuilder &builder, Location loc,
                                               Operation *element,
                                               TypeRange) const {
  auto op = cast<GramElementOp>(element);
  return {CarryKindBuilder(builder, loc)
              .dot(op.getSource(), op.getSource(), 0, 0, op.getNumericsAttr())};
}

SmallVector<Value> InverseGramAttr::buildCombine(OpBuilder &builder,
                                                 Location loc, ValueRange later,
                                                 ValueRange earlier,
                                                 const NumericsAttr &) const {
  return {CarryKindBuilder(builder, loc).add(earlier[0], later[0])};
}

/// A factorisation and its solves keep at least the digits of tf32.
static NumericsAttr getSolveNumerics(NumericsAttr numerics) {
  Precision in = numerics.getIn();
  if (in == Precision::BF16 || in == Precision::F16)
    in = Precision::TF32;
  else if (in == Precision::BF16x3 || in == Precision::F16x2)
    in = Precision::TF32x3;
  return NumericsAttr::get(numerics.getContext(), in, numerics.getAcc());
}

SmallVector<Value> InverseGramAttr::buildActOnRows(OpBuilder &builder,
                                                   Location loc,
                                                   Operation *element,
                                                   ValueRange state,
                                                   Value) const {
  CarryKindBuilder build(builder, loc);
  auto op = cast<GramElementOp>(element);
  NumericsAttr numerics = op.getNumericsAttr();
  Value rows = op.getSource();
  Value projected = build.dot(rows, state[0], 1, 0, numerics);
  Value gram = build.dot(projected, rows, 1, 1, numerics);
  RankedTensorType type = tensorType(gram);
  Value shifted =
      build.add(gram, build.eye(type.getDimSize(0), type.getElementType()));
  NumericsAttr solving = getSolveNumerics(numerics);
  Value factor =
      CholeskyOp::create(builder, loc, type, shifted, op.getReverse(), solving);
  Value downdate =
      SolveTrilOp::create(builder, loc, projected.getType(), factor, projected,
                          /*unit=*/false, op.getReverse(), solving);
  return {build.sub(state[0], build.dot(downdate, downdate, 0, 0, numerics))};
}

SmallVector<Value>
InverseGramAttr::buildActOnDense(OpBuilder &builder, Location loc,
                                 ValueRange dense, ValueRange state, Value,
                                 Value, const NumericsAttr &numerics) const {
  CarryKindBuilder build(builder, loc);
  Value gram = build.add(build.inverse(state[0], numerics), dense[0]);
  return {build.inverse(gram, numerics)};
}

SmallVector<StateDimTie>
InverseGramAttr::getStateDimTies(Operation *element, TypeRange states) const {
  return {{0, 1, 0, 0}, {0, 1, 0, 1}};
}

SmallVector<std::pair<unsigned, unsigned>>
InverseGramAttr::getFreeDims(TypeRange) const {
  return {};
}

//===----------------------------------------------------------------------===//
// OnlineSoftmaxAttr
//===----------------------------------------------------------------------===//

unsigned OnlineSoftmaxAttr::getNumStateTensors() const { return 3; }

LogicalResult
OnlineSoftmaxAttr::verifyState(function_ref<InFlightDiagnostic()> emitError,
                               TypeRange states) const {
  if (failed(verifyStateTensors(emitError, "online_softmax", states,
                                getNumStateTensors())))
    return failure();
  RankedTensorType acc = tensorType(states[2]);
  if (acc.getRank() == 2) {
    auto vector = RankedTensorType::get(acc.getShape().take_front(1),
                                        acc.getElementType());
    if (states[0] == vector && states[1] == vector)
      return success();
  }
  return emitError() << "#weft.online_softmax has a state of types "
                     << states[0] << ", " << states[1] << ", " << states[2]
                     << rule::C10;
}

LogicalResult
OnlineSoftmaxAttr::verifyElement(function_ref<InFlightDiagnostic()> emitError,
                                 Operation *element, TypeRange states) const {
  auto op = getElement<SoftmaxElementOp>(emitError, element);
  if (failed(op))
    return failure();
  RankedTensorType scores = tensorType(op->getScores());
  RankedTensorType values = tensorType(op->getValues());
  RankedTensorType acc = tensorType(states[2]);
  if (op->getNumerics().getAcc() != acc.getElementType() ||
      scores.getElementType() != acc.getElementType())
    return emitError() << "scores have type " << scores << " and accumulate in "
                       << op->getNumerics().getAcc() << " for a state " << acc
                       << rule::C11;
  if (scores.getRank() == 2 && values.getRank() == 2 &&
      scores.getDimSize(0) == acc.getDimSize(0) &&
      values.getDimSize(1) == acc.getDimSize(1) &&
      scores.getDimSize(1) == values.getDimSize(0))
    return success();
  return emitError() << "scores have type " << scores << " and values "
                     << values << " for a state " << acc << rule::C12;
}

SmallVector<Type> OnlineSoftmaxAttr::getDenseTypes(TypeRange states) const {
  return llvm::to_vector(states);
}

SmallVector<Value> OnlineSoftmaxAttr::buildIdentity(OpBuilder &builder,
                                                    Location loc,
                                                    TypeRange dense) const {
  CarryKindBuilder build(builder, loc);
  return {build.splat(dense[0], -std::numeric_limits<double>::infinity()),
          build.splat(dense[1], 0.0), build.splat(dense[2], 0.0)};
}

SmallVector<Value> OnlineSoftmaxAttr::buildDense(OpBuilder &builder,
                                                 Location loc,
                                                 Operation *element,
                                                 TypeRange) const {
  CarryKindBuilder build(builder, loc);
  auto op = cast<SoftmaxElementOp>(element);
  Value scores = op.getScores();
  Value maximum = MaxOp::create(builder, loc, scores, 1);
  Value shift = build.broadcastLeading(build.finiteMaximum(maximum), scores);
  Value weights = build.exp(build.sub(scores, shift));
  return {maximum, SumOp::create(builder, loc, weights, 1),
          build.dot(weights, op.getValues(), 1, 0, op.getNumericsAttr())};
}

SmallVector<Value> OnlineSoftmaxAttr::buildCombine(OpBuilder &builder,
                                                   Location loc,
                                                   ValueRange later,
                                                   ValueRange earlier,
                                                   const NumericsAttr &) const {
  CarryKindBuilder build(builder, loc);
  Value maximum = arith::MaximumFOp::create(builder, loc, earlier[0], later[0]);
  Value shift = build.finiteMaximum(maximum);
  Value before = build.exp(build.sub(earlier[0], shift));
  Value after = build.exp(build.sub(later[0], shift));
  auto rescaledSum = [&](unsigned part) {
    Value first =
        build.mul(build.broadcastLeading(before, earlier[part]), earlier[part]);
    Value second =
        build.mul(build.broadcastLeading(after, later[part]), later[part]);
    return build.add(first, second);
  };
  return {maximum, rescaledSum(1), rescaledSum(2)};
}

SmallVector<Value> OnlineSoftmaxAttr::buildActOnRows(OpBuilder &builder,
                                                     Location loc,
                                                     Operation *element,
                                                     ValueRange state,
                                                     Value) const {
  SmallVector<Value> dense =
      buildDense(builder, loc, element, state.getTypes());
  auto op = cast<SoftmaxElementOp>(element);
  return buildCombine(builder, loc, dense, state, op.getNumericsAttr());
}

SmallVector<Value>
OnlineSoftmaxAttr::buildActOnDense(OpBuilder &builder, Location loc,
                                   ValueRange dense, ValueRange state, Value,
                                   Value, const NumericsAttr &numerics) const {
  return buildCombine(builder, loc, dense, state, numerics);
}

SmallVector<StateDimTie>
OnlineSoftmaxAttr::getStateDimTies(Operation *element, TypeRange states) const {
  return {{0, 0, 0, 0}, {0, 0, 1, 0}, {0, 0, 2, 0}, {1, 1, 2, 1}};
}

SmallVector<std::pair<unsigned, unsigned>>
OnlineSoftmaxAttr::getFreeDims(TypeRange) const {
  return {{2u, 1u}};
}
