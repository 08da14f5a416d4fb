// Part of Scanweft, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef SCANWEFT_PASSES_CHUNKING_PASSES_TD
#define SCANWEFT_PASSES_CHUNKING_PASSES_TD

include "mlir/Pass/PassBase.td"

def Fuse : Pass<"weft-fuse", "::mlir::ModuleOp"> {
  let summary = "gather what becomes one launch into groups";
  let description = [{
    Scans over the same axis, length, direction and programs join; a group takes
    in the token-wise and program-scope producers of its scans and the token-wise
    consumers of their results. A token-wise producer that is also read outside
    is stored as well; one without a time axis is copied. Remarks say what was
    fused and, for every value that goes from one launch to another, why not.
  }];
}

def VerifyAlgebra : Pass<"weft-verify-algebra", "::mlir::ModuleOp"> {
  let summary = "check the normal form before chunking";
  let description = [{
    Every scan, and every token-wise op on tensors with a time axis, stands in a
    `weft.group`; a group holds scans, token-wise ops and values of the program
    that agree on one launch: batch, time, heads, direction and chunk size.
    Changes nothing.
  }];
}

def Chunk : Pass<"weft-chunk", "::mlir::ModuleOp"> {
  let summary = "turn every group into a kernel that walks chunks";
  let description = [{
    A `weft.group` becomes a `weft.kernel` with one program per batch entry and
    output head, which holds one `weft.chunked`. Scans emit their chunk by
    ChunkRuleOpInterface; token-wise ops act on C rows in place of [B, T, H].
    What depends on no token is computed before the loop, what depends on a
    final state after it.
  }];
  let options = [
    Option<"chunk", "chunk", "int64_t", "0",
           "rows of a chunk, a power of two; 0: what the scans ask for, else the cost model's choice">];
  let dependentDialects = ["::mlir::func::FuncDialect"];
}

#endif // SCANWEFT_PASSES_CHUNKING_PASSES_TD
