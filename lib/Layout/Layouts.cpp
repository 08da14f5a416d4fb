// Part of Scanweft, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "scanweft/Layout/Layouts.h"
#include "llvm/Support/MathExtras.h"
#include <algorithm>

using namespace scanweft;
using llvm::ArrayRef;

/// Appends the bases `from`, 2 `from`, ... below `to` along a dim.
static void append(Bases &bases, unsigned rank, unsigned dim, int64_t from,
                   int64_t to) {
  for (int64_t step = from; step < to; step *= 2) {
    Coordinates basis(rank, 0);
    basis[dim] = static_cast<int32_t>(step);
    bases.push_back(basis);
  }
}

/// Appends bases that replicate until there are `count`.
static void replicate(Bases &bases, unsigned rank, unsigned count) {
  while (bases.size() < count)
    bases.push_back(Coordinates(rank, 0));
}

WarpGrid scanweft::splitWarps(unsigned numWarps, int64_t numRows,
                              int64_t numColumns) {
  WarpGrid grid;
  grid.count = numWarps;
  grid.rows = std::min<int64_t>(numWarps, std::max<int64_t>(1, numRows / 16));
  grid.columns = std::min<int64_t>(numWarps / grid.rows,
                                   std::max<int64_t>(1, numColumns / 8));
  return grid;
}

LinearLayout scanweft::makeAccumulatorLayout(ArrayRef<int64_t> shape,
                                             WarpGrid grid) {
  int64_t rows = shape[0], columns = shape[1] / grid.columns;
  Bases registers, lanes, warps;
  append(registers, 2, 1, 1, 2);
  append(registers, 2, 0, 8, 16);
  append(registers, 2, 1, 8, columns);
  append(registers, 2, 0, 16 * grid.rows, rows);
  append(lanes, 2, 1, 2, 8);
  append(lanes, 2, 0, 1, 8);
  append(warps, 2, 0, 16, 16 * grid.rows);
  append(warps, 2, 1, columns, shape[1]);
  replicate(warps, 2, llvm::Log2_32(grid.count));
  return LinearLayout(shape, registers, lanes, warps);
}

LinearLayout scanweft::makeOperandALayout(ArrayRef<int64_t> shape,
                                          unsigned contracted, WarpGrid grid) {
  unsigned free = 1 - contracted;
  Bases registers, lanes, warps;
  append(registers, 2, contracted, 1, 2);
  append(registers, 2, free, 8, 16);
  append(registers, 2, contracted, 8, shape[contracted]);
  append(registers, 2, free, 16 * grid.rows, shape[free]);
  append(lanes, 2, contracted, 2, 8);
  append(lanes, 2, free, 1, 8);
  append(warps, 2, free, 16, 16 * grid.rows);
  replicate(warps, 2, llvm::Log2_32(grid.count));
  return LinearLayout(shape, registers, lanes, warps);
}

LinearLayout scanweft::makeOperandBLayout(ArrayRef<int64_t> shape,
                                          unsigned contracted, WarpGrid grid,
                                          unsigned step) {
  unsigned free = 1 - contracted;
  int64_t columns = shape[free] / grid.columns;
  Bases registers, lanes, warps;
  append(registers, 2, contracted, 1, 2);
  append(registers, 2, contracted, 8, step);
  append(registers, 2, free, 8, columns);
  append(registers, 2, contracted, step, shape[contracted]);
  append(lanes, 2, contracted, 2, 8);
  append(lanes, 2, free, 1, 8);
  replicate(warps, 2, llvm::Log2_32(grid.rows));
  append(warps, 2, free, columns, shape[free]);
  replicate(warps, 2, llvm::Log2_32(grid.count));
  return LinearLayout(shape, registers, lanes, warps);
}

LinearLayout scanweft::makeLinesLayout(ArrayRef<int64_t> shape, unsigned dim,
                                       unsigned numWarps) {
  unsigned rank = shape.size();
  int64_t threads = 32 * numWarps;
  Bases spread, registers;
  append(spread, rank, dim, 1, std::min(shape[dim], threads));
  replicate(spread, rank, numLaneBits + llvm::Log2_32(numWarps));
  for (unsigned other = rank; other-- > 0;)
    if (other != dim)
      append(registers, rank, other, 1, shape[other]);
  append(registers, rank, dim, threads, shape[dim]);
  Bases lanes(spread.begin(), spread.begin() + numLaneBits);
  Bases warps(spread.begin() + numLaneBits, spread.end());
  return LinearLayout(shape, registers, lanes, warps);
}

LinearLayout scanweft::makeVectorLayout(int64_t size, unsigned numWarps) {
  Bases registers, lanes, warps;
  append(lanes, 1, 0, 1, std::min<int64_t>(size, 32));
  replicate(lanes, 1, numLaneBits);
  append(registers, 1, 0, 32, size);
  replicate(warps, 1, llvm::Log2_32(numWarps));
  return LinearLayout({size}, registers, lanes, warps);
}

LinearLayout scanweft::makePiecesLayout(ArrayRef<int64_t> shape,
                                        unsigned perLane, unsigned numWarps) {
  unsigned rank = shape.size();
  int64_t piece = std::min<int64_t>(perLane, shape.back());
  Bases spread;
  append(spread, rank, rank - 1, piece, shape.back());
  for (unsigned dim = rank - 1; dim-- > 0;)
    append(spread, rank, dim, 1, shape[dim]);
  unsigned numThreadBits = numLaneBits + llvm::Log2_32(numWarps);
  replicate(spread, rank, numThreadBits);
  Bases registers;
  append(registers, rank, rank - 1, 1, piece);
  registers.append(spread.begin() + numThreadBits, spread.end());
  Bases lanes(spread.begin(), spread.begin() + numLaneBits);
  Bases warps(spread.begin() + numLaneBits, spread.begin() + numThreadBits);
  return LinearLayout(shape, registers, lanes, warps);
}

LinearLayout scanweft::makeScalarLayout(unsigned numWarps) {
  Bases lanes, warps;
  replicate(lanes, 0, numLaneBits);
  replicate(warps, 0, llvm::Log2_32(numWarps));
  return LinearLayout({}, {}, lanes, warps);
}
