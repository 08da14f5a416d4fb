// Part of Scanweft, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef SCANWEFT_PASSES_CPU_PASSES_TD
#define SCANWEFT_PASSES_CPU_PASSES_TD

include "mlir/Pass/PassBase.td"

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
    buffer for all its turns.
  }];
  let dependentDialects = ["::mlir::bufferization::BufferizationDialect"];
}

#endif // SCANWEFT_PASSES_CPU_PASSES_TD
