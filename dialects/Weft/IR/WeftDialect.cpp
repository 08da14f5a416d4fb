// Part of Scanweft, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

//===----------------------------------------------------------------------===//
// Registration of the dialect's ops, attributes and types.
//===----------------------------------------------------------------------===//

#include "dialects/Weft/IR/Weft.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace scanweft::weft;

#include "dialects/Weft/IR/WeftDialect.cpp.inc"
#include "dialects/Weft/IR/WeftEnums.cpp.inc"

#include "dialects/Weft/IR/WeftAttrInterfaces.cpp.inc"
#include "dialects/Weft/IR/WeftOpInterfaces.cpp.inc"

#include "dialects/Weft/IR/WeftChunkRule.cpp.inc"

#define GET_ATTRDEF_CLASSES
#include "dialects/Weft/IR/WeftAttrs.cpp.inc"

#define GET_TYPEDEF_CLASSES
#include "dialects/Weft/IR/WeftTypes.cpp.inc"

void WeftDialect::initialize() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "dialects/Weft/IR/WeftAttrs.cpp.inc"
      >();
  addTypes<
#define GET_TYPEDEF_LIST
#include "dialects/Weft/IR/WeftTypes.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "dialects/Weft/IR/WeftOps.cpp.inc"
      >();
}

Operation *WeftDialect::materializeConstant(OpBuilder &builder, Attribute value,
                                            Type type, Location loc) {
  return arith::ConstantOp::materialize(builder, value, type, loc);
}
