// Part of Scanweft, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

//===----------------------------------------------------------------------===//
// Work on tiles that is not elementwise. All of it is pure, and means the same
// with layouts and without.
//===----------------------------------------------------------------------===//

#ifndef SCANWEFT_DIALECTS_WTILE_IR_WTILETILEOPS_TD
#define SCANWEFT_DIALECTS_WTILE_IR_WTILETILEOPS_TD

include "dialects/WTile/IR/WTileKernelOps.td"

class WTile_TileOp<string mnemonic, list<Trait> traits = []>
    : WTile_Op<mnemonic, !listconcat([Pure], traits)> {
  let hasVerifier = 1;
}

def WTile_CoordinateOp : WTile_TileOp<"coordinate"> {
  let summary = "each element's own coordinate along a dim";
  let description = [{
    What masks are made of: a triangle, for one, is the elements whose coordinate along
    dim 1 is at most that along dim 0.

    ```mlir
    func.func @tril(%x: tensor<64x64xf32>, %zero: tensor<64x64xf32>) -> tensor<64x64xf32> {
      %row = wtile.coordinate 0 : tensor<64x64xi32>
      %column = wtile.coordinate 1 : tensor<64x64xi32>
      %kept = arith.cmpi sle, %column, %row : tensor<64x64xi32>
      %y = arith.select %kept, %x, %zero : tensor<64x64xi1>, tensor<64x64xf32>
      return %y : tensor<64x64xf32>
    }
    ```
  }];
  let arguments = (ins ConfinedAttr<I64Attr, [IntNonNegative]>:$dim);
  let results = (outs Res<WTile_IntegerTile, "the coordinates">:$result);
  let assemblyFormat = "$dim attr-dict `:` type($result)";
}

def WTile_BroadcastOp : WTile_TileOp<"broadcast"> {
  let summary = "repeat a tile along new dims";
  let description = [{
    Dim i of the source is dim `dims[i]` of the result, in increasing order; along the
    others it repeats. In registers it is a renaming.

    ```mlir
    func.func @along_rows(%x: tensor<64xf32>) -> tensor<64x32xf32> {
      %y = wtile.broadcast %x to [0] : tensor<64xf32> -> tensor<64x32xf32>
      return %y : tensor<64x32xf32>
    }
    ```
  }];
  let arguments = (ins Arg<WTile_Tile, "the tile to repeat">:$source, DenseI64ArrayAttr:$dims);
  let results = (outs Res<WTile_Tile, "the repeated tile">:$result);
  let assemblyFormat = "$source `to` $dims attr-dict `:` type($source) `->` type($result)";
}

class WTile_CombineOp<string mnemonic> : WTile_TileOp<mnemonic, [SingleBlock]> {
  let regions = (region SizedRegion<1>:$combine);
}

def WTile_ReduceOp : WTile_CombineOp<"reduce"> {
  let summary = "combine all elements along a dim, which the result lacks";
  let description = [{
    The region combines scalars (earlier..., later...) -> results of all sources;
    it is associative. With `commutative` the order along the dim is free. With
    `parts` n each of n equal stretches of the dim is combined by itself, and the
    results have a leading dim of n.

    ```mlir
    func.func @row_sums(%x: tensor<64x32xf32>) -> tensor<64xf32> {
      %s = wtile.reduce (%x : tensor<64x32xf32>) over 1 commutative -> (tensor<64xf32>) {
      ^combine(%earlier: f32, %later: f32):
        %sum = arith.addf %earlier, %later : f32
        wtile.yield %sum : f32
      }
      return %s : tensor<64xf32>
    }
    ```
  }];
  let arguments = (ins Arg<Variadic<WTile_Tile>, "tiles of one shape">:$sources,
                       ConfinedAttr<I64Attr, [IntNonNegative]>:$dim, OptionalAttr<I64Attr>:$parts, UnitAttr:$commutative);
  let results = (outs Res<Variadic<WTile_Tile>, "one tile per source">:$results);
  let assemblyFormat = [{
    `(` $sources `:` type($sources) `)` `over` $dim (`parts` $parts^)? (`commutative` $commutative^)? attr-dict
    `->` `(` type($results) `)` $combine
  }];
}

def WTile_ScanOp : WTile_CombineOp<"scan"> {
  let summary = "running combination along a dim";
  let description = [{
    Entry t of a result combines entries 0..t of its source, with `exclusive` 0..t-1,
    which for t = 0 is `identity`; with `reverse` time runs from the last entry to the
    first. The region is as in `wtile.reduce`.

    ```mlir
    func.func @running(%x: tensor<64xf32>) -> tensor<64xf32> {
      %s = wtile.scan (%x : tensor<64xf32>) over 0 identity [0.0 : f32] -> (tensor<64xf32>) {
      ^combine(%earlier: f32, %later: f32):
        %sum = arith.addf %earlier, %later : f32
        wtile.yield %sum : f32
      }
      return %s : tensor<64xf32>
    }
    ```
  }];
  let arguments = (ins Arg<Variadic<WTile_Tile>, "tiles of one shape">:$sources,
                       ConfinedAttr<I64Attr, [IntNonNegative]>:$dim, ArrayAttr:$identity,
                       UnitAttr:$exclusive, UnitAttr:$reverse);
  let results = (outs Res<Variadic<WTile_Tile>, "one tile per source">:$results);
  let assemblyFormat = [{
    `(` $sources `:` type($sources) `)` `over` $dim `identity` $identity (`exclusive` $exclusive^)? (`reverse` $reverse^)?
    attr-dict `->` `(` type($results) `)` $combine
  }];
}

def WTile_YieldOp : WTile_Op<"yield", [Pure, Terminator]> {
  let summary = "the combined scalars";
  let description = [{
    Ends the region of `wtile.reduce` and `wtile.scan`.

    ```mlir
    func.func @largest(%x: tensor<64xf32>) -> tensor<f32> {
      %m = wtile.reduce (%x : tensor<64xf32>) over 0 commutative -> (tensor<f32>) {
      ^combine(%earlier: f32, %later: f32):
        %larger = arith.maximumf %earlier, %later : f32
        wtile.yield %larger : f32
      }
      return %m : tensor<f32>
    }
    ```
  }];
  let arguments = (ins Variadic<AnyType>:$values);
  let assemblyFormat = "($values^ `:` type($values))? attr-dict";
}

def WTile_Factor : AnyTypeOf<[WTile_FloatTile, WTile_SharedType]>;

def WTile_MmaOp : WTile_TileOp<"mma", [AllTypesMatch<["accumulator", "result"]>]> {
  let summary = "accumulate a product of two tiles";
  let description = [{
    accumulator + lhs rhs, contracted over dim `dims[0]` of lhs and `dims[1]` of rhs;
    with `subtract` accumulator - lhs rhs. The factors are of one element type: bf16,
    f16, or f32 that holds tf32 values (`wtile.round`); products are summed in f32.
    With layouts a factor is a register tile or a shared buffer; with `round` a buffer's
    elements of rhs are rounded to tf32 as they are read.

    ```mlir
    func.func @scores(%q: tensor<64x32xbf16>, %k: tensor<64x32xbf16>, %zero: tensor<64x64xf32>) -> tensor<64x64xf32> {
      %s = wtile.mma %q, %k, %zero over [1, 1] : tensor<64x32xbf16>, tensor<64x32xbf16>, tensor<64x64xf32>
      return %s : tensor<64x64xf32>
    }
    ```
  }];
  let arguments = (ins Arg<WTile_Factor, "the first factor">:$lhs, Arg<WTile_Factor, "the second factor">:$rhs,
                       Arg<WTile_FloatTile, "what is added to">:$accumulator, DenseI64ArrayAttr:$dims, UnitAttr:$subtract,
                       UnitAttr:$round);
  let results = (outs Res<WTile_FloatTile, "free dims of lhs, then of rhs">:$result);
  let assemblyFormat = [{
    $lhs `,` $rhs `,` $accumulator `over` $dims (`subtract` $subtract^)? (`round` $round^)? attr-dict
    `:` type($lhs) `,` type($rhs) `,` type($accumulator)
  }];
  let extraClassDeclaration = [{
    unsigned getLhsDim() { return getDims()[0]; }
    unsigned getRhsDim() { return getDims()[1]; }
  }];
}

def WTile_RoundOp : WTile_TileOp<"round", [AllTypesMatch<["source", "result"]>]> {
  let summary = "round to tf32, to nearest with ties away from zero";
  let description = [{
    The matrix units drop the 13 low bits of an f32 factor: what they shall round is
    rounded before.

    ```mlir
    func.func @factor(%x: tensor<64x32xf32>) -> tensor<64x32xf32> {
      %y = wtile.round %x : tensor<64x32xf32>
      return %y : tensor<64x32xf32>
    }
    ```
  }];
  let arguments = (ins Arg<WTile_FloatTile, "an f32 tile">:$source);
  let results = (outs Res<WTile_FloatTile, "the rounded tile">:$result);
  let assemblyFormat = "$source attr-dict `:` type($source)";
}

def WTile_TransposeOp : WTile_TileOp<"transpose"> {
  let summary = "swap the dims of a matrix";
  let description = [{
    In registers it is a renaming.

    ```mlir
    func.func @turn(%x: tensor<64x32xf32>) -> tensor<32x64xf32> {
      %y = wtile.transpose %x : tensor<64x32xf32> -> tensor<32x64xf32>
      return %y : tensor<32x64xf32>
    }
    ```
  }];
  let arguments = (ins Arg<WTile_Tile, "a matrix">:$source);
  let results = (outs Res<WTile_Tile, "the transposed matrix">:$result);
  let assemblyFormat = "$source attr-dict `:` type($source) `->` type($result)";
}

def WTile_ExtractOp : WTile_TileOp<"extract"> {
  let summary = "a block of a tile";
  let description = [{
    The block of the result's shape at `offsets`, which are multiples of its sizes.

    ```mlir
    func.func @block(%x: tensor<64x64xf32>) -> tensor<16x64xf32> {
      %y = wtile.extract %x [32, 0] : tensor<64x64xf32> -> tensor<16x64xf32>
      return %y : tensor<16x64xf32>
    }
    ```
  }];
  let arguments = (ins Arg<WTile_Tile, "the tile">:$source, DenseI64ArrayAttr:$offsets);
  let results = (outs Res<WTile_Tile, "the block">:$result);
  let assemblyFormat = "$source $offsets attr-dict `:` type($source) `->` type($result)";
}

def WTile_ConcatOp : WTile_TileOp<"concat"> {
  let summary = "blocks of equal shape side by side";
  let description = [{
    ```mlir
    func.func @both(%x: tensor<64x32xf32>, %y: tensor<64x32xf32>) -> tensor<64x64xf32> {
      %z = wtile.concat %x, %y over 1 : tensor<64x32xf32>, tensor<64x32xf32> -> tensor<64x64xf32>
      return %z : tensor<64x64xf32>
    }
    ```
  }];
  let arguments = (ins Arg<Variadic<WTile_Tile>, "a power of two of tiles of one shape">:$sources, ConfinedAttr<I64Attr, [IntNonNegative]>:$dim);
  let results = (outs Res<WTile_Tile, "the whole">:$result);
  let assemblyFormat = "$sources `over` $dim attr-dict `:` type($sources) `->` type($result)";
}

def WTile_TakeOp : WTile_TileOp<"take"> {
  let summary = "pick an element of a row by an index per element";
  let description = [{
    result[t, s] = source[t, columns[t, s]], or of vectors result[t] = source[t, columns[t]].
    Indices lie inside the source's rows. With layouts the source is a shared buffer.

    ```mlir
    func.func @pick(%x: tensor<64x16xf32>, %columns: tensor<64x64xi32>) -> tensor<64x64xf32> {
      %y = wtile.take %x[%columns] : tensor<64x16xf32>, tensor<64x64xi32> -> tensor<64x64xf32>
      return %y : tensor<64x64xf32>
    }
    ```
  }];
  let arguments = (ins Arg<AnyTypeOf<[WTile_Tile, WTile_SharedType]>, "rows to pick from">:$source,
                       Arg<WTile_IntegerTile, "which column">:$columns);
  let results = (outs Res<WTile_Tile, "the picked elements">:$result);
  let assemblyFormat = "$source `[` $columns `]` attr-dict `:` type($source) `,` type($columns) `->` type($result)";
}

def WTile_FactorBlockOp : WTile_TileOp<"factor_block"> {
  let summary = "Cholesky factor of a 16 x 16 block, and the factor's inverse";
  let description = [{
    L with L L^T = source, zero above the diagonal, and L^-1. Only the lower triangle of
    the source is read.

    ```mlir
    func.func @factor(%a: tensor<16x16xf32>) -> (tensor<16x16xf32>, tensor<16x16xf32>) {
      %l, %inverse = wtile.factor_block %a : tensor<16x16xf32>
      return %l, %inverse : tensor<16x16xf32>, tensor<16x16xf32>
    }
    ```
  }];
  let arguments = (ins Arg<WTile_FloatTile, "a symmetric positive definite block">:$source);
  let results = (outs Res<WTile_FloatTile, "L">:$factor, Res<WTile_FloatTile, "the inverse of L">:$inverse);
  let assemblyFormat = "$source attr-dict `:` custom<ThreeTimes>(type($source), type($factor), type($inverse))";
}

def WTile_InvertBlocksOp : WTile_TileOp<"invert_blocks"> {
  let summary = "inverses of the 16 x 16 diagonal blocks of a lower triangle";
  let description = [{
    Rows 16 b .. 16 b + 15 of the result are the inverse of block b of the lower triangle
    of `source`, whose diagonal with `unit` is taken as 1 and not read.

    ```mlir
    func.func @invert(%l: tensor<64x64xf32>) -> tensor<64x16xf32> {
      %inverses = wtile.invert_blocks %l unit : tensor<64x64xf32> -> tensor<64x16xf32>
      return %inverses : tensor<64x16xf32>
    }
    ```
  }];
  let arguments = (ins Arg<WTile_FloatTile, "the triangle">:$source, UnitAttr:$unit);
  let results = (outs Res<WTile_FloatTile, "the inverses, one below the other">:$result);
  let assemblyFormat = "$source (`unit` $unit^)? attr-dict `:` type($source) `->` type($result)";
}

#endif // SCANWEFT_DIALECTS_WTILE_IR_WTILETILEOPS_TD
