// The inputs that the GPU's checks make with numpy are those of weft-run.
// RUN: weft-run %s --seed=3 --save-inputs=%t.npz
// RUN: %python %S/generated_inputs.py %t.npz 3 | FileCheck %s
// CHECK: 13 kinds agree

func.func @f(%zeros: tensor<2x3xf64> {weft.name = "zeros", weft.input = "zeros"},
             %ones: tensor<2x3xf64> {weft.name = "ones", weft.input = "ones"},
             %iota: tensor<2x3xf64> {weft.name = "iota", weft.input = "iota"},
             %normal: tensor<5x7x8xf64> {weft.name = "normal", weft.input = "normal"},
             %offset: tensor<5x7xf64> {weft.name = "offset", weft.input = "offset"},
             %uniform: tensor<5x7xf64> {weft.name = "uniform", weft.input = "uniform"},
             %positive: tensor<5x7xf64> {weft.name = "positive", weft.input = "positive"},
             %logsigmoid: tensor<5x7xf64> {weft.name = "logsigmoid", weft.input = "logsigmoid"},
             %softplus: tensor<5x7xf64> {weft.name = "softplus", weft.input = "softplus"},
             %unit: tensor<5x7xf64> {weft.name = "unit", weft.input = "unit"},
             %low_rank: tensor<4x6x8xf64> {weft.name = "low_rank", weft.input = "low_rank"},
             %spd: tensor<3x8x8xf64> {weft.name = "spd", weft.input = "spd"},
             %permutation: tensor<3x17xi32> {weft.name = "permutation", weft.input = "permutation"})
    -> tensor<2x3xf64> {
  return %zeros : tensor<2x3xf64>
}
