// Part of Scanweft, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

//===----------------------------------------------------------------------===//
// Which dims are batch, time and heads, carried from the ops that say so to
// those that do not.
//===----------------------------------------------------------------------===//

#include "scanweft/Analysis/AlgebraAxes.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Parser/Parser.h"
#include "scanweft/InitAll.h"
#include "gtest/gtest.h"

using namespace mlir;
using scanweft::AlgebraAxes;
using scanweft::weft::Axis;

namespace {

class AlgebraAxesTest : public ::testing::Test {
protected:
  AlgebraAxesTest() {
    DialectRegistry registry;
    scanweft::registerAllDialects(registry);
    context.appendDialectRegistry(registry);
  }

  /// The block of the text's only function.
  Block &parse(StringRef text) {
    module = parseSourceString<ModuleOp>(text, &context);
    return (*module->getOps<func::FuncOp>().begin()).getBody().front();
  }

  static std::string letters(const AlgebraAxes &axes, Value value) {
    std::string result;
    auto rank = cast<RankedTensorType>(value.getType()).getRank();
    for (unsigned dim : llvm::seq<unsigned>(rank))
      result += static_cast<char>(axes.getAxis(value, dim));
    return result;
  }

  MLIRContext context;
  OwningOpRef<ModuleOp> module;
};

TEST_F(AlgebraAxesTest, ProducersTakeTheAxesOfTheirReaders) {
  Block &block = parse(R"(
    func.func @f(%x: tensor<?x?x?x8xf32>, %p: tensor<?x8xf32>) -> tensor<?x?x?x8xf32> {
      %e = math.exp %p : tensor<?x8xf32>
      %b = weft.broadcast %e to [2, 3] like(%x : tensor<?x?x?x8xf32>) : tensor<?x8xf32> -> tensor<?x?x?x8xf32>
      %m = arith.mulf %x, %b : tensor<?x?x?x8xf32>
      %y = weft.prefix_sum %m over 1 : tensor<?x?x?x8xf32> -> tensor<?x?x?x8xf32>
      return %y : tensor<?x?x?x8xf32>
    })");
  AlgebraAxes axes(block);
  EXPECT_EQ(letters(axes, block.getArgument(0)), "bthf");
  EXPECT_EQ(letters(axes, block.getArgument(1)), "hf");
  EXPECT_TRUE(axes.isToken(block.getArgument(0)));
  EXPECT_FALSE(axes.isToken(block.getArgument(1)));
  EXPECT_EQ(axes.findClass(block.getArgument(0), Axis::Head),
            axes.findClass(block.getArgument(1), Axis::Head));
}

TEST_F(AlgebraAxesTest, HeadsOfOperandsDivideThoseOfResults) {
  Block &block = parse(R"(
    func.func @f(%q: tensor<?x?x?x8xf32>, %k: tensor<?x?x?x8xf32>, %v: tensor<?x?x1x8xf32>) -> tensor<?x?x?x8xf32> {
      %y = weft.affine_scan over 1 write(%k, %v : tensor<?x?x?x8xf32>, tensor<?x?x1x8xf32>)
          read(%q : tensor<?x?x?x8xf32>) -> tensor<?x?x?x8xf32>
      return %y : tensor<?x?x?x8xf32>
    })");
  AlgebraAxes axes(block);
  Value out = block.front().getResult(0);
  auto heads = [&](Value value) {
    return axes.findClass(value, Axis::Head).value();
  };
  AlgebraAxes::Class q = heads(block.getArgument(0)),
                     k = heads(block.getArgument(1)),
                     v = heads(block.getArgument(2)), o = heads(out);
  EXPECT_TRUE(axes.headsDivide(q, o));
  EXPECT_TRUE(axes.headsDivide(k, o));
  EXPECT_FALSE(axes.headsDivide(o, k));
  EXPECT_FALSE(axes.headsDivide(q, k));
  EXPECT_TRUE(axes.headsDivide(v, k)) << "one head divides any number";
  EXPECT_EQ(axes.findClass(block.getArgument(0), Axis::Time),
            axes.findClass(out, Axis::Time));
}

TEST_F(AlgebraAxesTest, StaticSizesAgreeWithoutAnOp) {
  Block &block = parse(R"(
    func.func @f(%x: tensor<2x5x4x8xf32>, %y: tensor<2x5x8x8xf32>) -> (tensor<2x5x4x8xf32>, tensor<2x5x8x8xf32>) {
      %a = weft.prefix_sum %x over 1 : tensor<2x5x4x8xf32> -> tensor<2x5x4x8xf32>
      %b = weft.prefix_sum %y over 1 : tensor<2x5x8x8xf32> -> tensor<2x5x8x8xf32>
      return %a, %b : tensor<2x5x4x8xf32>, tensor<2x5x8x8xf32>
    })");
  AlgebraAxes axes(block);
  Value x = block.getArgument(0), y = block.getArgument(1);
  EXPECT_EQ(axes.findClass(x, Axis::Time), axes.findClass(y, Axis::Time));
  AlgebraAxes::Class four = axes.findClass(x, Axis::Head).value();
  AlgebraAxes::Class eight = axes.findClass(y, Axis::Head).value();
  EXPECT_TRUE(axes.headsDivide(four, eight));
  EXPECT_FALSE(axes.headsDivide(eight, four));
}

TEST_F(AlgebraAxesTest, TensorsWithoutAPlaceSayWhy) {
  Block &block = parse(R"(
    func.func @f(%x: tensor<?x?x?x8xf32>, %y: tensor<?x?x?x?xf32>) -> tensor<?x?x?x?xf32> {
      %p = weft.prefix_sum %x over 1 : tensor<?x?x?x8xf32> -> tensor<?x?x?x8xf32>
      %w = weft.dot %p, %p over [3, 3] numerics<in = f32, acc = f32>
          : tensor<?x?x?x8xf32>, tensor<?x?x?x8xf32> -> tensor<?x?x?x?x?x?xf32>
      %s = weft.softmax %y over 3 : tensor<?x?x?x?xf32> -> tensor<?x?x?x?xf32>
      return %s : tensor<?x?x?x?xf32>
    })");
  AlgebraAxes axes(block);
  Operation *scan = &block.front(), *product = scan->getNextNode();
  EXPECT_EQ(axes.whyIrregular(scan->getResult(0)), std::nullopt);
  EXPECT_EQ(axes.whyIrregular(product->getResult(0)),
            "dim 3 is out of the order batch, time, head, features");
  EXPECT_EQ(axes.whyIrregular(block.getArgument(1)),
            "dim 0 is a feature of dynamic size");
}

} // namespace
