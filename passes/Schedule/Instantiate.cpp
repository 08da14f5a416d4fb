// Part of Scanweft, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

//===----------------------------------------------------------------------===//
// One file, other sizes: the pass reads which sizes are asked for, has types
// and sizes rewritten, and checks what came out.
//===----------------------------------------------------------------------===//

#include "mlir/IR/Verifier.h"
#include "passes/Schedule/InstantiateFloats.h"
#include "passes/Schedule/InstantiateSizes.h"
#include "passes/Schedule/Passes.h"
#include "scanweft/Analysis/RepeatedValues.h"

namespace scanweft {
#define GEN_PASS_DEF_INSTANTIATE
#include "passes/Schedule/Passes.h.inc"
} // namespace scanweft

using namespace mlir;
using namespace scanweft;

/// Options by a fixed name; any other `name=value` asks for a dim's size.
static bool isFixedOption(StringRef name) {
  return name == "in" || name == "rows" || name == "dims";
}

namespace {
struct Instantiate : public scanweft::impl::InstantiateBase<Instantiate> {
  using InstantiateBase::InstantiateBase;

  /// Gathers sizes of named dims, which no option declares, under `dims`.
  LogicalResult initializeOptions(
      StringRef options,
      function_ref<LogicalResult(const Twine &)> errorHandler) override {
    std::string declared, named;
    SmallVector<StringRef> tokens;
    options.split(tokens, ' ', /*MaxSplit=*/-1, /*KeepEmpty=*/false);
    for (StringRef token : tokens) {
      bool isFixed = isFixedOption(token.split('=').first);
      std::string &list = isFixed ? declared : named;
      list += (list.empty() ? "" : isFixed ? " " : ",") + token.str();
    }
    if (!named.empty())
      declared += (declared.empty() ? "dims=" : " dims=") + named;
    return InstantiateBase::initializeOptions(declared, errorHandler);
  }

  void runOnOperation() override {
    Operation *root = getOperation();
    separateRepeatedValues(root);
    if (failed(instantiateDims(root)) ||
        (!in.empty() && failed(instantiateFloats(root, in))) ||
        failed(verify(root)))
      signalPassFailure();
  }

private:
  LogicalResult instantiateDims(Operation *root) {
    SizeRequests requests;
    if (rows != 0)
      requests.rows = rows;
    for (const std::string &dim : dims) {
      auto [name, text] = StringRef(dim).split('=');
      int64_t size = 0;
      if (text.getAsInteger(10, size))
        return emitError(root->getLoc(), "weft-instantiate: '")
               << dim << "' gives no size: a dim is given as name=size";
      requests.dims.push_back({name.str(), size});
    }
    return requests.empty() ? success() : instantiateSizes(root, requests);
  }
};
} // namespace
