// Part of Scanweft, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

//===----------------------------------------------------------------------===//
// What the lowering of body ops shares: loops over entries as linalg.generic,
// rounding of a product's operands, and the pattern sets of the families.
//===----------------------------------------------------------------------===//

#ifndef SCANWEFT_PASSES_CPU_LOWERBODY_H
#define SCANWEFT_PASSES_CPU_LOWERBODY_H

#include "dialects/Weft/IR/Weft.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/IR/PatternMatch.h"

namespace scanweft {

class StatisticsCalls;

/// Emits loops over the entries of tensors at one place.
class EntryLoops {
public:
  using Body = llvm::function_ref<mlir::Value(
      mlir::OpBuilder &builder, mlir::Location loc, mlir::ValueRange entries)>;

  EntryLoops(mlir::OpBuilder &builder, mlir::Location loc)
      : builder(builder), loc(loc) {}

  /// An operand of a loop: dim i of the tensor runs along loop dim `dims[i]`.
  struct Operand {
    mlir::Value tensor;
    llvm::SmallVector<int64_t> dims;
  };

  /// result[i...] = body(entries of the operands): one loop dim per result
  /// dim, in order. Sizes of dynamic dims come from `sizes`.
  mlir::Value map(mlir::RankedTensorType type,
                  llvm::ArrayRef<mlir::OpFoldResult> sizes,
                  llvm::ArrayRef<Operand> operands, Body body);

  /// Starting from `init`, whose dims are the first loop dims, folds over the
  /// further `numReduced` loop dims: body(operands' entries..., accumulator).
  /// The loops of these stand innermost, or where `firstReduced` puts them
  /// (then `linalg.index` counts by loops).
  mlir::Value fold(mlir::Value init, unsigned numReduced,
                   llvm::ArrayRef<Operand> operands, Body body,
                   std::optional<unsigned> firstReduced = std::nullopt);

  /// Folds over a dim that both operands have: into `init`, whose dims are the
  /// other ones of lhs, then of rhs, with body(lhs, rhs, accumulator).
  mlir::Value contract(mlir::Value init, mlir::Value lhs, mlir::Value rhs,
                       int64_t lhsDim, int64_t rhsDim, Body body);

  /// Contracts a dim of each operand, as `weft.dot` does.
  mlir::Value dot(mlir::Value lhs, mlir::Value rhs, int64_t lhsDim,
                  int64_t rhsDim, weft::NumericsAttr numerics);

  mlir::Value empty(mlir::RankedTensorType type,
                    llvm::ArrayRef<mlir::OpFoldResult> sizes);
  mlir::Value filled(mlir::RankedTensorType type,
                     llvm::ArrayRef<mlir::OpFoldResult> sizes, double value);
  mlir::Value filled(mlir::RankedTensorType type,
                     llvm::ArrayRef<mlir::OpFoldResult> sizes,
                     mlir::Value value);
  mlir::Value index(int64_t value);
  /// The sizes of a tensor's dims, constants where they are static.
  llvm::SmallVector<mlir::OpFoldResult> sizesOf(mlir::Value tensor);
  mlir::Value sizeOf(mlir::Value tensor, int64_t dim);
  /// Loop dims [first, first + count).
  static llvm::SmallVector<int64_t> dimsFrom(int64_t first, int64_t count) {
    return llvm::to_vector(llvm::seq(first, first + count));
  }

  mlir::OpBuilder &builder;
  mlir::Location loc;
};

/// Whether a type is known to have no entries.
bool isEmpty(mlir::Type type);

/// A number of a float type.
mlir::Value createFloat(mlir::OpBuilder &builder, mlir::Location loc,
                        mlir::Type type, double value);

/// A scalar as another float type; exact where that is wider.
mlir::Value castFloat(mlir::OpBuilder &builder, mlir::Location loc,
                      mlir::Value scalar, mlir::Type type);

/// A scalar as a product's first operand, in the accumulator's type: rounded as
/// `numerics` says, its halves put together again.
mlir::Value createRounded(mlir::OpBuilder &builder, mlir::Location loc,
                          mlir::Value x, weft::NumericsAttr numerics);

/// The product of two scalars in the accumulator's type, operands rounded as
/// `numerics` says.
mlir::Value createProduct(mlir::OpBuilder &builder, mlir::Location loc,
                          mlir::Value lhs, mlir::Value rhs,
                          weft::NumericsAttr numerics);

/// A running combination along one dim of `sources`.
struct RunningScan {
  mlir::ValueRange sources;
  int64_t dim;
  bool exclusive;
  bool reverse;
};

/// Combines accumulators and a step's slices into new accumulators.
using ScanStep = llvm::function_ref<llvm::SmallVector<mlir::Value>(
    EntryLoops &loops, mlir::Value step, mlir::ValueRange slices,
    mlir::ValueRange accumulators)>;

/// Emits the loop; returns the running combinations, then the totals.
llvm::SmallVector<mlir::Value> createRunningScan(EntryLoops &loops,
                                                 const RunningScan &scan,
                                                 mlir::ValueRange inits,
                                                 ScanStep combine);

/// What a block of scalar ops hands to its terminator, for these arguments.
llvm::SmallVector<mlir::Value> inlineScalars(mlir::OpBuilder &builder,
                                             mlir::Block &block,
                                             mlir::ValueRange arguments);

/// Sums of products, and products that decay.
void populateLowerProductPatterns(mlir::RewritePatternSet &patterns);
/// Reductions, running sums and running combinations.
void populateLowerScanPatterns(mlir::RewritePatternSet &patterns);
/// Triangular systems and factorisations.
void populateLowerSolvePatterns(mlir::RewritePatternSet &patterns,
                                StatisticsCalls &statistics);
/// Ops whose every result entry is a function of few entries.
void populateLowerEntryPatterns(mlir::RewritePatternSet &patterns);
/// Gathers, concatenations and stacks of states.
void populateLowerSlicePatterns(mlir::RewritePatternSet &patterns);

} // namespace scanweft

#endif // SCANWEFT_PASSES_CPU_LOWERBODY_H
