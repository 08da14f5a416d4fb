// Part of Scanweft, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

//===----------------------------------------------------------------------===//
// The syntax of `weft.affine_scan`:
//
//   `over` axis (`reverse` | `chunk` n | `numerics` `<` ... `>`)* clause*
//   (`attributes` {...})? `->` types
//
// Clauses come in any order, each at most once; that of decay, write and read
// is the order in which they act and is kept. Every operand may be followed by
// `along` `[` letters `]`.
//===----------------------------------------------------------------------===//

#include "dialects/Weft/IR/Weft.h"
#include "llvm/ADT/MapVector.h"

using namespace mlir;
using namespace scanweft::weft;

using UnresolvedOperand = OpAsmParser::UnresolvedOperand;

static constexpr StringRef kClauses[] = {"decay", "write", "read", "normalize",
                                         "init"};
static constexpr StringRef kHeaders[] = {"reverse", "chunk", "numerics"};

//===----------------------------------------------------------------------===//
// Parser
//===----------------------------------------------------------------------===//

namespace {

/// An operand as written, and its type.
struct WrittenOperand {
  std::optional<UnresolvedOperand> operand;
  Type type;
};

class AffineScanParser {
public:
  AffineScanParser(OpAsmParser &parser, OperationState &result)
      : parser(parser), builder(parser.getBuilder()), result(result),
        properties(result.getOrAddProperties<AffineScanOp::Properties>()) {}

  ParseResult parse();

private:
  ParseResult parseHeader();
  ParseResult parseClauses();
  ParseResult parseResults();
  ParseResult parseClause(StringRef clause);
  ParseResult parseDecay();
  ParseResult parseWrite();
  ParseResult parseRead();
  ParseResult parseNormalize();
  ParseResult parseInit();

  ParseResult parseOperand(WrittenOperand &operand, StringAttr &axes);
  ParseResult parseAlong(StringAttr &axes);
  ParseResult parseNumber(FloatAttr &number);
  /// Notes that `word` was written at `loc`; says so if it was before.
  ParseResult once(StringRef word, SMLoc loc);
  ParseResult isTwice(StringRef word, SMLoc loc);
  ParseResult noSuchClause();
  ParseResult resolveOperands();

  OpAsmParser &parser;
  Builder &builder;
  OperationState &result;
  AffineScanOp::Properties &properties;
  SMLoc start;
  llvm::SmallMapVector<StringRef, SMLoc, 8> seen;
  SmallVector<Attribute> order;
  WrittenOperand decay, key, value, query, init, normalizerInit;
};

} // namespace

ParseResult AffineScanParser::once(StringRef word, SMLoc loc) {
  return seen.insert({word, loc}).second ? success() : isTwice(word, loc);
}

ParseResult AffineScanParser::isTwice(StringRef word, SMLoc loc) {
  return parser.emitError(loc, "has '")
         << word << "' twice: it is written at most once";
}

/// `along` `[` letter `,` ... `]`, kept as the string of its letters.
ParseResult AffineScanParser::parseAlong(StringAttr &axes) {
  std::string letters;
  auto parseLetter = [&]() -> ParseResult {
    SMLoc loc = parser.getCurrentLocation();
    StringRef letter;
    if (parser.parseKeyword(&letter))
      return failure();
    if (letter.size() != 1 || !StringRef("bthkv").contains(letter))
      return parser.emitError(loc, "has no axis '")
             << letter << "': the axes are b, t, h, k and v";
    letters += letter;
    return success();
  };
  if (axes)
    return isTwice("along", parser.getCurrentLocation());
  if (parser.parseCommaSeparatedList(OpAsmParser::Delimiter::Square,
                                     parseLetter))
    return failure();
  axes = builder.getStringAttr(letters);
  return success();
}

ParseResult AffineScanParser::parseOperand(WrittenOperand &operand,
                                           StringAttr &axes) {
  if (parser.parseOperand(operand.operand.emplace()))
    return failure();
  if (succeeded(parser.parseOptionalKeyword("along")))
    return parseAlong(axes);
  return success();
}

ParseResult AffineScanParser::parseNumber(FloatAttr &number) {
  return parser.parseAttribute(number, builder.getF64Type());
}

/// `(` %g (`in` space | `along` axes)* `:` type `)`
ParseResult AffineScanParser::parseDecay() {
  if (parser.parseLParen() || parseOperand(decay, properties.decayAxes))
    return failure();
  std::optional<DecaySpace> space;
  while (true) {
    if (succeeded(parser.parseOptionalKeyword("along"))) {
      if (parseAlong(properties.decayAxes))
        return failure();
      continue;
    }
    if (failed(parser.parseOptionalKeyword("in")))
      break;
    SMLoc loc = parser.getCurrentLocation();
    if (space)
      return isTwice("in", loc);
    StringRef word;
    if (parser.parseKeyword(&word))
      return failure();
    space = symbolizeDecaySpace(word);
    if (!space)
      return parser.emitError(loc, "clause 'decay' is in '")
             << word << "': a decay is in linear, log or log2";
  }
  if (!space)
    return parser.emitError(parser.getCurrentLocation(),
                            "clause 'decay' does not say in which space it "
                            "is: a decay is in linear, log or log2");
  properties.decaySpace =
      DecaySpaceAttr::get(builder.getContext(), space.value());
  return failure(parser.parseColonType(decay.type) || parser.parseRParen());
}

/// `(` %key (`along` axes)? `,` %value (`along` axes)? `:` type `,` type `)`
ParseResult AffineScanParser::parseWrite() {
  return failure(parser.parseLParen() ||
                 parseOperand(key, properties.keyAxes) || parser.parseComma() ||
                 parseOperand(value, properties.valueAxes) ||
                 parser.parseColonType(key.type) || parser.parseComma() ||
                 parser.parseType(value.type) || parser.parseRParen());
}

/// `(` %query (`scale` number | `along` axes)* `:` type `)`
ParseResult AffineScanParser::parseRead() {
  if (parser.parseLParen() || parseOperand(query, properties.queryAxes))
    return failure();
  while (true) {
    if (succeeded(parser.parseOptionalKeyword("along"))) {
      if (parseAlong(properties.queryAxes))
        return failure();
    } else if (succeeded(parser.parseOptionalKeyword("scale"))) {
      if (properties.scale)
        return isTwice("scale", parser.getCurrentLocation());
      if (parseNumber(properties.scale))
        return failure();
    } else {
      break;
    }
  }
  return failure(parser.parseColonType(query.type) || parser.parseRParen());
}

/// `(` (`added` | `clamped`) epsilon `)`
ParseResult AffineScanParser::parseNormalize() {
  SMLoc loc;
  StringRef word;
  if (parser.parseLParen() || parser.getCurrentLocation(&loc) ||
      parser.parseKeyword(&word))
    return failure();
  std::optional<EpsilonMode> mode = symbolizeEpsilonMode(word);
  if (!mode)
    return parser.emitError(loc, "clause 'normalize' has epsilon '")
           << word << "': an epsilon is added or clamped";
  properties.epsilonMode = EpsilonModeAttr::get(builder.getContext(), *mode);
  return failure(parseNumber(properties.epsilon) || parser.parseRParen());
}

/// `(` %s (`along` axes)? (`,` %z (`along` axes)?)? `:` type (`,` type)? `)`
ParseResult AffineScanParser::parseInit() {
  if (parser.parseLParen() || parseOperand(init, properties.initAxes))
    return failure();
  bool hasNormalizer = succeeded(parser.parseOptionalComma());
  if (hasNormalizer &&
      parseOperand(normalizerInit, properties.normalizerInitAxes))
    return failure();
  if (parser.parseColonType(init.type))
    return failure();
  if (hasNormalizer &&
      (parser.parseComma() || parser.parseType(normalizerInit.type)))
    return failure();
  return parser.parseRParen();
}

ParseResult AffineScanParser::parseClause(StringRef clause) {
  if (std::optional<ScanClause> acting = symbolizeScanClause(clause))
    order.push_back(ScanClauseAttr::get(builder.getContext(), *acting));
  if (clause == "decay")
    return parseDecay();
  if (clause == "write")
    return parseWrite();
  if (clause == "read")
    return parseRead();
  if (clause == "normalize")
    return parseNormalize();
  return parseInit();
}

ParseResult AffineScanParser::parseHeader() {
  int64_t axis;
  if (parser.parseKeyword("over") || parser.parseInteger(axis))
    return failure();
  properties.axis = builder.getI64IntegerAttr(axis);
  StringRef word;
  SMLoc loc = parser.getCurrentLocation();
  for (; succeeded(parser.parseOptionalKeyword(&word, kHeaders));
       loc = parser.getCurrentLocation()) {
    if (once(word, loc))
      return failure();
    if (word == "reverse") {
      properties.reverse = builder.getUnitAttr();
    } else if (word == "chunk") {
      int64_t chunk;
      if (parser.parseInteger(chunk))
        return failure();
      properties.chunk = builder.getI64IntegerAttr(chunk);
    } else if (parser.parseCustomAttributeWithFallback(properties.numerics)) {
      return failure();
    }
  }
  return success();
}

/// What stands where a clause or the arrow should.
ParseResult AffineScanParser::noSuchClause() {
  SMLoc loc = parser.getCurrentLocation();
  StringRef word;
  if (failed(parser.parseOptionalKeyword(&word)))
    return parser.emitError(
        loc, "expected a clause (decay, write, read, normalize or init) or "
             "'->' and the results' types");
  if (llvm::is_contained(kHeaders, word))
    return parser.emitError(loc, "has '")
           << word << "' after a clause: reverse, chunk and numerics come "
           << "before the clauses";
  return parser.emitError(loc, "has no clause '")
         << word << "': the clauses are decay, write, read, normalize and init";
}

ParseResult AffineScanParser::parseClauses() {
  StringRef clause;
  SMLoc loc = parser.getCurrentLocation();
  for (; succeeded(parser.parseOptionalKeyword(&clause, kClauses));
       loc = parser.getCurrentLocation())
    if (once(clause, loc) || parseClause(clause))
      return failure();
  if (parser.parseOptionalAttrDictWithKeyword(result.attributes))
    return failure();
  if (failed(parser.parseOptionalArrow()))
    return noSuchClause();
  for (StringRef required : {"write", "read"})
    if (!seen.contains(required))
      return parser.emitError(start, "has no clause '")
             << required << "': clauses 'write' and 'read' are required";
  properties.order = builder.getArrayAttr(order);
  return success();
}

ParseResult AffineScanParser::parseResults() {
  SMLoc loc = parser.getCurrentLocation();
  SmallVector<Type> types;
  if (parser.parseTypeList(types))
    return failure();
  if (types.size() > 3)
    return parser.emitError(loc, "has ")
           << types.size()
           << " results: there are at most the output, the final state and "
              "the final normaliser";
  result.addTypes(types);
  properties.resultSegmentSizes = {1, types.size() > 1, types.size() > 2};
  return success();
}

ParseResult AffineScanParser::resolveOperands() {
  WrittenOperand *operands[] = {&decay, &key,  &value,
                                &query, &init, &normalizerInit};
  for (auto [i, written] : llvm::enumerate(operands)) {
    properties.operandSegmentSizes[i] = written->operand.has_value();
    if (written->operand &&
        parser.resolveOperand(*written->operand, written->type,
                              result.operands))
      return failure();
  }
  return success();
}

ParseResult AffineScanParser::parse() {
  start = parser.getNameLoc();
  return failure(parseHeader() || parseClauses() || parseResults() ||
                 resolveOperands());
}

ParseResult AffineScanOp::parse(OpAsmParser &parser, OperationState &result) {
  return AffineScanParser(parser, result).parse();
}

//===----------------------------------------------------------------------===//
// Printer
//===----------------------------------------------------------------------===//

static void printAlong(OpAsmPrinter &printer, std::optional<StringRef> axes) {
  if (!axes)
    return;
  printer << " along [";
  llvm::interleaveComma(*axes, printer,
                        [&](char letter) { printer << StringRef(&letter, 1); });
  printer << ']';
}

static void printDecay(OpAsmPrinter &printer, AffineScanOp op) {
  printer << "decay(" << op.getDecay() << " in "
          << stringifyDecaySpace(op.getDecaySpace());
  printAlong(printer, op.getDecayAxes());
  printer << " : " << op.getDecay().getType() << ')';
}

static void printWrite(OpAsmPrinter &printer, AffineScanOp op) {
  printer << "write(" << op.getKey();
  printAlong(printer, op.getKeyAxes());
  printer << ", " << op.getValue();
  printAlong(printer, op.getValueAxes());
  printer << " : " << op.getKey().getType() << ", " << op.getValue().getType()
          << ')';
}

static void printRead(OpAsmPrinter &printer, AffineScanOp op) {
  printer << "read(" << op.getQuery();
  if (FloatAttr scale = op.getScaleAttr()) {
    printer << " scale ";
    printer.printAttributeWithoutType(scale);
  }
  printAlong(printer, op.getQueryAxes());
  printer << " : " << op.getQuery().getType() << ')';
}

static void printNormalize(OpAsmPrinter &printer, AffineScanOp op) {
  printer << "normalize(" << stringifyEpsilonMode(*op.getEpsilonMode()) << ' ';
  printer.printAttributeWithoutType(op.getEpsilonAttr());
  printer << ')';
}

static void printInit(OpAsmPrinter &printer, AffineScanOp op) {
  printer << "init(" << op.getInit();
  printAlong(printer, op.getInitAxes());
  if (op.getNormalizerInit()) {
    printer << ", " << op.getNormalizerInit();
    printAlong(printer, op.getNormalizerInitAxes());
  }
  printer << " : " << op.getInit().getType();
  if (op.getNormalizerInit())
    printer << ", " << op.getNormalizerInit().getType();
  printer << ')';
}

void AffineScanOp::print(OpAsmPrinter &printer) {
  printer << " over " << getAxis();
  if (getReverse())
    printer << " reverse";
  if (getChunk())
    printer << " chunk " << *getChunk();
  if (getNumericsAttr()) {
    printer << " numerics";
    printer.printStrippedAttrOrType(getNumericsAttr());
  }
  printer.increaseIndent();
  for (ScanClause clause : getClauses()) {
    printer.printNewline();
    if (clause == ScanClause::Decay)
      printDecay(printer, *this);
    else if (clause == ScanClause::Write)
      printWrite(printer, *this);
    else
      printRead(printer, *this);
  }
  if (isNormalized()) {
    printer.printNewline();
    printNormalize(printer, *this);
  }
  if (getInit()) {
    printer.printNewline();
    printInit(printer, *this);
  }
  if (!(*this)->getDiscardableAttrs().empty()) {
    printer.printNewline();
    printer << "attributes ";
    printer.printAttributeWithoutType((*this)->getDiscardableAttrDictionary());
  }
  printer.printNewline();
  printer << "-> ";
  llvm::interleaveComma(getResultTypes(), printer);
  printer.decreaseIndent();
}
