// Part of Scanweft, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

//===----------------------------------------------------------------------===//
// Puts assigned layouts into the program. Every op asks for its operands in the
// form it needs, and a value is brought into that form at most once:
//
//   registers, layout L   the value itself, renamed, moved inside its warp,
//   read
//                         from its shared buffer, or made again
//   shared                a buffer, stored right after the value is made
//
// A buffer of a value serves all its users. What is made at program scope and
// is too big to be held in registers across a loop waits in its buffer.
//===----------------------------------------------------------------------===//

#ifndef SCANWEFT_PASSES_TILE_LAYOUTREALIZATION_H
#define SCANWEFT_PASSES_TILE_LAYOUTREALIZATION_H

#include "passes/Tile/LayoutAssignment.h"
#include "scanweft/Layout/Relayout.h"

namespace scanweft {

class LayoutRealization {
public:
  LayoutRealization(wtile::KernelOp kernel, LayoutAssignment &assignment)
      : kernel(kernel), assignment(assignment), builder(kernel.getContext()) {}

  mlir::LogicalResult run();

private:
  /// The value in registers with the layout, for `user`.
  mlir::Value getRegisters(mlir::Value value, const LinearLayout &layout,
                           mlir::Operation *user);
  mlir::Value getRelaid(mlir::Value value, const LinearLayout &layout,
                        const RelayoutPlan &plan);
  mlir::Value getRemade(mlir::Value value, const LinearLayout &layout,
                        mlir::Operation *user);
  mlir::Value getLoaded(mlir::Value value, const LinearLayout &layout,
                        mlir::Operation *user);
  mlir::Value getReadFromMemory(mlir::Value value, const LinearLayout &layout);
  /// The value's shared buffer.
  mlir::Value getBuffer(mlir::Value value);
  mlir::Value createBuffer(mlir::Type tile);
  mlir::Value createCopy(mlir::Operation *op);
  /// Whether the layout costs renamings at most.
  bool isReadyAs(mlir::Value value, const LinearLayout &layout);
  bool isHeld(mlir::Value value, const LinearLayout &layout,
              mlir::Operation *user);
  TileHome getHomeNow(mlir::Value value);

  mlir::LogicalResult rewriteBlock(mlir::Block &block);
  mlir::LogicalResult rewrite(mlir::Operation &op);
  void rewriteElementwise(mlir::Operation *op);
  void rewriteReduce(wtile::ReduceOp op);
  void reduceAcrossWarps(wtile::ReduceOp op, const LinearLayout &layout,
                         unsigned numParts);
  void rewriteScan(wtile::ScanOp op);
  void rewriteMma(wtile::MmaOp op);
  void rewriteConcat(wtile::ConcatOp op);
  void rewriteExtract(wtile::ExtractOp op);
  void rewriteTake(wtile::TakeOp op);
  void rewriteStore(wtile::StoreOp op);
  void rewriteScatter(wtile::ScatterOp op);
  void rewriteFactor(wtile::FactorBlockOp op);
  void rewriteInvert(wtile::InvertBlocksOp op);
  void rewriteStack(wtile::NewStackOp op);
  mlir::LogicalResult rewriteLoop(mlir::scf::ForOp op);
  mlir::LogicalResult rewriteConditional(mlir::scf::IfOp op);
  void eraseUnused();

  LinearLayout getPieces(mlir::Value tile);
  void setLayout(mlir::Value value, const LinearLayout &layout);
  void setOperand(mlir::OpOperand &operand, const LinearLayout &layout);
  mlir::Attribute getKey(const LinearLayout &layout) {
    return wtile::LayoutAttr::get(kernel.getContext(), layout);
  }

  wtile::KernelOp kernel;
  LayoutAssignment &assignment;
  mlir::OpBuilder builder;
  llvm::DenseMap<mlir::Value, mlir::Value> buffers;
  /// What stands beside the value and serves every user.
  llvm::DenseMap<std::pair<mlir::Value, mlir::Attribute>, mlir::Value> relaid;
  /// What stands before its first user in a block and serves that block.
  llvm::DenseMap<
      std::pair<std::pair<mlir::Value, mlir::Attribute>, mlir::Block *>,
      mlir::Value>
      local;
};

} // namespace scanweft

#endif // SCANWEFT_PASSES_TILE_LAYOUTREALIZATION_H
