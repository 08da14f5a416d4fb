// Part of Scanweft, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// RUN: weft-opt %s --split-input-file --verify-diagnostics

// A clause that is misspelt.
func.func @misspelt(%x: tensor<?x?x?x8xf32>) {
  weft.affine_scan over 1
      write(%x, %x : tensor<?x?x?x8xf32>, tensor<?x?x?x8xf32>)
      // expected-error @below {{custom op 'weft.affine_scan' has no clause 'raed': the clauses are decay, write, read, normalize and init}}
      raed(%x : tensor<?x?x?x8xf32>)
      -> tensor<?x?x?x8xf32>
  return
}

// -----

func.func @twice(%x: tensor<?x?x?x8xf32>) {
  weft.affine_scan over 1
      write(%x, %x : tensor<?x?x?x8xf32>, tensor<?x?x?x8xf32>)
      read(%x : tensor<?x?x?x8xf32>)
      // expected-error @below {{custom op 'weft.affine_scan' has 'write' twice: it is written at most once}}
      write(%x, %x : tensor<?x?x?x8xf32>, tensor<?x?x?x8xf32>)
      -> tensor<?x?x?x8xf32>
  return
}

// -----

func.func @header_twice(%x: tensor<?x?x?x8xf32>) {
  weft.affine_scan over 1 reverse
      // expected-error @below {{custom op 'weft.affine_scan' has 'reverse' twice: it is written at most once}}
      reverse
      write(%x, %x : tensor<?x?x?x8xf32>, tensor<?x?x?x8xf32>)
      read(%x : tensor<?x?x?x8xf32>)
      -> tensor<?x?x?x8xf32>
  return
}

// -----

func.func @header_late(%x: tensor<?x?x?x8xf32>) {
  weft.affine_scan over 1
      write(%x, %x : tensor<?x?x?x8xf32>, tensor<?x?x?x8xf32>)
      read(%x : tensor<?x?x?x8xf32>)
      // expected-error @below {{custom op 'weft.affine_scan' has 'chunk' after a clause: reverse, chunk and numerics come before the clauses}}
      chunk 16
      -> tensor<?x?x?x8xf32>
  return
}

// -----

func.func @no_write(%x: tensor<?x?x?x8xf32>) {
  // expected-error @below {{custom op 'weft.affine_scan' has no clause 'write': clauses 'write' and 'read' are required}}
  weft.affine_scan over 1
      read(%x : tensor<?x?x?x8xf32>)
      -> tensor<?x?x?x8xf32>
  return
}

// -----

func.func @no_read(%x: tensor<?x?x?x8xf32>) {
  // expected-error @below {{custom op 'weft.affine_scan' has no clause 'read': clauses 'write' and 'read' are required}}
  weft.affine_scan over 1
      write(%x, %x : tensor<?x?x?x8xf32>, tensor<?x?x?x8xf32>)
      -> tensor<?x?x?x8xf32>
  return
}

// -----

func.func @no_arrow(%x: tensor<?x?x?x8xf32>) {
  weft.affine_scan over 1
      write(%x, %x : tensor<?x?x?x8xf32>, tensor<?x?x?x8xf32>)
      read(%x : tensor<?x?x?x8xf32>)
      // expected-error @below {{custom op 'weft.affine_scan' expected a clause (decay, write, read, normalize or init) or '->' and the results' types}}
      : tensor<?x?x?x8xf32>
  return
}

// -----

func.func @four_results(%x: tensor<?x?x?x8xf32>) {
  weft.affine_scan over 1
      write(%x, %x : tensor<?x?x?x8xf32>, tensor<?x?x?x8xf32>)
      read(%x : tensor<?x?x?x8xf32>)
      // expected-error @below {{custom op 'weft.affine_scan' has 4 results: there are at most the output, the final state and the final normaliser}}
      -> tensor<?x?x?x8xf32>, tensor<?x?x8x8xf32>, tensor<?x?x8xf32>, tensor<?x?x8xf32>
  return
}

// -----

func.func @space(%x: tensor<?x?x?x8xf32>, %g: tensor<?x?x?xf32>) {
  weft.affine_scan over 1
      // expected-error @below {{custom op 'weft.affine_scan' clause 'decay' is in 'log10': a decay is in linear, log or log2}}
      decay(%g in log10 : tensor<?x?x?xf32>)
      write(%x, %x : tensor<?x?x?x8xf32>, tensor<?x?x?x8xf32>)
      read(%x : tensor<?x?x?x8xf32>)
      -> tensor<?x?x?x8xf32>
  return
}

// -----

func.func @no_space(%x: tensor<?x?x?x8xf32>, %g: tensor<?x?x?xf32>) {
  weft.affine_scan over 1
      // expected-error @below {{custom op 'weft.affine_scan' clause 'decay' does not say in which space it is: a decay is in linear, log or log2}}
      decay(%g : tensor<?x?x?xf32>)
      write(%x, %x : tensor<?x?x?x8xf32>, tensor<?x?x?x8xf32>)
      read(%x : tensor<?x?x?x8xf32>)
      -> tensor<?x?x?x8xf32>
  return
}

// -----

func.func @space_twice(%x: tensor<?x?x?x8xf32>, %g: tensor<?x?x?xf32>) {
  weft.affine_scan over 1
      // expected-error @below {{custom op 'weft.affine_scan' has 'in' twice: it is written at most once}}
      decay(%g in log in log : tensor<?x?x?xf32>)
      write(%x, %x : tensor<?x?x?x8xf32>, tensor<?x?x?x8xf32>)
      read(%x : tensor<?x?x?x8xf32>)
      -> tensor<?x?x?x8xf32>
  return
}

// -----

func.func @scale_twice(%x: tensor<?x?x?x8xf32>) {
  weft.affine_scan over 1
      write(%x, %x : tensor<?x?x?x8xf32>, tensor<?x?x?x8xf32>)
      // expected-error @below {{custom op 'weft.affine_scan' has 'scale' twice: it is written at most once}}
      read(%x scale 0.5 scale 0.5 : tensor<?x?x?x8xf32>)
      -> tensor<?x?x?x8xf32>
  return
}

// -----

func.func @along_twice(%x: tensor<?x?x?x8xf32>) {
  weft.affine_scan over 1
      write(%x, %x : tensor<?x?x?x8xf32>, tensor<?x?x?x8xf32>)
      // expected-error @below {{custom op 'weft.affine_scan' has 'along' twice: it is written at most once}}
      read(%x along [b, t, h, k] along [h, k] : tensor<?x?x?x8xf32>)
      -> tensor<?x?x?x8xf32>
  return
}

// -----

func.func @letter(%x: tensor<?x?x?x8xf32>) {
  weft.affine_scan over 1
      // expected-error @below {{custom op 'weft.affine_scan' has no axis 'd': the axes are b, t, h, k and v}}
      write(%x, %x along [b, t, h, d] : tensor<?x?x?x8xf32>, tensor<?x?x?x8xf32>)
      read(%x : tensor<?x?x?x8xf32>)
      -> tensor<?x?x?x8xf32>
  return
}

// -----

func.func @mode(%x: tensor<?x?x?x8xf32>) {
  weft.affine_scan over 1
      write(%x, %x : tensor<?x?x?x8xf32>, tensor<?x?x?x8xf32>)
      read(%x : tensor<?x?x?x8xf32>)
      // expected-error @below {{custom op 'weft.affine_scan' clause 'normalize' has epsilon 'plus': an epsilon is added or clamped}}
      normalize(plus 1.0e-6)
      -> tensor<?x?x?x8xf32>
  return
}

// -----

func.func @undefined(%x: tensor<?x?x?x8xf32>) {
  weft.affine_scan over 1
      // expected-error @below {{use of undeclared SSA value name}}
      write(%x, %y : tensor<?x?x?x8xf32>, tensor<?x?x?x8xf32>)
      read(%x : tensor<?x?x?x8xf32>)
      -> tensor<?x?x?x8xf32>
  return
}

// -----

// A1
func.func @axis(%x: tensor<?x?x?x8xf32>) {
  // expected-error @below {{'weft.affine_scan' op runs over axis 2: scans run over axis 1, the time of [B, T, H, ...] [A1]}}
  weft.affine_scan over 2
      write(%x, %x : tensor<?x?x?x8xf32>, tensor<?x?x?x8xf32>)
      read(%x : tensor<?x?x?x8xf32>)
      -> tensor<?x?x?x8xf32>
  return
}

// -----

// A2
func.func @rank(%x: tensor<?x?x?x8xf32>, %q: tensor<?x8xf32>) {
  // expected-error @below {{'weft.affine_scan' op clause 'read' has rank 2, not 4, and does not say which axes it has: an operand has all axes of its role, or names those it has in order, features included [A2]}}
  weft.affine_scan over 1
      write(%x, %x : tensor<?x?x?x8xf32>, tensor<?x?x?x8xf32>)
      read(%q : tensor<?x8xf32>)
      -> tensor<?x?x?x8xf32>
  return
}

// -----

func.func @decay_rank(%x: tensor<?x?x?x8xf32>, %g: tensor<?xf32>) {
  // expected-error @below {{'weft.affine_scan' op clause 'decay' has rank 1, not 4, and does not say which axes it has: an operand has all axes of its role, or names those it has in order, features included [A2]}}
  weft.affine_scan over 1
      decay(%g in log : tensor<?xf32>)
      write(%x, %x : tensor<?x?x?x8xf32>, tensor<?x?x?x8xf32>)
      read(%x : tensor<?x?x?x8xf32>)
      -> tensor<?x?x?x8xf32>
  return
}

// -----

func.func @axis_order(%x: tensor<?x?x?x8xf32>) {
  // expected-error @below {{'weft.affine_scan' op clause 'read' is along 'bhtk' but its axes are 'bthk' in this order: an operand has all axes of its role, or names those it has in order, features included [A2]}}
  weft.affine_scan over 1
      write(%x, %x : tensor<?x?x?x8xf32>, tensor<?x?x?x8xf32>)
      read(%x along [b, h, t, k] : tensor<?x?x?x8xf32>)
      -> tensor<?x?x?x8xf32>
  return
}

// -----

func.func @foreign_axis(%x: tensor<?x?x?x8xf32>) {
  // expected-error @below {{'weft.affine_scan' op clause 'write' (value) is along 'bthk' but its axes are 'bthv' in this order: an operand has all axes of its role, or names those it has in order, features included [A2]}}
  weft.affine_scan over 1
      write(%x, %x along [b, t, h, k] : tensor<?x?x?x8xf32>, tensor<?x?x?x8xf32>)
      read(%x : tensor<?x?x?x8xf32>)
      -> tensor<?x?x?x8xf32>
  return
}

// -----

func.func @no_features(%x: tensor<?x?x?x8xf32>, %q: tensor<?x8xf32>) {
  // expected-error @below {{'weft.affine_scan' op clause 'read' is along 'th', without its features 'k': an operand has all axes of its role, or names those it has in order, features included [A2]}}
  weft.affine_scan over 1
      write(%x, %x : tensor<?x?x?x8xf32>, tensor<?x?x?x8xf32>)
      read(%q along [t, h] : tensor<?x8xf32>)
      -> tensor<?x?x?x8xf32>
  return
}

// -----

func.func @state_features(%x: tensor<?x?x?x8xf32>, %s: tensor<?x8xf32>) {
  // expected-error @below {{'weft.affine_scan' op clause 'init' (state) is along 'hk', without its features 'v': an operand has all axes of its role, or names those it has in order, features included [A2]}}
  weft.affine_scan over 1
      write(%x, %x : tensor<?x?x?x8xf32>, tensor<?x?x?x8xf32>)
      read(%x : tensor<?x?x?x8xf32>)
      init(%s along [h, k] : tensor<?x8xf32>)
      -> tensor<?x?x?x8xf32>
  return
}

// -----

func.func @letters_and_rank(%x: tensor<?x?x?x8xf32>, %q: tensor<?x8xf32>) {
  // expected-error @below {{'weft.affine_scan' op clause 'read' has rank 2 but 3 axes, 'thk': an operand has all axes of its role, or names those it has in order, features included [A2]}}
  weft.affine_scan over 1
      write(%x, %x : tensor<?x?x?x8xf32>, tensor<?x?x?x8xf32>)
      read(%q along [t, h, k] : tensor<?x8xf32>)
      -> tensor<?x?x?x8xf32>
  return
}

// -----

// A3
func.func @no_heads(%x: tensor<?x?x8xf32>) {
  // expected-error @below {{'weft.affine_scan' op no operand has axis 'h': some operand has axis b, some t, and the query, key or value h [A3]}}
  weft.affine_scan over 1
      write(%x along [b, t, k], %x along [b, t, v] : tensor<?x?x8xf32>, tensor<?x?x8xf32>)
      read(%x along [b, t, k] : tensor<?x?x8xf32>)
      -> tensor<?x?x?x8xf32>
  return
}

// -----

func.func @result_rank(%x: tensor<?x?x?x8xf32>) {
  // expected-error @below {{'weft.affine_scan' op the final state has rank 3, not 4: an operand has all axes of its role, or names those it has in order, features included [A2]}}
  weft.affine_scan over 1
      write(%x, %x : tensor<?x?x?x8xf32>, tensor<?x?x?x8xf32>)
      read(%x : tensor<?x?x?x8xf32>)
      -> tensor<?x?x?x8xf32>, tensor<?x8x8xf32>
  return
}

// -----

// A4
func.func @steps(%x: tensor<2x9x4x8xf32>, %k: tensor<2x8x4x8xf32>) {
  // expected-error @below {{'weft.affine_scan' op clause 'read' has size 9 along 't' but clause 'write' (key) has 8: sizes along b and t agree [A4]}}
  weft.affine_scan over 1
      write(%k, %k : tensor<2x8x4x8xf32>, tensor<2x8x4x8xf32>)
      read(%x : tensor<2x9x4x8xf32>)
      -> tensor<2x9x4x8xf32>
  return
}

// -----

func.func @batch(%x: tensor<2x?x4x8xf32>, %s: tensor<3x4x8x8xf32>) {
  // expected-error @below {{'weft.affine_scan' op clause 'init' (state) has size 3 along 'b' but clause 'write' (key) has 2: sizes along b and t agree [A4]}}
  weft.affine_scan over 1
      write(%x, %x : tensor<2x?x4x8xf32>, tensor<2x?x4x8xf32>)
      read(%x : tensor<2x?x4x8xf32>)
      init(%s : tensor<3x4x8x8xf32>)
      -> tensor<2x?x4x8xf32>
  return
}

// -----

func.func @result_steps(%x: tensor<2x9x4x8xf32>) {
  // expected-error @below {{'weft.affine_scan' op the output has size 8 along 't' but clause 'write' (key) has 9: sizes along b and t agree [A4]}}
  weft.affine_scan over 1
      write(%x, %x : tensor<2x9x4x8xf32>, tensor<2x9x4x8xf32>)
      read(%x : tensor<2x9x4x8xf32>)
      -> tensor<2x8x4x8xf32>
  return
}

// -----

// A5
func.func @features(%q: tensor<?x?x?x16xf32>, %x: tensor<?x?x?x8xf32>) {
  // expected-error @below {{'weft.affine_scan' op clause 'read' has size 16 along 'k' but clause 'write' (key) has 8: feature sizes are static and agree: K of key, query, decay and states, V of value, output and states [A5]}}
  weft.affine_scan over 1
      write(%x, %x : tensor<?x?x?x8xf32>, tensor<?x?x?x8xf32>)
      read(%q : tensor<?x?x?x16xf32>)
      -> tensor<?x?x?x8xf32>
  return
}

// -----

func.func @value_features(%x: tensor<?x?x?x8xf32>) {
  // expected-error @below {{'weft.affine_scan' op the output has size 4 along 'v' but clause 'write' (value) has 8: feature sizes are static and agree: K of key, query, decay and states, V of value, output and states [A5]}}
  weft.affine_scan over 1
      write(%x, %x : tensor<?x?x?x8xf32>, tensor<?x?x?x8xf32>)
      read(%x : tensor<?x?x?x8xf32>)
      -> tensor<?x?x?x4xf32>
  return
}

// -----

func.func @state_size(%x: tensor<?x?x?x8xf32>, %s: tensor<?x?x8x4xf32>) {
  // expected-error @below {{'weft.affine_scan' op clause 'init' (state) has size 4 along 'v' but clause 'write' (value) has 8: feature sizes are static and agree: K of key, query, decay and states, V of value, output and states [A5]}}
  weft.affine_scan over 1
      write(%x, %x : tensor<?x?x?x8xf32>, tensor<?x?x?x8xf32>)
      read(%x : tensor<?x?x?x8xf32>)
      init(%s : tensor<?x?x8x4xf32>)
      -> tensor<?x?x?x8xf32>
  return
}

// -----

func.func @channels(%x: tensor<?x?x?x8xf32>, %g: tensor<?x?x?x1xf32>) {
  // expected-error @below {{'weft.affine_scan' op clause 'write' (key) has size 8 along 'k' but clause 'decay' has 1: feature sizes are static and agree: K of key, query, decay and states, V of value, output and states [A5]}}
  weft.affine_scan over 1
      decay(%g in log : tensor<?x?x?x1xf32>)
      write(%x, %x : tensor<?x?x?x8xf32>, tensor<?x?x?x8xf32>)
      read(%x : tensor<?x?x?x8xf32>)
      -> tensor<?x?x?x8xf32>
  return
}

// -----

func.func @dynamic_features(%x: tensor<?x?x?x?xf32>) {
  // expected-error @below {{'weft.affine_scan' op clause 'write' (key) has a dynamic size along 'k': feature sizes are static and agree: K of key, query, decay and states, V of value, output and states [A5]}}
  weft.affine_scan over 1
      write(%x, %x : tensor<?x?x?x?xf32>, tensor<?x?x?x?xf32>)
      read(%x : tensor<?x?x?x?xf32>)
      -> tensor<?x?x?x?xf32>
  return
}

// -----

// A6
func.func @heads(%q: tensor<?x?x6x8xf32>, %x: tensor<?x?x4x8xf32>) {
  // expected-error @below {{'weft.affine_scan' op clause 'write' (key) has 4 heads but the output has 6: output heads are the most of query, key and value, and every operand's heads divide them [A6]}}
  weft.affine_scan over 1
      write(%x, %x : tensor<?x?x4x8xf32>, tensor<?x?x4x8xf32>)
      read(%q : tensor<?x?x6x8xf32>)
      -> tensor<?x?x6x8xf32>
  return
}

// -----

func.func @most_heads(%q: tensor<?x?x6x8xf32>, %x: tensor<?x?x3x8xf32>) {
  // expected-error @below {{'weft.affine_scan' op the output has size 12 along 'h' but the query, key or value has 6: output heads are the most of query, key and value, and every operand's heads divide them [A6]}}
  weft.affine_scan over 1
      write(%x, %x : tensor<?x?x3x8xf32>, tensor<?x?x3x8xf32>)
      read(%q : tensor<?x?x6x8xf32>)
      -> tensor<?x?x12x8xf32>
  return
}

// -----

func.func @decay_heads(%x: tensor<?x?x?x8xf32>, %g: tensor<3xf32>) {
  // expected-error @below {{'weft.affine_scan' op clause 'decay' has 3 heads but the output has 4: output heads are the most of query, key and value, and every operand's heads divide them [A6]}}
  weft.affine_scan over 1
      decay(%g in linear along [h] : tensor<3xf32>)
      write(%x, %x : tensor<?x?x?x8xf32>, tensor<?x?x?x8xf32>)
      read(%x : tensor<?x?x?x8xf32>)
      -> tensor<?x?x4x8xf32>
  return
}

// -----

func.func @state_heads(%x: tensor<?x?x4x8xf32>) {
  // expected-error @below {{'weft.affine_scan' op the final state has size 2 along 'h' but the query, key or value has 4: output heads are the most of query, key and value, and every operand's heads divide them [A6]}}
  weft.affine_scan over 1
      write(%x, %x : tensor<?x?x4x8xf32>, tensor<?x?x4x8xf32>)
      read(%x : tensor<?x?x4x8xf32>)
      -> tensor<?x?x4x8xf32>, tensor<?x2x8x8xf32>
  return
}

// -----

// A7
func.func @token_type(%x: tensor<?x?x?x8xf8E4M3FN>, %v: tensor<?x?x?x8xf32>) {
  // expected-error @below {{'weft.affine_scan' op operand #0 must be 0D/1D/2D/3D/4D/5D/6D tensor of 16-bit float or bfloat16 type or 32-bit float or 64-bit float values, but got 'tensor<?x?x?x8xf8E4M3FN>'}}
  weft.affine_scan over 1
      write(%x, %v : tensor<?x?x?x8xf8E4M3FN>, tensor<?x?x?x8xf32>)
      read(%v : tensor<?x?x?x8xf32>)
      -> tensor<?x?x?x8xf32>
  return
}

// -----

func.func @decay_type(%x: tensor<?x?x?x8xbf16>, %g: tensor<?x?x?xbf16>) {
  // expected-error @below {{'weft.affine_scan' op clause 'decay' is of 'bf16': tokens are f64, f32, bf16 or f16, decays f64 or f32, states of the accumulator's type, the output of the value's type or the accumulator's [A7]}}
  weft.affine_scan over 1
      decay(%g in log : tensor<?x?x?xbf16>)
      write(%x, %x : tensor<?x?x?x8xbf16>, tensor<?x?x?x8xbf16>)
      read(%x : tensor<?x?x?x8xbf16>)
      -> tensor<?x?x?x8xbf16>
  return
}

// -----

func.func @init_type(%x: tensor<?x?x?x8xbf16>, %s: tensor<?x?x8x8xbf16>) {
  // expected-error @below {{'weft.affine_scan' op clause 'init' (state) is of 'bf16' but the accumulator is 'f32': tokens are f64, f32, bf16 or f16, decays f64 or f32, states of the accumulator's type, the output of the value's type or the accumulator's [A7]}}
  weft.affine_scan over 1
      write(%x, %x : tensor<?x?x?x8xbf16>, tensor<?x?x?x8xbf16>)
      read(%x : tensor<?x?x?x8xbf16>)
      init(%s : tensor<?x?x8x8xbf16>)
      -> tensor<?x?x?x8xbf16>
  return
}

// -----

func.func @state_type(%x: tensor<?x?x?x8xf64>) {
  // expected-error @below {{'weft.affine_scan' op the final state is of 'f32' but the accumulator is 'f64': tokens are f64, f32, bf16 or f16, decays f64 or f32, states of the accumulator's type, the output of the value's type or the accumulator's [A7]}}
  weft.affine_scan over 1
      write(%x, %x : tensor<?x?x?x8xf64>, tensor<?x?x?x8xf64>)
      read(%x : tensor<?x?x?x8xf64>)
      -> tensor<?x?x?x8xf64>, tensor<?x?x8x8xf32>
  return
}

// -----

func.func @output_type(%x: tensor<?x?x?x8xf16>) {
  // expected-error @below {{'weft.affine_scan' op the output is of 'bf16' but the value is of 'f16' and the accumulator is 'f32': tokens are f64, f32, bf16 or f16, decays f64 or f32, states of the accumulator's type, the output of the value's type or the accumulator's [A7]}}
  weft.affine_scan over 1
      write(%x, %x : tensor<?x?x?x8xf16>, tensor<?x?x?x8xf16>)
      read(%x : tensor<?x?x?x8xf16>)
      -> tensor<?x?x?x8xbf16>
  return
}

// -----

// A8
func.func @chunk(%x: tensor<?x?x?x8xf32>) {
  // expected-error @below {{'weft.affine_scan' op has chunk 48: a chunk size is a power of two [A8]}}
  weft.affine_scan over 1 chunk 48
      write(%x, %x : tensor<?x?x?x8xf32>, tensor<?x?x?x8xf32>)
      read(%x : tensor<?x?x?x8xf32>)
      -> tensor<?x?x?x8xf32>
  return
}

// -----

func.func @chunk_zero(%x: tensor<?x?x?x8xf32>) {
  // expected-error @below {{'weft.affine_scan' op has chunk 0: a chunk size is a power of two [A8]}}
  weft.affine_scan over 1 chunk 0
      write(%x, %x : tensor<?x?x?x8xf32>, tensor<?x?x?x8xf32>)
      read(%x : tensor<?x?x?x8xf32>)
      -> tensor<?x?x?x8xf32>
  return
}

// -----

// A9
func.func @epsilon(%x: tensor<?x?x?x8xf32>) {
  // expected-error @below {{'weft.affine_scan' op clause 'normalize' has epsilon 0.000000e+00: epsilon is positive and finite, scale is finite [A9]}}
  weft.affine_scan over 1
      write(%x, %x : tensor<?x?x?x8xf32>, tensor<?x?x?x8xf32>)
      read(%x : tensor<?x?x?x8xf32>)
      normalize(added 0.0)
      -> tensor<?x?x?x8xf32>
  return
}

// -----

func.func @epsilon_infinite(%x: tensor<?x?x?x8xf32>) {
  // expected-error @below {{'weft.affine_scan' op clause 'normalize' has epsilon INF: epsilon is positive and finite, scale is finite [A9]}}
  weft.affine_scan over 1
      write(%x, %x : tensor<?x?x?x8xf32>, tensor<?x?x?x8xf32>)
      read(%x : tensor<?x?x?x8xf32>)
      normalize(clamped 0x7FF0000000000000)
      -> tensor<?x?x?x8xf32>
  return
}

// -----

func.func @scale(%x: tensor<?x?x?x8xf32>) {
  // expected-error @below {{'weft.affine_scan' op clause 'read' has scale nan: epsilon is positive and finite, scale is finite [A9]}}
  weft.affine_scan over 1
      write(%x, %x : tensor<?x?x?x8xf32>, tensor<?x?x?x8xf32>)
      read(%x scale 0x7FF8000000000000 : tensor<?x?x?x8xf32>)
      -> tensor<?x?x?x8xf32>
  return
}

// -----

// A10
func.func @init_without_normalize(%x: tensor<?x?x?x8xf32>, %s: tensor<?x?x8x8xf32>, %z: tensor<?x?x8xf32>) {
  // expected-error @below {{'weft.affine_scan' op clause 'init' has a normaliser but there is no clause 'normalize': an initial or final normaliser comes with 'normalize' and with the state, and the initial state of a normalised scan with a normaliser [A10]}}
  weft.affine_scan over 1
      write(%x, %x : tensor<?x?x?x8xf32>, tensor<?x?x?x8xf32>)
      read(%x : tensor<?x?x?x8xf32>)
      init(%s, %z : tensor<?x?x8x8xf32>, tensor<?x?x8xf32>)
      -> tensor<?x?x?x8xf32>
  return
}

// -----

func.func @final_without_normalize(%x: tensor<?x?x?x8xf32>) {
  // expected-error @below {{'weft.affine_scan' op has the final normaliser as a result but there is no clause 'normalize': an initial or final normaliser comes with 'normalize' and with the state, and the initial state of a normalised scan with a normaliser [A10]}}
  weft.affine_scan over 1
      write(%x, %x : tensor<?x?x?x8xf32>, tensor<?x?x?x8xf32>)
      read(%x : tensor<?x?x?x8xf32>)
      -> tensor<?x?x?x8xf32>, tensor<?x?x8x8xf32>, tensor<?x?x8xf32>
  return
}

// -----

func.func @init_half(%x: tensor<?x?x?x8xf32>, %s: tensor<?x?x8x8xf32>) {
  // expected-error @below {{'weft.affine_scan' op clause 'init' has only one of the state and the normaliser: an initial or final normaliser comes with 'normalize' and with the state, and the initial state of a normalised scan with a normaliser [A10]}}
  weft.affine_scan over 1
      write(%x, %x : tensor<?x?x?x8xf32>, tensor<?x?x?x8xf32>)
      read(%x : tensor<?x?x?x8xf32>)
      normalize(added 1.0e-6)
      init(%s : tensor<?x?x8x8xf32>)
      -> tensor<?x?x?x8xf32>
  return
}

// -----

func.func @epsilon_alone(%x: tensor<?x?x?x8xf32>) {
  // expected-error @below {{'weft.affine_scan' op has one of the attributes 'epsilonMode' and 'epsilon' without the other: an initial or final normaliser comes with 'normalize' and with the state, and the initial state of a normalised scan with a normaliser [A10]}}
  %o = "weft.affine_scan"(%x, %x, %x) <{axis = 1 : i64, epsilon = 1.0 : f64,
      order = [#weft.scan_clause<write>, #weft.scan_clause<read>],
      operandSegmentSizes = array<i32: 0, 1, 1, 1, 0, 0>, resultSegmentSizes = array<i32: 1, 0, 0>}>
      : (tensor<?x?x?x8xf32>, tensor<?x?x?x8xf32>, tensor<?x?x?x8xf32>) -> tensor<?x?x?x8xf32>
  return
}

// -----

func.func @normaliser_alone(%x: tensor<?x?x?x8xf32>) {
  // expected-error @below {{'weft.affine_scan' op has the final normaliser but not the final state as a result: an initial or final normaliser comes with 'normalize' and with the state, and the initial state of a normalised scan with a normaliser [A10]}}
  %o, %z = "weft.affine_scan"(%x, %x, %x) <{axis = 1 : i64, epsilon = 1.0 : f64, epsilonMode = #weft.epsilon_mode<added>,
      order = [#weft.scan_clause<write>, #weft.scan_clause<read>],
      operandSegmentSizes = array<i32: 0, 1, 1, 1, 0, 0>, resultSegmentSizes = array<i32: 1, 0, 1>}>
      : (tensor<?x?x?x8xf32>, tensor<?x?x?x8xf32>, tensor<?x?x?x8xf32>) -> (tensor<?x?x?x8xf32>, tensor<?x?x8xf32>)
  return
}

// -----

// A11
func.func @order(%x: tensor<?x?x?x8xf32>) {
  // expected-error @below {{'weft.affine_scan' op order lists 'write' 2 times, not 1: the order lists decay, where there is one, write and read, once each [A11]}}
  %o = "weft.affine_scan"(%x, %x, %x) <{axis = 1 : i64,
      order = [#weft.scan_clause<write>, #weft.scan_clause<write>],
      operandSegmentSizes = array<i32: 0, 1, 1, 1, 0, 0>, resultSegmentSizes = array<i32: 1, 0, 0>}>
      : (tensor<?x?x?x8xf32>, tensor<?x?x?x8xf32>, tensor<?x?x?x8xf32>) -> tensor<?x?x?x8xf32>
  return
}

// -----

func.func @order_of_absent_decay(%x: tensor<?x?x?x8xf32>) {
  // expected-error @below {{'weft.affine_scan' op order lists 'decay' 1 times, not 0: the order lists decay, where there is one, write and read, once each [A11]}}
  %o = "weft.affine_scan"(%x, %x, %x) <{axis = 1 : i64,
      order = [#weft.scan_clause<decay>, #weft.scan_clause<write>, #weft.scan_clause<read>],
      operandSegmentSizes = array<i32: 0, 1, 1, 1, 0, 0>, resultSegmentSizes = array<i32: 1, 0, 0>}>
      : (tensor<?x?x?x8xf32>, tensor<?x?x?x8xf32>, tensor<?x?x?x8xf32>) -> tensor<?x?x?x8xf32>
  return
}

// -----

// Prefix sums: A1, A8, A12, A13
func.func @sum_axis(%x: tensor<?x?x?x8xf32>) {
  // expected-error @below {{'weft.prefix_sum' op runs over axis 3: scans run over axis 1, the time of [B, T, H, ...] [A1]}}
  weft.prefix_sum %x over 3 : tensor<?x?x?x8xf32> -> tensor<?x?x?x8xf32>
  return
}

// -----

func.func @sum_chunk(%x: tensor<?x?x?x8xf32>) {
  // expected-error @below {{'weft.prefix_sum' op has chunk -4: a chunk size is a power of two [A8]}}
  weft.prefix_sum %x over 1 chunk -4 : tensor<?x?x?x8xf32> -> tensor<?x?x?x8xf32>
  return
}

// -----

func.func @sum_rank(%x: tensor<?x?xf32>) {
  // expected-error @below {{'weft.prefix_sum' op the source is 'tensor<?x?xf32>': a summed source is [B, T, H, feature...] with static feature sizes, its output of the same shape, its init and total [B, H, feature...] [A12]}}
  weft.prefix_sum %x over 1 : tensor<?x?xf32> -> tensor<?x?xf32>
  return
}

// -----

func.func @sum_features(%x: tensor<?x?x?x?xf32>) {
  // expected-error @below {{'weft.prefix_sum' op the source is 'tensor<?x?x?x?xf32>': a summed source is [B, T, H, feature...] with static feature sizes, its output of the same shape, its init and total [B, H, feature...] [A12]}}
  weft.prefix_sum %x over 1 : tensor<?x?x?x?xf32> -> tensor<?x?x?x?xf32>
  return
}

// -----

func.func @sum_output(%x: tensor<?x?x?x8xf32>) {
  // expected-error @below {{'weft.prefix_sum' op the output is 'tensor<?x?x?x4xf32>' but the source is 'tensor<?x?x?x8xf32>': a summed source is [B, T, H, feature...] with static feature sizes, its output of the same shape, its init and total [B, H, feature...] [A12]}}
  weft.prefix_sum %x over 1 : tensor<?x?x?x8xf32> -> tensor<?x?x?x4xf32>
  return
}

// -----

func.func @sum_total(%x: tensor<?x?x?x8xf32>) {
  // expected-error @below {{'weft.prefix_sum' op the total is 'tensor<?x?x?x8xf32>' but the source is 'tensor<?x?x?x8xf32>': a summed source is [B, T, H, feature...] with static feature sizes, its output of the same shape, its init and total [B, H, feature...] [A12]}}
  weft.prefix_sum %x over 1 : tensor<?x?x?x8xf32> -> tensor<?x?x?x8xf32>, tensor<?x?x?x8xf32>
  return
}

// -----

func.func @sum_init(%x: tensor<2x?x3x8xf32>, %s: tensor<2x4x8xf32>) {
  // expected-error @below {{'weft.prefix_sum' op clause 'init' is 'tensor<2x4x8xf32>' but the source is 'tensor<2x?x3x8xf32>': a summed source is [B, T, H, feature...] with static feature sizes, its output of the same shape, its init and total [B, H, feature...] [A12]}}
  weft.prefix_sum %x over 1 init(%s : tensor<2x4x8xf32>) : tensor<2x?x3x8xf32> -> tensor<2x?x3x8xf32>
  return
}

// -----

func.func @sum_type(%x: tensor<?x?x?x8xf8E5M2>) {
  // expected-error @below {{'weft.prefix_sum' op operand #0 must be 0D/1D/2D/3D/4D/5D/6D tensor of 16-bit float or bfloat16 type or 32-bit float or 64-bit float values, but got 'tensor<?x?x?x8xf8E5M2>'}}
  weft.prefix_sum %x over 1 : tensor<?x?x?x8xf8E5M2> -> tensor<?x?x?x8xf8E5M2>
  return
}

// -----

func.func @sum_output_type(%x: tensor<?x?x?x8xf32>) {
  // expected-error @below {{'weft.prefix_sum' op the output is of 'f16' but the source is of 'f32': summands are f64, f32, bf16 or f16, the output of their type or the accumulator's, init and total of the accumulator's type [A13]}}
  weft.prefix_sum %x over 1 : tensor<?x?x?x8xf32> -> tensor<?x?x?x8xf16>
  return
}

// -----

func.func @sum_total_type(%x: tensor<?x?x?x8xbf16>) {
  // expected-error @below {{'weft.prefix_sum' op the total is of 'bf16' but the accumulator is 'f32': summands are f64, f32, bf16 or f16, the output of their type or the accumulator's, init and total of the accumulator's type [A13]}}
  weft.prefix_sum %x over 1 : tensor<?x?x?x8xbf16> -> tensor<?x?x?x8xbf16>, tensor<?x?x8xbf16>
  return
}

// -----

// Associative scans: A1, A8, A14 to A18
func.func @scan_axis(%x: tensor<?x?x?x8xf32>) {
  // expected-error @below {{'weft.associative_scan' op runs over axis 0: scans run over axis 1, the time of [B, T, H, ...] [A1]}}
  weft.associative_scan over 0 (%x : tensor<?x?x?x8xf32>) identity [0.0 : f32] -> (tensor<?x?x?x8xf32>) {
  ^combine(%a: f32, %b: f32):
    weft.yield %b : f32
  }
  return
}

// -----

func.func @scan_chunk(%x: tensor<?x?x?x8xf32>) {
  // expected-error @below {{'weft.associative_scan' op has chunk 3: a chunk size is a power of two [A8]}}
  weft.associative_scan over 1 (%x : tensor<?x?x?x8xf32>) identity [0.0 : f32] chunk 3 -> (tensor<?x?x?x8xf32>) {
  ^combine(%a: f32, %b: f32):
    weft.yield %b : f32
  }
  return
}

// -----

func.func @scan_nothing() {
  // expected-error @below {{'weft.associative_scan' op has no sources: sources are one or more [B, T, H, feature...] of one shape with static feature sizes, outputs of the same shape, inits and totals [B, H, feature...] [A14]}}
  "weft.associative_scan"() <{axis = 1 : i64, identity = [], operandSegmentSizes = array<i32: 0, 0>, resultSegmentSizes = array<i32: 0, 0>}> ({
    weft.yield
  }) : () -> ()
  return
}

// -----

func.func @scan_rank(%x: tensor<?x8xf32>) {
  // expected-error @below {{'weft.associative_scan' op source #0 is 'tensor<?x8xf32>': sources are one or more [B, T, H, feature...] of one shape with static feature sizes, outputs of the same shape, inits and totals [B, H, feature...] [A14]}}
  weft.associative_scan over 1 (%x : tensor<?x8xf32>) identity [0.0 : f32] -> (tensor<?x8xf32>) {
  ^combine(%a: f32, %b: f32):
    weft.yield %b : f32
  }
  return
}

// -----

func.func @scan_shapes(%x: tensor<?x?x?x8xf32>, %y: tensor<?x?x?x4xf32>) {
  // expected-error @below {{'weft.associative_scan' op source #1 is 'tensor<?x?x?x4xf32>' but source #0 is 'tensor<?x?x?x8xf32>': sources are one or more [B, T, H, feature...] of one shape with static feature sizes, outputs of the same shape, inits and totals [B, H, feature...] [A14]}}
  weft.associative_scan over 1 (%x, %y : tensor<?x?x?x8xf32>, tensor<?x?x?x4xf32>) identity [0.0 : f32, 0.0 : f32]
      -> (tensor<?x?x?x8xf32>, tensor<?x?x?x4xf32>) {
  ^combine(%a: f32, %b: f32, %c: f32, %d: f32):
    weft.yield %c, %d : f32, f32
  }
  return
}

// -----

func.func @scan_output(%x: tensor<?x?x?x8xf32>) {
  // expected-error @below {{'weft.associative_scan' op output #0 is 'tensor<?x?x?xf32>' but source #0 is 'tensor<?x?x?x8xf32>': sources are one or more [B, T, H, feature...] of one shape with static feature sizes, outputs of the same shape, inits and totals [B, H, feature...] [A14]}}
  weft.associative_scan over 1 (%x : tensor<?x?x?x8xf32>) identity [0.0 : f32] -> (tensor<?x?x?xf32>) {
  ^combine(%a: f32, %b: f32):
    weft.yield %b : f32
  }
  return
}

// -----

func.func @scan_total(%x: tensor<?x?x?x8xf32>) {
  // expected-error @below {{'weft.associative_scan' op total #0 is 'tensor<?x?x4xf32>' but source #0 is 'tensor<?x?x?x8xf32>': sources are one or more [B, T, H, feature...] of one shape with static feature sizes, outputs of the same shape, inits and totals [B, H, feature...] [A14]}}
  weft.associative_scan over 1 (%x : tensor<?x?x?x8xf32>) identity [0.0 : f32] -> (tensor<?x?x?x8xf32>), (tensor<?x?x4xf32>) {
  ^combine(%a: f32, %b: f32):
    weft.yield %b : f32
  }
  return
}

// -----

func.func @scan_type(%x: tensor<?x?x?x8xf8E5M2>) {
  // expected-error @below {{'weft.associative_scan' op operand #0 must be variadic of 0D/1D/2D/3D/4D/5D/6D tensor of 16-bit float or bfloat16 type or 32-bit float or 64-bit float values, but got 'tensor<?x?x?x8xf8E5M2>'}}
  weft.associative_scan over 1 (%x : tensor<?x?x?x8xf8E5M2>) identity [0.0 : f32] -> (tensor<?x?x?x8xf8E5M2>) {
  ^combine(%a: f32, %b: f32):
    weft.yield %b : f32
  }
  return
}

// -----

func.func @scan_output_type(%x: tensor<?x?x?x8xbf16>) {
  // expected-error @below {{'weft.associative_scan' op output #0 is of 'f64' but source #0 is of 'bf16': sources are f64, f32, bf16 or f16, outputs of their types or the accumulators', inits and totals of the accumulators' types [A15]}}
  weft.associative_scan over 1 (%x : tensor<?x?x?x8xbf16>) identity [0.0 : f32] -> (tensor<?x?x?x8xf64>) {
  ^combine(%a: f32, %b: f32):
    weft.yield %b : f32
  }
  return
}

// -----

func.func @scan_init_type(%x: tensor<?x?x?x8xbf16>, %s: tensor<?x?x8xbf16>) {
  // expected-error @below {{'weft.associative_scan' op init #0 is of 'bf16' but the accumulator is 'f32': sources are f64, f32, bf16 or f16, outputs of their types or the accumulators', inits and totals of the accumulators' types [A15]}}
  weft.associative_scan over 1 (%x : tensor<?x?x?x8xbf16>) identity [0.0 : f32] init(%s : tensor<?x?x8xbf16>)
      -> (tensor<?x?x?x8xbf16>) {
  ^combine(%a: f32, %b: f32):
    weft.yield %b : f32
  }
  return
}

// -----

func.func @scan_counts(%x: tensor<?x?x?x8xf32>) {
  // expected-error @below {{'weft.associative_scan' op has 2 sources but 1 outputs: outputs are one per source, inits one per source or none, totals one per source or none [A16]}}
  weft.associative_scan over 1 (%x, %x : tensor<?x?x?x8xf32>, tensor<?x?x?x8xf32>) identity [0.0 : f32, 0.0 : f32]
      -> (tensor<?x?x?x8xf32>) {
  ^combine(%a: f32, %b: f32, %c: f32, %d: f32):
    weft.yield %c, %d : f32, f32
  }
  return
}

// -----

func.func @scan_inits(%x: tensor<?x?x?x8xf32>, %s: tensor<?x?x8xf32>) {
  // expected-error @below {{'weft.associative_scan' op has 2 sources but 1 inits: outputs are one per source, inits one per source or none, totals one per source or none [A16]}}
  weft.associative_scan over 1 (%x, %x : tensor<?x?x?x8xf32>, tensor<?x?x?x8xf32>) identity [0.0 : f32, 0.0 : f32]
      init(%s : tensor<?x?x8xf32>) -> (tensor<?x?x?x8xf32>, tensor<?x?x?x8xf32>) {
  ^combine(%a: f32, %b: f32, %c: f32, %d: f32):
    weft.yield %c, %d : f32, f32
  }
  return
}

// -----

func.func @scan_identity_count(%x: tensor<?x?x?x8xf32>) {
  // expected-error @below {{'weft.associative_scan' op has 1 sources but 2 numbers of the identity: the region takes two scalars per source and yields one, and the identity is one number per source, all of the accumulators' types [A17]}}
  weft.associative_scan over 1 (%x : tensor<?x?x?x8xf32>) identity [0.0 : f32, 0.0 : f32] -> (tensor<?x?x?x8xf32>) {
  ^combine(%a: f32, %b: f32):
    weft.yield %b : f32
  }
  return
}

// -----

func.func @scan_identity_type(%x: tensor<?x?x?x8xbf16>) {
  // expected-error @below {{'weft.associative_scan' op identity #0 is 0.000000e+00 : bf16 but the accumulator is 'f32': the region takes two scalars per source and yields one, and the identity is one number per source, all of the accumulators' types [A17]}}
  weft.associative_scan over 1 (%x : tensor<?x?x?x8xbf16>) identity [0.0 : bf16] -> (tensor<?x?x?x8xbf16>) {
  ^combine(%a: f32, %b: f32):
    weft.yield %b : f32
  }
  return
}

// -----

func.func @scan_arguments(%x: tensor<?x?x?x8xbf16>) {
  // expected-error @below {{'weft.associative_scan' op the region takes ('bf16', 'f32'), not ('f32', 'f32'): the region takes two scalars per source and yields one, and the identity is one number per source, all of the accumulators' types [A17]}}
  weft.associative_scan over 1 (%x : tensor<?x?x?x8xbf16>) identity [0.0 : f32] -> (tensor<?x?x?x8xbf16>) {
  ^combine(%a: bf16, %b: f32):
    weft.yield %b : f32
  }
  return
}

// -----

func.func @scan_yield(%x: tensor<?x?x?x8xf32>) {
  // expected-error @below {{'weft.associative_scan' op the region yields ('f32', 'f32'), not ('f32'): the region takes two scalars per source and yields one, and the identity is one number per source, all of the accumulators' types [A17]}}
  weft.associative_scan over 1 (%x : tensor<?x?x?x8xf32>) identity [0.0 : f32] -> (tensor<?x?x?x8xf32>) {
  ^combine(%a: f32, %b: f32):
    weft.yield %a, %b : f32, f32
  }
  return
}

// -----

func.func @scan_terminator(%x: tensor<?x?x?x8xf32>) {
  // expected-error @below {{'weft.associative_scan' op the region ends in 'llvm.unreachable': the region takes two scalars per source and yields one, and the identity is one number per source, all of the accumulators' types [A17]}}
  weft.associative_scan over 1 (%x : tensor<?x?x?x8xf32>) identity [0.0 : f32] -> (tensor<?x?x?x8xf32>) {
  ^combine(%a: f32, %b: f32):
    llvm.unreachable
  }
  return
}

// -----

func.func @scan_effect(%x: tensor<?x?x?x8xf32>) {
  // expected-error @below {{'weft.associative_scan' op the region holds 'memref.alloc': a combine region holds ops without side effects and without regions, and uses its own values only [A18]}}
  weft.associative_scan over 1 (%x : tensor<?x?x?x8xf32>) identity [0.0 : f32] -> (tensor<?x?x?x8xf32>) {
  ^combine(%a: f32, %b: f32):
    %m = memref.alloc() : memref<f32>
    weft.yield %b : f32
  }
  return
}

// -----

func.func @scan_captures(%x: tensor<?x?x?x8xf32>, %f: f32) {
  // expected-error @below {{'weft.associative_scan' op the region uses a value of type 'f32' from outside in 'arith.mulf': a combine region holds ops without side effects and without regions, and uses its own values only [A18]}}
  weft.associative_scan over 1 (%x : tensor<?x?x?x8xf32>) identity [0.0 : f32] -> (tensor<?x?x?x8xf32>) {
  ^combine(%a: f32, %b: f32):
    %c = arith.mulf %a, %f : f32
    weft.yield %c : f32
  }
  return
}

// -----

// Token matmuls: A19 to A21
func.func @matmul_rank(%x: tensor<?x?x8xf32>, %w: tensor<8x4xf32>) {
  // expected-error @below {{'weft.token_matmul' op the source is 'tensor<?x?x8xf32>': the source is [B, T, H, K], weights are [K, N] or [heads, K, N], transposed [N, K] or [heads, N, K], the result is [B, T, H, N], with static K and N [A19]}}
  %y = weft.token_matmul %x, %w numerics<in = f32, acc = f32> : tensor<?x?x8xf32>, tensor<8x4xf32> -> tensor<?x?x4xf32>
  return
}

// -----

func.func @matmul_weights_rank(%x: tensor<?x?x?x8xf32>, %w: tensor<8xf32>) {
  // expected-error @below {{'weft.token_matmul' op the weights are 'tensor<8xf32>': the source is [B, T, H, K], weights are [K, N] or [heads, K, N], transposed [N, K] or [heads, N, K], the result is [B, T, H, N], with static K and N [A19]}}
  %y = weft.token_matmul %x, %w numerics<in = f32, acc = f32> : tensor<?x?x?x8xf32>, tensor<8xf32> -> tensor<?x?x?x4xf32>
  return
}

// -----

func.func @matmul_features(%x: tensor<?x?x?x8xf32>, %w: tensor<16x4xf32>) {
  // expected-error @below {{'weft.token_matmul' op the source is 'tensor<?x?x?x8xf32>' and the weights are 'tensor<16x4xf32>': the source is [B, T, H, K], weights are [K, N] or [heads, K, N], transposed [N, K] or [heads, N, K], the result is [B, T, H, N], with static K and N [A19]}}
  %y = weft.token_matmul %x, %w numerics<in = f32, acc = f32> : tensor<?x?x?x8xf32>, tensor<16x4xf32> -> tensor<?x?x?x4xf32>
  return
}

// -----

func.func @matmul_transposed(%x: tensor<?x?x?x8xf32>, %w: tensor<8x4xf32>) {
  // expected-error @below {{'weft.token_matmul' op the source is 'tensor<?x?x?x8xf32>' and the weights are 'tensor<8x4xf32>': the source is [B, T, H, K], weights are [K, N] or [heads, K, N], transposed [N, K] or [heads, N, K], the result is [B, T, H, N], with static K and N [A19]}}
  %y = weft.token_matmul %x, %w transposed numerics<in = f32, acc = f32> : tensor<?x?x?x8xf32>, tensor<8x4xf32> -> tensor<?x?x?x4xf32>
  return
}

// -----

func.func @matmul_result(%x: tensor<?x?x?x8xf32>, %w: tensor<8x4xf32>) {
  // expected-error @below {{'weft.token_matmul' op the result is 'tensor<?x?x?x8xf32>' but the source is 'tensor<?x?x?x8xf32>' and the weights are 'tensor<8x4xf32>': the source is [B, T, H, K], weights are [K, N] or [heads, K, N], transposed [N, K] or [heads, N, K], the result is [B, T, H, N], with static K and N [A19]}}
  %y = weft.token_matmul %x, %w numerics<in = f32, acc = f32> : tensor<?x?x?x8xf32>, tensor<8x4xf32> -> tensor<?x?x?x8xf32>
  return
}

// -----

func.func @matmul_heads(%x: tensor<?x?x4x8xf32>, %w: tensor<3x8x4xf32>) {
  // expected-error @below {{'weft.token_matmul' op the weights have 3 heads but the source has 4: the weights' heads divide the source's [A20]}}
  %y = weft.token_matmul %x, %w numerics<in = f32, acc = f32> : tensor<?x?x4x8xf32>, tensor<3x8x4xf32> -> tensor<?x?x4x4xf32>
  return
}

// -----

func.func @matmul_type(%x: tensor<?x?x?x8xf8E5M2>, %w: tensor<8x4xf32>) {
  // expected-error @below {{'weft.token_matmul' op operand #0 must be 0D/1D/2D/3D/4D/5D/6D tensor of 16-bit float or bfloat16 type or 32-bit float or 64-bit float values, but got 'tensor<?x?x?x8xf8E5M2>'}}
  %y = weft.token_matmul %x, %w numerics<in = f32, acc = f32> : tensor<?x?x?x8xf8E5M2>, tensor<8x4xf32> -> tensor<?x?x?x4xf32>
  return
}

// -----

func.func @matmul_result_type(%x: tensor<?x?x?x8xbf16>, %w: tensor<8x4xf32>) {
  // expected-error @below {{'weft.token_matmul' op the result is of 'bf16' but the accumulator is 'f32': source and weights are f64, f32, bf16 or f16, and the result is of the accumulator's type [A21]}}
  %y = weft.token_matmul %x, %w numerics<in = f32, acc = f32> : tensor<?x?x?x8xbf16>, tensor<8x4xf32> -> tensor<?x?x?x4xbf16>
  return
}

// -----

// Groups: A22
func.func @group_arguments(%x: tensor<?xf32>) {
  // expected-error @below {{'weft.group' op the region takes 1 arguments: a group takes no arguments and ends in a 'weft.yield' of values of the results' types [A22]}}
  weft.group @g {
  ^bb0(%a: index):
    weft.yield
  }
  return
}

// -----

func.func @group_terminator(%x: tensor<?xf32>) {
  // expected-error @below {{'weft.group' op the region ends in 'llvm.unreachable': a group takes no arguments and ends in a 'weft.yield' of values of the results' types [A22]}}
  weft.group @g {
    llvm.unreachable
  }
  return
}

// -----

func.func @group_yield(%x: tensor<?xf32>) {
  // expected-error @below {{'weft.group' op the region yields () but the results are ('tensor<?xf32>'): a group takes no arguments and ends in a 'weft.yield' of values of the results' types [A22]}}
  %y = weft.group @g -> tensor<?xf32> {
    weft.yield
  }
  return
}

// -----

// Parameters: A23, A24
func.func @parameter_rank(%x: tensor<?x?x?x8xf32>, %p: tensor<?x?x8xf32>) {
  // expected-error @below {{'weft.token_broadcast' op repeats 'tensor<?x?x8xf32>' like 'tensor<?x?x?x8xf32>' to 'tensor<?x?x?x8xf32>': a repeated parameter is [feature...] or [heads, feature...] with static feature sizes, like and result [B, T, H, ...], source and result of one type [A23]}}
  %y = weft.token_broadcast %p like(%x : tensor<?x?x?x8xf32>) : tensor<?x?x8xf32> -> tensor<?x?x?x8xf32>
  return
}

// -----

func.func @parameter_features(%x: tensor<?x?x?x8xf32>, %p: tensor<?x4xf32>) {
  // expected-error @below {{'weft.token_broadcast' op repeats 'tensor<?x4xf32>' like 'tensor<?x?x?x8xf32>' to 'tensor<?x?x?x8xf32>': a repeated parameter is [feature...] or [heads, feature...] with static feature sizes, like and result [B, T, H, ...], source and result of one type [A23]}}
  %y = weft.token_broadcast %p like(%x : tensor<?x?x?x8xf32>) : tensor<?x4xf32> -> tensor<?x?x?x8xf32>
  return
}

// -----

func.func @parameter_tokens(%x: tensor<2x?x?x8xf32>, %p: tensor<?x8xf32>) {
  // expected-error @below {{'weft.token_broadcast' op repeats 'tensor<?x8xf32>' like 'tensor<2x?x?x8xf32>' to 'tensor<3x?x?x8xf32>': a repeated parameter is [feature...] or [heads, feature...] with static feature sizes, like and result [B, T, H, ...], source and result of one type [A23]}}
  %y = weft.token_broadcast %p like(%x : tensor<2x?x?x8xf32>) : tensor<?x8xf32> -> tensor<3x?x?x8xf32>
  return
}

// -----

func.func @parameter_type(%x: tensor<?x?x?x8xf32>, %p: tensor<?x8xf32>) {
  // expected-error @below {{'weft.token_broadcast' op repeats 'tensor<?x8xf32>' like 'tensor<?x?x?x8xf32>' to 'tensor<?x?x?x8xf64>': a repeated parameter is [feature...] or [heads, feature...] with static feature sizes, like and result [B, T, H, ...], source and result of one type [A23]}}
  %y = weft.token_broadcast %p like(%x : tensor<?x?x?x8xf32>) : tensor<?x8xf32> -> tensor<?x?x?x8xf64>
  return
}

// -----

func.func @parameter_heads(%x: tensor<?x?x4x8xf32>, %p: tensor<3x8xf32>) {
  // expected-error @below {{'weft.token_broadcast' op the source has 3 heads but the result has 4: the parameter's heads divide those of the tokens [A24]}}
  %y = weft.token_broadcast %p like(%x : tensor<?x?x4x8xf32>) : tensor<3x8xf32> -> tensor<?x?x4x8xf32>
  return
}

// -----

func.func @relation(%a: index) {
  // expected-error @below {{custom op 'weft.check' expected one of [equals, divides] for how two sizes must relate, got: exceeds}}
  // expected-error @below {{custom op 'weft.check' failed to parse Weft_SizeRelationAttr parameter 'value' which is to be a `::scanweft::weft::SizeRelation`}}
  weft.check %a exceeds %a, "no such relation"
  return
}
