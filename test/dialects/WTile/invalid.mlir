// RUN: weft-opt %s --split-input-file --verify-diagnostics

// Every message of the verifiers and of the parsers of layouts and buffers.

//===----------------------------------------------------------------------===//
// #wtile.layout
//===----------------------------------------------------------------------===//

// expected-error @below {{lane basis has 1 coordinates in a layout of rank 2: a basis has one coordinate per dim}}
#l = #wtile.layout<[4, 64] register [[0, 32]] lane [[0, 1], [2], [0, 4], [0, 8], [0, 16]] warp []>

// -----

// expected-error @below {{register basis has 3 coordinates in a layout of rank 0: a basis has one coordinate per dim}}
#l = #wtile.layout<[] register [[0, 32, 1]] lane [] warp []>

// -----

// expected-error @below {{layout has a dim of size 0: sizes of a tile are positive}}
#l = #wtile.layout<[4, 0] register [] lane [[0, 0], [0, 0], [0, 0], [0, 0], [0, 0]] warp []>

// -----

// expected-error @below {{layout has a dim of size -4: sizes of a tile are positive}}
#l = #wtile.layout<[-4] register [] lane [[0], [0], [0], [0], [0]] warp []>

// -----

// expected-error @below {{layout has a tile of more than 2^30 elements: a block's threads hold fewer}}
#l = #wtile.layout<[4611686018427387904, 4611686018427387904] register [] lane [[0, 0], [0, 0], [0, 0], [0, 0], [0, 0]] warp []>

// -----

// expected-error @below {{integer value too large}}
#l = #wtile.layout<[18446744073709551616] register [] lane [[0], [0], [0], [0], [0]] warp []>

// -----

// expected-error @below {{basis coordinate 64 in a dim of size 64: a basis lies inside the tile}}
#l = #wtile.layout<[64] register [[32]] lane [[1], [2], [4], [8], [64]] warp []>

// -----

// expected-error @below {{basis coordinate -1 in a dim of size 64: a basis lies inside the tile}}
#l = #wtile.layout<[64] register [[32]] lane [[1], [2], [4], [8], [-1]] warp []>

// -----

// expected-error @below {{basis coordinate 64 in a dim of size 33: a basis lies inside the tile}}
#l = #wtile.layout<[33] register [] lane [[1], [2], [4], [8], [16]] warp [[64]]>

// -----

// expected-error @below {{layout has 4 lane bases: a warp has 32 lanes, which 5 bases address}}
#l = #wtile.layout<[64] register [[32]] lane [[1], [2], [4], [8]] warp []>

// -----

// expected-error @below {{layout has 13 register and 0 warp bases: at most 12 and 5 are addressed}}
#l = #wtile.layout<[64] register [[0], [0], [0], [0], [0], [0], [0], [0], [0], [0], [0], [0], [0]] lane [[1], [2], [4], [8], [16]] warp []>

// -----

// expected-error @below {{layout has 1 register and 6 warp bases: at most 12 and 5 are addressed}}
#l = #wtile.layout<[64] register [[32]] lane [[1], [2], [4], [8], [16]] warp [[0], [0], [0], [0], [0], [0]]>

// -----

// expected-error @below {{layout has 3 registers and 1 register bases: registers are at most 2^bases}}
#l = #wtile.layout<[64] register [[32]] lane [[1], [2], [4], [8], [16]] warp [] registers 3>

// -----

// A size that is no power of two is cut off by the number of registers: without it, register 1 of lane 1 has column 33.
// expected-error @below {{register 1 has coordinate 63 in a dim of size 33: a register lies inside the tile}}
#l = #wtile.layout<[33] register [[32]] lane [[1], [2], [4], [8], [16]] warp []>

// -----

// Bases of lanes that depend on each other.
// expected-error @below {{register 0 has coordinate 7 in a dim of size 6: a register lies inside the tile}}
#l = #wtile.layout<[6] register [] lane [[3], [5], [6], [1], [0]] warp []>

// -----

#l = #wtile.layout<[4, 8] register [] lane [[0, 1], [0, 2], [0, 4], [1, 0], [2, 0]] warp []>
// expected-error @below {{layout of a tile of shape [4, 8] on one of shape [8, 4]: a tile has its layout's shape}}
func.func @shape(%x: tensor<8x4xf32, #l>) {
  return
}

// -----

#l = #wtile.layout<[4, 8] register [] lane [[0, 1], [0, 2], [0, 4], [1, 0], [2, 0]] warp []>
// expected-error @below {{layout of a tile of shape [4, 8] on one of shape []: a tile has its layout's shape}}
func.func @shape(%x: tensor<f32, #l>) {
  return
}

//===----------------------------------------------------------------------===//
// !wtile.shared, !wtile.stack, #wtile.swizzle
//===----------------------------------------------------------------------===//

// -----

// expected-error @below {{dim of size 0: sizes of a buffer are positive}}
func.func @type(%x: !wtile.shared<4x0xf32>) {
  return
}

// -----

// expected-error @below {{expected static shape}}
func.func @type(%x: !wtile.shared<4x?xf32>) {
  return
}

// -----

// expected-error @below {{element type 'i1': elements are floats or integers of whole bytes}}
func.func @type(%x: !wtile.shared<4xi1>) {
  return
}

// -----

// expected-error @below {{element type 'index': elements are floats or integers of whole bytes}}
func.func @type(%x: !wtile.shared<4xindex>) {
  return
}

// -----

// expected-error @below {{element type 'tensor<4xf32>': elements are floats or integers of whole bytes}}
func.func @type(%x: !wtile.stack<4xtensor<4xf32>>) {
  return
}

// -----

// expected-error @below {{buffer of more than 2147483647 bytes: an address has 32 bits}}
func.func @type(%x: !wtile.shared<4294967296x4294967296xf32>) {
  return
}

// -----

// expected-error @below {{buffer of more than 2147483647 bytes: an address has 32 bits}}
func.func @type(%x: !wtile.stack<65536x32768xi8>) {
  return
}

// -----

// expected-error @below {{stack of rank 0: dim 0 counts the slots}}
func.func @type(%x: !wtile.stack<f32>) {
  return
}

// -----

func.func @alloc() {
  // expected-error @below {{'wtile.alloc' op of '!wtile.shared<64x96xf32>' has a dim of size 96: sizes behind the first are powers of two}}
  %b = wtile.alloc : !wtile.shared<64x96xf32>
  return
}

// -----

// Lines of 96 elements along dim 0.
func.func @alloc() {
  // expected-error @below {{'wtile.alloc' op of '!wtile.shared<96x64xf32>' has #wtile.swizzle<contiguous = 0, shift = 0, left = 0, mask = 0>: units of 16 bytes stay inside their line of a matrix}}
  %b = wtile.alloc {swizzle = #wtile.swizzle<contiguous = 0, shift = 0, left = 0, mask = 0>} : !wtile.shared<96x64xf32>
  return
}

// -----

func.func @alloc() {
  // expected-error @below {{'wtile.alloc' op at -16 of '!wtile.shared<4xf32>': an address is a multiple of 16 below 2^31}}
  %b = wtile.alloc {address = -16 : i64} : !wtile.shared<4xf32>
  return
}

// -----

func.func @alloc() {
  // expected-error @below {{'wtile.alloc' op at 8 of '!wtile.shared<4xf32>': an address is a multiple of 16 below 2^31}}
  %b = wtile.alloc {address = 8 : i64} : !wtile.shared<4xf32>
  return
}

// -----

func.func @alloc() {
  // expected-error @below {{'wtile.alloc' op at 2147483632 of '!wtile.shared<8xf32>': an address is a multiple of 16 below 2^31}}
  %b = wtile.alloc {address = 2147483632 : i64} : !wtile.shared<8xf32>
  return
}

// -----

func.func @alloc() {
  // expected-error @below {{'wtile.alloc' op of '!wtile.shared<64xf32>' has #wtile.swizzle<contiguous = 0, shift = 0, left = 0, mask = 1>: units of 16 bytes stay inside their line of a matrix}}
  %b = wtile.alloc {swizzle = #wtile.swizzle<contiguous = 0, shift = 0, left = 0, mask = 1>} : !wtile.shared<64xf32>
  return
}

// -----

func.func @alloc() {
  // expected-error @below {{'wtile.alloc' op of '!wtile.shared<64x64xbf16>' has #wtile.swizzle<contiguous = 2, shift = 0, left = 0, mask = 1>: units of 16 bytes stay inside their line of a matrix}}
  %b = wtile.alloc {swizzle = #wtile.swizzle<contiguous = 2, shift = 0, left = 0, mask = 1>} : !wtile.shared<64x64xbf16>
  return
}

// -----

func.func @alloc() {
  // expected-error @below {{'wtile.alloc' op of '!wtile.shared<64x64xbf16>' has #wtile.swizzle<contiguous = 1, shift = 40, left = 0, mask = 1>: units of 16 bytes stay inside their line of a matrix}}
  %b = wtile.alloc {swizzle = #wtile.swizzle<contiguous = 1, shift = 40, left = 0, mask = 1>} : !wtile.shared<64x64xbf16>
  return
}

// -----

// A line of 64 x 2 bytes has 8 units: 7 << 1 is past them.
func.func @alloc() {
  // expected-error @below {{'wtile.alloc' op of '!wtile.shared<64x64xbf16>' has #wtile.swizzle<contiguous = 1, shift = 0, left = 1, mask = 7>: units of 16 bytes stay inside their line of a matrix}}
  %b = wtile.alloc {swizzle = #wtile.swizzle<contiguous = 1, shift = 0, left = 1, mask = 7>} : !wtile.shared<64x64xbf16>
  return
}

// -----

// The swizzle of a ring is that of its stages: here lines of 32 x 2 bytes.
func.func @alloc(%n: index) {
  // expected-error @below {{'wtile.alloc' op of '!wtile.shared<2x64x32xbf16>' has #wtile.swizzle<contiguous = 1, shift = 0, left = 0, mask = 7>: units of 16 bytes stay inside their line of a matrix}}
  %b = wtile.alloc {swizzle = #wtile.swizzle<contiguous = 1, shift = 0, left = 0, mask = 7>} : !wtile.shared<2x64x32xbf16>
  %s = wtile.stage %b[%n] : !wtile.shared<2x64x32xbf16> -> !wtile.shared<64x32xbf16>
  return
}

// -----

// No ring: a matrix is swizzled, nothing of rank 3.
func.func @alloc() {
  // expected-error @below {{'wtile.alloc' op of '!wtile.shared<2x64x64xbf16>' has #wtile.swizzle<contiguous = 1, shift = 0, left = 0, mask = 7>: units of 16 bytes stay inside their line of a matrix}}
  %b = wtile.alloc {swizzle = #wtile.swizzle<contiguous = 1, shift = 0, left = 0, mask = 7>} : !wtile.shared<2x64x64xbf16>
  return
}

//===----------------------------------------------------------------------===//
// Kernels and launches
//===----------------------------------------------------------------------===//

// -----

// expected-error @below {{'wtile.kernel' op has 3 axes and 1 block arguments: one index per axis comes first}}
wtile.kernel @kernel axes 3 {
^program(%p: index):
}

// -----

// expected-error @below {{'wtile.kernel' op has 9223372036854775807 axes and 0 block arguments: one index per axis comes first}}
wtile.kernel @kernel axes 9223372036854775807 {
}

// -----

// expected-error @below {{'wtile.kernel' op has a coordinate of type 'i64': coordinates are index}}
wtile.kernel @kernel axes 1 {
^program(%p: i64):
}

// -----

// expected-error @below {{'wtile.kernel' op has a parameter of type 'tensor<4xf32>': parameters are memrefs and scalars}}
wtile.kernel @kernel axes 0 {
^program(%x: tensor<4xf32>):
}

// -----

// expected-error @below {{'wtile.kernel' op has a parameter of type 'memref<4x8xf32, strided<[1, 4]>>': memory has strides, the last of them 1, and starts at its pointer}}
wtile.kernel @kernel axes 0 {
^program(%x: memref<4x8xf32, strided<[1, 4]>>):
}

// -----

// expected-error @below {{'wtile.kernel' op has a parameter of type 'memref<4x8xf32, strided<[8, ?]>>': memory has strides, the last of them 1, and starts at its pointer}}
wtile.kernel @kernel axes 0 {
^program(%x: memref<4x8xf32, strided<[8, ?]>>):
}

// -----

// expected-error @below {{'wtile.kernel' op has a parameter of type 'memref<4x8xf32, affine_map<(d0, d1) -> (d0 floordiv 2, d1)>>': memory has strides, the last of them 1, and starts at its pointer}}
wtile.kernel @kernel axes 0 {
^program(%x: memref<4x8xf32, affine_map<(d0, d1) -> (d0 floordiv 2, d1)>>):
}

// -----

// expected-error @below {{'wtile.kernel' op has a parameter of type 'memref<8xf32, strided<[1], offset: 4>>': memory has strides, the last of them 1, and starts at its pointer}}
wtile.kernel @kernel axes 0 {
^program(%x: memref<8xf32, strided<[1], offset: 4>>):
}

// -----

// expected-error @below {{'wtile.kernel' op has 3 warps: a block has 1, 2, 4, 8, 16 or 32 warps}}
wtile.kernel @kernel axes 0 warps 3 {
}

// -----

// expected-error @below {{'wtile.kernel' op has -1 warps: a block has 1, 2, 4, 8, 16 or 32 warps}}
wtile.kernel @kernel axes 0 warps -1 {
}

// -----

// expected-error @below {{'wtile.kernel' op has 64 warps: a block has 1, 2, 4, 8, 16 or 32 warps}}
wtile.kernel @kernel axes 0 warps 64 {
}

// -----

// expected-error @below {{'wtile.kernel' op has -4 bytes of shared memory: an address has 32 bits}}
wtile.kernel @kernel axes 0 shared_bytes -4 {
}

// -----

// expected-error @below {{'wtile.kernel' op region #0 ('body') failed to verify constraint: region with 1 blocks}}
"wtile.kernel"() <{sym_name = "kernel", axes = 0 : i64}> ({}) : () -> ()

// -----

#l = #wtile.layout<[32] register [] lane [[1], [2], [4], [8], [16]] warp [[0]]>
wtile.kernel @kernel axes 0 warps 4 {
^program(%x: f32):
  // expected-error @below {{'tensor.splat' op has a tile of 2 warps in a kernel of 4: the warps of a block hold its tiles}}
  %t = tensor.splat %x : tensor<32xf32, #l>
}

// -----

#l = #wtile.layout<[32] register [] lane [[1], [2], [4], [8], [16]] warp []>
#m = #wtile.layout<[32] register [] lane [[2], [1], [4], [8], [16]] warp []>
wtile.kernel @kernel axes 0 {
^program(%x: f32, %i: i32):
  %t = tensor.splat %x : tensor<32xf32, #l>
  %n = tensor.splat %i : tensor<32xi32, #m>
  // expected-error @below {{'math.fpowi' op has layouts that differ: elementwise ops work on tiles of one layout}}
  %p = math.fpowi %t, %n : tensor<32xf32, #l>, tensor<32xi32, #m>
}

// -----

#l = #wtile.layout<[32] register [] lane [[1], [2], [4], [8], [16]] warp []>
wtile.kernel @kernel axes 0 {
^program(%x: f32, %i: i32):
  %t = tensor.splat %x : tensor<32xf32, #l>
  %n = tensor.splat %i : tensor<32xi32>
  // expected-error @below {{'math.fpowi' op has layouts that differ: elementwise ops work on tiles of one layout}}
  %p = math.fpowi %t, %n : tensor<32xf32, #l>, tensor<32xi32>
}

// -----

func.func @launch(%n: index) {
  // expected-error @below {{'wtile.launch' op of @nothing, which is no kernel: a launch names one}}
  wtile.launch @nothing programs(%n)
  return
}

// -----

func.func @launch(%n: index) {
  // expected-error @below {{'wtile.launch' op of @launch, which is no kernel: a launch names one}}
  wtile.launch @launch programs(%n)
  return
}

// -----

func.func @launch(%n: index) {
  // expected-error @below {{'wtile.launch' op of @kernels::@nothing, which is no kernel: a launch names one}}
  wtile.launch @kernels::@nothing programs(%n)
  return
}
gpu.module @kernels {
}

// -----

wtile.kernel @kernel axes 2 {
^program(%p: index, %q: index):
}
func.func @launch(%n: index) {
  // expected-error @below {{'wtile.launch' op has 1 program axes and @kernel has 2: they are the same}}
  wtile.launch @kernel programs(%n)
  return
}

// -----

wtile.kernel @kernel axes 0 {
^program(%x: f32, %y: memref<4xf32>):
}
func.func @launch(%n: f32) {
  // expected-error @below {{'wtile.launch' op has 1 operands and @kernel has 2 parameters: ins, then outs, are the parameters}}
  wtile.launch @kernel programs() ins(%n : f32)
  return
}

// -----

wtile.kernel @kernel axes 0 {
^program(%x: f32, %y: memref<4xf32>):
}
func.func @launch(%n: f32, %y: tensor<5xf32>) {
  // expected-error @below {{'wtile.launch' op passes 'tensor<5xf32>' as parameter 1 of type 'memref<4xf32>': a tensor arrives as a memref of its shape}}
  %r = wtile.launch @kernel programs() ins(%n : f32) outs(%y : tensor<5xf32>)
  return
}

// -----

wtile.kernel @kernel axes 0 {
^program(%x: f32):
}
func.func @launch(%n: f64) {
  // expected-error @below {{'wtile.launch' op passes 'f64' as parameter 0 of type 'f32': a tensor arrives as a memref of its shape}}
  wtile.launch @kernel programs() ins(%n : f64)
  return
}

// -----

wtile.kernel @kernel axes 0 {
^program(%y: memref<4xf32>):
}
func.func @launch(%y: tensor<4xf32>) {
  // expected-error @below {{'wtile.launch' op has outs 'tensor<4xf32>' and results 'tensor<5xf32>': a result is an out after the launch}}
  %r = "wtile.launch"(%y) <{kernel = @kernel, operandSegmentSizes = array<i32: 0, 0, 1>}> : (tensor<4xf32>) -> tensor<5xf32>
  return
}

//===----------------------------------------------------------------------===//
// Global memory
//===----------------------------------------------------------------------===//

// -----

func.func @load(%x: memref<?x8xf32>, %i: index) {
  // expected-error @below {{'wtile.load' op moves 'tensor<4x8xf16>' and 'memref<?x8xf32>': tile and memory have one element type}}
  %t = wtile.load %x[%i] live(%i, %i) : memref<?x8xf32> -> tensor<4x8xf16>
  return
}

// -----

func.func @load(%x: memref<?x8xf32>, %i: index) {
  // expected-error @below {{'wtile.load' op moves 'tensor<4x4xf32>' and 'memref<?x8xf32>': the tile is rows of the memory, or all of it}}
  %t = wtile.load %x[%i] live(%i, %i) : memref<?x8xf32> -> tensor<4x4xf32>
  return
}

// -----

func.func @load(%x: memref<4x?xf32>, %i: index) {
  // expected-error @below {{'wtile.load' op moves 'tensor<4x8xf32>' and 'memref<4x?xf32>': the tile is rows of the memory, or all of it}}
  %t = wtile.load %x[%i] live(%i, %i) : memref<4x?xf32> -> tensor<4x8xf32>
  return
}

// -----

func.func @load(%x: memref<?x8xf32>) {
  // expected-error @below {{'wtile.load' op moves 'tensor<4x8xf32>' and 'memref<?x8xf32>': the tile is rows of the memory, or all of it}}
  %t = wtile.load %x : memref<?x8xf32> -> tensor<4x8xf32>
  return
}

// -----

func.func @load(%x: memref<f32>, %i: index) {
  // expected-error @below {{'wtile.load' op moves 'tensor<f32>' and 'memref<f32>': the tile is rows of the memory, or all of it}}
  %t = wtile.load %x[%i] live(%i, %i) : memref<f32> -> tensor<f32>
  return
}

// -----

func.func @load(%x: memref<?x8xf32>, %i: index, %other: f64) {
  // expected-error @below {{'wtile.load' op has else of type 'f64': dead rows hold an element of the tile's type}}
  %t = wtile.load %x[%i] live(%i, %i) else %other : f64 : memref<?x8xf32> -> tensor<4x8xf32>
  return
}

// -----

func.func @load(%x: memref<4x8xf32>, %other: f32) {
  // expected-error @below {{'wtile.load' op has else of type 'f32': dead rows hold an element of the tile's type}}
  %t = wtile.load %x else %other : f32 : memref<4x8xf32> -> tensor<4x8xf32>
  return
}

// -----

func.func @load(%x: memref<4x8xf32>, %i: index) {
  // expected-error @below {{'wtile.load' op has a first row, no first live row and no end of the live ones: rows have all three, a whole view none}}
  %t = "wtile.load"(%x, %i) <{operandSegmentSizes = array<i32: 1, 1, 0, 0, 0>}> : (memref<4x8xf32>, index) -> tensor<4x8xf32>
  return
}

// -----

func.func @store(%x: memref<4x8xf32>, %i: index, %t: tensor<4x8xf32>) {
  // expected-error @below {{'wtile.store' op has no first row, a first live row and an end of the live ones: rows have all three, a whole view none}}
  "wtile.store"(%t, %x, %i, %i) <{operandSegmentSizes = array<i32: 1, 1, 0, 1, 1>}> : (tensor<4x8xf32>, memref<4x8xf32>, index, index) -> ()
  return
}

// -----

func.func @store(%x: memref<?x8xf32>, %t: tensor<4x8xf16>) {
  // expected-error @below {{'wtile.store' op moves 'tensor<4x8xf16>' and 'memref<?x8xf32>': tile and memory have one element type}}
  wtile.store %t, %x : tensor<4x8xf16>, memref<?x8xf32>
  return
}

// -----

func.func @store(%x: memref<?x8xf32>, %t: tensor<4x8x1xf32>, %i: index) {
  // expected-error @below {{'wtile.store' op moves 'tensor<4x8x1xf32>' and 'memref<?x8xf32>': the tile is rows of the memory, or all of it}}
  wtile.store %t, %x[%i] live(%i, %i) : tensor<4x8x1xf32>, memref<?x8xf32>
  return
}

// -----

func.func @gather(%x: memref<?x8xf32>, %rows: tensor<5xi32>) {
  // expected-error @below {{'wtile.gather' op has row numbers 'tensor<5xi32>' for 'tensor<4x8xf32>': there is one row number per row}}
  %t = wtile.gather %x[%rows] : memref<?x8xf32>, tensor<5xi32> -> tensor<4x8xf32>
  return
}

// -----

func.func @gather(%x: memref<f32>, %rows: tensor<4xi32>) {
  // expected-error @below {{'wtile.gather' op has row numbers 'tensor<4xi32>' for 'tensor<f32>': there is one row number per row}}
  %t = wtile.gather %x[%rows] : memref<f32>, tensor<4xi32> -> tensor<f32>
  return
}

// -----

func.func @gather(%x: memref<?x16xf32>, %rows: tensor<4xi32>) {
  // expected-error @below {{'wtile.gather' op moves 'tensor<4x8xf32>' and 'memref<?x16xf32>': the tile is rows of the memory, or all of it}}
  %t = wtile.gather %x[%rows] : memref<?x16xf32>, tensor<4xi32> -> tensor<4x8xf32>
  return
}

// -----

func.func @scatter(%x: memref<?x8xf32>, %t: tensor<4x8xf32>, %rows: tensor<4x1xi32>, %i: index) {
  // expected-error @below {{'wtile.scatter' op has row numbers 'tensor<4x1xi32>' for 'tensor<4x8xf32>': there is one row number per row}}
  wtile.scatter %t, %x[%rows] live(%i, %i) : tensor<4x8xf32>, memref<?x8xf32>, tensor<4x1xi32>
  return
}

// -----

func.func @scatter(%x: memref<?x8xf16>, %t: tensor<4x8xf32>, %rows: tensor<4xi32>, %i: index) {
  // expected-error @below {{'wtile.scatter' op moves 'tensor<4x8xf32>' and 'memref<?x8xf16>': tile and memory have one element type}}
  wtile.scatter %t, %x[%rows] live(%i, %i) : tensor<4x8xf32>, memref<?x8xf16>, tensor<4xi32>
  return
}

//===----------------------------------------------------------------------===//
// Tiles
//===----------------------------------------------------------------------===//

// -----

func.func @coordinate() {
  // expected-error @below {{'wtile.coordinate' op over dim 2 of 'tensor<4x8xi32>': a dim is one of the tile's}}
  %c = wtile.coordinate 2 : tensor<4x8xi32>
  return
}

// -----

func.func @coordinate() {
  // expected-error @below {{'wtile.coordinate' op is 'tensor<4x8xi64>': coordinates are i32}}
  %c = wtile.coordinate 0 : tensor<4x8xi64>
  return
}

// -----

func.func @coordinate() {
  // expected-error @below {{'wtile.coordinate' op attribute 'dim' failed to satisfy constraint: 64-bit signless integer attribute whose value is non-negative}}
  %c = wtile.coordinate -1 : tensor<4x8xi32>
  return
}

// -----

func.func @broadcast(%x: tensor<4x8xf32>) {
  // expected-error @below {{'wtile.broadcast' op of 'tensor<4x8xf32>' to dims [1, 0] of 'tensor<8x4xf32>': dims are increasing and of the source's sizes}}
  %y = wtile.broadcast %x to [1, 0] : tensor<4x8xf32> -> tensor<8x4xf32>
  return
}

// -----

func.func @broadcast(%x: tensor<4xf32>) {
  // expected-error @below {{'wtile.broadcast' op of 'tensor<4xf32>' to dims [7] of 'tensor<8x4xf32>': dims are increasing and of the source's sizes}}
  %y = wtile.broadcast %x to [7] : tensor<4xf32> -> tensor<8x4xf32>
  return
}

// -----

func.func @broadcast(%x: tensor<4xf32>) {
  // expected-error @below {{'wtile.broadcast' op of 'tensor<4xf32>' to dims [-1] of 'tensor<8x4xf32>': dims are increasing and of the source's sizes}}
  %y = wtile.broadcast %x to [-1] : tensor<4xf32> -> tensor<8x4xf32>
  return
}

// -----

func.func @broadcast(%x: tensor<4xf32>) {
  // expected-error @below {{'wtile.broadcast' op of 'tensor<4xf32>' to dims [] of 'tensor<8x4xf32>': dims are increasing and of the source's sizes}}
  %y = wtile.broadcast %x to [] : tensor<4xf32> -> tensor<8x4xf32>
  return
}

// -----

func.func @broadcast(%x: tensor<4xf32>) {
  // expected-error @below {{'wtile.broadcast' op of 'tensor<4xf32>' to dims [1] of 'tensor<8x4xf16>': dims are increasing and of the source's sizes}}
  %y = wtile.broadcast %x to [1] : tensor<4xf32> -> tensor<8x4xf16>
  return
}

// -----

func.func @reduce() {
  // expected-error @below {{'wtile.reduce' op has no source: there is one at least}}
  "wtile.reduce"() <{dim = 0 : i64}> ({
    "wtile.yield"() : () -> ()
  }) : () -> ()
  return
}

// -----

func.func @reduce(%x: tensor<4x8xf32>, %y: tensor<8x4xf32>) {
  // expected-error @below {{'wtile.reduce' op has sources 'tensor<4x8xf32>' and 'tensor<8x4xf32>': sources have one shape}}
  %r, %s = wtile.reduce (%x, %y : tensor<4x8xf32>, tensor<8x4xf32>) over 0 -> (tensor<8xf32>, tensor<4xf32>) {
  ^combine(%a: f32, %b: f32, %c: f32, %d: f32):
    wtile.yield %a, %b : f32, f32
  }
  return
}

// -----

func.func @reduce(%x: tensor<4x8xf32>) {
  // expected-error @below {{'wtile.reduce' op combines 'f32' for sources of element types 'f32': the region maps earlier and later scalars to combined ones}}
  %r = wtile.reduce (%x : tensor<4x8xf32>) over 0 -> (tensor<8xf32>) {
  ^combine(%a: f32):
    wtile.yield %a : f32
  }
  return
}

// -----

func.func @reduce(%x: tensor<4x8xf32>) {
  // expected-error @below {{'wtile.reduce' op combines 'f32', 'f32' for sources of element types 'f32': the region maps earlier and later scalars to combined ones}}
  %r = wtile.reduce (%x : tensor<4x8xf32>) over 0 -> (tensor<8xf32>) {
  ^combine(%a: f32, %b: f32):
    wtile.yield
  }
  return
}

// -----

func.func @reduce(%x: tensor<4x8xf32>) {
  // expected-error @below {{'wtile.reduce' op combines 'f32', 'f32' for sources of element types 'f32': the region maps earlier and later scalars to combined ones}}
  %r = wtile.reduce (%x : tensor<4x8xf32>) over 0 -> (tensor<8xf32>) {
  ^combine(%a: f32, %b: f32):
    func.return
  }
  return
}

// -----

func.func @reduce(%x: tensor<4x8xf32>) {
  // expected-error @below {{'wtile.reduce' op expects a non-empty block}}
  %r = wtile.reduce (%x : tensor<4x8xf32>) over 0 -> (tensor<8xf32>) {
  ^combine(%a: f32, %b: f32):
  }
  return
}

// -----

func.func @reduce(%x: tensor<4x8xf32>) {
  // expected-error @below {{'wtile.reduce' op region #0 ('combine') failed to verify constraint: region with 1 blocks}}
  %r = "wtile.reduce"(%x) <{dim = 0 : i64}> ({}) : (tensor<4x8xf32>) -> tensor<8xf32>
  return
}

// -----

func.func @reduce(%x: tensor<4x8xf32>) {
  // expected-error @below {{'wtile.reduce' op over dim 9223372036854775807 of 'tensor<4x8xf32>': a dim is one of the tile's}}
  %r = wtile.reduce (%x : tensor<4x8xf32>) over 9223372036854775807 -> (tensor<8xf32>) {
  ^combine(%a: f32, %b: f32):
    wtile.yield %a : f32
  }
  return
}

// -----

func.func @reduce(%x: tensor<4x8xf32>) {
  // expected-error @below {{'wtile.reduce' op has 2 results of 1 sources: there is one per source}}
  %r, %s = wtile.reduce (%x : tensor<4x8xf32>) over 0 -> (tensor<8xf32>, tensor<8xf32>) {
  ^combine(%a: f32, %b: f32):
    wtile.yield %a : f32
  }
  return
}

// -----

func.func @reduce(%x: tensor<4x8xf32>) {
  // expected-error @below {{'wtile.reduce' op in 3 parts of a dim of size 4: parts are equal}}
  %r = wtile.reduce (%x : tensor<4x8xf32>) over 0 parts 3 -> (tensor<3x8xf32>) {
  ^combine(%a: f32, %b: f32):
    wtile.yield %a : f32
  }
  return
}

// -----

func.func @reduce(%x: tensor<4x8xf32>) {
  // expected-error @below {{'wtile.reduce' op in 0 parts of a dim of size 4: parts are equal}}
  %r = wtile.reduce (%x : tensor<4x8xf32>) over 0 parts 0 -> (tensor<8xf32>) {
  ^combine(%a: f32, %b: f32):
    wtile.yield %a : f32
  }
  return
}

// -----

func.func @reduce(%x: tensor<4x8xf32>) {
  // expected-error @below {{'wtile.reduce' op of 'tensor<4x8xf32>' is 'tensor<4xf32>': a result is its source without the dim, its parts in front}}
  %r = wtile.reduce (%x : tensor<4x8xf32>) over 0 -> (tensor<4xf32>) {
  ^combine(%a: f32, %b: f32):
    wtile.yield %a : f32
  }
  return
}

// -----

func.func @scan(%x: tensor<4x8xf32>) {
  // expected-error @below {{'wtile.scan' op of 'tensor<4x8xf32>' is 'tensor<8xf32>': results have the sources' types}}
  %r = wtile.scan (%x : tensor<4x8xf32>) over 0 identity [0.0 : f32] -> (tensor<8xf32>) {
  ^combine(%a: f32, %b: f32):
    wtile.yield %a : f32
  }
  return
}

// -----

func.func @scan(%x: tensor<4x8xf32>) {
  // expected-error @below {{'wtile.scan' op over dim 2 of 'tensor<4x8xf32>': a dim is one of the tile's}}
  %r = wtile.scan (%x : tensor<4x8xf32>) over 2 identity [0.0 : f32] -> (tensor<4x8xf32>) {
  ^combine(%a: f32, %b: f32):
    wtile.yield %a : f32
  }
  return
}

// -----

func.func @scan(%x: tensor<4x8xf32>) {
  // expected-error @below {{'wtile.scan' op has 0 identities of 1 sources: there is one per source}}
  %r = wtile.scan (%x : tensor<4x8xf32>) over 0 identity [] -> (tensor<4x8xf32>) {
  ^combine(%a: f32, %b: f32):
    wtile.yield %a : f32
  }
  return
}

// -----

func.func @scan(%x: tensor<4x8xf32>) {
  // expected-error @below {{'wtile.scan' op has identity 0.000000e+00 : f64 of 'tensor<4x8xf32>': an identity is an element of its source}}
  %r = wtile.scan (%x : tensor<4x8xf32>) over 0 identity [0.0 : f64] -> (tensor<4x8xf32>) {
  ^combine(%a: f32, %b: f32):
    wtile.yield %a : f32
  }
  return
}

// -----

func.func @scan(%x: tensor<4x8xf32>) {
  // expected-error @below {{'wtile.scan' op has identity @scan of 'tensor<4x8xf32>': an identity is an element of its source}}
  %r = wtile.scan (%x : tensor<4x8xf32>) over 0 identity [@scan] -> (tensor<4x8xf32>) {
  ^combine(%a: f32, %b: f32):
    wtile.yield %a : f32
  }
  return
}

// -----

func.func @mma(%a: tensor<64x32xbf16>, %b: tensor<32xbf16>, %c: tensor<64xf32>) {
  // expected-error @below {{'wtile.mma' op over [1, 0] of 'tensor<64x32xbf16>' and 'tensor<32xbf16>': one of the two dims of each factor is contracted}}
  %d = wtile.mma %a, %b, %c over [1, 0] : tensor<64x32xbf16>, tensor<32xbf16>, tensor<64xf32>
  return
}

// -----

func.func @mma(%a: tensor<64x32xbf16>, %c: tensor<64x64xf32>) {
  // expected-error @below {{'wtile.mma' op over [-1, 1] of 'tensor<64x32xbf16>' and 'tensor<64x32xbf16>': one of the two dims of each factor is contracted}}
  %d = wtile.mma %a, %a, %c over [-1, 1] : tensor<64x32xbf16>, tensor<64x32xbf16>, tensor<64x64xf32>
  return
}

// -----

func.func @mma(%a: tensor<64x32xbf16>, %c: tensor<64x64xf32>) {
  // expected-error @below {{'wtile.mma' op over [1] of 'tensor<64x32xbf16>' and 'tensor<64x32xbf16>': one of the two dims of each factor is contracted}}
  %d = wtile.mma %a, %a, %c over [1] : tensor<64x32xbf16>, tensor<64x32xbf16>, tensor<64x64xf32>
  return
}

// -----

func.func @mma(%a: tensor<64x32xbf16>, %b: !wtile.shared<64x32xf16>, %c: tensor<64x64xf32>) {
  // expected-error @below {{'wtile.mma' op of 'tensor<64x32xbf16>' and '!wtile.shared<64x32xf16>' into 'tensor<64x64xf32>': factors are both bf16, f16 or f32, and sums f32}}
  %d = wtile.mma %a, %b, %c over [1, 1] : tensor<64x32xbf16>, !wtile.shared<64x32xf16>, tensor<64x64xf32>
  return
}

// -----

func.func @mma(%a: tensor<64x32xf64>, %c: tensor<64x64xf32>) {
  // expected-error @below {{'wtile.mma' op of 'tensor<64x32xf64>' and 'tensor<64x32xf64>' into 'tensor<64x64xf32>': factors are both bf16, f16 or f32, and sums f32}}
  %d = wtile.mma %a, %a, %c over [1, 1] : tensor<64x32xf64>, tensor<64x32xf64>, tensor<64x64xf32>
  return
}

// -----

func.func @mma(%a: tensor<64x32xf16>, %c: tensor<64x64xf16>) {
  // expected-error @below {{'wtile.mma' op of 'tensor<64x32xf16>' and 'tensor<64x32xf16>' into 'tensor<64x64xf16>': factors are both bf16, f16 or f32, and sums f32}}
  %d = wtile.mma %a, %a, %c over [1, 1] : tensor<64x32xf16>, tensor<64x32xf16>, tensor<64x64xf16>
  return
}

// -----

func.func @mma(%a: tensor<64x32xf16>, %c: tensor<64x64xf32>) {
  // expected-error @below {{'wtile.mma' op over [1, 0] of 'tensor<64x32xf16>' and 'tensor<64x32xf16>' into 'tensor<64x64xf32>': contracted dims have one size, and the free ones are the result's}}
  %d = wtile.mma %a, %a, %c over [1, 0] : tensor<64x32xf16>, tensor<64x32xf16>, tensor<64x64xf32>
  return
}

// -----

func.func @mma(%a: tensor<64x32xf16>, %c: tensor<64xf32>) {
  // expected-error @below {{'wtile.mma' op over [1, 1] of 'tensor<64x32xf16>' and 'tensor<64x32xf16>' into 'tensor<64xf32>': contracted dims have one size, and the free ones are the result's}}
  %d = wtile.mma %a, %a, %c over [1, 1] : tensor<64x32xf16>, tensor<64x32xf16>, tensor<64xf32>
  return
}

// -----

func.func @mma(%a: tensor<64x32xf32>, %c: tensor<64x64xf32>) {
  // expected-error @below {{'wtile.mma' op rounds 'tensor<64x32xf32>': what is rounded as it is read is a shared buffer of f32}}
  %d = wtile.mma %a, %a, %c over [1, 1] round : tensor<64x32xf32>, tensor<64x32xf32>, tensor<64x64xf32>
  return
}

// -----

func.func @mma(%a: tensor<64x32xbf16>, %b: !wtile.shared<64x32xbf16>, %c: tensor<64x64xf32>) {
  // expected-error @below {{'wtile.mma' op rounds '!wtile.shared<64x32xbf16>': what is rounded as it is read is a shared buffer of f32}}
  %d = wtile.mma %a, %b, %c over [1, 1] round : tensor<64x32xbf16>, !wtile.shared<64x32xbf16>, tensor<64x64xf32>
  return
}

// -----

func.func @round(%x: tensor<4xbf16>) {
  // expected-error @below {{'wtile.round' op of 'tensor<4xbf16>': tf32 values are f32}}
  %y = wtile.round %x : tensor<4xbf16>
  return
}

// -----

func.func @transpose(%x: tensor<4xf32>) {
  // expected-error @below {{'wtile.transpose' op of 'tensor<4xf32>' is 'tensor<4xf32>': the dims of a matrix are swapped}}
  %y = wtile.transpose %x : tensor<4xf32> -> tensor<4xf32>
  return
}

// -----

func.func @transpose(%x: tensor<4x8xf32>) {
  // expected-error @below {{'wtile.transpose' op of 'tensor<4x8xf32>' is 'tensor<4x8xf32>': the dims of a matrix are swapped}}
  %y = wtile.transpose %x : tensor<4x8xf32> -> tensor<4x8xf32>
  return
}

// -----

func.func @extract(%x: tensor<4x8xf32>) {
  // expected-error @below {{'wtile.extract' op of 'tensor<4x8xf32>' at [2, 4] is 'tensor<4x4xf32>': a block lies inside, at multiples of its sizes}}
  %y = wtile.extract %x [2, 4] : tensor<4x8xf32> -> tensor<4x4xf32>
  return
}

// -----

func.func @extract(%x: tensor<4x8xf32>) {
  // expected-error @below {{'wtile.extract' op of 'tensor<4x8xf32>' at [0, 8] is 'tensor<4x4xf32>': a block lies inside, at multiples of its sizes}}
  %y = wtile.extract %x [0, 8] : tensor<4x8xf32> -> tensor<4x4xf32>
  return
}

// -----

func.func @extract(%x: tensor<4x8xf32>) {
  // expected-error @below {{'wtile.extract' op of 'tensor<4x8xf32>' at [0, -4] is 'tensor<4x4xf32>': a block lies inside, at multiples of its sizes}}
  %y = wtile.extract %x [0, -4] : tensor<4x8xf32> -> tensor<4x4xf32>
  return
}

// -----

func.func @extract(%x: tensor<4x8xf32>) {
  // expected-error @below {{'wtile.extract' op of 'tensor<4x8xf32>' at [0, 0] is 'tensor<0x4xf32>': a block lies inside, at multiples of its sizes}}
  %y = wtile.extract %x [0, 0] : tensor<4x8xf32> -> tensor<0x4xf32>
  return
}

// -----

func.func @extract(%x: tensor<4x8xf32>) {
  // expected-error @below {{'wtile.extract' op of 'tensor<4x8xf32>' at [0] is 'tensor<4xf32>': a block lies inside, at multiples of its sizes}}
  %y = wtile.extract %x [0] : tensor<4x8xf32> -> tensor<4xf32>
  return
}

// -----

func.func @concat() {
  // expected-error @below {{'wtile.concat' op of : a power of two of tiles of one type}}
  %y = "wtile.concat"() <{dim = 0 : i64}> : () -> tensor<4xf32>
  return
}

// -----

func.func @concat(%x: tensor<4xf32>) {
  // expected-error @below {{'wtile.concat' op of 'tensor<4xf32>', 'tensor<4xf32>', 'tensor<4xf32>': a power of two of tiles of one type}}
  %y = wtile.concat %x, %x, %x over 0 : tensor<4xf32>, tensor<4xf32>, tensor<4xf32> -> tensor<12xf32>
  return
}

// -----

func.func @concat(%x: tensor<4xf32>, %y: tensor<8xf32>) {
  // expected-error @below {{'wtile.concat' op of 'tensor<4xf32>', 'tensor<8xf32>': a power of two of tiles of one type}}
  %z = wtile.concat %x, %y over 0 : tensor<4xf32>, tensor<8xf32> -> tensor<12xf32>
  return
}

// -----

func.func @concat(%x: tensor<4xf32>) {
  // expected-error @below {{'wtile.concat' op over dim 1 of 'tensor<4xf32>': a dim is one of the tile's}}
  %y = wtile.concat %x, %x over 1 : tensor<4xf32>, tensor<4xf32> -> tensor<4x2xf32>
  return
}

// -----

func.func @concat(%x: tensor<4xf32>) {
  // expected-error @below {{'wtile.concat' op of 2 tiles 'tensor<4xf32>' over dim 0 is 'tensor<4xf32>': sizes along the dim add up}}
  %y = wtile.concat %x, %x over 0 : tensor<4xf32>, tensor<4xf32> -> tensor<4xf32>
  return
}

// -----

func.func @take(%x: tensor<4x16xf32>, %columns: tensor<8x8xi32>) {
  // expected-error @below {{'wtile.take' op from 'tensor<4x16xf32>' by 'tensor<8x8xi32>' is 'tensor<8x8xf32>': an index per element, and one row of the source per row}}
  %y = wtile.take %x[%columns] : tensor<4x16xf32>, tensor<8x8xi32> -> tensor<8x8xf32>
  return
}

// -----

func.func @take(%x: tensor<f32>, %columns: tensor<i32>) {
  // expected-error @below {{'wtile.take' op from 'tensor<f32>' by 'tensor<i32>' is 'tensor<f32>': an index per element, and one row of the source per row}}
  %y = wtile.take %x[%columns] : tensor<f32>, tensor<i32> -> tensor<f32>
  return
}

// -----

func.func @factor(%x: tensor<8x8xf32>) {
  // expected-error @below {{'wtile.factor_block' op of 'tensor<8x8xf32>' is 'tensor<8x8xf32>' and 'tensor<8x8xf32>': all three are blocks of 16x16xf32}}
  %y, %z = wtile.factor_block %x : tensor<8x8xf32>
  return
}

// -----

func.func @factor(%x: tensor<16x16xf32>) {
  // expected-error @below {{'wtile.factor_block' op of 'tensor<16x16xf32>' is 'tensor<16x16xf64>' and 'tensor<16x16xf32>': all three are blocks of 16x16xf32}}
  %y, %z = "wtile.factor_block"(%x) : (tensor<16x16xf32>) -> (tensor<16x16xf64>, tensor<16x16xf32>)
  return
}

// -----

func.func @invert(%x: tensor<24x24xf32>) {
  // expected-error @below {{'wtile.invert_blocks' op of 'tensor<24x24xf32>' is 'tensor<24x16xf32>': f32 blocks of 16 rows, one below the other}}
  %y = wtile.invert_blocks %x : tensor<24x24xf32> -> tensor<24x16xf32>
  return
}

// -----

func.func @invert(%x: tensor<0x0xf32>) {
  // expected-error @below {{'wtile.invert_blocks' op of 'tensor<0x0xf32>' is 'tensor<0x16xf32>': f32 blocks of 16 rows, one below the other}}
  %y = wtile.invert_blocks %x : tensor<0x0xf32> -> tensor<0x16xf32>
  return
}

//===----------------------------------------------------------------------===//
// Layouts of an op's tiles
//===----------------------------------------------------------------------===//

// -----

#lanes = #wtile.layout<[32] register [] lane [[1], [2], [4], [8], [16]] warp []>
func.func @mixed(%x: tensor<32xf32, #lanes>) {
  // expected-error @below {{'wtile.broadcast' op has tiles with layouts and tiles without: all of an op's tiles have layouts, or none}}
  %y = wtile.broadcast %x to [0] : tensor<32xf32, #lanes> -> tensor<32x4xf32>
  return
}

// -----

#lanes = #wtile.layout<[32] register [] lane [[1], [2], [4], [8], [16]] warp []>
#matrix = #wtile.layout<[32, 4] register [[0, 1], [0, 2]] lane [[2, 0], [1, 0], [4, 0], [8, 0], [16, 0]] warp []>
func.func @broadcast(%x: tensor<32xf32, #lanes>) {
  // expected-error @below {{'wtile.broadcast' op has layouts that do not fit each other: a thread makes its part of the result from its own part of the operands}}
  %y = wtile.broadcast %x to [0] : tensor<32xf32, #lanes> -> tensor<32x4xf32, #matrix>
  return
}

// -----

#lanes = #wtile.layout<[32] register [] lane [[1], [2], [4], [8], [16]] warp []>
#matrix = #wtile.layout<[32, 4] register [] lane [[1, 0], [2, 0], [4, 0], [8, 0], [16, 0]] warp [[0, 1], [0, 2]]>
func.func @broadcast(%x: tensor<32xf32, #lanes>) {
  // expected-error @below {{'wtile.broadcast' op has layouts that do not fit each other: a thread makes its part of the result from its own part of the operands}}
  %y = wtile.broadcast %x to [0] : tensor<32xf32, #lanes> -> tensor<32x4xf32, #matrix>
  return
}

// -----

#tall = #wtile.layout<[32, 2] register [[0, 1]] lane [[1, 0], [2, 0], [4, 0], [8, 0], [16, 0]] warp []>
#wide = #wtile.layout<[2, 32] register [[0, 1]] lane [[1, 0], [0, 2], [0, 4], [0, 8], [0, 16]] warp []>
func.func @transpose(%x: tensor<32x2xf32, #tall>) {
  // expected-error @below {{'wtile.transpose' op has layouts that do not fit each other: a thread makes its part of the result from its own part of the operands}}
  %y = wtile.transpose %x : tensor<32x2xf32, #tall> -> tensor<2x32xf32, #wide>
  return
}

// -----

// The block's rows lie in lanes of the whole.
#whole = #wtile.layout<[32, 2] register [[0, 1]] lane [[1, 0], [2, 0], [4, 0], [8, 0], [16, 0]] warp []>
#block = #wtile.layout<[16, 2] register [[0, 1]] lane [[1, 0], [2, 0], [4, 0], [8, 0], [0, 0]] warp []>
func.func @extract(%x: tensor<32x2xf32, #whole>) {
  // expected-error @below {{'wtile.extract' op has layouts that do not fit each other: a thread makes its part of the result from its own part of the operands}}
  %y = wtile.extract %x [16, 0] : tensor<32x2xf32, #whole> -> tensor<16x2xf32, #block>
  return
}

// -----

// The same at offset zero: half of the lanes hold another block.
#whole = #wtile.layout<[32, 2] register [[0, 1]] lane [[1, 0], [2, 0], [4, 0], [8, 0], [16, 0]] warp []>
#block = #wtile.layout<[16, 2] register [[0, 1]] lane [[1, 0], [2, 0], [4, 0], [8, 0], [0, 0]] warp []>
func.func @extract(%x: tensor<32x2xf32, #whole>) {
  // expected-error @below {{'wtile.extract' op has layouts that do not fit each other: a thread makes its part of the result from its own part of the operands}}
  %y = wtile.extract %x [0, 0] : tensor<32x2xf32, #whole> -> tensor<16x2xf32, #block>
  return
}

// -----

#block = #wtile.layout<[16] register [] lane [[1], [2], [4], [8], [0]] warp []>
#whole = #wtile.layout<[32] register [] lane [[1], [2], [4], [8], [16]] warp []>
func.func @concat(%x: tensor<16xf32, #block>) {
  // expected-error @below {{'wtile.concat' op has layouts that do not fit each other: a thread makes its part of the result from its own part of the operands}}
  %y = wtile.concat %x, %x over 0 : tensor<16xf32, #block>, tensor<16xf32, #block> -> tensor<32xf32, #whole>
  return
}

// -----

// A sum over warps: its parts are combined through shared memory.
#matrix = #wtile.layout<[32, 2] register [] lane [[1, 0], [2, 0], [4, 0], [8, 0], [16, 0]] warp [[0, 1]]>
#lanes = #wtile.layout<[32] register [] lane [[1], [2], [4], [8], [16]] warp [[0]]>
func.func @reduce(%x: tensor<32x2xf32, #matrix>) {
  // expected-error @below {{'wtile.reduce' op has layouts that do not fit each other: a thread makes its part of the result from its own part of the operands}}
  %y = wtile.reduce (%x : tensor<32x2xf32, #matrix>) over 1 -> (tensor<32xf32, #lanes>) {
  ^combine(%a: f32, %b: f32):
    wtile.yield %a : f32
  }
  return
}

// -----

// Parts that are not the warps'.
#matrix = #wtile.layout<[32, 2] register [[0, 1]] lane [[1, 0], [2, 0], [4, 0], [8, 0], [16, 0]] warp []>
#parts = #wtile.layout<[2, 32] register [[1, 0]] lane [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16]] warp []>
func.func @reduce(%x: tensor<32x2xf32, #matrix>) {
  // expected-error @below {{'wtile.reduce' op has layouts that do not fit each other: a thread makes its part of the result from its own part of the operands}}
  %y = wtile.reduce (%x : tensor<32x2xf32, #matrix>) over 1 parts 2 -> (tensor<2x32xf32, #parts>) {
  ^combine(%a: f32, %b: f32):
    wtile.yield %a : f32
  }
  return
}

// -----

#matrix = #wtile.layout<[32, 2] register [[0, 1]] lane [[1, 0], [2, 0], [4, 0], [8, 0], [16, 0]] warp []>
#other = #wtile.layout<[32] register [] lane [[2], [1], [4], [8], [16]] warp []>
func.func @reduce(%x: tensor<32x2xf32, #matrix>) {
  // expected-error @below {{'wtile.reduce' op has layouts that do not fit each other: a thread makes its part of the result from its own part of the operands}}
  %y = wtile.reduce (%x : tensor<32x2xf32, #matrix>) over 1 -> (tensor<32xf32, #other>) {
  ^combine(%a: f32, %b: f32):
    wtile.yield %a : f32
  }
  return
}

// -----

// Register 3 is cut off, with which register 2 would be combined.
#matrix = #wtile.layout<[32, 3] register [[0, 1], [0, 2]] lane [[1, 0], [2, 0], [4, 0], [8, 0], [16, 0]] warp [] registers 3>
#lanes = #wtile.layout<[32] register [] lane [[1], [2], [4], [8], [16]] warp []>
func.func @reduce(%x: tensor<32x3xf32, #matrix>) {
  // expected-error @below {{'wtile.reduce' op has layouts that do not fit each other: a thread makes its part of the result from its own part of the operands}}
  %y = wtile.reduce (%x : tensor<32x3xf32, #matrix>) over 1 -> (tensor<32xf32, #lanes>) {
  ^combine(%a: f32, %b: f32):
    wtile.yield %a : f32
  }
  return
}

// -----

// Time over high lanes.
#lanes = #wtile.layout<[32] register [] lane [[2], [1], [4], [8], [16]] warp []>
func.func @scan(%x: tensor<32xf32, #lanes>) {
  // expected-error @below {{'wtile.scan' op has layouts that do not fit each other: a thread makes its part of the result from its own part of the operands}}
  %y = wtile.scan (%x : tensor<32xf32, #lanes>) over 0 identity [0.0 : f32] -> (tensor<32xf32, #lanes>) {
  ^combine(%a: f32, %b: f32):
    wtile.yield %a : f32
  }
  return
}

// -----

// Time over warps.
#warps = #wtile.layout<[64] register [] lane [[1], [2], [4], [8], [16]] warp [[32]]>
func.func @scan(%x: tensor<64xf32, #warps>) {
  // expected-error @below {{'wtile.scan' op has layouts that do not fit each other: a thread makes its part of the result from its own part of the operands}}
  %y = wtile.scan (%x : tensor<64xf32, #warps>) over 0 identity [0.0 : f32] -> (tensor<64xf32, #warps>) {
  ^combine(%a: f32, %b: f32):
    wtile.yield %a : f32
  }
  return
}

// -----

// One instruction's accumulator and first factor, and the same with two lanes exchanged.
#sums = #wtile.layout<[16, 8] register [[0, 1], [8, 0]] lane [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]] warp []>
#swapped = #wtile.layout<[16, 8] register [[0, 1], [8, 0]] lane [[0, 4], [0, 2], [1, 0], [2, 0], [4, 0]] warp []>
#first = #wtile.layout<[16, 16] register [[0, 1], [8, 0], [0, 8]] lane [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]] warp []>
func.func @mma(%a: tensor<16x16xbf16, #first>, %b: !wtile.shared<8x16xbf16>, %c: tensor<16x8xf32, #sums>, %d: tensor<16x8xf32, #swapped>) {
  %x = wtile.mma %a, %b, %c over [1, 1] : tensor<16x16xbf16, #first>, !wtile.shared<8x16xbf16>, tensor<16x8xf32, #sums>
  // expected-error @below {{'wtile.mma' op has layouts that do not fit each other: a thread makes its part of the result from its own part of the operands}}
  %y = wtile.mma %a, %b, %d over [1, 1] : tensor<16x16xbf16, #first>, !wtile.shared<8x16xbf16>, tensor<16x8xf32, #swapped>
  return
}

// -----

#sums = #wtile.layout<[16, 8] register [[0, 1], [8, 0]] lane [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]] warp []>
#swapped = #wtile.layout<[16, 16] register [[0, 1], [8, 0], [0, 8]] lane [[0, 4], [0, 2], [1, 0], [2, 0], [4, 0]] warp []>
func.func @mma(%a: tensor<16x16xbf16, #swapped>, %b: !wtile.shared<8x16xbf16>, %c: tensor<16x8xf32, #sums>) {
  // expected-error @below {{'wtile.mma' op has layouts that do not fit each other: a thread makes its part of the result from its own part of the operands}}
  %x = wtile.mma %a, %b, %c over [1, 1] : tensor<16x16xbf16, #swapped>, !wtile.shared<8x16xbf16>, tensor<16x8xf32, #sums>
  return
}

// -----

// No matrix instruction has four rows.
#sums = #wtile.layout<[4, 8] register [] lane [[0, 1], [0, 2], [0, 4], [1, 0], [2, 0]] warp []>
func.func @mma(%a: !wtile.shared<4x16xbf16>, %b: !wtile.shared<8x16xbf16>, %c: tensor<4x8xf32, #sums>) {
  // expected-error @below {{'wtile.mma' op has layouts that do not fit each other: a thread makes its part of the result from its own part of the operands}}
  %x = wtile.mma %a, %b, %c over [1, 1] : !wtile.shared<4x16xbf16>, !wtile.shared<8x16xbf16>, tensor<4x8xf32, #sums>
  return
}

// -----

#m = #wtile.layout<[4, 8] register [] lane [[0, 1], [0, 2], [0, 4], [1, 0], [2, 0]] warp []>
func.func @take(%x: tensor<4x8xf32, #m>, %columns: tensor<4x8xi32, #m>) {
  // expected-error @below {{'wtile.take' op has layouts that do not fit each other: a thread makes its part of the result from its own part of the operands}}
  %y = wtile.take %x[%columns] : tensor<4x8xf32, #m>, tensor<4x8xi32, #m> -> tensor<4x8xf32, #m>
  return
}

// -----

#m = #wtile.layout<[4, 8] register [] lane [[0, 1], [0, 2], [0, 4], [1, 0], [2, 0]] warp []>
#rows = #wtile.layout<[4] register [] lane [[1], [2], [0], [0], [0]] warp []>
func.func @scatter(%t: tensor<4x8xf32, #m>, %x: memref<?x8xf32>, %rows: tensor<4xi32, #rows>, %i: index) {
  // expected-error @below {{'wtile.scatter' op has layouts that do not fit each other: a thread makes its part of the result from its own part of the operands}}
  wtile.scatter %t, %x[%rows] live(%i, %i) : tensor<4x8xf32, #m>, memref<?x8xf32>, tensor<4xi32, #rows>
  return
}

// -----

// From warp to warp.
#a = #wtile.layout<[64] register [] lane [[1], [2], [4], [8], [16]] warp [[32]]>
#b = #wtile.layout<[64] register [] lane [[2], [4], [8], [16], [32]] warp [[1]]>
func.func @relayout(%x: tensor<64xf32, #a>) {
  // expected-error @below {{'wtile.relayout' op has layouts that do not fit each other: a thread makes its part of the result from its own part of the operands}}
  %y = wtile.relayout %x : tensor<64xf32, #a> -> tensor<64xf32, #b>
  return
}

//===----------------------------------------------------------------------===//
// Shared memory
//===----------------------------------------------------------------------===//

// -----

func.func @stage(%ring: !wtile.shared<3x64xf32>, %n: index) {
  // expected-error @below {{'wtile.stage' op of '!wtile.shared<3x64xf32>' is '!wtile.shared<64xf32>': a ring has a power of two of stages}}
  %b = wtile.stage %ring[%n] : !wtile.shared<3x64xf32> -> !wtile.shared<64xf32>
  return
}

// -----

func.func @stage(%ring: !wtile.shared<f32>, %n: index) {
  // expected-error @below {{'wtile.stage' op of '!wtile.shared<f32>' is '!wtile.shared<f32>': a ring has a power of two of stages}}
  %b = wtile.stage %ring[%n] : !wtile.shared<f32> -> !wtile.shared<f32>
  return
}

// -----

func.func @subview(%b: !wtile.shared<64x64xf32>) {
  // expected-error @below {{'wtile.subview' op of '!wtile.shared<64x64xf32>' at [16, 8] is '!wtile.shared<16x16xf32>': a block lies inside, at multiples of its sizes}}
  %s = wtile.subview %b [16, 8] : !wtile.shared<64x64xf32> -> !wtile.shared<16x16xf32>
  return
}

// -----

func.func @subview(%b: !wtile.shared<64x64xf32>) {
  // expected-error @below {{'wtile.subview' op of '!wtile.shared<64x64xf32>' at [9223372036854775792, 0] is '!wtile.shared<16x16xf32>': a block lies inside, at multiples of its sizes}}
  %s = wtile.subview %b [9223372036854775792, 0] : !wtile.shared<64x64xf32> -> !wtile.shared<16x16xf32>
  return
}

// -----

func.func @store(%t: tensor<64xf32>, %b: !wtile.shared<32xf32>) {
  // expected-error @below {{'wtile.store_shared' op moves 'tensor<64xf32>' and '!wtile.shared<32xf32>': tile and buffer have one shape and element type}}
  wtile.store_shared %t, %b : tensor<64xf32>, !wtile.shared<32xf32>
  return
}

// -----

func.func @load(%b: !wtile.shared<64xf32>) {
  // expected-error @below {{'wtile.load_shared' op moves 'tensor<64xf16>' and '!wtile.shared<64xf32>': tile and buffer have one shape and element type}}
  %t = wtile.load_shared %b : !wtile.shared<64xf32> -> tensor<64xf16>
  return
}

// -----

func.func @relayout(%x: tensor<4x8xf32>) {
  // expected-error @below {{'wtile.relayout' op of 'tensor<4x8xf32>' is 'tensor<8x4xf32>': another layout changes no shape and no element type}}
  %y = wtile.relayout %x : tensor<4x8xf32> -> tensor<8x4xf32>
  return
}

// -----

func.func @copy(%x: memref<?x64xf32>, %b: !wtile.shared<16x32xf32>, %i: index) {
  // expected-error @below {{'wtile.copy_async' op of 'memref<?x64xf32>' to '!wtile.shared<16x32xf32>': the buffer holds rows of the memory}}
  wtile.copy_async %x[%i] live(%i, %i) to %b : memref<?x64xf32> to !wtile.shared<16x32xf32>
  return
}

// -----

func.func @copy(%x: memref<4x?xf32>, %b: !wtile.shared<4x4xf32>, %i: index) {
  // expected-error @below {{'wtile.copy_async' op of 'memref<4x?xf32>' to '!wtile.shared<4x4xf32>': the buffer holds rows of the memory}}
  wtile.copy_async %x[%i] live(%i, %i) to %b : memref<4x?xf32> to !wtile.shared<4x4xf32>
  return
}

// -----

func.func @copy(%x: memref<f32>, %b: !wtile.shared<f32>, %i: index) {
  // expected-error @below {{'wtile.copy_async' op of 'memref<f32>' to '!wtile.shared<f32>': the buffer holds rows of the memory}}
  wtile.copy_async %x[%i] live(%i, %i) to %b : memref<f32> to !wtile.shared<f32>
  return
}

// -----

func.func @copy(%x: memref<?x64xf32>, %b: !wtile.shared<16x64xf32>, %i: index, %rows: memref<?xf32>) {
  // expected-error @below {{'wtile.copy_async' op by 'memref<?xf32>': row numbers are a vector of integers}}
  wtile.copy_async %x[%i] live(%i, %i) by %rows : memref<?xf32> to %b : memref<?x64xf32> to !wtile.shared<16x64xf32>
  return
}

// -----

func.func @copy(%x: memref<?x64xf32>, %b: !wtile.shared<16x64xf32>, %i: index, %rows: !wtile.shared<16x1xi32>) {
  // expected-error @below {{'wtile.copy_async' op by '!wtile.shared<16x1xi32>': row numbers are a vector of integers}}
  wtile.copy_async %x[%i] live(%i, %i) by %rows : !wtile.shared<16x1xi32> to %b : memref<?x64xf32> to !wtile.shared<16x64xf32>
  return
}

// -----

func.func @copy(%x: memref<?x64xf32>, %b: !wtile.shared<16x64xf32>, %i: index, %rows: !wtile.shared<8xi32>) {
  // expected-error @below {{'wtile.copy_async' op by '!wtile.shared<8xi32>' to '!wtile.shared<16x64xf32>': there is one row number per row}}
  wtile.copy_async %x[%i] live(%i, %i) by %rows : !wtile.shared<8xi32> to %b : memref<?x64xf32> to !wtile.shared<16x64xf32>
  return
}

// -----

func.func @factor(%a: !wtile.shared<16x16xf64>, %strips: !wtile.shared<64xf32>) {
  // expected-error @below {{'wtile.factor_shared' op of '!wtile.shared<16x16xf64>' is '!wtile.shared<16x16xf64>' and '!wtile.shared<16x16xf64>': all three are blocks of 16x16xf32}}
  wtile.factor_shared %a to %a, %a strips %strips : !wtile.shared<16x16xf64>, !wtile.shared<64xf32>
  return
}

// -----

func.func @factor(%a: !wtile.shared<16x16xf32>, %strips: !wtile.shared<100xf32>) {
  // expected-error @below {{'wtile.factor_shared' op has strips of '!wtile.shared<100xf32>': pivot rows take 64 numbers of f32 a warp}}
  wtile.factor_shared %a to %a, %a strips %strips : !wtile.shared<16x16xf32>, !wtile.shared<100xf32>
  return
}

// -----

func.func @invert(%l: !wtile.shared<64x32xf32>, %inverses: !wtile.shared<64x16xf32>) {
  // expected-error @below {{'wtile.invert_shared' op of '!wtile.shared<64x32xf32>' is '!wtile.shared<64x16xf32>': f32 blocks of 16 rows, one below the other}}
  wtile.invert_shared %l to %inverses : !wtile.shared<64x32xf32> to !wtile.shared<64x16xf32>
  return
}

// -----

func.func @slot(%s: !wtile.stack<7x4xf32>) {
  // expected-error @below {{'wtile.load_slot' op moves 'tensor<4xf32>' and slot 7 of '!wtile.stack<7x4xf32>': the tile is one of the stack's slots}}
  %t = wtile.load_slot %s[7] : !wtile.stack<7x4xf32> -> tensor<4xf32>
  return
}

// -----

func.func @slot(%s: memref<?x4xf32>, %t: tensor<4xf32>) {
  // expected-error @below {{'wtile.store_slot' op moves 'tensor<4xf32>' and slot 0 of 'memref<?x4xf32>': the tile is one of the stack's slots}}
  wtile.store_slot %t, %s[0] : tensor<4xf32>, memref<?x4xf32>
  return
}

// -----

func.func @slot(%s: memref<f32>, %t: tensor<f32>) {
  // expected-error @below {{'wtile.store_slot' op moves 'tensor<f32>' and slot 0 of 'memref<f32>': the tile is one of the stack's slots}}
  wtile.store_slot %t, %s[0] : tensor<f32>, memref<f32>
  return
}

// -----

func.func @slot(%s: !wtile.stack<7x4xf32>, %t: tensor<7x4xf32>) {
  // expected-error @below {{'wtile.store_slot' op moves 'tensor<7x4xf32>' and slot 0 of '!wtile.stack<7x4xf32>': the tile is one of the stack's slots}}
  wtile.store_slot %t, %s[0] : tensor<7x4xf32>, !wtile.stack<7x4xf32>
  return
}

// -----

func.func @yield() {
  // expected-error @below {{'wtile.return' op expects parent op 'wtile.kernel'}}
  wtile.return
}
