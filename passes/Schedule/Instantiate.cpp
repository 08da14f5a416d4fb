// Part of Scanweft, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

//===----------------------------------------------------------------------===//
// One file, other sizes: the pass reads which sizes are asked for, has types
// and sizes rewritten, and checks what came out.
//===----------------------------------------------------------------------===//

#include "mlir/IR/Verifier.h"
#include "passes/Schedule/InstantiateFloats.h"
#include "passes/Schedule/Passes.h"

namespace scanweft {
#define GEN_PASS_DEF_INSTANTIATE
#include "passes/Schedule/Passes.h.inc"
} // namespace scanweft

using namespace mlir;
using namespace scanweft;

namespace {
struct Instantiate : public scanweft::impl::InstantiateBase<Instantiate> {
  using InstantiateBase::InstantiateBase;

  void runOnOperation() override {
    if (!in.empty() && failed(instantiateFloats(getOperation(), in)))
      return signalPassFailure();
    if (failed(verify(getOperation())))
      signalPassFailure();
  }
};
} // namespace
