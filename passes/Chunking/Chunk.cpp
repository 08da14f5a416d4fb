// Part of Scanweft, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

//===----------------------------------------------------------------------===//
// weft-chunk: every group becomes a kernel that walks chunks.
//===----------------------------------------------------------------------===//

#include "dialects/Weft/IR/WeftRules.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Remarks.h"
#include "passes/Chunking/KernelBuilder.h"
#include "passes/Chunking/Passes.h"
#include "scanweft/Analysis/CostModel.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Support/FormatVariadic.h"
#include <cmath>

namespace scanweft {
#define GEN_PASS_DEF_CHUNK
#include "passes/Chunking/Passes.h.inc"
} // namespace scanweft

using namespace mlir;
using namespace scanweft;

static constexpr StringLiteral kCategory = "weft-chunk";

/// Chunk sizes that the cost model compares.
static constexpr int64_t kCandidates[] = {16, 32, 64, 128, 256};

//===----------------------------------------------------------------------===//
// Chunk sizes
//===----------------------------------------------------------------------===//

/// The loop of a kernel just built.
static weft::ChunkedOp getLoop(weft::KernelOp kernel) {
  return *kernel.getBody().getOps<weft::ChunkedOp>().begin();
}

static std::string describe(const ChunkCost &cost, const MachineRates &rates) {
  return llvm::formatv("{0}: {1:f0} cycles, {2:f0} FLOP, {3:f0} B a token, "
                       "{4:f0} KB of tiles{5}",
                       cost.chunk, cost.cyclesPerToken, cost.flops, cost.bytes,
                       cost.tileBytes / 1024,
                       cost.fits(rates) ? "" : ", which do not fit")
      .str();
}

/// A chunk twice as large must save this part: its program holds more of the
/// machine, and fewer run beside it.
static constexpr double kSavingOfDoubling = 0.05;

static double getPrice(const ChunkCost &cost) {
  double doublings = std::log2(static_cast<double>(cost.chunk));
  return cost.cyclesPerToken * (1 + kSavingOfDoubling * doublings);
}

/// Builds the kernel in every size, keeps none, and takes the cheapest that
/// fits; the smallest where none does.
static int64_t chooseChunk(KernelBuilder &builder, Location loc,
                           const MachineRates &rates) {
  std::optional<ChunkCost> best;
  std::string numbers;
  for (int64_t candidate : kCandidates) {
    weft::KernelOp kernel = builder.build(candidate);
    ChunkCost cost = estimateChunk(getLoop(kernel), rates);
    kernel.erase();
    numbers += (numbers.empty() ? "" : "; ") + describe(cost, rates);
    if (cost.fits(rates) && (!best || getPrice(cost) < getPrice(*best)))
      best = cost;
  }
  int64_t chosen = best ? best->chunk : kCandidates[0];
  remark::analysis(loc,
                   remark::RemarkOpts::name("ChunkSize").category(kCategory))
      << remark::add("chunk {0} on {1}", chosen, rates.name.str())
      << remark::reason("{0}", numbers)
      << remark::suggest("'chunk' on a scan overrides the choice");
  return chosen;
}

//===----------------------------------------------------------------------===//
// Pass
//===----------------------------------------------------------------------===//

namespace {

struct Chunk : scanweft::impl::ChunkBase<Chunk> {
  using ChunkBase::ChunkBase;

  void runOnOperation() override;

private:
  LogicalResult chunkBlock(Block &block);
  FailureOr<weft::KernelOp> chunkGroup(weft::GroupOp group,
                                       const AlgebraAxes &axes,
                                       const LaunchShape &shape);
};

} // namespace

FailureOr<weft::KernelOp> Chunk::chunkGroup(weft::GroupOp group,
                                            const AlgebraAxes &axes,
                                            const LaunchShape &shape) {
  Extents extents(group, axes);
  KernelBuilder builder(group, axes, shape, extents);
  if (failed(builder.findSizes()))
    return failure();
  int64_t size = chunk ? static_cast<int64_t>(chunk) : shape.chunk.value_or(0);
  if (!size)
    size = chooseChunk(builder, group.getLoc(), kHopper);
  return builder.build(size);
}

/// Groups go when all kernels of the block are there: the axes of what goes
/// from one to the next are known from the groups.
LogicalResult Chunk::chunkBlock(Block &block) {
  AlgebraAxes axes(block);
  SmallVector<std::pair<weft::GroupOp, LaunchShape>> groups;
  for (auto group : block.getOps<weft::GroupOp>()) {
    FailureOr<LaunchShape> shape = verifyGroup(group, axes);
    if (failed(shape))
      return failure();
    groups.push_back({group, *shape});
  }
  SmallVector<weft::KernelOp> kernels;
  for (auto &[group, shape] : groups) {
    FailureOr<weft::KernelOp> kernel = chunkGroup(group, axes, shape);
    if (failed(kernel))
      return failure();
    kernels.push_back(*kernel);
  }
  for (unsigned i : llvm::seq<unsigned>(groups.size()))
    groups[i].first.replaceAllUsesWith(kernels[i]);
  for (auto &[group, shape] : groups)
    group.erase();
  return success();
}

void Chunk::runOnOperation() {
  if (chunk && !llvm::isPowerOf2_64(chunk)) {
    emitError(getOperation().getLoc(), "option 'chunk' of weft-chunk is ")
        << static_cast<int64_t>(chunk) << weft::rule::A8;
    return signalPassFailure();
  }
  llvm::SmallSetVector<Block *, 4> blocks;
  getOperation().walk(
      [&](weft::GroupOp group) { blocks.insert(group->getBlock()); });
  for (Block *block : blocks)
    if (failed(chunkBlock(*block)))
      return signalPassFailure();
}
