// Host functions of which a manifest cannot be made.
// RUN: split-file %s %t
// RUN: not weft-cc %t/argument.mlir --target=sm_80 --emit=manifest --code=ptx 2>&1 | FileCheck %s --check-prefix=ARGUMENT
// RUN: not weft-cc %t/returned.mlir --target=sm_80 --emit=manifest --code=ptx 2>&1 | FileCheck %s --check-prefix=RETURNED
// RUN: not weft-cc %t/twice.mlir --target=sm_80 --emit=manifest --code=ptx 2>&1 | FileCheck %s --check-prefix=TWICE
// RUN: not weft-cc %t/shared.mlir --target=sm_80 --emit=manifest --code=ptx 2>&1 | FileCheck %s --check-prefix=SHARED
// RUN: not weft-cc %t/size.mlir --target=sm_80 --emit=manifest --code=ptx 2>&1 | FileCheck %s --check-prefix=SIZE
// RUN: not weft-cc %t/computed.mlir --target=sm_80 --emit=manifest --code=ptx 2>&1 | FileCheck %s --check-prefix=COMPUTED
// RUN: not weft-cc %t/impure.mlir --target=sm_80 --emit=manifest --code=ptx 2>&1 | FileCheck %s --check-prefix=IMPURE
// RUN: not weft-cc %t/scalar.mlir --target=sm_80 --emit=manifest --code=ptx 2>&1 | FileCheck %s --check-prefix=SCALAR
// RUN: not weft-cc %t/threads.mlir --target=sm_80 --emit=manifest --code=ptx 2>&1 | FileCheck %s --check-prefix=THREADS
// RUN: not weft-cc %t/none.mlir --target=sm_80 --emit=manifest --code=ptx 2>&1 | FileCheck %s --check-prefix=NONE
// RUN: not weft-cc %t/bytes.mlir --target=sm_80 --emit=manifest --code=ptx 2>&1 | FileCheck %s --check-prefix=BYTES

//--- argument.mlir
gpu.module @kernels {
  llvm.func @k(%x: !llvm.ptr<1>) attributes {gpu.kernel, nvvm.kernel, nvvm.reqntid = array<i32: 32>} { llvm.return }
}
func.func @f(%x: tensor<8xf32>) -> tensor<8xf32> {
  %y = wtile.launch @kernels::@k programs() outs(%x : tensor<8xf32>)
  return %y : tensor<8xf32>
}
// ARGUMENT: argument.mlir:5:8: error: a launch writes an argument of the function: arguments are read only

//--- returned.mlir
gpu.module @kernels {
  llvm.func @k() attributes {gpu.kernel, nvvm.kernel} { llvm.return }
}
func.func @f(%x: tensor<8xf32>) -> (tensor<8xf32> {weft.name = "y"}) {
  return %x : tensor<8xf32>
}
// RETURNED: returned.mlir:5:3: error: result 'y' is not what a launch writes: results of a compiled function are

//--- twice.mlir
gpu.module @kernels {
  llvm.func @k(%x: !llvm.ptr<1>) attributes {gpu.kernel, nvvm.kernel, nvvm.reqntid = array<i32: 32>} { llvm.return }
}
func.func @f() -> (tensor<8xf32> {weft.name = "y"}, tensor<8xf32> {weft.name = "z"}) {
  %x = tensor.empty() : tensor<8xf32>
  %y = wtile.launch @kernels::@k programs() outs(%x : tensor<8xf32>)
  return %y, %y : tensor<8xf32>, tensor<8xf32>
}
// TWICE: twice.mlir:7:3: error: results 'y' and 'z' are the same memory

//--- shared.mlir
gpu.module @kernels {
  llvm.func @k(%x: !llvm.ptr<1>) attributes {gpu.kernel, nvvm.kernel, nvvm.reqntid = array<i32: 32>} { llvm.return }
}
func.func @f() -> (tensor<8xf32>, tensor<8xf32>) {
  %x = tensor.empty() : tensor<8xf32>
  %y = wtile.launch @kernels::@k programs() outs(%x : tensor<8xf32>)
  %z = wtile.launch @kernels::@k programs() outs(%y : tensor<8xf32>)
  return %y, %z : tensor<8xf32>, tensor<8xf32>
}
// SHARED: shared.mlir:7:8: error: a launch updates a tensor that something else reads too: what a launch writes is read by nothing else

//--- size.mlir
gpu.module @kernels {
  llvm.func @k(%x: !llvm.ptr<1>) attributes {gpu.kernel, nvvm.kernel, nvvm.reqntid = array<i32: 32>} { llvm.return }
}
func.func @f(%s: f32, %n: index) -> tensor<?xf32> {
  %i = arith.fptosi %s : f32 to i32
  %m = arith.index_cast %i : i32 to index
  %x = tensor.empty(%m) : tensor<?xf32>
  %y = wtile.launch @kernels::@k programs() outs(%x : tensor<?xf32>)
  return %y : tensor<?xf32>
}
// SIZE: size.mlir:5:8: error: 'arith.fptosi' in a host function: sizes are computed by integer arithmetic

//--- computed.mlir
gpu.module @kernels {
  llvm.func @k(%s: f32, %x: !llvm.ptr<1>) attributes {gpu.kernel, nvvm.kernel, nvvm.reqntid = array<i32: 32>} { llvm.return }
}
func.func @f(%s: f32) -> tensor<8xf32> {
  %t = arith.addf %s, %s : f32
  %x = tensor.empty() : tensor<8xf32>
  %y = wtile.launch @kernels::@k programs() ins(%t : f32) outs(%x : tensor<8xf32>)
  return %y : tensor<8xf32>
}
// COMPUTED: computed.mlir:7:8: error: a launch takes a 'f32' that is computed: a kernel's scalars are arguments of the function, or indices

//--- impure.mlir
gpu.module @kernels {
  llvm.func @k() attributes {gpu.kernel, nvvm.kernel} { llvm.return }
}
func.func private @g()
func.func @f() {
  func.call @g() : () -> ()
  return
}
// IMPURE: impure.mlir:6:3: error: 'func.call' in a host function: it computes sizes and launches kernels

//--- scalar.mlir
gpu.module @kernels {
  llvm.func @k() attributes {gpu.kernel, nvvm.kernel} { llvm.return }
}
func.func @f(%n: index) -> (index {weft.name = "n"}) {
  return %n : index
}
// SCALAR: error: result 'n' is a 'index': results of a compiled function are tensors

//--- threads.mlir
gpu.module @kernels {
  llvm.func @k(%x: !llvm.ptr<1>) attributes {gpu.kernel, nvvm.kernel} { llvm.return }
}
func.func @f() -> tensor<8xf32> {
  %x = tensor.empty() : tensor<8xf32>
  %y = wtile.launch @kernels::@k programs() outs(%x : tensor<8xf32>)
  return %y : tensor<8xf32>
}
// THREADS: threads.mlir:2:3: error: a kernel's number of threads is its nvvm.reqntid or nvvm.maxntid

//--- none.mlir
gpu.module @kernels {
  llvm.func @k() attributes {gpu.kernel, nvvm.kernel} { llvm.return }
}
// NONE: none.mlir:1:1: error: a manifest needs a public function with a body

//--- bytes.mlir
gpu.module @kernels {
  llvm.func @k(%x: !llvm.ptr<1>) attributes {gpu.kernel, nvvm.kernel, nvvm.reqntid = array<i32: 32>, wtile.shared_bytes = 200000 : i64} { llvm.return }
}
func.func @f() -> tensor<8xf32> {
  %x = tensor.empty() : tensor<8xf32>
  %y = wtile.launch @kernels::@k programs() outs(%x : tensor<8xf32>)
  return %y : tensor<8xf32>
}
// BYTES: bytes.mlir:1:1: error: kernel 'k' needs 200000 bytes of shared memory, a block of sm_80 has 166912
