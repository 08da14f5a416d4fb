// Part of Scanweft, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

//===----------------------------------------------------------------------===//
// The table of fragments. With lane = 4 g + t the manual gives coordinates as
// sums of g, t and register numbers times powers of two, whose bits never
// overlap: each bit of a register, lane or warp number is one step along a dim.
//===----------------------------------------------------------------------===//

#include "scanweft/Layout/Fragments.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVectorExtras.h"
#include "llvm/ADT/Twine.h"
#include "llvm/Support/MathExtras.h"
#include <vector>

using namespace llvm;
using namespace scanweft;

namespace {

/// The basis of one bit: a step along one dim.
struct Step {
  unsigned dim;
  int32_t length;
};

/// One row of the table: a map, lowest bits first.
struct Entry {
  std::string name;
  SmallVector<StringRef, 3> dims;
  SmallVector<int64_t, 3> shape;
  unsigned width;
  SmallVector<Step> registers, lanes, warps;
  StringRef source;
};

} // namespace

/// Dims of a matrix.
static Step row(int32_t length) { return {0, length}; }
static Step col(int32_t length) { return {1, length}; }

static SmallVector<Coordinates, 8> toBases(ArrayRef<Step> steps,
                                           unsigned rank) {
  return map_to_vector<8>(steps, [&](Step step) {
    Coordinates basis(rank, 0);
    basis[step.dim] = step.length;
    return basis;
  });
}

namespace {

/// Collects fragments.
class Table {
public:
  void add(const Entry &entry, unsigned numElements = 0) {
    unsigned rank = entry.shape.size();
    fragments.push_back(
        {entry.name, entry.dims, entry.width,
         LinearLayout(entry.shape, toBases(entry.registers, rank),
                      toBases(entry.lanes, rank), toBases(entry.warps, rank),
                      numElements),
         entry.source});
  }
  void addMma();
  void addWarpgroupOperands();
  void addWarpgroupAccumulators();
  void addMatrixMoves();

  std::vector<Fragment> fragments;
};

} // namespace

/// mma.sync m16n8 with 32 bytes of k. B is A without its rows 8 .. 15, turned
/// over: its dims are (k, n).
void Table::addMma() {
  static constexpr StringRef half =
      "Matrix Fragments for mma.m16n8k16 with floating point type";
  static constexpr StringRef tf32 = "Matrix Fragments for mma.m16n8k8";
  static constexpr StringRef byte = "Matrix Fragments for mma.m16n8k32";
  for (const char *type : {"bf16", "f16"}) {
    add({(Twine("mma.a.") + type).str(),
         {"m", "k"},
         {16, 16},
         16,
         /*registers=*/{col(1), row(8), col(8)},
         /*lanes=*/{col(2), col(4), row(1), row(2), row(4)},
         {},
         half});
    add({(Twine("mma.b.") + type).str(),
         {"k", "n"},
         {16, 8},
         16,
         /*registers=*/{row(1), row(8)},
         /*lanes=*/{row(2), row(4), col(1), col(2), col(4)},
         {},
         half});
  }
  add({"mma.a.tf32",
       {"m", "k"},
       {16, 8},
       32,
       /*registers=*/{row(8), col(4)},
       /*lanes=*/{col(1), col(2), row(1), row(2), row(4)},
       {},
       tf32});
  add({"mma.b.tf32",
       {"k", "n"},
       {8, 8},
       32,
       /*registers=*/{row(4)},
       /*lanes=*/{row(1), row(2), col(1), col(2), col(4)},
       {},
       tf32});
  add({"mma.a.e4m3",
       {"m", "k"},
       {16, 32},
       8,
       /*registers=*/{col(1), col(2), row(8), col(16)},
       /*lanes=*/{col(4), col(8), row(1), row(2), row(4)},
       {},
       byte});
  add({"mma.b.e4m3",
       {"k", "n"},
       {32, 8},
       8,
       /*registers=*/{row(1), row(2), row(16)},
       /*lanes=*/{row(4), row(8), col(1), col(2), col(4)},
       {},
       byte});
  add({"mma.c",
       {"m", "n"},
       {16, 8},
       32,
       /*registers=*/{col(1), row(8)},
       /*lanes=*/{col(2), col(4), row(1), row(2), row(4)},
       {},
       half});
}

/// A of wgmma from registers: that of mma.sync on 16 rows a warp.
void Table::addWarpgroupOperands() {
  static constexpr StringRef half =
      "Register Fragments for wgmma.mma_async.m64nNk16";
  static constexpr StringRef tf32 =
      "Register Fragments for wgmma.mma_async.m64nNk8";
  static constexpr StringRef byte =
      "Register Fragments for wgmma.mma_async.m64nNk32";
  for (const char *type : {"bf16", "f16"})
    add({(Twine("wgmma.a.") + type).str(),
         {"m", "k"},
         {64, 16},
         16,
         /*registers=*/{col(1), row(8), col(8)},
         /*lanes=*/{col(2), col(4), row(1), row(2), row(4)},
         /*warps=*/{row(16), row(32)},
         half});
  add({"wgmma.a.tf32",
       {"m", "k"},
       {64, 8},
       32,
       /*registers=*/{row(8), col(4)},
       /*lanes=*/{col(1), col(2), row(1), row(2), row(4)},
       /*warps=*/{row(16), row(32)},
       tf32});
  add({"wgmma.a.e4m3",
       {"m", "k"},
       {64, 32},
       8,
       /*registers=*/{col(1), col(2), row(8), col(16)},
       /*lanes=*/{col(4), col(8), row(1), row(2), row(4)},
       /*warps=*/{row(16), row(32)},
       byte});
}

/// m64nN for every N: one map, of which N takes the bits and the elements that
/// it has.
void Table::addWarpgroupAccumulators() {
  const Entry widest = {
      "wgmma.d.n",
      {"m", "n"},
      {64, 256},
      32,
      /*registers=*/
      {col(1), row(8), col(8), col(16), col(32), col(64), col(128)},
      /*lanes=*/{col(2), col(4), row(1), row(2), row(4)},
      /*warps=*/{row(16), row(32)},
      "Register Fragments for wgmma.mma_async.m64nNk16, Matrix Fragments for "
      "accumulator D"};
  for (int64_t numColumns = 8; numColumns <= 256; numColumns += 8) {
    Entry entry = widest;
    entry.name += std::to_string(numColumns);
    entry.shape[1] = numColumns;
    entry.registers.truncate(2 + Log2_64_Ceil(numColumns / 8));
    add(entry, /*numElements=*/numColumns / 2);
  }
}

/// ldmatrix and stmatrix of 8 x 8 matrices of 16 bits, and movmatrix. Lane
/// 8 i + r supplies the address of row r of matrix i, 16 contiguous bytes;
/// register i of every lane belongs to matrix i.
void Table::addMatrixMoves() {
  static constexpr StringRef load =
      "Warp-level matrix load instruction: ldmatrix";
  for (unsigned count : {1, 2, 4})
    for (bool transposed : {false, true}) {
      unsigned line = transposed ? 2 : 1, along = transposed ? 1 : 2;
      Entry entry = {
          "ldmatrix.x" + std::to_string(count) + (transposed ? ".trans" : ""),
          {"matrix", "row", "col"},
          {count, 8, 8},
          16,
          /*registers=*/{{along, 1}},
          /*lanes=*/{{along, 2}, {along, 4}, {line, 1}, {line, 2}, {line, 4}},
          {},
          load};
      for (unsigned step = 1; step < count; step *= 2)
        entry.registers.push_back({0, static_cast<int32_t>(step)});
      add(entry);
    }
  add({"movmatrix.trans",
       {"row", "col"},
       {8, 8},
       16,
       /*registers=*/{row(1)},
       /*lanes=*/{row(2), row(4), col(1), col(2), col(4)},
       {},
       "Warp-level matrix transpose instruction: movmatrix"});
}

ArrayRef<Fragment> scanweft::getFragments() {
  static const Table table = [] {
    Table built;
    built.addMma();
    built.addWarpgroupOperands();
    built.addWarpgroupAccumulators();
    built.addMatrixMoves();
    return built;
  }();
  return table.fragments;
}

const Fragment *scanweft::findFragment(StringRef name) {
  const Fragment *found =
      find_if(getFragments(),
              [&](const Fragment &fragment) { return fragment.name == name; });
  return found == getFragments().end() ? nullptr : found;
}
