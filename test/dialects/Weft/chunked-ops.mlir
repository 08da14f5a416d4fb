// RUN: weft-opt %s | weft-opt | FileCheck %s
// RUN: weft-opt %s --mlir-print-op-generic | weft-opt | FileCheck %s

// CHECK-LABEL: func @placements
func.func @placements(%x: tensor<16x8xf32>, %i: tensor<16xi64>, %y: tensor<8xf32>, %a0: tensor<?x?x?x8xf32>, %b0: tensor<8x?xf32>,
                      %c0: tensor<?xf32>, %B: index, %H: index) -> tensor<?x?x?x8xf32> {
  // CHECK: weft.kernel @k programs(%{{[a-z0-9_#]+}}, %{{[a-z0-9_#]+}}) outs(%{{[a-z0-9_#]+}}, %{{[a-z0-9_#]+}}, %{{[a-z0-9_#]+}} : tensor<?x?x?x8xf32>, tensor<8x?xf32>, tensor<?xf32>) {
  // CHECK-NEXT: ^bb0(%[[B:.*]]: index, %[[H:.*]]: index):
  %a, %b, %c = weft.kernel @k programs(%B, %H) outs(%a0, %b0, %c0 : tensor<?x?x?x8xf32>, tensor<8x?xf32>, tensor<?xf32>) {
  ^program(%b: index, %h: index):
    %first = arith.cmpi eq, %b, %h : index
    %z = arith.constant dense<0.0> : tensor<f32>
    // CHECK: weft.place %{{[a-z0-9_#]+}} into [%[[B]], *, %[[H]], *] rows(%{{[a-z0-9_#]+}} live %[[B]] to %[[H]] : tensor<16xi64>) if %{{[a-z0-9_#]+}},
    // CHECK-SAME: %{{[a-z0-9_#]+}} into [*, %[[B]]], %{{[a-z0-9_#]+}} into [%[[H]]] if %{{[a-z0-9_#]+}} : tensor<16x8xf32>, tensor<8xf32>, tensor<f32>
    weft.place %x into [%b, *, %h, *] rows(%i live %b to %h : tensor<16xi64>) if %first,
               %y into [*, %b],
               %z into [%h] if %first : tensor<16x8xf32>, tensor<8xf32>, tensor<f32>
  }
  return %a : tensor<?x?x?x8xf32>
}

// CHECK-LABEL: func @no_results
func.func @no_results() {
  // CHECK: weft.kernel @nothing programs() {
  // CHECK-NEXT: weft.place{{$}}
  weft.kernel @nothing programs() {
    weft.place
  }
  return
}

func.func private @then(%a1: f32, %b1: f32, %a2: f32, %b2: f32) -> (f32, f32) {
  %a = arith.mulf %a2, %a1 : f32
  %b = arith.addf %b1, %b2 : f32
  return %a, %b : f32, f32
}

// CHECK-LABEL: func @carries
func.func @carries(%x: tensor<?x8xbf16>, %p: tensor<?xi32>, %y0: tensor<?x8xbf16>, %s0: tensor<8xf32>, %h0: tensor<8x8xf32>, %H0: tensor<5x8x8xf32>,
                   %from: index, %to: index) -> tensor<?x8xbf16> {
  // CHECK: weft.chunked rows %{{[a-z0-9_#]+}} to %{{[a-z0-9_#]+}} by 16 slices(%{{[a-z0-9_#]+}}, %{{[a-z0-9_#]+}} : tensor<?x8xbf16>, tensor<?xi32>)
  // CHECK-SAME: carries(%{{[a-z0-9_#]+}}, %{{[a-z0-9_#]+}}, %{{[a-z0-9_#]+}}, %{{[a-z0-9_#]+}}, %{{[a-z0-9_#]+}} : tensor<8xf32>, tensor<8x8xf32>, tensor<5x8x8xf32>, tensor<8xf32>, tensor<8xf32>)
  // CHECK-SAME: as [#weft.sum, #weft.summary<#weft.sum of tensor<8x8xf32>>, #weft.fenwick<#weft.affine>, #weft.region<@then identity [1.000000e+00 : f32, 0.000000e+00 : f32]>]
  // CHECK-SAME: outs(%{{[a-z0-9_#]+}} : tensor<?x8xbf16>) {
  // CHECK-NEXT: ^bb0(%[[N:.*]]: index, %[[LO:.*]]: index, %[[HI:.*]]: index, %{{[a-z0-9_#]+}}: tensor<16x8xbf16>, %{{[a-z0-9_#]+}}: tensor<16xi32>, %{{[a-z0-9_#]+}}: tensor<8xf32>, %{{[a-z0-9_#]+}}: tensor<8x8xf32>, %{{[a-z0-9_#]+}}: tensor<5x8x8xf32>, %{{[a-z0-9_#]+}}: tensor<8xf32>, %{{[a-z0-9_#]+}}: tensor<8xf32>):
  %y, %s, %m, %H, %a, %b = weft.chunked rows %from to %to by 16 slices(%x, %p : tensor<?x8xbf16>, tensor<?xi32>)
      carries(%s0, %h0, %H0, %s0, %s0 : tensor<8xf32>, tensor<8x8xf32>, tensor<5x8x8xf32>, tensor<8xf32>, tensor<8xf32>)
      as [#weft.sum, #weft.summary<#weft.sum of tensor<8x8xf32>>, #weft.fenwick<#weft.affine>,
          #weft.region<@then identity [1.0 : f32, 0.0 : f32]>]
      outs(%y0 : tensor<?x8xbf16>) {
  ^chunk(%n: index, %lo: index, %hi: index, %xc: tensor<16x8xbf16>, %pc: tensor<16xi32>, %sc: tensor<8xf32>, %mc: tensor<8x8xf32>,
         %Hc: tensor<5x8x8xf32>, %ac: tensor<8xf32>, %bc: tensor<8xf32>):
    // CHECK: weft.chunk_size{{$}}
    %C = weft.chunk_size
    %xf = arith.extf %xc : tensor<16x8xbf16> to tensor<16x8xf32>
    %sum = weft.sum %xf over 0 : tensor<16x8xf32> -> tensor<8xf32>
    %gram = weft.dot %xc, %xc over [0, 0] numerics<in = bf16, acc = f32> : tensor<16x8xbf16>, tensor<16x8xbf16> -> tensor<8x8xf32>
    %e0 = weft.sum_element %sum : tensor<8xf32>
    %e1 = weft.sum_element %gram : tensor<8x8xf32>
    // CHECK: weft.affine_element decay(%{{[a-z0-9_#]+}} : tensor<8xf32>) term(write(%{{[a-z0-9_#]+}} : tensor<16x8xbf16>) erase(%{{[a-z0-9_#]+}} : tensor<16x8xf32>) value(%{{[a-z0-9_#]+}} : tensor<16x8xbf16>)) term(write(%{{[a-z0-9_#]+}} : tensor<16x8xf32>) value(%{{[a-z0-9_#]+}} : tensor<16x8xf32>)) term(write(%{{[a-z0-9_#]+}} : tensor<16x8xf32>) erase(%{{[a-z0-9_#]+}} : tensor<16x8xf32>)) numerics<in = bf16, acc = f32>
    %e2 = weft.affine_element decay(%sc : tensor<8xf32>)
        term(write(%xc : tensor<16x8xbf16>) erase(%xf : tensor<16x8xf32>) value(%xc : tensor<16x8xbf16>))
        term(write(%xf : tensor<16x8xf32>) value(%xf : tensor<16x8xf32>))
        term(write(%xf : tensor<16x8xf32>) erase(%xf : tensor<16x8xf32>)) numerics<in = bf16, acc = f32>
    %e3 = weft.region_element %sum, %sum : tensor<8xf32>, tensor<8xf32> -> !weft.element<#weft.region<@then identity [1.0 : f32, 0.0 : f32]>>
    // CHECK: weft.next out(%{{[a-z0-9_#]+}} : tensor<16x8xbf16>) carry(%{{[a-z0-9_#]+}}, %{{[a-z0-9_#]+}}, %{{[a-z0-9_#]+}}, %{{[a-z0-9_#]+}} : !weft.element<#weft.sum>, !weft.element<#weft.sum>, !weft.element<#weft.affine>, !weft.element<#weft.region<@then identity [1.000000e+00 : f32, 0.000000e+00 : f32]>>)
    weft.next out(%xc : tensor<16x8xbf16>)
        carry(%e0, %e1, %e2, %e3 : !weft.element<#weft.sum>, !weft.element<#weft.sum>, !weft.element<#weft.affine>,
              !weft.element<#weft.region<@then identity [1.0 : f32, 0.0 : f32]>>)
  }
  return %y : tensor<?x8xbf16>
}

// CHECK-LABEL: func @descending_gram_and_softmax
func.func @descending_gram_and_softmax(%u: tensor<?x8xf32>, %A0: tensor<8x8xf32>, %m0: tensor<4xf32>, %acc0: tensor<4x8xf32>, %q: tensor<4x8xf32>,
                                       %T: index) -> tensor<8x8xf32> {
  // CHECK: weft.chunked rows %{{[a-z0-9_#]+}} to %{{[a-z0-9_#]+}} by 16 descending slices(%{{[a-z0-9_#]+}} : tensor<?x8xf32>) carries(
  // CHECK-SAME: as [#weft.inverse_gram, #weft.online_softmax] {
  %A, %m, %l, %acc = weft.chunked rows %T to %T by 16 descending slices(%u : tensor<?x8xf32>)
      carries(%A0, %m0, %m0, %acc0 : tensor<8x8xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4x8xf32>)
      as [#weft.inverse_gram, #weft.online_softmax] {
  ^chunk(%n: index, %lo: index, %hi: index, %uc: tensor<16x8xf32>, %Ac: tensor<8x8xf32>, %mc: tensor<4xf32>, %lc: tensor<4xf32>, %accc: tensor<4x8xf32>):
    %s = weft.dot %q, %uc over [1, 1] numerics<in = f32, acc = f32> : tensor<4x8xf32>, tensor<16x8xf32> -> tensor<4x16xf32>
    // CHECK: weft.gram_element %{{[a-z0-9_#]+}} reverse numerics<in = tf32, acc = f32> : tensor<16x8xf32>
    %e0 = weft.gram_element %uc reverse numerics<in = tf32, acc = f32> : tensor<16x8xf32>
    // CHECK: weft.softmax_element %{{[a-z0-9_#]+}}, %{{[a-z0-9_#]+}} numerics<in = f32, acc = f32> : tensor<4x16xf32>, tensor<16x8xf32>
    %e1 = weft.softmax_element %s, %uc numerics<in = f32, acc = f32> : tensor<4x16xf32>, tensor<16x8xf32>
    // CHECK: weft.next carry(%{{[a-z0-9_#]+}}, %{{[a-z0-9_#]+}} : !weft.element<#weft.inverse_gram>, !weft.element<#weft.online_softmax>)
    weft.next carry(%e0, %e1 : !weft.element<#weft.inverse_gram>, !weft.element<#weft.online_softmax>)
  }
  return %A : tensor<8x8xf32>
}

// CHECK-LABEL: func @dense
func.func @dense(%x: tensor<8x4xf32>, %stack: tensor<5x8x8xf32>, %values: tensor<5x8x4xf32>, %block: index, %level: index) -> tensor<8x4xf32> {
  // CHECK: %[[ID:.*]]:2 = weft.identity #weft.affine -> tensor<8x8xf32>, tensor<8x4xf32>
  %f, %g = weft.identity #weft.affine -> tensor<8x8xf32>, tensor<8x4xf32>
  // CHECK: weft.exclusive_scan #weft.affine(%{{[a-z0-9_#]+}}, %{{[a-z0-9_#]+}} : tensor<5x8x8xf32>, tensor<5x8x4xf32>) numerics<in = f32, acc = f32>
  %p:2 = weft.exclusive_scan #weft.affine (%stack, %values : tensor<5x8x8xf32>, tensor<5x8x4xf32>) numerics<in = f32, acc = f32>
  // CHECK: weft.combine_all #weft.affine(%{{[a-z0-9_#]+}}, %{{[a-z0-9_#]+}} : tensor<5x8x8xf32>, tensor<5x8x4xf32>) numerics<in = f32, acc = f32> -> tensor<8x8xf32>, tensor<8x4xf32>
  %t:2 = weft.combine_all #weft.affine (%p#0, %p#1 : tensor<5x8x8xf32>, tensor<5x8x4xf32>) numerics<in = f32, acc = f32> -> tensor<8x8xf32>, tensor<8x4xf32>
  // CHECK: weft.combine #weft.affine later(%{{[a-z0-9_#]+}}, %{{[a-z0-9_#]+}} : tensor<8x8xf32>, tensor<8x4xf32>) earlier(%[[ID]]#0, %[[ID]]#1 : tensor<8x8xf32>, tensor<8x4xf32>) numerics<in = f32, acc = f32>
  %c:2 = weft.combine #weft.affine later(%t#0, %t#1 : tensor<8x8xf32>, tensor<8x4xf32>) earlier(%f, %g : tensor<8x8xf32>, tensor<8x4xf32>) numerics<in = f32, acc = f32>
  // CHECK: weft.act_dense #weft.affine element(%{{[a-z0-9_#]+}}, %{{[a-z0-9_#]+}} : tensor<8x8xf32>, tensor<8x4xf32>) on(%{{[a-z0-9_#]+}} : tensor<8x4xf32>) at %{{[a-z0-9_#]+}} level %{{[a-z0-9_#]+}} numerics<in = f32, acc = f32>
  %y = weft.act_dense #weft.affine element(%c#0, %c#1 : tensor<8x8xf32>, tensor<8x4xf32>) on(%x : tensor<8x4xf32>) at %block level %level numerics<in = f32, acc = f32>
  return %y : tensor<8x4xf32>
}
