// Part of Scanweft, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

//===----------------------------------------------------------------------===//
// What passes ask: carry kinds (attributes), element ops, chunk rules.
// Passes never ask which kind or which op they hold.
//===----------------------------------------------------------------------===//

#ifndef SCANWEFT_DIALECTS_WEFT_IR_WEFTINTERFACES_TD
#define SCANWEFT_DIALECTS_WEFT_IR_WEFTINTERFACES_TD

include "mlir/IR/OpBase.td"

def Weft_CarryKindInterface : AttrInterface<"CarryKindInterface"> {
  let cppNamespace = "::scanweft::weft";
  let description = [{
    A carry kind is a monoid of *elements* and its action on a *state*. A chunk
    yields one element a carry, as rows (an element op's operands); schedules
    that cut time into segments need the element in its *dense* form, a fixed
    number of tensors that do not depend on the number of rows.

    Laws, checked by property tests: `combine` is associative, `identity` is its
    neutral element, `actOnDense(combine(l, e), x)` equals
    `actOnDense(l, actOnDense(e, x))`, and `actOnRows(rows, x)` equals
    `actOnDense(toDense(rows), x)`.

    Every builder method emits body ops at the builder's insertion point. `element` is an op
    with ElementOpInterface, of an op class the kind knows from its verifyElement.
  }];
  let methods = [
    InterfaceMethod<"Number of tensors that make up a state.",
      "unsigned", "getNumStateTensors">,
    InterfaceMethod<"The kind whose element a chunk yields for this carry: the kind itself, or the inner kind of a wrapper.",
      "::mlir::Attribute", "getElementKind", (ins), [{}], [{ return $_attr; }]>,
    InterfaceMethod<"Whether `states` can be a state of this kind; says why not.",
      "::llvm::LogicalResult", "verifyState",
      (ins "::llvm::function_ref<::mlir::InFlightDiagnostic()>":$emitError, "::mlir::TypeRange":$states)>,
    InterfaceMethod<"Whether the element's parts fit the state; says why not.",
      "::llvm::LogicalResult", "verifyElement",
      (ins "::llvm::function_ref<::mlir::InFlightDiagnostic()>":$emitError,
           "::mlir::Operation *":$element, "::mlir::TypeRange":$states)>,
    InterfaceMethod<"Whether `dense` can be a dense element of this kind; says why not.",
      "::llvm::LogicalResult", "verifyDense",
      (ins "::llvm::function_ref<::mlir::InFlightDiagnostic()>":$emitError, "::mlir::TypeRange":$dense),
      [{}], [{ return $_attr.verifyState(emitError, dense); }]>,
    InterfaceMethod<"Whether the symbols that the kind names, looked up from `user`, are there and fit; says why not.",
      "::llvm::LogicalResult", "verifySymbols",
      (ins "::llvm::function_ref<::mlir::InFlightDiagnostic()>":$emitError, "::mlir::Operation *":$user,
           "::mlir::SymbolTableCollection &":$symbols), [{}], [{ return ::mlir::success(); }]>,
    InterfaceMethod<"Types of the dense element that acts on a state of these types.",
      "::llvm::SmallVector<::mlir::Type>", "getDenseTypes", (ins "::mlir::TypeRange":$states)>,
    InterfaceMethod<"The neutral dense element.",
      "::llvm::SmallVector<::mlir::Value>", "buildIdentity",
      (ins "::mlir::OpBuilder &":$builder, "::mlir::Location":$loc, "::mlir::TypeRange":$dense)>,
    InterfaceMethod<"The dense form of a chunk's element.",
      "::llvm::SmallVector<::mlir::Value>", "buildDense",
      (ins "::mlir::OpBuilder &":$builder, "::mlir::Location":$loc,
           "::mlir::Operation *":$element, "::mlir::TypeRange":$states)>,
    InterfaceMethod<"Dense elements: `later` after `earlier`.",
      "::llvm::SmallVector<::mlir::Value>", "buildCombine",
      (ins "::mlir::OpBuilder &":$builder, "::mlir::Location":$loc, "::mlir::ValueRange":$later,
           "::mlir::ValueRange":$earlier, "const ::scanweft::weft::NumericsAttr &":$numerics)>,
    InterfaceMethod<"The state after chunk `chunk`, from the chunk's element as rows.",
      "::llvm::SmallVector<::mlir::Value>", "buildActOnRows",
      (ins "::mlir::OpBuilder &":$builder, "::mlir::Location":$loc,
           "::mlir::Operation *":$element, "::mlir::ValueRange":$state, "::mlir::Value":$chunk)>,
    InterfaceMethod<"The state after the aligned block `block` of 2^`level` chunks, from the block's dense element.",
      "::llvm::SmallVector<::mlir::Value>", "buildActOnDense",
      (ins "::mlir::OpBuilder &":$builder, "::mlir::Location":$loc, "::mlir::ValueRange":$dense,
           "::mlir::ValueRange":$state, "::mlir::Value":$block, "::mlir::Value":$level,
           "const ::scanweft::weft::NumericsAttr &":$numerics)>,
    InterfaceMethod<"The linear part of the element applied to the state: F x of x' = F x + G. Only kinds whose action is affine have one; the others return an empty list.",
      "::llvm::SmallVector<::mlir::Value>", "buildTransition",
      (ins "::mlir::OpBuilder &":$builder, "::mlir::Location":$loc,
           "::mlir::Operation *":$element, "::mlir::ValueRange":$state), [{}], [{ return {}; }]>,
    InterfaceMethod<"As buildTransition, from the dense element.",
      "::llvm::SmallVector<::mlir::Value>", "buildDenseTransition",
      (ins "::mlir::OpBuilder &":$builder, "::mlir::Location":$loc, "::mlir::ValueRange":$dense,
           "::mlir::ValueRange":$state, "const ::scanweft::weft::NumericsAttr &":$numerics), [{}], [{ return {}; }]>,
    InterfaceMethod<"The constant part G of x' = F x + G, from the dense element; empty where the action is not affine.",
      "::llvm::SmallVector<::mlir::Value>", "buildDenseContribution",
      (ins "::mlir::OpBuilder &":$builder, "::mlir::Location":$loc, "::mlir::ValueRange":$dense), [{}], [{ return {}; }]>,
    InterfaceMethod<"Whether the action is affine in the state, so that the kind can stand in a stack of states.",
      "bool", "isAffineAction", (ins), [{}], [{ return false; }]>,
    InterfaceMethod<"Whether summaries of segments are scanned by this kind's own action, one level up, in place of an up-sweep and a down-sweep.",
      "bool", "isScannedByAction", (ins), [{}], [{ return false; }]>,
    InterfaceMethod<"Whether the state is itself a dense element, so that an act is a combine that folds a segment.",
      "bool", "isSummary", (ins), [{}], [{ return false; }]>,
    InterfaceMethod<"Which dims of the element's operands are dims of the state.",
      "::llvm::SmallVector<::scanweft::weft::StateDimTie>", "getStateDimTies",
      (ins "::mlir::Operation *":$element, "::mlir::TypeRange":$states), [{}], [{ return {}; }]>,
    InterfaceMethod<"State dims (tensor, dim) that no act contracts, reduces or normalises: they may be split over programs.",
      "::llvm::SmallVector<std::pair<unsigned, unsigned>>", "getFreeDims", (ins "::mlir::TypeRange":$states)>,
  ];
}

def Weft_AlgebraOpInterface : OpInterface<"AlgebraOpInterface"> {
  let cppNamespace = "::scanweft::weft";
  let description = [{
    An op on whole tensors with the axes batch, time, head and features. Passes
    that gather ops into one launch or cut time into chunks ask which dim of which
    operand is which axis; an operand without time is a value of the program, one
    with time a value of the step.
  }];
  let methods = [
    InterfaceMethod<"The axis of each dim of an operand.",
      "::llvm::SmallVector<::scanweft::weft::Axis>", "getOperandAxes", (ins "unsigned":$operand)>,
    InterfaceMethod<"The axis of each dim of a result.",
      "::llvm::SmallVector<::scanweft::weft::Axis>", "getResultAxes", (ins "unsigned":$result)>,
    InterfaceMethod<"What an operand is to the author: its clause and role.",
      "::llvm::StringRef", "getOperandRole", (ins "unsigned":$operand)>,
    InterfaceMethod<"Whether a step depends on other steps.", "bool", "isScan", (ins), [{}], [{ return true; }]>,
    InterfaceMethod<"Whether time runs from the last step to the first.",
      "bool", "runsReverse", (ins), [{}], [{ return $_op.getReverse(); }]>,
    InterfaceMethod<"Whether an operand has as many heads as the results; else its heads divide theirs.",
      "bool", "hasResultHeads", (ins "unsigned":$operand), [{}], [{ return false; }]>,
    InterfaceMethod<"The chunk size that the author asks for.",
      "std::optional<int64_t>", "getRequestedChunk", (ins), [{}], [{ return $_op.getChunk(); }]>,
  ];
}

def Weft_ElementOpInterface : OpInterface<"ElementOpInterface"> {
  let cppNamespace = "::scanweft::weft";
  let description = [{
    An op that makes the element of a carry from a chunk's rows. Its operands
    are the element's parts; its numerics are those of the products that its
    act and its dense form expand into.
  }];
  let methods = [
    InterfaceMethod<"Numerics of the products that the element expands into; null where it expands into none.",
      "::scanweft::weft::NumericsAttr", "getElementNumerics">,
    InterfaceMethod<[{For each set of rows among the operands, what they must be on dead rows for these to
        leave the state as it is.}],
      "::llvm::SmallVector<::scanweft::weft::DeadRowAlternatives>", "getDeadRowNeeds">,
  ];
}

#endif // SCANWEFT_DIALECTS_WEFT_IR_WEFTINTERFACES_TD
