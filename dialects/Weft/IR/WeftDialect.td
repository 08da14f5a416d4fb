// Part of Scanweft, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

//===----------------------------------------------------------------------===//
// The dialect and the base class of its ops.
//===----------------------------------------------------------------------===//

#ifndef SCANWEFT_DIALECTS_WEFT_IR_WEFTDIALECT_TD
#define SCANWEFT_DIALECTS_WEFT_IR_WEFTDIALECT_TD

include "mlir/IR/OpBase.td"

def Weft_Dialect : Dialect {
  let name = "weft";
  let cppNamespace = "::scanweft::weft";
  let summary = "Scans, prefix sums and window attention, from algebra to chunks";
  let description = [{
    Two of the compiler's stages live in this dialect. At the *algebra* stage
    an op promises a result over whole tensors [B, T, H, feature]. At the
    *chunked* stage a `weft.kernel` holds one launch, a `weft.chunked` loop
    walks the chunks of one axis, and every carried state is an explicit
    operand and result whose monoid is a carry kind.
  }];
  let useDefaultAttributePrinterParser = 1;
  let useDefaultTypePrinterParser = 1;
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::math::MathDialect",
    "::mlir::tensor::TensorDialect"
  ];
  let hasConstantMaterializer = 1;
}

class Weft_Op<string mnemonic, list<Trait> traits = []>
    : Op<Weft_Dialect, mnemonic, traits>;

#endif // SCANWEFT_DIALECTS_WEFT_IR_WEFTDIALECT_TD
