// Part of Scanweft, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

//===----------------------------------------------------------------------===//
// The tables of stages and products.
//===----------------------------------------------------------------------===//

#include "Stages.h"
#include "Options.h"
#include "Products.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace scanweft;

static constexpr Stage kStages[] = {
    {"input", "the file as it was read and verified", "", false},
    {"chunked", "kernels over chunks", "weft-to-chunked", false},
    {"tile", "one block's program, with layouts, shared memory and barriers",
     "chunked-to-tile{target=$target}", true},
    {"llvm", "kernels in the llvm and nvvm dialects",
     "tile-to-nvvm{precise=$precise}", true},
};

static constexpr Product kProducts[] = {
    {"ptx", "the text that a GPU's driver compiles", /*isText=*/true, makePtx},
    {"cubin", "the code of one GPU; needs ptxas", /*isText=*/false, makeCubin},
    {"manifest", "what the runtime loads; its code lies beside it",
     /*isText=*/true, makeManifest},
};

ArrayRef<Stage> scanweft::getStages() { return kStages; }

ArrayRef<Product> scanweft::getProducts() { return kProducts; }

/// Replaces `name` in `text`, all occurrences.
static void replace(std::string &text, StringRef name, StringRef value) {
  for (size_t at = text.find(name); at != std::string::npos;
       at = text.find(name, at + value.size()))
    text.replace(at, name.size(), value);
}

std::string scanweft::getPipeline(const Stage &stage,
                                  const CompileOptions &options) {
  std::string text = stage.pipeline.str();
  replace(text, "$target", options.target);
  replace(text, "$precise", options.precise ? "true" : "false");
  return text;
}
