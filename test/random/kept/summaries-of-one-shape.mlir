// Two carries whose summaries have one shape: stacks of summaries once shared a buffer.

// RUN: weft-run %s --pipeline="weft-instantiate{in=f64}" --size=T=57 --output=%t.npz
// RUN: weft-run %s --pipeline="weft-instantiate{in=f64},weft-segment{segments=8}" --size=T=57 --expect=%t.npz | FileCheck %s

// CHECK-NOT: FAIL
// CHECK: compare y: pass
// CHECK: compare s: pass
// CHECK: compare t: pass

func.func @both(%x: tensor<?x2xf32> {weft.name = "x", weft.dims = ["T", ""]},
                %u: tensor<?x2xf32> {weft.name = "u", weft.dims = ["T", ""]},
                %s0: tensor<2xf32> {weft.name = "s0"}, %t0: tensor<2xf32> {weft.name = "t0"})
    -> (tensor<?x2xf32> {weft.name = "y"}, tensor<2xf32> {weft.name = "s"}, tensor<2xf32> {weft.name = "t"}) {
  %c0 = arith.constant 0 : index
  %T = tensor.dim %x, %c0 : tensor<?x2xf32>
  %init = tensor.empty(%T) : tensor<?x2xf32>
  %y, %s, %t = weft.chunked rows %c0 to %T by 8 slices(%x, %u : tensor<?x2xf32>, tensor<?x2xf32>)
      carries(%s0, %t0 : tensor<2xf32>, tensor<2xf32>) as [#weft.sum, #weft.sum] outs(%init : tensor<?x2xf32>) {
  ^chunk(%n: index, %lo: index, %hi: index, %xc: tensor<8x2xf32>, %uc: tensor<8x2xf32>, %sc: tensor<2xf32>,
         %tc: tensor<2xf32>):
    %sx = weft.sum %xc over 0 : tensor<8x2xf32> -> tensor<2xf32>
    %su = weft.sum %uc over 0 : tensor<8x2xf32> -> tensor<2xf32>
    %product = arith.mulf %sc, %tc : tensor<2xf32>
    %yc = weft.broadcast %product to [1] : tensor<2xf32> -> tensor<8x2xf32>
    %es = weft.sum_element %sx : tensor<2xf32>
    %et = weft.sum_element %su : tensor<2xf32>
    weft.next out(%yc : tensor<8x2xf32>) carry(%es, %et : !weft.element<#weft.sum>, !weft.element<#weft.sum>)
  }
  return %y, %s, %t : tensor<?x2xf32>, tensor<2xf32>, tensor<2xf32>
}
