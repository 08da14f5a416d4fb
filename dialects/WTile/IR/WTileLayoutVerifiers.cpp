// Part of Scanweft, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

//===----------------------------------------------------------------------===//
// One question serves most ops: does a thread hold, in registers known at
// compile time, what another layout of the same tile gives it? An operand is
// asked for the layout in which the op reads it, which follows from the
// result's.
//===----------------------------------------------------------------------===//

#include "dialects/WTile/IR/WTile.h"
#include "dialects/WTile/IR/WTileVerifiers.h"
#include "scanweft/Layout/Layouts.h"
#include "scanweft/Layout/Relayout.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace scanweft;
using namespace scanweft::wtile;

/// Null where they are layouts of different tiles or blocks.
static std::optional<RelayoutKind> getKind(const LinearLayout &from,
                                           const LinearLayout &to) {
  if (from.getShape() != to.getShape() ||
      from.getNumWarps() != to.getNumWarps())
    return std::nullopt;
  return planRelayout(from, to).kind;
}

/// Whether each thread holds in `from` what it holds in `to`.
static bool isRenaming(const LinearLayout &from, const LinearLayout &to) {
  auto kind = getKind(from, to);
  return kind == RelayoutKind::Identity || kind == RelayoutKind::Rename;
}

/// The layout as one of a tile of another shape, whose bits along `dim` from
/// `size` on count as zero.
static LinearLayout recast(const LinearLayout &layout, ArrayRef<int64_t> shape,
                           unsigned dim, int64_t size) {
  std::array<Bases, 3> bases;
  for (LayoutInput input : layoutInputs)
    for (Coordinates basis : layout.getBases(input)) {
      if (dim < basis.size())
        basis[dim] &= static_cast<int32_t>(size - 1);
      bases[static_cast<unsigned>(input)].push_back(basis);
    }
  return LinearLayout(shape, bases[0], bases[1], bases[2],
                      layout.getNumRegisters());
}

/// Whether no bit of the input steps along `dim` by `from` or more.
static bool staysBelow(const LinearLayout &layout, LayoutInput input,
                       unsigned dim, int64_t from) {
  return llvm::all_of(layout.getBases(input), [&](const Coordinates &basis) {
    return basis[dim] < from;
  });
}

//===----------------------------------------------------------------------===//
// Ops
//===----------------------------------------------------------------------===//

static bool fits(BroadcastOp op) {
  auto dims = llvm::map_to_vector(
      op.getDims(), [](int64_t dim) { return static_cast<unsigned>(dim); });
  return isRenaming(*getLayout(op.getSource()),
                    getLayout(op.getResult())->keepDims(dims));
}

static bool fits(TransposeOp op) {
  return isRenaming(*getLayout(op.getSource()),
                    getLayout(op.getResult())->permuteDims({1, 0}));
}

static bool fits(ExtractOp op) {
  const LinearLayout &whole = *getLayout(op.getSource());
  const LinearLayout &block = *getLayout(op.getResult());
  Coordinates offsets =
      llvm::map_to_vector<3>(op.getOffsets(), [](int64_t offset) {
        return static_cast<int32_t>(offset);
      });
  if (!isRenaming(whole, recast(block, whole.getShape(), -1u, 0)))
    return false;
  for (unsigned reg = 0; reg < block.getNumRegisters(); ++reg) {
    Coordinates at = block.at(reg);
    for (auto [coordinate, offset] : llvm::zip_equal(at, offsets))
      coordinate += offset;
    if (!whole.findRegister(at))
      return false;
  }
  return true;
}

/// Blocks lie in registers alone.
static bool fits(ConcatOp op) {
  const LinearLayout &whole = *getLayout(op.getResult());
  const LinearLayout &block = *getLayout(op.getSources()[0]);
  unsigned dim = op.getDim();
  int64_t size = block.getShape()[dim];
  return llvm::isPowerOf2_64(size) &&
         staysBelow(whole, LayoutInput::Lane, dim, size) &&
         staysBelow(whole, LayoutInput::Warp, dim, size) &&
         isRenaming(block, recast(whole, block.getShape(), dim, size));
}

static bool haveOneLayout(ValueRange tiles) {
  return llvm::all_of(tiles, [&](Value tile) {
    return *getLayout(tile) == *getLayout(tiles[0]);
  });
}

/// Whether the stretches of a reduced dim are those of warps: part p of a
/// result stands in the warps that hold stretch p of the source.
static bool arePartsOfWarps(const LinearLayout &layout, unsigned dim,
                            int64_t parts, const LinearLayout &result) {
  int64_t stretch = layout.getShape()[dim] / parts;
  const Bases &warps = result.getBases(LayoutInput::Warp);
  int64_t partsOfWarps = 1;
  for (auto [bit, basis] :
       llvm::enumerate(layout.getBases(LayoutInput::Warp))) {
    if (bit >= warps.size() || basis[dim] != warps[bit][0] * stretch)
      return false;
    if (basis[dim])
      partsOfWarps *= 2;
  }
  return partsOfWarps == parts &&
         staysBelow(layout, LayoutInput::Register, dim, stretch) &&
         staysBelow(layout, LayoutInput::Lane, dim, stretch) &&
         staysBelow(result, LayoutInput::Register, 0, 1) &&
         staysBelow(result, LayoutInput::Lane, 0, 1);
}

/// Whether registers come in pairs along the dim: none is cut off.
static bool isPairedAlong(const LinearLayout &layout, unsigned dim) {
  for (auto [bit, basis] :
       llvm::enumerate(layout.getBases(LayoutInput::Register)))
    for (unsigned reg = 0; basis[dim] && reg < layout.getNumRegisters(); ++reg)
      if ((reg | 1u << bit) >= layout.getNumRegisters())
        return false;
  return true;
}

/// What a reduction leaves of its operand's layout.
static bool fits(ReduceOp op) {
  if (!haveOneLayout(op.getSources()) || !haveOneLayout(op.getResults()))
    return false;
  const LinearLayout &layout = *getLayout(op.getSources()[0]);
  LinearLayout result = *getLayout(op.getResults()[0]);
  unsigned dim = op.getDim();
  if (std::optional<int64_t> parts = op.getParts()) {
    if (!arePartsOfWarps(layout, dim, *parts, result))
      return false;
    result = result.dropDim(0);
  } else if (!staysBelow(layout, LayoutInput::Warp, dim, 1)) {
    return false;
  }
  LinearLayout left = layout.dropDim(dim);
  return isPairedAlong(layout, dim) && isRenaming(result, left) &&
         isRenaming(left, result) &&
         result.getReplicationMask(LayoutInput::Register) == 0;
}

/// Along the dim, time runs over the low lanes, then over registers.
static bool fits(ScanOp op) {
  const LinearLayout &layout = *getLayout(op.getSources()[0]);
  unsigned dim = op.getDim();
  int32_t numLanes = 1;
  for (auto [bit, basis] :
       llvm::enumerate(layout.getBases(LayoutInput::Lane))) {
    if (!basis[dim])
      continue;
    bool isNext =
        basis[dim] == numLanes && 1 << bit == numLanes &&
        llvm::count(basis, 0) + 1 == static_cast<int64_t>(basis.size());
    if (!isNext)
      return false;
    numLanes *= 2;
  }
  return staysBelow(layout, LayoutInput::Warp, dim, 1) &&
         llvm::all_of(layout.getBases(LayoutInput::Register),
                      [&](const Coordinates &basis) {
                        return basis[dim] % numLanes == 0;
                      }) &&
         haveOneLayout(op.getSources());
}

/// The fragments of the matrix unit, of the result's number of warps.
static bool fits(MmaOp op) {
  const LinearLayout &sums = *getLayout(op.getResult());
  ArrayRef<int64_t> lhs = getShape(op.getLhs().getType());
  ArrayRef<int64_t> rhs = getShape(op.getRhs().getType());
  int64_t rows = sums.getShape()[0], columns = sums.getShape()[1];
  int64_t depth = lhs[op.getLhsDim()];
  unsigned step = getElementType(op.getRhs().getType()).isF32() ? 8 : 16;
  if (!llvm::isPowerOf2_64(rows) || rows % 16 != 0 || columns % 8 != 0 ||
      !llvm::isPowerOf2_64(depth) || depth % step != 0)
    return false;
  WarpGrid grid = splitWarps(sums.getNumWarps(), rows, columns);
  const LinearLayout *first = getLayout(op.getLhs());
  const LinearLayout *second = getLayout(op.getRhs());
  return sums == makeAccumulatorLayout({rows, columns}, grid) &&
         (!first ||
          isRenaming(*first, makeOperandALayout(lhs, op.getLhsDim(), grid))) &&
         (!second || isRenaming(*second, makeOperandBLayout(rhs, op.getRhsDim(),
                                                            grid, step)));
}

static bool fits(TakeOp op) {
  return isa<SharedType>(op.getSource().getType()) &&
         isRenaming(*getLayout(op.getColumns()), *getLayout(op.getResult())) &&
         getLayout(op.getColumns())->getNumRegisters() ==
             getLayout(op.getResult())->getNumRegisters();
}

static bool fits(ScatterOp op) {
  return isRenaming(*getLayout(op.getRows()),
                    getLayout(op.getTile())->keepDims({0}));
}

static bool fits(RelayoutOp op) {
  auto kind = getKind(*getLayout(op.getSource()), *getLayout(op.getResult()));
  return kind && kind != RelayoutKind::Shared;
}

//===----------------------------------------------------------------------===//
// All of them
//===----------------------------------------------------------------------===//

LogicalResult wtile::verifyLayouts(Operation *op) {
  bool some = false, all = true;
  auto look = [&](TypeRange types) {
    for (Type type : types)
      if (isa<RankedTensorType>(type)) {
        some |= getLayout(type) != nullptr;
        all &= getLayout(type) != nullptr;
      }
  };
  look(op->getOperandTypes());
  look(op->getResultTypes());
  if (!some)
    return success();
  if (!all)
    return op->emitOpError() << "has tiles with layouts and tiles without: all "
                                "of an op's tiles have layouts, or none";
  bool doFit =
      TypeSwitch<Operation *, bool>(op)
          .Case<BroadcastOp, TransposeOp, ExtractOp, ConcatOp, ReduceOp, ScanOp,
                MmaOp, TakeOp, ScatterOp, RelayoutOp>(
              [](auto op) { return fits(op); })
          .Default([](Operation *) { return true; });
  if (doFit)
    return success();
  return op->emitOpError() << "has layouts that do not fit each other: a "
                              "thread makes its part of the result from its "
                              "own part of the operands";
}
