// Part of Scanweft, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// RUN: %weft_opt_both %s --pass-pipeline="builtin.module(wtile-lower-to-loops,canonicalize,cse)" | FileCheck %s

#rows = strided<[?, 1], offset: ?>
#all = strided<[?, ?, 1]>

// What a block does is a function; only live rows are read and written.
// CHECK-LABEL: func.func private @double(
// CHECK-SAME:    %[[P:[^:]+]]: index, %[[H:[^:]+]]: index,
// CHECK-SAME:    %[[X:[^:]+]]: memref<?x?x64xf32, strided<[?, ?, 1]>>, %[[Y:[^:]+]]: memref
// CHECK-DAG:     %[[C0:.+]] = arith.constant 0 : index
// CHECK-DAG:     %[[C16:.+]] = arith.constant 16 : index
// CHECK-DAG:     %[[ONE:.+]] = arith.constant 1.000000e+00 : f32
// CHECK:         %[[XS:.+]] = memref.subview %[[X]]
// CHECK:         %[[YS:.+]] = memref.subview %[[Y]]
// CHECK:         %[[FIRST:.+]] = arith.muli %[[P]], %[[C16]]
// CHECK:         %[[LEFT:.+]] = arith.subi
// CHECK:         %[[B:.+]] = memref.alloc() : memref<16x64xf32>
// CHECK:         linalg.fill ins(%[[ONE]] : f32) outs(%[[B]]
// CHECK:         %[[MIN:.+]] = arith.minsi %[[LEFT]], %[[C16]]
// CHECK:         %[[COUNT:.+]] = arith.maxsi %[[MIN]], %[[C0]]
// CHECK:         call @weft_check_range(%[[FIRST]], %[[COUNT]], %{{.+}}, %{{.+}})
// CHECK:         %[[FROM:.+]] = memref.subview %[[XS]][%[[FIRST]], 0] [%[[COUNT]], 64] [1, 1]
// CHECK:         %[[TO:.+]] = memref.subview %[[B]][0, 0] [%[[COUNT]], 64] [1, 1]
// CHECK:         memref.copy %[[FROM]], %[[TO]]
// CHECK:         %[[T:.+]] = bufferization.to_tensor %[[B]] restrict writable
// CHECK:         %[[S:.+]] = arith.addf %[[T]], %[[T]]
// CHECK:         %[[COPY:.+]] = bufferization.alloc_tensor() copy(%[[S]])
// CHECK:         %[[SB:.+]] = bufferization.to_buffer %[[COPY]] read_only
// CHECK:         call @weft_check_range(%[[FIRST]], %[[COUNT]], %{{.+}}, %{{.+}})
// CHECK:         %[[FROM2:.+]] = memref.subview %[[SB]][0, 0] [%[[COUNT]], 64] [1, 1]
// CHECK:         %[[TO2:.+]] = memref.subview %[[YS]][%[[FIRST]], 0] [%[[COUNT]], 64] [1, 1]
// CHECK:         memref.copy %[[FROM2]], %[[TO2]]
// CHECK-NEXT:    return
wtile.kernel @double axes 2 {
^program(%p: index, %h: index, %x: memref<?x?x64xf32, #all>, %y: memref<?x?x64xf32, #all>):
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %one = arith.constant 1.0 : f32
  %n = memref.dim %x, %c0 : memref<?x?x64xf32, #all>
  %xs = memref.subview %x[0, %h, 0] [%n, 1, 64] [1, 1, 1] : memref<?x?x64xf32, #all> to memref<?x64xf32, #rows>
  %ys = memref.subview %y[0, %h, 0] [%n, 1, 64] [1, 1, 1] : memref<?x?x64xf32, #all> to memref<?x64xf32, #rows>
  %first = arith.muli %p, %c16 : index
  %left = arith.subi %n, %first : index
  %t = wtile.load %xs[%first] live(%c0, %left) else %one : f32 : memref<?x64xf32, #rows> -> tensor<16x64xf32>
  %s = arith.addf %t, %t : tensor<16x64xf32>
  wtile.store %s, %ys[%first] live(%c0, %left) : tensor<16x64xf32>, memref<?x64xf32, #rows>
}

// A launch calls it for every program, the last axis fastest. Two outs never
// share memory, not even where their inits are one tensor.empty.
// CHECK-LABEL: func.func @launch(
// CHECK-SAME:    %[[P:[^:]+]]: index, %[[H:[^:]+]]: index, %[[X:[^:]+]]: tensor<?x?x64xf32>)
// CHECK:         %[[XB:.+]] = bufferization.to_buffer %[[X]] read_only
// CHECK:         %[[Y:.+]] = memref.alloc(
// CHECK:         scf.for %[[I:[^ ]+]] = %{{.+}} to %[[P]] step
// CHECK:           scf.for %[[J:[^ ]+]] = %{{.+}} to %[[H]] step
// CHECK:             func.call @double(%[[I]], %[[J]], %[[XB]], %{{.+}})
// CHECK:         %[[YT:.+]] = bufferization.to_tensor %[[Y]] restrict writable
// CHECK:         %[[Z:.+]] = memref.alloc(
// CHECK:         scf.for
// CHECK:         %[[ZT:.+]] = bufferization.to_tensor %[[Z]] restrict writable
// CHECK:         return %[[YT]], %[[ZT]]
func.func @launch(%P: index, %H: index, %x: tensor<?x?x64xf32>) -> (tensor<?x?x64xf32>, tensor<?x?x64xf32>) {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?x?x64xf32>
  %init = tensor.empty(%n, %H) : tensor<?x?x64xf32>
  %y = wtile.launch @double programs(%P, %H) ins(%x : tensor<?x?x64xf32>) outs(%init : tensor<?x?x64xf32>)
  %z = wtile.launch @double programs(%P, %H) ins(%x : tensor<?x?x64xf32>) outs(%init : tensor<?x?x64xf32>)
  return %y, %z : tensor<?x?x64xf32>, tensor<?x?x64xf32>
}

// What a launch reads is a copy, unless it is an argument, and an out that
// holds something starts with it.
// CHECK-LABEL: func.func @in_place(
// CHECK-DAG:     %[[OLD:.+]] = bufferization.to_tensor %{{.+}} restrict writable
// CHECK:         %[[IN:.+]] = bufferization.alloc_tensor() copy(%[[OLD]])
// CHECK:         bufferization.to_buffer %[[IN]] read_only
// CHECK:         %[[OUT:.+]] = memref.alloc(
// CHECK:         %[[INIT:.+]] = bufferization.alloc_tensor() copy(%[[OLD]])
// CHECK:         %[[INITB:.+]] = bufferization.to_buffer %[[INIT]] read_only
// CHECK:         memref.copy %[[INITB]], %[[OUT]]
func.func @in_place(%P: index, %H: index, %x: tensor<?x?x64xf32>) -> tensor<?x?x64xf32> {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?x?x64xf32>
  %init = tensor.empty(%n, %H) : tensor<?x?x64xf32>
  %y = wtile.launch @double programs(%P, %H) ins(%x : tensor<?x?x64xf32>) outs(%init : tensor<?x?x64xf32>)
  %z = wtile.launch @double programs(%P, %H) ins(%y : tensor<?x?x64xf32>) outs(%y : tensor<?x?x64xf32>)
  return %z : tensor<?x?x64xf32>
}

// Rows by number: none is read whose number lies outside.
// CHECK-LABEL: func.func @gather(
// CHECK-SAME:    %[[X:[^:]+]]: memref<?x8xf32, {{.+}}>, %[[ROWS:[^:]+]]: tensor<4xi32>)
// CHECK:         %[[B:.+]] = memref.alloc() : memref<4x8xf32>
// CHECK:         linalg.fill
// CHECK:         scf.for %[[I:[^ ]+]] =
// CHECK:           %[[ROW:.+]] = tensor.extract %[[ROWS]][%[[I]]]
// CHECK:           %[[NUMBER:.+]] = arith.index_cast %[[ROW]]
// CHECK:           %[[INSIDE:.+]] = arith.cmpi ult, %[[NUMBER]],
// CHECK:           scf.if %[[INSIDE]]
// CHECK:             %[[FROM:.+]] = memref.subview %[[X]][%[[NUMBER]], 0] [1, 8]
// CHECK:             %[[TO:.+]] = memref.subview %[[B]][%[[I]], 0] [1, 8]
// CHECK:             memref.copy %[[FROM]], %[[TO]]
func.func @gather(%x: memref<?x8xf32, strided<[?, 1]>>, %rows: tensor<4xi32>) -> tensor<4x8xf32> {
  %t = wtile.gather %x[%rows] : memref<?x8xf32, strided<[?, 1]>>, tensor<4xi32> -> tensor<4x8xf32>
  return %t : tensor<4x8xf32>
}

// CHECK-LABEL: func.func @scatter(
// CHECK-SAME:    %{{[^:]+}}: tensor<4x8xf32>, %[[X:[^:]+]]: memref
// CHECK:         scf.for %[[I:[^ ]+]] =
// CHECK:           scf.if
// CHECK:             %[[FROM:.+]] = memref.subview %{{.+}}[%[[I]], 0] [1, 8]
// CHECK:             %[[TO:.+]] = memref.subview %[[X]][%{{.+}}, 0] [1, 8]
// CHECK:             memref.copy %[[FROM]], %[[TO]]
func.func @scatter(%t: tensor<4x8xf32>, %x: memref<?x8xf32, strided<[?, 1]>>, %rows: tensor<4xi32>, %lo: index, %hi: index) {
  wtile.scatter %t, %x[%rows] live(%lo, %hi) : tensor<4x8xf32>, memref<?x8xf32, strided<[?, 1]>>, tensor<4xi32>
  return
}

// CHECK-LABEL: func.func @stack(
// CHECK-SAME:    %[[T:[^:]+]]: tensor<8x8xf32>)
// CHECK:         %[[STACK:.+]] = memref.alloc() : memref<3x8x8xf32>
// CHECK:         %[[TO:.+]] = memref.subview %[[STACK]][2, 0, 0] [1, 8, 8]
// CHECK:         memref.copy %{{.+}}, %[[TO]]
// CHECK:         %[[B:.+]] = memref.alloc() : memref<8x8xf32>
// CHECK:         memref.copy %[[TO]], %[[B]]
// CHECK:         bufferization.to_tensor %[[B]]
func.func @stack(%t: tensor<8x8xf32>) -> tensor<8x8xf32> {
  %s = wtile.new_stack : !wtile.stack<3x8x8xf32>
  wtile.store_slot %t, %s[2] : tensor<8x8xf32>, !wtile.stack<3x8x8xf32>
  %u = wtile.load_slot %s[2] : !wtile.stack<3x8x8xf32> -> tensor<8x8xf32>
  return %u : tensor<8x8xf32>
}

// 16-bit factors are exact in f32; of f32 ones the low 13 bits are dropped.
// CHECK-LABEL: func.func @products(
// CHECK-SAME:    %[[A:[^:]+]]: tensor<8x16xbf16>, %[[B:[^:]+]]: tensor<4x16xbf16>, %[[C:[^:]+]]: tensor<8x4xf32>,
// CHECK:         linalg.generic {{.+}} ins(%[[A]], %[[B]] : {{.+}}) outs(%[[C]]
// CHECK:           arith.extf
// CHECK:           arith.extf
// CHECK:           %[[P:.+]] = arith.mulf
// CHECK:           arith.addf %{{.+}}, %[[P]]
// CHECK:         linalg.generic
// CHECK:           arith.andi %{{.+}}, %c-8192_i32
// CHECK:           arith.andi %{{.+}}, %c-8192_i32
// CHECK:           %[[Q:.+]] = arith.mulf
// CHECK:           arith.subf %{{.+}}, %[[Q]]
func.func @products(%a: tensor<8x16xbf16>, %b: tensor<4x16xbf16>, %c: tensor<8x4xf32>, %d: tensor<8x8xf32>) -> tensor<8x4xf32> {
  %x = wtile.mma %a, %b, %c over [1, 1] : tensor<8x16xbf16>, tensor<4x16xbf16>, tensor<8x4xf32>
  %y = wtile.mma %d, %c, %x over [0, 0] subtract : tensor<8x8xf32>, tensor<8x4xf32>, tensor<8x4xf32>
  return %y : tensor<8x4xf32>
}

// Equal stretches of a dim, each combined in order from its first entry.
// CHECK-LABEL: func.func @parts(
// CHECK-SAME:    %[[X:[^:]+]]: tensor<8x4xf32>)
// CHECK:         %[[FIRST:.+]] = tensor.extract_slice %[[X]][0, 0] [1, 4]
// CHECK:         %[[REST:.+]] = tensor.extract_slice %[[X]][1, 0] [3, 4]
// CHECK:         %[[SUM:.+]] = linalg.generic {{.+}}iterator_types = ["reduction", "parallel"]} ins(%[[REST]] : {{.+}}) outs(%[[FIRST]]
// CHECK:         ^bb0(%[[LATER:.+]]: f32, %[[EARLIER:.+]]: f32):
// CHECK:           arith.subf %[[EARLIER]], %[[LATER]]
// CHECK:         tensor.insert_slice %[[SUM]] into %{{.+}}[0, 0] [1, 4]
// CHECK:         tensor.extract_slice %[[X]][4, 0] [1, 4]
// CHECK:         tensor.insert_slice %{{.+}} into %{{.+}}[1, 0] [1, 4]
func.func @parts(%x: tensor<8x4xf32>) -> tensor<2x4xf32> {
  %s = wtile.reduce (%x : tensor<8x4xf32>) over 0 parts 2 -> (tensor<2x4xf32>) {
  ^combine(%earlier: f32, %later: f32):
    %difference = arith.subf %earlier, %later : f32
    wtile.yield %difference : f32
  }
  return %s : tensor<2x4xf32>
}

// CHECK-LABEL: func.func @scan(
// CHECK-SAME:    %[[X:[^:]+]]: tensor<8x4xf32>)
// CHECK:         scf.for %[[I:[^ ]+]] =
// CHECK:           %[[STEP:.+]] = arith.subi %c7, %[[I]]
// CHECK:           %[[LINE:.+]] = tensor.extract_slice %[[X]][%[[STEP]], 0] [1, 4]
// CHECK:           linalg.generic {{.+}} ins(%[[LINE]]
func.func @scan(%x: tensor<8x4xf32>) -> tensor<8x4xf32> {
  %s = wtile.scan (%x : tensor<8x4xf32>) over 0 identity [0.0 : f32] reverse -> (tensor<8x4xf32>) {
  ^combine(%earlier: f32, %later: f32):
    %sum = arith.addf %earlier, %later : f32
    wtile.yield %sum : f32
  }
  return %s : tensor<8x4xf32>
}

// Entries by their place.
// CHECK-LABEL: func.func @places(
// CHECK-SAME:    %[[X:[^:]+]]: tensor<4x2xf32>)
// CHECK:         %[[COLUMNS:.+]] = linalg.generic
// CHECK:           %[[PLACE:.+]] = linalg.index 1
// CHECK:           arith.index_cast %[[PLACE]] : index to i32
// CHECK:         linalg.generic {{.+}} ins(%[[COLUMNS]]
// CHECK:           func.call @weft_check_range(%{{.+}}, %c1, %c2, %{{.+}})
// CHECK:           tensor.extract %[[X]][
func.func @places(%x: tensor<4x2xf32>) -> tensor<4x4xf32> {
  %columns = wtile.coordinate 1 : tensor<4x4xi32>
  %y = wtile.take %x[%columns] : tensor<4x2xf32>, tensor<4x4xi32> -> tensor<4x4xf32>
  return %y : tensor<4x4xf32>
}

// One column per row.
// CHECK-LABEL: func.func @column(
// CHECK-SAME:    %[[X:[^:]+]]: tensor<4x2xf32>, %[[C:[^:]+]]: tensor<4xi32>)
// CHECK:         linalg.generic {{.+}} ins(%[[C]]
// CHECK:           tensor.extract %[[X]][%{{.+}}, %{{.+}}]
func.func @column(%x: tensor<4x2xf32>, %columns: tensor<4xi32>) -> tensor<4xf32> {
  %y = wtile.take %x[%columns] : tensor<4x2xf32>, tensor<4xi32> -> tensor<4xf32>
  return %y : tensor<4xf32>
}

// CHECK-LABEL: func.func @blocks(
// CHECK-SAME:    %[[X:[^:]+]]: tensor<32x8xf32>)
// CHECK:         %[[LOW:.+]] = tensor.extract_slice %[[X]][16, 0] [16, 8]
// CHECK:         %[[WHOLE:.+]] = tensor.insert_slice %[[LOW]] into %{{.+}}[0, 8] [16, 8]
// CHECK:         linalg.generic {{.+}} ins(%[[WHOLE]] : tensor<16x16xf32>)
func.func @blocks(%x: tensor<32x8xf32>) -> tensor<16x16xf32> {
  %high = wtile.extract %x [0, 0] : tensor<32x8xf32> -> tensor<16x8xf32>
  %low = wtile.extract %x [16, 0] : tensor<32x8xf32> -> tensor<16x8xf32>
  %whole = wtile.concat %high, %low over 1 : tensor<16x8xf32>, tensor<16x8xf32> -> tensor<16x16xf32>
  %y = wtile.transpose %whole : tensor<16x16xf32> -> tensor<16x16xf32>
  return %y : tensor<16x16xf32>
}

// Factors of 16 x 16 blocks are body ops.
// CHECK-LABEL: func.func @factors(
// CHECK-SAME:    %[[A:[^:]+]]: tensor<16x16xf32>, %[[L:[^:]+]]: tensor<32x32xf32>)
// CHECK:         %[[F:.+]] = weft.cholesky %[[A]] numerics<in = f32, acc = f32>
// CHECK:         weft.solve_tril %[[F]], %{{.+}} numerics<in = f32, acc = f32>
// CHECK:         %[[LOW:.+]] = tensor.extract_slice %[[L]][16, 16] [16, 16]
// CHECK:         %[[INVERSE:.+]] = weft.solve_tril %[[LOW]], %{{.+}} unit
// CHECK:         tensor.insert_slice %[[INVERSE]] into %{{.+}}[16, 0] [16, 16]
func.func @factors(%a: tensor<16x16xf32>, %l: tensor<32x32xf32>)
    -> (tensor<16x16xf32>, tensor<16x16xf32>, tensor<32x16xf32>) {
  %factor, %inverse = wtile.factor_block %a : tensor<16x16xf32>
  %inverses = wtile.invert_blocks %l unit : tensor<32x32xf32> -> tensor<32x16xf32>
  return %factor, %inverse, %inverses : tensor<16x16xf32>, tensor<16x16xf32>, tensor<32x16xf32>
}

// Nothing happens where the tile stage is not.
// CHECK-LABEL: func.func @untouched(
// CHECK-NEXT:    %[[Y:.+]] = weft.tril
// CHECK-NEXT:    return %[[Y]]
func.func @untouched(%x: tensor<8x8xf32>) -> tensor<8x8xf32> {
  %y = weft.tril %x : tensor<8x8xf32>
  return %y : tensor<8x8xf32>
}
