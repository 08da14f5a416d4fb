// Part of Scanweft, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The whole way from the algebra stage, and how a chunk's size is chosen.

// RUN: weft-opt %s --weft-to-chunked | FileCheck %s --check-prefixes=CHECK,CHOSEN
// RUN: weft-opt %s --weft-to-chunked=chunk=16 | FileCheck %s --check-prefixes=CHECK,GIVEN
// RUN: weft-opt %s --weft-to-chunked --remarks-filter="weft-chunk" --remark-policy=all --remark-format=emitRemark -o /dev/null 2>&1 \
// RUN:   | FileCheck %s --check-prefix=REMARK
// RUN: weft-opt %s --weft-to-chunked=chunk=16 --remarks-filter="weft-chunk" --remark-policy=all --remark-format=emitRemark -o /dev/null 2>&1 \
// RUN:   | FileCheck %s --check-prefix=SILENT --allow-empty

// SILENT-NOT: ChunkSize

// Feature maps, scan and normaliser: one kernel. The FLOPs of products at 64 rows are
// 2 C (K + V) + 4 K V + 2 K of the normaliser, a token.
// REMARK: weft-to-chunked.mlir:[[#@LINE+13]]:{{.*}} [Analysis] ChunkSize | Category:weft-chunk
// REMARK-SAME: Reason="16: {{[0-9]+}} cycles, {{[0-9]+}} FLOP, {{[0-9]+}} B a token, {{[0-9]+}} KB of tiles; 32: {{.*}} 64: {{[0-9]+}} cycles, 32896 FLOP, 512 B a token, {{.*}} 256: {{.*}}, which do not fit"
// REMARK-SAME: Remark="chunk 64 on sm_90a", Suggestion="'chunk' on a scan overrides the choice"
// CHECK-LABEL: func.func @normalized(
// CHECK-COUNT-1: weft.kernel @normalized
// CHOSEN:        weft.chunked {{.*}} by 64 slices
// GIVEN:         weft.chunked {{.*}} by 16 slices
// CHECK-SAME:      as [#weft.sum, #weft.sum]
// CHECK:         return
// CHECK-NOT:     weft.{{(softmax|affine_scan|group)}}
func.func @normalized(%q: tensor<?x?x?x64xbf16>, %k: tensor<?x?x?x64xbf16>, %v: tensor<?x?x?x64xbf16>) -> tensor<?x?x?x64xbf16> {
  %fq = weft.softmax %q over 3 : tensor<?x?x?x64xbf16> -> tensor<?x?x?x64xf32>
  %fk = weft.softmax %k over 3 : tensor<?x?x?x64xbf16> -> tensor<?x?x?x64xf32>
  %o = weft.affine_scan over 1 write(%fk, %v : tensor<?x?x?x64xf32>, tensor<?x?x?x64xbf16>) read(%fq : tensor<?x?x?x64xf32>)
      normalize(added 1.0e-6) -> tensor<?x?x?x64xbf16>
  return %o : tensor<?x?x?x64xbf16>
}

// What a scan asks for comes before the cost model.
// REMARK-NOT: ChunkSize
// CHECK-LABEL: func.func @asked(
// CHOSEN:        weft.chunked {{.*}} by 32 slices
// GIVEN:         weft.chunked {{.*}} by 16 slices
func.func @asked(%x: tensor<?x?x?x8xf32>) -> tensor<?x?x?x8xf32> {
  %y = weft.prefix_sum %x over 1 chunk 32 : tensor<?x?x?x8xf32> -> tensor<?x?x?x8xf32>
  return %y : tensor<?x?x?x8xf32>
}
