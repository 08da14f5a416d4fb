// Part of Scanweft, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

//===----------------------------------------------------------------------===//
// Manifests: variants with guards, and the table of expressions.
//===----------------------------------------------------------------------===//

#include "mlir/IR/MLIRContext.h"
#include "mlir/Parser/Parser.h"
#include "scanweft/InitAll.h"
#include "scanweft/Manifest/DescribeHost.h"
#include "gtest/gtest.h"

using namespace mlir;
using namespace scanweft;
using namespace scanweft::manifest;

static constexpr llvm::StringLiteral kModule = R"mlir(
  wtile.kernel @k axes 2 warps 4 shared_bytes 1024 {
  ^program(%p: index, %h: index, %x: memref<?x64xbf16, strided<[?, 1]>>, %y: memref<?x64xbf16, strided<[?, 1]>>):
  }
  func.func @f(%x: tensor<?x64xbf16>, %H: index) -> tensor<?x64xbf16> {
    %c0 = arith.constant 0 : index
    %T = tensor.dim %x, %c0 : tensor<?x64xbf16>
    %init = tensor.empty(%T) : tensor<?x64xbf16>
    %y = wtile.launch @k programs(%T, %H) ins(%x : tensor<?x64xbf16>) outs(%init : tensor<?x64xbf16>)
    return %y : tensor<?x64xbf16>
  }
)mlir";

static std::string textOf(const Program &program) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  Code code;
  code.bytes = "code";
  manifest::write(stream, program, "sm_90a", code);
  return text;
}

namespace {
class ManifestTest : public testing::Test {
protected:
  ManifestTest() {
    DialectRegistry registry;
    registerAllDialects(registry);
    context.appendDialectRegistry(registry);
    module = parseSourceString<ModuleOp>(kModule, &context);
  }
  MLIRContext context;
  OwningOpRef<ModuleOp> module;
};
} // namespace

TEST_F(ManifestTest, KernelsOfTiles) {
  ASSERT_TRUE(module);
  FailureOr<Program> program = describeHostFunctions(*module);
  ASSERT_TRUE(succeeded(program));
  ASSERT_EQ(program->kernels.size(), 1u);
  EXPECT_EQ(program->kernels[0].threads, 128);
  EXPECT_EQ(program->kernels[0].dynamicSharedBytes, 1024);
  std::string text = textOf(*program);
  EXPECT_NE(text.find("\"parameters\": [[\"pointer\", 0], [\"size\", 0, 0], "
                      "[\"stride\", 0, 0], [\"pointer\", 2], [\"size\", 2, 0], "
                      "[\"stride\", 2, 0], [\"extent\", 0], [\"extent\", 1]]"),
            std::string::npos)
      << text;
  EXPECT_EQ(text, textOf(*program));
}

TEST_F(ManifestTest, VariantsWithGuards) {
  ASSERT_TRUE(module);
  FailureOr<Program> program = describeHostFunctions(
      *module,
      [](Operation *, StringRef name) -> FailureOr<SmallVector<KernelVariant>> {
        KernelVariant fast{"aligned", "k_aligned", 128, 2048, {}, true};
        fast.guards.push_back({"alignment", 0, 0, 16});
        fast.guards.push_back({"stride", 1, 0, 16});
        fast.guards.push_back({"packed", 1, 0, 0});
        KernelVariant plain;
        plain.symbol = name.str();
        plain.threads = 128;
        return SmallVector<KernelVariant>{fast, plain};
      });
  ASSERT_TRUE(succeeded(program));
  const Launch &launch = program->entries[0].launches[0];
  ASSERT_EQ(launch.variants.size(), 2u);
  EXPECT_TRUE(launch.variants[1].guards.empty());
  EXPECT_EQ(program->kernels[launch.variants[0].kernel].symbol, "k_aligned");
  // All programs: the product of the extents.
  ASSERT_TRUE(launch.variants[0].resident.has_value());
  const Expressions::Expression &resident =
      program->entries[0].expressions.get()[*launch.variants[0].resident];
  EXPECT_EQ(resident.operation, "mul");
  EXPECT_NE(textOf(*program).find("\"guards\": [[\"alignment\", 0, 16], "
                                  "[\"stride\", 2, 0, 16], [\"packed\", 2]]"),
            std::string::npos)
      << textOf(*program);
}

TEST(ManifestExpressionsTest, ConstantsAndRepeats) {
  Expressions table;
  int64_t dim = table.add("dim", {0, 1});
  EXPECT_EQ(table.add("dim", {0, 1}), dim);
  int64_t c6 = table.add("mul", {table.constant(2), table.constant(3)});
  EXPECT_EQ(table.getConstant(c6), 6);
  EXPECT_EQ(table.getConstant(
                table.add("ceildiv", {table.constant(7), table.constant(2)})),
            4);
  EXPECT_EQ(table.add("mul", {dim, table.constant(1)}), dim);
  EXPECT_EQ(table.add("add", {table.constant(0), dim}), dim);
  EXPECT_NE(table.add("sub", {table.constant(0), dim}), dim);
  // What has no value stays for the runtime to refuse.
  int64_t zero = table.constant(0);
  EXPECT_FALSE(table.getConstant(table.add("rem", {table.constant(5), zero})));
  EXPECT_FALSE(table.getConstant(
      table.add("mul", {table.constant(INT64_MAX), table.constant(2)})));
}
