// Part of Scanweft, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

//===----------------------------------------------------------------------===//
// Which dims must have one size.
//
// Every dim of every ranked tensor below an op is a member of a class; classes
// are merged wherever an op makes two dims agree (the operands of an
// elementwise op, the contracted dims of a product, a slice that spans its
// source, a state and the parts of its elements, ...). So the rows of a loop's
// chunks, each feature dim, the slots of a stack and the levels that read it
// come out as classes of their own even where their sizes are equal by chance.
//
// Three more things are kept of a class. An op that knows its size as a number
// *fixes* it (part of a dim, a constant with distinct entries, an op that the
// analysis does not know). An op that contracts, reduces, normalises or scans
// along it *binds* it: a feature that nothing binds is free, and may be split
// over programs. A *relation* says how the size of one class follows from
// others': parts of a concatenation, factors of a collapsed dim, slots of a
// stack for levels and rows.
//
//   #0 64 rows       of a loop's chunks
//   #1 128 feature   named K by a function's argument
//   #2 7 slots       = levels - log2 rows, up to a constant
//===----------------------------------------------------------------------===//

#ifndef SCANWEFT_ANALYSIS_DIMCLASSES_H
#define SCANWEFT_ANALYSIS_DIMCLASSES_H

#include "dialects/Weft/IR/Weft.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/MapVector.h"

namespace scanweft {

/// Names of the dims of a function's argument or result: an array of strings.
inline constexpr llvm::StringLiteral kDimNames("weft.dims");

class DimClasses {
public:
  /// Classes compare by number: that of their first member in program order.
  using Class = unsigned;
  using Dim = std::pair<mlir::Value, unsigned>;

  enum class Role { Rows, Slots, Levels, Feature, Dynamic };

  /// whole = sum of parts; whole = product of parts; or, of a stack, whole
  /// (slots) - parts[0] (levels) + log2 parts[1] (rows) = constant.
  struct Relation {
    enum class Kind { Sum, Product, Slots };
    Kind kind;
    mlir::Operation *op;
    Class whole;
    llvm::SmallVector<Class> parts;
  };

  explicit DimClasses(mlir::Operation *root);

  /// The class of a dim of a tensor below the root, or none.
  std::optional<Class> getClass(mlir::Value value, unsigned dim) const;
  /// The number by which the class of `dims` is known.
  Class getClass(Class dims) const { return find(dims); }
  /// The class of the rows of a loop's chunks; none where it has no slices and
  /// no outputs.
  std::optional<Class> getRows(weft::ChunkedOp loop) const;

  /// All classes, in program order.
  llvm::SmallVector<Class> getClasses() const;
  llvm::ArrayRef<Dim> getMembers(Class dims) const;
  int64_t getSize(Class dims) const { return nodes[find(dims)].size; }
  Role getRole(Class dims) const;
  /// Whether nothing contracts, reduces, normalises or scans along a feature.
  bool isFree(Class dims) const;
  /// The op that knows the size as a number, or null.
  mlir::Operation *getFixingOp(Class dims) const {
    return nodes[find(dims)].fixedBy;
  }
  llvm::ArrayRef<mlir::StringAttr> getNames(Class dims) const {
    return nodes[find(dims)].names;
  }
  llvm::ArrayRef<Relation> getRelations() const { return relations; }

private:
  friend class DimRules;

  struct Node {
    Class parent;
    int64_t size = mlir::ShapedType::kDynamic;
    bool isRows = false, isSlots = false, isLevels = false, isBound = false;
    mlir::Operation *fixedBy = nullptr;
    llvm::SmallVector<mlir::StringAttr> names;
    llvm::SmallVector<Dim> members;
  };

  void addValue(mlir::Value value);
  Class find(Class dims) const;
  void unify(Class first, Class second);

  /// Number of the node of a value's dim 0; its other dims follow.
  llvm::DenseMap<mlir::Value, Class> firstDims;
  llvm::SmallVector<Node> nodes;
  llvm::SmallVector<Relation> relations;
  llvm::DenseMap<mlir::Operation *, Class> rows;
};

/// "rows", "slots", "levels", "feature" or "dynamic".
llvm::StringRef stringifyRole(DimClasses::Role role);

} // namespace scanweft

#endif // SCANWEFT_ANALYSIS_DIMCLASSES_H
