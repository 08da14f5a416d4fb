// Part of Scanweft, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

//===----------------------------------------------------------------------===//
// Which dim of which tensor is batch, time or head at the algebra stage.
//
// Ops with AlgebraOpInterface say it of their operands and results; dim-wise
// and elementwise ops carry it along. Dims that must have one size form a
// class, found by unification over the ops of a block and of the groups in it.
// Head counts need not agree: an operand's heads may divide the results', and
// that relation between classes is kept too.
//===----------------------------------------------------------------------===//

#ifndef SCANWEFT_ANALYSIS_ALGEBRAAXES_H
#define SCANWEFT_ANALYSIS_ALGEBRAAXES_H

#include "dialects/Weft/IR/Weft.h"
#include "llvm/ADT/DenseMap.h"
#include <string>

namespace scanweft {

class AlgebraAxes {
public:
  /// A class of dims of one size; classes compare by number.
  using Class = unsigned;

  explicit AlgebraAxes(mlir::Block &block);

  /// Batch, Time, Head, or Feature where nothing says more.
  weft::Axis getAxis(mlir::Value value, unsigned dim) const;

  /// The dim of `value` along an axis.
  std::optional<unsigned> findDim(mlir::Value value, weft::Axis axis) const;
  std::optional<Class> findClass(mlir::Value value, weft::Axis axis) const;
  std::optional<Class> getClass(mlir::Value value, unsigned dim) const;

  /// The class of a dim that some op of the block speaks of.
  Class getKnownClass(mlir::Value value, unsigned dim) const {
    return find(classes.at({value, dim}));
  }

  /// Whether a value differs from step to step in its shape.
  bool isToken(mlir::Value value) const {
    return findDim(value, weft::Axis::Time).has_value();
  }

  /// The size shared by a class, where it is static.
  std::optional<int64_t> getSize(Class dims) const;

  /// Whether `few` heads are known to divide `many`.
  bool headsDivide(Class few, Class many) const;

  /// Why a tensor has no one place on [B, T, H, features...], or nothing.
  std::optional<std::string> whyIrregular(mlir::Value value) const;

private:
  struct Node {
    Class parent;
    weft::Axis axis = weft::Axis::Feature;
    bool isKeyOrValue = false; ///< an op says that this is a feature
    bool isConflicting = false;
    int64_t size = mlir::ShapedType::kDynamic;
  };

  void visitBlock(mlir::Block &block);
  void visit(mlir::Operation &op);
  void visitAlgebra(weft::AlgebraOpInterface op);
  void visitDimwise(weft::DimwiseOpInterface op);
  void visitElementwise(mlir::Operation &op);
  void visitReshape(mlir::Value expanded, mlir::Value collapsed,
                    llvm::ArrayRef<llvm::SmallVector<int64_t, 2>> groups);
  void mergeStaticSizes();

  Class makeClass(mlir::Value value, unsigned dim);
  Class find(Class dims) const;
  void unify(Class first, Class second);
  void unifyDims(mlir::Value first, mlir::Value second);
  void label(Class dims, weft::Axis axis);

  llvm::DenseMap<std::pair<mlir::Value, unsigned>, Class> classes;
  llvm::SmallVector<Node> nodes;
  llvm::SmallVector<std::pair<Class, Class>> divisions;
};

} // namespace scanweft

#endif // SCANWEFT_ANALYSIS_ALGEBRAAXES_H
