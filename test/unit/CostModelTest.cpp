// Part of Scanweft, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

//===----------------------------------------------------------------------===//
// The cost of a chunk, against numbers worked out by hand.
//===----------------------------------------------------------------------===//

#include "scanweft/Analysis/CostModel.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Parser/Parser.h"
#include "scanweft/InitAll.h"
#include "llvm/Support/FormatVariadic.h"
#include "gtest/gtest.h"

using namespace mlir;
using namespace scanweft;

namespace {

class CostModelTest : public ::testing::Test {
protected:
  CostModelTest() {
    DialectRegistry registry;
    registerAllDialects(registry);
    context.appendDialectRegistry(registry);
  }

  /// A memory of 8 keys and 4 values that halves with every chunk and is read.
  ChunkCost costOfMemory(int64_t rows) {
    std::string chunk = std::to_string(rows);
    std::string text = R"(
      func.func @f(%k: tensor<?x8xbf16>, %v: tensor<?x4xbf16>, %T: index, %s0: tensor<8x4xf32>, %init: tensor<?x4xf32>)
          -> (tensor<?x4xf32>, tensor<8x4xf32>) {
        %c0 = arith.constant 0 : index
        %half = arith.constant dense<0.5> : tensor<f32>
        %o, %s = weft.chunked rows %c0 to %T by C slices(%k, %v : tensor<?x8xbf16>, tensor<?x4xbf16>)
            carries(%s0 : tensor<8x4xf32>) as [#weft.affine] outs(%init : tensor<?x4xf32>) {
        ^chunk(%n: index, %lo: index, %hi: index, %kc: tensor<Cx8xbf16>, %vc: tensor<Cx4xbf16>, %sc: tensor<8x4xf32>):
          %oc = weft.dot %kc, %sc over [1, 0] numerics<in = bf16, acc = f32> : tensor<Cx8xbf16>, tensor<8x4xf32> -> tensor<Cx4xf32>
          %e = weft.affine_element decay(%half : tensor<f32>)
              term(write(%kc : tensor<Cx8xbf16>) value(%vc : tensor<Cx4xbf16>)) numerics<in = bf16, acc = f32>
          weft.next out(%oc : tensor<Cx4xf32>) carry(%e : !weft.element<#weft.affine>)
        }
        return %o, %s : tensor<?x4xf32>, tensor<8x4xf32>
      })";
    for (size_t at = 0; (at = text.find("Cx", at)) != std::string::npos;)
      text.replace(at, 1, chunk);
    size_t by = text.find("by C ");
    text.replace(by + 3, 1, chunk);
    module = parseSourceString<ModuleOp>(text, &context);
    weft::ChunkedOp loop;
    module->walk([&](weft::ChunkedOp op) { loop = op; });
    return estimateChunk(loop, kHopper);
  }

  MLIRContext context;
  OwningOpRef<ModuleOp> module;
};

TEST_F(CostModelTest, CountsWhatTheElementsActDoes) {
  ChunkCost cost = costOfMemory(64);
  EXPECT_EQ(cost.chunk, 64);
  // A token reads the state and is written into it, 2 K V each.
  EXPECT_DOUBLE_EQ(cost.flops, 2 * 8 * 4 + 2 * 8 * 4);
  EXPECT_DOUBLE_EQ(cost.bytes, 2 * 8 + 2 * 4 + 4 * 4);
}

TEST_F(CostModelTest, CountsTilesThatLiveTogether) {
  // Rows twice, the state, the row of output, the decayed state, what is
  // written and the new state.
  double state = 4 * 8 * 4;
  double rows = 2 * 64 * (2 * 8 + 2 * 4), out = 64 * 4 * 4;
  EXPECT_DOUBLE_EQ(costOfMemory(64).tileBytes, rows + out + 4 * state);
}

TEST_F(CostModelTest, LargeChunksAmortizeTheChain) {
  ChunkCost small = costOfMemory(16), large = costOfMemory(256);
  EXPECT_DOUBLE_EQ(small.flops, large.flops);
  EXPECT_DOUBLE_EQ(small.chainCycles, large.chainCycles);
  EXPECT_LT(large.cyclesPerToken, small.cyclesPerToken);
  EXPECT_GT(large.tileBytes, small.tileBytes);
}

TEST_F(CostModelTest, SaysWhatDoesNotFit) {
  EXPECT_TRUE(costOfMemory(64).fits(kHopper));
  EXPECT_FALSE(costOfMemory(8192).fits(kHopper));
}

} // namespace
