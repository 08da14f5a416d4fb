// Part of Scanweft, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef SCANWEFT_PASSES_TILE_PASSES_TD
#define SCANWEFT_PASSES_TILE_PASSES_TD

include "mlir/Pass/PassBase.td"

def OutlineKernels : Pass<"wtile-outline-kernels", "::mlir::ModuleOp"> {
  let summary = "weft.kernel to wtile.kernel and wtile.launch";
  let description = [{
    A kernel leaves its function: what it reads and writes becomes global memory that
    arrives as memrefs, what is computed from sizes is computed again inside. The loop
    over chunks becomes an `scf.for` that carries the states; slices become loads,
    row outputs and placements stores, elements the act of their kind. Body ops stay
    as they are.
  }];
  let dependentDialects = ["::mlir::memref::MemRefDialect", "::mlir::scf::SCFDialect",
                           "::scanweft::wtile::WTileDialect"];
}

def StackStates : Pass<"wtile-stack-states", "::mlir::ModuleOp"> {
  let summary = "carried stacks of states leave the registers";
  let description = [{
    A state of rank 3 that a loop carries becomes a stack that the loop reads and writes
    slot by slot. Bit b of the chunk's number says that slot b lives: what concerns a
    slot stands under a test of its bit, dead slots are neither read nor written, and
    final states get zeros for them. A stack of more than `most-bytes` lies in global
    memory, in an output of the launch that nobody reads.
  }];
  let dependentDialects = ["::scanweft::wtile::WTileDialect"];
  let options = [Option<"mostBytes", "most-bytes", "int64_t", "131072", "bytes of a stack in shared memory">];
}

def ExpandBody : Pass<"wtile-expand-body", "::mlir::ModuleOp"> {
  let summary = "body ops to the few ops of tiles";
  let description = [{
    One pattern per body op. Masks become comparisons of coordinates, maps along a dim
    reductions and elementwise work, reductions and scans carry their combination as a
    region, products take factors of the matrix unit's type as their numerics say,
    factorisations and solves become products of blocks of 16 rows. No body op is left.
  }];
  let dependentDialects = ["::scanweft::wtile::WTileDialect"];
}

def FuseAccumulators : Pass<"wtile-fuse-accumulators", "::mlir::ModuleOp"> {
  let summary = "an addition of a product becomes its accumulator";
  let description = [{
    x + a b, and x - a b, with no other user of the product, start the product from x in
    place of zero. Before layouts are assigned, since the sum then stands where products
    stand; without it every such product takes registers of its own.
  }];
}

def OrderOps : Pass<"wtile-order-ops", "::mlir::ModuleOp"> {
  let summary = "order a block's ops so that few tiles live";
  let description = [{
    Of the ops whose operands are there the one that adds least to the elements that a
    thread must hold goes next; of equal ones the one with the longest way to the end.
    What is made of rows in shared memory sinks to its first user. Stores, and loops,
    keep their order.
  }];
}

def AssignLayouts : Pass<"wtile-assign-layouts", "::mlir::ModuleOp"> {
  let summary = "which thread holds which element";
  let description = [{
    Products fix the layouts of their accumulators and, in registers, of their first
    factors; what is elementwise follows, each value where moving it costs least. A
    value that is needed in another layout is moved inside its warp or through a shared
    buffer, of which it has at most one; second factors, and rows of global memory, are
    read from shared buffers. `warps` 0 leaves the number of warps to the cost model.
  }];
  let dependentDialects = ["::scanweft::wtile::WTileDialect"];
  let options = [Option<"warps", "warps", "int64_t", "0", "warps of a block: 1, 2, 4, 8 or 16">];
}

def PipelineCopies : Pass<"wtile-pipeline-copies", "::mlir::ModuleOp"> {
  let summary = "copies of the next chunk run while this one is computed";
  let description = [{
    The rows that a loop copies into shared memory get a ring of `stages` buffers: the
    first turn's copies are issued before the loop, each turn waits for its own, then
    issues those of the next. One wait and one barrier at the top of a turn serve the
    ring both ways. With one stage a turn issues its own copies and waits.
  }];
  let dependentDialects = ["::mlir::scf::SCFDialect", "::scanweft::wtile::WTileDialect"];
  let options = [Option<"stages", "stages", "int64_t", "0", "1 or 2 buffers a ring; 0: 2 where they fit">,
                 Option<"target", "target", "std::string", "\"sm_90a\"", "whose shared memory they fit">];
}

def PlaceBuffers : Pass<"wtile-place-buffers", "::mlir::ModuleOp"> {
  let summary = "inner order and address of every shared buffer";
  let description = [{
    A buffer gets the order and the swizzle with which all its accesses together pass
    shared memory fastest, and the lowest address at which no buffer lies that is needed
    at the same time. A kernel that needs more than the target's blocks have is an error.
  }];
  let dependentDialects = ["::scanweft::wtile::WTileDialect"];
  let options = [Option<"target", "target", "std::string", "\"sm_90a\"", "whose shared memory the buffers fit">];
}

def InsertBarriers : Pass<"wtile-insert-barriers", "::mlir::ModuleOp"> {
  let summary = "a barrier before an access that conflicts with one since the last barrier";
  let description = [{
    Two accesses conflict where their bytes overlap and one of them writes. Loops are
    walked twice, for the accesses that a turn leaves to the next. Rings are ordered by
    the wait and the barrier at the top of their loop.
  }];
  let dependentDialects = ["::scanweft::wtile::WTileDialect"];
}

#endif // SCANWEFT_PASSES_TILE_PASSES_TD
