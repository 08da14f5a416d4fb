// Part of Scanweft, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

//===----------------------------------------------------------------------===//
// The wtile dialect: ops, attributes and types.
//===----------------------------------------------------------------------===//

#ifndef SCANWEFT_DIALECTS_WTILE_IR_WTILE_H
#define SCANWEFT_DIALECTS_WTILE_IR_WTILE_H

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/IR/TensorEncoding.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "scanweft/Layout/LinearLayout.h"

#include "dialects/WTile/IR/WTileDialect.h.inc"

#define GET_ATTRDEF_CLASSES
#include "dialects/WTile/IR/WTileAttrs.h.inc"

#define GET_TYPEDEF_CLASSES
#include "dialects/WTile/IR/WTileTypes.h.inc"

#define GET_OP_CLASSES
#include "dialects/WTile/IR/WTileOps.h.inc"

namespace scanweft::wtile {

/// The layout of a register tile; null where the type has none.
const LinearLayout *getLayout(mlir::Type type);
inline const LinearLayout *getLayout(mlir::Value value) {
  return getLayout(value.getType());
}

/// `type`, a tile, with the layout.
mlir::RankedTensorType withLayout(mlir::RankedTensorType type,
                                  const LinearLayout &layout);

} // namespace scanweft::wtile

#endif // SCANWEFT_DIALECTS_WTILE_IR_WTILE_H
