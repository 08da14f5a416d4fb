// Part of Scanweft, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

//===----------------------------------------------------------------------===//
// How ops on whole tensors become ops on a chunk. A token-wise op is the same
// op on fewer dims; a scan has a rule of its own that emits body ops and the
// elements of its carries.
//===----------------------------------------------------------------------===//

#ifndef SCANWEFT_DIALECTS_WEFT_IR_WEFTCHUNKRULE_TD
#define SCANWEFT_DIALECTS_WEFT_IR_WEFTCHUNKRULE_TD

include "mlir/IR/OpBase.td"

def Weft_DimwiseOpInterface : OpInterface<"DimwiseOpInterface"> {
  let cppNamespace = "::scanweft::weft";
  let description = [{
    An op of one result that acts along some dims of its operands and treats all
    others alike: entry i of the result along such a dim depends on entries i of the
    operands only. The op on tensors that lack such a dim is the same op.
  }];
  let methods = [
    InterfaceMethod<"For each dim of an operand, the dim of the result that has its size; -1 where none has.",
      "::llvm::SmallVector<int64_t>", "getResultDims", (ins "unsigned":$operand)>,
    InterfaceMethod<"Whether entries along a dim of an operand meet: the op acts along it.",
      "bool", "actsAlong", (ins "unsigned":$operand, "unsigned":$dim), [{}],
      [{ return $_op.getResultDims(operand)[dim] < 0; }]>,
    InterfaceMethod<"Whether only the sizes of an operand matter.",
      "bool", "isShapeOnly", (ins "unsigned":$operand), [{}], [{ return false; }]>,
    InterfaceMethod<[{The same op on operands that keep the dims `operandDims` only, one list an operand, its
        result keeping `resultDims`. An operand that is shape only is null.}],
      "::mlir::Value", "buildOnDims",
      (ins "::mlir::OpBuilder &":$builder, "::mlir::Location":$loc, "::mlir::ValueRange":$operands,
           "::llvm::ArrayRef<::llvm::SmallVector<int64_t>>":$operandDims,
           "::llvm::ArrayRef<int64_t>":$resultDims, "::mlir::RankedTensorType":$type)>,
  ];
}

def Weft_ChunkRuleOpInterface : OpInterface<"ChunkRuleOpInterface"> {
  let cppNamespace = "::scanweft::weft";
  let description = [{
    A scan that can be cut into chunks. It declares its carries, with their states
    before the first chunk, at the scope of the program; then it emits, inside the
    chunk, body ops for its rows and one element per carry. Its results without a
    time axis are the final states of its carries, in order.
  }];
  let methods = [
    InterfaceMethod<"The carries: kind and initial states, emitted at program scope.",
      "::llvm::SmallVector<::scanweft::weft::CarryDeclaration>", "declareCarries",
      (ins "::scanweft::weft::ChunkScope &":$scope)>,
    InterfaceMethod<[{Emits the chunk. `states` are the carries' states at the chunk's start, in the
        order declared.}],
      "::scanweft::weft::ChunkEmission", "emitChunk",
      (ins "::scanweft::weft::ChunkScope &":$scope, "::mlir::ValueRange":$states)>,
  ];
}

#endif // SCANWEFT_DIALECTS_WEFT_IR_WEFTCHUNKRULE_TD
