// Part of Scanweft, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// RUN: %weft_opt_both %s --pass-pipeline="builtin.module(wtile-expand-body,cse)" | FileCheck %s --implicit-check-not=weft.

// One pattern per body op; no body op is left in a kernel.

func.func private @then(%a1: f32, %b1: f32, %a2: f32, %b2: f32) -> (f32, f32) {
  %a = arith.mulf %a2, %a1 : f32
  %b = arith.addf %b1, %b2 : f32
  return %a, %b : f32, f32
}

//===----------------------------------------------------------------------===//
// Masks are comparisons of coordinates
//===----------------------------------------------------------------------===//

// CHECK-LABEL: wtile.kernel @triangles
// CHECK-DAG:     %[[ZERO:.+]] = arith.constant dense<0.000000e+00> : tensor<64x64xf32>
// CHECK-DAG:     %[[ONE:.+]] = arith.constant dense<1.000000e+00> : tensor<64x64xf32>
// CHECK-DAG:     %[[UP:.+]] = arith.constant dense<1> : tensor<64x64xi32>
// CHECK-DAG:     %[[DOWN:.+]] = arith.constant dense<-1> : tensor<64x64xi32>
// CHECK:         %[[X:.+]] = wtile.load
// CHECK-DAG:     %[[ROW:.+]] = wtile.coordinate 0 : tensor<64x64xi32>
// CHECK-DAG:     %[[COLUMN:.+]] = wtile.coordinate 1 : tensor<64x64xi32>
// CHECK:         %[[BELOW:.+]] = arith.addi %[[ROW]], %[[DOWN]]
// CHECK:         %[[STRICT:.+]] = arith.cmpi sle, %[[COLUMN]], %[[BELOW]]
// CHECK:         %[[LOWER:.+]] = arith.select %[[STRICT]], %[[X]], %[[ZERO]]
// CHECK:         wtile.store %[[LOWER]]
// Time runs the other way: what is later is kept.
// CHECK:         %[[ABOVE:.+]] = arith.addi %[[ROW]], %[[UP]]
// CHECK:         %[[LATER:.+]] = arith.cmpi sge, %[[COLUMN]], %[[ABOVE]]
// CHECK:         %[[UPPER:.+]] = arith.select %[[LATER]], %[[X]], %[[ZERO]]
// CHECK:         wtile.store %[[UPPER]]
// CHECK:         %[[DIAGONAL:.+]] = arith.cmpi eq, %[[ROW]], %[[COLUMN]]
// CHECK:         %[[EYE:.+]] = arith.select %[[DIAGONAL]], %[[ONE]], %[[ZERO]]
// CHECK:         wtile.store %[[EYE]]
wtile.kernel @triangles axes 0 {
^program(%x: memref<64x64xf32>, %o: memref<64x64xf32>):
  %t = wtile.load %x : memref<64x64xf32> -> tensor<64x64xf32>
  %lower = weft.tril %t diagonal -1 : tensor<64x64xf32>
  wtile.store %lower, %o : tensor<64x64xf32>, memref<64x64xf32>
  %upper = weft.tril %t diagonal -1 reverse : tensor<64x64xf32>
  wtile.store %upper, %o : tensor<64x64xf32>, memref<64x64xf32>
  %eye = weft.eye : tensor<64x64xf32>
  wtile.store %eye, %o : tensor<64x64xf32>, memref<64x64xf32>
}

// CHECK-LABEL: wtile.kernel @windows
// CHECK-SAME:    {
// CHECK-NEXT:  ^bb0(%{{[^:]+}}: memref<64x32xf32>, %{{[^:]+}}: memref<64xi32>, %{{[^:]+}}: memref<32xi32>, %{{[^:]+}}: memref<64x32xf32>, %[[LO:[^:]+]]: index, %[[HI:[^:]+]]: index, %[[P:[^:]+]]: index, %[[N:[^:]+]]: index):
// CHECK-DAG:     %[[NEVER:.+]] = arith.constant dense<0xFF800000> : tensor<64x32xf32>
// CHECK-DAG:     %[[LEFT:.+]] = arith.constant dense<-128> : tensor<64x32xi32>
// CHECK-DAG:     %[[RIGHT:.+]] = arith.constant dense<127> : tensor<64x32xi32>
// CHECK:         %[[X:.+]] = wtile.load
// CHECK:         %[[COLUMN:.+]] = wtile.coordinate 1 : tensor<64x32xi32>
// CHECK:         %[[FROM:.+]] = arith.index_cast %[[LO]] : index to i32
// CHECK:         tensor.splat %[[FROM]]
// CHECK:         %[[NOTBEFORE:.+]] = arith.cmpi sge, %[[COLUMN]],
// CHECK:         arith.index_cast %[[HI]]
// CHECK:         %[[NOTAFTER:.+]] = arith.cmpi slt, %[[COLUMN]],
// CHECK:         %[[LIVE:.+]] = arith.andi %[[NOTBEFORE]], %[[NOTAFTER]]
// CHECK:         %[[KEPT:.+]] = arith.select %[[LIVE]], %[[X]], %[[NEVER]]
// CHECK:         wtile.store %[[KEPT]]
// Slot of the key minus slot of the query.
// CHECK:         %[[ROW:.+]] = wtile.coordinate 0
// CHECK:         %[[SHIFT:.+]] = arith.subi %[[N]], %[[P]] : index
// CHECK:         %[[INSIDE:.+]] = arith.subi %[[COLUMN]], %[[ROW]]
// CHECK:         arith.index_cast %[[SHIFT]]
// CHECK:         %[[DISTANCE:.+]] = arith.addi %[[INSIDE]],
// CHECK-DAG:     %[[NEAR:.+]] = arith.cmpi sge, %[[DISTANCE]], %[[LEFT]]
// CHECK-DAG:     %[[AHEAD:.+]] = arith.cmpi sle, %[[DISTANCE]], %[[RIGHT]]
// CHECK-DAG:     %[[QUERY:.+]] = wtile.broadcast %{{.+}} to [0] : tensor<64xi32>
// CHECK-DAG:     %[[KEY:.+]] = wtile.broadcast %{{.+}} to [1] : tensor<32xi32>
// CHECK-DAG:     %[[PAST:.+]] = arith.cmpi sle, %[[KEY]], %[[QUERY]]
// CHECK:         %[[A:.+]] = arith.select %[[NEAR]], %[[X]], %[[NEVER]]
// CHECK:         %[[B:.+]] = arith.select %[[AHEAD]], %[[A]], %[[NEVER]]
// CHECK:         %[[C:.+]] = arith.select %[[PAST]], %[[B]], %[[NEVER]]
// CHECK:         wtile.store %[[C]]
// Unbounded sides are not compared.
// CHECK-NOT:     arith.cmpi
// CHECK:         wtile.store %[[X]]
wtile.kernel @windows axes 0 {
^program(%x: memref<64x32xf32>, %q: memref<64xi32>, %k: memref<32xi32>, %o: memref<64x32xf32>, %lo: index, %hi: index, %p: index, %n: index):
  %t = wtile.load %x : memref<64x32xf32> -> tensor<64x32xf32>
  %live = weft.keep_live %t over 1 from %lo to %hi else 0xFFF0000000000000 : tensor<64x32xf32>
  wtile.store %live, %o : tensor<64x32xf32>, memref<64x32xf32>
  %qi = wtile.load %q : memref<64xi32> -> tensor<64xi32>
  %ki = wtile.load %k : memref<32xi32> -> tensor<32xi32>
  %seen = weft.mask_window %t window [128, 127] rows %p cols %n causal(%qi, %ki : tensor<64xi32>, tensor<32xi32>) : tensor<64x32xf32>
  wtile.store %seen, %o : tensor<64x32xf32>, memref<64x32xf32>
  %all = weft.mask_window %t window [*, *] rows %p cols %n : tensor<64x32xf32>
  wtile.store %all, %o : tensor<64x32xf32>, memref<64x32xf32>
}

// The level of two rows is the length in bits of their numbers' XOR.
// CHECK-LABEL: wtile.kernel @levels
// CHECK-DAG:     %[[BITS:.+]] = arith.constant dense<32> : tensor<64x64xi32>
// CHECK:         %[[L:.+]] = wtile.load %{{.+}} -> tensor<64x16xbf16>
// CHECK-DAG:     %[[ROW:.+]] = wtile.coordinate 0 : tensor<64x64xi32>
// CHECK-DAG:     %[[COLUMN:.+]] = wtile.coordinate 1 : tensor<64x64xi32>
// CHECK:         %[[DIFFER:.+]] = arith.xori %[[ROW]], %[[COLUMN]]
// CHECK:         %[[CLEAR:.+]] = math.ctlz %[[DIFFER]]
// CHECK:         %[[LEVEL:.+]] = arith.subi %[[BITS]], %[[CLEAR]]
// CHECK:         %[[PAST:.+]] = arith.cmpi sle, %[[COLUMN]], %[[ROW]]
// CHECK:         %[[SAFE:.+]] = arith.select %[[PAST]], %[[LEVEL]], %{{.+}} : tensor<64x64xi1>, tensor<64x64xi32>
// CHECK:         %[[TAKEN:.+]] = wtile.take %[[L]][%[[SAFE]]] : tensor<64x16xbf16>, tensor<64x64xi32> -> tensor<64x64xbf16>
// CHECK:         %[[WIDE:.+]] = arith.extf %[[TAKEN]]
// CHECK:         arith.select %[[PAST]], %[[WIDE]], %{{.+}} : tensor<64x64xi1>, tensor<64x64xf32>
wtile.kernel @levels axes 0 {
^program(%s: memref<64x16xbf16>, %o: memref<64x64xf32>):
  %l = wtile.load %s : memref<64x16xbf16> -> tensor<64x16xbf16>
  %weights = weft.level_weights %l : tensor<64x16xbf16> -> tensor<64x64xf32>
  wtile.store %weights, %o : tensor<64x64xf32>, memref<64x64xf32>
}

//===----------------------------------------------------------------------===//
// Reductions, scans and maps along a dim
//===----------------------------------------------------------------------===//

// CHECK-LABEL: wtile.kernel @reductions
// CHECK:         %[[X:.+]] = wtile.load
// CHECK:         %[[SUM:.+]] = wtile.reduce(%[[X]] : tensor<64x32xf32>) over 0 commutative -> (tensor<32xf32>) {
// CHECK-NEXT:    ^bb0(%[[A:.+]]: f32, %[[B:.+]]: f32):
// CHECK-NEXT:      %[[C:.+]] = arith.addf %[[A]], %[[B]]
// CHECK-NEXT:      wtile.yield %[[C]]
// CHECK:         %[[MAX:.+]] = wtile.reduce(%[[X]] : tensor<64x32xf32>) over 1 commutative -> (tensor<64xf32>) {
// CHECK:           arith.maximumf
// CHECK:         wtile.broadcast %[[SUM]] to [1] : tensor<32xf32> -> tensor<64x32xf32>
// CHECK:         wtile.broadcast %[[MAX]] to [0] : tensor<64xf32> -> tensor<64x32xf32>
// CHECK:         wtile.concat %{{.+}}, %{{.+}} over 0 : tensor<64x32xf32>, tensor<64x32xf32> -> tensor<128x32xf32>
wtile.kernel @reductions axes 0 {
^program(%x: memref<64x32xf32>, %o: memref<128x32xf32>):
  %t = wtile.load %x : memref<64x32xf32> -> tensor<64x32xf32>
  %sum = weft.sum %t over 0 : tensor<64x32xf32> -> tensor<32xf32>
  %max = weft.max %t over 1 : tensor<64x32xf32> -> tensor<64xf32>
  %sums = weft.broadcast %sum to [1] : tensor<32xf32> -> tensor<64x32xf32>
  %maxima = weft.broadcast %max to [0] : tensor<64xf32> -> tensor<64x32xf32>
  %both = weft.concat %sums, %maxima over 0 : tensor<64x32xf32>, tensor<64x32xf32> -> tensor<128x32xf32>
  wtile.store %both, %o : tensor<128x32xf32>, memref<128x32xf32>
}

// A row of minus infinities has weights of zero: neither its maximum nor its sum is used.
// CHECK-LABEL: wtile.kernel @softmax
// CHECK-DAG:     %[[NEVER:.+]] = arith.constant dense<0xFF800000> : tensor<64xf32>
// CHECK-DAG:     %[[ZERO:.+]] = arith.constant dense<0.000000e+00> : tensor<64xf32>
// CHECK-DAG:     %[[ONE:.+]] = arith.constant dense<1.000000e+00> : tensor<64xf32>
// CHECK:         %[[X:.+]] = arith.extf %{{.+}} : tensor<64x32xbf16> to tensor<64x32xf32>
// CHECK:         %[[TOP:.+]] = wtile.reduce(%[[X]] : tensor<64x32xf32>) over 1
// CHECK:         %[[NONE:.+]] = arith.cmpf oeq, %[[TOP]], %[[NEVER]]
// CHECK:         %[[SAFE:.+]] = arith.select %[[NONE]], %[[ZERO]], %[[TOP]]
// CHECK:         %[[TOPS:.+]] = wtile.broadcast %[[SAFE]] to [0]
// CHECK:         %[[BELOW:.+]] = arith.subf %[[X]], %[[TOPS]]
// CHECK:         %[[WEIGHTS:.+]] = math.exp %[[BELOW]]
// CHECK:         %[[TOTAL:.+]] = wtile.reduce(%[[WEIGHTS]] :
// CHECK:         %[[INVERSE:.+]] = arith.divf %[[ONE]], %[[TOTAL]]
// CHECK:         %[[SCALE:.+]] = arith.select %[[NONE]], %[[ZERO]], %[[INVERSE]]
// CHECK:         %[[SCALES:.+]] = wtile.broadcast %[[SCALE]] to [0]
// CHECK:         arith.mulf %[[WEIGHTS]], %[[SCALES]]
wtile.kernel @softmax axes 0 {
^program(%x: memref<64x32xbf16>, %o: memref<64x32xf32>):
  %t = wtile.load %x : memref<64x32xbf16> -> tensor<64x32xbf16>
  %y = weft.softmax %t over 1 : tensor<64x32xbf16> -> tensor<64x32xf32>
  wtile.store %y, %o : tensor<64x32xf32>, memref<64x32xf32>
}

// x min(1 / |x|, 1 / eps).
// CHECK-LABEL: wtile.kernel @normalized
// CHECK-DAG:     %[[MOST:.+]] = arith.constant dense<4.000000e+00> : tensor<64xf32>
// CHECK:         %[[X:.+]] = wtile.load
// CHECK:         %[[SQUARE:.+]] = arith.mulf %[[X]], %[[X]]
// CHECK:         %[[SUM:.+]] = wtile.reduce(%[[SQUARE]] :
// CHECK:         %[[INVERSE:.+]] = math.rsqrt %[[SUM]]
// CHECK:         arith.minimumf %[[INVERSE]], %[[MOST]]
wtile.kernel @normalized axes 0 {
^program(%x: memref<64x32xf32>, %o: memref<64x32xf32>):
  %t = wtile.load %x : memref<64x32xf32> -> tensor<64x32xf32>
  %y = weft.l2_normalize %t over 1 eps 0.25 : tensor<64x32xf32> -> tensor<64x32xf32>
  wtile.store %y, %o : tensor<64x32xf32>, memref<64x32xf32>
}

// A combine function becomes the region; dead rows take the identity; backwards, the total's region is exchanged.
// CHECK-LABEL: wtile.kernel @scans
// CHECK-DAG:     %[[ONES:.+]] = arith.constant dense<1.000000e+00> : tensor<64x32xf32>
// CHECK-DAG:     %[[ZEROS:.+]] = arith.constant dense<0.000000e+00> : tensor<64x32xf32>
// CHECK:         wtile.scan(%{{.+}} : tensor<64x32xf32>) over 1 identity [0.000000e+00 : f32] exclusive reverse ->
// CHECK:           arith.addf
// CHECK:         %[[A:.+]] = arith.select %[[LIVE:.+]], %[[X:.+]], %[[ONES]] : tensor<64x32xi1>, tensor<64x32xf32>
// CHECK:         %[[B:.+]] = arith.select %[[LIVE]], %[[X]], %[[ZEROS]] : tensor<64x32xi1>, tensor<64x32xf32>
// CHECK:         wtile.scan(%[[A]], %[[B]] : tensor<64x32xf32>, tensor<64x32xf32>) over 0 identity [1.000000e+00 : f32, 0.000000e+00 : f32] reverse -> (tensor<64x32xf32>, tensor<64x32xf32>) {
// CHECK-NEXT:    ^bb0(%[[A1:.+]]: f32, %[[B1:.+]]: f32, %[[A2:.+]]: f32, %[[B2:.+]]: f32):
// CHECK-NEXT:      %[[AC:.+]] = arith.mulf %[[A2]], %[[A1]]
// CHECK-NEXT:      %[[BC:.+]] = arith.addf %[[B1]], %[[B2]]
// CHECK-NEXT:      wtile.yield %[[AC]], %[[BC]]
// CHECK:         wtile.reduce(%[[A]], %[[B]] : tensor<64x32xf32>, tensor<64x32xf32>) over 0 -> (tensor<32xf32>, tensor<32xf32>) {
// CHECK-NEXT:    ^bb0(%[[A1:.+]]: f32, %[[B1:.+]]: f32, %[[A2:.+]]: f32, %[[B2:.+]]: f32):
// CHECK-NEXT:      arith.mulf %[[A1]], %[[A2]]
// CHECK-NEXT:      arith.addf %[[B2]], %[[B1]]
wtile.kernel @scans axes 0 {
^program(%x: memref<64x32xf32>, %o: memref<64x32xf32>, %v: memref<32xf32>, %lo: index, %hi: index):
  %t = wtile.load %x : memref<64x32xf32> -> tensor<64x32xf32>
  %sums = weft.cumsum %t over 1 exclusive reverse : tensor<64x32xf32>
  wtile.store %sums, %o : tensor<64x32xf32>, memref<64x32xf32>
  %a, %b, %ta, %tb = weft.scan_rows (%t, %t : tensor<64x32xf32>, tensor<64x32xf32>) by @then identity [1.0 : f32, 0.0 : f32] from %lo to %hi
      reverse -> (tensor<64x32xf32>, tensor<64x32xf32>), (tensor<32xf32>, tensor<32xf32>)
  wtile.store %a, %o : tensor<64x32xf32>, memref<64x32xf32>
  wtile.store %b, %o : tensor<64x32xf32>, memref<64x32xf32>
  wtile.store %ta, %v : tensor<32xf32>, memref<32xf32>
  wtile.store %tb, %v : tensor<32xf32>, memref<32xf32>
}

//===----------------------------------------------------------------------===//
// Products
//===----------------------------------------------------------------------===//

// With a vector: a sum on f32. The numerics of a product of vectors need no matrix unit.
// CHECK-LABEL: wtile.kernel @vectors
// CHECK:         %[[W:.+]] = wtile.broadcast %{{.+}} to [1] : tensor<32xf32> -> tensor<64x32xf32>
// CHECK:         %[[P:.+]] = arith.mulf %{{.+}}, %[[W]]
// CHECK:         wtile.reduce(%[[P]] : tensor<64x32xf32>) over 1
// CHECK:         wtile.store
// CHECK:         wtile.reduce(%{{.+}} : tensor<64xf32>) over 0 commutative -> (tensor<f32>)
// CHECK-NOT:     wtile.mma
wtile.kernel @vectors axes 0 {
^program(%x: memref<64x32xbf16>, %y: memref<32xf32>, %v: memref<64xf32>, %s: memref<f32>):
  %t = wtile.load %x : memref<64x32xbf16> -> tensor<64x32xbf16>
  %w = wtile.load %y : memref<32xf32> -> tensor<32xf32>
  %r = weft.dot %w, %t over [0, 1] numerics<in = bf16, acc = f32> : tensor<32xf32>, tensor<64x32xbf16> -> tensor<64xf32>
  wtile.store %r, %v : tensor<64xf32>, memref<64xf32>
  %n = weft.dot %r, %r over [0, 0] numerics<in = f32, acc = f32> : tensor<64xf32>, tensor<64xf32> -> tensor<f32>
  wtile.store %n, %s : tensor<f32>, memref<f32>
}

// How the numerics prepare factors. What a type holds exactly has no low half; small products come first.
// CHECK-LABEL: wtile.kernel @numerics
// CHECK:         %[[B:.+]] = wtile.load %{{.+}} -> tensor<64x32xbf16>
// CHECK:         %[[F:.+]] = wtile.load %{{.+}} -> tensor<64x32xf32>
// bf16 is given, f32 rounded.
// CHECK:         %[[FB:.+]] = arith.truncf %[[F]] : tensor<64x32xf32> to tensor<64x32xbf16>
// CHECK:         %[[S:.+]] = wtile.mma %[[B]], %[[FB]], %[[ZERO:.+]] over [1, 1] : tensor<64x32xbf16>, tensor<64x32xbf16>
// CHECK:         wtile.store %[[S]]
// tf32 rounds, but not what was bf16.
// CHECK:         %[[BW:.+]] = arith.extf %[[B]] : tensor<64x32xbf16> to tensor<64x32xf32>
// CHECK:         %[[FT:.+]] = wtile.round %[[F]]
// CHECK:         %[[S:.+]] = wtile.mma %[[BW]], %[[FT]], %[[ZERO]] over [1, 1] : tensor<64x32xf32>, tensor<64x32xf32>
// CHECK:         wtile.store %[[S]]
// tf32x3: the low half is what rounding dropped; low times low is dropped. bf16 on the left: two products.
// CHECK:         %[[REST:.+]] = arith.subf %[[F]], %[[FT]]
// CHECK:         %[[LOW:.+]] = wtile.round %[[REST]]
// CHECK:         %[[S1:.+]] = wtile.mma %[[BW]], %[[LOW]], %[[ZERO]]
// CHECK:         %[[S2:.+]] = wtile.mma %[[BW]], %[[FT]], %[[S1]]
// CHECK:         wtile.store %[[S2]]
// f32 on both sides is three.
// CHECK:         %[[S1:.+]] = wtile.mma %[[LOW]], %[[FT]], %[[ZERO]]
// CHECK:         %[[S2:.+]] = wtile.mma %[[FT]], %[[LOW]], %[[S1]]
// CHECK:         %[[S3:.+]] = wtile.mma %[[FT]], %[[FT]], %[[S2]]
// CHECK:         wtile.store %[[S3]]
// bf16x3
// CHECK:         %[[WIDE:.+]] = arith.extf %[[FB]]
// CHECK:         %[[REST:.+]] = arith.subf %[[F]], %[[WIDE]]
// CHECK:         %[[LOW:.+]] = arith.truncf %[[REST]] : tensor<64x32xf32> to tensor<64x32xbf16>
// CHECK:         %[[S1:.+]] = wtile.mma %[[LOW]], %[[FB]], %[[ZERO]]
// CHECK:         %[[S2:.+]] = wtile.mma %[[FB]], %[[LOW]], %[[S1]]
// CHECK:         %[[S3:.+]] = wtile.mma %[[FB]], %[[FB]], %[[S2]]
// CHECK:         wtile.store %[[S3]]
// f16x2: the second factor alone has halves.
// CHECK:         %[[FH:.+]] = arith.truncf %[[F]] : tensor<64x32xf32> to tensor<64x32xf16>
// CHECK:         %[[WIDE:.+]] = arith.extf %[[FH]]
// CHECK:         %[[REST:.+]] = arith.subf %[[F]], %[[WIDE]]
// CHECK:         %[[LOW:.+]] = arith.truncf %[[REST]] : tensor<64x32xf32> to tensor<64x32xf16>
// CHECK:         %[[S1:.+]] = wtile.mma %[[FH]], %[[LOW]], %[[ZERO]]
// CHECK:         %[[S2:.+]] = wtile.mma %[[FH]], %[[FH]], %[[S1]]
// CHECK:         wtile.store %[[S2]]
// bf16 where f16 is asked for goes through f32.
// CHECK:         %[[BH:.+]] = arith.truncf %[[BW]] : tensor<64x32xf32> to tensor<64x32xf16>
// CHECK:         %[[S:.+]] = wtile.mma %[[BH]], %[[FH]], %[[ZERO]]
// CHECK:         wtile.store %[[S]]
wtile.kernel @numerics axes 0 {
^program(%x: memref<64x32xbf16>, %y: memref<64x32xf32>, %o: memref<64x64xf32>):
  %b = wtile.load %x : memref<64x32xbf16> -> tensor<64x32xbf16>
  %f = wtile.load %y : memref<64x32xf32> -> tensor<64x32xf32>
  %0 = weft.dot %b, %f over [1, 1] numerics<in = bf16, acc = f32> : tensor<64x32xbf16>, tensor<64x32xf32> -> tensor<64x64xf32>
  wtile.store %0, %o : tensor<64x64xf32>, memref<64x64xf32>
  %1 = weft.dot %b, %f over [1, 1] numerics<in = tf32, acc = f32> : tensor<64x32xbf16>, tensor<64x32xf32> -> tensor<64x64xf32>
  wtile.store %1, %o : tensor<64x64xf32>, memref<64x64xf32>
  %2 = weft.dot %b, %f over [1, 1] numerics<in = tf32x3, acc = f32> : tensor<64x32xbf16>, tensor<64x32xf32> -> tensor<64x64xf32>
  wtile.store %2, %o : tensor<64x64xf32>, memref<64x64xf32>
  %3 = weft.dot %f, %f over [1, 1] numerics<in = f32, acc = f32> : tensor<64x32xf32>, tensor<64x32xf32> -> tensor<64x64xf32>
  wtile.store %3, %o : tensor<64x64xf32>, memref<64x64xf32>
  %4 = weft.dot %f, %f over [1, 1] numerics<in = bf16x3, acc = f32> : tensor<64x32xf32>, tensor<64x32xf32> -> tensor<64x64xf32>
  wtile.store %4, %o : tensor<64x64xf32>, memref<64x64xf32>
  %5 = weft.dot %f, %f over [1, 1] numerics<in = f16x2, acc = f32> : tensor<64x32xf32>, tensor<64x32xf32> -> tensor<64x64xf32>
  wtile.store %5, %o : tensor<64x64xf32>, memref<64x64xf32>
  %6 = weft.dot %b, %f over [1, 1] numerics<in = f16, acc = f32> : tensor<64x32xbf16>, tensor<64x32xf32> -> tensor<64x64xf32>
  wtile.store %6, %o : tensor<64x64xf32>, memref<64x64xf32>
}

//===----------------------------------------------------------------------===//
// Triangles by blocks of 16 rows
//===----------------------------------------------------------------------===//

// Column of blocks 1 is what is left after column 0; the solve finds the inverses and the blocks that the factor brought.
// Products with inverses keep at least the digits of tf32.
// CHECK-LABEL: wtile.kernel @factor
// CHECK:         %[[A:.+]] = wtile.load %{{.+}} -> tensor<32x32xf32>
// CHECK:         %[[P0:.+]] = wtile.extract %[[A]] [0, 0] : tensor<32x32xf32> -> tensor<32x16xf32>
// CHECK:         %[[D0:.+]] = wtile.extract %[[P0]] [0, 0] : tensor<32x16xf32> -> tensor<16x16xf32>
// CHECK:         %{{.+}}, %[[G0:.+]] = wtile.factor_block %[[D0]]
// CHECK-DAG:     %[[PT:.+]] = wtile.round %[[P0]]
// CHECK-DAG:     %[[GT:.+]] = wtile.round %[[G0]]
// CHECK:         wtile.mma %[[PT]], %[[GT]], %{{.+}} over [1, 1] : tensor<32x16xf32>, tensor<16x16xf32>, tensor<32x16xf32>
// CHECK:         %[[L0:.+]] = arith.select
// CHECK:         %[[LB:.+]] = arith.truncf %[[L0]] : tensor<32x16xf32> to tensor<32x16xbf16>
// CHECK-DAG:     %[[P1:.+]] = wtile.extract %[[A]] [0, 16]
// CHECK-DAG:     %[[L10:.+]] = wtile.extract %[[LB]] [16, 0] : tensor<32x16xbf16> -> tensor<16x16xbf16>
// CHECK:         wtile.mma %[[LB]], %[[L10]], %[[P1]] over [1, 1] subtract : tensor<32x16xbf16>, tensor<16x16xbf16>, tensor<32x16xf32>
// CHECK:         %{{.+}}, %[[G1:.+]] = wtile.factor_block
// CHECK:         %[[L1:.+]] = arith.select
// CHECK:         %[[L:.+]] = wtile.concat %[[L0]], %[[L1]] over 1
// CHECK:         wtile.store %[[L]]
// CHECK-NOT:     wtile.invert_blocks
// X_0^T = R_0^T G_0^T, R_1^T -= X_0^T L[1, 0]^T, X_1^T = R_1^T G_1^T
// CHECK:         %[[R:.+]] = wtile.transpose %{{.+}} : tensor<32x64xf32> -> tensor<64x32xf32>
// CHECK-DAG:     %[[R0:.+]] = wtile.extract %[[R]] [0, 0] : tensor<64x32xf32> -> tensor<64x16xf32>
// CHECK-DAG:     %[[R1:.+]] = wtile.extract %[[R]] [0, 16]
// CHECK:         %[[R0T:.+]] = wtile.round %[[R0]]
// CHECK:         %[[X0:.+]] = wtile.mma %[[R0T]], %[[GT]], %{{.+}} over [1, 1]
// CHECK:         %[[X0B:.+]] = arith.truncf %[[X0]] : tensor<64x16xf32> to tensor<64x16xbf16>
// CHECK:         wtile.mma %[[X0B]], %[[L10]], %[[R1]] over [1, 1] subtract : tensor<64x16xbf16>, tensor<16x16xbf16>, tensor<64x16xf32>
// CHECK:         %[[X1:.+]] = wtile.mma
// CHECK:         %[[X:.+]] = wtile.concat %[[X0]], %[[X1]] over 1 : tensor<64x16xf32>, tensor<64x16xf32> -> tensor<64x32xf32>
// CHECK:         wtile.transpose %[[X]] : tensor<64x32xf32> -> tensor<32x64xf32>
wtile.kernel @factor axes 0 {
^program(%x: memref<32x32xf32>, %b: memref<32x64xf32>):
  %a = wtile.load %x : memref<32x32xf32> -> tensor<32x32xf32>
  %r = wtile.load %b : memref<32x64xf32> -> tensor<32x64xf32>
  %l = weft.cholesky %a numerics<in = bf16, acc = f32> : tensor<32x32xf32>
  wtile.store %l, %x : tensor<32x32xf32>, memref<32x32xf32>
  %y = weft.solve_tril %l, %r numerics<in = bf16, acc = f32> : tensor<32x32xf32>, tensor<32x64xf32> -> tensor<32x64xf32>
  wtile.store %y, %b : tensor<32x64xf32>, memref<32x64xf32>
}

// Another triangle's blocks are inverted; backwards those of its transpose, from the last block to the first.
// CHECK-LABEL: wtile.kernel @solve_backwards
// CHECK-DAG:     %[[L:.+]] = wtile.load %{{.+}} -> tensor<32x32xf32>
// CHECK-DAG:     %[[LT:.+]] = wtile.transpose %[[L]] : tensor<32x32xf32>
// CHECK-DAG:     %[[G:.+]] = wtile.invert_blocks %[[LT]] unit : tensor<32x32xf32> -> tensor<32x16xf32>
// CHECK-DAG:     %[[G1:.+]] = wtile.extract %[[G]] [16, 0] : tensor<32x16xf32> -> tensor<16x16xf32>
// CHECK-DAG:     %[[G1T:.+]] = wtile.round %[[G1]]
// CHECK:         %[[X1:.+]] = wtile.mma %{{.+}}, %[[G1T]], %{{.+}} over [1, 0] :
// CHECK:         %[[L01:.+]] = wtile.extract %{{.+}} [0, 16] : tensor<32x32xbf16> -> tensor<16x16xbf16>
// CHECK:         wtile.mma %{{.+}}, %[[L01]], %{{.+}} over [1, 1] subtract
// CHECK:         %[[X0:.+]] = wtile.mma %{{.+}}, %{{.+}}, %{{.+}} over [1, 0] :
// CHECK:         wtile.concat %[[X0]], %[[X1]] over 1
wtile.kernel @solve_backwards axes 0 {
^program(%x: memref<32x32xf32>, %b: memref<32x64xf32>):
  %l = wtile.load %x : memref<32x32xf32> -> tensor<32x32xf32>
  %r = wtile.load %b : memref<32x64xf32> -> tensor<32x64xf32>
  %y = weft.solve_tril %l, %r unit reverse numerics<in = bf16, acc = f32> : tensor<32x32xf32>, tensor<32x64xf32> -> tensor<32x64xf32>
  wtile.store %y, %b : tensor<32x64xf32>, memref<32x64xf32>
}

//===----------------------------------------------------------------------===//
// What stays
//===----------------------------------------------------------------------===//

// A number that an author wrote in f64 is rounded here; a kernel that has layouts is left as it is.
// CHECK-LABEL: wtile.kernel @constant
// CHECK:         %[[C:.+]] = arith.constant dense<1.000000e-01> : tensor<64xf32>
// CHECK-NOT:     arith.truncf
// CHECK:         wtile.store %[[C]]
wtile.kernel @constant axes 0 {
^program(%o: memref<64xf32>):
  %c = arith.constant dense<0.1> : tensor<64xf64>
  %n = arith.truncf %c : tensor<64xf64> to tensor<64xf32>
  wtile.store %n, %o : tensor<64xf32>, memref<64xf32>
}

// CHECK-LABEL: wtile.kernel @laid_out axes 0 warps 4
// CHECK:         arith.truncf
wtile.kernel @laid_out axes 0 warps 4 {
^program(%o: memref<64xf32>):
  %c = arith.constant dense<0.1> : tensor<64xf64>
  %n = arith.truncf %c : tensor<64xf64> to tensor<64xf32>
  wtile.store %n, %o : tensor<64xf32>, memref<64xf32>
}
