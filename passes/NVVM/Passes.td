// Part of Scanweft, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef SCANWEFT_PASSES_NVVM_PASSES_TD
#define SCANWEFT_PASSES_NVVM_PASSES_TD

include "mlir/Pass/PassBase.td"

def MathToNvvm : Pass<"wtile-math-to-nvvm"> {
  let summary = "mathematics on floats to the instructions of a GPU";
  let description = [{
    A GPU has instructions for 2^x, log2 x, 1/x, square roots and tanh, each an
    approximation, and no library. Functions are written in terms of these such
    that infinities, zeros and NaN come out as IEEE says, and the relative error
    serves a kernel in f32; f16 and bf16 are computed in f32 and rounded. What
    flushes to zero are results and operands below the normal range.

    `precise` asks for a few units in the last place instead: quotients and roots
    are rounded correctly, `exp` and `log` lose no digits to their argument.

    Floats of other types, and functions that have no such form, are errors.
  }];
  let options = [
    Option<"precise", "precise", "bool", "false",
           "f32 to a few units in the last place, at more instructions">];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::math::MathDialect",
                           "::mlir::LLVM::LLVMDialect"];
}

#endif // SCANWEFT_PASSES_NVVM_PASSES_TD
