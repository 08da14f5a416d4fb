// RUN: weft-opt %s --split-input-file --verify-diagnostics

// One case or more for every rule of the body ops.

func.func @dot_dims(%a: tensor<4x8xf32>) {
  // expected-error @below {{'weft.dot' op is over [2, 0] of 'tensor<4x8xf32>' and 'tensor<4x8xf32>': over names one dim of each operand [B1]}}
  %c = weft.dot %a, %a over [2, 0] numerics<in = f32, acc = f32> : tensor<4x8xf32>, tensor<4x8xf32> -> tensor<4x8xf32>
  return
}

// -----

func.func @dot_one_dim(%a: tensor<4x8xf32>) {
  // expected-error @below {{'weft.dot' op is over [1] of 'tensor<4x8xf32>' and 'tensor<4x8xf32>': over names one dim of each operand [B1]}}
  %c = weft.dot %a, %a over [1] numerics<in = f32, acc = f32> : tensor<4x8xf32>, tensor<4x8xf32> -> tensor<4x8xf32>
  return
}

// -----

func.func @dot_of_scalar(%a: tensor<f32>, %b: tensor<4xf32>) {
  // expected-error @below {{'weft.dot' op is over [0, 0] of 'tensor<f32>' and 'tensor<4xf32>': over names one dim of each operand [B1]}}
  %c = weft.dot %a, %b over [0, 0] numerics<in = f32, acc = f32> : tensor<f32>, tensor<4xf32> -> tensor<f32>
  return
}

// -----

func.func @dot_negative_dim(%a: tensor<4x8xf32>) {
  // expected-error @below {{'weft.dot' op is over [-1, 1] of 'tensor<4x8xf32>' and 'tensor<4x8xf32>': over names one dim of each operand [B1]}}
  %c = weft.dot %a, %a over [-1, 1] numerics<in = f32, acc = f32> : tensor<4x8xf32>, tensor<4x8xf32> -> tensor<4x4xf32>
  return
}

// -----

func.func @dot_element_type(%a: tensor<4x8xf8E4M3FN>) {
  // expected-error @below {{'weft.dot' op operand #0 must be 0D/1D/2D/3D/4D/5D/6D tensor of 16-bit float or bfloat16 type or 32-bit float or 64-bit float values, but got 'tensor<4x8xf8E4M3FN>'}}
  %c = weft.dot %a, %a over [1, 1] numerics<in = f32, acc = f32> : tensor<4x8xf8E4M3FN>, tensor<4x8xf8E4M3FN> -> tensor<4x4xf32>
  return
}

// -----

func.func @dot_sizes(%a: tensor<4x8xf32>) {
  // expected-error @below {{'weft.dot' op contracts dim 1 of 'tensor<4x8xf32>' with dim 0 of 'tensor<4x8xf32>': the contracted dims have one size [B2]}}
  %c = weft.dot %a, %a over [1, 0] numerics<in = f32, acc = f32> : tensor<4x8xf32>, tensor<4x8xf32> -> tensor<4x8xf32>
  return
}

// -----

func.func @dot_result(%a: tensor<4x8xf32>) {
  // expected-error @below {{'weft.dot' op has a result of type 'tensor<4x8xf32>' where it makes 'tensor<4x4xf32>': the result has the free dims of lhs, then of rhs, and the accumulator's type [B3]}}
  %c = weft.dot %a, %a over [1, 1] numerics<in = f32, acc = f32> : tensor<4x8xf32>, tensor<4x8xf32> -> tensor<4x8xf32>
  return
}

// -----

func.func @dot_result_type(%a: tensor<4x8xbf16>) {
  // expected-error @below {{'weft.dot' op has a result of type 'tensor<4x4xbf16>' where it makes 'tensor<4x4xf32>': the result has the free dims of lhs, then of rhs, and the accumulator's type [B3]}}
  %c = weft.dot %a, %a over [1, 1] numerics<in = bf16, acc = f32> : tensor<4x8xbf16>, tensor<4x8xbf16> -> tensor<4x4xbf16>
  return
}

// -----

func.func @sum_dim(%a: tensor<4x8xf32>) {
  // expected-error @below {{'weft.sum' op is over dim 2 of a source 'tensor<4x8xf32>': the dim is one of the source's [B4]}}
  %c = weft.sum %a over 2 : tensor<4x8xf32> -> tensor<4xf32>
  return
}

// -----

func.func @sum_result(%a: tensor<4x8xf32>) {
  // expected-error @below {{'weft.sum' op has a result of type 'tensor<8xf32>' where it makes 'tensor<4xf32>': the result is the source without the dim [B5]}}
  %c = weft.sum %a over 1 : tensor<4x8xf32> -> tensor<8xf32>
  return
}

// -----

func.func @max_of_scalar(%a: tensor<f32>) {
  // expected-error @below {{'weft.max' op is over dim 0 of a source 'tensor<f32>': the dim is one of the source's [B4]}}
  %c = weft.max %a over 0 : tensor<f32> -> tensor<f32>
  return
}

// -----

func.func @cumsum_dim(%a: tensor<4x8xf32>) {
  // expected-error @below {{'weft.cumsum' op is over dim 3 of a source 'tensor<4x8xf32>': the dim is one of the source's [B4]}}
  %c = weft.cumsum %a over 3 : tensor<4x8xf32>
  return
}

// -----

func.func @concat_sizes(%a: tensor<4x8xf32>, %b: tensor<5x8xf32>) {
  // expected-error @below {{'weft.concat' op puts a part 'tensor<5x8xf32>' into 'tensor<4x16xf32>' over 1: parts have one rank and element type, sizes agree but along the dim, where they add up to the result's [B6]}}
  %c = weft.concat %a, %b over 1 : tensor<4x8xf32>, tensor<5x8xf32> -> tensor<4x16xf32>
  return
}

// -----

func.func @concat_total(%a: tensor<4x8xf32>) {
  // expected-error @below {{'weft.concat' op has parts of types 'tensor<4x8xf32>', 'tensor<4x8xf32>' and a result 'tensor<4x15xf32>' over 1: parts have one rank and element type, sizes agree but along the dim, where they add up to the result's [B6]}}
  %c = weft.concat %a, %a over 1 : tensor<4x8xf32>, tensor<4x8xf32> -> tensor<4x15xf32>
  return
}

// -----

func.func @concat_rank(%a: tensor<4x8xf32>, %b: tensor<4xf32>) {
  // expected-error @below {{'weft.concat' op puts a part 'tensor<4xf32>' into 'tensor<4x9xf32>' over 1: parts have one rank and element type, sizes agree but along the dim, where they add up to the result's [B6]}}
  %c = weft.concat %a, %b over 1 : tensor<4x8xf32>, tensor<4xf32> -> tensor<4x9xf32>
  return
}

// -----

func.func @concat_types(%a: tensor<4x8xf32>, %b: tensor<4x8xbf16>) {
  // expected-error @below {{'weft.concat' op puts a part 'tensor<4x8xbf16>' into 'tensor<4x16xf32>' over 1: parts have one rank and element type, sizes agree but along the dim, where they add up to the result's [B6]}}
  %c = weft.concat %a, %b over 1 : tensor<4x8xf32>, tensor<4x8xbf16> -> tensor<4x16xf32>
  return
}

// -----

func.func @cholesky_shape(%a: tensor<4x8xf32>) {
  // expected-error @below {{'weft.cholesky' op has an operand or result of type 'tensor<4x8xf32>': the operand is a square matrix [C, C] [B7]}}
  %c = weft.cholesky %a numerics<in = f32, acc = f32> : tensor<4x8xf32>
  return
}

// -----

func.func @cholesky_type(%a: tensor<4x4xbf16>) {
  // expected-error @below {{'weft.cholesky' op has a source of type 'tensor<4x4xbf16>' and accumulates in 'f32': the element type is the accumulator's [B9]}}
  %c = weft.cholesky %a numerics<in = f32, acc = f32> : tensor<4x4xbf16>
  return
}

// -----

func.func @eye_shape() {
  // expected-error @below {{'weft.eye' op has a result of type 'tensor<4x8xf32>': the operand is a square matrix [C, C] [B7]}}
  %c = weft.eye : tensor<4x8xf32>
  return
}

// -----

func.func @solve_rhs(%a: tensor<4x4xf32>, %b: tensor<5x2xf32>) {
  // expected-error @below {{'weft.solve_tril' op has a matrix 'tensor<4x4xf32>', rhs 'tensor<5x2xf32>' and a result 'tensor<5x2xf32>': rhs is [C, N] or [C] for a matrix [C, C], and the result has its shape and the accumulator's type [B8]}}
  %c = weft.solve_tril %a, %b numerics<in = f32, acc = f32> : tensor<4x4xf32>, tensor<5x2xf32> -> tensor<5x2xf32>
  return
}

// -----

func.func @solve_matrix(%a: tensor<4x3xf32>, %b: tensor<4x2xf32>) {
  // expected-error @below {{'weft.solve_tril' op has an operand or result of type 'tensor<4x3xf32>': the operand is a square matrix [C, C] [B7]}}
  %c = weft.solve_tril %a, %b unit numerics<in = f32, acc = f32> : tensor<4x3xf32>, tensor<4x2xf32> -> tensor<4x2xf32>
  return
}

// -----

func.func @broadcast_order(%a: tensor<4x8xf32>) {
  // expected-error @below {{'weft.broadcast' op puts 'tensor<4x8xf32>' to [1, 0] of 'tensor<8x4xf32>': dims give every dim of the source, in order, its own dim of the result, of its size and element type [B10]}}
  %c = weft.broadcast %a to [1, 0] : tensor<4x8xf32> -> tensor<8x4xf32>
  return
}

// -----

func.func @broadcast_size(%a: tensor<4xf32>) {
  // expected-error @below {{'weft.broadcast' op puts 'tensor<4xf32>' to [0] of 'tensor<5x2xf32>': dims give every dim of the source, in order, its own dim of the result, of its size and element type [B10]}}
  %c = weft.broadcast %a to [0] : tensor<4xf32> -> tensor<5x2xf32>
  return
}

// -----

func.func @broadcast_no_like(%a: tensor<4xf32>) {
  // expected-error @below {{'weft.broadcast' op has a result of type 'tensor<?x4xf32>' and no like: like has the result's rank, and gives the sizes of the result's dims that are new and dynamic [B11]}}
  %c = weft.broadcast %a to [1] : tensor<4xf32> -> tensor<?x4xf32>
  return
}

// -----

func.func @broadcast_like_rank(%a: tensor<4xf32>, %b: tensor<?xf32>) {
  // expected-error @below {{'weft.broadcast' op has like of type 'tensor<?xf32>' and a result of type 'tensor<?x4xf32>': like has the result's rank, and gives the sizes of the result's dims that are new and dynamic [B11]}}
  %c = weft.broadcast %a to [1] like(%b : tensor<?xf32>) : tensor<4xf32> -> tensor<?x4xf32>
  return
}

// -----

func.func @outer_leading(%a: tensor<4x8xf32>, %b: tensor<5x8xf32>) {
  // expected-error @below {{'weft.outer' op has operands 'tensor<4x8xf32>' and 'tensor<5x8xf32>' and a result 'tensor<4x8x8xf32>': lhs is [..., M], rhs [..., N] and the result [..., M, N], with the leading dims shared [B12]}}
  %c = weft.outer %a, %b : tensor<4x8xf32>, tensor<5x8xf32> -> tensor<4x8x8xf32>
  return
}

// -----

func.func @softmax_shape(%a: tensor<4x8xf32>) {
  // expected-error @below {{'weft.softmax' op maps 'tensor<4x8xf32>' to 'tensor<4x9xf32>': the result has the source's shape [B13]}}
  %c = weft.softmax %a over 1 : tensor<4x8xf32> -> tensor<4x9xf32>
  return
}

// -----

func.func @softmax_dim(%a: tensor<4x8xf32>) {
  // expected-error @below {{'weft.softmax' op is over dim 2 of a source 'tensor<4x8xf32>': the dim is one of the source's [B4]}}
  %c = weft.softmax %a over 2 : tensor<4x8xf32> -> tensor<4x8xf32>
  return
}

// -----

func.func @normalize_eps(%a: tensor<4x8xf32>) {
  // expected-error @below {{'weft.l2_normalize' op has eps 0.000000e+00: eps is positive and finite in the type computed in [B14]}}
  %c = weft.l2_normalize %a over 1 eps 0.0 : tensor<4x8xf32> -> tensor<4x8xf32>
  return
}

// -----

// A number that f32 rounds to zero.
func.func @normalize_eps_in_f32(%a: tensor<4x8xf32>) {
  // expected-error @below {{'weft.l2_normalize' op has eps 1.000000e-50: eps is positive and finite in the type computed in [B14]}}
  %c = weft.l2_normalize %a over 1 eps 1.0e-50 : tensor<4x8xf32> -> tensor<4x8xf32>
  return
}

// -----

func.func @gather_result(%a: tensor<?x8xf32>, %i: tensor<16xi32>) {
  // expected-error @below {{'weft.gather_rows' op gathers rows 'tensor<16xi32>' of 'tensor<?x8xf32>' to 'tensor<15x8xf32>': the result holds one row of the source per row number [B15]}}
  %c = weft.gather_rows %a[%i] : tensor<?x8xf32>, tensor<16xi32> -> tensor<15x8xf32>
  return
}

// -----

func.func @window_side(%a: tensor<4x8xf32>, %p: index) {
  // expected-error @below {{'weft.mask_window' op has window [-1, 0]: a window has two sides, each at least 0 or unbounded [B16]}}
  %c = weft.mask_window %a window [-1, 0] rows %p cols %p : tensor<4x8xf32>
  return
}

// -----

func.func @window_sides(%a: tensor<4x8xf32>, %p: index) {
  // expected-error @below {{'weft.mask_window' op has window [1, 0, 2]: a window has two sides, each at least 0 or unbounded [B16]}}
  %c = weft.mask_window %a window [1, 0, 2] rows %p cols %p : tensor<4x8xf32>
  return
}

// -----

func.func @window_indices(%a: tensor<4x8xf32>, %p: index, %i: tensor<8xi32>) {
  // expected-error @below {{'weft.mask_window' op has scores 'tensor<4x8xf32>', query indices 'tensor<8xi32>', key indices 'tensor<8xi32>': scores are [queries, keys], original indices [queries] and [keys] [B17]}}
  %c = weft.mask_window %a window [*, 0] rows %p cols %p causal(%i, %i : tensor<8xi32>, tensor<8xi32>) : tensor<4x8xf32>
  return
}

// -----

func.func @too_few_levels(%a: tensor<8x3xf32>) {
  // expected-error @below {{'weft.level_weights' op has levels 'tensor<8x3xf32>' and a result 'tensor<8x8xf32>': levels are [C, L] with C a power of two and L at least log2(C) + 1, and the result is [C, C] [B18]}}
  %c = weft.level_weights %a : tensor<8x3xf32> -> tensor<8x8xf32>
  return
}

// -----

func.func @rows_no_power_of_two(%a: tensor<6x4xf32>) {
  // expected-error @below {{'weft.level_weights' op has levels 'tensor<6x4xf32>' and a result 'tensor<6x6xf32>': levels are [C, L] with C a power of two and L at least log2(C) + 1, and the result is [C, C] [B18]}}
  %c = weft.level_weights %a : tensor<6x4xf32> -> tensor<6x6xf32>
  return
}

// -----

func.func @read_query(%s: tensor<3x4x2xf32>, %n: index, %q: tensor<8x5xf32>, %l: tensor<8x7xf32>) {
  // expected-error @below {{'weft.fenwick_read' op has a stack 'tensor<3x4x2xf32>', query 'tensor<8x5xf32>', levels 'tensor<8x7xf32>' and a result 'tensor<8x2xf32>': the stack is [S, K, V] or [S, K], the query [C, K], levels [C, L] and the result [C, V] or [C] of the accumulator's type [B19]}}
  %c = weft.fenwick_read %s at %n query %q levels %l from 4 numerics<in = f32, acc = f32> : tensor<3x4x2xf32>, tensor<8x5xf32>, tensor<8x7xf32> -> tensor<8x2xf32>
  return
}

// -----

func.func @read_first(%s: tensor<3x4x2xf32>, %n: index, %q: tensor<8x4xf32>, %l: tensor<8x7xf32>) {
  // expected-error @below {{'weft.fenwick_read' op reads from level 8 of levels 'tensor<8x7xf32>': slots read levels that are there: the first is at most L [B20]}}
  %c = weft.fenwick_read %s at %n query %q levels %l from 8 numerics<in = f32, acc = f32> : tensor<3x4x2xf32>, tensor<8x4xf32>, tensor<8x7xf32> -> tensor<8x2xf32>
  return
}

// -----

func.func @merge_contribution(%s: tensor<3x4x2xf32>, %n: index, %g: tensor<4x3xf32>) {
  // expected-error @below {{'weft.fenwick_merge' op has a stack 'tensor<3x4x2xf32>' and a contribution 'tensor<4x3xf32>': the contribution is one slot of a stack [S, ...] of static shape [B21]}}
  %c = weft.fenwick_merge %s, %g at %n level %n : tensor<3x4x2xf32>, tensor<4x3xf32>
  return
}

// -----

func.func @decayed_dot_result(%a: tensor<4x8xf32>) {
  // expected-error @below {{'weft.decayed_dot' op has rows 'tensor<4x8xf32>' and 'tensor<4x8xf32>', decays 'tensor<4x8xf32>' and a result 'tensor<4x8xf32>': later and earlier rows are [C, K], decays [C, K] and the result [C, C] of the accumulator's type [B24]}}
  %c = weft.decayed_dot %a, %a decay(%a, %a : tensor<4x8xf32>) numerics<in = f32, acc = f32> : tensor<4x8xf32>, tensor<4x8xf32> -> tensor<4x8xf32>
  return
}

// -----

func.func @decayed_matmul_weights(%a: tensor<4x8xf32>) {
  // expected-error @below {{'weft.decayed_matmul' op has weights 'tensor<4x8xf32>', rows 'tensor<4x8xf32>', decays 'tensor<4x8xf32>' and a result 'tensor<4x8xf32>': weights are [C, C], rows [C, K], decays and the result [C, K] of the accumulator's type [B25]}}
  %c = weft.decayed_matmul %a, %a decay(%a, %a : tensor<4x8xf32>) numerics<in = f32, acc = f32> : tensor<4x8xf32>, tensor<4x8xf32> -> tensor<4x8xf32>
  return
}

// -----

func.func @keep_live_dim(%a: tensor<4x8xf32>, %p: index) {
  // expected-error @below {{'weft.keep_live' op is over dim 2 of a source 'tensor<4x8xf32>': the dim is one of the source's [B4]}}
  %c = weft.keep_live %a over 2 from %p to %p else 0.0 : tensor<4x8xf32>
  return
}

// -----

func.func @keep_live_nan(%a: tensor<4x8xf32>, %p: index) {
  // expected-error @below {{'weft.keep_live' op replaces dead rows of type 'f32' by nan: what replaces dead rows is a number of the element type [B26]}}
  %c = weft.keep_live %a over 0 from %p to %p else 0x7FF8000000000000 : tensor<4x8xf32>
  return
}

// -----

func.func @keep_live_overflow(%a: tensor<4x8xf16>, %p: index) {
  // expected-error @below {{'weft.keep_live' op replaces dead rows of type 'f16' by 1.000000e+30: what replaces dead rows is a number of the element type [B26]}}
  %c = weft.keep_live %a over 0 from %p to %p else 1.0e30 : tensor<4x8xf16>
  return
}

// -----

func.func @tril_rank(%a: tensor<4xf32>) {
  // expected-error @below {{'weft.tril' op has a source of type 'tensor<4xf32>': the operand is a matrix [B27]}}
  %c = weft.tril %a : tensor<4xf32>
  return
}

// -----

func.func @scan_totals(%a: tensor<4x8xf32>, %p: index) {
  // expected-error @below {{'weft.scan_rows' op scans 'tensor<4x8xf32>' to 'tensor<4x8xf32>' and 'tensor<4xf32>': sources are rows of one shape, one or more, the scanned have their types, the totals lack dim 0 [B22]}}
  %c, %t = weft.scan_rows (%a : tensor<4x8xf32>) by @f identity [0.0 : f32] from %p to %p -> (tensor<4x8xf32>), (tensor<4xf32>)
  return
}

// -----

func.func @scan_identity(%a: tensor<4x8xf32>, %p: index) {
  // expected-error @below {{'weft.scan_rows' op has identity [0.000000e+00] for sources 'tensor<4x8xf32>': the identity holds one number of each source's element type [B23]}}
  %c, %t = weft.scan_rows (%a : tensor<4x8xf32>) by @f identity [0.0 : f64] from %p to %p -> (tensor<4x8xf32>), (tensor<8xf32>)
  return
}

// -----

func.func @scan_nothing(%p: index) {
  // expected-error @below {{'weft.scan_rows' op scans  to  and : sources are rows of one shape, one or more, the scanned have their types, the totals lack dim 0 [B22]}}
  "weft.scan_rows"(%p, %p) <{combine = @f, identity = [], resultSegmentSizes = array<i32: 0, 0>}> : (index, index) -> ()
  return
}

// -----

func.func @scan_of_nowhere(%a: tensor<4x8xf32>, %p: index) {
  // expected-error @below {{'weft.scan_rows' op combine function @f is not a function of this module: a combine function takes (earlier..., later...) scalars of the identity's types and returns as many [D9]}}
  %c, %t = weft.scan_rows (%a : tensor<4x8xf32>) by @f identity [0.0 : f32] from %p to %p -> (tensor<4x8xf32>), (tensor<8xf32>)
  return
}

// -----

func.func private @f(%x: f32, %y: f32) -> f32
func.func @scan_by_a_declaration(%a: tensor<4x8xf32>, %p: index) {
  // expected-error @below {{'weft.scan_rows' op combine function @f has 0 blocks: a combine function holds elementwise ops on scalars in one block [D10]}}
  %c, %t = weft.scan_rows (%a : tensor<4x8xf32>) by @f identity [0.0 : f32] from %p to %p -> (tensor<4x8xf32>), (tensor<8xf32>)
  return
}

// -----

func.func private @f(%x: f32) -> f32 {
  return %x : f32
}
func.func @scan_by_one_scalar(%a: tensor<4x8xf32>, %p: index) {
  // expected-error @below {{'weft.scan_rows' op combine function @f has type '(f32) -> f32' for identity [0.000000e+00 : f32]: a combine function takes (earlier..., later...) scalars of the identity's types and returns as many [D9]}}
  %c, %t = weft.scan_rows (%a : tensor<4x8xf32>) by @f identity [0.0 : f32] from %p to %p -> (tensor<4x8xf32>), (tensor<8xf32>)
  return
}

// -----

func.func private @g(%x: f32) -> f32 {
  return %x : f32
}
func.func private @f(%x: f32, %y: f32) -> f32 {
  // expected-note @below {{which stands here}}
  %z = func.call @g(%x) : (f32) -> f32
  return %z : f32
}
func.func @scan_by_a_call(%a: tensor<4x8xf32>, %p: index) {
  // expected-error @below {{'weft.scan_rows' op combine function @f holds 'func.call': a combine function holds elementwise ops on scalars in one block [D10]}}
  %c, %t = weft.scan_rows (%a : tensor<4x8xf32>) by @f identity [0.0 : f32] from %p to %p -> (tensor<4x8xf32>), (tensor<8xf32>)
  return
}

// -----

func.func private @f(%x: f32, %y: f32) -> f32 {
  cf.br ^next
^next:
  return %y : f32
}
func.func @scan_by_two_blocks(%a: tensor<4x8xf32>, %p: index) {
  // expected-error @below {{'weft.scan_rows' op combine function @f has 2 blocks: a combine function holds elementwise ops on scalars in one block [D10]}}
  %c, %t = weft.scan_rows (%a : tensor<4x8xf32>) by @f identity [0.0 : f32] from %p to %p -> (tensor<4x8xf32>), (tensor<8xf32>)
  return
}

// -----

func.func private @f(%x: f32, %y: f32) -> f32 {
  // expected-note @below {{which stands here}}
  %z = arith.constant dense<0.0> : tensor<4xf32>
  return %y : f32
}
func.func @scan_by_tensors(%a: tensor<4x8xf32>, %p: index) {
  // expected-error @below {{'weft.scan_rows' op combine function @f holds 'arith.constant': a combine function holds elementwise ops on scalars in one block [D10]}}
  %c, %t = weft.scan_rows (%a : tensor<4x8xf32>) by @f identity [0.0 : f32] from %p to %p -> (tensor<4x8xf32>), (tensor<8xf32>)
  return
}
