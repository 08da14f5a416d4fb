// Part of Scanweft, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

//===----------------------------------------------------------------------===//
// The generated op classes, with the custom directives of their syntax.
//===----------------------------------------------------------------------===//

#include "dialects/WTile/IR/WTile.h"
#include "mlir/IR/PatternMatch.h"

using namespace mlir;
using namespace scanweft::wtile;

/// Results that repeat the operands' types are not written.
static ParseResult parseSameTypes(OpAsmParser &, TypeRange types,
                                  SmallVectorImpl<Type> &results) {
  llvm::append_range(results, types);
  return success();
}
static void printSameTypes(OpAsmPrinter &, Operation *, TypeRange, TypeRange) {}

static ParseResult parseThreeTimes(OpAsmParser &parser, Type &first,
                                   Type &second, Type &third) {
  if (parser.parseType(first))
    return failure();
  second = third = first;
  return success();
}
static void printThreeTimes(OpAsmPrinter &printer, Operation *, Type first,
                            Type, Type) {
  printer << first;
}

#define GET_OP_CLASSES
#include "dialects/WTile/IR/WTileOps.cpp.inc"
