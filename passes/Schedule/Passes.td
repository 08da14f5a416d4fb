// Part of Scanweft, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

//===----------------------------------------------------------------------===//
// Passes that choose sizes, numerics and schedules of chunked kernels.
// One entry a pass; its argument is `weft-...`, the stem of its .cpp and test.
//===----------------------------------------------------------------------===//

#ifndef SCANWEFT_PASSES_SCHEDULE_PASSES_TD
#define SCANWEFT_PASSES_SCHEDULE_PASSES_TD

include "mlir/Pass/PassBase.td"

def Segment : Pass<"weft-segment"> {
  let summary = "cut loops over chunks into segments that run in parallel";
  let description = [{
    A `weft.chunked` becomes loops over S segments of time, each a power of two of
    chunks, aligned from row 0. A carry's phase is one more than the highest phase
    of the carries its element reads, else 1. A phase walks every segment with the
    backward slice of its elements only, the carries of earlier phases acted along,
    and folds its own carries' elements to one summary a segment. The summaries are
    scanned in a tree that S alone determines, and each prefix acts on the initial
    state: these are the states at the segments' starts. A replay of the whole body
    from these starts gives the outputs. Without outputs there is none: the final
    state is the act of all summaries combined.

    Kinds that are scanned by their own action are: their summaries act on the
    state one after the other, one level up.
  }];
  let options = [
    Option<"segments", "segments", "int64_t", "8", "number of segments, at least 1">];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::scf::SCFDialect",
                           "::mlir::tensor::TensorDialect", "::scanweft::weft::WeftDialect"];
}

def Instantiate : Pass<"weft-instantiate"> {
  let summary = "other chunk sizes, feature sizes and element types of one file";
  let description = [{
    `weft-instantiate{rows=1 K=128 in=f16}` rewrites types, constants and numerics:

    * `rows` is the rows of the chunks of every loop: the loop's `by`, every dim that
      must agree with its slices' rows, the slots of stacks of states (one more for
      every halving) and the levels that read them.
    * Any other `name=size` gives the dims of that name (`weft.dims` of a function's
      arguments and results) another size, and with them every dim that must agree.
      Sizes that follow by a concatenation or a reshape follow.
    * `in` is f64 (every float type, every product), or f32, bf16 or f16 for what is
      stored in 16 bits and products of that precision; with f32 also products of
      less precision, but for those of three passes.

    A size that something else fixes is refused: a part of a dim, a constant of
    distinct entries, another name, an op that the analysis of dims does not know. A
    body that needs the rows of its chunks as a number asks `weft.chunk_size`.
  }];
  let options = [
    Option<"in", "in", "std::string", "\"\"", "element type: f64, f32, bf16 or f16">,
    Option<"rows", "rows", "int64_t", "0", "rows of a chunk; 0 keeps them">,
    ListOption<"dims", "dims", "std::string", "sizes of named dims, as name=size">];
}

#endif // SCANWEFT_PASSES_SCHEDULE_PASSES_TD
