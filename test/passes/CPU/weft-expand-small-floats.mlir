// Part of Scanweft, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// RUN: %weft_opt_both %s --pass-pipeline="builtin.module(func.func(weft-expand-small-floats))" | FileCheck %s

// Nearest in f32; where that is not exact, one towards zero and the last bit set.
// CHECK-LABEL: func.func @from_f64(
// CHECK-SAME:    %[[X:.+]]: f64)
// CHECK-DAG:     %[[ONE:.+]] = arith.constant 1 : i32
// CHECK-DAG:     %[[ZERO:.+]] = arith.constant 0.0{{.*}} : f64
// CHECK:         %[[NEAREST:.+]] = arith.truncf %[[X]] : f64 to f32
// CHECK:         %[[BACK:.+]] = arith.extf %[[NEAREST]] : f32 to f64
// CHECK:         %[[BITS:.+]] = arith.bitcast %[[NEAREST]] : f32 to i32
// CHECK:         %[[ABOVE:.+]] = arith.cmpf ogt, %[[BACK]], %[[X]]
// CHECK:         %[[POSITIVE:.+]] = arith.cmpf ogt, %[[X]], %[[ZERO]]
// CHECK:         %[[INEXACT:.+]] = arith.cmpf one, %[[BACK]], %[[X]]
// CHECK:         %[[SAME:.+]] = arith.cmpi eq, %[[ABOVE]], %[[POSITIVE]]
// CHECK:         %[[LOWER:.+]] = arith.subi %[[BITS]], %[[ONE]]
// CHECK:         %[[TOWARDS:.+]] = arith.select %[[SAME]], %[[LOWER]], %[[BITS]]
// CHECK:         %[[ODD:.+]] = arith.ori %[[TOWARDS]], %[[ONE]]
// CHECK:         %[[CHOSEN:.+]] = arith.select %[[INEXACT]], %[[ODD]], %[[BITS]]
// CHECK:         %[[SINGLE:.+]] = arith.bitcast %[[CHOSEN]] : i32 to f32
// CHECK:         arith.truncf %[[SINGLE]] : f32 to bf16
func.func @from_f64(%x: f64) -> bf16 {
  %y = arith.truncf %x : f64 to bf16
  return %y : bf16
}

// CHECK-LABEL: func.func @to_f64(
// CHECK-SAME:    %[[X:.+]]: f16)
// CHECK-NEXT:    %[[SINGLE:.+]] = arith.extf %[[X]] : f16 to f32
// CHECK-NEXT:    arith.extf %[[SINGLE]] : f32 to f64
func.func @to_f64(%x: f16) -> f64 {
  %y = arith.extf %x : f16 to f64
  return %y : f64
}

// CHECK-LABEL: func.func @from_integer(
// CHECK-SAME:    %[[X:.+]]: i32)
// CHECK:         arith.uitofp %[[X]] : i32 to f64
// CHECK-NOT:     uitofp {{.*}} to bf16
func.func @from_integer(%x: i32) -> bf16 {
  %y = arith.uitofp %x : i32 to bf16
  return %y : bf16
}

// One step does it.
// CHECK-LABEL: func.func @from_f32(
// CHECK-NEXT:    arith.truncf %{{.+}} : f32 to bf16
// CHECK-NEXT:    return
func.func @from_f32(%x: f32) -> bf16 {
  %y = arith.truncf %x : f32 to bf16
  return %y : bf16
}
