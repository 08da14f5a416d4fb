// Part of Scanweft, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

//===----------------------------------------------------------------------===//
// Construction of layouts: the bits of every dim are dealt to registers, lanes
// and warps.
//===----------------------------------------------------------------------===//

#include "scanweft/Layout/Layouts.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Sequence.h"
#include "llvm/ADT/bit.h"
#include "llvm/Support/MathExtras.h"

using namespace llvm;
using namespace scanweft;

//===----------------------------------------------------------------------===//
// Pieces
//===----------------------------------------------------------------------===//

namespace {

/// Collects the bases of one input, lowest bit first.
class BasesBuilder {
public:
  explicit BasesBuilder(unsigned rank) : rank(rank) {}

  /// One bit per step along a dim.
  BasesBuilder &along(unsigned dim, ArrayRef<int64_t> steps) {
    for (int64_t step : steps) {
      bases.emplace_back(rank, 0);
      bases.back()[dim] = step;
    }
    return *this;
  }
  /// Bits for the steps from, 2 from, ... below `to`.
  BasesBuilder &range(unsigned dim, int64_t from, int64_t to) {
    for (int64_t step = from; step < to; step *= 2)
      along(dim, step);
    return *this;
  }
  /// Replicates until there are `numBits` bits.
  BasesBuilder &fill(unsigned numBits) {
    assert(bases.size() <= numBits && "more warps than the block has");
    while (bases.size() < numBits)
      bases.emplace_back(rank, 0);
    return *this;
  }
  Bases take() { return std::move(bases); }

private:
  unsigned rank;
  Bases bases;
};

} // namespace

static BasesBuilder build(unsigned rank = 2) { return BasesBuilder(rank); }

/// How many registers lie inside the tile. Those of a size that is no power of
/// two are the first ones, since its highest bits are the registers' highest.
static unsigned countRegistersInside(ArrayRef<int64_t> shape,
                                     const LinearLayout &whole) {
  if (all_of(shape, [](int64_t size) { return isPowerOf2_64(size); }))
    return whole.getNumRegisters();
  Coordinates ofThreads(shape.size(), 0);
  for (LayoutInput input : {LayoutInput::Lane, LayoutInput::Warp})
    for (const Coordinates &basis : whole.getBases(input))
      for (auto [all, step] : zip_equal(ofThreads, basis))
        all |= step;
  auto isInside = [&](unsigned reg) {
    return all_of(zip_equal(whole.at(reg), ofThreads, shape), [](auto part) {
      auto [coord, threads, size] = part;
      return (coord | threads) < size;
    });
  };
  unsigned count = 0;
  while (count < whole.getNumRegisters() && isInside(count))
    ++count;
  assert(count != 0 && none_of(seq(count, whole.getNumRegisters()), isInside) &&
         "a size that is no power of two does not end in the registers");
  return count;
}

static LinearLayout makeLayout(ArrayRef<int64_t> shape, BasesBuilder registers,
                               BasesBuilder lanes, BasesBuilder warps) {
  LinearLayout whole(shape, registers.take(), lanes.take(), warps.take());
  return LinearLayout(shape, whole.getBases(LayoutInput::Register),
                      whole.getBases(LayoutInput::Lane),
                      whole.getBases(LayoutInput::Warp),
                      countRegistersInside(shape, whole));
}

/// Turns a layout of (row, k) or (k, column) into that of the operand's tile.
static LinearLayout swapDimsIf(bool swap, const LinearLayout &layout) {
  return swap ? layout.permuteDims({1, 0}) : layout;
}

namespace {

/// How the column blocks of 8 go to warps and registers. Each warp has
/// consecutive ones where their number is a power of two; else registers must
/// have the highest bits.
struct ColumnSplit {
  ColumnSplit(int64_t numColumns, unsigned numWarps)
      : isConsecutive(isPowerOf2_64(numColumns)),
        warpStep(isConsecutive ? numColumns / numWarps : 8),
        warpEnd(warpStep * numWarps), registerStep(isConsecutive ? 8 : warpEnd),
        registerEnd(isConsecutive ? warpStep : numColumns) {}

  bool isConsecutive;
  int64_t warpStep, warpEnd;
  int64_t registerStep, registerEnd;
};

} // namespace

WarpGrid scanweft::splitWarps(unsigned numWarps, int64_t numRows,
                              int64_t numColumns) {
  // The power of two in a number of blocks: as many warps have equal shares.
  auto share = [](int64_t size, int64_t block, unsigned warps) -> unsigned {
    uint64_t blocks = std::max<int64_t>(1, size / block);
    return std::min<uint64_t>(warps, blocks & -blocks);
  };
  unsigned rows = share(numRows, 16, numWarps);
  // At least 16 columns a warp: what is narrower is the next product's first
  // factor only where one warp holds all of it.
  uint64_t most =
      llvm::bit_floor<uint64_t>(std::max<int64_t>(1, numColumns / 16));
  unsigned left = std::min<uint64_t>(numWarps / rows, most);
  return {rows, share(numColumns, 8, left), numWarps};
}

//===----------------------------------------------------------------------===//
// Fragments of matrix instructions
//===----------------------------------------------------------------------===//

LinearLayout scanweft::makeAccumulatorLayout(ArrayRef<int64_t> shape,
                                             WarpGrid grid) {
  int64_t numRows = shape[0], numColumns = shape[1],
          rowsOfWarps = 16 * grid.rows;
  assert(numRows % rowsOfWarps == 0 && numColumns % (8 * grid.columns) == 0 &&
         "warps have equal shares");
  ColumnSplit columns(numColumns, grid.columns);
  BasesBuilder registers = build().along(1, 1).along(0, 8);
  if (columns.isConsecutive)
    registers.range(1, columns.registerStep, columns.registerEnd)
        .range(0, rowsOfWarps, numRows);
  else
    registers.range(0, rowsOfWarps, numRows)
        .range(1, columns.registerStep, columns.registerEnd);
  return makeLayout(shape, registers, build().along(1, {2, 4}).range(0, 1, 8),
                    build()
                        .range(0, 16, rowsOfWarps)
                        .range(1, columns.warpStep, columns.warpEnd)
                        .fill(Log2_32(grid.count)));
}

LinearLayout scanweft::makeOperandALayout(ArrayRef<int64_t> shape,
                                          unsigned contracted, WarpGrid grid) {
  int64_t numRows = shape[1 - contracted], size = shape[contracted];
  int64_t rowsOfWarps = 16 * grid.rows;
  assert(numRows % rowsOfWarps == 0 && size % 8 == 0 &&
         "warps have equal shares");
  BasesBuilder registers = build().along(1, 1).along(0, 8);
  if (isPowerOf2_64(size))
    registers.range(1, 8, size).range(0, rowsOfWarps, numRows);
  else
    registers.range(0, rowsOfWarps, numRows).range(1, 8, size);
  LinearLayout layout = makeLayout(
      {numRows, size}, registers, build().along(1, {2, 4}).range(0, 1, 8),
      build().range(0, 16, rowsOfWarps).fill(Log2_32(grid.count)));
  return swapDimsIf(contracted == 0, layout);
}

LinearLayout scanweft::makeOperandBLayout(ArrayRef<int64_t> shape,
                                          unsigned contracted, WarpGrid grid,
                                          unsigned step) {
  int64_t numColumns = shape[1 - contracted], size = shape[contracted];
  assert(numColumns % (8 * grid.columns) == 0 && size % step == 0 &&
         "warps have equal shares");
  ColumnSplit columns(numColumns, grid.columns);
  BasesBuilder registers = build().along(0, 1).range(0, 8, step);
  if (columns.isConsecutive)
    registers.range(1, columns.registerStep, columns.registerEnd)
        .range(0, step, size);
  else
    registers.range(0, step, size)
        .range(1, columns.registerStep, columns.registerEnd);
  LinearLayout layout = makeLayout(
      {size, numColumns}, registers, build().along(0, {2, 4}).range(1, 1, 8),
      build()
          .fill(Log2_32(grid.rows))
          .range(1, columns.warpStep, columns.warpEnd)
          .fill(Log2_32(grid.count)));
  return swapDimsIf(contracted == 1, layout);
}

//===----------------------------------------------------------------------===//
// Access patterns
//===----------------------------------------------------------------------===//

/// Deals bases to lanes, then warps, then what is left to the registers, above
/// those that they have.
static LinearLayout dealToThreads(ArrayRef<int64_t> shape, Bases registers,
                                  Bases bits, unsigned numWarps) {
  unsigned numThreadBits = numLaneBits + Log2_32(numWarps);
  while (bits.size() < numThreadBits)
    bits.emplace_back(shape.size(), 0);
  ArrayRef<Coordinates> all = bits;
  append_range(registers, all.drop_front(numThreadBits));
  ArrayRef<Coordinates> ofThreads = all.take_front(numThreadBits);
  LinearLayout whole(shape, std::move(registers),
                     Bases(ofThreads.take_front(numLaneBits)),
                     Bases(ofThreads.drop_front(numLaneBits)));
  return LinearLayout(shape, whole.getBases(LayoutInput::Register),
                      whole.getBases(LayoutInput::Lane),
                      whole.getBases(LayoutInput::Warp),
                      countRegistersInside(shape, whole));
}

LinearLayout scanweft::makeLinesLayout(ArrayRef<int64_t> shape, unsigned dim,
                                       unsigned numWarps) {
  unsigned rank = shape.size();
  BasesBuilder registers = build(rank);
  for (unsigned other : reverse(seq(rank)))
    if (other != dim)
      registers.range(other, 1, shape[other]);
  return dealToThreads(shape, registers.take(),
                       build(rank).range(dim, 1, shape[dim]).take(), numWarps);
}

LinearLayout scanweft::makeVectorLayout(int64_t size, unsigned numWarps) {
  return makeLayout(
      size, build(1).range(0, 32, size),
      build(1).range(0, 1, std::min<int64_t>(size, 32)).fill(numLaneBits),
      build(1).fill(Log2_32(numWarps)));
}

LinearLayout scanweft::makePiecesLayout(ArrayRef<int64_t> shape,
                                        unsigned perLane, unsigned numWarps) {
  unsigned rank = shape.size();
  if (rank == 0)
    return makeScalarLayout(numWarps);
  int64_t piece = std::min<int64_t>(perLane, shape.back());
  BasesBuilder bits = build(rank).range(rank - 1, piece, shape.back());
  for (unsigned dim : reverse(seq(rank - 1)))
    bits.range(dim, 1, shape[dim]);
  return dealToThreads(shape, build(rank).range(rank - 1, 1, piece).take(),
                       bits.take(), numWarps);
}

LinearLayout scanweft::makeScalarLayout(unsigned numWarps) {
  return makeLayout({}, build(0), build(0).fill(numLaneBits),
                    build(0).fill(Log2_32(numWarps)));
}
