// Part of Scanweft, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

//===----------------------------------------------------------------------===//
// Numerics, carry kinds, and the element type.
//===----------------------------------------------------------------------===//

#ifndef SCANWEFT_DIALECTS_WEFT_IR_WEFTATTRS_TD
#define SCANWEFT_DIALECTS_WEFT_IR_WEFTATTRS_TD

include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/EnumAttr.td"
include "dialects/Weft/IR/WeftDialect.td"
include "dialects/Weft/IR/WeftInterfaces.td"

class Weft_Attr<string name, string attrMnemonic, list<Trait> traits = []>
    : AttrDef<Weft_Dialect, name, traits> {
  let mnemonic = attrMnemonic;
}

class Weft_Enum<string name, string summary, list<I32EnumCase> cases>
    : I32Enum<name, summary, cases> {
  let cppNamespace = "::scanweft::weft";
}

//===----------------------------------------------------------------------===//
// Enums
//===----------------------------------------------------------------------===//

def Weft_Precision : Weft_Enum<"Precision", "how the operands of a product are rounded", [
  I32EnumCase<"F64", 0, "f64">, I32EnumCase<"F32", 1, "f32">,
  I32EnumCase<"TF32", 2, "tf32">, I32EnumCase<"TF32x3", 3, "tf32x3">,
  I32EnumCase<"BF16", 4, "bf16">, I32EnumCase<"BF16x3", 5, "bf16x3">,
  I32EnumCase<"F16", 6, "f16">, I32EnumCase<"F16x2", 7, "f16x2">]>;

def Weft_DecaySpace : Weft_Enum<"DecaySpace", "how a decay is stored: as the factor, its natural logarithm or its logarithm to base 2", [
  I32EnumCase<"Linear", 0, "linear">, I32EnumCase<"Log", 1, "log">, I32EnumCase<"Log2", 2, "log2">]>;

def Weft_EpsilonMode : Weft_Enum<"EpsilonMode", "how a normaliser is kept from zero: epsilon added to it, or the normaliser clamped to be at least epsilon", [
  I32EnumCase<"Added", 0, "added">, I32EnumCase<"Clamped", 1, "clamped">]>;

def Weft_ScanClause : Weft_Enum<"ScanClause", "a clause of an affine scan that acts on or reads the state", [
  I32EnumCase<"Decay", 0, "decay">, I32EnumCase<"Write", 1, "write">, I32EnumCase<"Read", 2, "read">]>;

//===----------------------------------------------------------------------===//
// Numerics
//===----------------------------------------------------------------------===//

def Weft_NumericsAttr : Weft_Attr<"Numerics", "numerics"> {
  let summary = "precision of a product: operands and accumulator";
  let description = [{
    `in` is how both operands are rounded before they are multiplied: `f64`,
    `f32`, `tf32` (round to nearest), `bf16`, `f16`; `tf32x3` and `bf16x3` split
    both operands in a high and a low half and form three products; `f16x2`
    splits the second operand in two halves and forms two. `acc` is the type in
    which products are summed: `f32`, or `f64` with `in = f64` and only there.

    ```mlir
    func.func @product(%a: tensor<16x8xf32>, %b: tensor<8x4xf32>) -> tensor<16x4xf32> {
      %c = weft.dot %a, %b over [1, 0] numerics<in = bf16, acc = f32>
          : tensor<16x8xf32>, tensor<8x4xf32> -> tensor<16x4xf32>
      return %c : tensor<16x4xf32>
    }
    ```
  }];
  let parameters = (ins EnumParameter<Weft_Precision>:$in, "::mlir::Type":$acc);
  let assemblyFormat = "`<` struct(params) `>`";
  let genVerifyDecl = 1;
}

//===----------------------------------------------------------------------===//
// Carry kinds
//===----------------------------------------------------------------------===//

class Weft_CarryKind<string name, string attrMnemonic, list<string> more = []>
    : Weft_Attr<name, attrMnemonic, [DeclareAttrInterfaceMethods<Weft_CarryKindInterface, !listconcat([
        "getNumStateTensors", "verifyState", "verifyElement", "getDenseTypes", "buildIdentity",
        "buildDense", "buildCombine", "buildActOnRows", "buildActOnDense", "getFreeDims", "getStateDimTies"], more)>]>;

/// A kind made of an inner kind, whose elements it takes.
class Weft_CarryWrapper<string name, string attrMnemonic, list<string> more = []>
    : Weft_CarryKind<name, attrMnemonic, !listconcat([
        "getElementKind", "verifyDense", "verifySymbols"], more)>;

class Weft_AffineCarryKind<string name, string attrMnemonic, list<string> more = []>
    : Weft_CarryKind<name, attrMnemonic, !listconcat([
        "buildTransition", "buildDenseTransition", "buildDenseContribution", "isAffineAction"], more)>;

def Weft_SumAttr : Weft_AffineCarryKind<"Sum", "sum"> {
  let summary = "a running sum: state x, element an addend e, x' = x + e";
  let description = [{
    One state tensor of any shape. The element (`weft.sum_element`) has the
    state's type, as rows and dense alike; combine adds.
  }];
}

def Weft_AffineAttr : Weft_AffineCarryKind<"Affine", "affine", ["verifyDense"]> {
  let summary = "a memory with decay, erase and write: x' = d x + sum over terms of w^T (v - r x)";
  let description = [{
    The state x is [K, V] or [K]. The element as rows (`weft.affine_element`) is
    a decay d, absent, scalar or [K], and terms of write rows w [C, K], erase rows
    r [C, K] or none, value rows v [C, V] or none. Dense: F = diag(d) - sum w^T r
    and G = sum w^T v with x' = F x + G; F is [K, K]. combine(later, earlier) is
    (F2 F1, F2 G1 + G2). The value dim V is free.
  }];
}

def Weft_InverseGramAttr : Weft_CarryKind<"InverseGram", "inverse_gram"> {
  let summary = "the inverse of a growing Gram matrix: state A = M^-1, M' = M + u^T u";
  let description = [{
    The state A is [K, K], symmetric positive definite. The element as rows
    (`weft.gram_element`) is u [C, K]; the act on rows is a downdate by Cholesky:
    P = u A, L L^T = I + P u^T, U = L^-1 P, A' = A - U^T U. Dense: the Gram matrix
    S = u^T u; combine adds; the act on dense is (A^-1 + S)^-1.
  }];
}

def Weft_OnlineSoftmaxAttr : Weft_CarryKind<"OnlineSoftmax", "online_softmax"> {
  let summary = "attention accumulated over keys: state (m, l, acc)";
  let description = [{
    For R queries: m [R] the running maximum, l [R] the sum of weights
    relative to it, acc [R, V] the weighted values. The element
    (`weft.softmax_element`) is scores [R, C] and values [C, V]; the dense element
    is (m, l, acc) of those scores alone; combine rescales to the larger maximum
    and adds. A row whose scores are all -inf stays (-inf, 0, 0).
  }];
}

def Weft_FenwickAttr : Weft_CarryWrapper<"Fenwick", "fenwick", ["isScannedByAction"]> {
  let summary = "a stack of states, one per set bit of the chunk index";
  let description = [{
    The state is the inner kind's one state tensor with a leading dim of slots.
    After chunk n every slot takes the inner element's transition; with r the
    number of trailing zeros of n + 1, slot r becomes the element's contribution
    plus the sum of the slots below r, which become zero. The inner kind's action
    must be affine. Summaries of aligned segments are scanned by this same act one
    level up. Only the first [slots] levels exist: a program checks its length
    against them.
  }];
  let parameters = (ins "::scanweft::weft::CarryKindInterface":$inner);
  let assemblyFormat = "`<` $inner `>`";
  let genVerifyDecl = 1;
}

def Weft_RegionAttr : Weft_CarryKind<"Region", "region", ["verifySymbols"]> {
  let summary = "an author's monoid: tensors combined entry by entry by a function on scalars";
  let description = [{
    `combine` names a function (earlier..., later...) -> results on scalars, which
    is applied to every entry; `identity` holds its neutral element, one typed
    number per state tensor. The state is any number of tensors of one shape.
    The function must be associative; nothing checks that.

    ```mlir
    func.func private @larger(%earlier: f32, %later: f32) -> f32 {
      %m = arith.maximumf %earlier, %later : f32
      return %m : f32
    }
    func.func @join(%later: tensor<8xf32>, %earlier: tensor<8xf32>) -> tensor<8xf32> {
      %m = weft.combine #weft.region<@larger identity [0xFF800000 : f32]>
          later(%later : tensor<8xf32>) earlier(%earlier : tensor<8xf32>)
          numerics<in = f32, acc = f32>
      return %m : tensor<8xf32>
    }
    ```
  }];
  let parameters = (ins "::mlir::FlatSymbolRefAttr":$combine, "::mlir::ArrayAttr":$identity);
  let assemblyFormat = "`<` $combine `identity` $identity `>`";
  let genVerifyDecl = 1;
}

def Weft_SummaryAttr : Weft_CarryWrapper<"Summary", "summary", ["isSummary"]> {
  let summary = "the dense elements of a segment's chunks, folded";
  let description = [{
    The state is the inner kind's dense element; the act on an element is
    combine(dense(element), state). A segment's walk that computes its summary is
    a `weft.chunked` with this carry. The inner kind's own state types are kept,
    since rows do not always determine them.
  }];
  let parameters = (ins "::scanweft::weft::CarryKindInterface":$inner,
                        ArrayRefParameter<"::mlir::Type">:$states);
  let assemblyFormat = "`<` $inner `of` $states `>`";
  let genVerifyDecl = 1;
}

//===----------------------------------------------------------------------===//
// The element type
//===----------------------------------------------------------------------===//

def Weft_ElementType : TypeDef<Weft_Dialect, "Element"> {
  let mnemonic = "element";
  let summary = "an element of a carry kind's monoid, as a chunk's rows";
  let description = [{
    Made by an element op, consumed by `weft.next` only: a schedule expands it
    through the kind.
  }];
  let parameters = (ins "::scanweft::weft::CarryKindInterface":$kind);
  let assemblyFormat = "`<` $kind `>`";
}

class Weft_ElementOf<string kind>
    : Type<CPred<"::llvm::isa<::scanweft::weft::ElementType>($_self) && "
                 "::llvm::isa<::scanweft::weft::" # kind # "Attr>("
                 "::llvm::cast<::scanweft::weft::ElementType>($_self).getKind())">,
           "element of " # kind>,
      BuildableType<"::scanweft::weft::ElementType::get($_builder.getContext(), "
                    "::scanweft::weft::" # kind # "Attr::get($_builder.getContext()))">;

#endif // SCANWEFT_DIALECTS_WEFT_IR_WEFTATTRS_TD
