// Part of Scanweft, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

//===----------------------------------------------------------------------===//
// The weft dialect: ops, attributes, types and interfaces.
//===----------------------------------------------------------------------===//

#ifndef SCANWEFT_DIALECTS_WEFT_IR_WEFT_H
#define SCANWEFT_DIALECTS_WEFT_IR_WEFT_H

#include "dialects/Weft/IR/ChunkRule.h"
#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

namespace scanweft::weft {

/// An axis of a tensor at the algebra stage, by the letter that names it in
/// `along`; `Feature` is one that no other operand shares.
enum class Axis : char {
  Batch = 'b',
  Time = 't',
  Head = 'h',
  Key = 'k',
  Value = 'v',
  Feature = 'f'
};

/// What an op may ask of its operands' entries on the dead rows of a chunk. A
/// diagonal is zero but for its diagonal, which may have to be positive.
enum class DeadRowFact {
  Finite,
  Zero,
  MinusInfinity,
  Diagonal,
  PositiveDiagonal
};

/// `fact` holds on the dead rows of operand `operand`, whose dim `dim` runs
/// over the rows.
struct DeadRowNeed {
  unsigned operand;
  unsigned dim;
  DeadRowFact fact;
};

/// What keeps one set of rows from reaching others, or the state, where they
/// are dead: all needs of one of the alternatives. The dims named are over the
/// same rows.
using DeadRowAlternatives = llvm::SmallVector<llvm::SmallVector<DeadRowNeed>>;

/// Dim `dim` of an element's operand has the size of dim `stateDim` of a state
/// tensor.
struct StateDimTie {
  unsigned operand;
  unsigned dim;
  unsigned state;
  unsigned stateDim;
};

/// An op that a chunk's body may hold: pure, with an adjoint that can be
/// written down.
template <typename ConcreteType>
class ChunkBodyOp : public mlir::OpTrait::TraitBase<ConcreteType, ChunkBodyOp> {
};

/// One term of an affine element: state' = ... + write^T (value - erase state).
struct AffineTerm {
  mlir::Value write;
  mlir::Value erase; ///< null where the term erases nothing
  mlir::Value value; ///< null where the term writes nothing
};

} // namespace scanweft::weft

#include "dialects/Weft/IR/WeftDialect.h.inc"
#include "dialects/Weft/IR/WeftEnums.h.inc"

namespace scanweft::weft {
class NumericsAttr;
class NextOp;
class YieldOp;
} // namespace scanweft::weft

#include "dialects/Weft/IR/WeftAttrInterfaces.h.inc"

#define GET_ATTRDEF_CLASSES
#include "dialects/Weft/IR/WeftAttrs.h.inc"

#define GET_TYPEDEF_CLASSES
#include "dialects/Weft/IR/WeftTypes.h.inc"

#include "dialects/Weft/IR/WeftOpInterfaces.h.inc"

#include "dialects/Weft/IR/WeftChunkRule.h.inc"

#define GET_OP_CLASSES
#include "dialects/Weft/IR/WeftOps.h.inc"

#endif // SCANWEFT_DIALECTS_WEFT_IR_WEFT_H
