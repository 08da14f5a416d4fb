// Part of Scanweft, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

//===----------------------------------------------------------------------===//
// weft-chunk: every group becomes a kernel that walks chunks.
//===----------------------------------------------------------------------===//

#include "dialects/Weft/IR/WeftRules.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "passes/Chunking/KernelBuilder.h"
#include "passes/Chunking/Passes.h"

namespace scanweft {
#define GEN_PASS_DEF_CHUNK
#include "passes/Chunking/Passes.h.inc"
} // namespace scanweft

using namespace mlir;
using namespace scanweft;

namespace {

struct Chunk : scanweft::impl::ChunkBase<Chunk> {
  using ChunkBase::ChunkBase;

  void runOnOperation() override;

private:
  LogicalResult chunkGroup(weft::GroupOp group);
};

} // namespace

LogicalResult Chunk::chunkGroup(weft::GroupOp group) {
  AlgebraAxes axes(*group->getBlock());
  FailureOr<LaunchShape> shape = verifyGroup(group, axes);
  if (failed(shape))
    return failure();
  Extents extents(group, axes);
  KernelBuilder builder(group, axes, *shape, extents);
  int64_t size =
      chunk ? static_cast<int64_t>(chunk) : shape->chunk.value_or(64);
  weft::KernelOp kernel = builder.build(size);
  group.replaceAllUsesWith(kernel);
  group.erase();
  return success();
}

void Chunk::runOnOperation() {
  if (chunk && !llvm::isPowerOf2_64(chunk)) {
    emitError(getOperation().getLoc(), "option 'chunk' of weft-chunk is ")
        << chunk << weft::rule::A7;
    return signalPassFailure();
  }
  SmallVector<weft::GroupOp> groups;
  getOperation().walk([&](weft::GroupOp group) { groups.push_back(group); });
  for (weft::GroupOp group : groups)
    if (failed(chunkGroup(group)))
      return signalPassFailure();
}
