// Part of Scanweft, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

//===----------------------------------------------------------------------===//
// The dialect, its attributes and types.
//===----------------------------------------------------------------------===//

#ifndef SCANWEFT_DIALECTS_WTILE_IR_WTILEDIALECT_TD
#define SCANWEFT_DIALECTS_WTILE_IR_WTILEDIALECT_TD

include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/OpBase.td"
include "mlir/IR/TensorEncoding.td"

def WTile_Dialect : Dialect {
  let name = "wtile";
  let cppNamespace = "::scanweft::wtile";
  let summary = "One block's program over tiles: loads, products, stores, layouts, barriers";
  let description = [{
    The compiler's third stage. A `wtile.kernel` is what one block of threads does:
    global memory is a memref, a tile is a tensor of static shape, and elementwise
    work on tiles stays in arith and math. Without layouts the stage is an ordinary
    program that runs on a CPU. A layout (an encoding of the tensor's type) says which
    register of which thread holds which element; then the tiles that others need
    stand in shared buffers, and barriers part their writers from their readers.
  }];
  let useDefaultAttributePrinterParser = 1;
  let useDefaultTypePrinterParser = 1;
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::math::MathDialect", "::mlir::memref::MemRefDialect",
    "::mlir::scf::SCFDialect", "::mlir::tensor::TensorDialect"
  ];
}

class WTile_Op<string mnemonic, list<Trait> traits = []>
    : Op<WTile_Dialect, mnemonic, traits>;

//===----------------------------------------------------------------------===//
// Layouts
//===----------------------------------------------------------------------===//

def WTile_LinearLayout : AttrOrTypeParameter<"::scanweft::LinearLayout", "the map"> {
  let cppAccessorType = "const ::scanweft::LinearLayout &";
}

def WTile_LayoutAttr : AttrDef<WTile_Dialect, "Layout", [DeclareAttrInterfaceMethods<VerifiableTensorEncoding>]> {
  let mnemonic = "layout";
  let summary = "which register of which thread holds which element of a tile";
  let description = [{
    The encoding of a register tile: a linear map over bits. Each bit of register,
    lane and warp has a basis, the coordinates that it adds by XOR. `registers` is
    given where a thread holds fewer than 2^(register bits) elements.

    ```mlir
    #rows = #wtile.layout<[4, 64] register [[0, 32], [1, 0], [2, 0]] lane [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16]] warp []>
    func.func @add(%x: tensor<4x64xf32, #rows>) -> tensor<4x64xf32, #rows> {
      %y = arith.addf %x, %x : tensor<4x64xf32, #rows>
      return %y : tensor<4x64xf32, #rows>
    }
    ```
  }];
  let parameters = (ins WTile_LinearLayout:$map);
  let hasCustomAssemblyFormat = 1;
}

def WTile_SwizzleAttr : AttrDef<WTile_Dialect, "Swizzle"> {
  let mnemonic = "swizzle";
  let summary = "how the elements of a shared buffer are laid out";
  let description = [{
    Lines along dim `contiguous`; the units of 16 bytes of line i are XORed with
    `((i >> shift) & mask) << left`, so that the lines that one access touches fall
    into different banks.

    ```mlir
    func.func @buffer() {
      %b = wtile.alloc {swizzle = #wtile.swizzle<contiguous = 1, shift = 0, left = 0, mask = 7>} : !wtile.shared<64x64xbf16>
      return
    }
    ```
  }];
  let parameters = (ins "unsigned":$contiguous, "unsigned":$shift, "unsigned":$left, "unsigned":$mask);
  let assemblyFormat = "`<` struct(params) `>`";
}

//===----------------------------------------------------------------------===//
// Shared buffers
//===----------------------------------------------------------------------===//

def WTile_SharedType : TypeDef<WTile_Dialect, "Shared"> {
  let mnemonic = "shared";
  let summary = "a buffer, or part of one, in the block's shared memory";
  let description = [{
    Where it lies and how its elements are laid out is a matter of its `wtile.alloc`.

    ```mlir
    func.func @read(%b: !wtile.shared<64x64xbf16>) -> tensor<64x64xbf16> {
      %t = wtile.load_shared %b : !wtile.shared<64x64xbf16> -> tensor<64x64xbf16>
      return %t : tensor<64x64xbf16>
    }
    ```
  }];
  let parameters = (ins ArrayRefParameter<"int64_t">:$shape, "::mlir::Type":$elementType);
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    unsigned getRank() const { return getShape().size(); }
    int64_t getNumElements() const;
    /// Bytes of an element.
    unsigned getElementBytes() const;
    int64_t getNumBytes() const { return getNumElements() * getElementBytes(); }
  }];
}

#endif // SCANWEFT_DIALECTS_WTILE_IR_WTILEDIALECT_TD
