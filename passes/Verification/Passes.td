// Part of Scanweft, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

//===----------------------------------------------------------------------===//
// Passes that close a stage: they verify and change nothing.
// One entry a pass; its argument is `weft-...`, the stem of its .cpp and test.
//===----------------------------------------------------------------------===//

#ifndef SCANWEFT_PASSES_VERIFICATION_PASSES_TD
#define SCANWEFT_PASSES_VERIFICATION_PASSES_TD

include "mlir/Pass/PassBase.td"

def VerifyChunked : Pass<"weft-verify-chunked"> {
  let summary = "check the rules of kernels that need whole bodies";
  let description = [{
    Closes the chunked stage. Ops check themselves; this pass checks what needs more than
    one of them: K3 element i reads no carry from i on; K4 dead rows reach neither live
    ones nor the state; K5 bodies hold body ops, and what the chunk's number is used for;
    K6 products of float64 operands are in float64; K8 shapes in bodies are static; K9
    placements are disjoint. It changes nothing.
  }];
}

def PrintDimClasses : Pass<"weft-print-dim-classes"> {
  let summary = "print which dims must have one size";
  let description = [{
    One line a class of dims, for every function: its number, size and role, names
    given by the author, `free` for a feature that nothing contracts, reduces or
    normalises, the op that fixes its size, and how many dims it has.
  }];
}

#endif // SCANWEFT_PASSES_VERIFICATION_PASSES_TD
