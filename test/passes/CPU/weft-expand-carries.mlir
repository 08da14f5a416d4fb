// Part of Scanweft, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// RUN: %weft_opt_both %s --pass-pipeline="builtin.module(weft-expand-carries,canonicalize)" | FileCheck %s
// RUN: %weft_opt_both %s --pass-pipeline="builtin.module(weft-expand-carries{statistics},canonicalize)" | FileCheck %s --check-prefix=STATS

#bf = #weft.numerics<in = bf16, acc = f32>

// CHECK-LABEL: func.func @neutral()
// CHECK-DAG:     %[[G:.+]] = arith.constant dense<0.000000e+00> : tensor<8x4xf32>
// CHECK-DAG:     %[[F:.+]] = weft.eye : tensor<8x8xf32>
// CHECK:         return %[[F]], %[[G]]
func.func @neutral() -> (tensor<8x8xf32>, tensor<8x4xf32>) {
  %f, %g = weft.identity #weft.affine -> tensor<8x8xf32>, tensor<8x4xf32>
  return %f, %g : tensor<8x8xf32>, tensor<8x4xf32>
}

// Later after earlier: F2 F1 and F2 G1 + G2, with the op's numerics.
// CHECK-LABEL: func.func @combine(
// CHECK-SAME:    %[[F2:[^:]+]]: {{[^,]+}}, %[[G2:[^:]+]]: {{[^,]+}}, %[[F1:[^:]+]]: {{[^,]+}}, %[[G1:[^:]+]]:
// CHECK:         %[[FG:.+]] = weft.dot %[[F2]], %[[G1]] over [1, 0] numerics<in = bf16, acc = f32>
// CHECK:         %[[F:.+]] = weft.dot %[[F2]], %[[F1]] over [1, 0] numerics<in = bf16, acc = f32>
// CHECK:         %[[G:.+]] = arith.addf %[[FG]], %[[G2]]
// CHECK:         return %[[F]], %[[G]]
func.func @combine(%f2: tensor<8x8xf32>, %g2: tensor<8x4xf32>, %f1: tensor<8x8xf32>, %g1: tensor<8x4xf32>)
    -> (tensor<8x8xf32>, tensor<8x4xf32>) {
  %f, %g = weft.combine #weft.affine later(%f2, %g2 : tensor<8x8xf32>, tensor<8x4xf32>)
      earlier(%f1, %g1 : tensor<8x8xf32>, tensor<8x4xf32>) numerics#bf
  return %f, %g : tensor<8x8xf32>, tensor<8x4xf32>
}

// A stack takes the transition in every slot and the contribution of an aligned block.
// CHECK-LABEL: func.func @act(
// CHECK-SAME:    %[[F:[^:]+]]: {{[^,]+}}, %[[G:[^:]+]]: {{[^,]+}}, %[[X:[^:]+]]: {{[^,]+}}, %[[BLOCK:[^:]+]]: index, %[[LEVEL:[^:]+]]: index
// CHECK-COUNT-3: weft.dot %[[F]], %{{.+}} over [1, 0]
// CHECK:         %[[S:.+]] = weft.fenwick_merge %{{.+}}, %[[G]] at %[[BLOCK]] level %[[LEVEL]]
// CHECK:         return %[[S]]
func.func @act(%f: tensor<8x8xf32>, %g: tensor<8x4xf32>, %x: tensor<3x8x4xf32>, %block: index, %level: index) -> tensor<3x8x4xf32> {
  %y = weft.act_dense #weft.fenwick<#weft.affine> element(%f, %g : tensor<8x8xf32>, tensor<8x4xf32>)
      on(%x : tensor<3x8x4xf32>) at %block level %level numerics#bf
  return %y : tensor<3x8x4xf32>
}

// Five elements in a tree of eight leaves: neutral ones beyond, three levels up, the root's
// prefix, three levels down; the subtree's combination after the prefix.
// CHECK-LABEL: func.func @scan(
// CHECK-SAME:    %[[X:.+]]: tensor<5x4xf32>
// CHECK-DAG:     %[[ZEROS:.+]] = arith.constant dense<0.000000e+00> : tensor<4xf32>
// CHECK-DAG:     %[[C0:.+]] = arith.constant 0 : index
// CHECK-DAG:     %[[C1:.+]] = arith.constant 1 : index
// CHECK-DAG:     %[[C2:.+]] = arith.constant 2 : index
// CHECK-DAG:     %[[C3:.+]] = arith.constant 3 : index
// CHECK-DAG:     %[[C5:.+]] = arith.constant 5 : index
// CHECK-DAG:     %[[C8:.+]] = arith.constant 8 : index
// CHECK:         %[[PART:.+]] = tensor.insert_slice %[[X]] into %{{.+}}[0, 0] [5, 4]
// CHECK:         %[[PADDED:.+]] = scf.for %[[I:.+]] = %[[C5]] to %[[C8]] {{.*}} iter_args(%[[P:.+]] = %[[PART]])
// CHECK:           tensor.insert_slice %[[ZEROS]] into %[[P]][%[[I]], 0] [1, 4]
// CHECK:         %[[UP:.+]] = scf.for %[[L:.+]] = %[[C0]] to %[[C3]] {{.*}} iter_args(%[[UL:.+]] = %[[PADDED]])
// CHECK:           %[[STRIDE:.+]] = arith.shli %[[C1]], %[[L]]
// CHECK:           %[[SPAN:.+]] = arith.addi %[[STRIDE]], %[[STRIDE]]
// CHECK:           %[[FIRST:.+]] = arith.subi %[[STRIDE]], %[[C1]]
// CHECK:           scf.for %[[LEFT:.+]] = %[[FIRST]] to %[[C8]] step %[[SPAN]] iter_args(%[[U:.+]] = %[[UL]])
// CHECK:             %[[RIGHT:.+]] = arith.addi %[[LEFT]], %[[STRIDE]]
// CHECK:             %[[E:.+]] = tensor.extract_slice %[[U]][%[[LEFT]], 0]
// CHECK:             %[[LATER:.+]] = tensor.extract_slice %[[U]][%[[RIGHT]], 0]
// CHECK:             %[[JOIN:.+]] = arith.addf %[[E]], %[[LATER]]
// CHECK:             tensor.insert_slice %[[JOIN]] into %[[U]][%[[RIGHT]], 0]
// CHECK:         %[[ROOT:.+]] = tensor.insert_slice %[[ZEROS]] into %[[UP]][7, 0]
// CHECK:         %[[DOWN:.+]] = scf.for %[[L2:.+]] = %[[C0]] to %[[C3]] {{.*}} iter_args(%{{.+}} = %[[ROOT]])
// CHECK:           arith.subi %[[C2]], %[[L2]]
// CHECK:           scf.for {{.*}} iter_args(%[[D:.+]] = %{{.+}})
// CHECK:             %[[SUBTREE:.+]] = tensor.extract_slice %[[D]]
// CHECK:             %[[PREFIX:.+]] = tensor.extract_slice %[[D]]
// CHECK:             %[[BOTH:.+]] = arith.addf %[[PREFIX]], %[[SUBTREE]]
// CHECK:             %[[D1:.+]] = tensor.insert_slice %[[PREFIX]] into %[[D]]
// CHECK:             tensor.insert_slice %[[BOTH]] into %[[D1]]
// CHECK:         %[[RESULT:.+]] = tensor.extract_slice %[[DOWN]][0, 0] [5, 4]
// CHECK:         return %[[RESULT]]

// One count a level of either sweep, one a combine.
// STATS-LABEL: func.func @scan(
// STATS-DAG:     %[[COMBINES:.+]] = arith.constant 1 : i64
// STATS-DAG:     %[[DEPTH:.+]] = arith.constant 2 : i64
// STATS:         scf.for
// STATS:         scf.for
// STATS:           func.call @weft_statistics_count(%[[DEPTH]], %[[COMBINES]])
// STATS:           scf.for
// STATS:             func.call @weft_statistics_count(%[[COMBINES]], %[[COMBINES]])
// STATS:         scf.for
// STATS:           func.call @weft_statistics_count(%[[DEPTH]], %[[COMBINES]])
// STATS:           scf.for
// STATS:             func.call @weft_statistics_count(%[[COMBINES]], %[[COMBINES]])
func.func @scan(%x: tensor<5x4xf32>) -> tensor<5x4xf32> {
  %p = weft.exclusive_scan #weft.sum (%x : tensor<5x4xf32>) numerics<in = f32, acc = f32>
  return %p : tensor<5x4xf32>
}

// The reduction is the up-sweep; one segment needs none.
// CHECK-LABEL: func.func @reduce(
// CHECK-COUNT-2: scf.for
// CHECK-NOT:     scf.for
// CHECK:         tensor.extract_slice %{{.+}}[3, 0] [1, 4]
// CHECK-NOT:     scf.for
// CHECK:         return
func.func @reduce(%x: tensor<4x4xf32>, %y: tensor<1x4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %p = weft.combine_all #weft.sum (%x : tensor<4x4xf32>) numerics<in = f32, acc = f32> -> tensor<4xf32>
  %q = weft.combine_all #weft.sum (%y : tensor<1x4xf32>) numerics<in = f32, acc = f32> -> tensor<4xf32>
  return %p, %q : tensor<4xf32>, tensor<4xf32>
}

// An author's function, entry by entry: (earlier..., later...).
func.func private @compose(%a1: f32, %b1: f32, %a2: f32, %b2: f32) -> (f32, f32) {
  %a = arith.mulf %a2, %a1 : f32
  %c = arith.mulf %a2, %b1 : f32
  %b = arith.addf %c, %b2 : f32
  return %a, %b : f32, f32
}
// CHECK-LABEL: func.func @region(
// CHECK-SAME:    %[[A2:[^:]+]]: {{[^,]+}}, %[[B2:[^:]+]]: {{[^,]+}}, %[[A1:[^:]+]]: {{[^,]+}}, %[[B1:[^:]+]]:
// CHECK:         %[[A:.+]] = arith.mulf %[[A2]], %[[A1]] : tensor<8xf32>
// CHECK:         %[[C:.+]] = arith.mulf %[[A2]], %[[B1]] : tensor<8xf32>
// CHECK:         %[[B:.+]] = arith.addf %[[C]], %[[B2]] : tensor<8xf32>
// CHECK:         return %[[A]], %[[B]]
func.func @region(%a2: tensor<8xf32>, %b2: tensor<8xf32>, %a1: tensor<8xf32>, %b1: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  %a, %b = weft.combine #weft.region<@compose identity [1.0 : f32, 0.0 : f32]>
      later(%a2, %b2 : tensor<8xf32>, tensor<8xf32>) earlier(%a1, %b1 : tensor<8xf32>, tensor<8xf32>) numerics<in = f32, acc = f32>
  return %a, %b : tensor<8xf32>, tensor<8xf32>
}

// Elements as rows belong to their loop, and stay.
// CHECK-LABEL: func.func @rows(
// CHECK:         weft.gram_element
func.func @rows(%u: tensor<16x8xf32>) -> !weft.element<#weft.inverse_gram> {
  %e = weft.gram_element %u numerics<in = f32, acc = f32> : tensor<16x8xf32>
  return %e : !weft.element<#weft.inverse_gram>
}
