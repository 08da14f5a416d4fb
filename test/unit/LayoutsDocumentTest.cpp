// Part of Scanweft, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

//===----------------------------------------------------------------------===//
// The example of docs/Layouts.md, and that the page shows what is tested here.
//===----------------------------------------------------------------------===//

#include "scanweft/Layout/Layouts.h"
#include "scanweft/Layout/Relayout.h"
#include "scanweft/Layout/SharedLayout.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/MemoryBuffer.h"
#include <gtest/gtest.h>

using namespace llvm;
using namespace scanweft;

TEST(LayoutsDocument, Example) {
  // example begins
  // S = Q K^T is 64 x 64, by four warps of 16 rows each.
  WarpGrid grid = splitWarps(/*numWarps=*/4, /*rows=*/64, /*columns=*/64);
  LinearLayout scores = makeAccumulatorLayout({64, 64}, grid);
  EXPECT_EQ(scores.getNumRegisters(), 32u);
  EXPECT_EQ(scores.at(/*reg=*/3, /*lane=*/5, /*warp=*/2),
            Coordinates({9 + 32, 3}));

  // The maximum of a row is left where the row was: two rows a thread. The
  // four lanes of a row hold copies, of which lane 0 stores.
  LinearLayout maxima = scores.dropDim(1);
  EXPECT_EQ(maxima.getNumRegisters(), 2u);
  EXPECT_EQ(maxima.getReplicationMask(LayoutInput::Lane), 0b00011u);

  // Register 6 of S, row 8 more than the thread's first, takes maximum 1.
  Coordinates place = scores.at(6);
  EXPECT_EQ(place, Coordinates({8, 8}));
  EXPECT_EQ(maxima.findRegister({place[0]}), 1u);

  // P = exp(S - max) is the first operand of P V as it stands.
  LinearLayout operand = makeOperandALayout({64, 64}, /*contracted=*/1, grid);
  EXPECT_EQ(planRelayout(scores, operand).kind, RelayoutKind::Identity);

  // V goes through shared memory in 16 bits. Plain rows of 128 bytes cost a
  // warp 512 passes, the swizzle of eight rows the least there is, 64.
  LinearLayout values =
      makeOperandBLayout({64, 64}, /*contracted=*/0, grid, /*step=*/16);
  SmallVector<unsigned> costs;
  for (const SharedLayout &shared : getSharedCandidates({64, 64}, /*width=*/2))
    costs.push_back(getUseCost(values, shared));
  EXPECT_EQ(costs.front(), 512u);
  EXPECT_EQ(*llvm::min_element(costs), 64u);
  // example ends
}

/// The lines between two markers, without the indentation of a test.
static std::string getExample(StringRef source) {
  StringRef block = source.split("  // example begins\n")
                        .second.split("  // example ends\n")
                        .first;
  std::string text;
  while (!block.empty()) {
    auto [line, rest] = block.split('\n');
    line.consume_front("  ");
    text += (line + "\n").str();
    block = rest;
  }
  return text;
}

static std::string readFile(StringRef path) {
  auto buffer = MemoryBuffer::getFile(SCANWEFT_SOURCE_DIR "/" + path);
  return buffer ? (*buffer)->getBuffer().str() : "";
}

TEST(LayoutsDocument, PageShowsTheExample) {
  std::string example =
      getExample(readFile("test/unit/LayoutsDocumentTest.cpp"));
  ASSERT_NE(example.find("planRelayout"), std::string::npos);
  EXPECT_NE(readFile("docs/Layouts.md").find("```cpp\n" + example + "```\n"),
            std::string::npos)
      << example;
}
