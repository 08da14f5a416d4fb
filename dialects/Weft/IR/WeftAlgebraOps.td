// Part of Scanweft, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

//===----------------------------------------------------------------------===//
// The algebra stage: ops that promise a result over whole tensors [B, T, H,
// feature], with dynamic B, T, H and static feature sizes.
//===----------------------------------------------------------------------===//

#ifndef SCANWEFT_DIALECTS_WEFT_IR_WEFTALGEBRAOPS_TD
#define SCANWEFT_DIALECTS_WEFT_IR_WEFTALGEBRAOPS_TD

include "mlir/IR/RegionKindInterface.td"
include "mlir/Interfaces/ControlFlowInterfaces.td"
include "dialects/Weft/IR/WeftBodyOps.td"

//===----------------------------------------------------------------------===//
// Attributes
//===----------------------------------------------------------------------===//

def Weft_DecaySpaceAttr : EnumAttr<Weft_Dialect, Weft_DecaySpace, "decay_space"> {
  let assemblyFormat = "`<` $value `>`";
}
def Weft_EpsilonModeAttr : EnumAttr<Weft_Dialect, Weft_EpsilonMode, "epsilon_mode"> {
  let assemblyFormat = "`<` $value `>`";
}
def Weft_ScanClauseAttr : EnumAttr<Weft_Dialect, Weft_ScanClause, "scan_clause"> {
  let assemblyFormat = "`<` $value `>`";
}
def Weft_SizeRelation : Weft_Enum<"SizeRelation", "how two sizes must relate", [
  I32EnumCase<"Equals", 0, "equals">, I32EnumCase<"Divides", 1, "divides">]>;
def Weft_SizeRelationAttr : EnumAttr<Weft_Dialect, Weft_SizeRelation, "size_relation">;
def Weft_ScanClauses : TypedArrayAttrBase<Weft_ScanClauseAttr, "clauses in the order in which they act">;

class Weft_AlgebraOp<string mnemonic, list<Trait> traits = []>
    : Weft_Op<mnemonic, !listconcat([Pure, DeclareOpInterfaceMethods<Weft_AlgebraOpInterface>], traits)> {
  let hasVerifier = 1;
}

//===----------------------------------------------------------------------===//
// Scans
//===----------------------------------------------------------------------===//

def Weft_AffineScanOp : Weft_AlgebraOp<"affine_scan", [AttrSizedOperandSegments, AttrSizedResultSegments,
    DeclareOpInterfaceMethods<Weft_ChunkRuleOpInterface>]> {
  let summary = "a recurrence affine in its state, by clauses that act in the order written";
  let description = [{
    For every batch entry and output head a state S [K, V], at first 0, is carried along time;
    at every step the clauses act on it in the order written:

    * `decay(%g in linear|log|log2)`: S <- d S, with d = g, exp(g) or 2^g: one factor per
      head, or one per key channel. The logarithm of a decay given in logarithms is clamped
      from below at -87, where the factor is the smallest normal number of f32: -inf is a
      state all but erased, never a NaN. Linear decays are taken as they are.
    * `write(%key, %value)`: S <- S + key value^T.
    * `read(%query scale s)`: out = s S^T query, of the state as it is at this place in the
      order: before a write it is the state of the previous step.

    `normalize(added e)` divides the output by s z^T query + e, `normalize(clamped e)` by
    max(s z^T query, e), where z [K] is carried as the state is, with 1 for every value.
    `init(%s0)`, with a normaliser `init(%s0, %z0)`, is the state before the first step;
    further results are the state after the last step and, with a normaliser, the last z.
    With `reverse` time runs from the last step to the first. `chunk` overrides the chosen
    chunk size. `numerics` is the precision of the products; by default that of the value's
    type: keys, values and queries are rounded to `in`, sums and states are of type `acc`.
    (Where a chunk's products are formed as matrices, a state or a score that enters one is
    rounded to `in` as well.)
    Without steps (T = 0) the output is empty and the final state is the initial one.

    Operands are [B, T, H, feature], decays [B, T, H] or [B, T, H, K], states [B, H, K, V],
    normalisers [B, H, K]. An operand that lacks axes names those it has: `along [h, k]`,
    with the letters b, t, h, k (features of keys and queries) and v (features of values).
    Output heads are the most of the query, key and value; head i of n reads an operand of m
    heads at head i * m / n.

    Rules A1 to A11.

    ```mlir
    func.func @decayed(%q: tensor<?x?x?x64xf32>, %k: tensor<?x?x?x64xf32>, %v: tensor<?x?x?x32xf32>, %g: tensor<?x?x?xf32>,
                       %s0: tensor<?x?x64x32xf32>) -> (tensor<?x?x?x32xf32>, tensor<?x?x64x32xf32>) {
      %o, %s = weft.affine_scan over 1
          decay(%g in log : tensor<?x?x?xf32>)
          write(%k, %v : tensor<?x?x?x64xf32>, tensor<?x?x?x32xf32>)
          read(%q scale 0.125 : tensor<?x?x?x64xf32>)
          init(%s0 : tensor<?x?x64x32xf32>)
          -> tensor<?x?x?x32xf32>, tensor<?x?x64x32xf32>
      return %o, %s : tensor<?x?x?x32xf32>, tensor<?x?x64x32xf32>
    }
    func.func @per_head(%q: tensor<?x?x?x64xbf16>, %v: tensor<?x?x?x32xbf16>, %g: tensor<?xf32>) -> tensor<?x?x?x32xbf16> {
      %o = weft.affine_scan over 1 reverse chunk 32 numerics<in = bf16, acc = f32>
          read(%q : tensor<?x?x?x64xbf16>)
          decay(%g in linear along [h] : tensor<?xf32>)
          write(%q, %v : tensor<?x?x?x64xbf16>, tensor<?x?x?x32xbf16>)
          normalize(clamped 1.0e-6)
          -> tensor<?x?x?x32xbf16>
      return %o : tensor<?x?x?x32xbf16>
    }
    ```
  }];
  let arguments = (ins
    Weft_NonNegativeI64:$axis, UnitAttr:$reverse, OptionalAttr<I64Attr>:$chunk, OptionalAttr<Weft_NumericsAttr>:$numerics,
    Weft_ScanClauses:$order,
    Arg<Optional<Weft_FloatTensor>, "what remains of the state after a step">:$decay,
    OptionalAttr<StrAttr>:$decayAxes,
    DefaultValuedAttr<Weft_DecaySpaceAttr, "DecaySpace::Linear">:$decaySpace,
    Arg<Weft_FloatTensor, "where the value is written">:$key, OptionalAttr<StrAttr>:$keyAxes,
    Arg<Weft_FloatTensor, "what is written">:$value, OptionalAttr<StrAttr>:$valueAxes,
    Arg<Weft_FloatTensor, "where the state is read">:$query, OptionalAttr<StrAttr>:$queryAxes,
    OptionalAttr<F64Attr>:$scale,
    OptionalAttr<Weft_EpsilonModeAttr>:$epsilonMode, OptionalAttr<F64Attr>:$epsilon,
    Arg<Optional<Weft_FloatTensor>, "the state before the first step">:$init, OptionalAttr<StrAttr>:$initAxes,
    Arg<Optional<Weft_FloatTensor>, "the normaliser before the first step">:$normalizerInit,
    OptionalAttr<StrAttr>:$normalizerInitAxes);
  let results = (outs Res<Weft_FloatTensor, "what was read [B, T, H, V]">:$out,
                      Res<Optional<Weft_FloatTensor>, "the state after the last step [B, H, K, V]">:$finalState,
                      Res<Optional<Weft_FloatTensor>, "the normaliser after the last step [B, H, K]">:$finalNormalizer);
  let hasCustomAssemblyFormat = 1;
  let hasCanonicalizer = 1;
  let extraClassDeclaration = [{
    /// decay, write and read in the order in which they act.
    ::llvm::SmallVector<ScanClause> getClauses();
    /// Whether the output is divided by a carried normaliser.
    bool isNormalized() { return getEpsilonModeAttr() != nullptr; }
    /// The numerics written, or the default of the value's type.
    NumericsAttr getResolvedNumerics();
    /// Features of keys and queries; features of values.
    int64_t getKeySize();
    int64_t getValueSize();
  }];
}

def Weft_PrefixSumOp : Weft_AlgebraOp<"prefix_sum", [DeclareOpInterfaceMethods<Weft_ChunkRuleOpInterface>]> {
  let summary = "running sum along time";
  let description = [{
    out[:, t] = init + the sum of steps 0..t (`exclusive`: 0..t-1; `reverse`: from the last
    step). The source is [B, T, H, feature...]; the total, the sum of all steps and the
    init, is [B, H, feature...]. Sums are accumulated in f32, of f64 in f64. Without steps
    (T = 0) the total is the init.

    Rules A1, A8, A12, A13.

    ```mlir
    func.func @sums(%x: tensor<?x?x?x64xf32>) -> (tensor<?x?x?x64xf32>, tensor<?x?x64xf32>) {
      %y, %all = weft.prefix_sum %x over 1 : tensor<?x?x?x64xf32> -> tensor<?x?x?x64xf32>, tensor<?x?x64xf32>
      return %y, %all : tensor<?x?x?x64xf32>, tensor<?x?x64xf32>
    }
    ```
  }];
  let arguments = (ins Arg<Weft_FloatTensor, "the summands [B, T, H, feature...]">:$source, Weft_NonNegativeI64:$axis,
                       UnitAttr:$exclusive, UnitAttr:$reverse, OptionalAttr<I64Attr>:$chunk,
                       Arg<Optional<Weft_FloatTensor>, "added to every sum [B, H, feature...]">:$init);
  let results = (outs Res<Weft_FloatTensor, "running sums">:$out,
                      Res<Optional<Weft_FloatTensor>, "the sum of all [B, H, feature...]">:$total);
  let assemblyFormat = [{
    $source `over` $axis (`exclusive` $exclusive^)? (`reverse` $reverse^)? (`chunk` $chunk^)?
    (`init` `(` $init^ `:` type($init) `)`)? attr-dict `:` type($source) `->` type($out) (`,` type($total)^)?
  }];
  let hasCanonicalizer = 1;
  let extraClassDeclaration = [{
    bool hasResultHeads(unsigned) { return true; }
  }];
}

def Weft_AssociativeScanOp : Weft_AlgebraOp<"associative_scan", [AttrSizedOperandSegments, AttrSizedResultSegments,
    SingleBlock, IsolatedFromAbove, DeclareOpInterfaceMethods<Weft_ChunkRuleOpInterface>]> {
  let summary = "running combination along time by an associative function on scalars";
  let description = [{
    The region gets (earlier..., later...), one scalar per operand each, and yields their
    combination; it is applied entry by entry. Its scalars are of the operands' accumulator
    types: f64 for f64, f32 for all others. `identity` holds its neutral element, one
    typed number per operand; nothing checks associativity. Outputs are inclusive, or
    `exclusive`; with `reverse` time runs from the last step to the first, and earlier is
    what came first on that way. `init` is combined before the first step. Further results
    are the combinations of the init and all steps: without steps (T = 0) the init, or the
    identity.

    Rules A1, A8, A14 to A18.

    ```mlir
    func.func @running_maximum(%x: tensor<?x?x?x64xf32>) -> (tensor<?x?x?x64xf32>, tensor<?x?x64xf32>) {
      %y, %all = weft.associative_scan over 1 (%x : tensor<?x?x?x64xf32>) identity [0xFF800000 : f32]
          -> (tensor<?x?x?x64xf32>), (tensor<?x?x64xf32>) {
      ^combine(%earlier: f32, %later: f32):
        %m = arith.maximumf %earlier, %later : f32
        weft.yield %m : f32
      }
      return %y, %all : tensor<?x?x?x64xf32>, tensor<?x?x64xf32>
    }
    ```
  }];
  let arguments = (ins Weft_NonNegativeI64:$axis,
                       Arg<Variadic<Weft_FloatTensor>, "the operands [B, T, H, feature...], all of one shape">:$sources,
                       ArrayAttr:$identity, UnitAttr:$exclusive, UnitAttr:$reverse, OptionalAttr<I64Attr>:$chunk,
                       Arg<Variadic<Weft_FloatTensor>, "combined before the first step [B, H, feature...]">:$inits);
  let results = (outs Res<Variadic<Weft_FloatTensor>, "running combinations, as the sources">:$outs,
                      Res<Variadic<Weft_FloatTensor>, "combinations of all steps [B, H, feature...]">:$totals);
  let regions = (region SizedRegion<1>:$combine);
  let assemblyFormat = [{
    `over` $axis `(` $sources `:` type($sources) `)` `identity` $identity
    (`exclusive` $exclusive^)? (`reverse` $reverse^)? (`chunk` $chunk^)?
    (`init` `(` $inits^ `:` type($inits) `)`)? attr-dict-with-keyword
    `->` `(` type($outs) `)` (`,` `(` type($totals)^ `)`)? $combine
  }];
  let hasCanonicalizer = 1;
  let hasRegionVerifier = 1;
  let extraClassDeclaration = [{
    /// The types of the region's scalars: the accumulator type of each source.
    ::llvm::SmallVector<::mlir::Type> getCombinedTypes();
    bool hasResultHeads(unsigned) { return true; }
  }];
}

//===----------------------------------------------------------------------===//
// Token-wise
//===----------------------------------------------------------------------===//

def Weft_TokenMatmulOp : Weft_Op<"token_matmul", [Pure, DeclareOpInterfaceMethods<Weft_AlgebraOpInterface,
    ["getOperandAxes", "getResultAxes", "getOperandRole", "isScan", "runsReverse", "getRequestedChunk"]>,
    DeclareOpInterfaceMethods<Weft_DimwiseOpInterface>]> {
  let summary = "multiply every token's features by a small matrix";
  let description = [{
    result[b, t, h, n] = sum over k of source[b, t, h, k] weights[h, k, n]. Weights are [K, N],
    shared by all heads, or [heads, K, N], where heads divides the source's heads H and head
    h reads h * heads / H. With `transposed` they are [N, K] or [heads, N, K].

    Rules A19 to A21.

    ```mlir
    func.func @project(%x: tensor<?x?x?x64xf32>, %w: tensor<?x64x16xf32>) -> tensor<?x?x?x16xf32> {
      %y = weft.token_matmul %x, %w numerics<in = f32, acc = f32>
          : tensor<?x?x?x64xf32>, tensor<?x64x16xf32> -> tensor<?x?x?x16xf32>
      return %y : tensor<?x?x?x16xf32>
    }
    ```
  }];
  let arguments = (ins Arg<Weft_FloatTensor, "the tokens [B, T, H, K]">:$source,
                       Arg<Weft_FloatTensor, "the weights [K, N] or [heads, K, N]">:$weights, UnitAttr:$transposed,
                       Weft_NumericsAttr:$numerics);
  let results = (outs Res<Weft_FloatTensor, "[B, T, H, N], of the accumulator's type">:$result);
  let assemblyFormat = [{
    $source `,` $weights (`transposed` $transposed^)? `numerics` `` $numerics attr-dict `:` type($source) `,` type($weights) `->` type($result)
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    bool hasResultHeads(unsigned operand) { return operand == 0; }
  }];
}

def Weft_TokenBroadcastOp : Weft_Op<"token_broadcast", [Pure, DeclareOpInterfaceMethods<Weft_AlgebraOpInterface,
    ["getOperandAxes", "getResultAxes", "getOperandRole", "isScan", "runsReverse", "getRequestedChunk"]>,
    DeclareOpInterfaceMethods<Weft_DimwiseOpInterface, ["isShapeOnly"]>]> {
  let summary = "repeat a parameter for every token";
  let description = [{
    result[b, t, h, f...] = source[f...], or source[h * heads / H, f...] where the source has
    heads: a bias or a mean, shared by all heads or by the heads of a group. `like` gives the
    result's B, T and H.

    Rules A23, A24.

    ```mlir
    func.func @add_bias(%x: tensor<?x?x?x64xf32>, %bias: tensor<?x64xf32>) -> tensor<?x?x?x64xf32> {
      %b = weft.token_broadcast %bias like(%x : tensor<?x?x?x64xf32>) : tensor<?x64xf32> -> tensor<?x?x?x64xf32>
      %y = arith.addf %x, %b : tensor<?x?x?x64xf32>
      return %y : tensor<?x?x?x64xf32>
    }
    ```
  }];
  let arguments = (ins Arg<Weft_FloatTensor, "the parameter [feature...] or [heads, feature...]">:$source,
                       Arg<Weft_FloatTensor, "tokens [B, T, H, ...]; only their sizes matter">:$like);
  let results = (outs Res<Weft_FloatTensor, "[B, T, H, feature...], of the source's type">:$result);
  let assemblyFormat = [{
    $source `like` `(` $like `:` type($like) `)` attr-dict `:` type($source) `->` type($result)
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    bool hasResultHeads(unsigned operand) { return operand == 1; }
    /// Whether the source has heads of its own.
    bool hasHeads();
  }];
}

//===----------------------------------------------------------------------===//
// Groups
//===----------------------------------------------------------------------===//

def Weft_GroupOp : Weft_Op<"group", [RecursiveMemoryEffects, SingleBlock,
    RegionBranchOpInterface]> {
  let summary = "what becomes one launch";
  let description = [{
    The region's ops, on whole tensors, are fused into one kernel; they use the enclosing
    values, and `weft.yield` gives the results.

    Rule A22.

    ```mlir
    func.func @fused(%x: tensor<?x?x?x64xf32>) -> tensor<?x?x?x64xf32> {
      %y = weft.group @fused -> tensor<?x?x?x64xf32> {
        %s = weft.softmax %x over 3 : tensor<?x?x?x64xf32> -> tensor<?x?x?x64xf32>
        %p = weft.prefix_sum %s over 1 : tensor<?x?x?x64xf32> -> tensor<?x?x?x64xf32>
        weft.yield %p : tensor<?x?x?x64xf32>
      }
      return %y : tensor<?x?x?x64xf32>
    }
    ```
  }];
  let arguments = (ins FlatSymbolRefAttr:$name);
  let results = (outs Res<Variadic<AnyRankedTensor>, "what the region yields">:$results);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = "$name attr-dict-with-keyword (`->` type($results)^)? $body";
  let hasVerifier = 1;
  let hasCanonicalizer = 1;
  let extraClassDeclaration = [{
    YieldOp getYield();
    /// Control enters the region once and leaves with its yield.
    void getSuccessorRegions(::mlir::RegionBranchPoint point,
                             ::llvm::SmallVectorImpl<::mlir::RegionSuccessor> &regions);
    using ::mlir::RegionBranchOpInterface::Trait<GroupOp>::getSuccessorRegions;
  }];
}

def Weft_YieldOp : Weft_Op<"yield", [Pure, Terminator, ReturnLike, ParentOneOf<["GroupOp", "AssociativeScanOp"]>]> {
  let summary = "results of a group or of a combine region";
  let description = [{
    ```mlir
    func.func @same(%x: tensor<?x?x?x64xf32>) -> tensor<?x?x?x64xf32> {
      %y = weft.group @same -> tensor<?x?x?x64xf32> {
        weft.yield %x : tensor<?x?x?x64xf32>
      }
      return %y : tensor<?x?x?x64xf32>
    }
    ```
  }];
  let arguments = (ins Arg<Variadic<AnyType>, "the results">:$operands);
  let assemblyFormat = "attr-dict ($operands^ `:` type($operands))?";
}

//===----------------------------------------------------------------------===//
// Sizes that are known when the program runs
//===----------------------------------------------------------------------===//

def Weft_CheckOp : Weft_Op<"check", [MemoryEffects<[MemWrite]>]> {
  let summary = "stop the program where a size does not fit";
  let description = [{
    With `equals`, `size` must be `expected`; with `divides`, `expected` must be a multiple
    of it, and it must not be 0 unless `expected` is. Where that does not hold the program is
    stopped and `message` is reported at the op's location, `{0}` and `{1}` in it replaced by
    the two sizes. Nothing is computed by a program that would read outside its tensors.

    ```mlir
    func.func @grouped(%q: tensor<?x8xf32>, %k: tensor<?x8xf32>) {
      %c0 = arith.constant 0 : index
      %hq = tensor.dim %q, %c0 : tensor<?x8xf32>
      %h = tensor.dim %k, %c0 : tensor<?x8xf32>
      weft.check %h divides %hq, "{0} key heads for {1} query heads"
      return
    }
    ```
  }];
  let arguments = (ins Arg<Index, "the size">:$size, Weft_SizeRelationAttr:$relation,
                       Arg<Index, "what it must equal or divide">:$expected, StrAttr:$message);
  let assemblyFormat = "$size $relation $expected `,` $message attr-dict";
  let hasCanonicalizer = 1;
}

#endif // SCANWEFT_DIALECTS_WEFT_IR_WEFTALGEBRAOPS_TD
