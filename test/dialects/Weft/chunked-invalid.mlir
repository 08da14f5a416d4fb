// RUN: weft-opt %s --split-input-file --verify-diagnostics

// One case or more for every rule of kernels, placements, loops over chunks,
// elements and their dense forms that an op can check by itself.

func.func @kernel_result_type(%init: tensor<?xf32>, %B: index) -> tensor<4xf32> {
  // expected-error @below {{'weft.kernel' op result #0 has type 'tensor<4xf32>' and its init 'tensor<?xf32>': results have the types of their inits [K10]}}
  %r = "weft.kernel"(%B, %init) <{name = @k, operandSegmentSizes = array<i32: 1, 1>}> ({
  ^bb0(%b: index):
    "weft.place"(%init) <{hasCondition = array<i1: false>, hasRows = array<i1: false>, operandSegmentSizes = array<i32: 1, 0, 0, 0, 0>, spans = [array<i1: true>]}> : (tensor<?xf32>) -> ()
  }) : (index, tensor<?xf32>) -> tensor<4xf32>
  return %r : tensor<4xf32>
}

// -----

func.func @kernel_inits(%init: tensor<?xf32>, %B: index) {
  // expected-error @below {{'weft.kernel' op has 2 results and 1 inits: results have the types of their inits [K10]}}
  %r:2 = "weft.kernel"(%B, %init) <{name = @k, operandSegmentSizes = array<i32: 1, 1>}> ({
  ^bb0(%b: index):
    "weft.place"(%init) <{hasCondition = array<i1: false>, hasRows = array<i1: false>, operandSegmentSizes = array<i32: 1, 0, 0, 0, 0>, spans = [array<i1: true>]}> : (tensor<?xf32>) -> ()
  }) : (index, tensor<?xf32>) -> (tensor<?xf32>, tensor<?xf32>)
  return
}

// -----

func.func @kernel_coordinates(%x: tensor<4xf32>, %init: tensor<4xf32>, %B: index) {
  // expected-error @below {{'weft.kernel' op has 2 program axes and its region takes 1 coordinates: a program has one coordinate of type index per program axis [K11]}}
  %r = weft.kernel @k programs(%B, %B) outs(%init : tensor<4xf32>) {
  ^program(%b: index):
    weft.place %x into [*] : tensor<4xf32>
  }
  return
}

// -----

func.func @kernel_coordinate_type(%x: tensor<4xf32>, %init: tensor<4xf32>, %B: index) {
  // expected-error @below {{'weft.kernel' op coordinate #0 has type 'i32': a program has one coordinate of type index per program axis [K11]}}
  %r = weft.kernel @k programs(%B) outs(%init : tensor<4xf32>) {
  ^program(%b: i32):
    weft.place %x into [*] : tensor<4xf32>
  }
  return
}

// -----

func.func @kernel_terminator(%init: tensor<4xf32>, %B: index) {
  // expected-error @below {{'weft.kernel' op region ends in 'llvm.unreachable': a program ends in one placement per result [K12]}}
  %r = weft.kernel @k programs(%B) outs(%init : tensor<4xf32>) {
  ^program(%b: index):
    llvm.unreachable
  }
  return
}

// -----

func.func @kernel_without_body(%init: tensor<4xf32>, %B: index) {
  // expected-error @below {{'weft.kernel' op expects a non-empty block}}
  %r = weft.kernel @k programs(%B) outs(%init : tensor<4xf32>) {
  ^program(%b: index):
  }
  return
}

// -----

func.func @place_count(%x: tensor<4xf32>, %init: tensor<?x4xf32>, %B: index) {
  %r = weft.kernel @k programs(%B) outs(%init : tensor<?x4xf32>) {
  ^program(%b: index):
    // expected-error @below {{'weft.place' op places 2 values for 1 results: a program ends in one placement per result [K12]}}
    weft.place %x into [%b, *], %x into [%b, *] : tensor<4xf32>, tensor<4xf32>
  }
  return
}

// -----

func.func @place_lists(%x: tensor<4xf32>, %init: tensor<?x4xf32>, %B: index) {
  %r = weft.kernel @k programs(%B) outs(%init : tensor<?x4xf32>) {
  ^program(%b: index):
    // expected-error @below {{'weft.place' op has 1 values, 0 indices, 0 row indices, 0 live bounds and 0 conditions, which its 'spans', 'hasRows' and 'hasCondition' do not account for: a placement has one index per dim without a star, one live range where it has rows, one condition where it has an if [K13]}}
    "weft.place"(%x) <{hasCondition = array<i1: false>, hasRows = array<i1: false>, operandSegmentSizes = array<i32: 1, 0, 0, 0, 0>, spans = [array<i1: false, true>]}> : (tensor<4xf32>) -> ()
  }
  return
}

// -----

func.func @place_rank(%x: tensor<4xf32>, %init: tensor<?x4xf32>, %B: index) {
  %r = weft.kernel @k programs(%B) outs(%init : tensor<?x4xf32>) {
  ^program(%b: index):
    // expected-error @below {{'weft.place' op value #0 is placed by 3 coordinates into a result 'tensor<?x4xf32>' of 2 dims: a placed value has the starred dims and the element type of its result [K14]}}
    weft.place %x into [%b, %b, *] : tensor<4xf32>
  }
  return
}

// -----

func.func @place_size(%x: tensor<5xf32>, %init: tensor<?x4xf32>, %B: index) {
  %r = weft.kernel @k programs(%B) outs(%init : tensor<?x4xf32>) {
  ^program(%b: index):
    // expected-error @below {{'weft.place' op value #0 has type 'tensor<5xf32>' for a result 'tensor<?x4xf32>': a placed value has the starred dims and the element type of its result [K14]}}
    weft.place %x into [%b, *] : tensor<5xf32>
  }
  return
}

// -----

func.func @place_element_type(%x: tensor<4xbf16>, %init: tensor<?x4xf32>, %B: index) {
  %r = weft.kernel @k programs(%B) outs(%init : tensor<?x4xf32>) {
  ^program(%b: index):
    // expected-error @below {{'weft.place' op value #0 has type 'tensor<4xbf16>' for a result 'tensor<?x4xf32>': a placed value has the starred dims and the element type of its result [K14]}}
    weft.place %x into [%b, *] : tensor<4xbf16>
  }
  return
}

// -----

func.func @place_spans(%x: tensor<4x4xf32>, %init: tensor<?x4xf32>, %B: index) {
  %r = weft.kernel @k programs(%B) outs(%init : tensor<?x4xf32>) {
  ^program(%b: index):
    // expected-error @below {{'weft.place' op value #0 has type 'tensor<4x4xf32>' for a result 'tensor<?x4xf32>': a placed value has the starred dims and the element type of its result [K14]}}
    weft.place %x into [%b, *] : tensor<4x4xf32>
  }
  return
}

// -----

func.func @place_rows(%x: tensor<16x4xf32>, %rows: tensor<8xi32>, %init: tensor<?x?x4xf32>, %B: index) {
  %r = weft.kernel @k programs(%B) outs(%init : tensor<?x?x4xf32>) {
  ^program(%b: index):
    // expected-error @below {{'weft.place' op value #0 has type 'tensor<16x4xf32>' and row indices 'tensor<8xi32>': there is one row index per row of the placed value [K15]}}
    weft.place %x into [%b, *, *] rows(%rows live %b to %B : tensor<8xi32>) : tensor<16x4xf32>
  }
  return
}

// -----

func.func @place_rows_of_nothing(%x: tensor<f32>, %rows: tensor<8xi32>, %init: tensor<?xf32>, %B: index) {
  %r = weft.kernel @k programs(%B) outs(%init : tensor<?xf32>) {
  ^program(%b: index):
    // expected-error @below {{'weft.place' op value #0 has type 'tensor<f32>' and row indices 'tensor<8xi32>': there is one row index per row of the placed value [K15]}}
    weft.place %x into [%b] rows(%rows live %b to %B : tensor<8xi32>) : tensor<f32>
  }
  return
}

// -----

func.func @slice_rows(%x: tensor<?x8xf32>, %T: index) {
  // expected-error @below {{'weft.chunked' op slice #0 has type 'tensor<8x8xf32>' in the region of 16 rows a chunk, cut from 'tensor<?x8xf32>': slices are C rows of their operand [K1]}}
  weft.chunked rows %T to %T by 16 slices(%x : tensor<?x8xf32>) as [] {
  ^chunk(%n: index, %lo: index, %hi: index, %xc: tensor<8x8xf32>):
    weft.next
  }
  return
}

// -----

func.func @slice_features(%x: tensor<?x8xf32>, %T: index) {
  // expected-error @below {{'weft.chunked' op slice #0 has type 'tensor<16x4xf32>' in the region of 16 rows a chunk, cut from 'tensor<?x8xf32>': slices are C rows of their operand [K1]}}
  weft.chunked rows %T to %T by 16 slices(%x : tensor<?x8xf32>) as [] {
  ^chunk(%n: index, %lo: index, %hi: index, %xc: tensor<16x4xf32>):
    weft.next
  }
  return
}

// -----

func.func @slice_element_type(%x: tensor<?x8xbf16>, %T: index) {
  // expected-error @below {{'weft.chunked' op slice #0 has type 'tensor<16x8xf32>' in the region of 16 rows a chunk, cut from 'tensor<?x8xbf16>': slices are C rows of their operand [K1]}}
  weft.chunked rows %T to %T by 16 slices(%x : tensor<?x8xbf16>) as [] {
  ^chunk(%n: index, %lo: index, %hi: index, %xc: tensor<16x8xf32>):
    weft.next
  }
  return
}

// -----

func.func @slice_scalar(%x: tensor<f32>, %T: index) {
  // expected-error @below {{'weft.chunked' op slice #0 has type 'tensor<f32>': slices are C rows of their operand [K1]}}
  weft.chunked rows %T to %T by 16 slices(%x : tensor<f32>) as [] {
  ^chunk(%n: index, %lo: index, %hi: index, %xc: tensor<16xf32>):
    weft.next
  }
  return
}

// -----

func.func @slice_dynamic(%x: tensor<?x?xf32>, %T: index) {
  // expected-error @below {{'weft.chunked' op slice #0 has type 'tensor<16x?xf32>': shapes in a body are static [K8a]}}
  weft.chunked rows %T to %T by 16 slices(%x : tensor<?x?xf32>) as [] {
  ^chunk(%n: index, %lo: index, %hi: index, %xc: tensor<16x?xf32>):
    weft.next
  }
  return
}

// -----

func.func @chunk_of_48(%x: tensor<?x8xf32>, %T: index) {
  // expected-error @below {{'weft.chunked' op chunk is 48: C is a power of two [K8]}}
  weft.chunked rows %T to %T by 48 slices(%x : tensor<?x8xf32>) as [] {
  ^chunk(%n: index, %lo: index, %hi: index, %xc: tensor<48x8xf32>):
    weft.next
  }
  return
}

// -----

func.func @chunk_of_0(%T: index) {
  // expected-error @below {{'weft.chunked' op attribute 'chunk' failed to satisfy constraint: 64-bit signless integer attribute whose value is positive}}
  weft.chunked rows %T to %T by 0 as [] {
  ^chunk(%n: index, %lo: index, %hi: index):
    weft.next
  }
  return
}

// -----

func.func @arguments(%T: index) {
  // expected-error @below {{'weft.chunked' op region takes 2 arguments for 0 slices and 0 states: the region takes n, lo and hi of type index, then the slices, then the states [K19]}}
  weft.chunked rows %T to %T by 16 as [] {
  ^chunk(%n: index, %lo: index):
    weft.next
  }
  return
}

// -----

func.func @argument_types(%T: index) {
  // expected-error @below {{'weft.chunked' op region argument #2 has type 'i64': the region takes n, lo and hi of type index, then the slices, then the states [K19]}}
  weft.chunked rows %T to %T by 16 as [] {
  ^chunk(%n: index, %lo: index, %hi: i64):
    weft.next
  }
  return
}

// -----

func.func @loop_terminator(%T: index) {
  // expected-error @below {{'weft.chunked' op region ends in 'llvm.unreachable': there is one element per carry, of the carry's kind [K2]}}
  weft.chunked rows %T to %T by 16 as [] {
  ^chunk(%n: index, %lo: index, %hi: index):
    llvm.unreachable
  }
  return
}

// -----

func.func @kind_is_a_number(%T: index, %s: tensor<8xf32>) {
  // expected-error @below {{'weft.chunked' op kind #0 is 5 : i64: states belong to carry kinds, all tensors of a carry in order [K16]}}
  %r = weft.chunked rows %T to %T by 16 carries(%s : tensor<8xf32>) as [5 : i64] {
  ^chunk(%n: index, %lo: index, %hi: index, %x: tensor<8xf32>):
    weft.next
  }
  return
}

// -----

func.func @too_few_states(%T: index, %s: tensor<8xf32>) {
  // expected-error @below {{'weft.chunked' op carries 1 tensors and its kinds take 2: states belong to carry kinds, all tensors of a carry in order [K16]}}
  %r = weft.chunked rows %T to %T by 16 carries(%s : tensor<8xf32>) as [#weft.sum, #weft.sum] {
  ^chunk(%n: index, %lo: index, %hi: index, %x: tensor<8xf32>):
    weft.next
  }
  return
}

// -----

func.func @state_shape(%T: index, %s: tensor<8x4xf32>) {
  // expected-error @below {{'weft.chunked' op carry #0: #weft.inverse_gram has a state of type 'tensor<8x4xf32>': the state of an inverse Gram matrix is square, [K, K] [C8]}}
  %r = weft.chunked rows %T to %T by 16 carries(%s : tensor<8x4xf32>) as [#weft.inverse_gram] {
  ^chunk(%n: index, %lo: index, %hi: index, %x: tensor<8x4xf32>):
    weft.next
  }
  return
}

// -----

func.func @state_is_dynamic(%T: index, %s: tensor<?xf32>) {
  // expected-error @below {{'weft.chunked' op carry #0: #weft.sum has a state of type 'tensor<?xf32>': a state has as many tensors as the kind takes, all float tensors of static shape [C1]}}
  %r = weft.chunked rows %T to %T by 16 carries(%s : tensor<?xf32>) as [#weft.sum] {
  ^chunk(%n: index, %lo: index, %hi: index, %x: tensor<?xf32>):
    weft.next
  }
  return
}

// -----

func.func @softmax_states(%T: index, %m: tensor<8xf32>, %acc: tensor<4x2xf32>) {
  // expected-error @below {{'weft.chunked' op carry #0: #weft.online_softmax has a state of types 'tensor<8xf32>', 'tensor<8xf32>', 'tensor<4x2xf32>': the state of an online softmax is m [R], l [R], acc [R, V] of one element type [C10]}}
  %r:3 = weft.chunked rows %T to %T by 16 carries(%m, %m, %acc : tensor<8xf32>, tensor<8xf32>, tensor<4x2xf32>) as [#weft.online_softmax] {
  ^chunk(%n: index, %lo: index, %hi: index, %a: tensor<8xf32>, %b: tensor<8xf32>, %c: tensor<4x2xf32>):
    weft.next
  }
  return
}

// -----

func.func @stack_without_slots(%T: index, %s: tensor<f32>) {
  // expected-error @below {{'weft.chunked' op carry #0: #weft.fenwick has a state of type 'tensor<f32>': the state of a stack is [slots, ...] [C14]}}
  %r = weft.chunked rows %T to %T by 16 carries(%s : tensor<f32>) as [#weft.fenwick<#weft.affine>] {
  ^chunk(%n: index, %lo: index, %hi: index, %x: tensor<f32>):
    weft.next
  }
  return
}

// -----

func.func @summary_state(%T: index, %s: tensor<8x8xf32>) {
  // expected-error @below {{'weft.chunked' op carry #0: #weft.summary has a state of types 'tensor<8x8xf32>', 'tensor<8x8xf32>': the state of a summary is the inner kind's dense element [C18]}}
  %r:2 = weft.chunked rows %T to %T by 16 carries(%s, %s : tensor<8x8xf32>, tensor<8x8xf32>) as [#weft.summary<#weft.affine of tensor<8x4xf32>>] {
  ^chunk(%n: index, %lo: index, %hi: index, %x: tensor<8x8xf32>, %y: tensor<8x8xf32>):
    weft.next
  }
  return
}

// -----

// expected-error @below {{expected non-function type}}
// expected-error @below {{failed to parse Weft_SummaryAttr parameter 'states' which is to be a `::llvm::ArrayRef<::mlir::Type>`}}
func.func private @summary_of_no_state() attributes {kind = #weft.summary<#weft.affine of>}

// -----

// expected-error @below {{#weft.affine has a state of type 'i32': a state has as many tensors as the kind takes, all float tensors of static shape [C1]}}
func.func private @summary_of_an_integer() attributes {kind = #weft.summary<#weft.affine of i32>}

// -----

// expected-error @below {{invalid kind of attribute specified}}
// expected-error @below {{failed to parse Weft_ElementType parameter 'kind' which is to be a `::scanweft::weft::CarryKindInterface`}}
func.func private @element_of_a_number(!weft.element<3 : i64>)

// -----

func.func @result_types(%T: index, %s: tensor<8xf32>) {
  // expected-error @below {{'weft.chunked' op has results of types 'tensor<4xf32>' for outs and states of types 'tensor<8xf32>': a state keeps its type from start to end [K18]}}
  %r = "weft.chunked"(%T, %T, %s) <{chunk = 16 : i64, kinds = [#weft.sum], operandSegmentSizes = array<i32: 1, 1, 0, 1, 0>}> ({
  ^bb0(%n: index, %lo: index, %hi: index, %x: tensor<8xf32>):
    "weft.next"() <{operandSegmentSizes = array<i32: 0, 0>}> : () -> ()
  }) : (index, index, tensor<8xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @state_argument(%T: index, %s: tensor<8xf32>) {
  // expected-error @below {{'weft.chunked' op state #0 has type 'tensor<4xf32>' in the region and starts as 'tensor<8xf32>': a state keeps its type from start to end [K18]}}
  %r = weft.chunked rows %T to %T by 16 carries(%s : tensor<8xf32>) as [#weft.sum] {
  ^chunk(%n: index, %lo: index, %hi: index, %x: tensor<4xf32>):
    weft.next
  }
  return
}

// -----

func.func @stack_descending(%T: index, %s: tensor<6x8x4xf32>) {
  // expected-error @below {{'weft.chunked' op carry #0 of kind #weft.fenwick<#weft.affine> is walked descending: chunks of a stack of states are walked ascending [K7]}}
  %r = weft.chunked rows %T to %T by 16 descending carries(%s : tensor<6x8x4xf32>) as [#weft.fenwick<#weft.affine>] {
  ^chunk(%n: index, %lo: index, %hi: index, %x: tensor<6x8x4xf32>):
    weft.next
  }
  return
}

// -----

func.func @stack_starts_inside_a_chunk(%T: index, %s: tensor<6x8x4xf32>) {
  %c8 = arith.constant 8 : index
  // expected-error @below {{'weft.chunked' op carry #0 of kind #weft.fenwick<#weft.affine> starts at row 8 in chunks of 16: chunks of a stack of states are whole: its first row is a multiple of C [K7a]}}
  %r = weft.chunked rows %c8 to %T by 16 carries(%s : tensor<6x8x4xf32>) as [#weft.fenwick<#weft.affine>] {
  ^chunk(%n: index, %lo: index, %hi: index, %x: tensor<6x8x4xf32>):
    weft.next
  }
  return
}

// -----

func.func @no_element(%T: index, %s: tensor<8xf32>) {
  %r = weft.chunked rows %T to %T by 16 carries(%s : tensor<8xf32>) as [#weft.sum] {
  ^chunk(%n: index, %lo: index, %hi: index, %x: tensor<8xf32>):
    // expected-error @below {{'weft.next' op gives 0 elements for 1 carries: there is one element per carry, of the carry's kind [K2]}}
    weft.next
  }
  return
}

// -----

func.func @element_of_another_kind(%T: index, %s: tensor<8x8xf32>) {
  %r = weft.chunked rows %T to %T by 16 carries(%s : tensor<8x8xf32>) as [#weft.affine] {
  ^chunk(%n: index, %lo: index, %hi: index, %x: tensor<8x8xf32>):
    %e = weft.sum_element %s : tensor<8x8xf32>
    // expected-error @below {{'weft.next' op element #0 is of kind #weft.sum and carry #0 of kind #weft.affine: there is one element per carry, of the carry's kind [K2]}}
    weft.next carry(%e : !weft.element<#weft.sum>)
  }
  return
}

// -----

func.func @element_of_an_outer_kind(%T: index, %s: tensor<6x8x4xf32>, %x: tensor<8x4xf32>) {
  %r = weft.chunked rows %T to %T by 16 carries(%s : tensor<6x8x4xf32>) as [#weft.fenwick<#weft.sum>] {
  ^chunk(%n: index, %lo: index, %hi: index, %st: tensor<6x8x4xf32>):
    %e = builtin.unrealized_conversion_cast %x : tensor<8x4xf32> to !weft.element<#weft.fenwick<#weft.sum>>
    // expected-error @below {{'weft.next' op element #0 is of kind #weft.fenwick<#weft.sum> and carry #0 of kind #weft.fenwick<#weft.sum>: there is one element per carry, of the carry's kind [K2]}}
    weft.next carry(%e : !weft.element<#weft.fenwick<#weft.sum>>)
  }
  return
}

// -----

func.func @element_from_outside(%T: index, %s: tensor<8xf32>, %e: !weft.element<#weft.sum>) {
  %r = weft.chunked rows %T to %T by 16 carries(%s : tensor<8xf32>) as [#weft.sum] {
  ^chunk(%n: index, %lo: index, %hi: index, %x: tensor<8xf32>):
    // expected-error @below {{'weft.next' op element #0: element is not made by 'weft.sum_element': an element op of the carry's kind makes the element [C2]}}
    weft.next carry(%e : !weft.element<#weft.sum>)
  }
  return
}

// -----

func.func @addend(%T: index, %s: tensor<8xf32>, %y: tensor<4xf32>) {
  %r = weft.chunked rows %T to %T by 16 carries(%s : tensor<8xf32>) as [#weft.sum] {
  ^chunk(%n: index, %lo: index, %hi: index, %x: tensor<8xf32>):
    // expected-error @below {{'weft.sum_element' op of carry #0: addend has type 'tensor<4xf32>' and the state 'tensor<8xf32>': an addend has the state's type [C3]}}
    %e = weft.sum_element %y : tensor<4xf32>
    weft.next carry(%e : !weft.element<#weft.sum>)
  }
  return
}

// -----

func.func @affine_accumulator(%T: index, %s: tensor<8x4xf32>, %w: tensor<16x8xf64>, %v: tensor<16x4xf64>) {
  %r = weft.chunked rows %T to %T by 16 carries(%s : tensor<8x4xf32>) as [#weft.affine] {
  ^chunk(%n: index, %lo: index, %hi: index, %x: tensor<8x4xf32>):
    // expected-error @below {{'weft.affine_element' op of carry #0: element accumulates in 'f64' for a state 'tensor<8x4xf32>': the element accumulates in the state's element type [C7]}}
    %e = weft.affine_element term(write(%w : tensor<16x8xf64>) value(%v : tensor<16x4xf64>)) numerics<in = f64, acc = f64>
    weft.next carry(%e : !weft.element<#weft.affine>)
  }
  return
}

// -----

func.func @affine_value_rows(%T: index, %s: tensor<8x4xf32>, %w: tensor<16x8xf32>, %v: tensor<8x4xf32>) {
  %r = weft.chunked rows %T to %T by 16 carries(%s : tensor<8x4xf32>) as [#weft.affine] {
  ^chunk(%n: index, %lo: index, %hi: index, %x: tensor<8x4xf32>):
    // expected-error @below {{'weft.affine_element' op of carry #0: value rows of term #0 have type 'tensor<8x4xf32>' for a state 'tensor<8x4xf32>': write and erase rows are [C, K] and value rows [C, V] of one C for a state [K, V], value rows [C] for a state [K] [C5]}}
    %e = weft.affine_element term(write(%w : tensor<16x8xf32>) value(%v : tensor<8x4xf32>)) numerics<in = f32, acc = f32>
    weft.next carry(%e : !weft.element<#weft.affine>)
  }
  return
}

// -----

func.func @affine_decay(%T: index, %s: tensor<8x4xf32>, %d: tensor<3xf32>) {
  %r = weft.chunked rows %T to %T by 16 carries(%s : tensor<8x4xf32>) as [#weft.affine] {
  ^chunk(%n: index, %lo: index, %hi: index, %x: tensor<8x4xf32>):
    // expected-error @below {{'weft.affine_element' op of carry #0: decay has type 'tensor<3xf32>' for a state 'tensor<8x4xf32>': a decay is a scalar or [K], of the state's element type [C6]}}
    %e = weft.affine_element decay(%d : tensor<3xf32>) numerics<in = f32, acc = f32>
    weft.next carry(%e : !weft.element<#weft.affine>)
  }
  return
}

// -----

func.func @gram_rows(%T: index, %s: tensor<8x8xf32>, %u: tensor<16x4xf32>) {
  %r = weft.chunked rows %T to %T by 16 carries(%s : tensor<8x8xf32>) as [#weft.inverse_gram] {
  ^chunk(%n: index, %lo: index, %hi: index, %x: tensor<8x8xf32>):
    // expected-error @below {{'weft.gram_element' op of carry #0: rows have type 'tensor<16x4xf32>' for a state 'tensor<8x8xf32>': rows are [C, K] for a state [K, K] [C9]}}
    %e = weft.gram_element %u numerics<in = f32, acc = f32> : tensor<16x4xf32>
    weft.next carry(%e : !weft.element<#weft.inverse_gram>)
  }
  return
}

// -----

func.func @softmax_scores(%T: index, %m: tensor<8xf32>, %acc: tensor<8x4xf32>, %s: tensor<8x16xf32>, %v: tensor<16x2xf32>) {
  %r:3 = weft.chunked rows %T to %T by 16 carries(%m, %m, %acc : tensor<8xf32>, tensor<8xf32>, tensor<8x4xf32>) as [#weft.online_softmax] {
  ^chunk(%n: index, %lo: index, %hi: index, %a: tensor<8xf32>, %b: tensor<8xf32>, %c: tensor<8x4xf32>):
    // expected-error @below {{'weft.softmax_element' op of carry #0: scores have type 'tensor<8x16xf32>' and values 'tensor<16x2xf32>' for a state 'tensor<8x4xf32>': scores are [R, C] and values [C, V] for a state [R, V] [C12]}}
    %e = weft.softmax_element %s, %v numerics<in = f32, acc = f32> : tensor<8x16xf32>, tensor<16x2xf32>
    weft.next carry(%e : !weft.element<#weft.online_softmax>)
  }
  return
}

// -----

func.func @softmax_accumulator(%T: index, %m: tensor<8xf32>, %acc: tensor<8x4xf32>, %s: tensor<8x16xbf16>, %v: tensor<16x4xf32>) {
  %r:3 = weft.chunked rows %T to %T by 16 carries(%m, %m, %acc : tensor<8xf32>, tensor<8xf32>, tensor<8x4xf32>) as [#weft.online_softmax] {
  ^chunk(%n: index, %lo: index, %hi: index, %a: tensor<8xf32>, %b: tensor<8xf32>, %c: tensor<8x4xf32>):
    // expected-error @below {{'weft.softmax_element' op of carry #0: scores have type 'tensor<8x16xbf16>' and accumulate in 'f32' for a state 'tensor<8x4xf32>': scores have the state's element type [C11]}}
    %e = weft.softmax_element %s, %v numerics<in = f32, acc = f32> : tensor<8x16xbf16>, tensor<16x4xf32>
    weft.next carry(%e : !weft.element<#weft.online_softmax>)
  }
  return
}

// -----

func.func private @then(%a: f32, %b: f32) -> f32 {
  return %b : f32
}
func.func @region_parts(%T: index, %s: tensor<8xf32>, %p: tensor<4xf32>) {
  %r = weft.chunked rows %T to %T by 16 carries(%s : tensor<8xf32>) as [#weft.region<@then identity [0.0 : f32]>] {
  ^chunk(%n: index, %lo: index, %hi: index, %x: tensor<8xf32>):
    // expected-error @below {{'weft.region_element' op of carry #0: parts have types 'tensor<4xf32>' for a state 'tensor<8xf32>': parts have the state's types [C17]}}
    %e = weft.region_element %p : tensor<4xf32> -> !weft.element<#weft.region<@then identity [0.0 : f32]>>
    weft.next carry(%e : !weft.element<#weft.region<@then identity [0.0 : f32]>>)
  }
  return
}

// -----

func.func @region_function_missing(%T: index, %s: tensor<8xf32>) {
  // expected-error @below {{'weft.chunked' op carry #0: combine function @then is not a function of this module: a combine function takes (earlier..., later...) scalars of the identity's types and returns as many [D9]}}
  %r = weft.chunked rows %T to %T by 16 carries(%s : tensor<8xf32>) as [#weft.region<@then identity [0.0 : f32]>] {
  ^chunk(%n: index, %lo: index, %hi: index, %x: tensor<8xf32>):
    %e = weft.region_element %x : tensor<8xf32> -> !weft.element<#weft.region<@then identity [0.0 : f32]>>
    weft.next carry(%e : !weft.element<#weft.region<@then identity [0.0 : f32]>>)
  }
  return
}

// -----

func.func private @then(%a: f64, %b: f64) -> f64 {
  return %b : f64
}
func.func @region_function_type(%later: tensor<8xf32>, %earlier: tensor<8xf32>) {
  // expected-error @below {{'weft.combine' op combine function @then has type '(f64, f64) -> f64' for identity [0.000000e+00 : f32]: a combine function takes (earlier..., later...) scalars of the identity's types and returns as many [D9]}}
  %r = weft.combine #weft.region<@then identity [0.0 : f32]> later(%later : tensor<8xf32>) earlier(%earlier : tensor<8xf32>) numerics<in = f32, acc = f32>
  return
}

// -----

func.func private @then(f32, f32) -> f32
func.func @region_function_declared(%later: tensor<8xf32>, %earlier: tensor<8xf32>) {
  // expected-error @below {{'weft.combine' op combine function @then has 0 blocks: a combine function holds elementwise ops on scalars in one block [D10]}}
  %r = weft.combine #weft.region<@then identity [0.0 : f32]> later(%later : tensor<8xf32>) earlier(%earlier : tensor<8xf32>) numerics<in = f32, acc = f32>
  return
}

// -----

func.func private @sum(%a: f32) -> f32 {
  return %a : f32
}
func.func private @then(%a: f32, %b: f32) -> f32 {
  // expected-note @below {{which stands here}}
  %c = call @sum(%a) : (f32) -> f32
  return %c : f32
}
func.func @region_function_calls(%x: tensor<4x8xf32>) {
  // expected-error @below {{'weft.combine_all' op combine function @then holds 'func.call': a combine function holds elementwise ops on scalars in one block [D10]}}
  %r = weft.combine_all #weft.region<@then identity [0.0 : f32]> (%x : tensor<4x8xf32>) numerics<in = f32, acc = f32> -> tensor<8xf32>
  return
}

// -----

func.func @out_count(%T: index, %y: tensor<?x8xf32>) {
  %r = weft.chunked rows %T to %T by 16 as [] outs(%y : tensor<?x8xf32>) {
  ^chunk(%n: index, %lo: index, %hi: index):
    // expected-error @below {{'weft.next' op gives rows of 0 outputs for 1 outs: output rows are C rows of their result [K17]}}
    weft.next
  }
  return
}

// -----

func.func @out_rows(%T: index, %y: tensor<?x8xf32>, %x: tensor<8x8xf32>) {
  %r = weft.chunked rows %T to %T by 16 as [] outs(%y : tensor<?x8xf32>) {
  ^chunk(%n: index, %lo: index, %hi: index):
    // expected-error @below {{'weft.next' op output #0 has type 'tensor<8x8xf32>' of 16 rows a chunk, stored into 'tensor<?x8xf32>': output rows are C rows of their result [K17]}}
    weft.next out(%x : tensor<8x8xf32>)
  }
  return
}

// -----

func.func @out_scalar(%T: index, %y: tensor<f32>) {
  // expected-error @below {{'weft.chunked' op out #0 has type 'tensor<f32>': output rows are C rows of their result [K17]}}
  %r = weft.chunked rows %T to %T by 16 as [] outs(%y : tensor<f32>) {
  ^chunk(%n: index, %lo: index, %hi: index):
    weft.next out(%y : tensor<f32>)
  }
  return
}

// -----

func.func @out_dynamic(%T: index, %y: tensor<?x?xf32>, %x: tensor<16x?xf32>) {
  %r = weft.chunked rows %T to %T by 16 as [] outs(%y : tensor<?x?xf32>) {
  ^chunk(%n: index, %lo: index, %hi: index):
    // expected-error @below {{'weft.next' op output #0 has type 'tensor<16x?xf32>': shapes in a body are static [K8a]}}
    weft.next out(%x : tensor<16x?xf32>)
  }
  return
}

// -----

func.func @size_outside_of_a_loop() {
  // expected-error @below {{'weft.chunk_size' op expects parent op 'weft.chunked'}}
  %c = weft.chunk_size
  return
}

// -----

func.func @term_lists(%w: tensor<16x8xf32>) {
  // expected-error @below {{'weft.affine_element' op has 1 write, 0 erase and 0 value operands, which its 'hasErase' and 'hasValue' do not account for: a term has one erase and one value operand where it says that it has them [D1]}}
  %e = "weft.affine_element"(%w) <{hasErase = array<i1: true>, hasValue = array<i1: false>, numerics = #weft.numerics<in = f32, acc = f32>, operandSegmentSizes = array<i32: 0, 1, 0, 0>}> : (tensor<16x8xf32>) -> !weft.element<#weft.affine>
  return
}

// -----

func.func @element_without_numerics(%w: tensor<16x8xf32>) {
  // expected-error @below {{'weft.gram_element' op requires attribute 'numerics'}}
  %e = "weft.gram_element"(%w) : (tensor<16x8xf32>) -> !weft.element<#weft.inverse_gram>
  return
}

// -----

func.func @element_of_nothing() {
  // expected-error @below {{'weft.affine_element' op has neither a decay nor a term: an element of an affine memory has a decay or terms, a term an erase or a value [D2]}}
  %e = weft.affine_element numerics<in = f32, acc = f32>
  return
}

// -----

func.func @term_of_nothing(%w: tensor<16x8xf32>) {
  // expected-error @below {{'weft.affine_element' op term #0 has neither an erase nor a value: an element of an affine memory has a decay or terms, a term an erase or a value [D2]}}
  %e = weft.affine_element term(write(%w : tensor<16x8xf32>)) numerics<in = f32, acc = f32>
  return
}

// -----

func.func @region_element_of_another_kind(%x: tensor<8xf32>) {
  // expected-error @below {{'weft.region_element' op makes an element of kind #weft.sum: 'weft.region_element' makes elements of #weft.region [D3]}}
  %e = weft.region_element %x : tensor<8xf32> -> !weft.element<#weft.sum>
  return
}

// -----

func.func @identity_kind() {
  // expected-error @below {{'weft.identity' op kind is 3 : i64: the kind is a carry kind [D4]}}
  %r = weft.identity 3 : i64 -> tensor<8xf32>
  return
}

// -----

func.func @identity_types() {
  // expected-error @below {{'weft.identity' op result: #weft.affine has a dense element of types 'tensor<4x4xf32>', 'tensor<8x2xf32>': the dense element of an affine memory is [K, K] and the state's type [C19]}}
  %f, %g = weft.identity #weft.affine -> tensor<4x4xf32>, tensor<8x2xf32>
  return
}

// -----

func.func @identity_count() {
  // expected-error @below {{'weft.identity' op result: #weft.affine has a dense element of 1 tensors: the dense element of an affine memory is [K, K] and the state's type [C19]}}
  %f = weft.identity #weft.affine -> tensor<4x4xf32>
  return
}

// -----

func.func @identity_of_a_stack() {
  // expected-error @below {{'weft.identity' op result: #weft.affine has a dense element of 1 tensors: the dense element of an affine memory is [K, K] and the state's type [C19]}}
  %f = weft.identity #weft.fenwick<#weft.affine> -> tensor<4x4xf32>
  return
}

// -----

func.func @combine_types(%a: tensor<8xf32>, %b: tensor<4xf32>) {
  // expected-error @below {{'weft.combine' op later has types 'tensor<8xf32>' and earlier 'tensor<4xf32>': both elements have the same types [D6]}}
  %r = weft.combine #weft.sum later(%a : tensor<8xf32>) earlier(%b : tensor<4xf32>) numerics<in = f32, acc = f32>
  return
}

// -----

func.func @combine_results(%a: tensor<8xf32>) {
  // expected-error @below {{'weft.combine' op has results of types 'tensor<4xf32>' and later of types 'tensor<8xf32>': results have the types of what they come after [D5]}}
  %r = "weft.combine"(%a, %a) <{kind = #weft.sum, numerics = #weft.numerics<in = f32, acc = f32>}> : (tensor<8xf32>, tensor<8xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @act_element(%x: tensor<8x4xf32>, %n: index) {
  // expected-error @below {{'weft.act_dense' op element has types 'tensor<8x4xf32>' for a state 'tensor<8x4xf32>', which takes 'tensor<8x8xf32>', 'tensor<8x4xf32>': the element is a dense element of the state's kind [D7]}}
  %r = weft.act_dense #weft.affine element(%x : tensor<8x4xf32>) on(%x : tensor<8x4xf32>) at %n level %n numerics<in = f32, acc = f32>
  return
}

// -----

func.func @act_state(%x: tensor<8x4xf32>, %n: index) {
  // expected-error @below {{'weft.act_dense' op state: #weft.inverse_gram has a state of type 'tensor<8x4xf32>': the state of an inverse Gram matrix is square, [K, K] [C8]}}
  %r = weft.act_dense #weft.inverse_gram element(%x : tensor<8x4xf32>) on(%x : tensor<8x4xf32>) at %n level %n numerics<in = f32, acc = f32>
  return
}

// -----

func.func @scan_stack(%x: tensor<8x4xf32>, %y: tensor<4x4x4xf32>) {
  // expected-error @below {{'weft.exclusive_scan' op operand #1 has type 'tensor<8x4xf32>': stacked elements are [S, ...] of one static S [D8]}}
  %r:2 = weft.exclusive_scan #weft.affine (%y, %x : tensor<4x4x4xf32>, tensor<8x4xf32>) numerics<in = f32, acc = f32>
  return
}

// -----

func.func @scan_dynamic(%x: tensor<?x4xf32>) {
  // expected-error @below {{'weft.exclusive_scan' op operand #0 has type 'tensor<?x4xf32>': stacked elements are [S, ...] of one static S [D8]}}
  %r = weft.exclusive_scan #weft.sum (%x : tensor<?x4xf32>) numerics<in = f32, acc = f32>
  return
}

// -----

func.func @scan_of_an_unknown_kind(%x: tensor<5x4xf32>) {
  // expected-error @below {{'weft.exclusive_scan' op kind is "sum": the kind is a carry kind [D4]}}
  %r = weft.exclusive_scan "sum" (%x : tensor<5x4xf32>) numerics<in = f32, acc = f32>
  return
}

// -----

func.func @combined_type(%x: tensor<5x4xf32>) {
  // expected-error @below {{'weft.combine_all' op has results of types 'tensor<5xf32>' and segments of types 'tensor<4xf32>': results have the types of what they come after [D5]}}
  %r = weft.combine_all #weft.sum (%x : tensor<5x4xf32>) numerics<in = f32, acc = f32> -> tensor<5xf32>
  return
}
