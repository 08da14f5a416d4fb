// Part of Scanweft, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

//===----------------------------------------------------------------------===//
// Registration of passes and pipelines. Upstream conversions are registered
// one by one: their common header costs more than all the rest.
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/Arith/Transforms/Passes.h"
#include "mlir/Conversion/AffineToStandard/AffineToStandard.h"
#include "mlir/Conversion/ArithToLLVM/ArithToLLVM.h"
#include "mlir/Conversion/BufferizationToMemRef/BufferizationToMemRef.h"
#include "mlir/Conversion/ControlFlowToLLVM/ControlFlowToLLVM.h"
#include "mlir/Conversion/ConvertToLLVM/ToLLVMPass.h"
#include "mlir/Conversion/FuncToLLVM/ConvertFuncToLLVMPass.h"
#include "mlir/Conversion/IndexToLLVM/IndexToLLVM.h"
#include "mlir/Conversion/MathToFuncs/MathToFuncs.h"
#include "mlir/Conversion/MathToLLVM/MathToLLVM.h"
#include "mlir/Conversion/MathToLibm/MathToLibm.h"
#include "mlir/Conversion/MemRefToLLVM/MemRefToLLVM.h"
#include "mlir/Conversion/ReconcileUnrealizedCasts/ReconcileUnrealizedCasts.h"
#include "mlir/Conversion/SCFToControlFlow/SCFToControlFlow.h"
#include "mlir/Conversion/TensorToLinalg/TensorToLinalgPass.h"
#include "mlir/Conversion/UBToLLVM/UBToLLVM.h"
#include "mlir/Dialect/Bufferization/Pipelines/Passes.h"
#include "mlir/Dialect/Bufferization/Transforms/Passes.h"
#include "mlir/Dialect/Func/Transforms/Passes.h"
#include "mlir/Dialect/Linalg/Passes.h"
#include "mlir/Dialect/Math/Transforms/Passes.h"
#include "mlir/Dialect/MemRef/Transforms/Passes.h"
#include "mlir/Dialect/SCF/Transforms/Passes.h"
#include "mlir/Dialect/Tensor/Transforms/Passes.h"
#include "mlir/Transforms/Passes.h"
#include "passes/CPU/Passes.h"
#include "passes/Chunking/Passes.h"
#include "passes/NVVM/Passes.h"
#include "passes/Schedule/Passes.h"
#include "passes/Threads/Passes.h"
#include "passes/Tile/Passes.h"
#include "passes/Verification/Passes.h"
#include "scanweft/InitAll.h"

using namespace mlir;

static void registerConversionPasses() {
  using Create = std::unique_ptr<Pass> (*)();
  static constexpr Create creators[] = {
      [] { return createLowerAffinePass(); },
      [] { return createArithToLLVMConversionPass(); },
      [] { return createConvertBufferizationToMemRefPass(); },
      [] { return createConvertControlFlowToLLVMPass(); },
      [] { return createConvertToLLVMPass(); },
      [] { return createConvertFuncToLLVMPass(); },
      [] { return createConvertIndexToLLVMPass(); },
      [] { return createConvertMathToFuncs(); },
      [] { return createConvertMathToLLVMPass(); },
      [] { return createConvertMathToLibmPass(); },
      [] { return createFinalizeMemRefToLLVMConversionPass(); },
      [] { return createReconcileUnrealizedCastsPass(); },
      [] { return createSCFToControlFlowPass(); },
      [] { return createConvertTensorToLinalgPass(); },
      [] { return createUBToLLVMConversionPass(); },
  };
  for (Create create : creators)
    registerPass(create);
}

void scanweft::registerScanweftPasses() {
  registerVerificationPasses();
  registerChunkingPasses();
  registerSchedulePasses();
  registerCPUPasses();
  registerTilePasses();
  registerThreadsPasses();
  registerNVVMPasses();
  registerVerificationPipelines();
  registerChunkingPipelines();
  registerSchedulePipelines();
  registerCPUPipelines();
  registerTilePipelines();
  registerThreadsPipelines();
  registerNVVMPipelines();
}

void scanweft::registerUpstreamPasses() {
  registerTransformsPasses();
  arith::registerArithPasses();
  bufferization::registerBufferizationPasses();
  bufferization::registerBufferizationPipelines();
  func::registerFuncPasses();
  registerLinalgPasses();
  math::registerMathPasses();
  memref::registerMemRefPasses();
  registerSCFPasses();
  tensor::registerTensorPasses();
  registerConversionPasses();
}
