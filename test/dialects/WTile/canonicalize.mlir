// RUN: weft-opt %s --canonicalize --cse --loop-invariant-code-motion --split-input-file | FileCheck %s

// What upstream may do to programs of tiles, which follows from the ops' effects.

// Pure ops, reads and buffers that nobody uses are gone; what writes, and what orders, stays.
// CHECK-LABEL: func.func @unused
// CHECK-NEXT: wtile.alloc
// CHECK-NEXT: wtile.store %{{.*}}, %{{.*}} :
// CHECK-NEXT: wtile.scatter
// CHECK-NEXT: wtile.copy_async
// CHECK-NEXT: wtile.copy_wait
// CHECK-NEXT: wtile.barrier
// CHECK-NEXT: wtile.store_shared
// CHECK-NEXT: return
func.func @unused(%x: memref<?x16xf32>, %y: memref<16x16xf32>, %t: tensor<16x16xf32>, %rows: tensor<16xi32>, %i: index) {
  %0 = wtile.alloc : !wtile.shared<16x16xf32>
  %1 = wtile.alloc : !wtile.shared<2x16x16xf32>
  %2 = wtile.stage %1[%i] : !wtile.shared<2x16x16xf32> -> !wtile.shared<16x16xf32>
  %3 = wtile.subview %2 [0, 0] : !wtile.shared<16x16xf32> -> !wtile.shared<8x8xf32>
  %4 = wtile.load %x[%i] live(%i, %i) : memref<?x16xf32> -> tensor<16x16xf32>
  %5 = wtile.gather %x[%rows] : memref<?x16xf32>, tensor<16xi32> -> tensor<16x16xf32>
  %6 = wtile.load_shared %3 : !wtile.shared<8x8xf32> -> tensor<8x8xf32>
  %7 = wtile.coordinate 0 : tensor<16x16xi32>
  %8 = wtile.transpose %t : tensor<16x16xf32> -> tensor<16x16xf32>
  %9 = wtile.mma %t, %8, %t over [1, 0] : tensor<16x16xf32>, tensor<16x16xf32>, tensor<16x16xf32>
  %10 = wtile.reduce (%t : tensor<16x16xf32>) over 0 -> (tensor<16xf32>) {
  ^combine(%a: f32, %b: f32):
    wtile.yield %a : f32
  }
  %11, %12 = wtile.factor_block %t : tensor<16x16xf32>
  wtile.store %t, %y : tensor<16x16xf32>, memref<16x16xf32>
  wtile.scatter %t, %x[%rows] live(%i, %i) : tensor<16x16xf32>, memref<?x16xf32>, tensor<16xi32>
  wtile.copy_async %x[%i] live(%i, %i) to %0 : memref<?x16xf32> to !wtile.shared<16x16xf32>
  wtile.copy_wait
  wtile.barrier
  wtile.store_shared %t, %0 : tensor<16x16xf32>, !wtile.shared<16x16xf32>
  return
}

// -----

// Equal pure ops are one, buffers are not: each alloc is memory of its own.
// CHECK-LABEL: func.func @equal
// CHECK-COUNT-2: wtile.alloc
// CHECK: wtile.transpose
// CHECK-NOT: wtile.transpose
// CHECK: return
func.func @equal(%t: tensor<16x8xf32>) -> (tensor<8x16xf32>, tensor<8x16xf32>) {
  %0 = wtile.alloc : !wtile.shared<16x8xf32>
  %1 = wtile.alloc : !wtile.shared<16x8xf32>
  wtile.store_shared %t, %0 : tensor<16x8xf32>, !wtile.shared<16x8xf32>
  wtile.store_shared %t, %1 : tensor<16x8xf32>, !wtile.shared<16x8xf32>
  %2 = wtile.transpose %t : tensor<16x8xf32> -> tensor<8x16xf32>
  %3 = wtile.transpose %t : tensor<16x8xf32> -> tensor<8x16xf32>
  return %2, %3 : tensor<8x16xf32>, tensor<8x16xf32>
}

// -----

// Reads are one where nothing between them writes: here a store, a barrier and an asynchronous copy's wait do.
// CHECK-LABEL: func.func @reads
// CHECK: %[[FIRST:.+]] = wtile.load_shared
// CHECK-NOT: wtile.load_shared
// CHECK: wtile.store_shared %[[FIRST]], %[[OTHER:.+]] :
// CHECK: %[[SECOND:.+]] = wtile.load_shared
// CHECK: wtile.barrier
// CHECK: %[[THIRD:.+]] = wtile.load_shared
// CHECK: wtile.copy_wait
// CHECK: %[[FOURTH:.+]] = wtile.load_shared
// CHECK: return %[[FIRST]], %[[FIRST]], %[[SECOND]], %[[THIRD]], %[[FOURTH]]
func.func @reads(%b: !wtile.shared<16xf32>, %other: !wtile.shared<16xf32>)
    -> (tensor<16xf32>, tensor<16xf32>, tensor<16xf32>, tensor<16xf32>, tensor<16xf32>) {
  %0 = wtile.load_shared %b : !wtile.shared<16xf32> -> tensor<16xf32>
  %1 = wtile.load_shared %b : !wtile.shared<16xf32> -> tensor<16xf32>
  wtile.store_shared %0, %other : tensor<16xf32>, !wtile.shared<16xf32>
  %2 = wtile.load_shared %b : !wtile.shared<16xf32> -> tensor<16xf32>
  wtile.barrier
  %3 = wtile.load_shared %b : !wtile.shared<16xf32> -> tensor<16xf32>
  wtile.copy_wait
  %4 = wtile.load_shared %b : !wtile.shared<16xf32> -> tensor<16xf32>
  return %0, %1, %2, %3, %4 : tensor<16xf32>, tensor<16xf32>, tensor<16xf32>, tensor<16xf32>, tensor<16xf32>
}

// -----

// Pure ops leave a loop, reads of memory do not.
// CHECK-LABEL: func.func @loop
// CHECK: wtile.broadcast
// CHECK: scf.for
// CHECK-NOT: wtile.broadcast
// CHECK: wtile.load %
func.func @loop(%x: memref<16x16xf32>, %v: tensor<16xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %n step %c1 {
    %0 = wtile.broadcast %v to [0] : tensor<16xf32> -> tensor<16x16xf32>
    %1 = wtile.load %x : memref<16x16xf32> -> tensor<16x16xf32>
    %2 = arith.addf %0, %1 : tensor<16x16xf32>
    wtile.store %2, %x : tensor<16x16xf32>, memref<16x16xf32>
  }
  return
}

// -----

// A kernel that nobody launches stays, and so does a launch whose results nobody reads.
// CHECK: wtile.kernel @unused
wtile.kernel @unused axes 0 {
}
// CHECK: wtile.kernel @fill
wtile.kernel @fill axes 0 {
^program(%x: memref<4xf32>):
}
// CHECK: wtile.launch @fill
func.func @launch(%x: tensor<4xf32>) {
  %y = wtile.launch @fill programs() outs(%x : tensor<4xf32>)
  return
}
