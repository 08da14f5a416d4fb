// Part of Scanweft, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

//===----------------------------------------------------------------------===//
// What the registers of matrix instructions hold: one layout per instruction
// and operand, as the PTX ISA manual gives them.
//
//   mma.a.TYPE   mma.b.TYPE   mma.c         mma.sync m16n8, 32 bytes of k
//   wgmma.a.TYPE wgmma.d.nN                 wgmma.mma_async m64nN, N = 8 ...
//   256 ldmatrix.xC  ldmatrix.xC.trans          also stmatrix; C = 1, 2, 4
//   movmatrix.trans
//
// TYPE is bf16, f16, tf32 or e4m3. A "register" of the layout is one element,
// in the order of the instruction's 32-bit registers, low bits first.
//===----------------------------------------------------------------------===//

#ifndef SCANWEFT_LAYOUT_FRAGMENTS_H
#define SCANWEFT_LAYOUT_FRAGMENTS_H

#include "scanweft/Layout/LinearLayout.h"
#include "llvm/ADT/StringRef.h"

namespace scanweft {

struct Fragment {
  std::string name;
  /// Names of the layout's dims, such as m and k.
  llvm::SmallVector<llvm::StringRef, 3> dims;
  /// Bits of an element.
  unsigned width = 32;
  /// Which element of the operand (ldmatrix: of which matrix; movmatrix: of
  /// the source) a thread holds.
  LinearLayout layout;
  /// The section of the PTX ISA manual.
  llvm::StringRef source;

  /// 32-bit registers that a thread passes to the instruction.
  unsigned getNumRegisters() const {
    return layout.getNumRegisters() * width / 32;
  }
};

/// All of them, always in the same order.
llvm::ArrayRef<Fragment> getFragments();

/// Null where there is none of this name.
const Fragment *findFragment(llvm::StringRef name);

} // namespace scanweft

#endif // SCANWEFT_LAYOUT_FRAGMENTS_H
