// The stock mlir-opt learns the dialect and the passes from one object.
// REQUIRES: plugin
// RUN: mlir-opt --load-dialect-plugin=%plugin --load-pass-plugin=%plugin --show-dialects | FileCheck %s --check-prefix=DIALECTS
// RUN: %weft_opt_both %s --canonicalize | FileCheck %s

// DIALECTS: Available Dialects: {{.*}}weft

// CHECK-LABEL: func @folded
// CHECK: %[[FIVE:.*]] = arith.constant 5 : i32
// CHECK: return %[[FIVE]]
func.func @folded() -> i32 {
  %0 = arith.constant 2 : i32
  %1 = arith.constant 3 : i32
  %2 = arith.addi %0, %1 : i32
  return %2 : i32
}
