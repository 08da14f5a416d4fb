// SCANWEFT_SKIP_PASS leaves one pass out, of any tool and of any pipeline.
// RUN: env SCANWEFT_SKIP_PASS=canonicalize %weft_opt_both %s --pass-pipeline="builtin.module(canonicalize,cse)" | FileCheck %s --check-prefixes=CHECK,SKIP
// RUN: env SCANWEFT_SKIP_PASS=cse %weft_opt_both %s --pass-pipeline="builtin.module(canonicalize,cse)" | FileCheck %s --check-prefixes=CHECK,ALL

// CHECK-LABEL: func @folded
// SKIP: arith.addi
// ALL-NOT: arith.addi
// CHECK: return
func.func @folded() -> i32 {
  %0 = arith.constant 2 : i32
  %1 = arith.constant 3 : i32
  %2 = arith.addi %0, %1 : i32
  return %2 : i32
}
