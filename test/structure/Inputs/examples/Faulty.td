// Part of Scanweft, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Definitions with one fault each, for the test of the search.

include "dialects/Weft/IR/WeftDialect.td"

def Faulty_SilentOp : Weft_Op<"silent"> {
  let summary = "has no description";
}

def Faulty_UnusedOp : Weft_Op<"unused"> {
  let summary = "its example is of another op";
  let description = [{
    ```mlir
    func.func @other(%x: tensor<8xf32>) -> tensor<8xf32> {
      return %x : tensor<8xf32>
    }
    ```
  }];
}

def Faulty_BrokenOp : Weft_Op<"broken"> {
  let summary = "its example is no program";
  let description = [{
    ```mlir
    func.func @broken(%x: tensor<8xf32>) -> tensor<8xf32> {
      %y = weft.broken %x : tensor<8xf32>
      return %y : tensor<8xf32>
    }
    ```
  }];
}
