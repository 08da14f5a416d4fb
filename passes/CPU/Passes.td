// Part of Scanweft, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef SCANWEFT_PASSES_CPU_PASSES_TD
#define SCANWEFT_PASSES_CPU_PASSES_TD

include "mlir/Pass/PassBase.td"

def LowerAlgebra : Pass<"weft-lower-algebra", "::mlir::ModuleOp"> {
  let summary = "ops on whole tensors to loops over batch entries, heads and steps";
  let description = [{
    The reference meaning of the algebra stage, one token after the other and
    independent of every chunk rule. A scan's loops carry its states and update
    them, and the outputs, in place; an affine scan's clauses act in the order
    written. Groups are inlined.
  }];
  let dependentDialects = ["::mlir::linalg::LinalgDialect", "::mlir::scf::SCFDialect"];
}

def CheckBounds : Pass<"weft-check-bounds", "::mlir::ModuleOp"> {
  let summary = "check at run time that slices, placements and sizes fit";
  let description = [{
    Before an op whose indices or sizes are known only at run time stands a call that
    ends the run where they do not fit, with the op's place in the author's file. What
    types prove is not checked.
  }];
  let dependentDialects = ["::mlir::func::FuncDialect", "::mlir::scf::SCFDialect",
                           "::mlir::LLVM::LLVMDialect"];
}

def LowerChunked : Pass<"weft-lower-chunked", "::mlir::ModuleOp"> {
  let summary = "weft.kernel and weft.chunked to loops over tensors";
  let description = [{
    A kernel becomes a nest of loops over its program coordinates that threads
    the results; a placement becomes an insertion into them. The loop over
    chunks becomes an `scf.for` that threads the states and the row outputs;
    elements are expanded through their carry kind's act on rows.
  }];
  let options = [
    Option<"statistics", "statistics", "bool", "false",
           "count the chunks that are walked and the combines that fold a segment">];
  let dependentDialects = ["::mlir::func::FuncDialect", "::mlir::linalg::LinalgDialect",
                           "::mlir::scf::SCFDialect"];
}

def ExpandCarries : Pass<"weft-expand-carries", "::mlir::ModuleOp"> {
  let summary = "ops on dense elements to body ops, scans of them to loops over a tree's levels";
  let description = [{
    Identities, combines and acts are expanded through the carry kind. A scan of
    S stacked elements becomes an up-sweep and a down-sweep over the levels of a
    balanced tree, whose code does not grow with S.
  }];
  let options = [
    Option<"statistics", "statistics", "bool", "false",
           "count the combines and the levels of scans">];
  let dependentDialects = ["::mlir::func::FuncDialect", "::mlir::scf::SCFDialect"];
}

def LowerToLoops : Pass<"wtile-lower-to-loops", "::mlir::ModuleOp"> {
  let summary = "kernels of the tile stage to functions, their launches to loops over programs";
  let description = [{
    The tile stage without layouts, executed as it stands. A launch calls its
    kernel for every program, the last axis fastest; its outs are memory of their
    own. Loads and stores copy the live rows, which are checked to lie inside the
    view. Ops on tiles become linalg on tensors, 16 x 16 factorisations body ops;
    body ops stay for their own pass. Products are summed in f32, f32 factors as
    the matrix unit reads them, without their low 13 bits.
  }];
  let dependentDialects = ["::mlir::bufferization::BufferizationDialect",
                           "::mlir::func::FuncDialect", "::mlir::linalg::LinalgDialect",
                           "::mlir::LLVM::LLVMDialect", "::mlir::memref::MemRefDialect",
                           "::mlir::scf::SCFDialect", "::scanweft::weft::WeftDialect"];
}

def LowerBody : Pass<"weft-lower-body", "::mlir::ModuleOp"> {
  let summary = "body ops on tensors to linalg, tensor, scf, arith and math";
  let description = [{
    One op at a time, each with its meaning written out: products round their
    operands as their numerics say, sums run in increasing order of the index.
    No op of the dialect is left.
  }];
  let options = [
    Option<"statistics", "statistics", "bool", "false", "count the Cholesky factorisations">];
  let dependentDialects = ["::mlir::func::FuncDialect", "::mlir::linalg::LinalgDialect",
                           "::mlir::scf::SCFDialect"];
}

def CarryInPlace : Pass<"weft-carry-in-place", "::mlir::ModuleOp"> {
  let summary = "write what a loop yields into the tensor it carries";
  let description = [{
    Every tensor that an `scf.for` yields is made, in the end, by an op that
    writes into the carried tensor, so that bufferization gives the loop one
    buffer for all its turns. No two loop operands are one `tensor.empty`, whose
    buffer they would share.
  }];
  let dependentDialects = ["::mlir::bufferization::BufferizationDialect"];
}

def ProtectArguments : Pass<"weft-protect-arguments", "::mlir::ModuleOp"> {
  let summary = "public functions never write into their arguments";
  let description = [{
    Bufferization may reuse the buffer of an argument for a result. A caller
    from outside does not expect that: arguments of public functions become read
    only, and one that is returned or updated is copied first.
  }];
  let dependentDialects = ["::mlir::bufferization::BufferizationDialect"];
}

def LowerCopies : Pass<"weft-lower-copies"> {
  let summary = "memref.copy of strided buffers to linalg";
  let description = [{
    The LLVM conversion turns a copy between strided buffers into a call of a
    library that walks dynamic shapes element by element. As a loop of the known
    rank it needs no library. Copies of contiguous buffers stay: they are a
    memcpy.
  }];
  let dependentDialects = ["::mlir::linalg::LinalgDialect"];
}

def ExpandSmallFloats : Pass<"weft-expand-small-floats"> {
  let summary = "conversions between f64, integers and 16-bit floats by way of f32";
  let description = [{
    What upstream's expansion of bf16 leaves to the backend, and the backend to
    library functions that not every system has: f64 and integers to bf16 and
    f16, and back to f64. A value is rounded once: the step through f32 rounds to
    odd.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect"];
}

#endif // SCANWEFT_PASSES_CPU_PASSES_TD
