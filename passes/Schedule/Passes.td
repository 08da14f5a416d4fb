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

    * `in` is f64 (every float type, every product), or f32, bf16 or f16 for
      what is stored in 16 bits and products of that precision.
  }];
  let options = [
    Option<"in", "in", "std::string", "\"\"", "element type: f64, f32, bf16 or f16">];
}

#endif // SCANWEFT_PASSES_SCHEDULE_PASSES_TD
