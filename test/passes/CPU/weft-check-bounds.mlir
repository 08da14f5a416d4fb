// Part of Scanweft, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// RUN: %weft_opt_both %s --pass-pipeline="builtin.module(weft-check-bounds,canonicalize)" | FileCheck %s

// Before every op what its types leave open; a text names the op's place.
// CHECK-LABEL: func.func @slices(
// CHECK-SAME:    %[[X:[^:]+]]: tensor<?x8xf32>, %[[I:[^:]+]]: index, %[[N:[^:]+]]: index
// CHECK-DAG:     %[[C0:.+]] = arith.constant 0 : index
// CHECK-DAG:     %[[C1:.+]] = arith.constant 1 : index
// CHECK-DAG:     %[[C8:.+]] = arith.constant 8 : index
// CHECK-DAG:     %[[ROWS:.+]] = llvm.mlir.addressof @weft_site : !llvm.ptr
// CHECK:         %[[D0:.+]] = tensor.dim %[[X]], %[[C0]]
// CHECK:         call @weft_check_range(%[[I]], %[[N]], %[[D0]], %[[ROWS]])
// CHECK-NOT:     weft_check
// CHECK:         tensor.extract_slice
// CHECK:         call @weft_check_range(%[[I]], %[[C1]], %{{.+}}, %{{.+}})
// CHECK:         call @weft_check_range(%[[N]], %[[C1]], %[[C8]], %{{.+}})
// CHECK:         tensor.extract %
func.func @slices(%x: tensor<?x8xf32>, %i: index, %n: index) -> (tensor<?x8xf32>, f32) {
  %y = tensor.extract_slice %x[%i, 0] [%n, 8] [1, 1] : tensor<?x8xf32> to tensor<?x8xf32>
  %e = tensor.extract %x[%i, %n] : tensor<?x8xf32>
  return %y, %e : tensor<?x8xf32>, f32
}

// Both ends of a slice whose stride is not 1.
// CHECK-LABEL: func.func @strided(
// CHECK-SAME:    %[[X:[^:]+]]: tensor<?xf32>, %[[I:[^:]+]]: index
// CHECK:         %[[LAST:.+]] = arith.addi %[[I]], %{{.+}}
// CHECK:         call @weft_check_range(%[[I]], %[[ONE:.+]], %[[DIM:.+]], %{{.+}})
// CHECK:         call @weft_check_range(%[[LAST]],
func.func @strided(%x: tensor<?xf32>, %i: index) -> tensor<4xf32> {
  %y = tensor.extract_slice %x[%i] [4] [3] : tensor<?xf32> to tensor<4xf32>
  return %y : tensor<4xf32>
}

// Sizes that the types leave open agree.
// CHECK-LABEL: func.func @elementwise(
// CHECK-SAME:    %[[X:[^:]+]]: tensor<?x8xf32>, %[[Y:[^:]+]]: tensor<?x8xf32>)
// CHECK:         %[[DX:.+]] = tensor.dim %[[X]]
// CHECK:         %[[DY:.+]] = tensor.dim %[[Y]]
// CHECK:         call @weft_check_equal(%[[DX]], %[[DY]],
// CHECK-NEXT:    arith.addf
func.func @elementwise(%x: tensor<?x8xf32>, %y: tensor<?x8xf32>) -> tensor<?x8xf32> {
  %z = arith.addf %x, %y : tensor<?x8xf32>
  return %z : tensor<?x8xf32>
}

// The rows of a loop over chunks, none where it is empty; the body is static.
// CHECK-LABEL: func.func @rows(
// CHECK-SAME:    %[[X:[^:]+]]: tensor<?xf32>, %[[FROM:[^:]+]]: index, %[[TO:[^:]+]]: index
// CHECK:         %[[WAY:.+]] = arith.subi %[[TO]], %[[FROM]]
// CHECK:         %[[COUNT:.+]] = arith.maxsi %[[WAY]], %{{.+}}
// CHECK:         %[[DIM:.+]] = tensor.dim %[[X]]
// CHECK:         call @weft_check_range(%[[FROM]], %[[COUNT]], %[[DIM]],
// CHECK:         weft.chunked
// CHECK-NOT:     weft_check
// CHECK:         return
func.func @rows(%x: tensor<?xf32>, %from: index, %to: index, %s0: tensor<f32>) -> tensor<f32> {
  %s = weft.chunked rows %from to %to by 4 slices(%x : tensor<?xf32>) carries(%s0 : tensor<f32>) as [#weft.sum] {
  ^chunk(%n: index, %lo: index, %hi: index, %xc: tensor<4xf32>, %sc: tensor<f32>):
    %all = weft.sum %xc over 0 : tensor<4xf32> -> tensor<f32>
    %e = weft.sum_element %all : tensor<f32>
    weft.next carry(%e : !weft.element<#weft.sum>)
  }
  return %s : tensor<f32>
}

// Placements, where they happen; rows by index go where the index says.
// CHECK-LABEL: func.func @places(
// CHECK-SAME:    %[[X:[^:]+]]: tensor<?x8xf32>, %[[P:[^:]+]]: index, %[[C:[^:]+]]: i1, %[[A:[^:]+]]: tensor<?x?x8xf32>, %[[B:[^:]+]]: tensor<?x8xf32>
// CHECK:         weft.kernel
// CHECK:           scf.if %[[C]]
// CHECK:             call @weft_check_range(%[[P]],
// CHECK:             call @weft_check_equal(
// CHECK:           }
// CHECK-NOT:       weft_check
// CHECK:           weft.place
func.func @places(%x: tensor<?x8xf32>, %p: index, %c: i1, %a: tensor<?x?x8xf32>, %b: tensor<?x8xf32>, %r: tensor<?xi32>)
    -> (tensor<?x?x8xf32>, tensor<?x8xf32>) {
  %c0 = arith.constant 0 : index
  %ra, %rb = weft.kernel @places programs() outs(%a, %b : tensor<?x?x8xf32>, tensor<?x8xf32>) {
    weft.place %x into [%p, *, *] if %c, %x into [*, *] rows(%r live %c0 to %p : tensor<?xi32>) : tensor<?x8xf32>, tensor<?x8xf32>
  }
  return %ra, %rb : tensor<?x?x8xf32>, tensor<?x8xf32>
}

// A part of memory is checked as a slice is.
// CHECK-LABEL: func.func @views(
// CHECK-SAME:    %[[X:[^:]+]]: memref<?x8xf32>, %[[P:[^:]+]]: index
// CHECK:         %[[SIZE:.+]] = memref.dim %[[X]], %{{.+}}
// CHECK:         call @weft_check_range(%[[P]], %{{.+}}, %[[SIZE]],
// CHECK:         memref.subview
func.func @views(%x: memref<?x8xf32>, %p: index) -> memref<8xf32, strided<[1], offset: ?>> {
  %row = memref.subview %x[%p, 0] [1, 8] [1, 1] : memref<?x8xf32> to memref<8xf32, strided<[1], offset: ?>>
  return %row : memref<8xf32, strided<[1], offset: ?>>
}

// What types prove is not checked.
// CHECK-LABEL: func.func @proven(
// CHECK-NOT:     weft_check
// CHECK:         return
func.func @proven(%x: tensor<16x8xf32>, %y: tensor<16x8xf32>) -> tensor<4x8xf32> {
  %z = arith.addf %x, %y : tensor<16x8xf32>
  %s = tensor.extract_slice %z[12, 0] [4, 8] [1, 1] : tensor<16x8xf32> to tensor<4x8xf32>
  return %s : tensor<4x8xf32>
}

// CHECK: llvm.mlir.global internal constant @weft_site("dim 0 of 'tensor.extract_slice' at {{.*}}weft-check-bounds.mlir:{{[0-9]+}}:8\00")
