// Part of Scanweft, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// RUN: %weft_opt_both %s --pass-pipeline="builtin.module(weft-chunk{chunk=16},canonicalize,cse)" | FileCheck %s
// RUN: not weft-opt %s --weft-chunk=chunk=24 2>&1 | FileCheck %s --check-prefix=SIZE

// SIZE: error: option 'chunk' of weft-chunk is 24: a chunk size is a power of two [A8]

// A decay per head after the read and before the write: the read is decayed by what comes before its
// step, the write by what comes before and at its step; it is read from the next step on.
// CHECK-LABEL: func.func @decayed(
// CHECK-SAME:    %[[Q:[^:]+]]: {{[^,]+}}, %[[K:[^:]+]]: {{[^,]+}}, %[[V:[^:]+]]: {{[^,]+}}, %[[G:[^:]+]]: {{[^,]+}}, %[[S0:[^:]+]]:
// CHECK-DAG:     %[[C0:.+]] = arith.constant 0 : index
// CHECK-DAG:     %[[LEAST:.+]] = arith.constant dense<-8.700000e+01> : tensor<16xf32>
// The programs are as many as the most heads of an operand.
// CHECK-COUNT-3: arith.maxui
// CHECK:         %[[HEADS:.+]] = arith.maxui
// CHECK:         weft.kernel @decayed programs(%{{.+}}, %[[HEADS]])
// CHECK:         ^bb0(%[[B:.+]]: index, %[[H:.+]]: index):
// CHECK:           %[[SCALED:.+]] = arith.muli %[[H]], %{{.+}} : index
// CHECK:           %[[HS:.+]] = arith.divui %[[SCALED]], %[[HEADS]] : index
// CHECK:           %[[START:.+]] = tensor.extract_slice %[[S0]][%[[B]], %[[HS]], 0, 0] [1, 1, 8, 4] {{.*}} to tensor<8x4xf32>
// CHECK:           weft.chunked rows %[[C0]] to %{{.+}} by 16 slices(
// CHECK-SAME:        carries(%[[START]] : tensor<8x4xf32>) as [#weft.affine]
// CHECK:           ^bb0(%{{.+}}: index, %[[LO:.+]]: index, %[[HI:.+]]: index, %[[QC:.+]]: tensor<16x8xf32>, %[[KC:.+]]: tensor<16x8xf32>, %[[VC:.+]]: tensor<16x4xf32>, %[[GC:.+]]: tensor<16xf32>, %[[STATE:.+]]: tensor<8x4xf32>):
// CHECK:             %[[CLAMPED:.+]] = arith.maximumf %[[GC]], %[[LEAST]]
// CHECK:             %[[R:.+]] = weft.cumsum %{{.+}} over 0 exclusive
// CHECK:             %[[W:.+]] = weft.cumsum %{{.+}} over 0 : tensor<16xf32>
// CHECK:             %[[END:.+]] = weft.sum %{{.+}} over 0
// CHECK:             %[[MASKED:.+]] = weft.tril %{{.+}} diagonal -1
// CHECK:             %[[FACTOR:.+]] = math.exp %[[MASKED]]
// CHECK:             %[[SCORES:.+]] = weft.dot %[[QC]], %{{.+}} over [1, 1] numerics<in = f32, acc = f32>
// CHECK:             %[[PRODUCT:.+]] = arith.mulf %[[SCORES]], %[[FACTOR]]
// CHECK:             %[[P:.+]] = weft.tril %[[PRODUCT]] diagonal -1
// CHECK:             weft.dot %[[P]],
// CHECK:             weft.dot %{{.+}}, %[[STATE]] over [1, 0]
// CHECK:             %[[D:.+]] = math.exp %[[END]] : tensor<f32>
// CHECK:             weft.affine_element decay(%[[D]] : tensor<f32>) term(write(
// CHECK:           weft.place %{{.+}}#0 into [%[[B]], *, %[[H]], *], %{{.+}}#1 into [%[[B]], %[[H]], *, *]
// CHECK-NOT:     weft.group
func.func @decayed(%q: tensor<?x?x?x8xf32>, %k: tensor<?x?x?x8xf32>, %v: tensor<?x?x?x4xf32>, %g: tensor<?x?x?xf32>,
                   %s0: tensor<?x?x8x4xf32>) -> (tensor<?x?x?x4xf32>, tensor<?x?x8x4xf32>) {
  %o, %s = weft.group @decayed -> tensor<?x?x?x4xf32>, tensor<?x?x8x4xf32> {
    %o, %s = weft.affine_scan over 1 read(%q : tensor<?x?x?x8xf32>) decay(%g in log : tensor<?x?x?xf32>)
        write(%k, %v : tensor<?x?x?x8xf32>, tensor<?x?x?x4xf32>) init(%s0 : tensor<?x?x8x4xf32>)
        -> tensor<?x?x?x4xf32>, tensor<?x?x8x4xf32>
    weft.yield %o, %s : tensor<?x?x?x4xf32>, tensor<?x?x8x4xf32>
  }
  return %o, %s : tensor<?x?x?x4xf32>, tensor<?x?x8x4xf32>
}

// Reverse, with a decay per key channel, a normaliser, products of bf16.
// CHECK-LABEL: func.func @per_channel(
// CHECK:           weft.chunked {{.*}} by 16 descending {{.*}} as [#weft.affine, #weft.affine]
// CHECK:             %[[R:.+]] = weft.cumsum %{{.+}} over 0 reverse : tensor<16x8xf32>
// CHECK:             %[[P:.+]] = weft.decayed_dot %{{.+}}, %{{.+}} decay(%[[R]], %[[R]] : tensor<16x8xf32>) reverse numerics<in = bf16, acc = f32>
// CHECK:             %[[SUMS:.+]] = weft.sum %[[P]] over 1
// CHECK:             arith.maximumf
// CHECK:             arith.truncf {{.*}} to tensor<16x4xbf16>
func.func @per_channel(%q: tensor<?x?x?x8xbf16>, %k: tensor<?x?x?x8xbf16>, %v: tensor<?x?x?x4xbf16>, %g: tensor<?x?x?x8xf32>)
    -> tensor<?x?x?x4xbf16> {
  %o = weft.group @per_channel -> tensor<?x?x?x4xbf16> {
    %o = weft.affine_scan over 1 reverse decay(%g in log : tensor<?x?x?x8xf32>)
        write(%k, %v : tensor<?x?x?x8xbf16>, tensor<?x?x?x4xbf16>) read(%q : tensor<?x?x?x8xbf16>)
        normalize(clamped 1.0e-6) -> tensor<?x?x?x4xbf16>
    weft.yield %o : tensor<?x?x?x4xbf16>
  }
  return %o : tensor<?x?x?x4xbf16>
}

// No decay: the state is a sum. What depends on weights alone is computed before the loop, once a program;
// what depends on the final state after it. A stored producer has the keys' heads: the first of the
// programs that share a head stores it.
// CHECK-LABEL: func.func @scopes(
// CHECK:         weft.kernel @scopes
// CHECK:         ^bb0(%[[B:.+]]: index, %[[H:.+]]: index):
// CHECK:           %[[W:.+]] = weft.softmax %{{.+}} over 1 : tensor<8x8xf32> -> tensor<8x8xf32>
// CHECK:           weft.chunked {{.*}} as [#weft.sum]
// CHECK-NOT:         weft.softmax
// CHECK:             %[[F:.+]] = weft.dot %{{.+}}, %[[W]] over [1, 0]
// CHECK:             %[[KEPT:.+]] = weft.keep_live %[[F]] over 0
// CHECK:             %[[ADDED:.+]] = weft.dot %[[KEPT]], %{{.+}} over [0, 0]
// CHECK:             weft.sum_element %[[ADDED]]
// CHECK:           %[[LOG:.+]] = math.log %{{.+}} : tensor<8x4xf32>
// CHECK:           %[[REST:.+]] = arith.remui
// CHECK:           %[[FIRST:.+]] = arith.cmpi eq, %[[REST]]
// CHECK:           weft.place %{{.+}} into [%[[B]], *, %{{.+}}, *] if %[[FIRST]],
// CHECK-SAME:        into [%[[B]], *, %[[H]], *], %[[LOG]] into [%[[B]], %[[H]], *, *]
func.func @scopes(%q: tensor<?x?x?x8xf32>, %k: tensor<?x?x?x8xf32>, %v: tensor<?x?x?x4xf32>, %w: tensor<?x8x8xf32>)
    -> (tensor<?x?x?x8xf32>, tensor<?x?x?x4xf32>, tensor<?x?x8x4xf32>) {
  %f, %o, %l = weft.group @scopes -> tensor<?x?x?x8xf32>, tensor<?x?x?x4xf32>, tensor<?x?x8x4xf32> {
    %p = weft.softmax %w over 2 : tensor<?x8x8xf32> -> tensor<?x8x8xf32>
    %f = weft.token_matmul %k, %p numerics<in = f32, acc = f32> : tensor<?x?x?x8xf32>, tensor<?x8x8xf32> -> tensor<?x?x?x8xf32>
    %o, %s = weft.affine_scan over 1 write(%f, %v : tensor<?x?x?x8xf32>, tensor<?x?x?x4xf32>) read(%q : tensor<?x?x?x8xf32>)
        -> tensor<?x?x?x4xf32>, tensor<?x?x8x4xf32>
    %l = math.log %s : tensor<?x?x8x4xf32>
    weft.yield %f, %o, %l : tensor<?x?x?x8xf32>, tensor<?x?x?x4xf32>, tensor<?x?x8x4xf32>
  }
  return %f, %o, %l : tensor<?x?x?x8xf32>, tensor<?x?x?x4xf32>, tensor<?x?x8x4xf32>
}

// A parameter repeated to every step is taken without its repetition, and repeated to rows.
// CHECK-LABEL: func.func @repeated(
// CHECK:         weft.kernel @repeated
// CHECK:           %[[E:.+]] = math.exp %{{.+}} : tensor<8xf32>
// CHECK:           weft.chunked
// CHECK:             %[[ROWS:.+]] = weft.broadcast %[[E]] to [1] : tensor<8xf32> -> tensor<16x8xf32>
// CHECK:             arith.mulf %{{.+}}, %[[ROWS]]
// CHECK:             weft.cumsum %{{.+}} over 0 exclusive : tensor<16x8xf32>
func.func @repeated(%x: tensor<?x?x?x8xf32>, %s: tensor<?x8xf32>) -> tensor<?x?x?x8xf32> {
  %y = weft.group @repeated -> tensor<?x?x?x8xf32> {
    %b = weft.broadcast %s to [2, 3] like(%x : tensor<?x?x?x8xf32>) : tensor<?x8xf32> -> tensor<?x?x?x8xf32>
    %e = math.exp %b : tensor<?x?x?x8xf32>
    %m = arith.mulf %x, %e : tensor<?x?x?x8xf32>
    %p = weft.prefix_sum %m over 1 exclusive : tensor<?x?x?x8xf32> -> tensor<?x?x?x8xf32>
    weft.yield %p : tensor<?x?x?x8xf32>
  }
  return %y : tensor<?x?x?x8xf32>
}

// The function of an associative scan becomes one by name; its rows are scanned, then joined to the state.
// CHECK-LABEL: func.func @running_pair(
// CHECK:           weft.chunked {{.*}} as [#weft.region<@pair_combine identity [1.000000e+00 : f32, 0.000000e+00 : f32]>]
// CHECK:             %[[SCANNED:.+]]:2, %[[TOTALS:.+]]:2 = weft.scan_rows(
// CHECK-SAME:          by @pair_combine identity [1.000000e+00 : f32, 0.000000e+00 : f32] from
// CHECK:             arith.mulf %{{.+}}, %[[SCANNED]]#0 : tensor<16x8xf32>
// CHECK:             weft.region_element %[[TOTALS]]#0, %[[TOTALS]]#1
func.func @running_pair(%a: tensor<?x?x?x8xf32>, %x: tensor<?x?x?x8xf32>) -> tensor<?x?x?x8xf32> {
  %y = weft.group @pair -> tensor<?x?x?x8xf32> {
    %d, %y = weft.associative_scan over 1 (%a, %x : tensor<?x?x?x8xf32>, tensor<?x?x?x8xf32>)
        identity [1.0 : f32, 0.0 : f32] -> (tensor<?x?x?x8xf32>, tensor<?x?x?x8xf32>) {
    ^combine(%a0: f32, %x0: f32, %a1: f32, %x1: f32):
      %a2 = arith.mulf %a0, %a1 : f32
      %carried = arith.mulf %x0, %a1 : f32
      %x2 = arith.addf %carried, %x1 : f32
      weft.yield %a2, %x2 : f32, f32
    }
    weft.yield %y : tensor<?x?x?x8xf32>
  }
  return %y : tensor<?x?x?x8xf32>
}

// Rows that are zero where they are dead need no mend: casts, products and maxima with what is not positive
// keep zero; softmax does not, nor does what is added from the program.
// CHECK-LABEL: func.func @dead_rows(
// CHECK:         weft.chunked
// CHECK:             %[[S:.+]] = weft.softmax
// CHECK:             %[[A:.+]] = arith.addf
// CHECK-NOT:         weft.keep_live
// CHECK:             weft.keep_live %[[S]] over 0
// CHECK-NOT:         weft.keep_live
// CHECK:             weft.keep_live %[[A]] over 0
// CHECK-NOT:         weft.keep_live
// CHECK:           weft.place
func.func @dead_rows(%x: tensor<?x?x?x8xbf16>, %g: tensor<?x?x?xf32>, %p: tensor<8xf32>)
    -> (tensor<?x?x?x8xf32>, tensor<?x?x?x8xf32>, tensor<?x?x?x8xf32>) {
  %a, %b, %c = weft.group @dead_rows -> tensor<?x?x?x8xf32>, tensor<?x?x?x8xf32>, tensor<?x?x?x8xf32> {
    %wide = arith.extf %x : tensor<?x?x?x8xbf16> to tensor<?x?x?x8xf32>
    %unit = weft.l2_normalize %wide over 3 eps 1.0e-6 : tensor<?x?x?x8xf32> -> tensor<?x?x?x8xf32>
    %square = arith.mulf %unit, %wide : tensor<?x?x?x8xf32>
    %s = weft.softmax %square over 3 : tensor<?x?x?x8xf32> -> tensor<?x?x?x8xf32>
    %moves = weft.broadcast %p to [3] like(%wide : tensor<?x?x?x8xf32>) : tensor<8xf32> -> tensor<?x?x?x8xf32>
    %moved = arith.addf %square, %moves : tensor<?x?x?x8xf32>
    %a = weft.affine_scan over 1 decay(%g in log : tensor<?x?x?xf32>) write(%square, %unit : tensor<?x?x?x8xf32>, tensor<?x?x?x8xf32>)
        read(%moved : tensor<?x?x?x8xf32>) -> tensor<?x?x?x8xf32>
    %b = weft.prefix_sum %s over 1 : tensor<?x?x?x8xf32> -> tensor<?x?x?x8xf32>
    %c = weft.prefix_sum %moved over 1 : tensor<?x?x?x8xf32> -> tensor<?x?x?x8xf32>
    weft.yield %a, %b, %c : tensor<?x?x?x8xf32>, tensor<?x?x?x8xf32>, tensor<?x?x?x8xf32>
  }
  return %a, %b, %c : tensor<?x?x?x8xf32>, tensor<?x?x?x8xf32>, tensor<?x?x?x8xf32>
}

// No group, no kernel.
// CHECK-LABEL: func.func @no_group(
// CHECK-NEXT:    weft.prefix_sum
func.func @no_group(%x: tensor<?x?x?x8xf32>) -> tensor<?x?x?x8xf32> {
  %y = weft.prefix_sum %x over 1 : tensor<?x?x?x8xf32> -> tensor<?x?x?x8xf32>
  return %y : tensor<?x?x?x8xf32>
}

// The outlined function stands at the end of the module.
// CHECK: func.func private @pair_combine(%{{.+}}: f32, %{{.+}}: f32, %{{.+}}: f32, %{{.+}}: f32) -> (f32, f32)
