// Part of Scanweft, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

//===----------------------------------------------------------------------===//
// Body ops as ops on tiles: the groups of patterns, and a builder that they
// share.
//===----------------------------------------------------------------------===//

#ifndef SCANWEFT_PASSES_TILE_EXPANDBODY_H
#define SCANWEFT_PASSES_TILE_EXPANDBODY_H

#include "dialects/WTile/IR/WTile.h"
#include "dialects/Weft/IR/Weft.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/PatternMatch.h"

namespace scanweft {

void populateExpandMaskPatterns(mlir::RewritePatternSet &patterns);
void populateExpandReductionPatterns(mlir::RewritePatternSet &patterns);
void populateExpandProductPatterns(mlir::RewritePatternSet &patterns);
/// Cholesky factors and triangular solves below `root`, as products of blocks.
mlir::LogicalResult expandTriangles(mlir::Operation *root);

/// Emits ops on tiles at the insertion point.
class TileBuilder {
public:
  TileBuilder(mlir::OpBuilder &builder, mlir::Location loc)
      : builder(builder), loc(loc) {}

  static mlir::RankedTensorType getType(mlir::Value value) {
    return mlir::cast<mlir::RankedTensorType>(value.getType());
  }
  mlir::RankedTensorType f32(llvm::ArrayRef<int64_t> shape) {
    return mlir::RankedTensorType::get(shape, builder.getF32Type());
  }

  /// `value`, a number, in every element.
  mlir::Value splat(mlir::RankedTensorType type, double value);
  mlir::Value splatInteger(mlir::RankedTensorType type, int64_t value);
  /// An index of the program, as i32, in every element.
  mlir::Value splatIndex(mlir::RankedTensorType type, mlir::Value index);
  /// Each element's coordinate along a dim, i32.
  mlir::Value coordinate(llvm::ArrayRef<int64_t> shape, int64_t dim);
  mlir::Value compare(mlir::arith::CmpIPredicate predicate, mlir::Value lhs,
                      mlir::Value rhs);
  mlir::Value select(mlir::Value condition, mlir::Value yes, mlir::Value no);
  mlir::Value broadcast(mlir::Value source, llvm::ArrayRef<int64_t> shape,
                        llvm::ArrayRef<int64_t> dims);
  /// A value without `dim`, repeated along it.
  mlir::Value broadcastAlong(mlir::Value source, llvm::ArrayRef<int64_t> shape,
                             int64_t dim);
  /// In another float type; the value itself where it is of the type.
  mlir::Value convert(mlir::Value value, mlir::Type elementType);
  mlir::Value sum(mlir::Value source, int64_t dim);
  mlir::Value max(mlir::Value source, int64_t dim);
  /// accumulator (zero where null) + or - lhs rhs.
  mlir::Value mma(mlir::Value lhs, mlir::Value rhs, mlir::Value accumulator,
                  int64_t lhsDim, int64_t rhsDim, bool subtract = false);
  /// The halves of a factor in the matrix unit's type, the high one first. What
  /// the type holds exactly has no low half; `second` is the right factor.
  llvm::SmallVector<mlir::Value>
  splitFactor(mlir::Value factor, weft::Precision precision, bool second);
  /// accumulator + or - the product of two factors in halves.
  mlir::Value accumulate(mlir::ValueRange lhs, mlir::ValueRange rhs,
                         mlir::Value accumulator, int64_t lhsDim,
                         int64_t rhsDim, bool subtract = false);
  /// The product with its factors prepared as the numerics say.
  mlir::Value product(mlir::Value lhs, mlir::Value rhs, mlir::Value accumulator,
                      int64_t lhsDim, int64_t rhsDim, weft::Precision precision,
                      bool subtract = false);
  mlir::Value extract(mlir::Value source, llvm::ArrayRef<int64_t> shape,
                      llvm::ArrayRef<int64_t> offsets);
  mlir::Value concat(mlir::ValueRange sources, int64_t dim);
  mlir::Value transpose(mlir::Value source);

  template <typename OpTy>
  mlir::Value create(mlir::Value lhs, mlir::Value rhs) {
    return OpTy::create(builder, loc, lhs, rhs);
  }

  mlir::OpBuilder &builder;
  mlir::Location loc;

private:
  mlir::Value
  reduce(mlir::Value source, int64_t dim,
         llvm::function_ref<mlir::Value(mlir::Value, mlir::Value)> combine);
};

} // namespace scanweft

#endif // SCANWEFT_PASSES_TILE_EXPANDBODY_H
