// Part of Scanweft, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// RUN: %weft_opt_both %s --pass-pipeline="builtin.module(wtile-order-ops)" | FileCheck %s

// Two sums of large tiles: each tile is reduced before the next one is made, so that one lives at a time. Memory that is
// written keeps its order.
// CHECK-LABEL: wtile.kernel @one_at_a_time
// CHECK:         scf.for
// CHECK:           %[[B:.+]] = math.absf
// CHECK-NEXT:      %[[SB:.+]] = wtile.reduce(%[[B]] :
// CHECK:           wtile.store %[[SB]]
// CHECK:           %[[A:.+]] = math.exp
// CHECK-NEXT:      %[[SA:.+]] = wtile.reduce(%[[A]] :
// CHECK:           wtile.store %[[SA]]
wtile.kernel @one_at_a_time axes 0 {
^program(%x: memref<?x64xf32, strided<[?, 1]>>, %o: memref<64xf32>, %n: index):
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %n step %c1 {
    %t = wtile.load %x[%i] live(%c0, %n) : memref<?x64xf32, strided<[?, 1]>> -> tensor<64x64xf32>
    %a = math.exp %t : tensor<64x64xf32>
    %b = math.absf %t : tensor<64x64xf32>
    %sa = wtile.reduce (%a : tensor<64x64xf32>) over 0 commutative -> (tensor<64xf32>) {
    ^combine(%earlier: f32, %later: f32):
      %sum = arith.addf %earlier, %later : f32
      wtile.yield %sum : f32
    }
    %sb = wtile.reduce (%b : tensor<64x64xf32>) over 0 commutative -> (tensor<64xf32>) {
    ^combine(%earlier: f32, %later: f32):
      %sum = arith.addf %earlier, %later : f32
      wtile.yield %sum : f32
    }
    wtile.store %sb, %o : tensor<64xf32>, memref<64xf32>
    wtile.store %sa, %o : tensor<64xf32>, memref<64xf32>
  }
}

// Rows of memory, masks, constants and what is made of them sink to their first user. The longer way comes first: of two
// products that both free nothing the one that has another behind it.
// CHECK-LABEL: wtile.kernel @sinks
// CHECK:         scf.for
// CHECK:           %[[LONG:.+]] = wtile.mma %{{.+}}, %{{.+}}, %{{.+}} over [1, 1] :
// CHECK:           %[[NARROW:.+]] = arith.truncf %[[LONG]]
// CHECK:           wtile.mma %[[NARROW]], %{{.+}}, %{{.+}} over [1, 0]
// CHECK:           wtile.mma %{{.+}}, %{{.+}}, %{{.+}} over [0, 0]
// CHECK:           %[[COLUMN:.+]] = wtile.coordinate 1
// CHECK:           %[[MASK:.+]] = arith.cmpi sle, %[[COLUMN]],
// CHECK-NEXT:      arith.select %[[MASK]]
wtile.kernel @sinks axes 0 {
^program(%x: memref<?x64xbf16, strided<[?, 1]>>, %o: memref<64x64xf32>, %n: index):
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %n step %c1 {
    %row = wtile.coordinate 0 : tensor<64x64xi32>
    %column = wtile.coordinate 1 : tensor<64x64xi32>
    %mask = arith.cmpi sle, %column, %row : tensor<64x64xi32>
    %zero = arith.constant dense<0.0> : tensor<64x64xf32>
    %t = wtile.load %x[%i] live(%c0, %n) : memref<?x64xbf16, strided<[?, 1]>> -> tensor<64x64xbf16>
    %short = wtile.mma %t, %t, %zero over [0, 0] : tensor<64x64xbf16>, tensor<64x64xbf16>, tensor<64x64xf32>
    %long = wtile.mma %t, %t, %zero over [1, 1] : tensor<64x64xbf16>, tensor<64x64xbf16>, tensor<64x64xf32>
    %narrow = arith.truncf %long : tensor<64x64xf32> to tensor<64x64xbf16>
    %last = wtile.mma %narrow, %t, %zero over [1, 0] : tensor<64x64xbf16>, tensor<64x64xbf16>, tensor<64x64xf32>
    %kept = arith.select %mask, %short, %last : tensor<64x64xi1>, tensor<64x64xf32>
    wtile.store %kept, %o : tensor<64x64xf32>, memref<64x64xf32>
  }
}

// A kernel that has layouts is left as it is, and so is what is no kernel.
// CHECK-LABEL: wtile.kernel @laid_out axes 0 warps 1
// CHECK:         tensor.splat
// CHECK-NEXT:    arith.constant
// CHECK-NEXT:    wtile.store
#lanes = #wtile.layout<[32] register [] lane [[1], [2], [4], [8], [16]] warp []>
wtile.kernel @laid_out axes 0 warps 1 {
^program(%x: f32, %o: memref<32xf32>):
  %t = tensor.splat %x : tensor<32xf32, #lanes>
  %c = arith.constant dense<0.0> : tensor<32xf32, #lanes>
  wtile.store %c, %o : tensor<32xf32, #lanes>, memref<32xf32>
  wtile.store %t, %o : tensor<32xf32, #lanes>, memref<32xf32>
}
// CHECK-LABEL: func.func @host
// CHECK-NEXT:    math.exp
// CHECK-NEXT:    math.absf
func.func @host(%x: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  %a = math.exp %x : tensor<8xf32>
  %b = math.absf %x : tensor<8xf32>
  return %b, %a : tensor<8xf32>, tensor<8xf32>
}
