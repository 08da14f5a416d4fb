// Part of Scanweft, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

//===----------------------------------------------------------------------===//
// The target library as a caller from outside uses it: in a context that knows
// nothing of GPUs, several times, and after failures.
//===----------------------------------------------------------------------===//

#include "scanweft/Target/Target.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/OwningOpRef.h"
#include "mlir/Parser/Parser.h"
#include "scanweft/Target/Assemble.h"
#include "scanweft/Target/Ptx.h"
#include "gtest/gtest.h"

using namespace mlir;
using namespace scanweft;

namespace {

class TargetTest : public ::testing::Test {
protected:
  TargetTest()
      : handler(&context, [this](Diagnostic &diagnostic) {
          messages.push_back(diagnostic.str());
        }) {
    DialectRegistry registry;
    registerTargetDialects(registry);
    context.appendDialectRegistry(registry);
  }

  const Target &getTarget(StringRef name) {
    auto target =
        findTarget(name, [&] { return emitError(UnknownLoc::get(&context)); });
    EXPECT_TRUE(succeeded(target));
    return **target;
  }

  MLIRContext context;
  std::vector<std::string> messages;
  ScopedDiagnosticHandler handler;
};

constexpr StringLiteral kStore = R"(
  gpu.module @kernels {
    llvm.func @store(%p: !llvm.ptr<3>, %x: i32) attributes {nvvm.kernel} {
      nvvm.stmatrix %p, %x {layout = #nvvm.mma_layout<row>, shape = #nvvm.ld_st_matrix_shape<m = 8, n = 8>, eltType = #nvvm.ld_st_matrix_elt_type<b16>} : !llvm.ptr<3>, i32
      llvm.return
    }
  })";

TEST_F(TargetTest, UnknownTargetsNameTheKnownOnes) {
  EXPECT_TRUE(failed(findTarget(
      "sm_90", [&] { return emitError(UnknownLoc::get(&context)); })));
  ASSERT_EQ(messages.size(), 1u);
  EXPECT_EQ(messages[0], "unknown target 'sm_90': the known targets are sm_80, "
                         "sm_90a, sm_100a, sm_120a");
}

TEST_F(TargetTest, TargetsFitTheirMultiprocessors) {
  for (const Target &target : getTargets())
    EXPECT_EQ(target.sharedBytesPerBlock + Target::kReservedSharedBytesPerBlock,
              target.sharedBytesPerMultiprocessor)
        << target.name.str();
}

TEST_F(TargetTest, TranslationLeavesTheOpAndRepeats) {
  OwningOpRef<ModuleOp> module = parseSourceString<ModuleOp>(kStore, &context);
  ASSERT_TRUE(module);
  std::string before, after;
  llvm::raw_string_ostream(before) << *module;
  FailureOr<std::string> first =
      translateToPtx(module->getOperation(), getTarget("sm_90a"));
  ASSERT_TRUE(succeeded(first));
  llvm::raw_string_ostream(after) << *module;
  EXPECT_EQ(before, after);
  FailureOr<std::string> second =
      translateToPtx(&module->getBody()->front(), getTarget("sm_90a"));
  ASSERT_TRUE(succeeded(second));
  EXPECT_EQ(*first, *second);
}

TEST_F(TargetTest, TranslationGoesOnAfterAFatalErrorOfTheBackend) {
  OwningOpRef<ModuleOp> module = parseSourceString<ModuleOp>(kStore, &context);
  ASSERT_TRUE(module);
  for (int round = 0; round < 3; ++round) {
    EXPECT_TRUE(
        failed(translateToPtx(module->getOperation(), getTarget("sm_80"))));
    EXPECT_TRUE(
        succeeded(translateToPtx(module->getOperation(), getTarget("sm_90a"))));
  }
  ASSERT_EQ(messages.size(), 3u);
  EXPECT_EQ(messages[0], messages[2]);
  EXPECT_NE(messages[0].find("Cannot select: intrinsic %llvm.nvvm.stmatrix"),
            std::string::npos);
}

} // namespace
