// Part of Scanweft, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// RUN: weft-opt %s --wtile-stack-states --split-input-file --verify-diagnostics

wtile.kernel @computed axes 0 {
^program(%to: index, %i: index, %m: memref<2x16x16xf32>, %x: memref<16x16xf32>, %long: memref<?x16x16xf32>, %levels: memref<16x4xf32>):
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %loaded = wtile.load %m : memref<2x16x16xf32> -> tensor<2x16x16xf32>
  %init = arith.addf %loaded, %loaded : tensor<2x16x16xf32>
  // expected-error @below {{'scf.for' op carries a stack of states that starts as a computed value: it starts from global memory or from one number}}
  %final = scf.for %n = %c0 to %to step %c1 iter_args(%stack = %init) -> (tensor<2x16x16xf32>) {
    %t = wtile.load %x : memref<16x16xf32> -> tensor<16x16xf32>
    %next = weft.fenwick_merge %stack, %t at %n level %c0 : tensor<2x16x16xf32>, tensor<16x16xf32>
    scf.yield %next : tensor<2x16x16xf32>
  }
}

// -----

wtile.kernel @several_numbers axes 0 {
^program(%to: index, %i: index, %m: memref<2x1x1xf32>, %x: memref<1x1xf32>, %long: memref<?x16x16xf32>, %levels: memref<16x4xf32>):
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %init = arith.constant dense<[[[0.0]], [[1.0]]]> : tensor<2x1x1xf32>
  // expected-error @below {{'scf.for' op carries a stack of states that starts as a computed value: it starts from global memory or from one number}}
  %final = scf.for %n = %c0 to %to step %c1 iter_args(%stack = %init) -> (tensor<2x1x1xf32>) {
    %t = wtile.load %x : memref<1x1xf32> -> tensor<1x1xf32>
    %next = weft.fenwick_merge %stack, %t at %n level %c0 : tensor<2x1x1xf32>, tensor<1x1xf32>
    scf.yield %next : tensor<2x1x1xf32>
  }
}

// -----

wtile.kernel @rows axes 0 {
^program(%to: index, %i: index, %m: memref<2x16x16xf32>, %x: memref<16x16xf32>, %long: memref<?x16x16xf32>, %levels: memref<16x4xf32>):
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %init = wtile.load %long[%i] live(%c0, %i) : memref<?x16x16xf32> -> tensor<2x16x16xf32>
  // expected-error @below {{'scf.for' op carries a stack of states that starts as rows of a longer tensor: it starts as a whole one}}
  %final = scf.for %n = %c0 to %to step %c1 iter_args(%stack = %init) -> (tensor<2x16x16xf32>) {
    %t = wtile.load %x : memref<16x16xf32> -> tensor<16x16xf32>
    %next = weft.fenwick_merge %stack, %t at %n level %c0 : tensor<2x16x16xf32>, tensor<16x16xf32>
    scf.yield %next : tensor<2x16x16xf32>
  }
}

// -----

wtile.kernel @final_computed axes 0 {
^program(%to: index, %i: index, %m: memref<2x16x16xf32>, %x: memref<16x16xf32>, %long: memref<?x16x16xf32>, %levels: memref<16x4xf32>):
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %init = arith.constant dense<0.0> : tensor<2x16x16xf32>
  %final = scf.for %n = %c0 to %to step %c1 iter_args(%stack = %init) -> (tensor<2x16x16xf32>) {
    %t = wtile.load %x : memref<16x16xf32> -> tensor<16x16xf32>
    %next = weft.fenwick_merge %stack, %t at %n level %c0 : tensor<2x16x16xf32>, tensor<16x16xf32>
    scf.yield %next : tensor<2x16x16xf32>
  }
  // expected-error @below {{'arith.addf' op uses the final state of a stack: it is stored whole}}
  %more = arith.addf %final, %final : tensor<2x16x16xf32>
  wtile.store %more, %m : tensor<2x16x16xf32>, memref<2x16x16xf32>
}

// -----

wtile.kernel @final_rows axes 0 {
^program(%to: index, %i: index, %m: memref<2x16x16xf32>, %x: memref<16x16xf32>, %long: memref<?x16x16xf32>, %levels: memref<16x4xf32>):
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %init = arith.constant dense<0.0> : tensor<2x16x16xf32>
  %final = scf.for %n = %c0 to %to step %c1 iter_args(%stack = %init) -> (tensor<2x16x16xf32>) {
    %t = wtile.load %x : memref<16x16xf32> -> tensor<16x16xf32>
    %next = weft.fenwick_merge %stack, %t at %n level %c0 : tensor<2x16x16xf32>, tensor<16x16xf32>
    scf.yield %next : tensor<2x16x16xf32>
  }
  // expected-error @below {{'wtile.store' op uses the final state of a stack: it is stored whole}}
  wtile.store %final, %long[%i] live(%c0, %i) : tensor<2x16x16xf32>, memref<?x16x16xf32>
}

// -----

wtile.kernel @unknown_update axes 0 {
^program(%to: index, %i: index, %m: memref<2x16x16xf32>, %x: memref<16x16xf32>, %long: memref<?x16x16xf32>, %levels: memref<16x4xf32>):
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %init = arith.constant dense<0.0> : tensor<2x16x16xf32>
  // expected-error @below {{'scf.for' op carries a stack of states that is updated in an unknown way: slots are decayed one by one}}
  %final = scf.for %n = %c0 to %to step %c1 iter_args(%stack = %init) -> (tensor<2x16x16xf32>) {
    %t = wtile.load %x : memref<16x16xf32> -> tensor<16x16xf32>
    %changed = arith.mulf %stack, %stack : tensor<2x16x16xf32>
    %next = weft.fenwick_merge %changed, %t at %n level %c0 : tensor<2x16x16xf32>, tensor<16x16xf32>
    scf.yield %next : tensor<2x16x16xf32>
  }
}

// -----

wtile.kernel @slot_by_number axes 0 {
^program(%to: index, %i: index, %m: memref<2x16x16xf32>, %x: memref<16x16xf32>, %long: memref<?x16x16xf32>, %levels: memref<16x4xf32>):
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %init = arith.constant dense<0.0> : tensor<2x16x16xf32>
  // expected-error @below {{'scf.for' op carries a stack of states that is updated in an unknown way: slots are decayed one by one}}
  %final = scf.for %n = %c0 to %to step %c1 iter_args(%stack = %init) -> (tensor<2x16x16xf32>) {
    %t = wtile.load %x : memref<16x16xf32> -> tensor<16x16xf32>
    %slot = tensor.extract_slice %stack[%n, 0, 0] [1, 16, 16] [1, 1, 1] : tensor<2x16x16xf32> to tensor<16x16xf32>
    %decayed = arith.mulf %t, %slot : tensor<16x16xf32>
    %changed = tensor.insert_slice %decayed into %stack[%n, 0, 0] [1, 16, 16] [1, 1, 1] : tensor<16x16xf32> into tensor<2x16x16xf32>
    %next = weft.fenwick_merge %changed, %t at %n level %c0 : tensor<2x16x16xf32>, tensor<16x16xf32>
    scf.yield %next : tensor<2x16x16xf32>
  }
}

// -----

wtile.kernel @blocks axes 0 {
^program(%to: index, %i: index, %m: memref<2x16x16xf32>, %x: memref<16x16xf32>, %long: memref<?x16x16xf32>, %levels: memref<16x4xf32>):
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %init = arith.constant dense<0.0> : tensor<2x16x16xf32>
  %final = scf.for %n = %c0 to %to step %c1 iter_args(%stack = %init) -> (tensor<2x16x16xf32>) {
    %t = wtile.load %x : memref<16x16xf32> -> tensor<16x16xf32>
    // expected-error @below {{'weft.fenwick_merge' op merges blocks of several chunks into a stack: on tiles a loop merges chunk by chunk}}
    %next = weft.fenwick_merge %stack, %t at %n level %c1 : tensor<2x16x16xf32>, tensor<16x16xf32>
    scf.yield %next : tensor<2x16x16xf32>
  }
}

// -----

wtile.kernel @unmerged axes 0 {
^program(%to: index, %i: index, %m: memref<2x16x16xf32>, %x: memref<16x16xf32>, %long: memref<?x16x16xf32>, %levels: memref<16x4xf32>):
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %init = arith.constant dense<0.0> : tensor<2x16x16xf32>
  // expected-error @below {{'scf.for' op carries a state of type 'tensor<2x16x16xf32>': on tiles a state is a vector, a matrix or a stack that is merged}}
  %final = scf.for %n = %c0 to %to step %c1 iter_args(%stack = %init) -> (tensor<2x16x16xf32>) {
    %t = wtile.load %x : memref<16x16xf32> -> tensor<16x16xf32>
    %next = arith.addf %stack, %stack : tensor<2x16x16xf32>
    scf.yield %next : tensor<2x16x16xf32>
  }
}

// -----

wtile.kernel @rank_four axes 0 {
^program(%to: index, %i: index, %m: memref<2x4x4x4xf32>, %x: memref<4x4x4xf32>, %long: memref<?x16x16xf32>, %levels: memref<16x4xf32>):
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %init = arith.constant dense<0.0> : tensor<2x4x4x4xf32>
  // expected-error @below {{'scf.for' op carries a state of type 'tensor<2x4x4x4xf32>': on tiles a slot is a matrix}}
  %final = scf.for %n = %c0 to %to step %c1 iter_args(%stack = %init) -> (tensor<2x4x4x4xf32>) {
    %t = wtile.load %x : memref<4x4x4xf32> -> tensor<4x4x4xf32>
    %next = weft.fenwick_merge %stack, %t at %n level %c0 : tensor<2x4x4x4xf32>, tensor<4x4x4xf32>
    scf.yield %next : tensor<2x4x4x4xf32>
  }
}
