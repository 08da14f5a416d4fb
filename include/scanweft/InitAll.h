// Part of Scanweft, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

//===----------------------------------------------------------------------===//
// Everything a tool registers: dialects with the external models their
// bufferization and lowering need, passes and pipelines.
//===----------------------------------------------------------------------===//

#ifndef SCANWEFT_INITALL_H
#define SCANWEFT_INITALL_H

namespace mlir {
class DialectRegistry;
} // namespace mlir

namespace scanweft {

/// Registers the project's own dialects.
void registerScanweftDialects(mlir::DialectRegistry &registry);

/// Registers the project's dialects, the upstream ones that its programs and
/// lowerings use, and their external models.
void registerAllDialects(mlir::DialectRegistry &registry);

/// Registers the project's own passes and pipelines.
void registerScanweftPasses();

/// Registers the upstream passes that the pipelines name.
void registerUpstreamPasses();

} // namespace scanweft

#endif // SCANWEFT_INITALL_H
