// Part of Scanweft, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// RUN: %weft_opt_both %s --pass-pipeline="builtin.module(weft-segment{segments=4},canonicalize,cse)" | FileCheck %s
// RUN: weft-opt %s --weft-segment=segments=4 --remarks-filter="weft-segment" --remark-policy=all --remark-format=emitRemark -o - 2>&1 \
// RUN:   | FileCheck %s --check-prefix=REMARK
// RUN: not weft-opt %s --weft-segment=segments=0 2>&1 | FileCheck %s --check-prefix=ZERO

// ZERO: weft-segment got segments=0: a loop is cut into at least 1 segment

#f32 = #weft.numerics<in = f32, acc = f32>

// Two phases: the memory's element reads the sum before it. The smallest level such that four aligned
// blocks cover the chunks; a walk of phase 1 that holds no memory, the states at the starts, a walk of
// phase 2 with the sum acted along, a replay.
// REMARK: remark: [Passed] Segmented | Category:weft-segment | Remark="cut into 4 segments, 2 phases (carries 0; 1) and a replay"
// CHECK-LABEL: func.func @two_phases(
// CHECK-SAME:    %[[K:[^:]+]]: tensor<?x8xf32>, %[[V:[^:]+]]: tensor<?x2xf32>, %[[FROM:[^:]+]]: index, %[[TO:[^:]+]]: index, %[[Z0:[^:]+]]: tensor<8xf32>, %[[H0:[^:]+]]: tensor<8x2xf32>, %[[INIT:[^:]+]]: tensor<?x2xf32>)
// CHECK-DAG:     %[[C0:.+]] = arith.constant 0 : index
// CHECK-DAG:     %[[C1:.+]] = arith.constant 1 : index
// CHECK-DAG:     %[[C4:.+]] = arith.constant 4 : index
// CHECK-DAG:     %[[C16:.+]] = arith.constant 16 : index
// CHECK:         %[[LEVEL:.+]] = scf.while
// CHECK:           %[[END:.+]] = arith.shrsi
// CHECK:           %[[BEGIN:.+]] = arith.shrsi
// CHECK:           %[[COUNT:.+]] = arith.subi %[[END]], %[[BEGIN]]
// CHECK:           %[[MANY:.+]] = arith.cmpi sgt, %[[COUNT]], %[[C4]]
// CHECK:           scf.condition(%[[MANY]])
// CHECK:         %[[ROWS:.+]] = arith.shli %[[C16]], %[[LEVEL]]
// CHECK:         %[[BLOCKS:.+]] = arith.subi
// CHECK:         %[[ONE:.+]] = weft.identity #weft.sum -> tensor<8xf32>
// CHECK:         %[[SUMS:.+]] = scf.for %{{.+}} = %[[C0]] to %[[C4]] {{.*}} -> (tensor<4x8xf32>)
// CHECK:           %[[F1:.+]] = arith.maxsi %{{.+}}, %[[FROM]]
// CHECK:           %[[T1:.+]] = arith.minsi %{{.+}}, %[[TO]]
// CHECK:           weft.chunked rows %[[F1]] to %[[T1]] by 16 slices(%[[K]] : tensor<?x8xf32>)
// CHECK-SAME:        carries(%[[ONE]] : tensor<8xf32>) as [#weft.summary<#weft.sum of tensor<8xf32>>] {
// CHECK-NOT:       weft.affine_element
// CHECK:           weft.next carry
// CHECK:         %[[FIRST:.+]] = tensor.insert_slice %[[Z0]] into %{{.+}}[0, 0] [1, 8]
// CHECK:         %[[PREFIX:.+]] = weft.exclusive_scan #weft.sum(%[[SUMS]] : tensor<4x8xf32>) numerics<in = f32, acc = f32>
// CHECK:         %[[ZS:.+]] = scf.for %{{.+}} = %[[C1]] to %[[C4]] {{.*}} iter_args(%{{.+}} = %[[FIRST]])
// CHECK:           tensor.extract_slice %[[PREFIX]]
// CHECK:           weft.act_dense #weft.sum element({{.*}}) on(%[[Z0]] : tensor<8xf32>) at %{{.+}} level %[[LEVEL]]
// CHECK:         weft.identity #weft.affine -> tensor<8x8xf32>, tensor<8x2xf32>
// CHECK:         scf.for %{{.+}} = %[[C0]] to %[[C4]]
// CHECK:           %[[ZSTART:.+]] = tensor.extract_slice %[[ZS]]
// CHECK:           weft.chunked {{.*}} slices(%[[K]], %[[V]] : tensor<?x8xf32>, tensor<?x2xf32>)
// CHECK-SAME:        carries(%[[ZSTART]], {{.*}}) as [#weft.sum, #weft.summary<#weft.affine of tensor<8x2xf32>>] {
// CHECK-NOT:       arith.negf
// CHECK:         weft.exclusive_scan #weft.affine({{.*}}) numerics<in = bf16, acc = f32>
// CHECK:         weft.act_dense #weft.affine {{.*}} on(%[[H0]] : tensor<8x2xf32>)
// CHECK:         scf.for %{{.+}} = %[[C0]] to %[[BLOCKS]] {{.*}} iter_args(%[[O:.+]] = %[[INIT]], %{{.+}} = %[[Z0]], %{{.+}} = %[[H0]])
// CHECK:           weft.chunked {{.*}} as [#weft.sum, #weft.affine] outs(%[[O]] : tensor<?x2xf32>)
// CHECK:             arith.negf
func.func @two_phases(%k: tensor<?x8xf32>, %v: tensor<?x2xf32>, %from: index, %to: index, %z0: tensor<8xf32>, %h0: tensor<8x2xf32>,
                      %init: tensor<?x2xf32>) -> (tensor<?x2xf32>, tensor<8xf32>, tensor<8x2xf32>) {
  %o, %z1, %h1 = weft.chunked rows %from to %to by 16 slices(%k, %v : tensor<?x8xf32>, tensor<?x2xf32>)
      carries(%z0, %h0 : tensor<8xf32>, tensor<8x2xf32>) as [#weft.sum, #weft.affine] outs(%init : tensor<?x2xf32>) {
  ^chunk(%n: index, %lo: index, %hi: index, %kc: tensor<16x8xf32>, %vc: tensor<16x2xf32>, %z: tensor<8xf32>, %h: tensor<8x2xf32>):
    %all = weft.sum %kc over 0 : tensor<16x8xf32> -> tensor<8xf32>
    %e0 = weft.sum_element %all : tensor<8xf32>
    %zb = weft.broadcast %z to [1] : tensor<8xf32> -> tensor<16x8xf32>
    %w = arith.mulf %kc, %zb : tensor<16x8xf32>
    %e1 = weft.affine_element term(write(%w : tensor<16x8xf32>) erase(%kc : tensor<16x8xf32>) value(%vc : tensor<16x2xf32>))
        numerics<in = bf16, acc = f32>
    %kh = weft.dot %kc, %h over [1, 0] numerics#f32 : tensor<16x8xf32>, tensor<8x2xf32> -> tensor<16x2xf32>
    %oc = arith.negf %kh : tensor<16x2xf32>
    weft.next out(%oc : tensor<16x2xf32>) carry(%e0, %e1 : !weft.element<#weft.sum>, !weft.element<#weft.affine>)
  }
  return %o, %z1, %h1 : tensor<?x2xf32>, tensor<8xf32>, tensor<8x2xf32>
}

// Without rows of output there is no replay: the final state is the act of all summaries, combined.
// REMARK: remark: [Passed] Segmented | Category:weft-segment | Remark="cut into 4 segments, 1 phase (carries 0) and no replay"
// CHECK-LABEL: func.func @split(
// CHECK-SAME:    %[[M0:[^:]+]]: tensor<4xf32>, %[[L0:[^:]+]]: tensor<4xf32>, %[[A0:[^:]+]]: tensor<4x2xf32>
// CHECK:         weft.chunked
// CHECK:         %[[ALL:.+]]:3 = weft.combine_all #weft.online_softmax
// CHECK:         %[[FINAL:.+]]:3 = weft.act_dense #weft.online_softmax element(%[[ALL]]#0, %[[ALL]]#1, %[[ALL]]#2 : {{.*}}) on(%[[M0]], %[[L0]], %[[A0]] :
// CHECK-NOT:     weft.chunked
// CHECK:         return %[[FINAL]]#0, %[[FINAL]]#1, %[[FINAL]]#2
func.func @split(%m0: tensor<4xf32>, %l0: tensor<4xf32>, %a0: tensor<4x2xf32>, %q: tensor<4x8xf32>, %k: tensor<?x8xf32>, %v: tensor<?x2xf32>,
                 %to: index) -> (tensor<4xf32>, tensor<4xf32>, tensor<4x2xf32>) {
  %c0 = arith.constant 0 : index
  %m, %l, %a = weft.chunked rows %c0 to %to by 16 slices(%k, %v : tensor<?x8xf32>, tensor<?x2xf32>)
      carries(%m0, %l0, %a0 : tensor<4xf32>, tensor<4xf32>, tensor<4x2xf32>) as [#weft.online_softmax] {
  ^chunk(%n: index, %lo: index, %hi: index, %kc: tensor<16x8xf32>, %vc: tensor<16x2xf32>, %mc: tensor<4xf32>, %lc: tensor<4xf32>, %ac: tensor<4x2xf32>):
    %s = weft.dot %q, %kc over [1, 1] numerics#f32 : tensor<4x8xf32>, tensor<16x8xf32> -> tensor<4x16xf32>
    %live = weft.keep_live %s over 1 from %lo to %hi else 0xFFF0000000000000 : tensor<4x16xf32>
    %e = weft.softmax_element %live, %vc numerics#f32 : tensor<4x16xf32>, tensor<16x2xf32>
    weft.next carry(%e : !weft.element<#weft.online_softmax>)
  }
  return %m, %l, %a : tensor<4xf32>, tensor<4xf32>, tensor<4x2xf32>
}

// A stack's summaries act on it one after the other, each at its block's number.
// CHECK-LABEL: func.func @stack(
// CHECK-SAME:    %{{.+}}: tensor<?x8xf32>, %[[TO:.+]]: index, %[[S0:.+]]: tensor<5x8x8xf32>
// CHECK:         %[[LEVEL:.+]] = scf.while
// CHECK:         weft.chunked
// CHECK-NOT:     weft.exclusive_scan
// CHECK:         scf.for {{.*}} iter_args(%{{.+}} = %{{.+}}, %[[S:.+]] = %[[S0]]) -> (tensor<4x5x8x8xf32>, tensor<5x8x8xf32>)
// CHECK:           %[[BEFORE:.+]] = arith.subi
// CHECK:           %[[BLOCK:.+]] = arith.addi %{{.+}}, %[[BEFORE]]
// CHECK:           %[[NEXT:.+]] = weft.act_dense #weft.fenwick<#weft.affine> {{.*}} on(%[[S]] : tensor<5x8x8xf32>) at %[[BLOCK]] level %[[LEVEL]]
// CHECK:           %[[STARTS:.+]] = tensor.insert_slice %[[NEXT]]
// CHECK:           scf.yield %[[STARTS]], %[[NEXT]]
// CHECK:         weft.chunked {{.*}} as [#weft.fenwick<#weft.affine>]
func.func @stack(%k: tensor<?x8xf32>, %to: index, %s0: tensor<5x8x8xf32>) -> tensor<5x8x8xf32> {
  %c0 = arith.constant 0 : index
  %s1 = weft.chunked rows %c0 to %to by 16 slices(%k : tensor<?x8xf32>) carries(%s0 : tensor<5x8x8xf32>) as [#weft.fenwick<#weft.affine>] {
  ^chunk(%n: index, %lo: index, %hi: index, %kc: tensor<16x8xf32>, %s: tensor<5x8x8xf32>):
    %e = weft.affine_element term(write(%kc : tensor<16x8xf32>) value(%kc : tensor<16x8xf32>)) numerics#f32
    weft.next carry(%e : !weft.element<#weft.affine>)
  }
  return %s1 : tensor<5x8x8xf32>
}

// Segments of a descending loop are walked from the last block.
// CHECK-LABEL: func.func @descending(
// CHECK:         %[[TOP:.+]] = arith.subi %{{.+}}, %{{.+}}
// CHECK:         scf.for %[[SEGMENT:[^ ]+]] =
// CHECK:           arith.subi %{{.+}}, %[[SEGMENT]]
// CHECK:           weft.chunked {{.*}} by 16 descending
func.func @descending(%k: tensor<?x8xf32>, %to: index, %z0: tensor<8xf32>) -> tensor<8xf32> {
  %c0 = arith.constant 0 : index
  %z1 = weft.chunked rows %c0 to %to by 16 descending slices(%k : tensor<?x8xf32>) carries(%z0 : tensor<8xf32>) as [#weft.sum] {
  ^chunk(%n: index, %lo: index, %hi: index, %kc: tensor<16x8xf32>, %z: tensor<8xf32>):
    %all = weft.sum %kc over 0 : tensor<16x8xf32> -> tensor<8xf32>
    %e = weft.sum_element %all : tensor<8xf32>
    weft.next carry(%e : !weft.element<#weft.sum>)
  }
  return %z1 : tensor<8xf32>
}

// Declined: nothing is carried; a summary is a segment's walk; the element reads its own carry.
// REMARK: remark: [Missed] NotSegmented | Category:weft-segment | Remark="not cut into segments: it carries nothing, so its chunks are independent already"
// CHECK-LABEL: func.func @no_carry(
// CHECK-NOT:     scf.for
// CHECK:         return
func.func @no_carry(%x: tensor<?x8xf32>, %to: index, %init: tensor<?x8xf32>) -> tensor<?x8xf32> {
  %c0 = arith.constant 0 : index
  %y = weft.chunked rows %c0 to %to by 16 slices(%x : tensor<?x8xf32>) as [] outs(%init : tensor<?x8xf32>) {
  ^chunk(%n: index, %lo: index, %hi: index, %xc: tensor<16x8xf32>):
    %yc = arith.negf %xc : tensor<16x8xf32>
    weft.next out(%yc : tensor<16x8xf32>)
  }
  return %y : tensor<?x8xf32>
}
// REMARK: remark: [Missed] NotSegmented | Category:weft-segment | Remark="not cut into segments: it is a segment's walk already"
// CHECK-LABEL: func.func @summary(
// CHECK-NOT:     scf.for
// CHECK:         return
func.func @summary(%x: tensor<?x8xf32>, %to: index, %z0: tensor<8xf32>) -> tensor<8xf32> {
  %c0 = arith.constant 0 : index
  %z = weft.chunked rows %c0 to %to by 16 slices(%x : tensor<?x8xf32>) carries(%z0 : tensor<8xf32>) as [#weft.summary<#weft.sum of tensor<8xf32>>] {
  ^chunk(%n: index, %lo: index, %hi: index, %xc: tensor<16x8xf32>, %s: tensor<8xf32>):
    %all = weft.sum %xc over 0 : tensor<16x8xf32> -> tensor<8xf32>
    %e = weft.sum_element %all : tensor<8xf32>
    weft.next carry(%e : !weft.element<#weft.sum>)
  }
  return %z : tensor<8xf32>
}
// REMARK: remark: [Missed] NotSegmented | Category:weft-segment | Remark="not cut into segments: element #0 reads carry #0: an element may read earlier carries only"
// CHECK-LABEL: func.func @cycle(
// CHECK-NOT:     scf.for
// CHECK:         return
func.func @cycle(%x: tensor<?x8xf32>, %to: index, %z0: tensor<8xf32>) -> tensor<8xf32> {
  %c0 = arith.constant 0 : index
  %z = weft.chunked rows %c0 to %to by 16 slices(%x : tensor<?x8xf32>) carries(%z0 : tensor<8xf32>) as [#weft.sum] {
  ^chunk(%n: index, %lo: index, %hi: index, %xc: tensor<16x8xf32>, %s: tensor<8xf32>):
    %all = weft.sum %xc over 0 : tensor<16x8xf32> -> tensor<8xf32>
    %next = arith.mulf %all, %s : tensor<8xf32>
    %e = weft.sum_element %next : tensor<8xf32>
    weft.next carry(%e : !weft.element<#weft.sum>)
  }
  return %z : tensor<8xf32>
}
