// Part of Scanweft, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

//===----------------------------------------------------------------------===//
// What a chunk rule is given and what it gives back. A rule never sees batch
// and head axes, nor how rows reach the chunk: it asks its scope for operands.
//===----------------------------------------------------------------------===//

#ifndef SCANWEFT_DIALECTS_WEFT_IR_CHUNKRULE_H
#define SCANWEFT_DIALECTS_WEFT_IR_CHUNKRULE_H

#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/Value.h"

namespace scanweft::weft {

/// A carry of a scan: its kind and its states before the first chunk.
struct CarryDeclaration {
  mlir::Attribute kind;
  llvm::SmallVector<mlir::Value> initialStates;
};

/// What a scan gives a chunk: C rows of each result with a time axis, in order,
/// and one element per carry.
struct ChunkEmission {
  llvm::SmallVector<mlir::Value> rows;
  llvm::SmallVector<mlir::Value> elements;
};

/// The surroundings of one scan inside a chunk. Operands are asked for by
/// number; what comes lacks the batch and head axes.
class ChunkScope {
public:
  ChunkScope(mlir::OpBuilder &body, mlir::OpBuilder &program, int64_t chunk)
      : body(body), program(program), chunk(chunk) {}
  virtual ~ChunkScope() = default;

  /// C rows of an operand, [C, features...]: repeated where the operand has no
  /// time axis. Dead rows are whatever the producers make of zeros.
  virtual mlir::Value getRows(unsigned operand) = 0;

  /// An operand without a time axis, [features...], at program scope.
  virtual mlir::Value getProgramValue(unsigned operand) = 0;

  /// `rows` with `other` on the chunk's dead rows.
  virtual mlir::Value keepLive(mlir::Value rows, double other) = 0;

  /// First live row, and first row after the live ones.
  virtual mlir::Value getLiveFrom() = 0;
  virtual mlir::Value getLiveTo() = 0;

  /// A function on scalars with the body of `combine`, by name.
  virtual mlir::FlatSymbolRefAttr outline(mlir::Region &combine) = 0;

  mlir::OpBuilder &body;    ///< inside the chunk
  mlir::OpBuilder &program; ///< before the loop
  const int64_t chunk;      ///< C
};

} // namespace scanweft::weft

#endif // SCANWEFT_DIALECTS_WEFT_IR_CHUNKRULE_H
