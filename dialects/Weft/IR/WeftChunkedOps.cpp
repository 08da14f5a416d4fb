// Part of Scanweft, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

//===----------------------------------------------------------------------===//
// Syntax, access and local rules of the chunked stage. Rules that need the
// whole body (K3 to K6, K9) are passes' and analyses' business.
//===----------------------------------------------------------------------===//

#include "dialects/Weft/IR/Weft.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace scanweft::weft;

//===----------------------------------------------------------------------===//
// KernelOp
//===----------------------------------------------------------------------===//

void KernelOp::getAsmBlockArgumentNames(Region &region,
                                        OpAsmSetValueNameFn setName) {
  for (BlockArgument argument : region.getArguments())
    setName(argument, "program");
}

LogicalResult KernelOp::verify() {
  Block &body = getBody().front();
  if (body.getNumArguments() != getPrograms().size())
    return emitOpError("has ")
           << getPrograms().size() << " program axes but its region takes "
           << body.getNumArguments() << " coordinates: one per axis";
  for (BlockArgument argument : body.getArguments())
    if (!argument.getType().isIndex())
      return emitOpError("coordinate #")
             << argument.getArgNumber() << " has type " << argument.getType()
             << ": coordinates are of type index";
  if (!isa<PlaceOp>(body.getTerminator()))
    return emitOpError("region ends in '") << body.getTerminator()->getName()
                                           << "': it must end in 'weft.place'";
  return success();
}

//===----------------------------------------------------------------------===//
// PlaceOp
//===----------------------------------------------------------------------===//

SmallVector<PlaceOp::Placement> PlaceOp::getPlacements() {
  SmallVector<Placement> placements;
  auto index = getIndices().begin();
  auto rows = getRows().begin();
  auto live = getLive().begin();
  auto condition = getConditions().begin();
  for (auto [i, value] : llvm::enumerate(getValues())) {
    Placement placement{value, {}, nullptr, nullptr, nullptr, nullptr};
    for (bool spanned : cast<DenseBoolArrayAttr>(getSpans()[i]).asArrayRef())
      placement.indices.push_back(spanned ? Value() : Value(*index++));
    if (getHasRows()[i]) {
      placement.rows = *rows++;
      placement.from = *live++;
      placement.to = *live++;
    }
    if (getHasCondition()[i])
      placement.condition = *condition++;
    placements.push_back(placement);
  }
  return placements;
}

namespace {
/// Operands of a `weft.place` under construction.
struct PlaceOperands {
  SmallVector<OpAsmParser::UnresolvedOperand> values, indices, rows, live,
      conditions;
  SmallVector<Type> rowTypes;
  SmallVector<Attribute> spans;
  SmallVector<bool> hasRows, hasCondition;
};
} // namespace

/// `[` (index | `*`) `,` ... `]`
static ParseResult parseInto(OpAsmParser &parser, PlaceOperands &operands) {
  SmallVector<bool> spans;
  auto parseOne = [&]() -> ParseResult {
    if (succeeded(parser.parseOptionalStar())) {
      spans.push_back(true);
      return success();
    }
    spans.push_back(false);
    return parser.parseOperand(operands.indices.emplace_back());
  };
  if (parser.parseCommaSeparatedList(OpAsmParser::Delimiter::Square, parseOne))
    return failure();
  operands.spans.push_back(parser.getBuilder().getDenseBoolArrayAttr(spans));
  return success();
}

/// value `into` [...] (`rows` `(` rows `live` lo `to` hi `:` type `)`)? (`if`
/// condition)?
static ParseResult parsePlacement(OpAsmParser &parser,
                                  PlaceOperands &operands) {
  if (parser.parseOperand(operands.values.emplace_back()) ||
      parser.parseKeyword("into") || parseInto(parser, operands))
    return failure();
  bool hasRows = succeeded(parser.parseOptionalKeyword("rows"));
  operands.hasRows.push_back(hasRows);
  if (hasRows)
    if (parser.parseLParen() ||
        parser.parseOperand(operands.rows.emplace_back()) ||
        parser.parseKeyword("live") ||
        parser.parseOperand(operands.live.emplace_back()) ||
        parser.parseKeyword("to") ||
        parser.parseOperand(operands.live.emplace_back()) ||
        parser.parseColonType(operands.rowTypes.emplace_back()) ||
        parser.parseRParen())
      return failure();
  bool hasCondition = succeeded(parser.parseOptionalKeyword("if"));
  operands.hasCondition.push_back(hasCondition);
  if (hasCondition)
    return parser.parseOperand(operands.conditions.emplace_back());
  return success();
}

ParseResult PlaceOp::parse(OpAsmParser &parser, OperationState &result) {
  PlaceOperands operands;
  SmallVector<Type> types;
  SMLoc location = parser.getCurrentLocation();
  if (parser.parseCommaSeparatedList(
          [&] { return parsePlacement(parser, operands); }) ||
      parser.parseOptionalAttrDict(result.attributes) ||
      parser.parseColonTypeList(types))
    return failure();
  Builder &builder = parser.getBuilder();
  SmallVector<Type> indexTypes(operands.indices.size(), builder.getIndexType());
  SmallVector<Type> liveTypes(operands.live.size(), builder.getIndexType());
  SmallVector<Type> conditionTypes(operands.conditions.size(),
                                   builder.getI1Type());
  if (parser.resolveOperands(operands.values, types, location,
                             result.operands) ||
      parser.resolveOperands(operands.indices, indexTypes, location,
                             result.operands) ||
      parser.resolveOperands(operands.rows, operands.rowTypes, location,
                             result.operands) ||
      parser.resolveOperands(operands.live, liveTypes, location,
                             result.operands) ||
      parser.resolveOperands(operands.conditions, conditionTypes, location,
                             result.operands))
    return failure();
  auto &properties = result.getOrAddProperties<PlaceOp::Properties>();
  llvm::copy(
      ArrayRef<int32_t>{static_cast<int32_t>(operands.values.size()),
                        static_cast<int32_t>(operands.indices.size()),
                        static_cast<int32_t>(operands.rows.size()),
                        static_cast<int32_t>(operands.live.size()),
                        static_cast<int32_t>(operands.conditions.size())},
      properties.operandSegmentSizes.begin());
  properties.spans = builder.getArrayAttr(operands.spans);
  properties.hasRows = builder.getDenseBoolArrayAttr(operands.hasRows);
  properties.hasCondition =
      builder.getDenseBoolArrayAttr(operands.hasCondition);
  return success();
}

void PlaceOp::print(OpAsmPrinter &printer) {
  printer << ' ';
  llvm::interleaveComma(
      getPlacements(), printer, [&](const Placement &placement) {
        printer << placement.value << " into [";
        llvm::interleaveComma(placement.indices, printer, [&](Value index) {
          if (index)
            printer << index;
          else
            printer << '*';
        });
        printer << ']';
        if (placement.rows)
          printer << " rows(" << placement.rows << " live " << placement.from
                  << " to " << placement.to << " : " << placement.rows.getType()
                  << ')';
        if (placement.condition)
          printer << " if " << placement.condition;
      });
  printer.printOptionalAttrDict(
      (*this)->getAttrs(),
      {"spans", "hasRows", "hasCondition", getOperandSegmentSizeAttr()});
  printer << " : " << getValues().getTypes();
}

LogicalResult PlaceOp::verify() { return success(); }

//===----------------------------------------------------------------------===//
// ChunkedOp: access
//===----------------------------------------------------------------------===//

static constexpr unsigned kNumIndexArguments = 3;

NextOp ChunkedOp::getNext() {
  return cast<NextOp>(getBody().front().getTerminator());
}
BlockArgument ChunkedOp::getChunkIndex() { return getBody().getArgument(0); }
BlockArgument ChunkedOp::getLiveFrom() { return getBody().getArgument(1); }
BlockArgument ChunkedOp::getLiveTo() { return getBody().getArgument(2); }
Block::BlockArgListType ChunkedOp::getSliceArgs() {
  return getBody().getArguments().slice(kNumIndexArguments, getSlices().size());
}
Block::BlockArgListType ChunkedOp::getCarryArgs() {
  return getBody().getArguments().drop_front(kNumIndexArguments +
                                             getSlices().size());
}
CarryKindInterface ChunkedOp::getKind(unsigned carry) {
  return cast<CarryKindInterface>(getKinds()[carry]);
}
std::pair<unsigned, unsigned> ChunkedOp::getCarryRange(unsigned carry) {
  unsigned first = 0;
  for (unsigned i = 0; i < carry; ++i)
    first += getKind(i).getNumStateTensors();
  return {first, getKind(carry).getNumStateTensors()};
}
OperandRange ChunkedOp::getCarryInits(unsigned carry) {
  auto [first, count] = getCarryRange(carry);
  return getCarries().slice(first, count);
}
Block::BlockArgListType ChunkedOp::getCarryArgs(unsigned carry) {
  auto [first, count] = getCarryRange(carry);
  return getCarryArgs().slice(first, count);
}
ResultRange ChunkedOp::getOutResults() {
  return getResults().take_front(getOuts().size());
}
ResultRange ChunkedOp::getFinalStates() {
  return getResults().drop_front(getOuts().size());
}
ResultRange ChunkedOp::getFinalStates(unsigned carry) {
  auto [first, count] = getCarryRange(carry);
  return getFinalStates().slice(first, count);
}

void ChunkedOp::getAsmBlockArgumentNames(Region &region,
                                         OpAsmSetValueNameFn setName) {
  static constexpr StringLiteral names[] = {"n", "lo", "hi"};
  for (auto [argument, name] : llvm::zip(region.getArguments(), names))
    setName(argument, name);
  unsigned numSlices = getSlices().size();
  for (BlockArgument argument : region.getArguments().drop_front(
           std::min<unsigned>(kNumIndexArguments, region.getNumArguments())))
    setName(argument, argument.getArgNumber() - kNumIndexArguments < numSlices
                          ? "rows"
                          : "state");
}

//===----------------------------------------------------------------------===//
// ChunkedOp: local rules
//===----------------------------------------------------------------------===//

LogicalResult ChunkedOp::verify() { return success(); }
LogicalResult ChunkedOp::verifyRegions() { return success(); }
LogicalResult ChunkedOp::verifySymbolUses(SymbolTableCollection &) {
  return success();
}

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
  if (getWrites().empty() && !getDecay())
    return emitOpError("has neither a decay nor a term: an element changes the "
                       "state");
  return success();
}

NumericsAttr SumElementOp::getElementNumerics() { return {}; }
NumericsAttr AffineElementOp::getElementNumerics() { return getNumericsAttr(); }
NumericsAttr GramElementOp::getElementNumerics() { return getNumericsAttr(); }
NumericsAttr SoftmaxElementOp::getElementNumerics() {
  return getNumericsAttr();
}
NumericsAttr RegionElementOp::getElementNumerics() { return {}; }

SmallVector<DeadRowNeed> SumElementOp::getDeadRowNeeds() { return {}; }
SmallVector<DeadRowNeed> AffineElementOp::getDeadRowNeeds() { return {}; }
SmallVector<DeadRowNeed> GramElementOp::getDeadRowNeeds() { return {}; }
SmallVector<DeadRowNeed> SoftmaxElementOp::getDeadRowNeeds() { return {}; }
SmallVector<DeadRowNeed> RegionElementOp::getDeadRowNeeds() { return {}; }

//===----------------------------------------------------------------------===//
// Dense elements
//===----------------------------------------------------------------------===//

LogicalResult IdentityOp::verify() { return success(); }
LogicalResult CombineOp::verify() { return success(); }
LogicalResult ActDenseOp::verify() { return success(); }
LogicalResult ExclusiveScanOp::verify() { return success(); }
LogicalResult CombineAllOp::verify() { return success(); }
