// RUN: weft-opt %s --weft-verify-chunked --split-input-file --verify-diagnostics

// Every rule of whole bodies: what it accepts, what it rejects, and the note that leads to the mend.

func.func @accepted(%x: tensor<?x8xf32>, %y: tensor<?x8xf32>, %T: index, %s0: tensor<8x8xf32>, %z0: tensor<8xf32>) {
  %c0 = arith.constant 0 : index
  %r:2 = weft.chunked rows %c0 to %T by 16 slices(%x, %y : tensor<?x8xf32>, tensor<?x8xf32>)
      carries(%s0, %z0 : tensor<8x8xf32>, tensor<8xf32>) as [#weft.sum, #weft.sum] {
  ^chunk(%n: index, %lo: index, %hi: index, %a: tensor<16x8xf32>, %b: tensor<16x8xf32>, %s: tensor<8x8xf32>, %z: tensor<8xf32>):
    %p = weft.softmax %a over 1 : tensor<16x8xf32> -> tensor<16x8xf32>
    %k = weft.keep_live %p over 0 from %lo to %hi else 0.0 : tensor<16x8xf32>
    %g = weft.dot %k, %b over [0, 0] numerics<in = f32, acc = f32> : tensor<16x8xf32>, tensor<16x8xf32> -> tensor<8x8xf32>
    %e = weft.sum_element %g : tensor<8x8xf32>
    %read = weft.dot %k, %s over [1, 0] numerics<in = f32, acc = f32> : tensor<16x8xf32>, tensor<8x8xf32> -> tensor<16x8xf32>
    %t = weft.sum %read over 0 : tensor<16x8xf32> -> tensor<8xf32>
    %f = weft.sum_element %t : tensor<8xf32>
    weft.next carry(%e, %f : !weft.element<#weft.sum>, !weft.element<#weft.sum>)
  }
  return
}

// -----

func.func @element_reads_its_own_carry(%x: tensor<?x8xf32>, %y: tensor<?x8xf32>, %T: index, %s0: tensor<8x8xf32>, %z0: tensor<8xf32>) {
  %c0 = arith.constant 0 : index
  %r = weft.chunked rows %c0 to %T by 16 slices(%x, %y : tensor<?x8xf32>, tensor<?x8xf32>)
      carries(%s0 : tensor<8x8xf32>) as [#weft.sum] {
  ^chunk(%n: index, %lo: index, %hi: index, %a: tensor<16x8xf32>, %b: tensor<16x8xf32>, %s: tensor<8x8xf32>):
    // expected-note @below {{'arith.mulf' reads the carry here}}
    %g = arith.mulf %s, %s : tensor<8x8xf32>
    // expected-error @below {{'weft.sum_element' op of carry #0 reads carry #0: element i reads no carry from i on [K3]}}
    %e = weft.sum_element %g : tensor<8x8xf32>
    weft.next carry(%e : !weft.element<#weft.sum>)
  }
  return
}

// -----

func.func @element_reads_a_later_carry(%x: tensor<?x8xf32>, %y: tensor<?x8xf32>, %T: index, %s0: tensor<8x8xf32>, %z0: tensor<8xf32>) {
  %c0 = arith.constant 0 : index
  %r:2 = weft.chunked rows %c0 to %T by 16 slices(%x, %y : tensor<?x8xf32>, tensor<?x8xf32>)
      carries(%s0, %z0 : tensor<8x8xf32>, tensor<8xf32>) as [#weft.sum, #weft.sum] {
  ^chunk(%n: index, %lo: index, %hi: index, %a: tensor<16x8xf32>, %b: tensor<16x8xf32>, %s: tensor<8x8xf32>, %z: tensor<8xf32>):
    // expected-note @below {{'weft.broadcast' reads the carry here}}
    %b2 = weft.broadcast %z to [0] : tensor<8xf32> -> tensor<8x8xf32>
    // expected-error @below {{'weft.sum_element' op of carry #0 reads carry #1: element i reads no carry from i on [K3]}}
    %e = weft.sum_element %b2 : tensor<8x8xf32>
    %t = weft.sum %a over 0 : tensor<16x8xf32> -> tensor<8xf32>
    %f = weft.sum_element %t : tensor<8xf32>
    weft.next carry(%e, %f : !weft.element<#weft.sum>, !weft.element<#weft.sum>)
  }
  return
}

// -----

func.func @sum_of_dead_rows(%x: tensor<?x8xf32>, %y: tensor<?x8xf32>, %T: index, %s0: tensor<8x8xf32>, %z0: tensor<8xf32>) {
  %c0 = arith.constant 0 : index
  %r = weft.chunked rows %c0 to %T by 16 slices(%x, %y : tensor<?x8xf32>, tensor<?x8xf32>)
      carries(%s0 : tensor<8x8xf32>) as [#weft.sum] {
  ^chunk(%n: index, %lo: index, %hi: index, %a: tensor<16x8xf32>, %b: tensor<16x8xf32>, %s: tensor<8x8xf32>):
    // expected-note @below {{operand #0 is made here; it is zero on dead rows after: weft.keep_live over 0 from lo to hi else 0.0}}
    %p = math.exp %a : tensor<16x8xf32>
    // expected-error @below {{'weft.sum' op combines the rows of chunks of 16, and on dead rows operand #0 is 1.000000e+00: dead rows add nothing: sums over rows see zero there, products zero against finite, maxima and softmax -inf, solves no entry off the diagonal [K4]}}
    %t = weft.sum %p over 0 : tensor<16x8xf32> -> tensor<8xf32>
    %g = weft.broadcast %t to [0] : tensor<8xf32> -> tensor<8x8xf32>
    %e = weft.sum_element %g : tensor<8x8xf32>
    weft.next carry(%e : !weft.element<#weft.sum>)
  }
  return
}

// -----

func.func @product_of_dead_rows(%x: tensor<?x8xf32>, %y: tensor<?x8xf32>, %T: index, %s0: tensor<8x8xf32>, %z0: tensor<8xf32>) {
  %c0 = arith.constant 0 : index
  %r = weft.chunked rows %c0 to %T by 16 slices(%x, %y : tensor<?x8xf32>, tensor<?x8xf32>)
      carries(%s0 : tensor<8x8xf32>) as [#weft.sum] {
  ^chunk(%n: index, %lo: index, %hi: index, %a: tensor<16x8xf32>, %b: tensor<16x8xf32>, %s: tensor<8x8xf32>):
    // expected-note @below {{operand #0 is made here; it is zero on dead rows after: weft.keep_live over 0 from lo to hi else 0.0}}
    %p = math.exp %a : tensor<16x8xf32>
    // expected-error @below {{'weft.dot' op combines the rows of chunks of 16, and on dead rows operand #0 is 1.000000e+00, operand #1 is 1.000000e+00: dead rows add nothing: sums over rows see zero there, products zero against finite, maxima and softmax -inf, solves no entry off the diagonal [K4]}}
    %g = weft.dot %p, %p over [0, 0] numerics<in = f32, acc = f32> : tensor<16x8xf32>, tensor<16x8xf32> -> tensor<8x8xf32>
    %e = weft.sum_element %g : tensor<8x8xf32>
    weft.next carry(%e : !weft.element<#weft.sum>)
  }
  return
}

// -----

func.func @maximum_of_dead_rows(%x: tensor<?x8xf32>, %y: tensor<?x8xf32>, %T: index, %s0: tensor<8x8xf32>, %z0: tensor<8xf32>) {
  %c0 = arith.constant 0 : index
  %r = weft.chunked rows %c0 to %T by 16 slices(%x, %y : tensor<?x8xf32>, tensor<?x8xf32>)
      carries(%s0 : tensor<8x8xf32>) as [#weft.sum] {
  // expected-note @below {{operand #0 is made here; it is -inf on dead rows after: weft.keep_live over 0 from lo to hi else 0xFFF0000000000000}}
  ^chunk(%n: index, %lo: index, %hi: index, %a: tensor<16x8xf32>, %b: tensor<16x8xf32>, %s: tensor<8x8xf32>):
    // expected-error @below {{'weft.max' op combines the rows of chunks of 16, and on dead rows operand #0 is zero: dead rows add nothing: sums over rows see zero there, products zero against finite, maxima and softmax -inf, solves no entry off the diagonal [K4]}}
    %t = weft.max %a over 0 : tensor<16x8xf32> -> tensor<8xf32>
    %g = weft.broadcast %t to [0] : tensor<8xf32> -> tensor<8x8xf32>
    %e = weft.sum_element %g : tensor<8x8xf32>
    weft.next carry(%e : !weft.element<#weft.sum>)
  }
  return
}

// -----

func.func @logarithm_of_dead_rows(%x: tensor<?x8xf32>, %y: tensor<?x8xf32>, %T: index, %s0: tensor<8x8xf32>, %z0: tensor<8xf32>) {
  %c0 = arith.constant 0 : index
  %r = weft.chunked rows %c0 to %T by 16 slices(%x, %y : tensor<?x8xf32>, tensor<?x8xf32>)
      carries(%s0 : tensor<8x8xf32>) as [#weft.sum] {
  ^chunk(%n: index, %lo: index, %hi: index, %a: tensor<16x8xf32>, %b: tensor<16x8xf32>, %s: tensor<8x8xf32>):
    // expected-note @below {{operand #0 is made here; it is zero on dead rows after: weft.keep_live over 0 from lo to hi else 0.0}}
    %l = math.log %a : tensor<16x8xf32>
    // expected-error @below {{'weft.dot' op combines the rows of chunks of 16, and on dead rows operand #0 is -inf, operand #1 is zero: dead rows add nothing: sums over rows see zero there, products zero against finite, maxima and softmax -inf, solves no entry off the diagonal [K4]}}
    %g = weft.dot %l, %b over [0, 0] numerics<in = f32, acc = f32> : tensor<16x8xf32>, tensor<16x8xf32> -> tensor<8x8xf32>
    %e = weft.sum_element %g : tensor<8x8xf32>
    weft.next carry(%e : !weft.element<#weft.sum>)
  }
  return
}

// -----

func.func @element_takes_dead_rows(%x: tensor<?x8xf32>, %y: tensor<?x8xf32>, %T: index, %s0: tensor<8x8xf32>, %z0: tensor<8xf32>) {
  %c0 = arith.constant 0 : index
  %r = weft.chunked rows %c0 to %T by 16 slices(%x, %y : tensor<?x8xf32>, tensor<?x8xf32>)
      carries(%s0 : tensor<8x8xf32>) as [#weft.affine] {
  ^chunk(%n: index, %lo: index, %hi: index, %a: tensor<16x8xf32>, %b: tensor<16x8xf32>, %s: tensor<8x8xf32>):
    // expected-note @below {{operand #0 is made here; it is zero on dead rows after: weft.keep_live over 0 from lo to hi else 0.0}}
    %p = math.exp %a : tensor<16x8xf32>
    // expected-error @below {{'weft.affine_element' op combines the rows of chunks of 16, and on dead rows operand #0 is 1.000000e+00, operand #1 is 1.000000e+00: dead rows leave the state as it is: a product of the element sees zero against finite there, scores are -inf [K4a]}}
    %e = weft.affine_element term(write(%p : tensor<16x8xf32>) value(%p : tensor<16x8xf32>)) numerics<in = f32, acc = f32>
    weft.next carry(%e : !weft.element<#weft.affine>)
  }
  return
}

// -----

func.func @op_of_another_kind(%x: tensor<?x8xf32>, %y: tensor<?x8xf32>, %T: index, %s0: tensor<8x8xf32>, %z0: tensor<8xf32>) {
  %c0 = arith.constant 0 : index
  %r = weft.chunked rows %c0 to %T by 16 slices(%x, %y : tensor<?x8xf32>, tensor<?x8xf32>)
      carries(%s0 : tensor<8x8xf32>) as [#weft.sum] {
  ^chunk(%n: index, %lo: index, %hi: index, %a: tensor<16x8xf32>, %b: tensor<16x8xf32>, %s: tensor<8x8xf32>):
    // expected-error @below {{'tensor.dim' op stands in the body of a loop over chunks: a body holds body ops, arith, math and reshapes of features [K5]}}
    %d = tensor.dim %x, %c0 : tensor<?x8xf32>
    %t = weft.sum %a over 0 : tensor<16x8xf32> -> tensor<8xf32>
    %g = weft.broadcast %t to [0] : tensor<8xf32> -> tensor<8x8xf32>
    %e = weft.sum_element %g : tensor<8x8xf32>
    weft.next carry(%e : !weft.element<#weft.sum>)
  }
  return
}

// -----

func.func @rows_joined_to_features(%x: tensor<?x8xf32>, %y: tensor<?x8xf32>, %T: index, %s0: tensor<8x8xf32>, %z0: tensor<8xf32>) {
  %c0 = arith.constant 0 : index
  %r = weft.chunked rows %c0 to %T by 16 slices(%x, %y : tensor<?x8xf32>, tensor<?x8xf32>)
      carries(%s0 : tensor<8x8xf32>) as [#weft.sum] {
  ^chunk(%n: index, %lo: index, %hi: index, %a: tensor<16x8xf32>, %b: tensor<16x8xf32>, %s: tensor<8x8xf32>):
    // expected-error @below {{'tensor.collapse_shape' op joins or splits the rows of chunks of 16: a body holds body ops, arith, math and reshapes of features [K5]}}
    %flat = tensor.collapse_shape %a [[0, 1]] : tensor<16x8xf32> into tensor<128xf32>
    %t = weft.sum %a over 0 : tensor<16x8xf32> -> tensor<8xf32>
    %g = weft.broadcast %t to [0] : tensor<8xf32> -> tensor<8x8xf32>
    %e = weft.sum_element %g : tensor<8x8xf32>
    weft.next carry(%e : !weft.element<#weft.sum>)
  }
  return
}

// -----

func.func @number_of_the_chunk_as_a_value(%x: tensor<?x8xf32>, %y: tensor<?x8xf32>, %T: index, %s0: tensor<8x8xf32>, %z0: tensor<8xf32>) {
  %c0 = arith.constant 0 : index
  %r = weft.chunked rows %c0 to %T by 16 slices(%x, %y : tensor<?x8xf32>, tensor<?x8xf32>)
      carries(%s0 : tensor<8x8xf32>) as [#weft.sum] {
  ^chunk(%n: index, %lo: index, %hi: index, %a: tensor<16x8xf32>, %b: tensor<16x8xf32>, %s: tensor<8x8xf32>):
    // expected-error @below {{'arith.index_cast' op uses the number of the chunk: the number of the chunk goes into fenwick_read, mask_window and arithmetic on indices [K5a]}}
    %i = arith.index_cast %n : index to i64
    %w = arith.sitofp %i : i64 to f32
    %t = weft.sum %a over 0 : tensor<16x8xf32> -> tensor<8xf32>
    %g = weft.broadcast %t to [0] : tensor<8xf32> -> tensor<8x8xf32>
    %e = weft.sum_element %g : tensor<8x8xf32>
    weft.next carry(%e : !weft.element<#weft.sum>)
  }
  return
}

// -----

func.func @float64_product_in_f32(%x: tensor<?x8xf32>, %y: tensor<?x8xf32>, %T: index, %s0: tensor<8x8xf32>, %z0: tensor<8xf32>) {
  %c0 = arith.constant 0 : index
  %r = weft.chunked rows %c0 to %T by 16 slices(%x, %y : tensor<?x8xf32>, tensor<?x8xf32>)
      carries(%s0 : tensor<8x8xf32>) as [#weft.sum] {
  ^chunk(%n: index, %lo: index, %hi: index, %a: tensor<16x8xf32>, %b: tensor<16x8xf32>, %s: tensor<8x8xf32>):
    %w = arith.extf %a : tensor<16x8xf32> to tensor<16x8xf64>
    // expected-error @below {{'weft.dot' op operand #0 has type 'tensor<16x8xf64>' and is multiplied in f32: products of float64 operands have numerics of f64 [K6]}}
    %g = weft.dot %w, %b over [0, 0] numerics<in = f32, acc = f32> : tensor<16x8xf64>, tensor<16x8xf32> -> tensor<8x8xf32>
    %e = weft.sum_element %g : tensor<8x8xf32>
    weft.next carry(%e : !weft.element<#weft.sum>)
  }
  return
}

// -----

func.func @dynamic_shape(%x: tensor<?xf32>, %y: tensor<?x8xf32>, %T: index) {
  %c0 = arith.constant 0 : index
  weft.chunked rows %c0 to %T by 16 slices(%x : tensor<?xf32>) as [] {
  ^chunk(%n: index, %lo: index, %hi: index, %a: tensor<16xf32>):
    // expected-error @below {{'weft.softmax' op makes a value of type 'tensor<?x8xf32>': shapes in a body are static [K8a]}}
    %s = weft.softmax %y over 1 : tensor<?x8xf32> -> tensor<?x8xf32>
    weft.next
  }
  return
}

// -----

func.func @placed_by_every_program(%x: tensor<4xf32>, %B: index, %H: index, %i: tensor<?x4xf32>) -> tensor<?x4xf32> {
  %r = weft.kernel @k programs(%B, %H) outs(%i : tensor<?x4xf32>) {
  ^program(%b: index, %h: index):
    // expected-error @below {{'weft.place' op value #0 is placed by every program along axis #1, whose coordinate is not among its indices: no two programs place one entry: every coordinate stands among the indices as itself, or the placement has rows or an if [K9]}}
    weft.place %x into [%b, *] : tensor<4xf32>
  }
  return %r : tensor<?x4xf32>
}

// -----

func.func @placed_by_one_program(%x: tensor<4xf32>, %B: index, %H: index, %i: tensor<?x4xf32>) -> tensor<?x4xf32> {
  %c0 = arith.constant 0 : index
  %r = weft.kernel @k programs(%B, %H) outs(%i : tensor<?x4xf32>) {
  ^program(%b: index, %h: index):
    %first = arith.cmpi eq, %h, %c0 : index
    weft.place %x into [%b, *] if %first : tensor<4xf32>
  }
  return %r : tensor<?x4xf32>
}

// -----

// An operand that is no tensor says nothing of dead rows.
func.func @levels_accepted(%q: tensor<?x8xf32>, %lam: tensor<?x9xf32>, %T: index, %s0: tensor<4x8x4xf32>, %o0: tensor<?x4xf32>, %v: tensor<?x4xf32>) -> tensor<?x4xf32> {
  %c0 = arith.constant 0 : index
  %o, %s1 = weft.chunked rows %c0 to %T by 16 slices(%q, %lam, %v : tensor<?x8xf32>, tensor<?x9xf32>, tensor<?x4xf32>)
      carries(%s0 : tensor<4x8x4xf32>) as [#weft.fenwick<#weft.affine>] outs(%o0 : tensor<?x4xf32>) {
  ^chunk(%n: index, %lo: index, %hi: index, %a: tensor<16x8xf32>, %l: tensor<16x9xf32>, %b: tensor<16x4xf32>, %s: tensor<4x8x4xf32>):
    %before = weft.fenwick_read %s at %n query %a levels %l from 5 numerics<in = f32, acc = f32>
        : tensor<4x8x4xf32>, tensor<16x8xf32>, tensor<16x9xf32> -> tensor<16x4xf32>
    %e = weft.affine_element term(write(%a : tensor<16x8xf32>) value(%b : tensor<16x4xf32>)) numerics<in = f32, acc = f32>
    weft.next out(%before : tensor<16x4xf32>) carry(%e : !weft.element<#weft.affine>)
  }
  return %o : tensor<?x4xf32>
}
