// Part of Scanweft, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// RUN: %weft_opt_both %s --pass-pipeline="builtin.module(wtile-assign-layouts)" | FileCheck %s
// RUN: weft-opt %s --pass-pipeline="builtin.module(wtile-assign-layouts{warps=8})" | FileCheck %s --check-prefix=EIGHT

#rows = strided<[?, 1]>

// Accumulators of m16n8 instructions, warps along rows; row pieces of 16 bytes a lane; a vector along the lanes of every
// warp; what an accumulator leaves of its rows, and of its columns.
// CHECK-DAG: #[[$SUMS:.+]] = #wtile.layout<[64, 64] register {{\[}}[0, 1], [8, 0], [0, 8], [0, 16], [0, 32]] lane {{\[}}[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]] warp {{\[}}[16, 0], [32, 0]]>
// CHECK-DAG: #[[$PIECES:.+]] = #wtile.layout<[64, 64] register {{\[}}[0, 1], [0, 2], [0, 4], [16, 0], [32, 0]] lane {{\[}}[0, 8], [0, 16], [0, 32], [1, 0], [2, 0]] warp {{\[}}[4, 0], [8, 0]]>
// CHECK-DAG: #[[$TIME:.+]] = #wtile.layout<[64] register {{\[}}[32]] lane {{\[}}[1], [2], [4], [8], [16]] warp {{\[}}[0], [0]]>
// CHECK-DAG: #[[$ROW:.+]] = #wtile.layout<[64] register {{\[}}[8]] lane {{\[}}[0], [0], [1], [2], [4]] warp {{\[}}[16], [32]]>
// CHECK-DAG: #[[$COLUMN:.+]] = #wtile.layout<[64] register {{\[}}[1], [8], [16], [32]] lane {{\[}}[2], [4], [0], [0], [0]] warp {{\[}}[0], [0]]>
// Eight warps on 64 rows are two along the columns.
// EIGHT-DAG: #wtile.layout<[64, 64] register {{\[}}[0, 1], [8, 0], [0, 8], [0, 16]] lane {{\[}}[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]] warp {{\[}}[16, 0], [32, 0], [0, 32]]>

// Rows of a turn are copied into a buffer that serves all their products. An accumulator that is truncated is the first
// factor of the next product as it is. A carried matrix is an accumulator; what is a second factor is stored where it is
// made, once. Rows leave in pieces of 16 bytes, a whole state from where it is.
// CHECK-LABEL:   wtile.kernel @products axes 0 warps 4 {
// EIGHT-LABEL:   wtile.kernel @products axes 0 warps 8 {
// CHECK-COUNT-3:   wtile.alloc : <64x64xbf16>
// CHECK-NOT:       wtile.alloc
// CHECK:           %[[INIT:.+]] = wtile.load %{{.+}} : memref<64x64xf32> -> tensor<64x64xf32, #[[$SUMS]]>
// CHECK:           %[[FINAL:.+]] = scf.for %{{.+}} iter_args(%[[S:.+]] = %[[INIT]]) -> (tensor<64x64xf32, #[[$SUMS]]>) {
// CHECK:             wtile.copy_async %{{.+}}[%{{.+}}] live(%{{.+}}, %{{.+}}) to %[[Q:.+]] : memref
// CHECK-NOT:         wtile.load %
// CHECK:             %[[P:.+]] = wtile.mma %[[Q]], %[[Q]], %{{.+}} over [1, 1] : !wtile.shared<64x64xbf16>, !wtile.shared<64x64xbf16>, tensor<64x64xf32, #[[$SUMS]]>
// CHECK:             %[[KEPT:.+]] = arith.select %{{.+}}, %[[P]], %{{.+}} : tensor<64x64xi1, #[[$SUMS]]>, tensor<64x64xf32, #[[$SUMS]]>
// CHECK:             %[[A:.+]] = arith.truncf %[[KEPT]] : tensor<64x64xf32, #[[$SUMS]]> to tensor<64x64xbf16, #[[$SUMS]]>
// CHECK:             wtile.mma %[[A]], %[[Q]], %{{.+}} over [1, 0] : tensor<64x64xbf16, #[[$SUMS]]>, !wtile.shared<64x64xbf16>
// CHECK:             %[[B:.+]] = arith.truncf %[[S]]
// CHECK-NEXT:        wtile.store_shared %[[B]], %[[STATE:.+]] :
// CHECK:             wtile.mma %[[Q]], %[[STATE]], %{{.+}} over [1, 0]
// CHECK:             wtile.store_shared %{{.+}}, %[[OUT:.+]] :
// CHECK:             %[[ROWS:.+]] = wtile.load_shared %[[OUT]] : <64x64xbf16> -> tensor<64x64xbf16, #[[$PIECES]]>
// CHECK-NEXT:        wtile.store %[[ROWS]], %{{.+}}[%{{.+}}] live(
// CHECK:             %[[NEXT:.+]] = wtile.mma %[[Q]], %[[Q]], %[[S]] over [0, 0]
// CHECK-NEXT:        scf.yield %[[NEXT]]
// CHECK:           wtile.store %[[FINAL]], %{{.+}} : tensor<64x64xf32, #[[$SUMS]]>
// With columns over warps no warp has all of k: the triangle goes through shared memory too.
// EIGHT:           scf.for
// EIGHT-COUNT-3:     wtile.store_shared
// EIGHT-NOT:         wtile.store_shared
// EIGHT:           wtile.kernel @across_warps
wtile.kernel @products axes 0 {
^program(%x: memref<?x64xbf16, #rows>, %s0: memref<64x64xf32>, %o: memref<?x64xbf16, #rows>, %n: index):
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %init = wtile.load %s0 : memref<64x64xf32> -> tensor<64x64xf32>
  %final = scf.for %i = %c0 to %n step %c1 iter_args(%s = %init) -> (tensor<64x64xf32>) {
    %q = wtile.load %x[%i] live(%c0, %n) : memref<?x64xbf16, #rows> -> tensor<64x64xbf16>
    %row = wtile.coordinate 0 : tensor<64x64xi32>
    %column = wtile.coordinate 1 : tensor<64x64xi32>
    %past = arith.cmpi sle, %column, %row : tensor<64x64xi32>
    %p = wtile.mma %q, %q, %zero over [1, 1] : tensor<64x64xbf16>, tensor<64x64xbf16>, tensor<64x64xf32>
    %kept = arith.select %past, %p, %zero : tensor<64x64xi1>, tensor<64x64xf32>
    %narrow = arith.truncf %kept : tensor<64x64xf32> to tensor<64x64xbf16>
    %inside = wtile.mma %narrow, %q, %zero over [1, 0] : tensor<64x64xbf16>, tensor<64x64xbf16>, tensor<64x64xf32>
    %state = arith.truncf %s : tensor<64x64xf32> to tensor<64x64xbf16>
    %y = wtile.mma %q, %state, %inside over [1, 0] : tensor<64x64xbf16>, tensor<64x64xbf16>, tensor<64x64xf32>
    %out = arith.truncf %y : tensor<64x64xf32> to tensor<64x64xbf16>
    wtile.store %out, %o[%i] live(%c0, %n) : tensor<64x64xbf16>, memref<?x64xbf16, #rows>
    %next = wtile.mma %q, %q, %s over [0, 0] : tensor<64x64xbf16>, tensor<64x64xbf16>, tensor<64x64xf32>
    scf.yield %next : tensor<64x64xf32>
  }
  wtile.store %final, %s0 : tensor<64x64xf32>, memref<64x64xf32>
}

// A sum over the dim that warps have: each its own stretch, and every warp all stretches. The other one stays inside
// quads of lanes.
// CHECK-LABEL:   wtile.kernel @across_warps
// CHECK:           %[[BUFFER:.+]] = wtile.alloc : <4x64xf32>
// CHECK:           %[[X:.+]] = wtile.load %{{.+}} -> tensor<64x64xf32, #[[$SUMS]]>
// CHECK:           %[[PARTS:.+]] = wtile.reduce(%[[X]] : tensor<64x64xf32, #[[$SUMS]]>) over 0 parts 4 commutative -> (tensor<4x64xf32, #{{.+}}>) {
// CHECK:           wtile.store_shared %[[PARTS]], %[[BUFFER]]
// CHECK:           %[[ALL:.+]] = wtile.load_shared %[[BUFFER]] :
// CHECK:           wtile.reduce(%[[ALL]] : tensor<4x64xf32, #{{.+}}>) over 0 commutative -> (tensor<64xf32, #[[$COLUMN]]>) {
// CHECK-NOT:       wtile.{{store_shared|load_shared|relayout}}
// CHECK:           wtile.reduce(%[[X]] : tensor<64x64xf32, #[[$SUMS]]>) over 1 commutative -> (tensor<64xf32, #[[$ROW]]>) {
// CHECK-NOT:       wtile.{{store_shared|load_shared|relayout}}
wtile.kernel @across_warps axes 0 {
^program(%x: memref<64x64xf32>, %v: memref<64xf32>, %w: memref<64xf32>):
  %t = wtile.load %x : memref<64x64xf32> -> tensor<64x64xf32>
  %columns = wtile.reduce (%t : tensor<64x64xf32>) over 0 commutative -> (tensor<64xf32>) {
  ^combine(%earlier: f32, %later: f32):
    %sum = arith.addf %earlier, %later : f32
    wtile.yield %sum : f32
  }
  wtile.store %columns, %v : tensor<64xf32>, memref<64xf32>
  %rows = wtile.reduce (%t : tensor<64x64xf32>) over 1 commutative -> (tensor<64xf32>) {
  ^combine(%earlier: f32, %later: f32):
    %sum = arith.addf %earlier, %later : f32
    wtile.yield %sum : f32
  }
  wtile.store %rows, %w : tensor<64xf32>, memref<64xf32>
}

// A scan wants its dim along the lanes; to the rows and the columns of an accumulator it is moved inside its warp, once
// each. Broadcasts are renamings.
// CHECK-LABEL:   wtile.kernel @vectors
// CHECK:             %[[G:.+]] = wtile.load_shared %{{.+}} : <64xf32> -> tensor<64xf32, #[[$TIME]]>
// CHECK-NEXT:        %[[SUM:.+]] = wtile.scan(%[[G]] : tensor<64xf32, #[[$TIME]]>) over 0 {{.*}} -> (tensor<64xf32, #[[$TIME]]>) {
// CHECK-DAG:         %[[COLUMN:.+]] = wtile.relayout %[[SUM]] : tensor<64xf32, #[[$TIME]]> -> tensor<64xf32, #[[$COLUMN]]>
// CHECK-DAG:         %[[ROW:.+]] = wtile.relayout %[[SUM]] : tensor<64xf32, #[[$TIME]]> -> tensor<64xf32, #[[$ROW]]>
// CHECK-DAG:         wtile.broadcast %[[ROW]] to [0] : tensor<64xf32, #[[$ROW]]> -> tensor<64x64xf32, #[[$SUMS]]>
// CHECK-DAG:         wtile.broadcast %[[COLUMN]] to [1] : tensor<64xf32, #[[$COLUMN]]> -> tensor<64x64xf32, #[[$SUMS]]>
// CHECK-NOT:         wtile.relayout
wtile.kernel @vectors axes 0 {
^program(%g: memref<?xf32>, %x: memref<?x64xbf16, #rows>, %o: memref<64x64xf32>, %n: index):
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  scf.for %i = %c0 to %n step %c1 {
    %t = wtile.load %g[%i] live(%c0, %n) : memref<?xf32> -> tensor<64xf32>
    %k = wtile.load %x[%i] live(%c0, %n) : memref<?x64xbf16, #rows> -> tensor<64x64xbf16>
    %s = wtile.scan (%t : tensor<64xf32>) over 0 identity [0.0 : f32] -> (tensor<64xf32>) {
    ^combine(%earlier: f32, %later: f32):
      %sum = arith.addf %earlier, %later : f32
      wtile.yield %sum : f32
    }
    %rows = wtile.broadcast %s to [0] : tensor<64xf32> -> tensor<64x64xf32>
    %columns = wtile.broadcast %s to [1] : tensor<64xf32> -> tensor<64x64xf32>
    %d = arith.subf %rows, %columns : tensor<64x64xf32>
    %p = wtile.mma %k, %k, %zero over [1, 1] : tensor<64x64xbf16>, tensor<64x64xbf16>, tensor<64x64xf32>
    %y = arith.mulf %p, %d : tensor<64x64xf32>
    wtile.store %y, %o : tensor<64x64xf32>, memref<64x64xf32>
  }
}

// Rows by index are copied too: an index in memory is read there, one that is made is stored first. Rows of 13 lie in
// a buffer of 16. Memory that is read once a program is read in each layout that is asked for.
// CHECK-LABEL:   wtile.kernel @index
// CHECK-DAG:       %[[LEVELS:.+]] = wtile.alloc : <64x16xf32>
// CHECK-DAG:       %[[NUMBERS:.+]] = wtile.alloc : <64xi32>
// CHECK-DAG:       %[[MINE:.+]] = wtile.load {{.*}} else {{.*}} -> tensor<64xi32, #[[$TIME]]>
// CHECK-DAG:       %[[SPREAD:.+]] = wtile.load {{.*}} else {{.*}} -> tensor<64xi32, #[[OTHER:.+]]>
// CHECK:           wtile.store_shared %[[MINE]], %[[NUMBERS]]
// CHECK:           wtile.copy_async %{{.+}} live(%[[ZERO:.+]], %[[ALL:.+]]) by %[[NUMBERS]] : !wtile.shared<64xi32> to %[[Q:.+]] :
// CHECK:           scf.for
// CHECK:             wtile.copy_async %{{.+}} by %{{.+}} : memref<?xi32> to %[[K:.+]] :
// CHECK:             wtile.copy_async %{{.+}} to %[[LEVELS]] : memref<?x13xf32
// CHECK:             wtile.mma %[[Q]], %[[K]],
// CHECK:             wtile.take %[[LEVELS]][%{{.+}}] : !wtile.shared<64x16xf32>, tensor<64x64xi32, #[[$SUMS]]> -> tensor<64x64xf32, #[[$SUMS]]>
// CHECK:           %[[ROWS:.+]] = wtile.load_shared %{{.+}} -> tensor<64x64xbf16, #[[$PIECES]]>
// CHECK:           wtile.scatter %[[ROWS]], %{{.+}}[%[[SPREAD]]] live(
wtile.kernel @index axes 0 {
^program(%x: memref<?x64xbf16, #rows>, %order: memref<?xi32>, %levels: memref<?x13xf32, #rows>, %o: memref<64x64xf32>, %y: memref<?x64xbf16, #rows>, %n: index):
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %none = arith.constant -1 : i32
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %mine = wtile.load %order[%c0] live(%c0, %n) else %none : i32 : memref<?xi32> -> tensor<64xi32>
  %q = wtile.gather %x[%mine] : memref<?x64xbf16, #rows>, tensor<64xi32> -> tensor<64x64xbf16>
  %final = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (tensor<64x64xf32>) {
    %tokens = wtile.load %order[%i] live(%c0, %n) : memref<?xi32> -> tensor<64xi32>
    %k = wtile.gather %x[%tokens] : memref<?x64xbf16, #rows>, tensor<64xi32> -> tensor<64x64xbf16>
    %l = wtile.load %levels[%i] live(%c0, %n) : memref<?x13xf32, #rows> -> tensor<64x13xf32>
    %p = wtile.mma %q, %k, %zero over [1, 1] : tensor<64x64xbf16>, tensor<64x64xbf16>, tensor<64x64xf32>
    %column = wtile.coordinate 1 : tensor<64x64xi32>
    %w = wtile.take %l[%column] : tensor<64x13xf32>, tensor<64x64xi32> -> tensor<64x64xf32>
    %m = arith.mulf %p, %w : tensor<64x64xf32>
    %next = arith.addf %acc, %m : tensor<64x64xf32>
    scf.yield %next : tensor<64x64xf32>
  }
  %narrow = arith.truncf %final : tensor<64x64xf32> to tensor<64x64xbf16>
  wtile.scatter %narrow, %y[%mine] live(%c0, %n) : tensor<64x64xbf16>, memref<?x64xbf16, #rows>, tensor<64xi32>
}

// What is made once a program and is more than 8 registers waits in a buffer while the loop runs; a vector does not.
// CHECK-LABEL:   wtile.kernel @held
// CHECK:           %[[BUFFER:.+]] = wtile.alloc : <64x64xf32>
// CHECK:           %[[E:.+]] = math.exp
// CHECK:           wtile.store_shared %[[E]], %[[BUFFER]]
// CHECK:           %[[F:.+]] = math.exp
// CHECK:           scf.for
// CHECK:             %[[AGAIN:.+]] = wtile.load_shared %[[BUFFER]] : <64x64xf32> -> tensor<64x64xf32, #[[$SUMS]]>
// CHECK:             arith.addf %{{.+}}, %[[AGAIN]]
// CHECK:             arith.addf %{{.+}}, %[[F]]
wtile.kernel @held axes 0 {
^program(%x: memref<64x64xf32>, %v: memref<64xf32>, %n: index):
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %t = wtile.load %x : memref<64x64xf32> -> tensor<64x64xf32>
  %e = math.exp %t : tensor<64x64xf32>
  %u = wtile.load %v : memref<64xf32> -> tensor<64xf32>
  %f = math.exp %u : tensor<64xf32>
  %s, %w = scf.for %i = %c0 to %n step %c1 iter_args(%a = %t, %b = %u) -> (tensor<64x64xf32>, tensor<64xf32>) {
    %c = arith.addf %a, %e : tensor<64x64xf32>
    %d = arith.addf %b, %f : tensor<64xf32>
    scf.yield %c, %d : tensor<64x64xf32>, tensor<64xf32>
  }
  wtile.store %s, %x : tensor<64x64xf32>, memref<64x64xf32>
  wtile.store %w, %v : tensor<64xf32>, memref<64xf32>
}

// Blocks are parts of registers where the layout has them there, else of a buffer. Factors and inverses are made between
// buffers.
// CHECK-LABEL:   wtile.kernel @blocks
// CHECK-DAG:       %[[STRIPS:.+]] = wtile.alloc : <256xf32>
// CHECK:           %[[CORNER:.+]] = wtile.subview %{{.+}} [0, 0] : <64x64xf32> -> <16x16xf32>
// CHECK:           wtile.factor_shared %[[CORNER]] to %{{.+}}, %[[INVERSE:.+]] strips %[[STRIPS]] : !wtile.shared<16x16xf32>, <256xf32>
// CHECK:           %[[PANEL:.+]] = wtile.extract %{{.+}} [0, 16] : tensor<64x64xf32, #[[$SUMS]]> -> tensor<64x16xf32, #{{.+}}>
// CHECK:           %[[P:.+]] = wtile.round %[[PANEL]]
// CHECK:           wtile.mma %[[P]], %{{.+}}, %{{.+}} over [1, 1]{{.*}} : tensor<64x16xf32, #{{.+}}>, !wtile.shared<16x16xf32>
// CHECK:           wtile.invert_shared %{{.+}} to %{{.+}} unit : <64x64xf32> to <64x16xf32>
wtile.kernel @blocks axes 0 {
^program(%x: memref<64x64xf32>, %y: memref<64x16xf32>):
  %zero = arith.constant dense<0.0> : tensor<64x16xf32>
  %t = wtile.load %x : memref<64x64xf32> -> tensor<64x64xf32>
  %a = math.exp %t : tensor<64x64xf32>
  %corner = wtile.extract %a [0, 0] : tensor<64x64xf32> -> tensor<16x16xf32>
  %l, %inverse = wtile.factor_block %corner : tensor<16x16xf32>
  %panel = wtile.extract %a [0, 16] : tensor<64x64xf32> -> tensor<64x16xf32>
  %p = wtile.round %panel : tensor<64x16xf32>
  %g = wtile.round %inverse : tensor<16x16xf32>
  %column = wtile.mma %p, %g, %zero over [1, 1] : tensor<64x16xf32>, tensor<16x16xf32>, tensor<64x16xf32>
  wtile.store %column, %y : tensor<64x16xf32>, memref<64x16xf32>
  %inverses = wtile.invert_blocks %a unit : tensor<64x64xf32> -> tensor<64x16xf32>
  %i = wtile.round %inverses : tensor<64x16xf32>
  wtile.store %i, %y : tensor<64x16xf32>, memref<64x16xf32>
}

// A kernel that has layouts is left as it is.
// CHECK-LABEL:   wtile.kernel @laid_out axes 0 warps 1
// CHECK:           tensor.splat %{{.+}} : tensor<32xf32, #[[LANES:.+]]>
// CHECK-NEXT:      wtile.store %{{.+}} : tensor<32xf32, #[[LANES]]>
// EIGHT-LABEL:   wtile.kernel @laid_out axes 0 warps 1
#lanes = #wtile.layout<[32] register [] lane [[1], [2], [4], [8], [16]] warp []>
wtile.kernel @laid_out axes 0 warps 1 {
^program(%x: f32, %o: memref<32xf32>):
  %t = tensor.splat %x : tensor<32xf32, #lanes>
  wtile.store %t, %o : tensor<32xf32, #lanes>, memref<32xf32>
}
