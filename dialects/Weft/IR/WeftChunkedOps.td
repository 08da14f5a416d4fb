// Part of Scanweft, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

//===----------------------------------------------------------------------===//
// The chunked stage: one launch, the loop over chunks, elements of carries, and
// the ops on dense elements that schedules emit.
//===----------------------------------------------------------------------===//

#ifndef SCANWEFT_DIALECTS_WEFT_IR_WEFTCHUNKEDOPS_TD
#define SCANWEFT_DIALECTS_WEFT_IR_WEFTCHUNKEDOPS_TD

include "mlir/IR/OpAsmInterface.td"
include "mlir/IR/RegionKindInterface.td"
include "mlir/IR/SymbolInterfaces.td"
include "mlir/Interfaces/ControlFlowInterfaces.td"
include "dialects/Weft/IR/WeftBodyOps.td"

//===----------------------------------------------------------------------===//
// One launch
//===----------------------------------------------------------------------===//

def Weft_KernelOp : Weft_Op<"kernel", [RecursiveMemoryEffects, SingleBlock, AttrSizedOperandSegments,
    DeclareOpInterfaceMethods<OpAsmOpInterface, ["getAsmBlockArgumentNames"]>]> {
  let summary = "one launch: what each of its programs computes, and where the results go";
  let description = [{
    The region is one program; its arguments are the program's coordinates, one for
    each of `programs`. Program scope is ordinary SSA over the enclosing values. The
    terminator `weft.place` puts each program's tensors into the results, which start
    out as `inits`.

    ```mlir
    func.func @double(%x: tensor<?x?x?x64xf32>, %B: index, %T: index, %H: index) -> tensor<?x?x?x64xf32> {
      %init = tensor.empty(%B, %T, %H) : tensor<?x?x?x64xf32>
      %r = weft.kernel @double programs(%B, %H) outs(%init : tensor<?x?x?x64xf32>) {
      ^program(%b: index, %h: index):
        %v = tensor.extract_slice %x[%b, 0, %h, 0] [1, %T, 1, 64] [1, 1, 1, 1]
            : tensor<?x?x?x64xf32> to tensor<?x64xf32>
        %y = arith.addf %v, %v : tensor<?x64xf32>
        weft.place %y into [%b, *, %h, *] : tensor<?x64xf32>
      }
      return %r : tensor<?x?x?x64xf32>
    }
    ```
  }];
  let arguments = (ins FlatSymbolRefAttr:$name,
                       Arg<Variadic<Index>, "extent of each program axis">:$programs,
                       Arg<Variadic<AnyRankedTensor>, "the results before any program ran">:$inits);
  let results = (outs Res<Variadic<AnyRankedTensor>, "the inits with the programs' tensors in place">:$results);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = [{
    $name `programs` `(` $programs `)` (`outs` `(` $inits^ `:` type($inits) `)`)?
    attr-dict-with-keyword $body custom<SameTypes>(ref(type($inits)), type($results))
  }];
  let hasVerifier = 1;
  let hasRegionVerifier = 1;
  let hasCanonicalizer = 1;
}

def Weft_PlaceOp : Weft_Op<"place", [Pure, Terminator, HasParent<"KernelOp">, AttrSizedOperandSegments]> {
  let summary = "put a program's tensors into the kernel's results";
  let description = [{
    Value i goes into result i. `into` gives, for each dim of the result, an index, or `*`
    where the value spans the dim: the starred dims are the value's dims in order. With
    `rows(%idx live %lo to %hi)` row r of the value, lo <= r < hi, goes to index idx[r] of
    the first starred dim, and the other rows are not stored. With `if` the value is
    placed by the programs for which the condition holds.

    No two programs may place the same entry: every program coordinate stands among the
    indices as itself, or the placement has `rows` or `if`, which the author answers for.

    ```mlir
    func.func @scatter(%x: tensor<64x8xf32>, %rows: tensor<64xi32>, %T: index, %n: index) -> (tensor<?x?x8xf32>, tensor<?x8xf32>) {
      %c0 = arith.constant 0 : index
      %a0 = tensor.empty(%T, %T) : tensor<?x?x8xf32>
      %b0 = tensor.empty(%T) : tensor<?x8xf32>
      %a, %b = weft.kernel @scatter programs(%T) outs(%a0, %b0 : tensor<?x?x8xf32>, tensor<?x8xf32>) {
      ^program(%p: index):
        %first = arith.cmpi eq, %p, %c0 : index
        weft.place %x into [%p, *, *] rows(%rows live %c0 to %n : tensor<64xi32>),
                   %x into [*, *] if %first : tensor<64x8xf32>, tensor<64x8xf32>
      }
      return %a, %b : tensor<?x?x8xf32>, tensor<?x8xf32>
    }
    ```
  }];
  let arguments = (ins
    Arg<Variadic<AnyRankedTensor>, "one value per result of the kernel">:$values,
    Arg<Variadic<Index>, "the indices of all placements, in order">:$indices,
    Arg<Variadic<Weft_IndexTensor>, "row indices of the placements that have them">:$rows,
    Arg<Variadic<Index>, "first live row, then end, of each placement with rows">:$live,
    Arg<Variadic<I1>, "conditions of the placements that have one">:$conditions,
    TypedArrayAttrBase<DenseBoolArrayAttr, "per placement, which dims of the result are starred">:$spans,
    DenseBoolArrayAttr:$hasRows, DenseBoolArrayAttr:$hasCondition);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    /// One value's placement, its operands taken apart.
    struct Placement {
      ::mlir::Value value;
      ::llvm::SmallVector<::mlir::Value> indices; ///< null where the dim is spanned
      ::mlir::Value rows, from, to, condition;    ///< null where absent
    };
    ::llvm::SmallVector<Placement> getPlacements();
  }];
}

//===----------------------------------------------------------------------===//
// The loop over chunks
//===----------------------------------------------------------------------===//

def Weft_ChunkedOp : Weft_Op<"chunked", [AttrSizedOperandSegments, RecursiveMemoryEffects, SingleBlock,
    DeclareOpInterfaceMethods<SymbolUserOpInterface>,
    DeclareOpInterfaceMethods<OpAsmOpInterface, ["getAsmBlockArgumentNames"]>]> {
  let summary = "walk the chunks of one axis with carried states";
  let description = [{
    Chunk n covers rows [n C, n C + C) cut to [`from`, `to`); the first is n = from / C.
    The region gets n, the live range [lo, hi) inside the chunk, C rows of every slice
    (dead rows are zero), and the carried states at the chunk's start. `descending`
    walks the chunks from last to first. `weft.next` gives rows of output, of which the
    live ones are stored into `outs`, and one *element* per carry: the state after the
    chunk is the kind's act of the element on the state before it. The results are the
    outs, then the final states. Without rows the states stay as they are.

    Rules, each with its label in the specification:
    K1 slices are C rows of their operand; K2 one element per carry, of its kind; K3 element
    i reads no carry from i on; K4 dead rows do not reach elements, sums over rows or scores;
    K5 bodies hold body ops only; K6 products have numerics; K7 Fenwick carries are not
    walked descending; K8 C is a power of two and body shapes are static; K9 placements are
    disjoint.

    ```mlir
    func.func @running_sum(%x: tensor<?x8xf32>, %T: index) -> (tensor<?x8xf32>, tensor<8xf32>) {
      %c0 = arith.constant 0 : index
      %zero = arith.constant dense<0.0> : tensor<8xf32>
      %init = tensor.empty(%T) : tensor<?x8xf32>
      %y, %total = weft.chunked rows %c0 to %T by 16 slices(%x : tensor<?x8xf32>)
          carries(%zero : tensor<8xf32>) as [#weft.sum] outs(%init : tensor<?x8xf32>) {
      ^chunk(%n: index, %lo: index, %hi: index, %xc: tensor<16x8xf32>, %s: tensor<8xf32>):
        %inside = weft.cumsum %xc over 0 : tensor<16x8xf32>
        %before = weft.broadcast %s to [1] : tensor<8xf32> -> tensor<16x8xf32>
        %yc = arith.addf %inside, %before : tensor<16x8xf32>
        %all = weft.sum %xc over 0 : tensor<16x8xf32> -> tensor<8xf32>
        %e = weft.sum_element %all : tensor<8xf32>
        weft.next out(%yc : tensor<16x8xf32>) carry(%e : !weft.element<#weft.sum>)
      }
      return %y, %total : tensor<?x8xf32>, tensor<8xf32>
    }
    ```
  }];
  let arguments = (ins
    Arg<Index, "first row">:$from, Arg<Index, "first row after the last">:$to,
    ConfinedAttr<I64Attr, [IntPositive]>:$chunk, UnitAttr:$descending,
    Arg<Variadic<AnyRankedTensor>, "tensors cut into chunks along dim 0">:$slices,
    Arg<Variadic<AnyRankedTensor>, "the states before the first chunk, all carries' tensors in order">:$carries,
    ArrayAttr:$kinds,
    Arg<Variadic<AnyRankedTensor>, "the row outputs before the loop">:$outs);
  let results = (outs Res<Variadic<AnyRankedTensor>, "row outputs, then final states">:$results);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = [{
    `rows` $from `to` $to `by` $chunk (`descending` $descending^)?
    (`slices` `(` $slices^ `:` type($slices) `)`)?
    (`carries` `(` $carries^ `:` type($carries) `)`)? `as` $kinds
    (`outs` `(` $outs^ `:` type($outs) `)`)?
    attr-dict-with-keyword $body
    custom<ChunkedResultTypes>(ref(type($outs)), ref(type($carries)), type($results))
  }];
  let hasVerifier = 1;
  let hasRegionVerifier = 1;
  let hasCanonicalizer = 1;
  let extraClassDeclaration = [{
    NextOp getNext();
    ::mlir::BlockArgument getChunkIndex();
    ::mlir::BlockArgument getLiveFrom();
    ::mlir::BlockArgument getLiveTo();
    ::mlir::Block::BlockArgListType getSliceArgs();
    ::mlir::Block::BlockArgListType getCarryArgs();
    unsigned getNumCarries() { return getKinds().size(); }
    CarryKindInterface getKind(unsigned carry);
    /// First tensor of a carry among all carried tensors, and how many it has.
    std::pair<unsigned, unsigned> getCarryRange(unsigned carry);
    /// The init operands, region arguments and results of one carry.
    ::mlir::OperandRange getCarryInits(unsigned carry);
    ::mlir::Block::BlockArgListType getCarryArgs(unsigned carry);
    ::mlir::ResultRange getOutResults();
    ::mlir::ResultRange getFinalStates();
    ::mlir::ResultRange getFinalStates(unsigned carry);
  }];
}

def Weft_NextOp : Weft_Op<"next", [Pure, Terminator, HasParent<"ChunkedOp">, AttrSizedOperandSegments]> {
  let summary = "a chunk's rows of output and its elements";
  let description = [{
    One value of C rows per row output, one element per carry; see `weft.chunked`.

    ```mlir
    func.func @total(%x: tensor<?xf32>, %T: index) -> tensor<f32> {
      %c0 = arith.constant 0 : index
      %zero = arith.constant dense<0.0> : tensor<f32>
      %total = weft.chunked rows %c0 to %T by 16 slices(%x : tensor<?xf32>)
          carries(%zero : tensor<f32>) as [#weft.sum] {
      ^chunk(%n: index, %lo: index, %hi: index, %xc: tensor<16xf32>, %s: tensor<f32>):
        %all = weft.sum %xc over 0 : tensor<16xf32> -> tensor<f32>
        %e = weft.sum_element %all : tensor<f32>
        weft.next carry(%e : !weft.element<#weft.sum>)
      }
      return %total : tensor<f32>
    }
    ```
  }];
  let arguments = (ins Arg<Variadic<AnyRankedTensor>, "C rows of each output">:$rows,
                       Arg<Variadic<Weft_ElementType>, "one element per carry">:$elements);
  let assemblyFormat = [{
    (`out` `(` $rows^ `:` type($rows) `)`)? (`carry` `(` $elements^ `:` type($elements) `)`)? attr-dict
  }];
}

def Weft_ChunkSizeOp : Weft_Op<"chunk_size", [Pure, Weft_ChunkBodyOp, HasParent<"ChunkedOp">]> {
  let summary = "the rows of a chunk, as a number";
  let description = [{
    C of the loop around it: where a body needs the number, it asks, so that the loop can
    be given chunks of another size.

    ```mlir
    func.func @causal(%q: tensor<16x8xf32>, %k: tensor<?x8xf32>, %T: index, %p: index, %m0: tensor<16xf32>,
                      %l0: tensor<16xf32>, %acc0: tensor<16x8xf32>) -> tensor<16x8xf32> {
      %c0 = arith.constant 0 : index
      %m, %l, %acc = weft.chunked rows %c0 to %T by 64 slices(%k : tensor<?x8xf32>)
          carries(%m0, %l0, %acc0 : tensor<16xf32>, tensor<16xf32>, tensor<16x8xf32>) as [#weft.online_softmax] {
      ^chunk(%n: index, %lo: index, %hi: index, %kc: tensor<64x8xf32>, %mc: tensor<16xf32>, %lc: tensor<16xf32>,
             %ac: tensor<16x8xf32>):
        %s = weft.dot %q, %kc over [1, 1] numerics<in = f32, acc = f32>
            : tensor<16x8xf32>, tensor<64x8xf32> -> tensor<16x64xf32>
        %C = weft.chunk_size
        %first = arith.muli %n, %C : index
        %seen = weft.mask_window %s window [*, 0] rows %p cols %first : tensor<16x64xf32>
        %live = weft.keep_live %seen over 1 from %lo to %hi else 0xFFF0000000000000 : tensor<16x64xf32>
        %e = weft.softmax_element %live, %kc numerics<in = f32, acc = f32> : tensor<16x64xf32>, tensor<64x8xf32>
        weft.next carry(%e : !weft.element<#weft.online_softmax>)
      }
      return %acc : tensor<16x8xf32>
    }
    ```
  }];
  let results = (outs Res<Index, "C">:$result);
  let assemblyFormat = "attr-dict";
  let hasFolder = 1;
}

//===----------------------------------------------------------------------===//
// Elements as rows
//===----------------------------------------------------------------------===//

class Weft_ElementOp<string mnemonic, list<Trait> traits = []>
    : Weft_Op<mnemonic, !listconcat([Pure, Weft_ChunkBodyOp, DeclareOpInterfaceMethods<Weft_ElementOpInterface>], traits)>;

def Weft_SumElementOp : Weft_ElementOp<"sum_element"> {
  let summary = "the addend of a running sum";
  let description = [{
    ```mlir
    func.func @e(%x: tensor<8xf32>) -> !weft.element<#weft.sum> {
      %e = weft.sum_element %x : tensor<8xf32>
      return %e : !weft.element<#weft.sum>
    }
    ```
  }];
  let arguments = (ins Arg<Weft_FloatTensor, "the addend, of the state's type">:$addend);
  let results = (outs Weft_ElementOf<"Sum">:$result);
  let assemblyFormat = "$addend attr-dict `:` type($addend)";
}

def Weft_AffineElementOp : Weft_ElementOp<"affine_element", [AttrSizedOperandSegments]> {
  let summary = "decay, erase and write of a memory, as rows";
  let description = [{
    state' = decay state + sum over terms of write^T (value - erase state), with write
    [C, K], erase [C, K] and value [C, V] (or [C] for a state [K]). `decay` is a scalar
    tensor or [K]; absent it is 1. A term lacks the erase or the value where there is none.

    ```mlir
    func.func @e(%d: tensor<f32>, %w: tensor<64x8xf32>, %r: tensor<64x8xf32>, %v: tensor<64x4xf32>) -> !weft.element<#weft.affine> {
      %e = weft.affine_element decay(%d : tensor<f32>)
          term(write(%w : tensor<64x8xf32>) erase(%r : tensor<64x8xf32>) value(%v : tensor<64x4xf32>))
          term(write(%r : tensor<64x8xf32>) value(%v : tensor<64x4xf32>)) numerics<in = f32, acc = f32>
      return %e : !weft.element<#weft.affine>
    }
    ```
  }];
  let arguments = (ins
    Arg<Optional<Weft_FloatTensor>, "what remains of the state: [] or [K]">:$decay,
    Arg<Variadic<Weft_FloatTensor>, "write rows, one per term">:$writes,
    Arg<Variadic<Weft_FloatTensor>, "erase rows of the terms that have them">:$erases,
    Arg<Variadic<Weft_FloatTensor>, "value rows of the terms that have them">:$values,
    DenseBoolArrayAttr:$hasErase, DenseBoolArrayAttr:$hasValue, Weft_NumericsAttr:$numerics);
  let results = (outs Weft_ElementOf<"Affine">:$result);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    ::llvm::SmallVector<AffineTerm> getTerms();
  }];
  let builders = [OpBuilder<(ins "::mlir::Value":$decay, "::llvm::ArrayRef<AffineTerm>":$terms,
                                 "NumericsAttr":$numerics)>];
}

def Weft_GramElementOp : Weft_ElementOp<"gram_element"> {
  let summary = "rows added to a Gram matrix";
  let description = [{
    M' = M + rows^T rows. With `reverse` time runs from the last row to the first, so that
    by-products of the downdate agree with the body's own.

    ```mlir
    func.func @e(%u: tensor<64x8xf32>) -> !weft.element<#weft.inverse_gram> {
      %e = weft.gram_element %u numerics<in = tf32, acc = f32> : tensor<64x8xf32>
      return %e : !weft.element<#weft.inverse_gram>
    }
    ```
  }];
  let arguments = (ins Arg<Weft_FloatTensor, "[C, K]">:$source, UnitAttr:$reverse, Weft_NumericsAttr:$numerics);
  let results = (outs Weft_ElementOf<"InverseGram">:$result);
  let assemblyFormat = "$source (`reverse` $reverse^)? `numerics` `` $numerics attr-dict `:` type($source)";
}

def Weft_SoftmaxElementOp : Weft_ElementOp<"softmax_element"> {
  let summary = "scores and values of a chunk of keys";
  let description = [{
    ```mlir
    func.func @e(%s: tensor<16x64xf32>, %v: tensor<64x8xbf16>) -> !weft.element<#weft.online_softmax> {
      %e = weft.softmax_element %s, %v numerics<in = bf16, acc = f32> : tensor<16x64xf32>, tensor<64x8xbf16>
      return %e : !weft.element<#weft.online_softmax>
    }
    ```
  }];
  let arguments = (ins Arg<Weft_FloatTensor, "[queries, C]; -inf where a key is not seen">:$scores,
                       Arg<Weft_FloatTensor, "[C, V]">:$values, Weft_NumericsAttr:$numerics);
  let results = (outs Weft_ElementOf<"OnlineSoftmax">:$result);
  let assemblyFormat = "$scores `,` $values `numerics` `` $numerics attr-dict `:` type($scores) `,` type($values)";
}

def Weft_RegionElementOp : Weft_ElementOp<"region_element", [DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "the element of an author's monoid";
  let description = [{
    ```mlir
    func.func private @larger(%earlier: f32, %later: f32) -> f32 {
      %m = arith.maximumf %earlier, %later : f32
      return %m : f32
    }
    func.func @e(%x: tensor<8xf32>) -> !weft.element<#weft.region<@larger identity [0xFF800000 : f32]>> {
      %e = weft.region_element %x : tensor<8xf32> -> !weft.element<#weft.region<@larger identity [0xFF800000 : f32]>>
      return %e : !weft.element<#weft.region<@larger identity [0xFF800000 : f32]>>
    }
    ```
  }];
  let arguments = (ins Arg<Variadic<Weft_FloatTensor>, "one tensor per state tensor, of its type">:$parts);
  let results = (outs Weft_ElementType:$result);
  let assemblyFormat = "$parts attr-dict `:` type($parts) `->` type($result)";
  let hasVerifier = 1;
}

//===----------------------------------------------------------------------===//
// Dense elements: what schedules emit and a pass expands through the kind
//===----------------------------------------------------------------------===//

def Weft_IdentityOp : Weft_Op<"identity", [Pure]> {
  let summary = "the neutral dense element of a carry kind";
  let description = [{
    ```mlir
    func.func @neutral() -> (tensor<8x8xf32>, tensor<8x4xf32>) {
      %f, %g = weft.identity #weft.affine -> tensor<8x8xf32>, tensor<8x4xf32>
      return %f, %g : tensor<8x8xf32>, tensor<8x4xf32>
    }
    ```
  }];
  let arguments = (ins AnyAttr:$kind);
  let results = (outs Res<Variadic<Weft_FloatTensor>, "the dense element's tensors">:$results);
  let assemblyFormat = "$kind attr-dict `->` type($results)";
  let hasVerifier = 1;
}

def Weft_CombineOp : Weft_Op<"combine", [Pure, SameVariadicOperandSize, DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "combine two dense elements in time order";
  let description = [{
    ```mlir
    func.func @join(%a: tensor<8x4xf32>, %b: tensor<8x4xf32>) -> tensor<8x4xf32> {
      %c = weft.combine #weft.sum later(%b : tensor<8x4xf32>) earlier(%a : tensor<8x4xf32>) numerics<in = f32, acc = f32>
      return %c : tensor<8x4xf32>
    }
    ```
  }];
  let arguments = (ins AnyAttr:$kind, Arg<Variadic<Weft_FloatTensor>, "the later element">:$later,
                       Arg<Variadic<Weft_FloatTensor>, "the earlier element">:$earlier, Weft_NumericsAttr:$numerics);
  let results = (outs Res<Variadic<Weft_FloatTensor>, "later after earlier">:$results);
  let assemblyFormat = [{
    $kind `later` `(` $later `:` type($later) `)` `earlier` `(` $earlier `:` type($earlier) `)`
    `numerics` `` $numerics attr-dict custom<SameTypes>(ref(type($later)), type($results))
  }];
  let hasVerifier = 1;
}

def Weft_ActDenseOp : Weft_Op<"act_dense", [Pure, AttrSizedOperandSegments, DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "act on a state by a dense element";
  let description = [{
    The element belongs to the aligned block `block` of 2^`level` chunks; only kinds that
    look at time read these.

    ```mlir
    func.func @act(%f: tensor<8x8xf32>, %g: tensor<8x4xf32>, %x: tensor<8x4xf32>, %s: index, %m: index) -> tensor<8x4xf32> {
      %y = weft.act_dense #weft.affine element(%f, %g : tensor<8x8xf32>, tensor<8x4xf32>) on(%x : tensor<8x4xf32>)
          at %s level %m numerics<in = f32, acc = f32>
      return %y : tensor<8x4xf32>
    }
    ```
  }];
  let arguments = (ins AnyAttr:$kind, Arg<Variadic<Weft_FloatTensor>, "the dense element">:$element,
                       Arg<Variadic<Weft_FloatTensor>, "the state before">:$state,
                       Arg<Index, "number of the block">:$block, Arg<Index, "log2 of its chunks">:$level,
                       Weft_NumericsAttr:$numerics);
  let results = (outs Res<Variadic<Weft_FloatTensor>, "the state after">:$results);
  let assemblyFormat = [{
    $kind `element` `(` $element `:` type($element) `)` `on` `(` $state `:` type($state) `)`
    `at` $block `level` $level `numerics` `` $numerics attr-dict custom<SameTypes>(ref(type($state)), type($results))
  }];
  let hasVerifier = 1;
}

def Weft_ExclusiveScanOp : Weft_Op<"exclusive_scan", [Pure, DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "exclusive scan of stacked dense elements, by an up-sweep and a down-sweep";
  let description = [{
    Dim 0 of every operand is the segment, S of them; entry s of the result combines
    entries 0..s-1. The association is fixed by S alone: a balanced tree of 2^ceil(log2 S)
    leaves, at most 2 (2^ceil(log2 S) - 1) combines, 2 ceil(log2 S) deep.

    ```mlir
    func.func @prefixes(%x: tensor<5x8xf32>) -> tensor<5x8xf32> {
      %p = weft.exclusive_scan #weft.sum (%x : tensor<5x8xf32>) numerics<in = f32, acc = f32>
      return %p : tensor<5x8xf32>
    }
    ```
  }];
  let arguments = (ins AnyAttr:$kind, Arg<Variadic<Weft_FloatTensor>, "stacked dense elements [S, ...]">:$elements,
                       Weft_NumericsAttr:$numerics);
  let results = (outs Res<Variadic<Weft_FloatTensor>, "stacked prefixes [S, ...]">:$results);
  let assemblyFormat = [{
    $kind `(` $elements `:` type($elements) `)` `numerics` `` $numerics attr-dict
    custom<SameTypes>(ref(type($elements)), type($results))
  }];
  let hasVerifier = 1;
}

def Weft_CombineAllOp : Weft_Op<"combine_all", [Pure, DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "combine stacked dense elements in time order, by a balanced tree";
  let description = [{
    Dim 0 of every operand is the segment, S of them; the result combines all entries. The
    association is fixed by S alone: that of the up-sweep of `weft.exclusive_scan`, at most
    2^ceil(log2 S) - 1 combines, ceil(log2 S) deep.

    ```mlir
    func.func @all(%x: tensor<5x8xf32>) -> tensor<8xf32> {
      %t = weft.combine_all #weft.sum (%x : tensor<5x8xf32>) numerics<in = f32, acc = f32> -> tensor<8xf32>
      return %t : tensor<8xf32>
    }
    ```
  }];
  let arguments = (ins AnyAttr:$kind, Arg<Variadic<Weft_FloatTensor>, "stacked dense elements [S, ...]">:$elements,
                       Weft_NumericsAttr:$numerics);
  let results = (outs Res<Variadic<Weft_FloatTensor>, "their combination [...]">:$results);
  let assemblyFormat = [{
    $kind `(` $elements `:` type($elements) `)` `numerics` `` $numerics attr-dict `->` type($results)
  }];
  let hasVerifier = 1;
}

#endif // SCANWEFT_DIALECTS_WEFT_IR_WEFTCHUNKEDOPS_TD
