// Part of Scanweft, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "scanweft/Analysis/CostModel.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace scanweft;
using weft::Precision;

//===----------------------------------------------------------------------===//
// Ops one by one
//===----------------------------------------------------------------------===//

namespace {
/// What one op costs: cycles of the unit that it keeps busy, and cycles until
/// its result is there.
struct OpCost {
  double flops = 0, productCycles = 0;
  double maps = 0, specials = 0;
  double latency = 0;
};
} // namespace

/// Latencies in cycles: of a map, of a reduction across a warp, of a product
/// with its barrier, and of one row of a triangular factorisation.
static constexpr double kMapLatency = 8;
static constexpr double kReduceLatency = 60;
static constexpr double kProductLatency = 120;
static constexpr double kSolveRowLatency = 13;

static double countEntries(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  return tensor && tensor.hasStaticShape() ? tensor.getNumElements() : 0;
}

static double countBytes(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  return tensor ? countEntries(type) * tensor.getElementTypeBitWidth() / 8 : 0;
}

/// FLOPs a cycle at a precision; several passes share the unit.
static double getRate(weft::NumericsAttr numerics, const MachineRates &rates) {
  switch (numerics.getIn()) {
  case Precision::F64:
    return rates.doubleFlops;
  case Precision::F32:
    return rates.floatFlops;
  case Precision::TF32:
    return rates.tf32Flops;
  case Precision::TF32x3:
    return rates.tf32Flops / 3;
  case Precision::BF16:
  case Precision::F16:
    return rates.halfFlops;
  case Precision::BF16x3:
    return rates.halfFlops / 3;
  case Precision::F16x2:
    return rates.halfFlops / 2;
  }
  llvm_unreachable("every precision has a rate");
}

/// A product of `entries` results that contracts `depth` entries each. Tiles
/// of the matrix unit are multiples of 16, and below 64 rows half of it idles.
static OpCost costOfProduct(double entries, double depth, int64_t rows,
                            weft::NumericsAttr numerics,
                            const MachineRates &rates) {
  OpCost cost;
  cost.flops = 2 * entries * depth;
  cost.productCycles = cost.flops / getRate(numerics, rates);
  bool onMatrixUnit =
      numerics.getIn() != Precision::F32 && numerics.getIn() != Precision::F64;
  if (onMatrixUnit && rows > 0)
    cost.productCycles *= static_cast<double>(llvm::alignTo(rows, 16)) / rows;
  if (onMatrixUnit && rows < 64)
    cost.productCycles *= 2;
  cost.latency = kProductLatency;
  return cost;
}

static OpCost costOfMap(double entries, double specials, double latency) {
  OpCost cost;
  cost.maps = entries;
  cost.specials = specials;
  cost.latency = latency;
  return cost;
}

static OpCost costOf(Operation &op, int64_t chunk, const MachineRates &rates) {
  double entries =
      op.getNumResults() ? countEntries(op.getResult(0).getType()) : 0;
  double taken =
      op.getNumOperands() ? countEntries(op.getOperand(0).getType()) : 0;
  return llvm::TypeSwitch<Operation *, OpCost>(&op)
      .Case([&](weft::DotOp dot) {
        auto lhs = cast<RankedTensorType>(dot.getLhs().getType());
        int64_t depth = lhs.getDimSize(dot.getLhsDim());
        int64_t rows = depth ? lhs.getNumElements() / depth : 0;
        return costOfProduct(entries, depth, rows, dot.getNumerics(), rates);
      })
      .Case<weft::DecayedDotOp, weft::DecayedMatmulOp>([&](auto dot) {
        double depth = countEntries(dot.getRhs().getType()) / chunk;
        OpCost cost = costOfProduct(static_cast<double>(chunk) * chunk, depth,
                                    chunk, dot.getNumerics(), rates);
        cost.specials = 2 * depth * chunk + 16 * depth * chunk;
        return cost;
      })
      .Case<weft::SolveTrilOp, weft::CholeskyOp>([&](auto solve) {
        OpCost cost = costOfProduct(entries, chunk / 2.0, chunk,
                                    solve.getNumerics(), rates);
        cost.latency = kSolveRowLatency * chunk;
        return cost;
      })
      .Case([&](weft::ScanRowsOp) {
        double steps = llvm::Log2_64_Ceil(chunk) + 1;
        return costOfMap(steps * entries, 0, steps * kReduceLatency / 2);
      })
      .Case<weft::SumOp, weft::MaxOp, weft::CumsumOp>(
          [&](auto) { return costOfMap(taken, 0, kReduceLatency); })
      .Case<weft::SoftmaxOp, weft::L2NormalizeOp>([&](auto) {
        return costOfMap(4 * entries, entries, 2 * kReduceLatency);
      })
      .Case<weft::BroadcastOp, arith::ConstantOp, weft::NextOp>(
          [&](auto) { return OpCost(); })
      .Case<arith::DivFOp>(
          [&](auto) { return costOfMap(entries, entries, 2 * kMapLatency); })
      .Default([&](Operation *map) {
        bool isSpecial = isa<math::MathDialect>(map->getDialect());
        return costOfMap(entries, isSpecial ? entries : 0, kMapLatency);
      });
}

//===----------------------------------------------------------------------===//
// A chunk
//===----------------------------------------------------------------------===//

/// Expands the act of every element on its state, at the end of the body.
static void expandActs(weft::ChunkedOp loop) {
  weft::NextOp next = loop.getNext();
  OpBuilder builder(next);
  SmallVector<Value> after;
  for (auto [carry, element] : llvm::enumerate(next.getElements())) {
    auto args = loop.getCarryArgs(carry);
    SmallVector<Value> states(args.begin(), args.end());
    llvm::append_range(after,
                       loop.getKind(carry).buildActOnRows(
                           builder, loop.getLoc(), element.getDefiningOp(),
                           states, loop.getChunkIndex()));
  }
  // The new states are used: they live until the chunk's end.
  next.getRowsMutable().append(after);
}

/// Whether a value takes no room: repeated or constant entries are made where
/// they are read, and elements are their parts.
static bool isFree(Operation *op) {
  return isa<weft::BroadcastOp, arith::ConstantOp, weft::ElementOpInterface>(
      op);
}

/// Most bytes of tiles alive at once. Rows that are loaded take two places, so
/// that the next chunk's arrive meanwhile.
static double countTileBytes(weft::ChunkedOp loop) {
  Block &body = loop.getBody().front();
  llvm::DenseMap<Value, Operation *> lastUse;
  double alive = 0;
  for (Operation &op : body)
    for (Value operand : op.getOperands())
      lastUse[operand] = &op;
  for (Value rows : loop.getSliceArgs())
    alive += 2 * countBytes(rows.getType());
  for (Value state : loop.getCarryArgs())
    alive += countBytes(state.getType());
  for (auto [value, use] : lastUse)
    if (value.getParentBlock() != &body && use &&
        !isa_and_nonnull<arith::ConstantOp>(value.getDefiningOp()))
      alive += countBytes(value.getType());
  double most = alive;
  for (Operation &op : body) {
    if (!isFree(&op))
      for (Value result : op.getResults())
        alive += countBytes(result.getType());
    most = std::max(most, alive);
    llvm::DenseSet<Value> seen;
    for (Value operand : op.getOperands()) {
      Operation *producer = operand.getDefiningOp();
      if (producer && producer->getBlock() == &body && !isFree(producer) &&
          lastUse[operand] == &op && seen.insert(operand).second)
        alive -= countBytes(operand.getType());
    }
  }
  return most;
}

static double countRowBytes(weft::ChunkedOp loop, unsigned numOuts) {
  double bytes = 0;
  for (Value rows : loop.getSliceArgs())
    bytes += countBytes(rows.getType());
  for (Value rows : loop.getNext().getRows().take_front(numOuts))
    bytes += countBytes(rows.getType());
  return bytes;
}

ChunkCost scanweft::estimateChunk(weft::ChunkedOp loop,
                                  const MachineRates &rates) {
  ChunkCost cost;
  cost.chunk = loop.getChunk();
  double rows = static_cast<double>(cost.chunk);
  double bytes = countRowBytes(loop, loop.getOuts().size());
  expandActs(loop);
  OpCost total;
  llvm::DenseMap<Value, double> ready;
  for (Operation &op : loop.getBody().front()) {
    OpCost part = costOf(op, cost.chunk, rates);
    total.flops += part.flops;
    total.productCycles += part.productCycles;
    total.maps += part.maps;
    total.specials += part.specials;
    double start = 0;
    for (Value operand : op.getOperands())
      start = std::max(start, ready.lookup(operand));
    for (Value result : op.getResults())
      ready[result] = start + part.latency;
    cost.chainCycles = std::max(cost.chainCycles, start + part.latency);
  }
  double busy =
      std::max({total.productCycles, total.maps / rates.maps,
                total.specials / rates.specials, bytes / rates.bytes});
  cost.flops = total.flops / rows;
  cost.bytes = bytes / rows;
  cost.tileBytes = countTileBytes(loop);
  double sideBySide = 2 * cost.tileBytes <= rates.tileBytes ? 2 : 1;
  cost.cyclesPerToken = (busy + cost.chainCycles / sideBySide) / rows;
  return cost;
}
