// Part of Scanweft, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

//===----------------------------------------------------------------------===//
// From a group on whole tensors to a kernel that walks chunks.
//
// Every value of the group lives at one of three scopes. What depends on no
// token is made once a program, before the loop; what does, chunk by chunk; and
// what depends on a scan's final state, after the loop. A value that has a time
// axis but does not vary along it (a repeated parameter) is made before the
// loop without the axis, and repeated to rows where it is read.
//===----------------------------------------------------------------------===//

#ifndef SCANWEFT_PASSES_CHUNKING_KERNELBUILDER_H
#define SCANWEFT_PASSES_CHUNKING_KERNELBUILDER_H

#include "passes/Chunking/ProgramScope.h"

namespace scanweft {

class KernelBuilder {
public:
  KernelBuilder(weft::GroupOp group, const AlgebraAxes &axes,
                const LaunchShape &shape, Extents &extents);

  /// Sizes that the kernel needs, found before it; a diagnostic where the group
  /// takes nothing that has them.
  llvm::LogicalResult findSizes();

  /// Builds the kernel before the group, which stays as it is.
  weft::KernelOp build(int64_t chunk);

private:
  class Scope;

  void findNeeded();
  void findScopes();
  bool varies(mlir::Value value) const { return varying.contains(value); }
  bool isFinal(mlir::Value value) const { return finals.contains(value); }
  bool isOutside(mlir::Value value);

  void emitProgramOps();
  void createLoop();
  void emitChunkOps();
  void emitFinalOps();

  void emit(mlir::OpBuilder &builder, mlir::Operation &op, bool withTime);
  mlir::Value emitDimwise(mlir::OpBuilder &builder, weft::DimwiseOpInterface op,
                          bool withTime);
  mlir::Value emitReshape(mlir::OpBuilder &builder, mlir::Operation &op,
                          bool withTime);
  void emitElementwise(mlir::OpBuilder &builder, mlir::Operation &op,
                       bool withTime);
  void emitScan(weft::ChunkRuleOpInterface op, mlir::ValueRange states);

  /// A value without batch and head axes, and without time where it does not
  /// vary; as rows with time in any case, for values that have the axis.
  mlir::Value get(mlir::Value value);
  mlir::Value getRows(mlir::OpBuilder &builder, mlir::Value value);
  mlir::Value getOperand(mlir::OpBuilder &builder, mlir::Value value,
                         bool withTime);
  mlir::Value repeatToRows(mlir::OpBuilder &builder, mlir::Value value);
  mlir::Value takeFromOutside(mlir::Value value);
  mlir::Value addSlice(mlir::Value view);
  mlir::FlatSymbolRefAttr outline(mlir::Region &combine);

  /// Rows with `other` where they are dead: as they are if that is certain.
  mlir::Value keepLive(mlir::Location loc, mlir::Value rows, double other);
  bool isZeroOnDeadRows(mlir::Value rows);
  bool makesZeroOfDeadRows(mlir::Operation *op);

  mlir::RankedTensorType reduceType(mlir::Value value, bool withTime) const;

  weft::GroupOp group;
  const AlgebraAxes &axes;
  const LaunchShape &shape;
  Extents &extents;
  ProgramScope scope;

  llvm::SmallVector<mlir::Operation *> needed; ///< in order
  llvm::DenseSet<mlir::Value> varying;
  llvm::DenseSet<mlir::Value> finals;
  llvm::DenseMap<mlir::Region *, mlir::FlatSymbolRefAttr> outlined;

  // The kernel under construction.
  int64_t chunk = 0;
  weft::KernelOp kernel;
  weft::ChunkedOp loop;
  llvm::SmallVector<std::pair<weft::ChunkRuleOpInterface, unsigned>>
      scans; ///< with the number of state tensors
  llvm::SmallVector<mlir::Value> elements;
  llvm::DenseMap<mlir::Value, mlir::Value> values;
  llvm::DenseMap<mlir::Value, bool> zeroOnDeadRows;
  mlir::OpBuilder program, body, after;
};

} // namespace scanweft

#endif // SCANWEFT_PASSES_CHUNKING_KERNELBUILDER_H
