// Part of Scanweft, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// RUN: %weft_opt_both %s --pass-pipeline="builtin.module(weft-lower-algebra,canonicalize,cse)" | FileCheck %s

// The clauses act in the order written, on states that the loops carry.
// CHECK-LABEL: func.func @clauses(
// CHECK-SAME:    %[[Q:[^:]+]]: {{[^,]+}}, %[[K:[^:]+]]: {{[^,]+}}, %[[V:[^:]+]]: {{[^,]+}}, %[[G:[^:]+]]: {{[^,]+}}, %[[S0:[^:]+]]: {{[^,]+}}, %[[Z0:[^:]+]]:
// CHECK-DAG:     %[[LEAST:[^ ]+]] = arith.constant -8.700000e+01 : f32
// CHECK-DAG:     %[[SCALE:[^ ]+]] = arith.constant 5.000000e-01 : f32
// CHECK-DAG:     %[[EPS:[^ ]+]] = arith.constant 2.500000e-01 : f32
// CHECK:         scf.for %[[B:[^ ]+]] = %{{.+}} iter_args(%{{.+}}, %{{.+}}, %{{.+}})
// CHECK:           scf.for %[[H:[^ ]+]] = %{{.+}} iter_args(%[[OH:[^ ]+]] = %{{.+}}, %[[SH:[^ ]+]] = %{{.+}}, %[[ZH:[^ ]+]] = %{{.+}})
// CHECK:             %[[S1:[^ ]+]] = tensor.extract_slice %[[S0]][%[[B]], %[[H]], 0, 0] [1, 1, 8, 4]
// CHECK:             %[[Z1:[^ ]+]] = tensor.extract_slice %[[Z0]][%[[B]], %[[H]], 0] [1, 1, 8]
// CHECK:             %[[LOOP:[^ ]+]]:3 = scf.for %[[T:[^ ]+]] = %{{.+}} iter_args(%[[O:[^ ]+]] = %[[OH]], %[[S:[^ ]+]] = %[[S1]], %[[Z:[^ ]+]] = %[[Z1]])
// Read first: the state of the step before, scaled, divided by the normaliser.
// CHECK:               %[[QT:[^ ]+]] = tensor.extract_slice %[[Q]][%[[B]], %[[T]], %[[H]], 0]
// CHECK:               linalg.generic {{.*}} ins(%[[QT]], %[[S]] :
// CHECK:               linalg.generic {{.*}} ins(%[[QT]], %[[Z]] :
// CHECK:               %[[ROW:[^ ]+]] = linalg.generic
// CHECK:                 %[[NUM:[^ ]+]] = arith.mulf %{{.+}}, %[[SCALE]]
// CHECK:                 %[[Z2:[^ ]+]] = arith.mulf %{{.+}}, %[[SCALE]]
// CHECK:                 %[[DEN:[^ ]+]] = arith.maximumf %[[Z2]], %[[EPS]]
// CHECK:                 arith.divf %[[NUM]], %[[DEN]]
// CHECK:               %[[O2:[^ ]+]] = tensor.insert_slice %[[ROW]] into %[[O]][%[[B]], %[[T]], %[[H]], 0]
// Then the decay, clamped where it is loaded.
// CHECK:               %[[GT:[^ ]+]] = tensor.extract_slice %[[G]][%[[B]], %[[T]], %[[H]]]
// CHECK:               %[[D:[^ ]+]] = linalg.generic {{.*}} ins(%[[GT]] :
// CHECK:                 %[[CLAMPED:[^ ]+]] = arith.maximumf %{{.+}}, %[[LEAST]]
// CHECK:                 math.exp %[[CLAMPED]]
// CHECK:               %[[SD:[^ ]+]] = linalg.generic {{.*}} ins(%[[D]] : {{.*}}) outs(%[[S]] :
// CHECK:               %[[ZD:[^ ]+]] = linalg.generic {{.*}} ins(%[[D]] : {{.*}}) outs(%[[Z]] :
// Then the write.
// CHECK:               %[[SW:[^ ]+]] = linalg.generic {{.*}} outs(%[[SD]] :
// CHECK:               %[[ZW:[^ ]+]] = linalg.generic {{.*}} outs(%[[ZD]] :
// CHECK:               scf.yield %[[O2]], %[[SW]], %[[ZW]]
// CHECK:             tensor.insert_slice %[[LOOP]]#1 into %[[SH]][%[[B]], %[[H]], 0, 0]
// CHECK:             tensor.insert_slice %[[LOOP]]#2 into %[[ZH]][%[[B]], %[[H]], 0]
func.func @clauses(%q: tensor<?x?x2x8xf32>, %k: tensor<?x?x2x8xf32>, %v: tensor<?x?x2x4xf32>, %g: tensor<?x?x2xf32>,
    %s0: tensor<?x2x8x4xf32>, %z0: tensor<?x2x8xf32>) -> (tensor<?x?x2x4xf32>, tensor<?x2x8x4xf32>, tensor<?x2x8xf32>) {
  %o, %s, %z = weft.affine_scan over 1
      read(%q scale 0.5 : tensor<?x?x2x8xf32>)
      decay(%g in log : tensor<?x?x2xf32>)
      write(%k, %v : tensor<?x?x2x8xf32>, tensor<?x?x2x4xf32>)
      normalize(clamped 0.25)
      init(%s0, %z0 : tensor<?x2x8x4xf32>, tensor<?x2x8xf32>)
      -> tensor<?x?x2x4xf32>, tensor<?x2x8x4xf32>, tensor<?x2x8xf32>
  return %o, %s, %z : tensor<?x?x2x4xf32>, tensor<?x2x8x4xf32>, tensor<?x2x8xf32>
}

// Time from the last step to the first; heads at head * own / most; a decay per
// head and channel that lacks batch and time is taken as it is; no init is zero.
// CHECK-LABEL: func.func @heads_and_axes(
// CHECK-SAME:    %[[Q:[^:]+]]: {{[^,]+}}, %[[V:[^:]+]]: {{[^,]+}}, %[[G:[^:]+]]:
// CHECK-DAG:     %[[ZERO:[^ ]+]] = arith.constant 0.000000e+00 : f32
// CHECK-DAG:     %[[C1:[^ ]+]] = arith.constant 1 : index
// CHECK-DAG:     %[[C2:[^ ]+]] = arith.constant 2 : index
// CHECK-DAG:     %[[C6:[^ ]+]] = arith.constant 6 : index
// CHECK:         %[[STEPS:[^ ]+]] = tensor.dim %{{.+}}, %[[C1]]
// CHECK:         scf.for %[[B:[^ ]+]] =
// CHECK:           scf.for %[[H:[^ ]+]] = %{{.+}} to %[[C6]]
// CHECK:             linalg.fill ins(%[[ZERO]] : f32) outs(%{{.+}} : tensor<8x4xf32>)
// CHECK:             scf.for %[[I:[^ ]+]] = %{{.+}} to %[[STEPS]]
// CHECK:               %[[LAST:[^ ]+]] = arith.subi %[[STEPS]], %[[C1]]
// CHECK:               %[[T:[^ ]+]] = arith.subi %[[LAST]], %[[I]]
// CHECK:               %[[MUL:[^ ]+]] = arith.muli %[[H]], %[[C2]]
// CHECK:               %[[VH:[^ ]+]] = arith.divui %[[MUL]], %[[C6]]
// CHECK:               tensor.extract_slice %[[G]][%[[VH]], 0] [1, 8] [1, 1] : tensor<2x8xf32> to tensor<8xf32>
// CHECK-NOT:           arith.maximumf
// CHECK:               tensor.extract_slice %[[V]][%[[B]], %[[T]], %[[VH]], 0]
// CHECK:               tensor.insert_slice %{{.+}} into %{{.+}}[%[[B]], %[[T]], %[[H]], 0]
func.func @heads_and_axes(%q: tensor<?x?x6x8xf32>, %v: tensor<?x?x2x4xf32>, %g: tensor<2x8xf32>) -> tensor<?x?x6x4xf32> {
  %o = weft.affine_scan over 1 reverse
      decay(%g in linear along [h, k] : tensor<2x8xf32>)
      write(%q, %v : tensor<?x?x6x8xf32>, tensor<?x?x2x4xf32>)
      read(%q : tensor<?x?x6x8xf32>)
      -> tensor<?x?x6x4xf32>
  return %o : tensor<?x?x6x4xf32>
}

// 16-bit sums are carried in f32; exclusive ones are stored before they grow.
// CHECK-LABEL: func.func @sums
// CHECK:         scf.for {{.*}} iter_args(%[[O:[^ ]+]] = %{{.+}}, %[[S:[^ ]+]] = %{{.+}}) -> (tensor<?x?x?x4xbf16>, tensor<4xf32>)
// CHECK:           %[[ROW:[^ ]+]] = linalg.generic {{.*}} ins(%[[S]] : tensor<4xf32>) outs(%{{.+}} : tensor<4xbf16>)
// CHECK:           tensor.insert_slice %[[ROW]] into %[[O]]
// CHECK:           linalg.generic {{.*}} ins(%{{.+}} : tensor<4xbf16>) outs(%[[S]] : tensor<4xf32>)
// CHECK:             %[[WIDE:[^ ]+]] = arith.extf
// CHECK:             arith.addf %{{.+}}, %[[WIDE]] : f32
func.func @sums(%x: tensor<?x?x?x4xbf16>) -> tensor<?x?x?x4xbf16> {
  %y = weft.prefix_sum %x over 1 exclusive : tensor<?x?x?x4xbf16> -> tensor<?x?x?x4xbf16>
  return %y : tensor<?x?x?x4xbf16>
}

// The region is applied to (states, entries of the step), from the identity.
// CHECK-LABEL: func.func @combinations(
// CHECK-SAME:    %[[A:[^:]+]]: {{[^,]+}}, %[[B:[^:]+]]:
// CHECK:         scf.for
// CHECK:           scf.for
// CHECK:             %[[ONE:[^ ]+]] = linalg.fill ins(%{{.+}} : f32)
// CHECK:             %[[ZERO:[^ ]+]] = linalg.fill ins(%{{.+}} : f32)
// CHECK:             scf.for {{.*}} iter_args(%{{.+}} = %{{.+}}, %{{.+}} = %{{.+}}, %[[P:[^ ]+]] = %[[ONE]], %[[H:[^ ]+]] = %[[ZERO]])
// CHECK:               %[[AT:[^ ]+]] = tensor.extract_slice %[[A]]
// CHECK:               %[[BT:[^ ]+]] = tensor.extract_slice %[[B]]
// CHECK:               linalg.generic {{.*}} ins(%[[AT]], %[[BT]] : {{.*}}) outs(%[[P]], %[[H]] :
// CHECK:               ^{{.+}}(%[[A2:[^ :]+]]: f32, %[[B2:[^ :]+]]: f32, %[[A1:[^ :]+]]: f32, %[[B1:[^ :]+]]: f32):
// CHECK:                 %[[PRODUCT:[^ ]+]] = arith.mulf %[[A1]], %[[A2]]
// CHECK:                 %[[SCALED:[^ ]+]] = arith.mulf %[[A2]], %[[B1]]
// CHECK:                 %[[SUM:[^ ]+]] = arith.addf %[[SCALED]], %[[B2]]
// CHECK:                 linalg.yield %[[PRODUCT]], %[[SUM]]
func.func @combinations(%a: tensor<?x?x?x4xf32>, %b: tensor<?x?x?x4xf32>) -> (tensor<?x?x?x4xf32>, tensor<?x?x4xf32>) {
  %p, %h, %pt, %ht = weft.associative_scan over 1 (%a, %b : tensor<?x?x?x4xf32>, tensor<?x?x?x4xf32>)
      identity [1.0 : f32, 0.0 : f32]
      -> (tensor<?x?x?x4xf32>, tensor<?x?x?x4xf32>), (tensor<?x?x4xf32>, tensor<?x?x4xf32>) {
  ^combine(%a1: f32, %b1: f32, %a2: f32, %b2: f32):
    %product = arith.mulf %a1, %a2 : f32
    %scaled = arith.mulf %a2, %b1 : f32
    %sum = arith.addf %scaled, %b2 : f32
    weft.yield %product, %sum : f32, f32
  }
  return %h, %ht : tensor<?x?x?x4xf32>, tensor<?x?x4xf32>
}

// CHECK-LABEL: func.func @matmul(
// CHECK-SAME:    %[[X:[^:]+]]: {{[^,]+}}, %[[W:[^:]+]]:
// CHECK-DAG:     %[[OWN:[^ ]+]] = tensor.dim %[[W]], %{{.+}} : tensor<?x8x3xf32>
// CHECK-DAG:     %[[ALL:[^ ]+]] = tensor.dim %[[X]], %{{.+}} : tensor<?x?x?x8xf32>
// CHECK:         linalg.generic {{.*}} iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction"]
// CHECK:           %[[H:[^ ]+]] = linalg.index 2
// CHECK:           %[[MUL:[^ ]+]] = arith.muli %[[H]], %[[OWN]]
// CHECK:           %[[WH:[^ ]+]] = arith.divui %[[MUL]], %[[ALL]]
// CHECK-DAG:       %[[K:[^ ]+]] = linalg.index 4
// CHECK-DAG:       %[[N:[^ ]+]] = linalg.index 3
// CHECK:           tensor.extract %[[W]][%[[WH]], %[[K]], %[[N]]]
func.func @matmul(%x: tensor<?x?x?x8xf32>, %w: tensor<?x8x3xf32>) -> tensor<?x?x?x3xf32> {
  %y = weft.token_matmul %x, %w numerics<in = f32, acc = f32> : tensor<?x?x?x8xf32>, tensor<?x8x3xf32> -> tensor<?x?x?x3xf32>
  return %y : tensor<?x?x?x3xf32>
}

// Groups are inlined; body ops are left to weft-lower-body.
// CHECK-LABEL: func.func @group
// CHECK-NOT:     weft.group
// CHECK:         %[[S:[^ ]+]] = weft.softmax %arg0 over 3
// CHECK:         return %[[S]]
func.func @group(%x: tensor<?x?x?x8xf32>) -> tensor<?x?x?x8xf32> {
  %y = weft.group @fused -> tensor<?x?x?x8xf32> {
    %s = weft.softmax %x over 3 : tensor<?x?x?x8xf32> -> tensor<?x?x?x8xf32>
    weft.yield %s : tensor<?x?x?x8xf32>
  }
  return %y : tensor<?x?x?x8xf32>
}
