// Part of Scanweft, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

//===----------------------------------------------------------------------===//
// Elements of carries: as a chunk's rows, and in the dense form that schedules
// combine. Syntax, access and local rules.
//===----------------------------------------------------------------------===//

#include "dialects/Weft/IR/Weft.h"
#include "dialects/Weft/IR/WeftRules.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace scanweft::weft;

//===----------------------------------------------------------------------===//
// Elements
//===----------------------------------------------------------------------===//

void AffineElementOp::build(OpBuilder &builder, OperationState &state,
                            Value decay, ArrayRef<AffineTerm> terms,
                            NumericsAttr numerics) {
  SmallVector<Value> writes, erases, values;
  SmallVector<bool> hasErase, hasValue;
  for (const AffineTerm &term : terms) {
    writes.push_back(term.write);
    hasErase.push_back(static_cast<bool>(term.erase));
    hasValue.push_back(static_cast<bool>(term.value));
    if (term.erase)
      erases.push_back(term.erase);
    if (term.value)
      values.push_back(term.value);
  }
  build(builder, state,
        ElementType::get(builder.getContext(),
                         cast<CarryKindInterface>(
                             Attribute(AffineAttr::get(builder.getContext())))),
        decay, writes, erases, values, builder.getDenseBoolArrayAttr(hasErase),
        builder.getDenseBoolArrayAttr(hasValue), numerics);
}

SmallVector<AffineTerm> AffineElementOp::getTerms() {
  SmallVector<AffineTerm> terms;
  auto erase = getErases().begin();
  auto value = getValues().begin();
  for (auto [i, write] : llvm::enumerate(getWrites()))
    terms.push_back({write, getHasErase()[i] ? Value(*erase++) : Value(),
                     getHasValue()[i] ? Value(*value++) : Value()});
  return terms;
}

/// name `(` operand `:` type `)`
static ParseResult
parseTypedOperand(OpAsmParser &parser,
                  SmallVectorImpl<OpAsmParser::UnresolvedOperand> &operands,
                  SmallVectorImpl<Type> &types) {
  return failure(
      parser.parseLParen() || parser.parseOperand(operands.emplace_back()) ||
      parser.parseColonType(types.emplace_back()) || parser.parseRParen());
}

ParseResult AffineElementOp::parse(OpAsmParser &parser,
                                   OperationState &result) {
  SmallVector<OpAsmParser::UnresolvedOperand> decays, writes, erases, values;
  SmallVector<Type> decayTypes, writeTypes, eraseTypes, valueTypes;
  SmallVector<bool> hasErase, hasValue;
  SMLoc location = parser.getCurrentLocation();
  if (succeeded(parser.parseOptionalKeyword("decay")) &&
      parseTypedOperand(parser, decays, decayTypes))
    return failure();
  while (succeeded(parser.parseOptionalKeyword("term"))) {
    if (parser.parseLParen() || parser.parseKeyword("write") ||
        parseTypedOperand(parser, writes, writeTypes))
      return failure();
    hasErase.push_back(succeeded(parser.parseOptionalKeyword("erase")));
    if (hasErase.back() && parseTypedOperand(parser, erases, eraseTypes))
      return failure();
    hasValue.push_back(succeeded(parser.parseOptionalKeyword("value")));
    if (hasValue.back() && parseTypedOperand(parser, values, valueTypes))
      return failure();
    if (parser.parseRParen())
      return failure();
  }
  Attribute numerics;
  if (parser.parseKeyword("numerics") ||
      parser.parseCustomAttributeWithFallback(
          numerics, Type(),
          [&](Attribute &attribute, Type type) -> ParseResult {
            attribute = NumericsAttr::parse(parser, type);
            return success(static_cast<bool>(attribute));
          }) ||
      parser.parseOptionalAttrDict(result.attributes))
    return failure();
  if (!isa<NumericsAttr>(numerics))
    return parser.emitError(location, "'weft.affine_element' numerics must be "
                                      "a #weft.numerics attribute");
  if (parser.resolveOperands(decays, decayTypes, location, result.operands) ||
      parser.resolveOperands(writes, writeTypes, location, result.operands) ||
      parser.resolveOperands(erases, eraseTypes, location, result.operands) ||
      parser.resolveOperands(values, valueTypes, location, result.operands))
    return failure();
  auto &properties = result.getOrAddProperties<AffineElementOp::Properties>();
  llvm::copy(ArrayRef<int32_t>{static_cast<int32_t>(decays.size()),
                               static_cast<int32_t>(writes.size()),
                               static_cast<int32_t>(erases.size()),
                               static_cast<int32_t>(values.size())},
             properties.operandSegmentSizes.begin());
  Builder &builder = parser.getBuilder();
  properties.hasErase = builder.getDenseBoolArrayAttr(hasErase);
  properties.hasValue = builder.getDenseBoolArrayAttr(hasValue);
  properties.numerics = cast<NumericsAttr>(numerics);
  MLIRContext *context = builder.getContext();
  result.addTypes(ElementType::get(
      context, cast<CarryKindInterface>(Attribute(AffineAttr::get(context)))));
  return success();
}

void AffineElementOp::print(OpAsmPrinter &printer) {
  if (getDecay())
    printer << " decay(" << getDecay() << " : " << getDecay().getType() << ')';
  for (const AffineTerm &term : getTerms()) {
    printer << " term(write(" << term.write << " : " << term.write.getType()
            << ')';
    if (term.erase)
      printer << " erase(" << term.erase << " : " << term.erase.getType()
              << ')';
    if (term.value)
      printer << " value(" << term.value << " : " << term.value.getType()
              << ')';
    printer << ')';
  }
  printer << " numerics";
  printer.printStrippedAttrOrType(getNumericsAttr());
  printer.printOptionalAttrDict(
      (*this)->getAttrs(),
      {"hasErase", "hasValue", "numerics", getOperandSegmentSizeAttr()});
}

LogicalResult AffineElementOp::verify() {
  if (getHasErase().size() != getWrites().size() ||
      getHasValue().size() != getWrites().size() ||
      llvm::count(getHasErase(), true) !=
          static_cast<int64_t>(getErases().size()) ||
      llvm::count(getHasValue(), true) !=
          static_cast<int64_t>(getValues().size()))
    return emitOpError("has ")
           << getWrites().size() << " write, " << getErases().size()
           << " erase and " << getValues().size()
           << " value operands, which its 'hasErase' and 'hasValue' do not "
              "account for"
           << rule::D1;
  if (getWrites().empty() && !getDecay())
    return emitOpError("has neither a decay nor a term") << rule::D2;
  for (auto [i, term] : llvm::enumerate(getTerms()))
    if (!term.erase && !term.value)
      return emitOpError("term #")
             << i << " has neither an erase nor a value" << rule::D2;
  return success();
}

LogicalResult RegionElementOp::verify() {
  if (isa<RegionAttr>(Attribute(getType().getKind())))
    return success();
  return emitOpError("makes an element of kind ")
         << getType().getKind() << rule::D3;
}

LogicalResult
RegionElementOp::verifySymbolUses(SymbolTableCollection &symbols) {
  return getType().getKind().verifySymbols([&] { return emitOpError(); }, *this,
                                           symbols);
}

NumericsAttr SumElementOp::getElementNumerics() { return {}; }
NumericsAttr AffineElementOp::getElementNumerics() { return getNumericsAttr(); }
NumericsAttr GramElementOp::getElementNumerics() { return getNumericsAttr(); }
NumericsAttr SoftmaxElementOp::getElementNumerics() {
  return getNumericsAttr();
}
NumericsAttr RegionElementOp::getElementNumerics() { return {}; }

//===----------------------------------------------------------------------===//
// Elements: dead rows
//===----------------------------------------------------------------------===//

SmallVector<DeadRowAlternatives> SumElementOp::getDeadRowNeeds() { return {}; }

/// write^T (value - erase state) over rows: the write rows or all that they
/// multiply are zero, and the other factor is finite.
SmallVector<DeadRowAlternatives> AffineElementOp::getDeadRowNeeds() {
  SmallVector<DeadRowAlternatives> needs;
  unsigned write = getODSOperandIndexAndLength(1).first;
  unsigned erase = getODSOperandIndexAndLength(2).first;
  unsigned value = getODSOperandIndexAndLength(3).first;
  for (const AffineTerm &term : getTerms()) {
    SmallVector<unsigned> factors;
    if (term.erase)
      factors.push_back(erase++);
    if (term.value)
      factors.push_back(value++);
    DeadRowAlternatives alternatives;
    for (bool writeIsZero : {true, false}) {
      auto zero = DeadRowFact::Zero, finite = DeadRowFact::Finite;
      auto &all = alternatives.emplace_back();
      all.push_back({write, 0, writeIsZero ? zero : finite});
      for (unsigned factor : factors)
        all.push_back({factor, 0, writeIsZero ? finite : zero});
    }
    needs.push_back(std::move(alternatives));
    ++write;
  }
  return needs;
}

SmallVector<DeadRowAlternatives> GramElementOp::getDeadRowNeeds() {
  return {{{{0, 0, DeadRowFact::Zero}}}};
}

SmallVector<DeadRowAlternatives> SoftmaxElementOp::getDeadRowNeeds() {
  return {{{{0, 1, DeadRowFact::MinusInfinity}, {1, 0, DeadRowFact::Finite}}}};
}

SmallVector<DeadRowAlternatives> RegionElementOp::getDeadRowNeeds() {
  return {};
}

//===----------------------------------------------------------------------===//
// Dense elements
//===----------------------------------------------------------------------===//

/// The kind, which the syntax leaves open to any attribute.
static FailureOr<CarryKindInterface> getCarryKind(Operation *op,
                                                  Attribute kind) {
  if (auto carryKind = dyn_cast<CarryKindInterface>(kind))
    return carryKind;
  op->emitOpError("kind is ") << kind << rule::D4;
  return failure();
}

/// `types` are those of a dense element of the op's kind; `role` names them.
static LogicalResult verifyDense(Operation *op, Attribute kind, StringRef role,
                                 TypeRange types) {
  auto carryKind = getCarryKind(op, kind);
  if (failed(carryKind))
    return failure();
  return carryKind->verifyDense(
      [&] { return op->emitOpError() << role << ": "; }, types);
}

static LogicalResult verifySymbols(Operation *op, Attribute kind,
                                   SymbolTableCollection &symbols) {
  auto carryKind = getCarryKind(op, kind);
  if (failed(carryKind))
    return failure();
  return carryKind->verifySymbols([&] { return op->emitOpError(); }, op,
                                  symbols);
}

/// Generic syntax may give results that differ from what they repeat.
static LogicalResult verifyResultTypes(Operation *op, StringRef role,
                                       TypeRange types) {
  if (op->getResultTypes() == types)
    return success();
  return op->emitOpError("has results of types ")
         << op->getResultTypes() << " and " << role << " of types " << types
         << rule::D5;
}

LogicalResult IdentityOp::verify() {
  return verifyDense(*this, getKind(), "result", getResultTypes());
}

LogicalResult CombineOp::verify() {
  if (failed(verifyDense(*this, getKind(), "later", getLater().getTypes())))
    return failure();
  if (getLater().getTypes() != getEarlier().getTypes())
    return emitOpError("later has types ")
           << getLater().getTypes() << " and earlier "
           << getEarlier().getTypes() << rule::D6;
  return verifyResultTypes(*this, "later", getLater().getTypes());
}

LogicalResult CombineOp::verifySymbolUses(SymbolTableCollection &symbols) {
  return verifySymbols(*this, getKind(), symbols);
}

LogicalResult ActDenseOp::verify() {
  auto kind = getCarryKind(*this, getKind());
  if (failed(kind) ||
      failed(kind->verifyState([&] { return emitOpError("state: "); },
                               getState().getTypes())))
    return failure();
  SmallVector<Type> dense = kind->getDenseTypes(getState().getTypes());
  if (getElement().getTypes() != TypeRange(dense))
    return emitOpError("element has types ")
           << getElement().getTypes() << " for a state "
           << getState().getTypes() << ", which takes " << dense << rule::D7;
  return verifyResultTypes(*this, "state", getState().getTypes());
}

LogicalResult ActDenseOp::verifySymbolUses(SymbolTableCollection &symbols) {
  return verifySymbols(*this, getKind(), symbols);
}

/// Checks that operands stack S segments, and gives one segment's types.
static FailureOr<SmallVector<Type>> getSegmentTypes(Operation *op,
                                                    ValueRange stacks) {
  SmallVector<Type> types;
  for (auto [i, type] : llvm::enumerate(stacks.getTypes())) {
    auto stack = cast<RankedTensorType>(type);
    if (stack.getRank() == 0 || stack.isDynamicDim(0) ||
        stack.getDimSize(0) !=
            cast<RankedTensorType>(stacks[0].getType()).getDimSize(0)) {
      op->emitOpError("operand #") << i << " has type " << stack << rule::D8;
      return failure();
    }
    types.push_back(stack.clone(stack.getShape().drop_front()));
  }
  return types;
}

LogicalResult ExclusiveScanOp::verify() {
  auto dense = getSegmentTypes(*this, getElements());
  if (failed(dense) || failed(verifyDense(*this, getKind(), "segment", *dense)))
    return failure();
  return verifyResultTypes(*this, "operands", getElements().getTypes());
}

LogicalResult
ExclusiveScanOp::verifySymbolUses(SymbolTableCollection &symbols) {
  return verifySymbols(*this, getKind(), symbols);
}

LogicalResult CombineAllOp::verify() {
  auto dense = getSegmentTypes(*this, getElements());
  if (failed(dense) || failed(verifyDense(*this, getKind(), "segment", *dense)))
    return failure();
  return verifyResultTypes(*this, "segments", *dense);
}

LogicalResult CombineAllOp::verifySymbolUses(SymbolTableCollection &symbols) {
  return verifySymbols(*this, getKind(), symbols);
}
