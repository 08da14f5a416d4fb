// Part of Scanweft, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

//===----------------------------------------------------------------------===//
// mlir-opt with the project's dialects, passes and pipelines.
//===----------------------------------------------------------------------===//

#include "mlir/IR/DialectRegistry.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"
#include "scanweft/InitAll.h"

int main(int argc, char **argv) {
  mlir::DialectRegistry registry;
  scanweft::registerAllDialects(registry);
  scanweft::registerScanweftPasses();
  scanweft::registerUpstreamPasses();
  return mlir::asMainReturnCode(
      mlir::MlirOptMain(argc, argv, "Scanweft optimizer\n", registry));
}
