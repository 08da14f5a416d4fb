// Part of Scanweft, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

//===----------------------------------------------------------------------===//
// Rules that verifiers cite: `emitOpError("...") << rule::K1` ends a message
// with ": <the rule in words> [K1]".
//===----------------------------------------------------------------------===//

#ifndef SCANWEFT_DIALECTS_WEFT_IR_WEFTRULES_H
#define SCANWEFT_DIALECTS_WEFT_IR_WEFTRULES_H

#include "mlir/IR/Diagnostics.h"
#include "llvm/ADT/StringRef.h"

namespace scanweft::weft {

/// A rule's label and its words.
struct Rule {
  llvm::StringLiteral label;
  llvm::StringLiteral text;
};

namespace rule {
#define WEFT_RULE(label, text)                                                 \
  inline constexpr Rule label{llvm::StringLiteral(#label),                     \
                              llvm::StringLiteral(text)};
#include "dialects/Weft/IR/WeftRules.def"
} // namespace rule

inline mlir::Diagnostic &operator<<(mlir::Diagnostic &diagnostic,
                                    const Rule &rule) {
  return diagnostic << ": " << rule.text << " [" << rule.label << ']';
}

inline mlir::InFlightDiagnostic &&
operator<<(mlir::InFlightDiagnostic &&diagnostic, const Rule &rule) {
  return std::move(diagnostic)
         << ": " << rule.text << " [" << rule.label << ']';
}

inline mlir::InFlightDiagnostic &
operator<<(mlir::InFlightDiagnostic &diagnostic, const Rule &rule) {
  return diagnostic << ": " << rule.text << " [" << rule.label << ']';
}

} // namespace scanweft::weft

#endif // SCANWEFT_DIALECTS_WEFT_IR_WEFTRULES_H
