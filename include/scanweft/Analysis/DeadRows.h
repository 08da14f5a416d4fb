// Part of Scanweft, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

//===----------------------------------------------------------------------===//
// What the values of a chunk's body hold on the chunk's dead rows.
//
// A ragged chunk has rows outside of [lo, hi). Slices are zero there; what a
// body makes of them is known op by op, along every dim that runs over the rows
// (a C x C tile has two, each with a fact of its own):
//
//   %p = weft.softmax %k over 1          finite: softmax of zeros is not zero
//   %e = math.exp %k                     1
//   %f = weft.keep_live %p ... else 0.0  0
//   %s = weft.dot %f, %v over [0, 0]     asks for 0 against finite: holds
//
// An op that sums over the rows, or an element, has needs; where the facts do
// not meet them, dead rows would reach live ones or the state. Values at live
// rows, states and values from outside of the loop are taken to be finite, and
// arithmetic not to overflow.
//===----------------------------------------------------------------------===//

#ifndef SCANWEFT_ANALYSIS_DEADROWS_H
#define SCANWEFT_ANALYSIS_DEADROWS_H

#include "scanweft/Analysis/DimClasses.h"

namespace scanweft {

/// A property of all entries on dead rows along one dim.
class RowFact {
public:
  enum class Kind {
    Unknown,
    BelowInfinity, ///< finite or -inf
    Finite,
    NonNegative, ///< finite, >= 0
    Positive,    ///< finite, > 0
    Constant,    ///< one number, held as an attribute of the element type
    Diagonal     ///< zero but for a positive diagonal
  };

  RowFact() = default;
  /*implicit*/ RowFact(Kind kind) : kind(kind) {}
  static RowFact constant(mlir::Attribute number);

  Kind getKind() const { return kind; }
  /// The number of a constant, else null.
  mlir::Attribute getNumber() const { return number; }

  bool isZero() const;
  bool isMinusInfinity() const;
  bool isBelowInfinity() const;
  bool isFinite() const;
  bool isNonNegative() const;
  bool isPositive() const;
  /// Zero but for the diagonal, if anything.
  bool isDiagonal() const { return kind == Kind::Diagonal || isZero(); }

  bool operator==(const RowFact &other) const {
    return kind == other.kind && number == other.number;
  }

  /// What holds of entries of which some have this fact and some the other.
  RowFact join(const RowFact &other) const;

private:
  Kind kind = Kind::Unknown;
  mlir::Attribute number;
};

/// "anything", "finite", "0", "-inf", ...
std::string describe(const RowFact &fact);

/// A set of rows on which the facts do not meet an op's needs.
struct DeadRowViolation {
  mlir::Operation *op;
  /// The op's needs: all of one alternative would do.
  weft::DeadRowAlternatives needs;
};

class DeadRows {
public:
  DeadRows(weft::ChunkedOp loop, const DimClasses &classes);

  /// Whether a dim runs over the rows of the loop's chunks.
  bool isRowDim(mlir::Value value, unsigned dim) const;
  /// The fact along a dim over the rows.
  RowFact getFact(mlir::Value value, unsigned dim) const;
  /// Whether entries are finite wherever they stand.
  bool isFinite(mlir::Value value) const;
  /// Whether an op's live range is that of the chunk.
  bool isLiveRange(mlir::Value from, mlir::Value to) const;

  llvm::ArrayRef<DeadRowViolation> getViolations() const { return violations; }

private:
  void visit(mlir::Operation *op);
  void verifyNeeds(mlir::Operation *op);
  bool holds(mlir::Operation *op, const weft::DeadRowNeed &need) const;

  weft::ChunkedOp loop;
  const DimClasses &classes;
  std::optional<DimClasses::Class> rows;
  llvm::DenseMap<std::pair<mlir::Value, unsigned>, RowFact> facts;
  llvm::SmallVector<DeadRowViolation> violations;
};

/// What an op needs of its operands' dead rows, for each set of rows that meet
/// in it, whether or not they are rows of a chunk.
llvm::SmallVector<weft::DeadRowAlternatives>
getDeadRowNeeds(mlir::Operation *op, const DeadRows &facts);

} // namespace scanweft

#endif // SCANWEFT_ANALYSIS_DEADROWS_H
