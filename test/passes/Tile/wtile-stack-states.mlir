// Part of Scanweft, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// RUN: %weft_opt_both %s --pass-pipeline="builtin.module(wtile-stack-states,canonicalize,cse)" | FileCheck %s --implicit-check-not=weft.fenwick_merge --check-prefixes=CHECK,SHARED
// RUN: weft-opt %s --pass-pipeline="builtin.module(wtile-stack-states{most-bytes=2047},canonicalize,cse)" | FileCheck %s --implicit-check-not=weft.fenwick_merge --check-prefixes=CHECK,GLOBAL

// A stack of 2 x 16 x 16 f32 is 2048 bytes: it fits, or it does not.
// CHECK-LABEL: wtile.kernel @decayed axes 1 {
// SHARED-NEXT: ^bb0(%[[P:.+]]: index, %[[N0:.+]]: index, %[[N1:.+]]: index, %[[S0:[^:]+]]: memref<2x16x16xf32>, %[[X:[^:]+]]: memref<16x16xf32>, %[[L:[^:]+]]: memref<16x4xf32>, %[[S1:[^:]+]]: memref<2x16x16xf32>):
// GLOBAL-NEXT: ^bb0(%[[P:.+]]: index, %[[N0:.+]]: index, %[[N1:.+]]: index, %[[S0:[^:]+]]: memref<2x16x16xf32>, %[[X:[^:]+]]: memref<16x16xf32>, %[[L:[^:]+]]: memref<16x4xf32>, %[[S1:[^:]+]]: memref<2x16x16xf32>, %[[ALL:[^:]+]]: memref<?x2x16x16xf32, strided<[?, ?, ?, 1]>>):
// CHECK-DAG:   %[[ONE:.+]] = arith.constant 1 : index
// CHECK-DAG:   %[[TWO:.+]] = arith.constant 2 : index
// SHARED:      %[[STACK:.+]] = wtile.new_stack : <2x16x16xf32>
// GLOBAL:      %[[STACK:.+]] = memref.subview %[[ALL]][%[[P]], 0, 0, 0] [1, 2, 16, 16] [1, 1, 1, 1] : {{.*}} to memref<2x16x16xf32
// What lives before the first chunk: slot b where bit b of its number is set.
// CHECK:       %[[BIT:.+]] = arith.andi %[[N0]], %[[ONE]]
// CHECK:       %[[LIVE:.+]] = arith.cmpi ne, %[[BIT]],
// CHECK:       scf.if %[[LIVE]] {
// CHECK:         %[[SLOT:.+]] = memref.subview %[[S0]][0, 0, 0] [1, 16, 16]
// CHECK:         %[[STATE:.+]] = wtile.load %[[SLOT]]
// CHECK:         wtile.store_slot %[[STATE]], %[[STACK]][0]
// CHECK:       arith.andi %[[N0]], %[[TWO]]
// CHECK:       scf.if
// CHECK:         memref.subview %[[S0]][1, 0, 0]
// CHECK:         wtile.store_slot %{{.+}}, %[[STACK]][1]
// The loop carries nothing. It reads each live slot, with the weight of its level: 2 and 3.
// CHECK:       scf.for %[[N:.+]] = %[[N0]] to %[[N1]] step %{{[^ ]+}} {
// CHECK:         %[[BIT0:.+]] = arith.andi %[[N]], %[[ONE]]
// CHECK:         %[[LIVE0:.+]] = arith.cmpi ne, %[[BIT0]],
// CHECK:         %[[READ0:.+]] = scf.if %[[LIVE0]]
// CHECK:           %[[STATE:.+]] = wtile.load_slot %[[STACK]][0]
// CHECK:           %[[LEVEL:.+]] = wtile.take %{{.+}}[%{{.+}}] : tensor<16x4xf32>, tensor<16xi32> -> tensor<16xf32>
// CHECK:           wtile.mma
// CHECK:         %[[BIT1:.+]] = arith.andi %[[N]], %[[TWO]]
// CHECK:         %[[LIVE1:.+]] = arith.cmpi ne, %[[BIT1]],
// CHECK:         %[[READ1:.+]] = scf.if %[[LIVE1]]
// CHECK:           wtile.load_slot %[[STACK]][1]
// CHECK:           wtile.mma %{{.+}}, %{{.+}}, %[[READ0]] over [1, 0]
// CHECK:         } else {
// CHECK-NEXT:      scf.yield %[[READ0]]
// CHECK:         wtile.store %[[READ1]]
// Slot 0: a live one is decayed and joins the sum, since the bits below it, none, are all set; a dead one takes the sum.
// CHECK:         %[[SUM0:.+]] = scf.if %[[LIVE0]]
// CHECK:           %[[STATE:.+]] = wtile.load_slot %[[STACK]][0]
// CHECK:           %[[DECAYED:.+]] = arith.mulf %{{.+}}, %[[STATE]]
// CHECK:           %[[MORE:.+]] = arith.addf %[[NEW:.+]], %[[DECAYED]]
// CHECK:         } else {
// CHECK-NEXT:      wtile.store_slot %[[NEW]], %[[STACK]][0]
// CHECK-NEXT:      scf.yield %[[NEW]]
// Slot 1, the last: where bit 0 is set it would join a sum that no slot takes; else it is decayed where it is; a dead one
// takes the sum where bit 0 is set.
// CHECK:         %[[BELOW:.+]] = arith.cmpi eq, %[[BIT0]], %[[ONE]]
// CHECK:         scf.if %[[LIVE1]]
// CHECK:           %[[DECAYED:.+]] = arith.mulf
// CHECK-NEXT:      scf.if %[[BELOW]] {
// CHECK-NEXT:      } else {
// CHECK-NEXT:        wtile.store_slot %[[DECAYED]], %[[STACK]][1]
// CHECK:         } else {
// CHECK-NEXT:      scf.if %[[BELOW]]
// CHECK-NEXT:        wtile.store_slot %[[SUM0]], %[[STACK]][1]
// The final stack: live slots, and zeros for the others.
// CHECK:       arith.andi %[[N1]], %[[ONE]]
// CHECK:       scf.if
// CHECK:         %[[STATE:.+]] = wtile.load_slot %[[STACK]][0]
// CHECK-NEXT:    wtile.store %[[STATE]]
// CHECK:       } else {
// CHECK-NEXT:    wtile.store %[[ZERO:.+]], %{{.+}} : tensor<16x16xf32>
// CHECK:       scf.if
// CHECK:         wtile.load_slot %[[STACK]][1]
wtile.kernel @decayed axes 1 {
^program(%p: index, %from: index, %to: index, %s0: memref<2x16x16xf32>, %x: memref<16x16xf32>, %levels: memref<16x4xf32>, %s1: memref<2x16x16xf32>):
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %init = wtile.load %s0 : memref<2x16x16xf32> -> tensor<2x16x16xf32>
  %final = scf.for %n = %from to %to step %c1 iter_args(%stack = %init) -> (tensor<2x16x16xf32>) {
    %t = wtile.load %x : memref<16x16xf32> -> tensor<16x16xf32>
    %l = wtile.load %levels : memref<16x4xf32> -> tensor<16x4xf32>
    %read = weft.fenwick_read %stack at %n query %t levels %l from 2 numerics<in = bf16, acc = f32>
        : tensor<2x16x16xf32>, tensor<16x16xf32>, tensor<16x4xf32> -> tensor<16x16xf32>
    wtile.store %read, %x : tensor<16x16xf32>, memref<16x16xf32>
    %slot0 = tensor.extract_slice %stack[0, 0, 0] [1, 16, 16] [1, 1, 1] : tensor<2x16x16xf32> to tensor<16x16xf32>
    %decayed0 = arith.mulf %t, %slot0 : tensor<16x16xf32>
    %stack0 = tensor.insert_slice %decayed0 into %stack[0, 0, 0] [1, 16, 16] [1, 1, 1] : tensor<16x16xf32> into tensor<2x16x16xf32>
    %slot1 = tensor.extract_slice %stack0[1, 0, 0] [1, 16, 16] [1, 1, 1] : tensor<2x16x16xf32> to tensor<16x16xf32>
    %decayed1 = arith.mulf %t, %slot1 : tensor<16x16xf32>
    %stack1 = tensor.insert_slice %decayed1 into %stack0[1, 0, 0] [1, 16, 16] [1, 1, 1] : tensor<16x16xf32> into tensor<2x16x16xf32>
    %merged = weft.fenwick_merge %stack1, %t at %n level %c0 : tensor<2x16x16xf32>, tensor<16x16xf32>
    scf.yield %merged : tensor<2x16x16xf32>
  }
  wtile.store %final, %s1 : tensor<2x16x16xf32>, memref<2x16x16xf32>
}

// Nothing decays, and all slots start as zero, which is stored where a slot counts as live.
// CHECK-LABEL: wtile.kernel @sums axes 0 {
// CHECK:       %[[ZERO:.+]] = arith.constant dense<0.000000e+00> : tensor<16x16xf32>
// CHECK:       wtile.store_slot %[[ZERO]], %[[STACK:.+]][0]
// CHECK:       scf.for
// CHECK:         scf.if
// CHECK:           %[[STATE:.+]] = wtile.load_slot %[[STACK]][0]
// CHECK-NEXT:      arith.addf %{{.+}}, %[[STATE]]
wtile.kernel @sums axes 0 {
^program(%from: index, %to: index, %x: memref<16x16xf32>):
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %init = arith.constant dense<0.0> : tensor<2x16x16xf32>
  %final = scf.for %n = %from to %to step %c1 iter_args(%stack = %init) -> (tensor<2x16x16xf32>) {
    %t = wtile.load %x : memref<16x16xf32> -> tensor<16x16xf32>
    %merged = weft.fenwick_merge %stack, %t at %n level %c0 : tensor<2x16x16xf32>, tensor<16x16xf32>
    scf.yield %merged : tensor<2x16x16xf32>
  }
}

// Matrices and vectors are carried as they are.
// CHECK-LABEL: wtile.kernel @matrix
// CHECK-NOT:   {{slot|stack}}
// CHECK:       scf.for {{.*}} iter_args(%{{.+}} = %{{.+}}) -> (tensor<16x16xf32>)
wtile.kernel @matrix axes 0 {
^program(%to: index, %x: memref<16x16xf32>):
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %init = wtile.load %x : memref<16x16xf32> -> tensor<16x16xf32>
  %final = scf.for %n = %c0 to %to step %c1 iter_args(%state = %init) -> (tensor<16x16xf32>) {
    %more = arith.addf %state, %init : tensor<16x16xf32>
    scf.yield %more : tensor<16x16xf32>
  }
  wtile.store %final, %x : tensor<16x16xf32>, memref<16x16xf32>
}

// Global stacks are made by the host, one a program, and nobody reads them.
// CHECK-LABEL: func.func @host(
// CHECK-SAME:    %[[PROGRAMS:.+]]: index, %{{.+}}: index, %[[S:.+]]: tensor<2x16x16xf32>, %[[X:.+]]: tensor<16x16xf32>, %[[L:.+]]: tensor<16x4xf32>)
// GLOBAL:        %[[ROOM:.+]] = tensor.empty(%[[PROGRAMS]]) : tensor<?x2x16x16xf32>
// GLOBAL:        %[[OUT:.+]]:2 = wtile.launch @decayed {{.*}} outs(%{{.+}}, %[[ROOM]] : tensor<2x16x16xf32>, tensor<?x2x16x16xf32>)
// GLOBAL:        return %[[OUT]]#0
// SHARED:        %[[OUT:.+]] = wtile.launch @decayed {{.*}} outs(%{{.+}} : tensor<2x16x16xf32>)
func.func @host(%programs: index, %n: index, %s0: tensor<2x16x16xf32>, %x: tensor<16x16xf32>, %levels: tensor<16x4xf32>) -> tensor<2x16x16xf32> {
  %init = tensor.empty() : tensor<2x16x16xf32>
  %s1 = wtile.launch @decayed programs(%programs) ins(%n, %n, %s0, %x, %levels : index, index, tensor<2x16x16xf32>, tensor<16x16xf32>, tensor<16x4xf32>)
      outs(%init : tensor<2x16x16xf32>)
  return %s1 : tensor<2x16x16xf32>
}
