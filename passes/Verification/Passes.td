// Part of Scanweft, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

//===----------------------------------------------------------------------===//
// Passes that close a stage: they verify and change nothing.
// One entry a pass; its argument is `weft-...`, the stem of its .cpp and test.
//===----------------------------------------------------------------------===//

#ifndef SCANWEFT_PASSES_VERIFICATION_PASSES_TD
#define SCANWEFT_PASSES_VERIFICATION_PASSES_TD

include "mlir/Pass/PassBase.td"

def PrintDimClasses : Pass<"weft-print-dim-classes"> {
  let summary = "print which dims must have one size";
  let description = [{
    One line a class of dims, for every function: its number, size and role, names
    given by the author, `free` for a feature that nothing contracts, reduces or
    normalises, the op that fixes its size, and how many dims it has.
  }];
}

#endif // SCANWEFT_PASSES_VERIFICATION_PASSES_TD
