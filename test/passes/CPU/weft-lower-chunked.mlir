// Part of Scanweft, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// RUN: %weft_opt_both %s --pass-pipeline="builtin.module(weft-lower-chunked,canonicalize,cse)" | FileCheck %s
// RUN: %weft_opt_both %s --pass-pipeline="builtin.module(weft-lower-chunked{statistics},canonicalize)" | FileCheck %s --check-prefix=STATS

// Chunks from floor(from / C) to ceil(to / C), none without rows; live rows among zeros; the
// act on the threaded state; live rows into the threaded output.
// CHECK-LABEL: func.func @running_sum(
// CHECK-SAME:    %[[X:.+]]: tensor<?x8xf32>, %[[FROM:.+]]: index, %[[TO:.+]]: index, %[[INIT:.+]]: tensor<?x8xf32>, %[[S0:.+]]: tensor<8xf32>)
// CHECK-DAG:     %[[C16:.+]] = arith.constant 16 : index
// CHECK-DAG:     %[[LOG:.+]] = arith.constant 4 : index
// CHECK-DAG:     %[[ZERO:.+]] = arith.constant 0.000000e+00 : f32
// CHECK:         %[[FIRST:.+]] = arith.shrsi %[[FROM]], %[[LOG]]
// CHECK:         %[[UP:.+]] = arith.addi %[[TO]]
// CHECK:         %[[CEIL:.+]] = arith.shrsi %[[UP]], %[[LOG]]
// CHECK:         %[[SOME:.+]] = arith.cmpi slt, %[[FROM]], %[[TO]]
// CHECK:         %[[LAST:.+]] = arith.select %[[SOME]], %[[CEIL]], %[[FIRST]]
// CHECK:         scf.for %[[N:.+]] = %[[FIRST]] to %[[LAST]] {{.*}} iter_args(%[[OUT:.+]] = %[[INIT]], %[[S:.+]] = %[[S0]])
// CHECK:           %[[START:.+]] = arith.muli %[[N]], %[[C16]]
// CHECK:           %[[END:.+]] = arith.addi %[[START]], %[[C16]]
// CHECK:           %[[ROW:.+]] = arith.maxsi %[[START]], %[[FROM]]
// CHECK:           %[[ENDROW:.+]] = arith.minsi %[[END]], %[[TO]]
// CHECK:           %[[LO:.+]] = arith.subi %[[ROW]], %[[START]]
// CHECK:           %[[COUNT:.+]] = arith.subi %[[ENDROW]], %[[ROW]]
// CHECK:           %[[LIVE:.+]] = tensor.extract_slice %[[X]][%[[ROW]], 0] [%[[COUNT]], 8]
// CHECK:           %[[ZEROS:.+]] = linalg.fill ins(%[[ZERO]] : f32)
// CHECK:           %[[XC:.+]] = tensor.insert_slice %[[LIVE]] into %[[ZEROS]][%[[LO]], 0] [%[[COUNT]], 8]
// CHECK:           %[[ALL:.+]] = weft.sum %[[XC]] over 0
// CHECK:           %[[LIVEOUT:.+]] = tensor.extract_slice %{{.+}}[%[[LO]], 0] [%[[COUNT]], 8]
// CHECK:           %[[NEXTOUT:.+]] = tensor.insert_slice %[[LIVEOUT]] into %[[OUT]][%[[ROW]], 0] [%[[COUNT]], 8]
// CHECK:           %[[NEXTS:.+]] = arith.addf %[[S]], %[[ALL]]
// CHECK:           scf.yield %[[NEXTOUT]], %[[NEXTS]]
// CHECK-NOT:     weft.sum_element

// STATS-LABEL: func.func @running_sum(
// STATS-DAG:     %[[CHUNKS:.+]] = arith.constant 0 : i64
// STATS-DAG:     %[[ONE:.+]] = arith.constant 1 : i64
// STATS:         scf.for
// STATS:           func.call @weft_statistics_count(%[[CHUNKS]], %[[ONE]])
func.func @running_sum(%x: tensor<?x8xf32>, %from: index, %to: index, %init: tensor<?x8xf32>, %s0: tensor<8xf32>)
    -> (tensor<?x8xf32>, tensor<8xf32>) {
  %y, %total = weft.chunked rows %from to %to by 16 slices(%x : tensor<?x8xf32>)
      carries(%s0 : tensor<8xf32>) as [#weft.sum] outs(%init : tensor<?x8xf32>) {
  ^chunk(%n: index, %lo: index, %hi: index, %xc: tensor<16x8xf32>, %s: tensor<8xf32>):
    %inside = weft.cumsum %xc over 0 : tensor<16x8xf32>
    %before = weft.broadcast %s to [1] : tensor<8xf32> -> tensor<16x8xf32>
    %yc = arith.addf %inside, %before : tensor<16x8xf32>
    %all = weft.sum %xc over 0 : tensor<16x8xf32> -> tensor<8xf32>
    %e = weft.sum_element %all : tensor<8xf32>
    weft.next out(%yc : tensor<16x8xf32>) carry(%e : !weft.element<#weft.sum>)
  }
  return %y, %total : tensor<?x8xf32>, tensor<8xf32>
}

// The chunks last to first; a slice of indices; its dead rows are 0 as well.
// CHECK-LABEL: func.func @descending(
// CHECK:         scf.for %[[I:.+]] = %[[FIRST:.+]] to %[[LAST:.+]] step
// CHECK:           %[[SUM:.+]] = arith.addi %[[FIRST]], %[[LAST]]
// CHECK:           %[[MIRROR:.+]] = arith.subi %[[SUM]], %[[I]]
// CHECK:           arith.subi %[[MIRROR]], %{{.+}}
// CHECK:           tensor.extract_slice {{.*}} : tensor<?xi32> to tensor<?xi32>
// CHECK:           linalg.fill ins(%{{.+}} : i32) outs(%{{.+}} : tensor<4xi32>)
// CHECK:           tensor.insert_slice {{.*}} : tensor<?xi32> into tensor<4xi32>
func.func @descending(%k: tensor<?x8xf32>, %order: tensor<?xi32>, %from: index, %to: index, %s0: tensor<8xf32>) -> tensor<8xf32> {
  %total = weft.chunked rows %from to %to by 4 descending slices(%order : tensor<?xi32>)
      carries(%s0 : tensor<8xf32>) as [#weft.sum] {
  ^chunk(%n: index, %lo: index, %hi: index, %rows: tensor<4xi32>, %s: tensor<8xf32>):
    %kc = weft.gather_rows %k[%rows] : tensor<?x8xf32>, tensor<4xi32> -> tensor<4x8xf32>
    %live = weft.keep_live %kc over 0 from %lo to %hi else 0.0 : tensor<4x8xf32>
    %all = weft.sum %live over 0 : tensor<4x8xf32> -> tensor<8xf32>
    %e = weft.sum_element %all : tensor<8xf32>
    weft.next carry(%e : !weft.element<#weft.sum>)
  }
  return %total : tensor<8xf32>
}

// A summary's act is the fold of a dense element, and is counted as such.
// CHECK-LABEL: func.func @summary(
// CHECK:         scf.for {{.*}} iter_args(%[[F:.+]] = %{{.+}}, %[[G:.+]] = %{{.+}})
// CHECK:           weft.dot %{{.+}}, %[[G]] over [1, 0]
// CHECK:           weft.dot %{{.+}}, %[[F]] over [1, 0]
// STATS-LABEL: func.func @summary(
// STATS-DAG:     %[[FOLDS:.+]] = arith.constant 3 : i64
// STATS-DAG:     %[[ONE:.+]] = arith.constant 1 : i64
// STATS:         func.call @weft_statistics_count(%[[FOLDS]], %[[ONE]])
func.func @summary(%k: tensor<?x8xf32>, %v: tensor<?x2xf32>, %from: index, %to: index, %f0: tensor<8x8xf32>, %g0: tensor<8x2xf32>)
    -> (tensor<8x8xf32>, tensor<8x2xf32>) {
  %f, %g = weft.chunked rows %from to %to by 4 slices(%k, %v : tensor<?x8xf32>, tensor<?x2xf32>)
      carries(%f0, %g0 : tensor<8x8xf32>, tensor<8x2xf32>) as [#weft.summary<#weft.affine of tensor<8x2xf32>>] {
  ^chunk(%n: index, %lo: index, %hi: index, %kc: tensor<4x8xf32>, %vc: tensor<4x2xf32>, %fc: tensor<8x8xf32>, %gc: tensor<8x2xf32>):
    %e = weft.affine_element term(write(%kc : tensor<4x8xf32>) erase(%kc : tensor<4x8xf32>) value(%vc : tensor<4x2xf32>))
        numerics<in = f32, acc = f32>
    weft.next carry(%e : !weft.element<#weft.affine>)
  }
  return %f, %g : tensor<8x8xf32>, tensor<8x2xf32>
}

// Programs are loops that thread the results. Rows go where their index says, the live ones, and
// none outside the result; a condition guards a placement.
// CHECK-LABEL: func.func @scatter(
// CHECK-SAME:    %[[V:.+]]: tensor<64x8xf32>, %[[ROWS:.+]]: tensor<64xi32>, %[[T:.+]]: index, %[[LO:.+]]: index, %[[HI:.+]]: index
// CHECK:         scf.for %[[P:.+]] = %{{.+}} to %[[T]] {{.*}} iter_args(%[[A:.+]] = %{{.+}}, %[[B:.+]] = %{{.+}})
// CHECK:           %[[FIRST:.+]] = arith.cmpi eq, %[[P]]
// CHECK:           %[[FROM:.+]] = arith.maxsi %[[LO]], %{{.+}}
// CHECK:           %[[TO:.+]] = arith.minsi %[[HI]], %{{.+}}
// CHECK:           %[[SCATTERED:.+]] = scf.for %[[R:.+]] = %[[FROM]] to %[[TO]] {{.*}} iter_args(%[[AR:.+]] = %[[A]])
// CHECK:             %[[ENTRY:.+]] = tensor.extract %[[ROWS]][%[[R]]]
// CHECK:             %[[INDEX:.+]] = arith.index_cast %[[ENTRY]] : i32 to index
// CHECK:             %[[SIZE:.+]] = tensor.dim %[[AR]]
// CHECK:             %[[GE:.+]] = arith.cmpi sge, %[[INDEX]]
// CHECK:             %[[LT:.+]] = arith.cmpi slt, %[[INDEX]], %[[SIZE]]
// CHECK:             %[[INSIDE:.+]] = arith.andi %[[GE]], %[[LT]]
// CHECK:             scf.if %[[INSIDE]]
// CHECK:               %[[ROW:.+]] = tensor.extract_slice %[[V]][%[[R]], 0] [1, 8]
// CHECK:               tensor.insert_slice %[[ROW]] into %[[AR]][%[[P]], %[[INDEX]], 0] [1, 1, 8]
// CHECK:           %[[GUARDED:.+]] = scf.if %[[FIRST]]
// CHECK:             tensor.insert_slice %[[V]] into %[[B]][0, 0] [64, 8]
// CHECK:           scf.yield %[[SCATTERED]], %[[GUARDED]]
func.func @scatter(%x: tensor<64x8xf32>, %rows: tensor<64xi32>, %T: index, %lo: index, %hi: index) -> (tensor<?x?x8xf32>, tensor<?x8xf32>) {
  %c0 = arith.constant 0 : index
  %a0 = tensor.empty(%T, %T) : tensor<?x?x8xf32>
  %b0 = tensor.empty(%T) : tensor<?x8xf32>
  %a, %b = weft.kernel @scatter programs(%T) outs(%a0, %b0 : tensor<?x?x8xf32>, tensor<?x8xf32>) {
  ^program(%p: index):
    %first = arith.cmpi eq, %p, %c0 : index
    weft.place %x into [%p, *, *] rows(%rows live %lo to %hi : tensor<64xi32>),
               %x into [*, *] if %first : tensor<64x8xf32>, tensor<64x8xf32>
  }
  return %a, %b : tensor<?x?x8xf32>, tensor<?x8xf32>
}

// What is neither a kernel nor a loop over chunks stays.
// CHECK-LABEL: func.func @untouched(
// CHECK-NEXT:    %[[P:.+]] = weft.dot
// CHECK-NEXT:    %[[C:.+]] = weft.combine #weft.sum
// CHECK-NEXT:    return %[[P]], %[[C]]
func.func @untouched(%a: tensor<16x8xf32>, %b: tensor<8x4xf32>, %s: tensor<8xf32>) -> (tensor<16x4xf32>, tensor<8xf32>) {
  %p = weft.dot %a, %b over [1, 0] numerics<in = f32, acc = f32> : tensor<16x8xf32>, tensor<8x4xf32> -> tensor<16x4xf32>
  %c = weft.combine #weft.sum later(%s : tensor<8xf32>) earlier(%s : tensor<8xf32>) numerics<in = f32, acc = f32>
  return %p, %c : tensor<16x4xf32>, tensor<8xf32>
}

// STATS: func.func private @weft_statistics_count(i64, i64)
