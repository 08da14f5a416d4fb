// Part of Scanweft, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

//===----------------------------------------------------------------------===//
// The generated op classes, with the custom directives of their syntax.
//===----------------------------------------------------------------------===//

#include "dialects/Weft/IR/Weft.h"
#include "mlir/IR/PatternMatch.h"

using namespace mlir;
using namespace scanweft::weft;

//===----------------------------------------------------------------------===//
// Custom directives
//===----------------------------------------------------------------------===//

/// Results that repeat the operands' types are not written.
static ParseResult parseSameTypes(OpAsmParser &, TypeRange types,
                                  SmallVectorImpl<Type> &results) {
  llvm::append_range(results, types);
  return success();
}
static void printSameTypes(OpAsmPrinter &, Operation *, TypeRange, TypeRange) {}

static ParseResult parseChunkedResultTypes(OpAsmParser &, TypeRange outs,
                                           TypeRange carries,
                                           SmallVectorImpl<Type> &results) {
  llvm::append_range(results, outs);
  llvm::append_range(results, carries);
  return success();
}
static void printChunkedResultTypes(OpAsmPrinter &, Operation *, TypeRange,
                                    TypeRange, TypeRange) {}

/// `[` left `,` right `]`, where `*` is unbounded.
static ParseResult parseWindow(OpAsmParser &parser, DenseI64ArrayAttr &window) {
  SmallVector<int64_t> sides;
  auto parseSide = [&]() -> ParseResult {
    if (succeeded(parser.parseOptionalStar())) {
      sides.push_back(MaskWindowOp::kUnbounded);
      return success();
    }
    return parser.parseInteger(sides.emplace_back());
  };
  if (parser.parseCommaSeparatedList(OpAsmParser::Delimiter::Square, parseSide))
    return failure();
  window = parser.getBuilder().getDenseI64ArrayAttr(sides);
  return success();
}
static void printWindow(OpAsmPrinter &printer, Operation *,
                        DenseI64ArrayAttr window) {
  printer << '[';
  llvm::interleaveComma(window.asArrayRef(), printer, [&](int64_t side) {
    if (side == MaskWindowOp::kUnbounded)
      printer << '*';
    else
      printer << side;
  });
  printer << ']';
}

//===----------------------------------------------------------------------===//
// Generated
//===----------------------------------------------------------------------===//

#define GET_OP_CLASSES
#include "dialects/Weft/IR/WeftOps.cpp.inc"
