// Part of Scanweft, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

//===----------------------------------------------------------------------===//
// Everything a tool registers, in one place.
//===----------------------------------------------------------------------===//

#ifndef SCANWEFT_INITALL_H
#define SCANWEFT_INITALL_H

namespace mlir {
class DialectRegistry;
} // namespace mlir

namespace scanweft {

/// The weft dialect and the upstream ones that the stages use.
void registerAllDialects(mlir::DialectRegistry &registry);

/// The project's passes and pipelines.
void registerScanweftPasses();

/// The upstream passes that the pipelines name.
void registerUpstreamPasses();

} // namespace scanweft

#endif // SCANWEFT_INITALL_H
