// Part of Scanweft, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

//===----------------------------------------------------------------------===//
// What a tool registers is complete: dialects load, passes are named, and the
// models that bufferization looks up at run time are attached.
//===----------------------------------------------------------------------===//

#include "scanweft/InitAll.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Bufferization/IR/BufferizableOpInterface.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"
#include "gtest/gtest.h"

using namespace mlir;

namespace {

class InitAllTest : public ::testing::Test {
protected:
  InitAllTest() {
    scanweft::registerAllDialects(registry);
    context.appendDialectRegistry(registry);
    context.loadAllAvailableDialects();
  }

  template <typename OpTy> bool hasBufferizationModel() {
    return OperationName(OpTy::getOperationName(), &context)
        .hasInterface<bufferization::BufferizableOpInterface>();
  }

  DialectRegistry registry;
  MLIRContext context;
};

TEST_F(InitAllTest, LoadsTheDialect) {
  EXPECT_NE(context.getLoadedDialect("weft"), nullptr);
}

TEST_F(InitAllTest, AttachesBufferizationModels) {
  EXPECT_TRUE(hasBufferizationModel<arith::SelectOp>());
  EXPECT_TRUE(hasBufferizationModel<func::CallOp>());
  EXPECT_TRUE(hasBufferizationModel<linalg::GenericOp>());
  EXPECT_TRUE(hasBufferizationModel<scf::ForOp>());
  EXPECT_TRUE(hasBufferizationModel<tensor::ExtractSliceOp>());
}

TEST_F(InitAllTest, NamesUpstreamPassesOfTheLowering) {
  scanweft::registerUpstreamPasses();
  PassManager manager(&context);
  EXPECT_TRUE(succeeded(parsePassPipeline(
      "one-shot-bufferize{bufferize-function-boundaries=1},"
      "func.func(convert-linalg-to-loops,lower-affine),convert-scf-to-cf,"
      "convert-to-llvm,reconcile-unrealized-casts,canonicalize,cse",
      manager)));
}

} // namespace
