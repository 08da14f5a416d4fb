// Part of Scanweft, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

//===----------------------------------------------------------------------===//
// The second half of lowering for the CPU: linalg, scf, tensor, arith and math
// on tensors to the llvm dialect.
//===----------------------------------------------------------------------===//

#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"
#include "passes/CPU/Passes.h"
#include "llvm/ADT/Twine.h"
#include <functional>
#include <string>

using namespace mlir;

/// Tensors to buffers. Loops get their buffers after the last elimination of
/// common subexpressions, which would merge them again, and before elementwise
/// ops become linalg ops, which write over an operand where they can.
/// Allocations leave the loops that they can leave; those that stay are freed
/// where they die, so that a long loop over chunks runs in the memory of one
/// chunk. A buffer that is returned twice is copied.
static constexpr llvm::StringLiteral kBufferize(
    "canonicalize,cse,weft-carry-in-place,"
    "func.func(convert-elementwise-to-linalg),"
    "eliminate-empty-tensors,empty-tensor-to-alloc-tensor,"
    "weft-protect-arguments,"
    "one-shot-bufferize{bufferize-function-boundaries "
    "function-boundary-type-conversion=identity-layout-map},"
    "canonicalize,cse,func.func(buffer-hoisting,buffer-loop-hoisting),"
    "buffer-deallocation-pipeline,convert-bufferization-to-memref");

/// Buffers to scalar loops, and 16-bit floats to arithmetic on f32 and bits:
/// nothing is left to conversion functions that a system may lack.
static constexpr llvm::StringLiteral
    kToLoops("func.func(weft-lower-copies,convert-linalg-to-loops,"
             "scf-forall-to-for,math-expand-ops{ops=rsqrt,ctlz},math-extend-to-"
             "supported-types{target-type=f32},"
             "arith-emulate-unsupported-floats{source-types=bf16,f16 "
             "target-type=f32},weft-expand-small-floats,"
             "arith-expand{include-bf16=true})");

/// Accurate library functions first: the LLVM conversion would make
/// log(1 + x) of log1p.
static constexpr llvm::StringLiteral
    kToLLVM("convert-math-to-libm,convert-scf-to-cf,expand-strided-metadata,"
            "lower-affine,convert-to-llvm,reconcile-unrealized-casts");

/// Registers `argument` as the text of a pipeline. The text names passes of
/// others: a tool that lacks one gets an error when it asks for the pipeline.
static void registerText(StringRef argument, StringRef description,
                         std::function<std::string(StringRef)> text) {
  registerPassPipeline(
      argument, description,
      [text](OpPassManager &manager, StringRef options,
             function_ref<LogicalResult(const Twine &)> emitError) {
        std::string problems;
        llvm::raw_string_ostream stream(problems);
        if (succeeded(parsePassPipeline(text(options), manager, stream)))
          return success();
        return emitError(problems);
      },
      [](function_ref<void(const detail::PassOptions &)>) {});
}

void scanweft::registerBufferizeToLLVMPipeline() {
  registerText(
      "weft-bufferize-to-llvm",
      "linalg, scf, tensor, arith and math on tensors to llvm", [](StringRef) {
        return (Twine(kBufferize) + "," + kToLoops + "," + kToLLVM).str();
      });
  registerText(
      "weft-to-cpu",
      "any stage without layouts to llvm: weft-to-linalg, whose options it "
      "takes, then weft-bufferize-to-llvm",
      [](StringRef options) {
        return ("weft-to-linalg{" + Twine(options) + "},weft-bufferize-to-llvm")
            .str();
      });
}
