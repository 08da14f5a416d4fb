// Part of Scanweft, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// RUN: %weft_opt_both %s --pass-pipeline="builtin.module(weft-lower-body,canonicalize,cse)" | FileCheck %s
// RUN: %weft_opt_both %s --pass-pipeline="builtin.module(weft-lower-body{statistics})" | FileCheck %s --check-prefix=STATS

// What the ops compute is tested by executing them (test/execution/body_ops.py); here is how.
// CHECK-NOT: {{weft\.[a-z]}}

// Both operands rounded inside the one loop nest, nearest and ties away (half of the last of 13
// dropped bits is added), NaN kept; the loop over rhs's free dim innermost.
// CHECK-DAG: #[[$IK:.+]] = affine_map<(d0, d1, d2) -> (d0, d1)>
// CHECK-DAG: #[[$KJ:.+]] = affine_map<(d0, d1, d2) -> (d1, d2)>
// CHECK-DAG: #[[$IJ:.+]] = affine_map<(d0, d1, d2) -> (d0, d2)>
// CHECK-LABEL: func.func @rounded_product(
// CHECK-SAME:    %[[A:.+]]: tensor<?x8xf32>, %[[B:.+]]: tensor<8x4xf32>)
// CHECK-DAG:     %[[ZERO:.+]] = arith.constant 0.000000e+00 : f32
// CHECK-DAG:     %[[MASK:.+]] = arith.constant -8192 : i32
// CHECK-DAG:     %[[HALF:.+]] = arith.constant 4096 : i32
// CHECK:         %[[ROWS:.+]] = tensor.dim %[[A]]
// CHECK:         %[[EMPTY:.+]] = tensor.empty(%[[ROWS]]) : tensor<?x4xf32>
// CHECK:         %[[INIT:.+]] = linalg.fill ins(%[[ZERO]] : f32) outs(%[[EMPTY]]
// CHECK:         %[[C:.+]] = linalg.generic {indexing_maps = [#[[$IK]], #[[$KJ]], #[[$IJ]]], iterator_types = ["parallel", "reduction", "parallel"]}
// CHECK-SAME:      ins(%[[A]], %[[B]] : tensor<?x8xf32>, tensor<8x4xf32>) outs(%[[INIT]]
// CHECK-NEXT:    ^bb0(%[[X:.+]]: f32, %[[Y:.+]]: f32, %[[ACC:.+]]: f32):
// CHECK-NEXT:      %[[BITS:.+]] = arith.bitcast %[[X]] : f32 to i32
// CHECK-NEXT:      %[[UP:.+]] = arith.addi %[[BITS]], %[[HALF]]
// CHECK-NEXT:      %[[KEPT:.+]] = arith.andi %[[UP]], %[[MASK]]
// CHECK-NEXT:      %[[NEAR:.+]] = arith.bitcast %[[KEPT]] : i32 to f32
// CHECK-NEXT:      %[[NAN:.+]] = arith.cmpf uno, %[[X]], %[[X]]
// CHECK-NEXT:      %[[XR:.+]] = arith.select %[[NAN]], %[[X]], %[[NEAR]]
// CHECK:           %[[YR:.+]] = arith.select %{{.+}}, %[[Y]]
// CHECK-NEXT:      %[[XY:.+]] = arith.mulf %[[XR]], %[[YR]]
// CHECK-NEXT:      %[[SUM:.+]] = arith.addf %[[ACC]], %[[XY]]
// CHECK-NEXT:      linalg.yield %[[SUM]]
// CHECK:         return %[[C]]
func.func @rounded_product(%a: tensor<?x8xf32>, %b: tensor<8x4xf32>) -> tensor<?x4xf32> {
  %c = weft.dot %a, %b over [1, 0] numerics<in = tf32, acc = f32> : tensor<?x8xf32>, tensor<8x4xf32> -> tensor<?x4xf32>
  return %c : tensor<?x4xf32>
}

// What bf16 holds is not rounded to bf16, and nothing is in f64.
// CHECK-LABEL: func.func @exact_products(
// CHECK-NOT:     arith.bitcast
// CHECK:         return
func.func @exact_products(%a: tensor<4x8xbf16>, %b: tensor<4x8xf64>) -> (tensor<4x4xf32>, tensor<4x4xf64>) {
  %c = weft.dot %a, %a over [1, 1] numerics<in = bf16, acc = f32> : tensor<4x8xbf16>, tensor<4x8xbf16> -> tensor<4x4xf32>
  %d = weft.dot %b, %b over [1, 1] numerics<in = f64, acc = f64> : tensor<4x8xf64>, tensor<4x8xf64> -> tensor<4x4xf64>
  return %c, %d : tensor<4x4xf32>, tensor<4x4xf64>
}

// The exponent is masked before exp, and a masked term is not added, whatever it is.
// CHECK-LABEL: func.func @decayed(
// CHECK:         linalg.generic {{.*}} iterator_types = ["parallel", "parallel", "reduction"]
// CHECK:         ^bb0(%{{.+}}: f32, %{{.+}}: f32, %[[G:.+]]: f32, %[[H:.+]]: f32, %[[ACC:.+]]: f32):
// CHECK:           %[[T:.+]] = linalg.index 0
// CHECK:           %[[S:.+]] = linalg.index 1
// CHECK:           %[[SEEN:.+]] = arith.cmpi slt, %[[S]], %[[T]]
// CHECK:           %[[E:.+]] = arith.subf %[[G]], %[[H]]
// CHECK:           %[[MASKED:.+]] = arith.select %[[SEEN]], %[[E]], %{{.+}} : f32
// CHECK:           math.exp %[[MASKED]]
// CHECK:           %[[SUM:.+]] = arith.addf %[[ACC]]
// CHECK:           %[[KEPT:.+]] = arith.select %[[SEEN]], %[[SUM]], %[[ACC]]
// CHECK:           linalg.yield %[[KEPT]]
func.func @decayed(%a: tensor<16x8xf32>, %g: tensor<16x8xf32>) -> tensor<16x16xf32> {
  %s = weft.decayed_dot %a, %a decay(%g, %g : tensor<16x8xf32>) strict numerics<in = f32, acc = f32>
      : tensor<16x8xf32>, tensor<16x8xf32> -> tensor<16x16xf32>
  return %s : tensor<16x16xf32>
}

// The function's body is cloned into the loop; what a dead row holds is not combined; an
// exclusive scan stores before it combines, from the last row.
// CHECK-LABEL: func.func @scan_rows(
// CHECK-SAME:    %[[X:.+]]: tensor<16x8xf32>, %[[LO:.+]]: index, %[[HI:.+]]: index)
// CHECK-DAG:     %[[ID:.+]] = arith.constant 0xFF800000 : f32
// CHECK-DAG:     %[[C15:.+]] = arith.constant 15 : index
// CHECK:         scf.for %[[I:[^ ]+]] = {{.*}} iter_args(%[[OUT:.+]] = %{{.+}}, %[[ACC:.+]] = %{{.+}})
// CHECK:           %[[ROW:.+]] = arith.subi %[[C15]], %[[I]]
// CHECK:           %[[XT:.+]] = tensor.extract_slice %[[X]][%[[ROW]], 0] [1, 8]
// CHECK:           %[[STORED:.+]] = tensor.insert_slice %[[ACC]] into %[[OUT]][%[[ROW]], 0]
// CHECK-DAG:       %[[GE:.+]] = arith.cmpi sge, %[[ROW]], %[[LO]]
// CHECK-DAG:       %[[LT:.+]] = arith.cmpi slt, %[[ROW]], %[[HI]]
// CHECK:           %[[LIVE:.+]] = arith.andi %[[GE]], %[[LT]]
// CHECK:           %[[NEXT:.+]] = linalg.generic {{.*}} ins(%[[XT]] : tensor<8xf32>) outs(%[[ACC]] : tensor<8xf32>)
// CHECK:             %[[LATER:.+]] = arith.select %[[LIVE]], %{{.+}}, %[[ID]]
// CHECK:             arith.maximumf %{{.+}}, %[[LATER]]
// CHECK:           scf.yield %[[STORED]], %[[NEXT]]
func.func private @larger(%earlier: f32, %later: f32) -> f32 {
  %m = arith.maximumf %earlier, %later : f32
  return %m : f32
}
func.func @scan_rows(%x: tensor<16x8xf32>, %lo: index, %hi: index) -> (tensor<16x8xf32>, tensor<8xf32>) {
  %y, %t = weft.scan_rows (%x : tensor<16x8xf32>) by @larger identity [0xFF800000 : f32]
      from %lo to %hi exclusive reverse -> (tensor<16x8xf32>), (tensor<8xf32>)
  return %y, %t : tensor<16x8xf32>, tensor<8xf32>
}

// Nothing outside the source is read: a negative index is beyond the end too.
// CHECK-LABEL: func.func @gather_rows(
// CHECK-SAME:    %[[X:.+]]: tensor<?x8xf16>, %[[ROWS:.+]]: tensor<4xi32>)
// CHECK:         %[[COUNT:.+]] = tensor.dim %[[X]]
// CHECK:         scf.for %[[I:[^ ]+]] =
// CHECK:           %[[INDEX:.+]] = tensor.extract %[[ROWS]][%[[I]]]
// CHECK:           %[[ROW:.+]] = arith.index_cast %[[INDEX]]
// CHECK:           %[[INSIDE:.+]] = arith.cmpi ult, %[[ROW]], %[[COUNT]]
// CHECK:           scf.if %[[INSIDE]]
// CHECK:             tensor.extract_slice %[[X]][%[[ROW]], 0] [1, 8]
func.func @gather_rows(%x: tensor<?x8xf16>, %i: tensor<4xi32>) -> tensor<4x8xf16> {
  %y = weft.gather_rows %x[%i] : tensor<?x8xf16>, tensor<4xi32> -> tensor<4x8xf16>
  return %y : tensor<4x8xf16>
}

// Products of one block of 16 rows are exact, those between blocks rounded.
// CHECK-LABEL: func.func @solve(
// CHECK:         scf.for %[[ROW:[^ ]+]] =
// CHECK:           linalg.generic {{.*}} iterator_types = ["reduction", "parallel"]
// CHECK:             %[[OTHER:.+]] = linalg.index 0
// CHECK:             %[[EXACT:.+]] = arith.mulf
// CHECK-DAG:         %[[ROWBLOCK:.+]] = arith.shrui %[[ROW]], %[[LOG:[^ ]+]] : index
// CHECK-DAG:         %[[OTHERBLOCK:.+]] = arith.shrui %[[OTHER]], %[[LOG]] : index
// CHECK:             %[[SAME:.+]] = arith.cmpi eq, %[[ROWBLOCK]], %[[OTHERBLOCK]]
// CHECK:             %[[ROUNDED:.+]] = arith.mulf
// CHECK:             arith.select %[[SAME]], %[[EXACT]], %[[ROUNDED]]
// CHECK:             %[[DONE:.+]] = arith.cmpi slt, %[[OTHER]], %[[ROW]]
func.func @solve(%l: tensor<64x64xf32>, %x: tensor<64x8xf32>) -> tensor<64x8xf32> {
  %y = weft.solve_tril %l, %x unit numerics<in = bf16, acc = f32> : tensor<64x64xf32>, tensor<64x8xf32> -> tensor<64x8xf32>
  return %y : tensor<64x8xf32>
}

// CHECK-LABEL: func.func @factor(
// CHECK-NOT:     call
// STATS-LABEL: func.func @factor(
// STATS:         %[[FACTORS:.+]] = arith.constant 4 : i64
// STATS:         %[[ONE:.+]] = arith.constant 1 : i64
// STATS:         call @weft_statistics_count(%[[FACTORS]], %[[ONE]])
// STATS-NOT:     call @weft_statistics_count
func.func @factor(%m: tensor<32x32xf64>) -> tensor<32x32xf64> {
  %l = weft.cholesky %m numerics<in = f64, acc = f64> : tensor<32x32xf64>
  return %l : tensor<32x32xf64>
}

// Slots of bits that are not set are not read.
// CHECK-LABEL: func.func @fenwick_read(
// CHECK-SAME:    %[[STACK:[^:]+]]: tensor<6x8x4xf32>, %[[N:[^:]+]]: index
// CHECK:         scf.for %[[SLOT:[^ ]+]] =
// CHECK:           %[[SHIFTED:.+]] = arith.shrui %[[N]], %[[SLOT]]
// CHECK:           %[[BIT:.+]] = arith.andi %[[SHIFTED]]
// CHECK:           %[[SET:.+]] = arith.cmpi eq, %[[BIT]]
// CHECK:           scf.if %[[SET]]
// CHECK:             tensor.extract_slice %[[STACK]][%[[SLOT]], 0, 0]
func.func @fenwick_read(%s: tensor<6x8x4xf32>, %n: index, %q: tensor<16x8xf32>, %l: tensor<16x9xf32>) -> tensor<16x4xf32> {
  %o = weft.fenwick_read %s at %n query %q levels %l from 5 numerics<in = f32, acc = f32>
      : tensor<6x8x4xf32>, tensor<16x8xf32>, tensor<16x9xf32> -> tensor<16x4xf32>
  return %o : tensor<16x4xf32>
}

// A tensor without entries has no slices.
// CHECK-LABEL: func.func @no_entries(
// CHECK-NEXT:    %[[E:.+]] = tensor.empty() : tensor<3x0xf32>
// CHECK-NEXT:    return %[[E]]
func.func @no_entries(%x: tensor<3x0xf32>) -> tensor<3x0xf32> {
  %s = weft.cumsum %x over 0 : tensor<3x0xf32>
  return %s : tensor<3x0xf32>
}
