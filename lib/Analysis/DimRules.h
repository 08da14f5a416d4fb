// Part of Scanweft, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

//===----------------------------------------------------------------------===//
// What each op says of the dims of its operands and results.
//===----------------------------------------------------------------------===//

#ifndef SCANWEFT_LIB_ANALYSIS_DIMRULES_H
#define SCANWEFT_LIB_ANALYSIS_DIMRULES_H

#include "scanweft/Analysis/DimClasses.h"

namespace scanweft {

/// Adds to classes what one op after the other says.
class DimRules {
public:
  explicit DimRules(DimClasses &classes) : classes(classes) {}

  void visit(mlir::Operation *op);

private:
  // By op; each returns whether it knows the op.
  bool visitChunked(mlir::Operation *op);
  bool visitBody(mlir::Operation *op);
  bool visitSquares(mlir::Operation *op);
  bool visitDecayed(mlir::Operation *op);
  bool visitFenwick(mlir::Operation *op);
  bool visitTensor(mlir::Operation *op);
  bool visitOther(mlir::Operation *op);

  void visitKernel(weft::KernelOp op);
  void visitPlace(weft::PlaceOp op);
  void visitLoop(weft::ChunkedOp op);
  void visitCarry(weft::ChunkedOp op, unsigned carry);
  void visitElement(weft::ElementOpInterface op);
  void visitDimwise(weft::DimwiseOpInterface op);
  void visitAlgebra(weft::AlgebraOpInterface op);
  void visitBranches(mlir::Operation *op);
  /// A part of `whole` by offsets, sizes and strides, without dropped dims.
  void visitPart(mlir::OffsetSizeAndStrideOpInterface op, mlir::Value whole,
                 mlir::Value part, const llvm::SmallBitVector &dropped);
  void visitReshape(mlir::Operation *op, mlir::Value expanded,
                    mlir::Value collapsed,
                    llvm::ArrayRef<llvm::SmallVector<int64_t, 2>> groups);
  void visitNames(mlir::Operation *op);

  // Statements.
  DimClasses::Class dim(mlir::Value value, unsigned dim);
  void same(mlir::Value first, unsigned firstDim, mlir::Value second,
            unsigned secondDim);
  /// Dims of two values from `start` on, where both are tensors of one rank.
  void sameDims(mlir::Value first, mlir::Value second, unsigned start = 0);
  void sameDims(mlir::ValueRange first, mlir::ValueRange second);
  void bind(mlir::Value value, unsigned dim);
  void bindAll(mlir::Value value);
  void fix(mlir::Value value, unsigned dim, mlir::Operation *by);
  void fixAll(mlir::Value value, mlir::Operation *by);

  DimClasses &classes;
};

} // namespace scanweft

#endif // SCANWEFT_LIB_ANALYSIS_DIMRULES_H
