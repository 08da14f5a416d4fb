// Part of Scanweft, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// RUN: %weft_opt_both %s --pass-pipeline="builtin.module(weft-fuse)" | FileCheck %s
// RUN: weft-opt %s --weft-fuse --weft-verify-algebra -o /dev/null
// RUN: weft-opt %s --weft-fuse --remarks-filter="weft-fuse" --remark-policy=all --remark-format=emitRemark -o /dev/null 2>&1 \
// RUN:   | FileCheck %s --check-prefix=REMARK

// Producers up to the arguments and consumers down to the results are one launch. The parameter has no
// time axis: it is copied, and nothing is left outside.
// REMARK: weft-fuse.mlir:[[#@LINE+12]]:{{.*}} [Passed] Fused | Category:weft-fuse | Remark="'math.exp' copied into @one_launch"
// REMARK: [Passed] {{.*}}"'weft.broadcast' fused into @one_launch"
// REMARK: [Passed] {{.*}}"'arith.mulf' fused into @one_launch"
// REMARK: [Passed] {{.*}}"'weft.softmax' fused into @one_launch"
// REMARK: [Passed] {{.*}}"'weft.affine_scan' fused into, and stored by, @one_launch"
// REMARK: [Passed] {{.*}}"'math.exp' fused into @one_launch"
// REMARK: [Passed] {{.*}}"'arith.mulf' fused into, and stored by, @one_launch"
// REMARK-NOT: Missed
// CHECK-LABEL: func.func @one_launch(
// CHECK-SAME:    %[[Q:[^:]+]]: {{[^,]+}}, %[[K:[^:]+]]: {{[^,]+}}, %[[V:[^:]+]]: {{[^,]+}}, %[[GATE:[^:]+]]: {{[^,]+}}, %[[MU:[^:]+]]: {{[^)]+}})
func.func @one_launch(%q: tensor<?x?x?x8xf32>, %k: tensor<?x?x?x8xf32>, %v: tensor<?x?x?x4xf32>, %gate: tensor<?x?x?x4xf32>,
                      %mu: tensor<?x8xf32>) -> (tensor<?x?x?x4xf32>, tensor<?x?x8x4xf32>) {
  %s = math.exp %mu : tensor<?x8xf32>
  // CHECK-NEXT: %[[R:.+]]:2 = weft.group @one_launch -> tensor<?x?x8x4xf32>, tensor<?x?x?x4xf32> {
  // CHECK-NEXT:   %[[S:.+]] = math.exp %[[MU]]
  // CHECK-NEXT:   %[[B:.+]] = weft.broadcast %[[S]] to [2, 3] like(%[[K]]
  // CHECK-NEXT:   %[[M:.+]] = arith.mulf %[[K]], %[[B]]
  // CHECK-NEXT:   %[[F:.+]] = weft.softmax %[[M]]
  // CHECK-NEXT:   %[[O:.+]], %[[FINAL:.+]] = weft.affine_scan over 1
  // CHECK-NEXT:     write(%[[F]], %[[V]]
  // CHECK:        %[[E:.+]] = math.exp %[[GATE]]
  // CHECK-NEXT:   %[[Y:.+]] = arith.mulf %[[O]], %[[E]]
  // CHECK-NEXT:   weft.yield %[[FINAL]], %[[Y]]
  // CHECK:      return %[[R]]#1, %[[R]]#0
  %b = weft.broadcast %s to [2, 3] like(%k : tensor<?x?x?x8xf32>) : tensor<?x8xf32> -> tensor<?x?x?x8xf32>
  %m = arith.mulf %k, %b : tensor<?x?x?x8xf32>
  %f = weft.softmax %m over 3 : tensor<?x?x?x8xf32> -> tensor<?x?x?x8xf32>
  %o, %final = weft.affine_scan over 1 write(%f, %v : tensor<?x?x?x8xf32>, tensor<?x?x?x4xf32>)
      read(%q : tensor<?x?x?x8xf32>) -> tensor<?x?x?x4xf32>, tensor<?x?x8x4xf32>
  %e = math.exp %gate : tensor<?x?x?x4xf32>
  %y = arith.mulf %o, %e : tensor<?x?x?x4xf32>
  return %y, %final : tensor<?x?x?x4xf32>, tensor<?x?x8x4xf32>
}

// A producer that is also read outside is stored too; a parameter that is also read outside stays there as
// well; what is made of a final state alone belongs to the launch.
// REMARK: [Passed] {{.*}}"'math.exp' copied into @stored"
// REMARK: [Passed] {{.*}}"'arith.mulf' fused into, and stored by, @stored"
// REMARK: [Passed] {{.*}}"'weft.prefix_sum' fused into, and stored by, @stored"
// REMARK: [Passed] {{.*}}"'math.log' fused into, and stored by, @stored"
// REMARK-NOT: Missed
// CHECK-LABEL: func.func @stored(
func.func @stored(%x: tensor<?x?x?x8xf32>, %mu: tensor<?x8xf32>)
    -> (tensor<?x?x?x8xf32>, tensor<?x?x?x8xf32>, tensor<?x?x8xf32>, tensor<?x8xf32>) {
  // CHECK:      %[[OUTSIDE:.+]] = math.exp
  // CHECK-NEXT: %[[R:.+]]:3 = weft.group @stored
  // CHECK:        math.exp
  // CHECK:        %[[M:.+]] = arith.mulf
  // CHECK:        %[[Y:.+]], %[[ALL:.+]] = weft.prefix_sum %[[M]]
  // CHECK:        %[[L:.+]] = math.log %[[ALL]] : tensor<?x?x8xf32>
  // CHECK:        weft.yield %[[M]], %[[Y]], %[[L]]
  // CHECK:      return %[[R]]#1, %[[R]]#0, %[[R]]#2, %[[OUTSIDE]]
  %s = math.exp %mu : tensor<?x8xf32>
  %b = weft.broadcast %s to [2, 3] like(%x : tensor<?x?x?x8xf32>) : tensor<?x8xf32> -> tensor<?x?x?x8xf32>
  %m = arith.mulf %x, %b : tensor<?x?x?x8xf32>
  %y, %all = weft.prefix_sum %m over 1 : tensor<?x?x?x8xf32> -> tensor<?x?x?x8xf32>, tensor<?x?x8xf32>
  %l = math.log %all : tensor<?x?x8xf32>
  return %y, %m, %l, %s : tensor<?x?x?x8xf32>, tensor<?x?x?x8xf32>, tensor<?x?x8xf32>, tensor<?x8xf32>
}

// Scans of one direction join, also where one reads the other; the scan the other way is a launch of its
// own, and takes what it shares with the first from memory.
// REMARK: weft-fuse.mlir:[[#@LINE+21]]:{{.*}} [Missed] NotFused | Category:weft-fuse | Reason="directions differ", Remark="'weft.affine_scan' not fused with 'weft.prefix_sum'"
// REMARK: weft-fuse.mlir:[[#@LINE+20]]:{{.*}} [Missed] {{.*}}Reason="directions differ", Remark="'weft.affine_scan' not fused with 'math.exp'"
// REMARK: weft-fuse.mlir:[[#@LINE+21]]:{{.*}} [Missed] {{.*}}Reason="directions differ", Remark="'arith.addf' not fused with 'weft.affine_scan'"
// REMARK: [Passed] {{.*}}"'math.exp' fused into, and stored by, @both_ways_0"
// CHECK-LABEL: func.func @both_ways(
// CHECK:         %[[FORTH:.+]]:2 = weft.group @both_ways_0
// CHECK:           %[[E:.+]] = math.exp
// CHECK:           %[[P:.+]] = weft.prefix_sum %[[E]]
// CHECK:           weft.affine_scan over 1
// CHECK-NEXT:        write(%[[P]],
// CHECK:         %[[BACK:.+]] = weft.group @both_ways_1
// CHECK:           %[[O:.+]] = weft.affine_scan over 1 reverse
// CHECK-NEXT:        write(%[[FORTH]]#0,
// CHECK:           %[[SUM:.+]] = arith.addf %[[FORTH]]#1, %[[O]]
// CHECK:           weft.yield %[[SUM]]
// CHECK:         return %[[BACK]]
func.func @both_ways(%x: tensor<?x?x?x8xf32>) -> tensor<?x?x?x8xf32> {
  %e = math.exp %x : tensor<?x?x?x8xf32>
  %p = weft.prefix_sum %e over 1 : tensor<?x?x?x8xf32> -> tensor<?x?x?x8xf32>
  %f = weft.affine_scan over 1 write(%p, %x : tensor<?x?x?x8xf32>, tensor<?x?x?x8xf32>)
      read(%x : tensor<?x?x?x8xf32>) -> tensor<?x?x?x8xf32>
  %r = weft.affine_scan over 1 reverse write(%e, %x : tensor<?x?x?x8xf32>, tensor<?x?x?x8xf32>)
      read(%x : tensor<?x?x?x8xf32>) -> tensor<?x?x?x8xf32>
  %s = arith.addf %f, %r : tensor<?x?x?x8xf32>
  return %s : tensor<?x?x?x8xf32>
}

// What reads along time is no part of a launch, and what reads the total at every step needs a second one.
// REMARK: [Missed] {{.*}}Reason="'weft.max' acts along the time axis", Remark="'weft.max' not fused with 'weft.prefix_sum'"
// REMARK: [Missed] {{.*}}Reason="'weft.broadcast' reads a scan's final state, which is known after the last step only", Remark="'weft.broadcast' not fused with 'weft.prefix_sum'"
// REMARK: [Missed] {{.*}}Reason="{{.*}}", Remark="'arith.divf' not fused with 'weft.prefix_sum'"
// CHECK-LABEL: func.func @two_walks(
// CHECK:         %[[FIRST:.+]]:2 = weft.group @two_walks_0
// CHECK:         weft.max %[[FIRST]]#0 over 1
// CHECK:         weft.group @two_walks_1
// CHECK:           weft.broadcast %[[FIRST]]#1
// CHECK:           arith.divf %[[FIRST]]#0,
func.func @two_walks(%x: tensor<?x?x?x8xf32>) -> (tensor<?x?x8xf32>, tensor<?x?x?x8xf32>) {
  %y, %all = weft.prefix_sum %x over 1 : tensor<?x?x?x8xf32> -> tensor<?x?x?x8xf32>, tensor<?x?x8xf32>
  %m = weft.max %y over 1 : tensor<?x?x?x8xf32> -> tensor<?x?x8xf32>
  %b = weft.broadcast %all to [0, 2, 3] like(%y : tensor<?x?x?x8xf32>) : tensor<?x?x8xf32> -> tensor<?x?x?x8xf32>
  %d = arith.divf %y, %b : tensor<?x?x?x8xf32>
  return %m, %d : tensor<?x?x8xf32>, tensor<?x?x?x8xf32>
}

// Lengths that are not known to agree, chunk sizes that differ.
// REMARK: [Missed] {{.*}}Reason="chunk sizes differ, 16 and 32", Remark="'weft.prefix_sum' not fused with 'weft.prefix_sum'"
// CHECK-LABEL: func.func @apart(
// CHECK:         weft.group @apart_0
// CHECK:         weft.group @apart_1
// CHECK:         weft.group @apart_2
func.func @apart(%x: tensor<?x?x?x8xf32>, %y: tensor<?x?x?x8xf32>)
    -> (tensor<?x?x?x8xf32>, tensor<?x?x?x8xf32>, tensor<?x?x?x8xf32>) {
  %a = weft.prefix_sum %x over 1 chunk 16 : tensor<?x?x?x8xf32> -> tensor<?x?x?x8xf32>
  %b = weft.prefix_sum %a over 1 chunk 32 : tensor<?x?x?x8xf32> -> tensor<?x?x?x8xf32>
  %c = weft.prefix_sum %y over 1 : tensor<?x?x?x8xf32> -> tensor<?x?x?x8xf32>
  return %a, %b, %c : tensor<?x?x?x8xf32>, tensor<?x?x?x8xf32>, tensor<?x?x?x8xf32>
}

// A group written by the author is left alone, and is told.
// REMARK: [Missed] {{.*}}Reason="'weft.group' has a region", Remark="'math.exp' not fused with 'weft.group'"
// CHECK-LABEL: func.func @authors_group(
// CHECK:         weft.group @authors_group -> 
// CHECK:         weft.group @authors_group_0
// CHECK:           math.exp
func.func @authors_group(%x: tensor<?x?x?x8xf32>) -> tensor<?x?x?x8xf32> {
  %y = weft.group @authors_group -> tensor<?x?x?x8xf32> {
    %p = weft.prefix_sum %x over 1 : tensor<?x?x?x8xf32> -> tensor<?x?x?x8xf32>
    weft.yield %p : tensor<?x?x?x8xf32>
  }
  %e = math.exp %y : tensor<?x?x?x8xf32>
  return %e : tensor<?x?x?x8xf32>
}

// No scan and no token product: nothing says which axis is time, and nothing changes.
// CHECK-LABEL: func.func @no_tokens(
// CHECK-NEXT:    math.exp
// CHECK-NEXT:    return
func.func @no_tokens(%x: tensor<?x?x?x8xf32>) -> tensor<?x?x?x8xf32> {
  %e = math.exp %x : tensor<?x?x?x8xf32>
  return %e : tensor<?x?x?x8xf32>
}

// What nothing reads is part of no launch.
// CHECK-LABEL: func.func @dead(
// CHECK-NEXT:    weft.group @dead
// CHECK-NEXT:      weft.prefix_sum
// CHECK-NEXT:      weft.yield
func.func @dead(%x: tensor<?x?x?x8xf32>) -> tensor<?x?x?x8xf32> {
  %e = math.exp %x : tensor<?x?x?x8xf32>
  %f = weft.prefix_sum %e over 1 reverse : tensor<?x?x?x8xf32> -> tensor<?x?x?x8xf32>
  %y = weft.prefix_sum %x over 1 : tensor<?x?x?x8xf32> -> tensor<?x?x?x8xf32>
  return %y : tensor<?x?x?x8xf32>
}
