// Part of Scanweft, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

//===----------------------------------------------------------------------===//
// A block's program, its launch, and its accesses to global memory.
//===----------------------------------------------------------------------===//

#ifndef SCANWEFT_DIALECTS_WTILE_IR_WTILEKERNELOPS_TD
#define SCANWEFT_DIALECTS_WTILE_IR_WTILEKERNELOPS_TD

include "mlir/IR/BuiltinAttributes.td"
include "mlir/IR/CommonAttrConstraints.td"
include "mlir/IR/CommonTypeConstraints.td"
include "mlir/IR/RegionKindInterface.td"
include "mlir/IR/SymbolInterfaces.td"
include "mlir/Interfaces/SideEffectInterfaces.td"
include "dialects/WTile/IR/WTileDialect.td"

def WTile_Tile : StaticShapeTensorOf<[AnyFloat, AnySignlessInteger, Index]>;
def WTile_FloatTile : StaticShapeTensorOf<[AnyFloat]>;
def WTile_IntegerTile : StaticShapeTensorOf<[AnySignlessInteger]>;
def WTile_View : MemRefRankOf<[AnyFloat, AnySignlessInteger], [0, 1, 2, 3, 4, 5, 6]>;

def WTile_KernelOp : WTile_Op<"kernel", [IsolatedFromAbove, Symbol, AutomaticAllocationScope,
    SingleBlockImplicitTerminator<"ReturnOp">, RecursiveMemoryEffects]> {
  let summary = "what one block of threads does";
  let description = [{
    The region's arguments are the program's coordinates (`axes` of them), then the
    kernel's parameters: global memory as memrefs whose last dim is contiguous, and
    scalars. Once layouts are assigned, `warps` is the number of warps of a block;
    once buffers have addresses, `shared_bytes` the shared memory of a block.

    ```mlir
    wtile.kernel @double axes 1 {
    ^program(%p: index, %x: memref<?x64xf32, strided<[?, 1], offset: ?>>, %y: memref<?x64xf32, strided<[?, 1], offset: ?>>):
      %c16 = arith.constant 16 : index
      %c0 = arith.constant 0 : index
      %n = memref.dim %x, %c0 : memref<?x64xf32, strided<[?, 1], offset: ?>>
      %first = arith.muli %p, %c16 : index
      %left = arith.subi %n, %first : index
      %t = wtile.load %x[%first] live(%c0, %left) : memref<?x64xf32, strided<[?, 1], offset: ?>> -> tensor<16x64xf32>
      %s = arith.addf %t, %t : tensor<16x64xf32>
      wtile.store %s, %y[%first] live(%c0, %left) : tensor<16x64xf32>, memref<?x64xf32, strided<[?, 1], offset: ?>>
    }
    ```
  }];
  let arguments = (ins SymbolNameAttr:$sym_name, ConfinedAttr<I64Attr, [IntNonNegative]>:$axes,
                       OptionalAttr<I64Attr>:$warps, OptionalAttr<I64Attr>:$shared_bytes);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = [{
    $sym_name `axes` $axes (`warps` $warps^)? (`shared_bytes` $shared_bytes^)? attr-dict-with-keyword $body
  }];
  let hasVerifier = 1;
  let hasRegionVerifier = 1;
  let extraClassDeclaration = [{
    ::mlir::Block::BlockArgListType getCoordinates();
    ::mlir::Block::BlockArgListType getParameters();
  }];
}

def WTile_ReturnOp : WTile_Op<"return", [Pure, Terminator, HasParent<"KernelOp">]> {
  let summary = "the end of a block's program";
  let description = [{
    It stands implicitly at the end of a `wtile.kernel`.

    ```mlir
    wtile.kernel @nothing axes 0 {
      wtile.return
    }
    ```
  }];
  let assemblyFormat = "attr-dict";
}

def WTile_LaunchOp : WTile_Op<"launch", [AttrSizedOperandSegments, DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "run a kernel for every program";
  let description = [{
    The grid is the product of `programs`, the last axis fastest. The kernel's
    parameters are `ins`, then `outs`; a tensor arrives as its memory. The results are
    the outs as the kernel leaves them. Once kernels are functions of a `gpu.module`,
    it names one of them.

    ```mlir
    wtile.kernel @fill axes 1 {
    ^program(%p: index, %value: f32, %y: memref<?x8xf32, strided<[?, 1]>>):
      %t = tensor.splat %value : tensor<1x8xf32>
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      wtile.store %t, %y[%p] live(%c0, %c1) : tensor<1x8xf32>, memref<?x8xf32, strided<[?, 1]>>
    }
    func.func @run(%n: index, %value: f32) -> tensor<?x8xf32> {
      %init = tensor.empty(%n) : tensor<?x8xf32>
      %y = wtile.launch @fill programs(%n) ins(%value : f32) outs(%init : tensor<?x8xf32>)
      return %y : tensor<?x8xf32>
    }
    ```
  }];
  let arguments = (ins SymbolRefAttr:$kernel,
                       Arg<Variadic<Index>, "extent of each program axis">:$programs,
                       Arg<Variadic<AnyType>, "tensors that are read, and scalars">:$ins,
                       Arg<Variadic<AnyRankedTensor>, "tensors that are written">:$outs);
  let results = (outs Res<Variadic<AnyRankedTensor>, "the outs after the launch">:$results);
  let assemblyFormat = [{
    $kernel `programs` `(` $programs `)` (`ins` `(` $ins^ `:` type($ins) `)`)?
    (`outs` `(` $outs^ `:` type($outs) `)`)? attr-dict custom<SameTypes>(ref(type($outs)), type($results))
  }];
  let hasVerifier = 1;
}

//===----------------------------------------------------------------------===//
// Global memory
//===----------------------------------------------------------------------===//

def WTile_LoadOp : WTile_Op<"load", [AttrSizedOperandSegments, MemoryEffects<[MemRead]>]> {
  let summary = "a tile from global memory";
  let description = [{
    With `[%first] live(%lo, %hi)` row r of the tile is row `first` + r of the view for
    lo <= r < hi; the other rows are `else`, by default zero, and nothing is read for
    them. Without, the tile is the whole view.

    ```mlir
    func.func @rows(%x: memref<?x64xbf16, strided<[?, 1]>>, %first: index, %lo: index, %hi: index) -> tensor<16x64xbf16> {
      %t = wtile.load %x[%first] live(%lo, %hi) : memref<?x64xbf16, strided<[?, 1]>> -> tensor<16x64xbf16>
      return %t : tensor<16x64xbf16>
    }
    ```
  }];
  let arguments = (ins Arg<WTile_View, "the memory", [MemRead]>:$view, Arg<Optional<Index>, "the tile's first row in the view">:$first,
                       Arg<Optional<Index>, "first live row of the tile">:$from, Arg<Optional<Index>, "first row after the live ones">:$to,
                       Arg<Optional<AnyType>, "what dead rows hold">:$other);
  let results = (outs Res<WTile_Tile, "the tile">:$result);
  let assemblyFormat = [{
    $view (`[` $first^ `]` `live` `(` $from `,` $to `)`)? (`else` $other^ `:` type($other))? attr-dict
    `:` type($view) `->` type($result)
  }];
  let hasVerifier = 1;
}

def WTile_StoreOp : WTile_Op<"store", [AttrSizedOperandSegments]> {
  let summary = "a tile to global memory";
  let description = [{
    With `[%first] live(%lo, %hi)` row r of the tile goes to row `first` + r of the view
    for lo <= r < hi. Without, the tile is the whole view.

    ```mlir
    func.func @state(%s: tensor<64x64xf32>, %x: memref<64x64xf32, strided<[?, 1]>>) {
      wtile.store %s, %x : tensor<64x64xf32>, memref<64x64xf32, strided<[?, 1]>>
      return
    }
    ```
  }];
  let arguments = (ins Arg<WTile_Tile, "the tile">:$tile, Arg<WTile_View, "the memory", [MemWrite]>:$view,
                       Arg<Optional<Index>, "the tile's first row in the view">:$first,
                       Arg<Optional<Index>, "first live row of the tile">:$from, Arg<Optional<Index>, "first row after the live ones">:$to);
  let assemblyFormat = [{
    $tile `,` $view (`[` $first^ `]` `live` `(` $from `,` $to `)`)? attr-dict `:` type($tile) `,` type($view)
  }];
  let hasVerifier = 1;
}

def WTile_GatherOp : WTile_Op<"gather"> {
  let summary = "rows of global memory by index";
  let description = [{
    Row r of the tile is row `rows[r]` of the view; an index outside the view gives a
    row of zeros, and nothing is read for it.

    ```mlir
    func.func @rows(%x: memref<?x64xbf16, strided<[?, 1]>>, %rows: tensor<16xi32>) -> tensor<16x64xbf16> {
      %t = wtile.gather %x[%rows] : memref<?x64xbf16, strided<[?, 1]>>, tensor<16xi32> -> tensor<16x64xbf16>
      return %t : tensor<16x64xbf16>
    }
    ```
  }];
  let arguments = (ins Arg<WTile_View, "the memory", [MemRead]>:$view, Arg<WTile_IntegerTile, "row numbers">:$rows);
  let results = (outs Res<WTile_Tile, "the tile">:$result);
  let assemblyFormat = "$view `[` $rows `]` attr-dict `:` type($view) `,` type($rows) `->` type($result)";
  let hasVerifier = 1;
}

def WTile_ScatterOp : WTile_Op<"scatter"> {
  let summary = "rows to global memory by index";
  let description = [{
    Row r of the tile, lo <= r < hi, goes to row `rows[r]` of the view; an index outside
    the view stores nothing.

    ```mlir
    func.func @rows(%t: tensor<16x64xbf16>, %x: memref<?x64xbf16, strided<[?, 1]>>, %rows: tensor<16xi32>, %lo: index, %hi: index) {
      wtile.scatter %t, %x[%rows] live(%lo, %hi) : tensor<16x64xbf16>, memref<?x64xbf16, strided<[?, 1]>>, tensor<16xi32>
      return
    }
    ```
  }];
  let arguments = (ins Arg<WTile_Tile, "the tile">:$tile, Arg<WTile_View, "the memory", [MemWrite]>:$view,
                       Arg<WTile_IntegerTile, "row numbers">:$rows, Arg<Index, "first live row">:$from,
                       Arg<Index, "first row after the live ones">:$to);
  let assemblyFormat = [{
    $tile `,` $view `[` $rows `]` `live` `(` $from `,` $to `)` attr-dict `:` type($tile) `,` type($view) `,` type($rows)
  }];
  let hasVerifier = 1;
}

#endif // SCANWEFT_DIALECTS_WTILE_IR_WTILEKERNELOPS_TD
