// Part of Scanweft, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

//===----------------------------------------------------------------------===//
// What a kernel's program is made of: how far its axes reach, which head of an
// operand it reads, its views of whole tensors, and where its values go.
//
// Programs run over batch entries and heads. A tensor of m heads, m a divisor
// of the H programs, is read at head h m / H; of a result of m heads the first
// of the programs that share a head places it.
//===----------------------------------------------------------------------===//

#ifndef SCANWEFT_PASSES_CHUNKING_PROGRAMSCOPE_H
#define SCANWEFT_PASSES_CHUNKING_PROGRAMSCOPE_H

#include "mlir/IR/OpDefinition.h"
#include "passes/Chunking/LaunchShape.h"

namespace scanweft {

/// Dims of a whole tensor that stay in a program's value of it, and in a
/// chunk's: all but batch and head, with or without time.
llvm::SmallVector<int64_t> getKeptDims(mlir::Value value, bool withTime,
                                       const AlgebraAxes &axes);

/// Sizes of axes as index values before the kernel.
class Extents {
public:
  Extents(weft::GroupOp group, const AlgebraAxes &axes)
      : group(group), axes(axes), builder(group) {}

  /// The size of a class of dims; null where no operand of the group has it.
  mlir::Value get(AlgebraAxes::Class dims);

private:
  mlir::Value findSize(AlgebraAxes::Class dims);
  mlir::Value findHeads(AlgebraAxes::Class dims);

  weft::GroupOp group;
  const AlgebraAxes &axes;
  mlir::OpBuilder builder;
  llvm::DenseMap<AlgebraAxes::Class, mlir::Value> known;
};

class ProgramScope {
public:
  ProgramScope(const AlgebraAxes &axes, const LaunchShape &shape,
               Extents &extents)
      : axes(axes), shape(shape), extents(extents) {}

  /// Program axes of the launch, and their sizes.
  llvm::SmallVector<mlir::Value> getProgramSizes();

  /// Names the coordinates of the program, one for each of the sizes.
  void setCoordinates(mlir::ValueRange coordinates);

  /// The program's part of a whole tensor with the axes of `value`: without
  /// batch and head, from the first to the last step.
  mlir::Value buildView(mlir::OpBuilder &builder, mlir::Location loc,
                        mlir::Value whole, mlir::Value value);

  /// `weft.place` of values, each made from the whole tensor of its number.
  void buildPlace(mlir::OpBuilder &builder, mlir::Location loc,
                  mlir::ValueRange values, mlir::ValueRange wholes);

private:
  /// The head of a class of heads that the program reads.
  mlir::Value getHead(mlir::OpBuilder &builder, mlir::Location loc,
                      AlgebraAxes::Class heads);
  /// Whether the program is the first of those that share a head; null where
  /// none share one.
  mlir::Value getIsFirst(mlir::OpBuilder &builder, mlir::Location loc,
                         mlir::Value whole);
  bool hasOwnHeads(AlgebraAxes::Class heads) const;

  const AlgebraAxes &axes;
  const LaunchShape &shape;
  Extents &extents;
  mlir::Value batch, head;
};

} // namespace scanweft

#endif // SCANWEFT_PASSES_CHUNKING_PROGRAMSCOPE_H
