// Part of Scanweft, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

//===----------------------------------------------------------------------===//
// Movement of tiles inside a block, once layouts are assigned: shared buffers,
// relayouts, asynchronous copies, barriers, and stacks of states.
//===----------------------------------------------------------------------===//

#ifndef SCANWEFT_DIALECTS_WTILE_IR_WTILESHAREDOPS_TD
#define SCANWEFT_DIALECTS_WTILE_IR_WTILESHAREDOPS_TD

include "dialects/WTile/IR/WTileTileOps.td"

def WTile_AllocOp : WTile_Op<"alloc"> {
  let summary = "a buffer in the block's shared memory";
  let description = [{
    `swizzle` is its inner order (absent: plain rows), `address` its first byte in the
    block's shared memory, once buffers have addresses; buffers that are never needed at
    the same time may overlap. `persistent` ones hold their place for the whole program.

    ```mlir
    func.func @buffer() {
      %b = wtile.alloc {address = 1024 : i64} : !wtile.shared<64x64xf32>
      return
    }
    ```
  }];
  let arguments = (ins OptionalAttr<WTile_SwizzleAttr>:$swizzle, OptionalAttr<I64Attr>:$address, UnitAttr:$persistent);
  let results = (outs Res<WTile_SharedType, "the buffer", [MemAlloc]>:$buffer);
  let assemblyFormat = "attr-dict `:` type($buffer)";
  let hasVerifier = 1;
}

def WTile_StageOp : WTile_Op<"stage", [Pure]> {
  let summary = "one stage of a ring of buffers";
  let description = [{
    Entry `index` modulo the ring's first dim, which is a power of two.

    ```mlir
    func.func @current(%ring: !wtile.shared<2x64x64xbf16>, %n: index) -> tensor<64x64xbf16> {
      %b = wtile.stage %ring[%n] : !wtile.shared<2x64x64xbf16> -> !wtile.shared<64x64xbf16>
      %t = wtile.load_shared %b : !wtile.shared<64x64xbf16> -> tensor<64x64xbf16>
      return %t : tensor<64x64xbf16>
    }
    ```
  }];
  let arguments = (ins Arg<WTile_SharedType, "the ring">:$ring, Arg<Index, "which stage, modulo their number">:$index);
  let results = (outs Res<WTile_SharedType, "the stage">:$result);
  let assemblyFormat = "$ring `[` $index `]` attr-dict `:` type($ring) `->` type($result)";
  let hasVerifier = 1;
}

def WTile_SubviewOp : WTile_Op<"subview", [Pure]> {
  let summary = "a block of a shared buffer";
  let description = [{
    The block of the result's shape at `offsets`, which are multiples of its sizes.

    ```mlir
    func.func @block(%b: !wtile.shared<64x64xf32>) -> !wtile.shared<16x16xf32> {
      %s = wtile.subview %b [16, 32] : !wtile.shared<64x64xf32> -> !wtile.shared<16x16xf32>
      return %s : !wtile.shared<16x16xf32>
    }
    ```
  }];
  let arguments = (ins Arg<WTile_SharedType, "the buffer">:$source, DenseI64ArrayAttr:$offsets);
  let results = (outs Res<WTile_SharedType, "the block">:$result);
  let assemblyFormat = "$source $offsets attr-dict `:` type($source) `->` type($result)";
  let hasVerifier = 1;
}

def WTile_StoreSharedOp : WTile_Op<"store_shared"> {
  let summary = "registers to shared memory";
  let description = [{
    ```mlir
    func.func @publish(%t: tensor<64x64xf32>, %b: !wtile.shared<64x64xf32>) {
      wtile.store_shared %t, %b : tensor<64x64xf32>, !wtile.shared<64x64xf32>
      return
    }
    ```
  }];
  let arguments = (ins Arg<WTile_Tile, "the tile">:$tile, Arg<WTile_SharedType, "the buffer", [MemWrite]>:$buffer);
  let assemblyFormat = "$tile `,` $buffer attr-dict `:` type($tile) `,` type($buffer)";
  let hasVerifier = 1;
}

def WTile_LoadSharedOp : WTile_Op<"load_shared"> {
  let summary = "shared memory to registers";
  let description = [{
    ```mlir
    func.func @fetch(%b: !wtile.shared<64x64xf32>) -> tensor<64x64xf32> {
      %t = wtile.load_shared %b : !wtile.shared<64x64xf32> -> tensor<64x64xf32>
      return %t : tensor<64x64xf32>
    }
    ```
  }];
  let arguments = (ins Arg<WTile_SharedType, "the buffer", [MemRead]>:$buffer);
  let results = (outs Res<WTile_Tile, "the tile">:$result);
  let assemblyFormat = "$buffer attr-dict `:` type($buffer) `->` type($result)";
  let hasVerifier = 1;
}

def WTile_RelayoutOp : WTile_TileOp<"relayout"> {
  let summary = "a tile in another layout, inside its warp";
  let description = [{
    Register moves and shuffles. What other warps hold comes through a shared buffer
    instead.

    ```mlir
    #lanes = #wtile.layout<[32] register [] lane [[1], [2], [4], [8], [16]] warp []>
    #all = #wtile.layout<[32] register [[1], [2], [4], [8], [16]] lane [[0], [0], [0], [0], [0]] warp []>
    func.func @everywhere(%x: tensor<32xf32, #lanes>) -> tensor<32xf32, #all> {
      %y = wtile.relayout %x : tensor<32xf32, #lanes> -> tensor<32xf32, #all>
      return %y : tensor<32xf32, #all>
    }
    ```
  }];
  let arguments = (ins Arg<WTile_Tile, "the tile">:$source);
  let results = (outs Res<WTile_Tile, "the same tile">:$result);
  let assemblyFormat = "$source attr-dict `:` type($source) `->` type($result)";
}

def WTile_CopyAsyncOp : WTile_Op<"copy_async"> {
  let summary = "rows of global memory into a shared buffer, while the block goes on";
  let description = [{
    Row r of the buffer becomes row `first` + r of the view for lo <= r < hi, with
    `by %index` row index[`first` + r]; dead rows, rows whose index lies outside the
    view, and what the buffer has beyond the view's width become zero. The index is global memory, or a shared buffer of the tile's rows.
    The data is there after a `wtile.copy_wait` and a barrier.

    ```mlir
    func.func @fetch(%x: memref<?x64xbf16, strided<[?, 1]>>, %b: !wtile.shared<64x64xbf16>, %first: index, %lo: index, %hi: index) {
      wtile.copy_async %x[%first] live(%lo, %hi) to %b : memref<?x64xbf16, strided<[?, 1]>> to !wtile.shared<64x64xbf16>
      wtile.copy_wait
      wtile.barrier
      return
    }
    ```
  }];
  let arguments = (ins Arg<WTile_View, "the memory", [MemRead]>:$view, Arg<Index, "first row">:$first,
                       Arg<Index, "first live row of the buffer">:$from, Arg<Index, "first row after the live ones">:$to,
                       Arg<Optional<AnyTypeOf<[WTile_View, WTile_SharedType]>>, "row numbers", [MemRead]>:$index,
                       Arg<WTile_SharedType, "the buffer", [MemWrite]>:$buffer);
  let assemblyFormat = [{
    $view `[` $first `]` `live` `(` $from `,` $to `)` (`by` $index^ `:` type($index))? `to` $buffer attr-dict
    `:` type($view) `to` type($buffer)
  }];
  let hasVerifier = 1;
}

def WTile_CopyWaitOp : WTile_Op<"copy_wait", [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "wait for the thread's own asynchronous copies";
  let description = [{
    ```mlir
    func.func @wait() {
      wtile.copy_wait
      wtile.barrier
      return
    }
    ```
  }];
  let assemblyFormat = "attr-dict";
}

def WTile_BarrierOp : WTile_Op<"barrier", [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "all threads of the block arrive before any goes on";
  let description = [{
    ```mlir
    func.func @all() {
      wtile.barrier
      return
    }
    ```
  }];
  let assemblyFormat = "attr-dict";
}

def WTile_FactorSharedOp : WTile_Op<"factor_shared"> {
  let summary = "wtile.factor_block between shared buffers";
  let description = [{
    Every warp factors the block in its registers and the first one stores; `strips` is
    room for the pivot rows, 64 numbers a warp.

    ```mlir
    func.func @factor(%a: !wtile.shared<16x16xf32>, %l: !wtile.shared<16x16xf32>, %inverse: !wtile.shared<16x16xf32>,
                      %strips: !wtile.shared<256xf32>) {
      wtile.factor_shared %a to %l, %inverse strips %strips : !wtile.shared<16x16xf32>, !wtile.shared<256xf32>
      return
    }
    ```
  }];
  let arguments = (ins Arg<WTile_SharedType, "the block", [MemRead]>:$source, Arg<WTile_SharedType, "L", [MemWrite]>:$factor,
                       Arg<WTile_SharedType, "the inverse of L", [MemWrite]>:$inverse,
                       Arg<WTile_SharedType, "room for pivot rows", [MemRead, MemWrite]>:$strips);
  let assemblyFormat = [{
    $source `to` $factor `,` $inverse `strips` $strips attr-dict
    `:` custom<ThreeTimes>(type($source), type($factor), type($inverse)) `,` type($strips)
  }];
  let hasVerifier = 1;
}

def WTile_InvertSharedOp : WTile_Op<"invert_shared"> {
  let summary = "wtile.invert_blocks between shared buffers";
  let description = [{
    A warp takes every so many-th block; a lane makes a column of the inverse.

    ```mlir
    func.func @invert(%l: !wtile.shared<64x64xf32>, %inverses: !wtile.shared<64x16xf32>) {
      wtile.invert_shared %l to %inverses unit : !wtile.shared<64x64xf32> to !wtile.shared<64x16xf32>
      return
    }
    ```
  }];
  let arguments = (ins Arg<WTile_SharedType, "the triangle", [MemRead]>:$source,
                       Arg<WTile_SharedType, "the inverses", [MemWrite]>:$inverses, UnitAttr:$unit);
  let assemblyFormat = "$source `to` $inverses (`unit` $unit^)? attr-dict `:` type($source) `to` type($inverses)";
  let hasVerifier = 1;
}

//===----------------------------------------------------------------------===//
// Stacks of states
//===----------------------------------------------------------------------===//

def WTile_StackType : TypeDef<WTile_Dialect, "Stack"> {
  let mnemonic = "stack";
  let summary = "a stack of tiles that is too big for registers";
  let description = [{
    Dim 0 counts the slots. Each thread keeps its own fragments of every slot, in the
    order of its registers, so that slots need no barrier.

    ```mlir
    func.func @read(%s: !wtile.stack<7x64x64xf32>) -> tensor<64x64xf32> {
      %t = wtile.load_slot %s[2] : !wtile.stack<7x64x64xf32> -> tensor<64x64xf32>
      return %t : tensor<64x64xf32>
    }
    ```
  }];
  let parameters = (ins ArrayRefParameter<"int64_t">:$shape, "::mlir::Type":$elementType);
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
}

/// A stack of its own; in global memory; or, once it has a place, in shared memory.
def WTile_AnyStack : AnyTypeOf<[WTile_StackType, WTile_View, WTile_SharedType]>;

def WTile_NewStackOp : WTile_Op<"new_stack"> {
  let summary = "a stack whose slots hold nothing yet";
  let description = [{
    ```mlir
    func.func @make() {
      %s = wtile.new_stack : !wtile.stack<7x64x64xf32>
      return
    }
    ```
  }];
  let results = (outs Res<WTile_StackType, "the stack", [MemAlloc]>:$stack);
  let assemblyFormat = "attr-dict `:` type($stack)";
}

def WTile_LoadSlotOp : WTile_Op<"load_slot"> {
  let summary = "one slot of a stack";
  let description = [{
    ```mlir
    func.func @read(%s: !wtile.stack<7x64x64xf32>) -> tensor<64x64xf32> {
      %t = wtile.load_slot %s[6] : !wtile.stack<7x64x64xf32> -> tensor<64x64xf32>
      return %t : tensor<64x64xf32>
    }
    ```
  }];
  let arguments = (ins Arg<WTile_AnyStack, "the stack", [MemRead]>:$stack, ConfinedAttr<I64Attr, [IntNonNegative]>:$slot);
  let results = (outs Res<WTile_Tile, "the slot">:$result);
  let assemblyFormat = "$stack `[` $slot `]` attr-dict `:` type($stack) `->` type($result)";
  let hasVerifier = 1;
}

def WTile_StoreSlotOp : WTile_Op<"store_slot"> {
  let summary = "replace one slot of a stack";
  let description = [{
    ```mlir
    func.func @write(%t: tensor<64x64xf32>, %s: !wtile.stack<7x64x64xf32>) {
      wtile.store_slot %t, %s[0] : tensor<64x64xf32>, !wtile.stack<7x64x64xf32>
      return
    }
    ```
  }];
  let arguments = (ins Arg<WTile_Tile, "the tile">:$tile, Arg<WTile_AnyStack, "the stack", [MemWrite]>:$stack,
                       ConfinedAttr<I64Attr, [IntNonNegative]>:$slot);
  let assemblyFormat = "$tile `,` $stack `[` $slot `]` attr-dict `:` type($tile) `,` type($stack)";
  let hasVerifier = 1;
}

#endif // SCANWEFT_DIALECTS_WTILE_IR_WTILESHAREDOPS_TD
