// RUN: weft-opt %s --split-input-file | weft-opt --split-input-file | FileCheck %s
// RUN: weft-opt %s --split-input-file --mlir-print-op-generic | weft-opt --split-input-file | FileCheck %s

// Every op, attribute and type of the tile stage, with every clause.

// Layouts stand at the top of a file, under names. Rank 0, 1 and 2, no warps and some; fewer registers than the bits
// name, where bits that no register has set are dropped; a dim whose size is no power of two.
// CHECK-DAG: #[[$SCALAR:.+]] = #wtile.layout<[] register [] lane {{\[}}[], [], [], [], []] warp []>
// CHECK-DAG: #[[$VECTOR:.+]] = #wtile.layout<[64] register {{\[}}[32]] lane {{\[}}[1], [2], [4], [8], [16]] warp {{\[}}[0], [0]]>
// CHECK-DAG: #[[$ROWS:.+]] = #wtile.layout<[4, 64] register {{\[}}[0, 32], [1, 0], [2, 0]] lane {{\[}}[0, 1], [0, 2], [0, 4], [0, 8], [0, 16]] warp []>
// CHECK-DAG: #[[$THREE:.+]] = #wtile.layout<[128] register {{\[}}[32], [64]] lane {{\[}}[1], [2], [4], [8], [16]] warp [] registers 3>
#scalar = #wtile.layout<[] register [] lane [[], [], [], [], []] warp []>
#vector = #wtile.layout<[64] register [[32]] lane [[1], [2], [4], [8], [16]] warp [[0], [0]] registers 2>
#rows = #wtile.layout<[4, 64] register [[0, 32], [1, 0], [2, 0]] lane [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16]] warp [] registers 0>
#three = #wtile.layout<[128] register [[32], [64], [0]] lane [[1], [2], [4], [8], [16]] warp [] registers 3>
// CHECK-LABEL: func.func @layouts
// CHECK-SAME: tensor<f32, #[[$SCALAR]]>, %{{.*}}: tensor<64xf32, #[[$VECTOR]]>, %{{.*}}: tensor<4x64xi1, #[[$ROWS]]>, %{{.*}}: tensor<128xf16, #[[$THREE]]>
func.func @layouts(%a: tensor<f32, #scalar>, %b: tensor<64xf32, #vector>, %c: tensor<4x64xi1, #rows>, %d: tensor<128xf16, #three>) {
  return
}

// -----

// CHECK-LABEL: func.func @types
// CHECK-SAME: !wtile.shared<f32>, %{{.*}}: !wtile.shared<2x64x64xbf16>, %{{.*}}: !wtile.shared<3xi8>, %{{.*}}: !wtile.stack<7x64x64xf32>, %{{.*}}: !wtile.stack<1xf64>
func.func @types(%a: !wtile.shared<f32>, %b: !wtile.shared<2x64x64xbf16>, %c: !wtile.shared<3xi8>, %d: !wtile.stack<7x64x64xf32>,
                 %e: !wtile.stack<1xf64>) {
  return
}

// -----

// CHECK: wtile.kernel @plain axes 0 {
// CHECK-NEXT: }
wtile.kernel @plain axes 0 {
  wtile.return
}
// CHECK: wtile.kernel @fill axes 2 {
// CHECK-NEXT: ^bb0(%{{.*}}: index, %{{.*}}: index, %{{.*}}: f32, %{{.*}}: memref<?x8xf32, strided<[?, 1]>>):
wtile.kernel @fill axes 2 {
^program(%p: index, %q: index, %value: f32, %y: memref<?x8xf32, strided<[?, 1]>>):
}
// CHECK: wtile.kernel @whole axes 1 warps 4 shared_bytes 1024 attributes {note = "as it is"} {
wtile.kernel @whole axes 1 warps 4 shared_bytes 1024 attributes {note = "as it is"} {
^program(%p: index, %x: memref<?x8xf32>, %i: i32, %j: index, %h: bf16):
}

// CHECK-LABEL: func.func @launches
func.func @launches(%n: index, %value: f32, %x: tensor<?x8xf32>, %i: i32, %h: bf16) {
  // CHECK: wtile.launch @plain programs()
  wtile.launch @plain programs()
  // CHECK: %{{.*}} = wtile.launch @fill programs(%{{.*}}, %{{.*}}) ins(%{{.*}} : f32) outs(%{{.*}} : tensor<?x8xf32>)
  %y = wtile.launch @fill programs(%n, %n) ins(%value : f32) outs(%x : tensor<?x8xf32>)
  // CHECK: wtile.launch @whole programs(%{{.*}}) ins(%{{.*}}, %{{.*}}, %{{.*}}, %{{.*}} : tensor<?x8xf32>, i32, index, bf16){{ *$}}
  wtile.launch @whole programs(%n) ins(%x, %i, %n, %h : tensor<?x8xf32>, i32, index, bf16)
  // CHECK: wtile.launch @kernels::@lowered programs() outs(%{{.*}} : tensor<?x8xf32>) {note = 1 : i64}
  %z = wtile.launch @kernels::@lowered programs() outs(%x : tensor<?x8xf32>) {note = 1 : i64}
  return
}
gpu.module @kernels {
  llvm.func @lowered(%x: !llvm.ptr<1>) {
    llvm.return
  }
}

// -----

// CHECK-LABEL: func.func @memory
func.func @memory(%x: memref<?x64xbf16, strided<[?, 1]>>, %v: memref<?xf32>, %s: memref<4x8xi32>, %p: memref<f32>, %c: memref<?x2x3xf64>,
                  %first: index, %lo: index, %hi: index, %other: bf16, %rows: tensor<16xi32>) {
  // CHECK: wtile.load %{{.*}}[%{{.*}}] live(%{{.*}}, %{{.*}}) : memref<?x64xbf16, strided<[?, 1]>> -> tensor<16x64xbf16>
  %0 = wtile.load %x[%first] live(%lo, %hi) : memref<?x64xbf16, strided<[?, 1]>> -> tensor<16x64xbf16>
  // CHECK: wtile.load %{{.*}}[%{{.*}}] live(%{{.*}}, %{{.*}}) else %{{.*}} : bf16 : memref<?x64xbf16, strided<[?, 1]>> -> tensor<16x64xbf16>
  %1 = wtile.load %x[%first] live(%lo, %hi) else %other : bf16 : memref<?x64xbf16, strided<[?, 1]>> -> tensor<16x64xbf16>
  // CHECK: wtile.load %{{.*}}[%{{.*}}] live(%{{.*}}, %{{.*}}) : memref<?xf32> -> tensor<16xf32>
  %2 = wtile.load %v[%first] live(%lo, %hi) : memref<?xf32> -> tensor<16xf32>
  // CHECK: wtile.load %{{[^[]*}} : memref<4x8xi32> -> tensor<4x8xi32>
  %3 = wtile.load %s : memref<4x8xi32> -> tensor<4x8xi32>
  // CHECK: wtile.load %{{[^[]*}} : memref<f32> -> tensor<f32>
  %4 = wtile.load %p : memref<f32> -> tensor<f32>
  // CHECK: wtile.load %{{.*}}[%{{.*}}] live(%{{.*}}, %{{.*}}) : memref<?x2x3xf64> -> tensor<4x2x3xf64>
  %5 = wtile.load %c[%first] live(%lo, %hi) : memref<?x2x3xf64> -> tensor<4x2x3xf64>
  // CHECK: wtile.store %{{.*}}, %{{.*}}[%{{.*}}] live(%{{.*}}, %{{.*}}) : tensor<16x64xbf16>, memref<?x64xbf16, strided<[?, 1]>>
  wtile.store %0, %x[%first] live(%lo, %hi) : tensor<16x64xbf16>, memref<?x64xbf16, strided<[?, 1]>>
  // CHECK: wtile.store %{{.*}}, %{{[^[]*}} : tensor<4x8xi32>, memref<4x8xi32>
  wtile.store %3, %s : tensor<4x8xi32>, memref<4x8xi32>
  // CHECK: wtile.store %{{.*}}, %{{[^[]*}} : tensor<f32>, memref<f32>
  wtile.store %4, %p : tensor<f32>, memref<f32>
  // CHECK: wtile.gather %{{.*}}[%{{.*}}] : memref<?x64xbf16, strided<[?, 1]>>, tensor<16xi32> -> tensor<16x64xbf16>
  %6 = wtile.gather %x[%rows] : memref<?x64xbf16, strided<[?, 1]>>, tensor<16xi32> -> tensor<16x64xbf16>
  // CHECK: wtile.gather %{{.*}}[%{{.*}}] : memref<?xf32>, tensor<16xi32> -> tensor<16xf32>
  %7 = wtile.gather %v[%rows] : memref<?xf32>, tensor<16xi32> -> tensor<16xf32>
  // CHECK: wtile.scatter %{{.*}}, %{{.*}}[%{{.*}}] live(%{{.*}}, %{{.*}}) : tensor<16x64xbf16>, memref<?x64xbf16, strided<[?, 1]>>, tensor<16xi32>
  wtile.scatter %6, %x[%rows] live(%lo, %hi) : tensor<16x64xbf16>, memref<?x64xbf16, strided<[?, 1]>>, tensor<16xi32>
  return
}

// -----

// CHECK-LABEL: func.func @renamings
func.func @renamings(%x: tensor<64x32xf32>, %v: tensor<64xbf16>, %s: tensor<f32>, %columns: tensor<64x16xi32>, %b: !wtile.shared<64x32xf32>) {
  // CHECK: wtile.coordinate 0 : tensor<64x64xi32>
  %0 = wtile.coordinate 0 : tensor<64x64xi32>
  // CHECK: wtile.coordinate 2 : tensor<2x2x2xi32>
  %1 = wtile.coordinate 2 : tensor<2x2x2xi32>
  // CHECK: wtile.broadcast %{{.*}} to [0] : tensor<64xbf16> -> tensor<64x32xbf16>
  %2 = wtile.broadcast %v to [0] : tensor<64xbf16> -> tensor<64x32xbf16>
  // CHECK: wtile.broadcast %{{.*}} to [0, 2] : tensor<64x32xf32> -> tensor<64x4x32xf32>
  %3 = wtile.broadcast %x to [0, 2] : tensor<64x32xf32> -> tensor<64x4x32xf32>
  // CHECK: wtile.broadcast %{{.*}} to [] : tensor<f32> -> tensor<64xf32>
  %4 = wtile.broadcast %s to [] : tensor<f32> -> tensor<64xf32>
  // CHECK: wtile.transpose %{{.*}} : tensor<64x32xf32> -> tensor<32x64xf32>
  %5 = wtile.transpose %x : tensor<64x32xf32> -> tensor<32x64xf32>
  // CHECK: wtile.extract %{{.*}} [48, 16] : tensor<64x32xf32> -> tensor<16x16xf32>
  %6 = wtile.extract %x [48, 16] : tensor<64x32xf32> -> tensor<16x16xf32>
  // CHECK: wtile.concat %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}} over 1 : tensor<64x32xf32>, tensor<64x32xf32>, tensor<64x32xf32>, tensor<64x32xf32> -> tensor<64x128xf32>
  %7 = wtile.concat %x, %x, %x, %x over 1 : tensor<64x32xf32>, tensor<64x32xf32>, tensor<64x32xf32>, tensor<64x32xf32> -> tensor<64x128xf32>
  // CHECK: wtile.concat %{{.*}} over 0 : tensor<64xbf16> -> tensor<64xbf16>
  %8 = wtile.concat %v over 0 : tensor<64xbf16> -> tensor<64xbf16>
  // CHECK: wtile.take %{{.*}}[%{{.*}}] : tensor<64x32xf32>, tensor<64x16xi32> -> tensor<64x16xf32>
  %9 = wtile.take %x[%columns] : tensor<64x32xf32>, tensor<64x16xi32> -> tensor<64x16xf32>
  // CHECK: wtile.take %{{.*}}[%{{.*}}] : !wtile.shared<64x32xf32>, tensor<64x16xi32> -> tensor<64x16xf32>
  %10 = wtile.take %b[%columns] : !wtile.shared<64x32xf32>, tensor<64x16xi32> -> tensor<64x16xf32>
  // CHECK: wtile.round %{{.*}} : tensor<64x32xf32>
  %11 = wtile.round %x : tensor<64x32xf32>
  return
}

// -----

// CHECK-LABEL: func.func @combinations
func.func @combinations(%x: tensor<64x32xf32>, %i: tensor<64x32xi32>) {
  // CHECK: wtile.reduce(%{{.*}} : tensor<64x32xf32>) over 1 commutative -> (tensor<64xf32>) {
  // CHECK-NEXT: ^bb0(%{{.*}}: f32, %{{.*}}: f32):
  // CHECK-NEXT: arith.addf
  // CHECK-NEXT: wtile.yield %{{.*}} : f32
  %0 = wtile.reduce (%x : tensor<64x32xf32>) over 1 commutative -> (tensor<64xf32>) {
  ^combine(%earlier: f32, %later: f32):
    %sum = arith.addf %earlier, %later : f32
    wtile.yield %sum : f32
  }
  // CHECK: wtile.reduce(%{{.*}}, %{{.*}} : tensor<64x32xf32>, tensor<64x32xi32>) over 0 parts 4 -> (tensor<4x32xf32>, tensor<4x32xi32>) {
  // CHECK-NEXT: ^bb0(%{{.*}}: f32, %{{.*}}: i32, %{{.*}}: f32, %{{.*}}: i32):
  // CHECK: wtile.yield %{{.*}}, %{{.*}} : f32, i32
  %1, %2 = wtile.reduce (%x, %i : tensor<64x32xf32>, tensor<64x32xi32>) over 0 parts 4 -> (tensor<4x32xf32>, tensor<4x32xi32>) {
  ^combine(%a: f32, %b: i32, %c: f32, %d: i32):
    wtile.yield %a, %d : f32, i32
  }
  // CHECK: wtile.scan(%{{.*}} : tensor<64x32xf32>) over 0 identity [0.000000e+00 : f32] -> (tensor<64x32xf32>) {
  %3 = wtile.scan (%x : tensor<64x32xf32>) over 0 identity [0.0 : f32] -> (tensor<64x32xf32>) {
  ^combine(%earlier: f32, %later: f32):
    %sum = arith.addf %earlier, %later : f32
    wtile.yield %sum : f32
  }
  // CHECK: wtile.scan(%{{.*}}, %{{.*}} : tensor<64x32xf32>, tensor<64x32xi32>) over 1 identity [0xFF800000 : f32, -7 : i32] exclusive reverse -> (tensor<64x32xf32>, tensor<64x32xi32>) {
  %4, %5 = wtile.scan (%x, %i : tensor<64x32xf32>, tensor<64x32xi32>) over 1 identity [0xFF800000 : f32, -7 : i32] exclusive reverse
      -> (tensor<64x32xf32>, tensor<64x32xi32>) {
  ^combine(%a: f32, %b: i32, %c: f32, %d: i32):
    wtile.yield %a, %d : f32, i32
  }
  return
}

// -----

// CHECK-LABEL: func.func @products
func.func @products(%q: tensor<64x32xbf16>, %k: !wtile.shared<32x16xbf16>, %h: tensor<32x64xf16>, %t: tensor<64x32xf32>, %s: !wtile.shared<64x32xf32>,
                    %zero: tensor<64x16xf32>, %square: tensor<64x64xf32>, %block: tensor<16x16xf32>) {
  // CHECK: wtile.mma %{{.*}}, %{{.*}}, %{{.*}} over [1, 0] : tensor<64x32xbf16>, !wtile.shared<32x16xbf16>, tensor<64x16xf32>
  %0 = wtile.mma %q, %k, %zero over [1, 0] : tensor<64x32xbf16>, !wtile.shared<32x16xbf16>, tensor<64x16xf32>
  // CHECK: wtile.mma %{{.*}}, %{{.*}}, %{{.*}} over [0, 0] subtract : tensor<32x64xf16>, tensor<32x64xf16>, tensor<64x64xf32>
  %1 = wtile.mma %h, %h, %square over [0, 0] subtract : tensor<32x64xf16>, tensor<32x64xf16>, tensor<64x64xf32>
  // CHECK: wtile.mma %{{.*}}, %{{.*}}, %{{.*}} over [1, 1] : tensor<64x32xf32>, tensor<64x32xf32>, tensor<64x64xf32>
  %2 = wtile.mma %t, %t, %square over [1, 1] : tensor<64x32xf32>, tensor<64x32xf32>, tensor<64x64xf32>
  // CHECK: wtile.mma %{{.*}}, %{{.*}}, %{{.*}} over [1, 1] subtract round : tensor<64x32xf32>, !wtile.shared<64x32xf32>, tensor<64x64xf32>
  %r = wtile.mma %t, %s, %square over [1, 1] subtract round : tensor<64x32xf32>, !wtile.shared<64x32xf32>, tensor<64x64xf32>
  // CHECK: %{{.*}}, %{{.*}} = wtile.factor_block %{{.*}} : tensor<16x16xf32>
  %3, %4 = wtile.factor_block %block : tensor<16x16xf32>
  // CHECK: wtile.invert_blocks %{{.*}} : tensor<64x64xf32> -> tensor<64x16xf32>
  %5 = wtile.invert_blocks %square : tensor<64x64xf32> -> tensor<64x16xf32>
  // CHECK: wtile.invert_blocks %{{.*}} unit : tensor<16x16xf32> -> tensor<16x16xf32>
  %6 = wtile.invert_blocks %block unit : tensor<16x16xf32> -> tensor<16x16xf32>
  return
}

// -----

// CHECK-LABEL: func.func @shared
func.func @shared(%n: index, %x: memref<?x64xbf16, strided<[?, 1]>>, %v: memref<?xi64>, %lo: index, %hi: index) {
  // CHECK: wtile.alloc : <16xi32>
  %0 = wtile.alloc : !wtile.shared<16xi32>
  // CHECK: wtile.alloc {address = 1024 : i64, persistent, swizzle = #wtile.swizzle<contiguous = 1, shift = 0, left = 0, mask = 7>} : <2x16x64xbf16>
  %1 = wtile.alloc {address = 1024 : i64, persistent, swizzle = #wtile.swizzle<contiguous = 1, shift = 0, left = 0, mask = 7>} : !wtile.shared<2x16x64xbf16>
  // CHECK: wtile.stage %{{.*}}[%{{.*}}] : <2x16x64xbf16> -> <16x64xbf16>
  %2 = wtile.stage %1[%n] : !wtile.shared<2x16x64xbf16> -> !wtile.shared<16x64xbf16>
  // CHECK: wtile.subview %{{.*}} [8, 32] : <16x64xbf16> -> <8x32xbf16>
  %3 = wtile.subview %2 [8, 32] : !wtile.shared<16x64xbf16> -> !wtile.shared<8x32xbf16>
  // CHECK: wtile.copy_async %{{.*}}[%{{.*}}] live(%{{.*}}, %{{.*}}) to %{{.*}} : memref<?x64xbf16, strided<[?, 1]>> to <16x64xbf16>
  wtile.copy_async %x[%n] live(%lo, %hi) to %2 : memref<?x64xbf16, strided<[?, 1]>> to !wtile.shared<16x64xbf16>
  // CHECK: wtile.copy_async %{{.*}}[%{{.*}}] live(%{{.*}}, %{{.*}}) by %{{.*}} : memref<?xi64> to %{{.*}} : memref<?x64xbf16, strided<[?, 1]>> to <16x64xbf16>
  wtile.copy_async %x[%n] live(%lo, %hi) by %v : memref<?xi64> to %2 : memref<?x64xbf16, strided<[?, 1]>> to !wtile.shared<16x64xbf16>
  // CHECK: wtile.copy_async %{{.*}}[%{{.*}}] live(%{{.*}}, %{{.*}}) by %{{.*}} : !wtile.shared<16xi32> to %{{.*}} : memref<?x64xbf16, strided<[?, 1]>> to <16x64xbf16>
  wtile.copy_async %x[%n] live(%lo, %hi) by %0 : !wtile.shared<16xi32> to %2 : memref<?x64xbf16, strided<[?, 1]>> to !wtile.shared<16x64xbf16>
  // CHECK: wtile.copy_wait
  wtile.copy_wait
  // CHECK: wtile.barrier
  wtile.barrier
  // CHECK: wtile.load_shared %{{.*}} : <8x32xbf16> -> tensor<8x32xbf16>
  %4 = wtile.load_shared %3 : !wtile.shared<8x32xbf16> -> tensor<8x32xbf16>
  // CHECK: wtile.store_shared %{{.*}}, %{{.*}} : tensor<8x32xbf16>, <8x32xbf16>
  wtile.store_shared %4, %3 : tensor<8x32xbf16>, !wtile.shared<8x32xbf16>
  return
}

// CHECK-LABEL: func.func @blocks
func.func @blocks(%a: !wtile.shared<16x16xf32>, %l: !wtile.shared<16x16xf32>, %i: !wtile.shared<16x16xf32>, %strips: !wtile.shared<256xf32>,
                  %t: !wtile.shared<64x64xf32>, %inverses: !wtile.shared<64x16xf32>) {
  // CHECK: wtile.factor_shared %{{.*}} to %{{.*}}, %{{.*}} strips %{{.*}} : !wtile.shared<16x16xf32>, <256xf32>
  wtile.factor_shared %a to %l, %i strips %strips : !wtile.shared<16x16xf32>, !wtile.shared<256xf32>
  // CHECK: wtile.invert_shared %{{.*}} to %{{.*}} : <64x64xf32> to <64x16xf32>
  wtile.invert_shared %t to %inverses : !wtile.shared<64x64xf32> to !wtile.shared<64x16xf32>
  // CHECK: wtile.invert_shared %{{.*}} to %{{.*}} unit : <64x64xf32> to <64x16xf32>
  wtile.invert_shared %t to %inverses unit : !wtile.shared<64x64xf32> to !wtile.shared<64x16xf32>
  return
}

// CHECK-LABEL: func.func @stacks
func.func @stacks(%t: tensor<64x64xf32>, %m: memref<7x64x64xf32>, %b: !wtile.shared<7x64x64xf32>) {
  // CHECK: wtile.new_stack : <7x64x64xf32>
  %s = wtile.new_stack : !wtile.stack<7x64x64xf32>
  // CHECK: wtile.store_slot %{{.*}}, %{{.*}}[0] : tensor<64x64xf32>, !wtile.stack<7x64x64xf32>
  wtile.store_slot %t, %s[0] : tensor<64x64xf32>, !wtile.stack<7x64x64xf32>
  // CHECK: wtile.store_slot %{{.*}}, %{{.*}}[1] : tensor<64x64xf32>, memref<7x64x64xf32>
  wtile.store_slot %t, %m[1] : tensor<64x64xf32>, memref<7x64x64xf32>
  // CHECK: wtile.load_slot %{{.*}}[6] : !wtile.stack<7x64x64xf32> -> tensor<64x64xf32>
  %0 = wtile.load_slot %s[6] : !wtile.stack<7x64x64xf32> -> tensor<64x64xf32>
  // CHECK: wtile.load_slot %{{.*}}[5] : !wtile.shared<7x64x64xf32> -> tensor<64x64xf32>
  %1 = wtile.load_slot %b[5] : !wtile.shared<7x64x64xf32> -> tensor<64x64xf32>
  return
}

// -----

// With layouts: a program whose tiles are in registers.
#lanes = #wtile.layout<[32] register [] lane [[1], [2], [4], [8], [16]] warp []>
#all = #wtile.layout<[32] register [[1], [2], [4], [8], [16]] lane [[0], [0], [0], [0], [0]] warp []>
// CHECK-LABEL: wtile.kernel @everywhere
wtile.kernel @everywhere axes 0 warps 1 {
^program(%x: memref<?xf32, strided<[1]>>, %n: index, %lo: index, %hi: index):
  // CHECK: %[[X:.+]] = wtile.load %{{.*}} : memref<?xf32, strided<[1]>> -> tensor<32xf32, #{{.+}}>
  %t = wtile.load %x[%n] live(%lo, %hi) : memref<?xf32, strided<[1]>> -> tensor<32xf32, #lanes>
  // CHECK: wtile.relayout %[[X]] : tensor<32xf32, #{{.+}}> -> tensor<32xf32, #{{.+}}>
  %y = wtile.relayout %t : tensor<32xf32, #lanes> -> tensor<32xf32, #all>
  wtile.store %y, %x[%n] live(%lo, %hi) : tensor<32xf32, #all>, memref<?xf32, strided<[1]>>
}
