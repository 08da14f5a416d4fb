// The runtime on a real GPU, by a kernel whose result is known exactly.
// REQUIRES: gpu, ptxas
// RUN: rm -rf %t && mkdir %t
// RUN: weft-cc %s --target=sm_80 --emit=manifest --code=ptx -o %t/ptx.json
// RUN: %python %S/scale_on_gpu.py %t/ptx.json | FileCheck %s
// CHECK: {{^}}all passed

// y[t, h, :] = factor x[t, h, :] for any strides; a block is one (t, h), a thread one element.
func.func @scale(
    %x: tensor<?x?x64xf32> {weft.name = "x", weft.dims = ["T", "H", ""]}, %factor: f32 {weft.name = "factor"})
    -> (tensor<?x?x64xf32> {weft.name = "y"}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %T = tensor.dim %x, %c0 : tensor<?x?x64xf32>
  %H = tensor.dim %x, %c1 : tensor<?x?x64xf32>
  %init = tensor.empty(%T, %H) : tensor<?x?x64xf32>
  %y = wtile.launch @kernels::@scale programs(%T, %H) ins(%x, %factor : tensor<?x?x64xf32>, f32)
      outs(%init : tensor<?x?x64xf32>)
  return %y : tensor<?x?x64xf32>
}

gpu.module @kernels {
  llvm.func @scale(%x: !llvm.ptr<1>, %T: i64, %H: i64, %xT: i64, %xH: i64, %factor: f32,
                   %y: !llvm.ptr<1>, %Ty: i64, %Hy: i64, %yT: i64, %yH: i64, %programsT: i64, %programsH: i64)
      attributes {gpu.kernel, nvvm.kernel, nvvm.reqntid = array<i32: 64>, wtile.shared_bytes = 0 : i64} {
    %thread = nvvm.read.ptx.sreg.tid.x : i32
    %block = nvvm.read.ptx.sreg.ctaid.x : i32
    %k = arith.extui %thread : i32 to i64
    %b = arith.extui %block : i32 to i64
    %t = arith.divui %b, %programsH : i64
    %h = arith.remui %b, %programsH : i64
    %xt = arith.muli %t, %xT : i64
    %xh = arith.muli %h, %xH : i64
    %x0 = arith.addi %xt, %xh : i64
    %xi = arith.addi %x0, %k : i64
    %from = llvm.getelementptr %x[%xi] : (!llvm.ptr<1>, i64) -> !llvm.ptr<1>, f32
    %v = llvm.load %from {alignment = 4 : i64} : !llvm.ptr<1> -> f32
    %w = arith.mulf %v, %factor : f32
    %yt = arith.muli %t, %yT : i64
    %yh = arith.muli %h, %yH : i64
    %y0 = arith.addi %yt, %yh : i64
    %yi = arith.addi %y0, %k : i64
    %to = llvm.getelementptr %y[%yi] : (!llvm.ptr<1>, i64) -> !llvm.ptr<1>, f32
    llvm.store %w, %to {alignment = 4 : i64} : f32, !llvm.ptr<1>
    llvm.return
  }
}
