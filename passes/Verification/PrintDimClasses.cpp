// Part of Scanweft, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

//===----------------------------------------------------------------------===//
// Shows DimClasses, for tests and for authors who wonder why two sizes are one.
//===----------------------------------------------------------------------===//

#include "mlir/Interfaces/FunctionInterfaces.h"
#include "passes/Verification/Passes.h"
#include "scanweft/Analysis/DimClasses.h"

namespace scanweft {
#define GEN_PASS_DEF_PRINTDIMCLASSES
#include "passes/Verification/Passes.h.inc"
} // namespace scanweft

using namespace mlir;
using namespace scanweft;

/// "#3 64 feature K, V free, 12 dims"
static void printClass(const DimClasses &classes, DimClasses::Class dims,
                       raw_ostream &stream) {
  stream << "  #" << dims << ' ';
  int64_t size = classes.getSize(dims);
  if (ShapedType::isDynamic(size))
    stream << '?';
  else
    stream << size;
  stream << ' ' << stringifyRole(classes.getRole(dims));
  for (auto [i, name] : llvm::enumerate(classes.getNames(dims)))
    stream << (i ? ", " : " ") << name.getValue();
  if (classes.isFree(dims))
    stream << " free";
  if (Operation *op = classes.getFixingOp(dims))
    stream << " fixed by '" << op->getName() << '\'';
  stream << ", " << classes.getMembers(dims).size() << " dims\n";
}

static void printRelation(const DimClasses::Relation &relation,
                          raw_ostream &stream) {
  using Kind = DimClasses::Relation::Kind;
  stream << "  #" << relation.whole << " = ";
  StringRef separator = relation.kind == Kind::Sum       ? " + "
                        : relation.kind == Kind::Product ? " * "
                                                         : " - log2 ";
  llvm::interleave(
      relation.parts, stream,
      [&](DimClasses::Class part) { stream << '#' << part; }, separator);
  stream << (relation.kind == Kind::Slots ? " + constant\n" : "\n");
}

namespace {
struct PrintDimClasses
    : public scanweft::impl::PrintDimClassesBase<PrintDimClasses> {
  void runOnOperation() override {
    getOperation()->walk([](FunctionOpInterface function) {
      DimClasses classes(function);
      llvm::outs() << '@' << function.getName() << '\n';
      for (DimClasses::Class dims : classes.getClasses())
        printClass(classes, dims, llvm::outs());
      for (DimClasses::Relation relation : classes.getRelations()) {
        relation.whole = classes.getClass(relation.whole);
        for (DimClasses::Class &part : relation.parts)
          part = classes.getClass(part);
        printRelation(relation, llvm::outs());
      }
    });
    markAllAnalysesPreserved();
  }
};
} // namespace
