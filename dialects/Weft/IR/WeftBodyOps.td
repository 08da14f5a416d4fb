// Part of Scanweft, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

//===----------------------------------------------------------------------===//
// Body ops: pure algebra on tensors with named dims. Chunk bodies hold these,
// arith, math and reshapes of feature dims; the token-wise ones serve the
// algebra stage on whole tensors as well.
//===----------------------------------------------------------------------===//

#ifndef SCANWEFT_DIALECTS_WEFT_IR_WEFTBODYOPS_TD
#define SCANWEFT_DIALECTS_WEFT_IR_WEFTBODYOPS_TD

include "mlir/IR/BuiltinAttributes.td"
include "mlir/IR/CommonAttrConstraints.td"
include "mlir/IR/SymbolInterfaces.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"
include "dialects/Weft/IR/WeftAttrs.td"
include "dialects/Weft/IR/WeftChunkRule.td"

def Weft_FloatTensor : TensorRankOf<[F16, BF16, F32, F64], [0, 1, 2, 3, 4, 5, 6]>;
def Weft_IndexTensor : TensorRankOf<[I32, I64], [1]>;
def Weft_NonNegativeI64 : ConfinedAttr<I64Attr, [IntNonNegative]>;

/// Marks what a chunk's body may hold.
def Weft_ChunkBodyOp : NativeOpTrait<"ChunkBodyOp"> {
  let cppNamespace = "::scanweft::weft";
}

class Weft_BodyOp<string mnemonic, list<Trait> traits = []>
    : Weft_Op<mnemonic, !listconcat([Pure, Weft_ChunkBodyOp], traits)> {
  let hasVerifier = 1;
}

//===----------------------------------------------------------------------===//
// Products, reductions, scans over a dim
//===----------------------------------------------------------------------===//

def Weft_DotOp : Weft_BodyOp<"dot", [DeclareOpInterfaceMethods<Weft_DimwiseOpInterface>]> {
  let summary = "contract one dim of each operand";
  let description = [{
    `weft.dot %a, %b over [i, j]` sums the products over dim i of `lhs` and dim j
    of `rhs`. The result's dims are the remaining dims of `lhs`, then those of
    `rhs`. Operands are rounded and products are accumulated as `numerics` says.

    ```mlir
    func.func @scores(%q: tensor<64x32xbf16>, %k: tensor<64x32xbf16>) -> tensor<64x64xf32> {
      %s = weft.dot %q, %k over [1, 1] numerics<in = bf16, acc = f32>
          : tensor<64x32xbf16>, tensor<64x32xbf16> -> tensor<64x64xf32>
      return %s : tensor<64x64xf32>
    }
    ```
  }];
  let arguments = (ins
    Arg<Weft_FloatTensor, "the first factor">:$lhs,
    Arg<Weft_FloatTensor, "the second factor">:$rhs,
    DenseI64ArrayAttr:$dims,
    Weft_NumericsAttr:$numerics);
  let results = (outs Res<Weft_FloatTensor, "free dims of lhs, then of rhs">:$result);
  let assemblyFormat = [{
    $lhs `,` $rhs `over` $dims `numerics` `` $numerics attr-dict
    `:` type($lhs) `,` type($rhs) `->` type($result)
  }];
  let extraClassDeclaration = [{
    unsigned getLhsDim() { return getDims()[0]; }
    unsigned getRhsDim() { return getDims()[1]; }
  }];
  let builders = [OpBuilder<(ins "::mlir::Value":$lhs, "::mlir::Value":$rhs, "int64_t":$lhsDim,
                                 "int64_t":$rhsDim, "NumericsAttr":$numerics)>];
}

class Weft_ReduceOp<string mnemonic, string what>
    : Weft_BodyOp<mnemonic, [DeclareOpInterfaceMethods<Weft_DimwiseOpInterface>]> {
  let summary = what # " over one dim, which the result lacks";
  let arguments = (ins Arg<Weft_FloatTensor, "the tensor to reduce">:$source, Weft_NonNegativeI64:$dim);
  let results = (outs Res<Weft_FloatTensor, "the source without the dim">:$result);
  let assemblyFormat = "$source `over` $dim attr-dict `:` type($source) `->` type($result)";
  let builders = [OpBuilder<(ins "::mlir::Value":$source, "int64_t":$dim)>];
  let hasCanonicalizer = 1;
}

def Weft_SumOp : Weft_ReduceOp<"sum", "sum"> {
  let description = [{
    Sums in increasing order of the index, in the element type.

    ```mlir
    func.func @row_sums(%p: tensor<64x32xf32>) -> tensor<64xf32> {
      %s = weft.sum %p over 1 : tensor<64x32xf32> -> tensor<64xf32>
      return %s : tensor<64xf32>
    }
    ```
  }];
}

def Weft_MaxOp : Weft_ReduceOp<"max", "maximum"> {
  let description = [{
    The largest entry; -inf over an empty dim; NaN if an entry is NaN.

    ```mlir
    func.func @row_maxima(%s: tensor<64x32xf32>) -> tensor<64xf32> {
      %m = weft.max %s over 1 : tensor<64x32xf32> -> tensor<64xf32>
      return %m : tensor<64xf32>
    }
    ```
  }];
}

def Weft_CumsumOp : Weft_BodyOp<"cumsum", [AllTypesMatch<["source", "result"]>,
    DeclareOpInterfaceMethods<Weft_DimwiseOpInterface, ["actsAlong"]>]> {
  let summary = "running sum along one dim";
  let description = [{
    Inclusive: entry t holds the sum of entries 0..t; with `exclusive` of entries
    0..t-1. With `reverse` time runs from the last entry to the first.

    ```mlir
    func.func @running(%g: tensor<64xf32>) -> tensor<64xf32> {
      %s = weft.cumsum %g over 0 : tensor<64xf32>
      return %s : tensor<64xf32>
    }
    ```
  }];
  let arguments = (ins Arg<Weft_FloatTensor, "the summands">:$source, Weft_NonNegativeI64:$dim,
                       UnitAttr:$exclusive, UnitAttr:$reverse);
  let results = (outs Res<Weft_FloatTensor, "the running sums">:$result);
  let assemblyFormat = [{
    $source `over` $dim (`exclusive` $exclusive^)? (`reverse` $reverse^)? attr-dict `:` type($source)
  }];
  let hasFolder = 1;
}

def Weft_ScanRowsOp : Weft_BodyOp<"scan_rows", [AttrSizedResultSegments, DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "running combination of a chunk's rows by a function on scalars";
  let description = [{
    Row t of `scanned` combines rows up to t (`exclusive`: before t), entry by entry, by
    the function `combine`: (earlier..., later...) -> results on scalars. Rows outside
    [`from`, `to`) take the identity. `totals` combines all rows. With `reverse` time runs
    from the last row to the first.

    ```mlir
    func.func private @larger(%earlier: f32, %later: f32) -> f32 {
      %m = arith.maximumf %earlier, %later : f32
      return %m : f32
    }
    func.func @running(%x: tensor<64x8xf32>, %lo: index, %hi: index) -> (tensor<64x8xf32>, tensor<8xf32>) {
      %y, %t = weft.scan_rows (%x : tensor<64x8xf32>) by @larger identity [0xFF800000 : f32]
          from %lo to %hi -> (tensor<64x8xf32>), (tensor<8xf32>)
      return %y, %t : tensor<64x8xf32>, tensor<8xf32>
    }
    ```
  }];
  let arguments = (ins
    Arg<Variadic<Weft_FloatTensor>, "the rows, dim 0 over time, all of one shape">:$sources,
    FlatSymbolRefAttr:$combine, ArrayAttr:$identity,
    Arg<Index, "first live row">:$from, Arg<Index, "first row after the live ones">:$to,
    UnitAttr:$exclusive, UnitAttr:$reverse);
  let results = (outs Res<Variadic<Weft_FloatTensor>, "running combinations, as the sources">:$scanned,
                      Res<Variadic<Weft_FloatTensor>, "combination of all rows, without dim 0">:$totals);
  let assemblyFormat = [{
    `(` $sources `:` type($sources) `)` `by` $combine `identity` $identity `from` $from `to` $to
    (`exclusive` $exclusive^)? (`reverse` $reverse^)? attr-dict
    `->` `(` type($scanned) `)` `,` `(` type($totals) `)`
  }];
}

def Weft_DecayedDotOp : Weft_BodyOp<"decayed_dot", [AllTypesMatch<["lhsDecay", "rhsDecay"]>]> {
  let summary = "causal scores of rows whose every channel decays";
  let description = [{
    result[t, s] = sum over d of a[t, d] b[s, d] exp(g[t, d] - h[s, d]) for s <= t, 0 elsewhere;
    with `strict` for s < t. `g` and `h` are cumulative log decays such that no exponent
    that is read is positive; a lowering forms none that is (sub-blocks of 16 rows). With
    `reverse` for s >= t (s > t). What is 0 is 0 whatever the rows hold.

    ```mlir
    func.func @scores(%q: tensor<64x32xf32>, %k: tensor<64x32xf32>, %g: tensor<64x32xf32>) -> tensor<64x64xf32> {
      %s = weft.decayed_dot %q, %k decay(%g, %g : tensor<64x32xf32>) numerics<in = f32, acc = f32>
          : tensor<64x32xf32>, tensor<64x32xf32> -> tensor<64x64xf32>
      return %s : tensor<64x64xf32>
    }
    ```
  }];
  let arguments = (ins
    Arg<Weft_FloatTensor, "later rows [C, K]">:$lhs, Arg<Weft_FloatTensor, "earlier rows [C, K]">:$rhs,
    Arg<Weft_FloatTensor, "cumulative log decay of the later rows [C, K], of the accumulator's type">:$lhsDecay,
    Arg<Weft_FloatTensor, "cumulative log decay of the earlier rows [C, K]">:$rhsDecay,
    UnitAttr:$strict, UnitAttr:$reverse, Weft_NumericsAttr:$numerics);
  let results = (outs Res<Weft_FloatTensor, "scores [C, C], of the accumulator's type">:$result);
  let assemblyFormat = [{
    $lhs `,` $rhs `decay` `(` $lhsDecay `,` $rhsDecay `:` type($lhsDecay) `)` (`strict` $strict^)? (`reverse` $reverse^)?
    `numerics` `` $numerics attr-dict `:` type($lhs) `,` type($rhs) `->` type($result)
  }];
  let hasCanonicalizer = 1;
}

def Weft_DecayedMatmulOp : Weft_BodyOp<"decayed_matmul", [AllTypesMatch<["lhsDecay", "rhsDecay"]>]> {
  let summary = "causal weights applied to rows whose every channel decays";
  let description = [{
    result[t, d] = sum over s of p[t, s] b[s, d] exp(g[t, d] - h[s, d]) for s <= t, with `strict`
    for s < t: the other contraction of `weft.decayed_dot`, and its adjoint.

    ```mlir
    func.func @apply(%p: tensor<64x64xf32>, %k: tensor<64x32xf32>, %g: tensor<64x32xf32>) -> tensor<64x32xf32> {
      %o = weft.decayed_matmul %p, %k decay(%g, %g : tensor<64x32xf32>) numerics<in = f32, acc = f32>
          : tensor<64x64xf32>, tensor<64x32xf32> -> tensor<64x32xf32>
      return %o : tensor<64x32xf32>
    }
    ```
  }];
  let arguments = (ins
    Arg<Weft_FloatTensor, "weights [C, C]">:$weights, Arg<Weft_FloatTensor, "earlier rows [C, K]">:$rhs,
    Arg<Weft_FloatTensor, "cumulative log decay of the later rows [C, K], of the accumulator's type">:$lhsDecay,
    Arg<Weft_FloatTensor, "cumulative log decay of the earlier rows [C, K]">:$rhsDecay,
    UnitAttr:$strict, UnitAttr:$reverse, Weft_NumericsAttr:$numerics);
  let results = (outs Res<Weft_FloatTensor, "rows [C, K], of the accumulator's type">:$result);
  let assemblyFormat = [{
    $weights `,` $rhs `decay` `(` $lhsDecay `,` $rhsDecay `:` type($lhsDecay) `)` (`strict` $strict^)? (`reverse` $reverse^)?
    `numerics` `` $numerics attr-dict `:` type($weights) `,` type($rhs) `->` type($result)
  }];
}

//===----------------------------------------------------------------------===//
// Triangles
//===----------------------------------------------------------------------===//

def Weft_EyeOp : Weft_BodyOp<"eye"> {
  let summary = "the identity matrix";
  let description = [{
    ```mlir
    func.func @identity() -> tensor<16x16xf32> {
      %i = weft.eye : tensor<16x16xf32>
      return %i : tensor<16x16xf32>
    }
    ```
  }];
  let results = (outs Res<Weft_FloatTensor, "a square matrix">:$result);
  let assemblyFormat = "attr-dict `:` type($result)";
}

def Weft_TrilOp : Weft_BodyOp<"tril", [AllTypesMatch<["source", "result"]>]> {
  let summary = "keep the entries at or below a diagonal, zero the others";
  let description = [{
    Keeps entry [t, s] with s <= t + `diagonal`; with `reverse` (time runs from the last
    row to the first) with s >= t - `diagonal`. What is not kept is 0 whatever it was,
    NaN and infinities included.

    ```mlir
    func.func @causal(%s: tensor<64x64xf32>) -> (tensor<64x64xf32>, tensor<64x64xf32>) {
      %p = weft.tril %s : tensor<64x64xf32>
      %n = weft.tril %s diagonal -1 : tensor<64x64xf32>
      return %p, %n : tensor<64x64xf32>, tensor<64x64xf32>
    }
    ```
  }];
  let arguments = (ins Arg<Weft_FloatTensor, "a matrix">:$source,
                       DefaultValuedAttr<I64Attr, "0">:$diagonal, UnitAttr:$reverse);
  let results = (outs Res<Weft_FloatTensor, "its triangle">:$result);
  let assemblyFormat = [{
    $source (`diagonal` $diagonal^)? (`reverse` $reverse^)? attr-dict `:` type($source)
  }];
  let hasFolder = 1;
}

def Weft_SolveTrilOp : Weft_BodyOp<"solve_tril"> {
  let summary = "solve a lower triangular system";
  let description = [{
    X with L X = rhs, L the lower triangle of `matrix`; with `unit` its diagonal is taken as
    1 and not read; entries above the diagonal are never read. With `reverse` the upper
    triangle, by back substitution. Diagonal blocks are solved in the accumulator's type;
    products between blocks follow `numerics`.

    ```mlir
    func.func @solve(%l: tensor<64x64xf32>, %x: tensor<64x32xf32>) -> tensor<64x32xf32> {
      %y = weft.solve_tril %l, %x unit numerics<in = f32, acc = f32>
          : tensor<64x64xf32>, tensor<64x32xf32> -> tensor<64x32xf32>
      return %y : tensor<64x32xf32>
    }
    ```
  }];
  let arguments = (ins Arg<Weft_FloatTensor, "[C, C]">:$matrix, Arg<Weft_FloatTensor, "[C, N] or [C]">:$rhs,
                       UnitAttr:$unit, UnitAttr:$reverse, Weft_NumericsAttr:$numerics);
  let results = (outs Res<Weft_FloatTensor, "the solution, as rhs, of the accumulator's type">:$result);
  let assemblyFormat = [{
    $matrix `,` $rhs (`unit` $unit^)? (`reverse` $reverse^)? `numerics` `` $numerics attr-dict
    `:` type($matrix) `,` type($rhs) `->` type($result)
  }];
}

def Weft_CholeskyOp : Weft_BodyOp<"cholesky", [AllTypesMatch<["source", "result"]>]> {
  let summary = "the Cholesky factor of a symmetric positive definite matrix";
  let description = [{
    Lower triangular L with L L^T = `source`; only the lower triangle of the source is
    read, and the factor is 0 above the diagonal. With `reverse` the upper triangular
    factor with U U^T = source, made from the last row to the first. In the element type;
    products between blocks follow `numerics`.

    ```mlir
    func.func @factor(%m: tensor<64x64xf32>) -> tensor<64x64xf32> {
      %l = weft.cholesky %m numerics<in = f32, acc = f32> : tensor<64x64xf32>
      return %l : tensor<64x64xf32>
    }
    ```
  }];
  let arguments = (ins Arg<Weft_FloatTensor, "[C, C]">:$source, UnitAttr:$reverse, Weft_NumericsAttr:$numerics);
  let results = (outs Res<Weft_FloatTensor, "the factor [C, C]">:$result);
  let assemblyFormat = [{
    $source (`reverse` $reverse^)? `numerics` `` $numerics attr-dict `:` type($source)
  }];
}

//===----------------------------------------------------------------------===//
// Shapes
//===----------------------------------------------------------------------===//

def Weft_BroadcastOp : Weft_BodyOp<"broadcast", [DeclareOpInterfaceMethods<Weft_DimwiseOpInterface, ["isShapeOnly"]>]> {
  let summary = "repeat a tensor along new dims";
  let description = [{
    Dim i of `source` is dim `dims[i]` of the result; along the others it repeats. A
    result dim that is dynamic and new takes its size from `like`, which has the
    result's rank.

    ```mlir
    func.func @rows(%d: tensor<64xf32>) -> tensor<64x32xf32> {
      %b = weft.broadcast %d to [0] : tensor<64xf32> -> tensor<64x32xf32>
      return %b : tensor<64x32xf32>
    }
    func.func @bias(%bias: tensor<?x32xf32>, %x: tensor<?x?x?x8xf32>) -> tensor<?x?x?x32xf32> {
      %b = weft.broadcast %bias to [2, 3] like(%x : tensor<?x?x?x8xf32>) : tensor<?x32xf32> -> tensor<?x?x?x32xf32>
      return %b : tensor<?x?x?x32xf32>
    }
    ```
  }];
  let arguments = (ins Arg<AnyRankedTensor, "the tensor to repeat">:$source, DenseI64ArrayAttr:$dims,
                       Arg<Optional<AnyRankedTensor>, "gives the sizes of dynamic new dims">:$like);
  let results = (outs Res<AnyRankedTensor, "the repeated tensor">:$result);
  let assemblyFormat = [{
    $source `to` $dims (`like` `(` $like^ `:` type($like) `)`)? attr-dict `:` type($source) `->` type($result)
  }];
  let builders = [OpBuilder<(ins "::mlir::Type":$result, "::mlir::Value":$source, "::llvm::ArrayRef<int64_t>":$dims)>];
  let hasFolder = 1;
  let hasCanonicalizer = 1;
}

def Weft_ConcatOp : Weft_BodyOp<"concat", [DeclareOpInterfaceMethods<Weft_DimwiseOpInterface>]> {
  let summary = "concatenate along one dim";
  let description = [{
    ```mlir
    func.func @both(%x: tensor<64x32xf32>, %y: tensor<64x32xf32>) -> tensor<64x64xf32> {
      %z = weft.concat %x, %y over 1 : tensor<64x32xf32>, tensor<64x32xf32> -> tensor<64x64xf32>
      return %z : tensor<64x64xf32>
    }
    ```
  }];
  let arguments = (ins Arg<Variadic<Weft_FloatTensor>, "the parts, in order">:$sources, Weft_NonNegativeI64:$dim);
  let results = (outs Res<Weft_FloatTensor, "the whole">:$result);
  let assemblyFormat = "$sources `over` $dim attr-dict `:` type($sources) `->` type($result)";
  let hasFolder = 1;
  let hasCanonicalizer = 1;
}

def Weft_OuterOp : Weft_BodyOp<"outer", [DeclareOpInterfaceMethods<Weft_DimwiseOpInterface>]> {
  let summary = "outer product of the last dims, all other dims shared";
  let description = [{
    result[..., i, j] = lhs[..., i] rhs[..., j], computed in the result's element type.

    ```mlir
    func.func @features(%x: tensor<64x4xf32>, %y: tensor<64x8xf32>) -> tensor<64x4x8xf32> {
      %z = weft.outer %x, %y : tensor<64x4xf32>, tensor<64x8xf32> -> tensor<64x4x8xf32>
      return %z : tensor<64x4x8xf32>
    }
    ```
  }];
  let arguments = (ins Arg<Weft_FloatTensor, "[..., M]">:$lhs, Arg<Weft_FloatTensor, "[..., N]">:$rhs);
  let results = (outs Res<Weft_FloatTensor, "[..., M, N]">:$result);
  let assemblyFormat = "$lhs `,` $rhs attr-dict `:` type($lhs) `,` type($rhs) `->` type($result)";
}

//===----------------------------------------------------------------------===//
// Maps along one dim
//===----------------------------------------------------------------------===//

def Weft_SoftmaxOp : Weft_BodyOp<"softmax", [DeclareOpInterfaceMethods<Weft_DimwiseOpInterface, ["actsAlong"]>]> {
  let summary = "softmax along one dim";
  let description = [{
    exp(x - max) / sum, computed in the result's element type (at least f32). A row
    that is -inf throughout gives 0.

    ```mlir
    func.func @weights(%s: tensor<64x32xbf16>) -> tensor<64x32xf32> {
      %p = weft.softmax %s over 1 : tensor<64x32xbf16> -> tensor<64x32xf32>
      return %p : tensor<64x32xf32>
    }
    ```
  }];
  let arguments = (ins Arg<Weft_FloatTensor, "the logits">:$source, Weft_NonNegativeI64:$dim);
  let results = (outs Res<Weft_FloatTensor, "the weights, which sum to 1 along the dim">:$result);
  let assemblyFormat = "$source `over` $dim attr-dict `:` type($source) `->` type($result)";
}

def Weft_L2NormalizeOp : Weft_BodyOp<"l2_normalize", [DeclareOpInterfaceMethods<Weft_DimwiseOpInterface, ["actsAlong"]>]> {
  let summary = "divide by the Euclidean norm along one dim";
  let description = [{
    x / max(|x|, `eps`), computed in the result's element type. Zero stays zero.

    ```mlir
    func.func @unit(%k: tensor<64x32xbf16>) -> tensor<64x32xf32> {
      %n = weft.l2_normalize %k over 1 eps 1.0e-12 : tensor<64x32xbf16> -> tensor<64x32xf32>
      return %n : tensor<64x32xf32>
    }
    ```
  }];
  let arguments = (ins Arg<Weft_FloatTensor, "the vectors">:$source, Weft_NonNegativeI64:$dim, F64Attr:$eps);
  let results = (outs Res<Weft_FloatTensor, "unit vectors">:$result);
  let assemblyFormat = "$source `over` $dim `eps` $eps attr-dict `:` type($source) `->` type($result)";
}

//===----------------------------------------------------------------------===//
// Live rows, gathers, masks
//===----------------------------------------------------------------------===//

def Weft_KeepLiveOp : Weft_BodyOp<"keep_live", [AllTypesMatch<["source", "result"]>]> {
  let summary = "keep live rows, replace the dead ones by a constant";
  let description = [{
    Entries whose index along `dim` lies in [`from`, `to`) stay; the others become
    `other`, whatever they were.

    ```mlir
    func.func @mend(%k: tensor<64x32xf32>, %lo: index, %hi: index) -> tensor<64x32xf32> {
      %z = weft.keep_live %k over 0 from %lo to %hi else 0.0 : tensor<64x32xf32>
      return %z : tensor<64x32xf32>
    }
    ```
  }];
  let arguments = (ins Arg<Weft_FloatTensor, "the rows">:$source, Weft_NonNegativeI64:$dim,
                       Arg<Index, "first live index">:$from, Arg<Index, "first index after the live ones">:$to,
                       F64Attr:$other);
  let results = (outs Res<Weft_FloatTensor, "the mended rows">:$result);
  let assemblyFormat = [{
    $source `over` $dim `from` $from `to` $to `else` $other attr-dict `:` type($source)
  }];
  let hasFolder = 1;
}

def Weft_GatherRowsOp : Weft_BodyOp<"gather_rows"> {
  let summary = "rows of a view, by index";
  let description = [{
    Row i of the result is row `rows[i]` of `source`. An index outside the source gives a
    row of zeros: nothing outside it is ever read.

    ```mlir
    func.func @gather(%k: tensor<?x32xbf16>, %rows: tensor<64xi32>) -> tensor<64x32xbf16> {
      %t = weft.gather_rows %k[%rows] : tensor<?x32xbf16>, tensor<64xi32> -> tensor<64x32xbf16>
      return %t : tensor<64x32xbf16>
    }
    ```
  }];
  let arguments = (ins Arg<AnyRankedTensor, "the view, rows along dim 0">:$source,
                       Arg<Weft_IndexTensor, "row numbers">:$rows);
  let results = (outs Res<AnyRankedTensor, "the gathered rows">:$result);
  let assemblyFormat = "$source `[` $rows `]` attr-dict `:` type($source) `,` type($rows) `->` type($result)";
}

def Weft_MaskWindowOp : Weft_BodyOp<"mask_window", [AttrSizedOperandSegments, AllTypesMatch<["scores", "result"]>]> {
  let summary = "set scores outside a window to -inf";
  let description = [{
    Entry [r, c] belongs to query slot p = `rowStart` + r and key slot s = `colStart` + c. It
    stays when -left <= s - p <= right (`*` is unbounded) and, with `causal`, when
    colIndex[c] <= rowIndex[r]; else it becomes -inf.

    ```mlir
    func.func @mask(%s: tensor<16x64xf32>, %p: index, %c: index, %i: tensor<16xi32>, %j: tensor<64xi32>) -> tensor<16x64xf32> {
      %a = weft.mask_window %s window [*, 0] rows %p cols %c : tensor<16x64xf32>
      %b = weft.mask_window %a window [32, 31] rows %p cols %c causal(%i, %j : tensor<16xi32>, tensor<64xi32>)
          : tensor<16x64xf32>
      return %b : tensor<16x64xf32>
    }
    ```
  }];
  let arguments = (ins Arg<Weft_FloatTensor, "scores [queries, keys]">:$scores, DenseI64ArrayAttr:$window,
                       Arg<Index, "slot of the first query">:$rowStart, Arg<Index, "slot of the first key">:$colStart,
                       Arg<Optional<Weft_IndexTensor>, "original index of each query">:$rowIndex,
                       Arg<Optional<Weft_IndexTensor>, "original index of each key">:$colIndex);
  let results = (outs Res<Weft_FloatTensor, "masked scores">:$result);
  let assemblyFormat = [{
    $scores `window` custom<Window>($window) `rows` $rowStart `cols` $colStart
    (`causal` `(` $rowIndex^ `,` $colIndex `:` type($rowIndex) `,` type($colIndex) `)`)?
    attr-dict `:` type($scores)
  }];
  let hasFolder = 1;
  let extraClassDeclaration = [{
    /// Marks an unbounded side of a window.
    static constexpr int64_t kUnbounded = std::numeric_limits<int64_t>::max();
  }];
}

//===----------------------------------------------------------------------===//
// Fenwick levels
//===----------------------------------------------------------------------===//

def Weft_LevelWeightsOp : Weft_BodyOp<"level_weights"> {
  let summary = "weights of the levels inside a chunk, as a matrix";
  let description = [{
    result[t, s] = levels[t, bit_length(t xor s)] for s <= t, 0 elsewhere. Levels 0 to
    log2(C) are read: `levels` has at least log2(C) + 1 columns.

    ```mlir
    func.func @weights(%lam: tensor<64x13xf32>) -> tensor<64x64xf32> {
      %w = weft.level_weights %lam : tensor<64x13xf32> -> tensor<64x64xf32>
      return %w : tensor<64x64xf32>
    }
    ```
  }];
  let arguments = (ins Arg<Weft_FloatTensor, "one weight per row and level [C, L]">:$levels);
  let results = (outs Res<Weft_FloatTensor, "[C, C]">:$result);
  let assemblyFormat = "$levels attr-dict `:` type($levels) `->` type($result)";
}

def Weft_FenwickReadOp : Weft_BodyOp<"fenwick_read"> {
  let summary = "read a stack of states, each slot weighted by its level";
  let description = [{
    Sum over the set bits b of `chunk` of levels[:, `first` + b] times (query contracted with
    slot b over the slot's first dim). Slots whose bit is not set are never read. With
    C = 2^c rows, `first` is c + 1.

    ```mlir
    func.func @read(%stack: tensor<6x32x16xf32>, %n: index, %q: tensor<64x32xf32>, %lam: tensor<64x13xf32>) -> tensor<64x16xf32> {
      %o = weft.fenwick_read %stack at %n query %q levels %lam from 7 numerics<in = f32, acc = f32>
          : tensor<6x32x16xf32>, tensor<64x32xf32>, tensor<64x13xf32> -> tensor<64x16xf32>
      return %o : tensor<64x16xf32>
    }
    ```
  }];
  let arguments = (ins Arg<Weft_FloatTensor, "slots of states [S, K, V] or [S, K]">:$stack,
                       Arg<Index, "number of the chunk">:$chunk, Arg<Weft_FloatTensor, "[C, K]">:$query,
                       Arg<Weft_FloatTensor, "[C, L]">:$levels, Weft_NonNegativeI64:$first, Weft_NumericsAttr:$numerics);
  let results = (outs Res<Weft_FloatTensor, "[C, V] or [C]">:$result);
  let assemblyFormat = [{
    $stack `at` $chunk `query` $query `levels` $levels `from` $first `numerics` `` $numerics attr-dict
    `:` type($stack) `,` type($query) `,` type($levels) `->` type($result)
  }];
}

def Weft_FenwickMergeOp : Weft_BodyOp<"fenwick_merge", [AllTypesMatch<["stack", "result"]>]> {
  let summary = "merge a block's contribution into a stack of states";
  let description = [{
    With r the number of trailing zeros of `block` + 1: slot `level` + r becomes
    `contribution` plus the sum of all slots below it, which become zero. The block is an
    aligned one of 2^`level` chunks; slots below `level` hold something only where the walk
    began inside the block. A slot beyond the stack is dropped: a program checks its length
    against the number of slots.

    ```mlir
    func.func @merge(%stack: tensor<6x32x16xf32>, %g: tensor<32x16xf32>, %n: index, %m: index) -> tensor<6x32x16xf32> {
      %s = weft.fenwick_merge %stack, %g at %n level %m : tensor<6x32x16xf32>, tensor<32x16xf32>
      return %s : tensor<6x32x16xf32>
    }
    ```
  }];
  let arguments = (ins Arg<Weft_FloatTensor, "slots of states">:$stack, Arg<Weft_FloatTensor, "one state">:$contribution,
                       Arg<Index, "number of the block">:$block, Arg<Index, "log2 of its chunks">:$level);
  let results = (outs Res<Weft_FloatTensor, "the merged stack">:$result);
  let assemblyFormat = [{
    $stack `,` $contribution `at` $block `level` $level attr-dict `:` type($stack) `,` type($contribution)
  }];
}

#endif // SCANWEFT_DIALECTS_WEFT_IR_WEFTBODYOPS_TD
