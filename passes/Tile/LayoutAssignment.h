// Part of Scanweft, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

//===----------------------------------------------------------------------===//
// Which layout each tile of a kernel gets. In three steps:
//
//   anchors   what an op itself demands of its result: a product an
//             accumulator, a scan its dim in one thread or along the lanes
//   wishes    backwards: in which layout a user would like to find a value,
//   with
//             the price of a refusal
//   choice    forwards: the anchor, else of the operands' layouts and the
//   users'
//             wishes the one whose moves cost least; a reduction leaves its
//             operand's layout without the dim
//
// Some values have no layout of their own and take any: constants, coordinates
// and comparisons of them, broadcasts (renamings of registers), and what lies
// in shared or global memory, where any layout reads it.
//===----------------------------------------------------------------------===//

#ifndef SCANWEFT_PASSES_TILE_LAYOUTASSIGNMENT_H
#define SCANWEFT_PASSES_TILE_LAYOUTASSIGNMENT_H

#include "dialects/WTile/IR/WTile.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "passes/Tile/MatrixFragments.h"
#include "llvm/ADT/MapVector.h"

namespace scanweft {

/// Where a tile is found.
enum class TileHome {
  Registers,
  Anywhere, ///< made again in any layout
  Shared,   ///< rows of global memory, results of ops that write shared memory
  Global    ///< a tile of global memory that is read once a program
};

/// Whether `op` maps tiles element by element.
bool isElementwise(mlir::Operation *op);
bool isTile(mlir::Value value);
/// Where a tile is found; a conversion of rows in memory is found there too.
TileHome getHome(mlir::Value value);

/// The layout that a broadcast into `layout` wants of its operand, which covers
/// the dims `dims` of the result.
LinearLayout dropToDims(const LinearLayout &layout,
                        llvm::ArrayRef<int64_t> dims);
/// The layout of a block of a tile held in `layout`; none where the blocks of
/// that shape do not lie in registers alone.
std::optional<LinearLayout> getBlockLayout(const LinearLayout &layout,
                                           llvm::ArrayRef<int64_t> shape);
/// The layout of a tile whose blocks, `count` along `dim`, are held in
/// `layout`.
LinearLayout getWholeLayout(const LinearLayout &layout, unsigned dim,
                            unsigned count);

class LayoutAssignment {
public:
  LayoutAssignment(wtile::KernelOp kernel, unsigned numWarps)
      : kernel(kernel), numWarps(numWarps) {}

  void run();

  /// The layout of a value that has one.
  const LinearLayout &get(mlir::Value value) const {
    return layouts.find(value)->second;
  }
  bool has(mlir::Value value) const { return layouts.count(value); }
  /// What the value would get, from what is known so far.
  LinearLayout estimate(mlir::Value value);

  unsigned getNumWarps() const { return numWarps; }
  /// What the result of a scan, and its operand, want.
  LinearLayout getScanLayout(llvm::ArrayRef<int64_t> shape, unsigned dim) const;

private:
  using Wishes = llvm::MapVector<mlir::Attribute, int64_t>;

  void wish(mlir::Value value, const LinearLayout &layout, int64_t weight);
  void wishOfUser(mlir::Operation *op);
  void wishOfLoop(mlir::scf::ForOp loop);
  void wishBelow(mlir::Block &block);
  void assignBelow(mlir::Block &block);
  void assign(mlir::Value value, const LinearLayout &layout);
  void assignLoop(mlir::scf::ForOp loop);
  void assignResults(mlir::Operation *op);
  std::optional<LinearLayout> getAnchor(mlir::Value value) const;
  std::optional<LinearLayout> getNatural(mlir::Value value);
  LinearLayout getDefault(mlir::Value value) const;
  LinearLayout getCarryLayout(mlir::scf::ForOp loop, unsigned index);
  LinearLayout choose(mlir::Operation *op, mlir::Value result);
  std::optional<LinearLayout> getHeaviestWish(mlir::Value value) const;
  int64_t getPrice(mlir::Operation *op, mlir::Value result,
                   const LinearLayout &layout);

  wtile::KernelOp kernel;
  unsigned numWarps;
  llvm::DenseMap<mlir::Value, LinearLayout> layouts;
  llvm::DenseMap<mlir::Value, Wishes> wishes;
};

} // namespace scanweft

#endif // SCANWEFT_PASSES_TILE_LAYOUTASSIGNMENT_H
