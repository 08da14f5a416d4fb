// Part of Scanweft, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// RUN: weft-opt %s --weft-verify-algebra --split-input-file --verify-diagnostics

// Nothing here breaks a rule: a reduction along time is no part of a launch.
func.func @normal_form(%x: tensor<?x?x?x8xf32>, %scale: tensor<?x8xf32>) -> (tensor<?x?x8xf32>, tensor<?x8xf32>) {
  %e = math.exp %scale : tensor<?x8xf32>
  %y = weft.group @g -> tensor<?x?x?x8xf32> {
    %b = weft.broadcast %e to [2, 3] like(%x : tensor<?x?x?x8xf32>) : tensor<?x8xf32> -> tensor<?x?x?x8xf32>
    %m = arith.mulf %x, %b : tensor<?x?x?x8xf32>
    %s = weft.prefix_sum %m over 1 : tensor<?x?x?x8xf32> -> tensor<?x?x?x8xf32>
    weft.yield %s : tensor<?x?x?x8xf32>
  }
  %all = weft.sum %y over 1 : tensor<?x?x?x8xf32> -> tensor<?x?x8xf32>
  return %all, %e : tensor<?x?x8xf32>, tensor<?x8xf32>
}

// -----

func.func @scan_outside(%x: tensor<?x?x?x8xf32>) -> tensor<?x?x?x8xf32> {
  // expected-error @below {{'weft.prefix_sum' op stands outside of a group: scans and token-wise ops on tensors with a time axis stand in groups [L1]}}
  %y = weft.prefix_sum %x over 1 : tensor<?x?x?x8xf32> -> tensor<?x?x?x8xf32>
  return %y : tensor<?x?x?x8xf32>
}

// -----

func.func @producer_outside(%x: tensor<?x?x?x8xf32>) -> tensor<?x?x?x8xf32> {
  // expected-error @below {{'math.exp' op stands outside of a group: scans and token-wise ops on tensors with a time axis stand in groups [L1]}}
  %e = math.exp %x : tensor<?x?x?x8xf32>
  %y = weft.group @g -> tensor<?x?x?x8xf32> {
    %s = weft.prefix_sum %e over 1 : tensor<?x?x?x8xf32> -> tensor<?x?x?x8xf32>
    weft.yield %s : tensor<?x?x?x8xf32>
  }
  return %y : tensor<?x?x?x8xf32>
}

// -----

func.func @reads_along_time(%x: tensor<?x?x?x8xf32>) -> tensor<?x?x?x8xf32> {
  %y = weft.group @g -> tensor<?x?x?x8xf32> {
    // expected-error @below {{'weft.softmax' op cannot stand in a group: 'weft.softmax' acts along the time axis: a group holds scans, ops that act along features only, and constants [L2]}}
    %e = weft.softmax %x over 1 : tensor<?x?x?x8xf32> -> tensor<?x?x?x8xf32>
    %s = weft.prefix_sum %e over 1 : tensor<?x?x?x8xf32> -> tensor<?x?x?x8xf32>
    weft.yield %s : tensor<?x?x?x8xf32>
  }
  return %y : tensor<?x?x?x8xf32>
}

// -----

func.func @mixes_heads(%x: tensor<?x?x4x8xf32>) -> tensor<?x?x32xf32> {
  %y = weft.group @g -> tensor<?x?x32xf32> {
    %s = weft.prefix_sum %x over 1 : tensor<?x?x4x8xf32> -> tensor<?x?x4x8xf32>
    // expected-error @below {{'tensor.collapse_shape' op cannot stand in a group: 'tensor.collapse_shape' mixes the head axis with others: a group holds scans, ops that act along features only, and constants [L2]}}
    %c = tensor.collapse_shape %s [[0], [1], [2, 3]] : tensor<?x?x4x8xf32> into tensor<?x?x32xf32>
    weft.yield %c : tensor<?x?x32xf32>
  }
  return %y : tensor<?x?x32xf32>
}

// -----

func.func @no_form_on_tensors(%x: tensor<?x?x?x8xf32>) -> tensor<?x?x?x8xf32> {
  %y = weft.group @g -> tensor<?x?x?x8xf32> {
    // expected-error @below {{'weft.associative_scan' op cannot stand in a group: 'tensor.from_elements' in the region has no form on tensors: a group holds scans, ops that act along features only, and constants [L2]}}
    %s = weft.associative_scan over 1 (%x : tensor<?x?x?x8xf32>) identity [0.0 : f32] -> (tensor<?x?x?x8xf32>) {
    ^combine(%earlier: f32, %later: f32):
      %c0 = arith.constant 0 : index
      %t = tensor.from_elements %earlier : tensor<1xf32>
      %f = tensor.extract %t[%c0] : tensor<1xf32>
      %m = arith.addf %f, %later : f32
      weft.yield %m : f32
    }
    weft.yield %s : tensor<?x?x?x8xf32>
  }
  return %y : tensor<?x?x?x8xf32>
}

// -----

func.func @two_directions(%x: tensor<?x?x?x8xf32>) -> tensor<?x?x?x8xf32> {
  %y = weft.group @g -> tensor<?x?x?x8xf32> {
    %f = weft.prefix_sum %x over 1 : tensor<?x?x?x8xf32> -> tensor<?x?x?x8xf32>
    // expected-error @below {{'weft.prefix_sum' op does not fit its group: directions differ: a group is one launch: one batch size, one length, head counts that divide each other, one direction, one chunk size, and no step reads a final state [L3]}}
    %b = weft.prefix_sum %f over 1 reverse : tensor<?x?x?x8xf32> -> tensor<?x?x?x8xf32>
    weft.yield %b : tensor<?x?x?x8xf32>
  }
  return %y : tensor<?x?x?x8xf32>
}

// -----

func.func @two_chunk_sizes(%x: tensor<?x?x?x8xf32>) -> tensor<?x?x?x8xf32> {
  %y = weft.group @g -> tensor<?x?x?x8xf32> {
    %f = weft.prefix_sum %x over 1 chunk 16 : tensor<?x?x?x8xf32> -> tensor<?x?x?x8xf32>
    // expected-error @below {{'weft.prefix_sum' op does not fit its group: chunk sizes differ, 16 and 32: a group is one launch: one batch size, one length, head counts that divide each other, one direction, one chunk size, and no step reads a final state [L3]}}
    %b = weft.prefix_sum %f over 1 chunk 32 : tensor<?x?x?x8xf32> -> tensor<?x?x?x8xf32>
    weft.yield %b : tensor<?x?x?x8xf32>
  }
  return %y : tensor<?x?x?x8xf32>
}

// -----

func.func @two_lengths(%x: tensor<?x?x?x8xf32>, %y: tensor<?x?x?x8xf32>) -> (tensor<?x?x?x8xf32>, tensor<?x?x?x8xf32>) {
  %a, %b = weft.group @g -> tensor<?x?x?x8xf32>, tensor<?x?x?x8xf32> {
    %f = weft.prefix_sum %x over 1 : tensor<?x?x?x8xf32> -> tensor<?x?x?x8xf32>
    // expected-error @below {{'weft.prefix_sum' op does not fit its group: lengths are not known to agree: a group is one launch}}
    %h = weft.prefix_sum %y over 1 : tensor<?x?x?x8xf32> -> tensor<?x?x?x8xf32>
    weft.yield %f, %h : tensor<?x?x?x8xf32>, tensor<?x?x?x8xf32>
  }
  return %a, %b : tensor<?x?x?x8xf32>, tensor<?x?x?x8xf32>
}

// -----

// 4 heads and 6: no program can run over both.
func.func @heads(%x: tensor<?x?x4x8xf32>, %y: tensor<?x?x6x8xf32>, %g: tensor<?x?xf32>) -> (tensor<?x?x4x8xf32>, tensor<?x?x6x8xf32>) {
  %a, %b = weft.group @g -> tensor<?x?x4x8xf32>, tensor<?x?x6x8xf32> {
    %f = weft.affine_scan over 1 decay(%g in log along [b, t] : tensor<?x?xf32>) write(%x, %x : tensor<?x?x4x8xf32>, tensor<?x?x4x8xf32>)
        read(%x : tensor<?x?x4x8xf32>) -> tensor<?x?x4x8xf32>
    // expected-error @below {{'weft.affine_scan' op does not fit its group: head counts are not known to divide each other: a group is one launch}}
    %h = weft.affine_scan over 1 decay(%g in log along [b, t] : tensor<?x?xf32>) write(%y, %y : tensor<?x?x6x8xf32>, tensor<?x?x6x8xf32>)
        read(%y : tensor<?x?x6x8xf32>) -> tensor<?x?x6x8xf32>
    weft.yield %f, %h : tensor<?x?x4x8xf32>, tensor<?x?x6x8xf32>
  }
  return %a, %b : tensor<?x?x4x8xf32>, tensor<?x?x6x8xf32>
}

// -----

// Dividing every step by the sum of all steps takes two walks.
func.func @reads_final_state(%x: tensor<?x?x?x8xf32>) -> tensor<?x?x?x8xf32> {
  %y = weft.group @g -> tensor<?x?x?x8xf32> {
    %s, %all = weft.prefix_sum %x over 1 : tensor<?x?x?x8xf32> -> tensor<?x?x?x8xf32>, tensor<?x?x8xf32>
    // expected-error @below {{'weft.broadcast' op does not fit its group: 'weft.broadcast' reads a scan's final state, which is known after the last step only: a group is one launch}}
    %b = weft.broadcast %all to [0, 2, 3] like(%x : tensor<?x?x?x8xf32>) : tensor<?x?x8xf32> -> tensor<?x?x?x8xf32>
    %d = arith.divf %s, %b : tensor<?x?x?x8xf32>
    weft.yield %d : tensor<?x?x?x8xf32>
  }
  return %y : tensor<?x?x?x8xf32>
}

// -----

func.func @no_tokens(%x: tensor<8xf32>) -> tensor<8xf32> {
  // expected-error @below {{'weft.group' op touches no tensor with a time axis: a group is one launch}}
  %y = weft.group @g -> tensor<8xf32> {
    %e = math.exp %x : tensor<8xf32>
    weft.yield %e : tensor<8xf32>
  }
  return %y : tensor<8xf32>
}

// -----

func.func @yields_a_parameter(%x: tensor<?x?x?x8xf32>, %p: tensor<?x8xf32>) -> (tensor<?x?x?x8xf32>, tensor<?x8xf32>) {
  // expected-error @below {{'weft.group' op result #1 has no batch axis: a group's results are made in it and have its batch and head axes [L4]}}
  %y, %r = weft.group @g -> tensor<?x?x?x8xf32>, tensor<?x8xf32> {
    %e = math.exp %p : tensor<?x8xf32>
    %b = weft.broadcast %e to [2, 3] like(%x : tensor<?x?x?x8xf32>) : tensor<?x8xf32> -> tensor<?x?x?x8xf32>
    %m = arith.mulf %x, %b : tensor<?x?x?x8xf32>
    %s = weft.prefix_sum %m over 1 : tensor<?x?x?x8xf32> -> tensor<?x?x?x8xf32>
    weft.yield %s, %e : tensor<?x?x?x8xf32>, tensor<?x8xf32>
  }
  return %y, %r : tensor<?x?x?x8xf32>, tensor<?x8xf32>
}

// -----

func.func @yields_an_argument(%x: tensor<?x?x?x8xf32>) -> (tensor<?x?x?x8xf32>, tensor<?x?x?x8xf32>) {
  // expected-error @below {{'weft.group' op result #1 is not made in the group: a group's results are made in it and have its batch and head axes [L4]}}
  %y, %r = weft.group @g -> tensor<?x?x?x8xf32>, tensor<?x?x?x8xf32> {
    %s = weft.prefix_sum %x over 1 : tensor<?x?x?x8xf32> -> tensor<?x?x?x8xf32>
    weft.yield %s, %x : tensor<?x?x?x8xf32>, tensor<?x?x?x8xf32>
  }
  return %y, %r : tensor<?x?x?x8xf32>, tensor<?x?x?x8xf32>
}
