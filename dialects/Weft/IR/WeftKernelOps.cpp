// Part of Scanweft, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

//===----------------------------------------------------------------------===//
// One launch: the kernel and its terminator. Syntax, access and local rules;
// that placements are disjoint (K9) is a pass's business.
//===----------------------------------------------------------------------===//

#include "dialects/Weft/IR/Weft.h"
#include "dialects/Weft/IR/WeftRules.h"
#include "llvm/ADT/STLExtras.h"

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
  for (auto [i, types] :
       llvm::enumerate(llvm::zip(getInits().getTypes(), getResultTypes())))
    if (std::get<0>(types) != std::get<1>(types))
      return emitOpError("result #")
             << i << " has type " << std::get<1>(types) << " and its init "
             << std::get<0>(types) << rule::K10;
  if (getInits().size() == getNumResults())
    return success();
  return emitOpError("has ") << getNumResults() << " results and "
                             << getInits().size() << " inits" << rule::K10;
}

LogicalResult KernelOp::verifyRegions() {
  Block &body = getBody().front();
  if (body.getNumArguments() != getPrograms().size())
    return emitOpError("has ")
           << getPrograms().size() << " program axes and its region takes "
           << body.getNumArguments() << " coordinates" << rule::K11;
  for (BlockArgument argument : body.getArguments())
    if (!argument.getType().isIndex())
      return emitOpError("coordinate #")
             << argument.getArgNumber() << " has type " << argument.getType()
             << rule::K11;
  if (isa<PlaceOp>(body.getTerminator()))
    return success();
  return emitOpError("region ends in '")
         << body.getTerminator()->getName() << '\'' << rule::K12;
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

/// What follows a value: `into` [...] (`rows` `(` rows `live` lo `to` hi `:`
/// type
/// `)`)? (`if` condition)?
static ParseResult parsePlacement(OpAsmParser &parser,
                                  PlaceOperands &operands) {
  if (parser.parseKeyword("into") || parseInto(parser, operands))
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

/// (placement (`,` placement)*)?: a kernel without results places nothing.
static ParseResult parsePlacements(OpAsmParser &parser,
                                   PlaceOperands &operands) {
  OpAsmParser::UnresolvedOperand first;
  OptionalParseResult hasFirst = parser.parseOptionalOperand(first);
  if (!hasFirst.has_value())
    return success();
  if (failed(*hasFirst))
    return failure();
  operands.values.push_back(first);
  if (parsePlacement(parser, operands))
    return failure();
  while (succeeded(parser.parseOptionalComma()))
    if (parser.parseOperand(operands.values.emplace_back()) ||
        parsePlacement(parser, operands))
      return failure();
  return success();
}

ParseResult PlaceOp::parse(OpAsmParser &parser, OperationState &result) {
  PlaceOperands operands;
  SmallVector<Type> types;
  SMLoc location = parser.getCurrentLocation();
  if (parsePlacements(parser, operands) ||
      parser.parseOptionalAttrDict(result.attributes) ||
      (!operands.values.empty() && parser.parseColonTypeList(types)))
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
  if (!getValues().empty())
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
  if (!getValues().empty())
    printer << " : " << getValues().getTypes();
}

/// The lists that say which operands belong to which value agree.
static LogicalResult verifyCounts(PlaceOp op) {
  size_t numValues = op.getValues().size();
  size_t numIndices = 0;
  for (Attribute spans : op.getSpans())
    numIndices +=
        llvm::count(cast<DenseBoolArrayAttr>(spans).asArrayRef(), false);
  size_t numRows = llvm::count(op.getHasRows(), true);
  if (op.getSpans().size() == numValues &&
      op.getHasRows().size() == numValues &&
      op.getHasCondition().size() == numValues &&
      op.getIndices().size() == numIndices && op.getRows().size() == numRows &&
      op.getLive().size() == 2 * numRows &&
      op.getConditions().size() ==
          static_cast<size_t>(llvm::count(op.getHasCondition(), true)))
    return success();
  return op.emitOpError("has ")
         << numValues << " values, " << op.getIndices().size() << " indices, "
         << op.getRows().size() << " row indices, " << op.getLive().size()
         << " live bounds and " << op.getConditions().size()
         << " conditions, which its 'spans', 'hasRows' and 'hasCondition' do "
            "not account for"
         << rule::K13;
}

/// Dims of a value and of what it spans: equal, or one of them dynamic.
static bool canAgree(int64_t size, int64_t other) {
  return size == other || ShapedType::isDynamic(size) ||
         ShapedType::isDynamic(other);
}

/// One row index per row of the value, and a spanned dim to put rows along.
static LogicalResult verifyRowIndices(PlaceOp op, unsigned i,
                                      const PlaceOp::Placement &placement) {
  auto value = cast<RankedTensorType>(placement.value.getType());
  auto rows = cast<RankedTensorType>(placement.rows.getType());
  if (value.getRank() > 0 && canAgree(value.getDimSize(0), rows.getDimSize(0)))
    return success();
  return op.emitOpError("value #") << i << " has type " << value
                                   << " and row indices " << rows << rule::K15;
}

/// The value has the starred dims of the result it goes into.
static LogicalResult verifyPlacement(PlaceOp op, unsigned i,
                                     const PlaceOp::Placement &placement,
                                     RankedTensorType result) {
  auto value = cast<RankedTensorType>(placement.value.getType());
  size_t rank = placement.indices.size();
  if (rank != static_cast<size_t>(result.getRank()))
    return op.emitOpError("value #")
           << i << " is placed by " << rank << " coordinates into a result "
           << result << " of " << result.getRank() << " dims" << rule::K14;
  SmallVector<int64_t> spanned;
  for (auto [index, size] : llvm::zip(placement.indices, result.getShape()))
    if (!index)
      spanned.push_back(size);
  // Rows go wherever their indices say: the first spanned dim may be longer.
  if (placement.rows && !spanned.empty())
    spanned.front() = ShapedType::kDynamic;
  if (value.getElementType() != result.getElementType() ||
      !llvm::equal(value.getShape(), spanned, canAgree))
    return op.emitOpError("value #") << i << " has type " << value
                                     << " for a result " << result << rule::K14;
  return placement.rows ? verifyRowIndices(op, i, placement) : success();
}

LogicalResult PlaceOp::verify() {
  if (failed(verifyCounts(*this)))
    return failure();
  auto kernel = cast<KernelOp>((*this)->getParentOp());
  if (getValues().size() != kernel.getNumResults())
    return emitOpError("places ")
           << getValues().size() << " values for " << kernel.getNumResults()
           << " results" << rule::K12;
  for (auto [i, placement] : llvm::enumerate(getPlacements())) {
    auto result = cast<RankedTensorType>(kernel.getResult(i).getType());
    if (failed(verifyPlacement(*this, i, placement, result)))
      return failure();
  }
  return success();
}
