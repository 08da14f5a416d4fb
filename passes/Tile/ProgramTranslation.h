// Part of Scanweft, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

//===----------------------------------------------------------------------===//
// One program of a weft.kernel, rewritten over global memory. A tensor of the
// program is one of two things:
//
//   a view   a window of global memory, not read yet    memref
//   a tile   a value of static shape                    tensor
//
// Captured tensors and slices of them are views. A view of static shape that is
// used as a value is loaded at program scope; chunks of a view are loaded by
// the loop. Row outputs of a loop have no tensor at all: their rows are stored
// to where the terminator places them.
//===----------------------------------------------------------------------===//

#ifndef SCANWEFT_PASSES_TILE_PROGRAMTRANSLATION_H
#define SCANWEFT_PASSES_TILE_PROGRAMTRANSLATION_H

#include "dialects/WTile/IR/WTile.h"
#include "dialects/Weft/IR/Weft.h"
#include "mlir/IR/IRMapping.h"
#include "scanweft/Support/ChunkRange.h"

namespace scanweft {

class ProgramTranslation {
public:
  /// `parameters` maps captured tensors to memrefs and captured scalars to
  /// scalars; `outputs` are the memrefs of the kernel's results. The builder
  /// stands at the end of the new program.
  ProgramTranslation(mlir::OpBuilder &builder, mlir::IRMapping parameters,
                     mlir::ValueRange outputs)
      : builder(builder), values(std::move(parameters)),
        outputs(llvm::to_vector(outputs)) {}

  mlir::LogicalResult run(weft::KernelOp kernel, mlir::ValueRange coordinates);

private:
  using Placement = weft::PlaceOp::Placement;

  /// A value, of global memory or not, made where it is first asked for.
  mlir::FailureOr<mlir::Value> getValue(mlir::Value value);
  /// A tile; a view is loaded.
  mlir::FailureOr<mlir::Value> getTile(mlir::Value value);
  mlir::FailureOr<mlir::Value> getView(mlir::Value value,
                                       mlir::Operation *user);
  bool isView(mlir::Value value) {
    return mlir::isa<mlir::MemRefType>(value.getType());
  }

  mlir::LogicalResult translate(mlir::Operation &op);
  mlir::LogicalResult translateSlice(mlir::Operation &op);
  mlir::LogicalResult translatePad(mlir::Operation &op);
  mlir::LogicalResult translateDim(mlir::Operation &op);
  mlir::LogicalResult translateGather(weft::GatherRowsOp op);
  mlir::LogicalResult translateChunked(weft::ChunkedOp op);
  mlir::LogicalResult translateChunk(weft::ChunkedOp op, mlir::Value turn,
                                     mlir::ValueRange bounds,
                                     mlir::ValueRange states);
  mlir::LogicalResult storeRows(weft::ChunkedOp op, const ChunkRange &range);
  mlir::FailureOr<llvm::SmallVector<mlir::Value>>
  buildStates(weft::ChunkedOp op, mlir::ValueRange states, mlir::Value number);
  mlir::LogicalResult cloneOp(mlir::Operation &op);
  mlir::LogicalResult translatePlace(weft::PlaceOp op);
  mlir::LogicalResult placeTile(const Placement &placement, mlir::Value output,
                                mlir::Location loc);

  /// The window of an output that a placement's starred dims span.
  mlir::FailureOr<mlir::Value> buildTarget(const Placement &placement,
                                           mlir::Value output,
                                           mlir::Location loc);
  mlir::LogicalResult
  storeIf(const Placement &placement, mlir::Location loc,
          llvm::function_ref<void(mlir::OpBuilder &)> store);

  mlir::OpBuilder &builder;
  /// Values of the old program, and captured ones, to new values.
  mlir::IRMapping values;
  llvm::SmallVector<mlir::Value> outputs;
  weft::PlaceOp place;
};

} // namespace scanweft

#endif // SCANWEFT_PASSES_TILE_PROGRAMTRANSLATION_H
