// Part of Scanweft, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

//===----------------------------------------------------------------------===//
// Reductions, scans and relayouts: serial over registers, shuffles over lanes.
// The association is that of the layout, whatever the values are.
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "passes/Threads/ThreadLowering.h"
#include "scanweft/Layout/Relayout.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SmallSet.h"

using namespace mlir;
using namespace scanweft;
using namespace scanweft::wtile;

/// A region's combination of scalars, inlined.
ThreadLowering::Elements
ThreadLowering::combine(Region &region, ValueRange earlier, ValueRange later) {
  Block &block = region.front();
  IRMapping mapping;
  SmallVector<Value> arguments = llvm::to_vector(earlier);
  llvm::append_range(arguments, later);
  mapping.map(block.getArguments(), arguments);
  for (Operation &op : block.without_terminator())
    builder.clone(op, mapping);
  return llvm::map_to_vector(
      block.getTerminator()->getOperands(),
      [&](Value value) { return mapping.lookupOrDefault(value); });
}

ThreadLowering::Elements
ThreadLowering::selectAll(Value condition, ValueRange yes, ValueRange no) {
  Elements chosen;
  for (auto [a, b] : llvm::zip_equal(yes, no))
    chosen.push_back(arith::SelectOp::create(builder, loc, condition, a, b));
  return chosen;
}

//===----------------------------------------------------------------------===//
// Reductions
//===----------------------------------------------------------------------===//

ThreadLowering::Elements
ThreadLowering::combineOverLane(ReduceOp op, ValueRange own, unsigned bit) {
  Elements other;
  for (Value value : own)
    other.push_back(
        buildShuffle(builder, loc, ShuffleKind::Xor, value, i32(1 << bit)));
  if (op.getCommutative())
    return combine(op.getCombine(), own, other);
  Value set = arith::AndIOp::create(builder, loc, lane, i32(1 << bit));
  Value isLater = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ne,
                                        set, i32(0));
  return combine(op.getCombine(), selectAll(isLater, other, own),
                 selectAll(isLater, own, other));
}

namespace {
/// A bit along the reduced dim.
struct ReducedBit {
  LayoutInput input;
  unsigned bit;
  int32_t step;
};
} // namespace

/// The bits along `dim`: registers first where the order is free, else by step.
static SmallVector<ReducedBit> getReducedBits(const LinearLayout &layout,
                                              unsigned dim, bool anyOrder) {
  SmallVector<ReducedBit> bits;
  for (LayoutInput input : {LayoutInput::Register, LayoutInput::Lane})
    for (auto [bit, basis] : llvm::enumerate(layout.getBases(input)))
      if (basis[dim])
        bits.push_back({input, static_cast<unsigned>(bit), basis[dim]});
  if (!anyOrder)
    llvm::sort(bits, [](const ReducedBit &a, const ReducedBit &b) {
      return a.step < b.step;
    });
  return bits;
}

void ThreadLowering::lowerReduce(ReduceOp op) {
  const LinearLayout &layout = layoutOf(op.getSources()[0]);
  const LinearLayout &rest = layoutOf(op.getResults()[0]);
  // Register -> one value per source.
  llvm::MapVector<unsigned, Elements> left;
  for (unsigned reg = 0; reg < layout.getNumRegisters(); ++reg)
    left[reg] = {};
  for (Value source : op.getSources())
    for (auto [reg, value] : llvm::enumerate(getElements(source)))
      left[reg].push_back(value);
  for (ReducedBit bit :
       getReducedBits(layout, op.getDim(), op.getCommutative())) {
    llvm::MapVector<unsigned, Elements> fewer;
    for (auto &[reg, own] : left) {
      if (bit.input == LayoutInput::Lane)
        fewer[reg] = combineOverLane(op, own, bit.bit);
      else if (!(reg >> bit.bit & 1))
        fewer[reg] = combine(op.getCombine(), own, left[reg | 1u << bit.bit]);
    }
    left = std::move(fewer);
  }
  SmallVector<Elements> results(op.getResults().size(),
                                Elements(rest.getNumRegisters()));
  for (auto &[reg, values] : left) {
    Coordinates at = layout.at(reg);
    at.erase(at.begin() + op.getDim());
    if (op.getParts())
      at.insert(at.begin(), 0);
    unsigned target = *rest.findRegister(at);
    for (auto [list, value] : llvm::zip_equal(results, values))
      list[target] = value;
  }
  for (auto [result, elements] : llvm::zip_equal(op.getResults(), results))
    setElements(result, elements);
}

//===----------------------------------------------------------------------===//
// Scans
//===----------------------------------------------------------------------===//

/// Inclusive, over the lanes along the dim, which are the low ones.
ThreadLowering::Elements ThreadLowering::scanLanes(ScanOp op, ValueRange own,
                                                   unsigned numLanes) {
  Elements sum = llvm::to_vector(own);
  Value place = arith::AndIOp::create(builder, loc, lane, i32(numLanes - 1));
  bool reverse = op.getReverse();
  for (unsigned step = 1; step < numLanes; step *= 2) {
    Elements before;
    for (Value value : sum)
      before.push_back(buildShuffle(
          builder, loc, reverse ? ShuffleKind::Down : ShuffleKind::Up, value,
          i32(step)));
    Value has = arith::CmpIOp::create(
        builder, loc,
        reverse ? arith::CmpIPredicate::slt : arith::CmpIPredicate::sge, place,
        i32(reverse ? numLanes - step : step));
    sum = selectAll(has, combine(op.getCombine(), before, sum), sum);
  }
  return sum;
}

/// The registers of a line in the order of time, each with its lanes.
void ThreadLowering::scanLine(ScanOp op, ArrayRef<unsigned> line,
                              unsigned numLanes,
                              MutableArrayRef<Elements> scanned,
                              ArrayRef<Elements> sources) {
  bool reverse = op.getReverse();
  Elements identity, carried;
  for (Attribute entry : op.getIdentity())
    identity.push_back(
        arith::ConstantOp::create(builder, loc, cast<TypedAttr>(entry)));
  auto store = [&](unsigned reg, ValueRange values) {
    for (auto [list, value] : llvm::zip_equal(scanned, values))
      list[reg] = value;
  };
  for (unsigned reg : line) {
    Elements own;
    for (const Elements &list : sources)
      own.push_back(list[reg]);
    Elements inside = numLanes > 1 ? scanLanes(op, own, numLanes) : own;
    Elements all =
        carried.empty() ? inside : combine(op.getCombine(), carried, inside);
    if (!op.getExclusive()) {
      store(reg, all);
    } else if (numLanes == 1) {
      store(reg, carried.empty() ? identity : carried);
    } else {
      Elements shifted;
      for (Value value : all)
        shifted.push_back(buildShuffle(
            builder, loc, reverse ? ShuffleKind::Down : ShuffleKind::Up, value,
            i32(1)));
      Value place =
          arith::AndIOp::create(builder, loc, lane, i32(numLanes - 1));
      Value isFirst =
          arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq, place,
                                i32(reverse ? numLanes - 1 : 0));
      store(reg,
            selectAll(isFirst, carried.empty() ? identity : carried, shifted));
    }
    carried = all;
    if (numLanes > 1)
      for (Value &value : carried)
        value = buildShuffle(builder, loc, ShuffleKind::Index, value,
                             i32(reverse ? 0 : numLanes - 1));
  }
}

void ThreadLowering::lowerScan(ScanOp op) {
  const LinearLayout &layout = layoutOf(op.getSources()[0]);
  unsigned dim = op.getDim();
  unsigned numLanes = 1;
  for (const Coordinates &basis : layout.getBases(LayoutInput::Lane))
    if (basis[dim])
      numLanes *= 2;
  // Registers by line, then by time.
  llvm::MapVector<uint64_t, SmallVector<unsigned>> lines;
  for (unsigned reg = 0; reg < layout.getNumRegisters(); ++reg) {
    Coordinates at = layout.at(reg);
    at[dim] = 0;
    lines[flattenCoordinates(at, layout.getShape())].push_back(reg);
  }
  SmallVector<Elements> sources, scanned;
  for (Value source : op.getSources()) {
    sources.push_back(getElements(source));
    scanned.push_back(Elements(layout.getNumRegisters()));
  }
  for (auto &[at, line] : lines) {
    llvm::sort(line, [&](unsigned a, unsigned b) {
      return op.getReverse() ? layout.at(a)[dim] > layout.at(b)[dim]
                             : layout.at(a)[dim] < layout.at(b)[dim];
    });
    scanLine(op, line, numLanes, scanned, sources);
  }
  for (auto [result, elements] : llvm::zip_equal(op.getResults(), scanned))
    setElements(result, elements);
}

//===----------------------------------------------------------------------===//
// Relayouts
//===----------------------------------------------------------------------===//

/// Registers that a thread picks among, for the register that is known.
static SmallVector<unsigned> getPicks(const RelayoutPlan &plan) {
  SmallVector<unsigned> picks{0};
  for (LayoutInput input : {LayoutInput::Lane, LayoutInput::Warp})
    for (RelayoutSource part : plan.bits[static_cast<unsigned>(input)])
      if (part.reg && !llvm::is_contained(picks, part.reg))
        for (unsigned known : SmallVector<unsigned>(picks))
          if (!llvm::is_contained(picks, known ^ part.reg))
            picks.push_back(known ^ part.reg);
  return picks;
}

/// The XOR of a field of the parts of the lane's and the warp's bits.
static LinearLayout getThreadField(const RelayoutPlan &plan,
                                   unsigned RelayoutSource::*field) {
  std::array<Bases, 3> bases;
  for (LayoutInput input : {LayoutInput::Lane, LayoutInput::Warp})
    for (RelayoutSource part : plan.bits[static_cast<unsigned>(input)])
      bases[static_cast<unsigned>(input)].push_back(
          {static_cast<int32_t>(part.*field)});
  return LinearLayout({1 << 12}, bases[0], bases[1], bases[2]);
}

void ThreadLowering::lowerRelayout(RelayoutOp op) {
  const LinearLayout &layout = layoutOf(op.getResult());
  RelayoutPlan plan = planRelayout(layoutOf(op.getSource()), layout);
  SmallVector<unsigned> picks = getPicks(plan);
  Value pick =
      picks.size() > 1
          ? getCoordinate(getThreadField(plan, &RelayoutSource::reg), 0, 0)
          : Value();
  ThreadPart lanePart =
      getThreadPart(getThreadField(plan, &RelayoutSource::lane), 0);
  bool shuffles = plan.kind == RelayoutKind::Shuffle;
  Elements source = getElements(op.getSource()), elements;
  for (unsigned reg = 0; reg < layout.getNumRegisters(); ++reg) {
    RelayoutSource own = plan.at(reg, 0, 0);
    Value from = shuffles ? addConstant(lanePart, own.lane) : Value();
    Value result;
    for (unsigned candidate : picks) {
      Value value = source[own.reg ^ candidate];
      if (shuffles)
        value = buildShuffle(builder, loc, ShuffleKind::Index, value, from);
      if (!result) {
        result = value;
        continue;
      }
      Value chosen = arith::CmpIOp::create(
          builder, loc, arith::CmpIPredicate::eq, pick, i32(candidate));
      result = arith::SelectOp::create(builder, loc, chosen, value, result);
    }
    elements.push_back(result);
  }
  setElements(op.getResult(), elements);
}
