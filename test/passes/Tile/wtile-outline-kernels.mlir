// Part of Scanweft, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// RUN: %weft_opt_both %s --pass-pipeline="builtin.module(wtile-outline-kernels)" | FileCheck %s

// One index per program axis; what is read, scalars that are no sizes, and what is written. Sizes are asked of the
// memory again.
// CHECK-LABEL: wtile.kernel @running_sum_kernel axes 2 {
// CHECK-NEXT:  ^bb0(%[[B:[^:]+]]: index, %[[H:[^:]+]]: index, %[[X:[^:]+]]: memref<?x?x?x8xf32, strided<[?, ?, ?, 1]>>,
// CHECK-SAME:       %[[S0:[^:]+]]: memref<?x?x8xf32, strided<[?, ?, 1]>>, %[[BIAS:[^:]+]]: f32,
// CHECK-SAME:       %[[Y:[^:]+]]: memref<?x?x?x8xf32, strided<[?, ?, ?, 1]>>, %[[S1:[^:]+]]: memref<?x?x8xf32, strided<[?, ?, 1]>>):
// CHECK:         %[[T:.+]] = memref.dim %[[X]], %{{.+}} :
// A slice is a view of a program's rows; the initial state is a tile, loaded whole.
// CHECK:         %[[XS:.+]] = memref.subview %[[X]][%[[B]], 0, %[[H]], 0] [1, %[[T]], 1, 8] [1, 1, 1, 1] : {{.*}} to memref<?x8xf32, strided<[?, 1], offset: ?>>
// CHECK:         %[[S0S:.+]] = memref.subview %[[S0]][%[[B]], %[[H]], 0] [1, 1, 8] {{.*}} to memref<8xf32, strided<[1], offset: ?>>
// CHECK-NEXT:    %[[INIT:.+]] = wtile.load %[[S0S]] : memref<8xf32, strided<[1], offset: ?>> -> tensor<8xf32>
// The loop carries states only. Its rows are loaded, live ones alone, and stored where they are placed.
// CHECK:         %[[STATE:.+]] = scf.for %[[N:.+]] = %{{.+}} to %{{.+}} step %{{.+}} iter_args(%[[S:.+]] = %[[INIT]]) -> (tensor<8xf32>) {
// CHECK:           %[[FIRST:.+]] = arith.muli %[[N]], %{{.+}} : index
// CHECK:           %[[LO:.+]] = arith.subi %{{.+}}, %[[FIRST]] : index
// CHECK:           %[[HI:.+]] = arith.subi %{{.+}}, %[[FIRST]] : index
// CHECK:           %[[XC:.+]] = wtile.load %[[XS]][%[[FIRST]]] live(%[[LO]], %[[HI]]) : {{.*}} -> tensor<16x8xf32>
// CHECK:           weft.cumsum %[[XC]] over 0
// CHECK:           tensor.splat %[[BIAS]]
// CHECK:           %[[ALL:.+]] = weft.sum %[[XC]] over 0
// CHECK:           %[[TARGET:.+]] = memref.subview %[[Y]][%[[B]], 0, %[[H]], 0]
// CHECK:           wtile.store %{{.+}}, %[[TARGET]][%[[FIRST]]] live(%[[LO]], %[[HI]]) : tensor<16x8xf32>
// The element is the act of its kind.
// CHECK:           %[[NEXT:.+]] = arith.addf %[[S]], %[[ALL]]
// CHECK-NEXT:      scf.yield %[[NEXT]]
// CHECK-NOT:     weft.{{chunked|next|sum_element}}
// CHECK:         %[[FINAL:.+]] = memref.subview %[[S1]][%[[B]], %[[H]], 0]
// CHECK-NEXT:    wtile.store %[[STATE]], %[[FINAL]] : tensor<8xf32>, memref<8xf32, strided<[1], offset: ?>>
// CHECK-NEXT:  }

// CHECK-LABEL: func.func @running_sum(
// CHECK-SAME:    %[[X:[^:]+]]: {{[^,]+}}, %[[S0:[^:]+]]: {{[^,]+}}, %[[BIAS:[^:]+]]: f32)
// CHECK:         %[[OUTS:.+]]:2 = wtile.launch @running_sum_kernel programs(%[[B:.+]], %[[H:.+]]) ins(%[[X]], %[[S0]], %[[BIAS]] : {{.*}}, f32) outs(%[[Y0:.+]], %[[S1:.+]] :
// CHECK-NEXT:    return %[[OUTS]]#0, %[[OUTS]]#1
func.func @running_sum(%x: tensor<?x?x?x8xf32>, %s0: tensor<?x?x8xf32>, %bias: f32) -> (tensor<?x?x?x8xf32>, tensor<?x?x8xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %B = tensor.dim %x, %c0 : tensor<?x?x?x8xf32>
  %T = tensor.dim %x, %c1 : tensor<?x?x?x8xf32>
  %H = tensor.dim %x, %c2 : tensor<?x?x?x8xf32>
  %y_init = tensor.empty(%B, %T, %H) : tensor<?x?x?x8xf32>
  %s_init = tensor.empty(%B, %H) : tensor<?x?x8xf32>
  %y, %s = weft.kernel @running_sum programs(%B, %H) outs(%y_init, %s_init : tensor<?x?x?x8xf32>, tensor<?x?x8xf32>) {
  ^program(%b: index, %h: index):
    %xs = tensor.extract_slice %x[%b, 0, %h, 0] [1, %T, 1, 8] [1, 1, 1, 1] : tensor<?x?x?x8xf32> to tensor<?x8xf32>
    %s0s = tensor.extract_slice %s0[%b, %h, 0] [1, 1, 8] [1, 1, 1] : tensor<?x?x8xf32> to tensor<8xf32>
    %rows = tensor.empty(%T) : tensor<?x8xf32>
    %yc, %sc = weft.chunked rows %c0 to %T by 16 slices(%xs : tensor<?x8xf32>) carries(%s0s : tensor<8xf32>) as [#weft.sum]
        outs(%rows : tensor<?x8xf32>) {
    ^chunk(%n: index, %lo: index, %hi: index, %xc: tensor<16x8xf32>, %state: tensor<8xf32>):
      %inside = weft.cumsum %xc over 0 : tensor<16x8xf32>
      %biases = tensor.splat %bias : tensor<16x8xf32>
      %more = arith.addf %inside, %biases : tensor<16x8xf32>
      %all = weft.sum %xc over 0 : tensor<16x8xf32> -> tensor<8xf32>
      %e = weft.sum_element %all : tensor<8xf32>
      weft.next out(%more : tensor<16x8xf32>) carry(%e : !weft.element<#weft.sum>)
    }
    weft.place %yc into [%b, *, %h, *], %sc into [%b, %h, *] : tensor<?x8xf32>, tensor<8xf32>
  }
  return %y, %s : tensor<?x?x?x8xf32>, tensor<?x?x8xf32>
}

// Rows by index: padded row numbers are a load with `else`, gathered and scattered rows keep their index; a placement's
// condition guards its store. Chunks from the last to the first: n = first + last - 1 - turn.
// CHECK-LABEL: wtile.kernel @by_index_kernel axes 1 {
// CHECK-NEXT:  ^bb0(%[[P:[^:]+]]: index, %[[ORDER:[^:]+]]: memref<?xi32, strided<[1]>>, %[[X:[^:]+]]: memref<?x8xf32, strided<[?, 1]>>, %[[LIVE:[^:]+]]: index, %[[Y:[^:]+]]: memref<?x8xf32, strided<[?, 1]>>, %[[Z:[^:]+]]: memref<?x8xf32, strided<[?, 1]>>):
// CHECK:         %[[PART:.+]] = memref.subview %[[ORDER]][%[[P]]] [%[[LIVE]]] [1]
// CHECK:         %[[NONE:.+]] = arith.constant -1 : i32
// CHECK:         %[[COUNT:.+]] = memref.dim %[[PART]],
// CHECK-NEXT:    %[[ROWS:.+]] = wtile.load %[[PART]][%[[ZERO:.+]]] live(%[[ZERO]], %[[COUNT]]) else %[[NONE]] : i32 : {{.*}} -> tensor<16xi32>
// CHECK:         %[[XG:.+]] = wtile.gather %[[X]][%[[ROWS]]] : {{.*}} -> tensor<16x8xf32>
// CHECK:         scf.for %[[TURN:.+]] = %[[FROM:.+]] to %[[TO:.+]] step %{{.+}} iter_args(
// CHECK:           %[[ENDS:.+]] = arith.addi %[[FROM]], %[[TO]]
// CHECK:           %[[MIRROR:.+]] = arith.subi %[[ENDS]], %[[TURN]]
// CHECK:           arith.subi %[[MIRROR]],
// CHECK:           %[[TOKENS:.+]] = wtile.load %[[ORDER]][
// CHECK:           wtile.gather %[[X]][%[[TOKENS]]]
// CHECK:         wtile.scatter %{{.+}}, %{{.+}}[%[[ROWS]]] live(%{{.+}}, %[[LIVE]]) : tensor<16x8xf32>, {{.*}}, tensor<16xi32>
// CHECK:         scf.if %{{.+}} {
// CHECK-NEXT:      wtile.store %[[XG]], %{{.+}}[%[[START:.+]]] live(%[[START]], %[[END:.+]]) : tensor<16x8xf32>, memref<?x8xf32
// CHECK-NEXT:    }
// CHECK-LABEL: func.func @by_index(
func.func @by_index(%x: tensor<?x8xf32>, %order: tensor<?xi32>, %live: index, %y0: tensor<?x8xf32>, %z0: tensor<?x8xf32>)
    -> (tensor<?x8xf32>, tensor<?x8xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  %T = tensor.dim %x, %c0 : tensor<?x8xf32>
  %y, %z = weft.kernel @by_index programs(%c1) outs(%y0, %z0 : tensor<?x8xf32>, tensor<?x8xf32>) {
  ^program(%p: index):
    %part = tensor.extract_slice %order[%p] [%live] [1] : tensor<?xi32> to tensor<?xi32>
    %missing = arith.subi %c16, %live : index
    %none = arith.constant -1 : i32
    %rows = tensor.pad %part low[0] high[%missing] {
    ^pad(%slot: index):
      tensor.yield %none : i32
    } : tensor<?xi32> to tensor<16xi32>
    %xg = weft.gather_rows %x[%rows] : tensor<?x8xf32>, tensor<16xi32> -> tensor<16x8xf32>
    %zero = arith.constant dense<0.0> : tensor<16x8xf32>
    %s = weft.chunked rows %c0 to %T by 16 descending slices(%order : tensor<?xi32>) carries(%zero : tensor<16x8xf32>) as [#weft.sum] {
    ^chunk(%n: index, %lo: index, %hi: index, %tokens: tensor<16xi32>, %state: tensor<16x8xf32>):
      %xc = weft.gather_rows %x[%tokens] : tensor<?x8xf32>, tensor<16xi32> -> tensor<16x8xf32>
      %kept = weft.keep_live %xc over 0 from %lo to %hi else 0.0 : tensor<16x8xf32>
      %e = weft.sum_element %kept : tensor<16x8xf32>
      weft.next carry(%e : !weft.element<#weft.sum>)
    }
    %first = arith.cmpi eq, %p, %c0 : index
    weft.place %s into [*, *] rows(%rows live %c0 to %live : tensor<16xi32>), %xg into [*, *] if %first : tensor<16x8xf32>, tensor<16x8xf32>
  }
  return %y, %z : tensor<?x8xf32>, tensor<?x8xf32>
}

// Without a weft.kernel nothing changes.
// CHECK-LABEL: func.func @none(
// CHECK-NEXT:    arith.addf
// CHECK-NEXT:    return
func.func @none(%x: tensor<8xf32>) -> tensor<8xf32> {
  %y = arith.addf %x, %x : tensor<8xf32>
  return %y : tensor<8xf32>
}
