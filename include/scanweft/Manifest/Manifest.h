// Part of Scanweft, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

//===----------------------------------------------------------------------===//
// A manifest as the compiler makes it: docs/Manifest.md as structs, and its
// text. The runtime reads that text with structs of its own.
//
// describeHostFunctions (DescribeHost.h) fills one from a module; a builder of
// variants may fill one by hand.
//===----------------------------------------------------------------------===//

#ifndef SCANWEFT_MANIFEST_MANIFEST_H
#define SCANWEFT_MANIFEST_MANIFEST_H

#include "mlir/Support/LLVM.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/raw_ostream.h"
#include <optional>
#include <string>
#include <vector>

namespace scanweft::manifest {

/// What the manifest calls an element type; none for a type it does not know.
std::optional<llvm::StringLiteral> getTypeName(mlir::Type type);
/// Bytes of an element in memory.
int64_t getTypeBytes(mlir::Type type);

/// Integer arithmetic on sizes; each expression stands in the table once, and
/// arithmetic on constants is done as it is added.
class Expressions {
public:
  /// `operation` as the manifest spells it. Operands are numbers of expressions
  /// in the table, those of `dim` and `value` numbers of arguments and dims.
  int64_t add(llvm::StringRef operation, llvm::ArrayRef<int64_t> operands);
  int64_t constant(int64_t value);
  /// The value of a constant.
  std::optional<int64_t> getConstant(int64_t expression) const;

  struct Expression {
    std::string operation;
    llvm::SmallVector<int64_t, 3> operands;
  };
  llvm::ArrayRef<Expression> get() const { return expressions; }

private:
  int64_t append(llvm::StringRef operation, llvm::ArrayRef<int64_t> operands);
  std::optional<int64_t> simplify(llvm::StringRef operation,
                                  llvm::ArrayRef<int64_t> operands);

  llvm::SmallVector<Expression> expressions;
};

struct Argument {
  std::string name;
  std::string type;
  bool isScalar = false;
  llvm::SmallVector<int64_t> sizes;    ///< ShapedType::kDynamic or static
  llvm::SmallVector<std::string> dims; ///< one a dim, or none at all
};

struct Result {
  std::string name;
  std::string type;
  llvm::SmallVector<int64_t> sizes; ///< expressions
};

struct Temporary {
  std::string type;
  llvm::SmallVector<int64_t> sizes; ///< expressions
  int64_t offset = 0;               ///< expression, in bytes
};

/// A parameter or a guard: a word and numbers, as the manifest spells them.
struct Term {
  std::string word;
  llvm::SmallVector<int64_t, 3> numbers;
};

struct Variant {
  std::string name = "plain";
  int64_t kernel = 0;
  llvm::SmallVector<int64_t> programs; ///< expressions
  llvm::SmallVector<Term> parameters;
  llvm::SmallVector<Term> guards;
  /// Programs that wait for each other, an expression.
  std::optional<int64_t> resident;
};

struct Launch {
  std::vector<Variant> variants;
};

struct Check {
  int64_t holds = 0; ///< expression
  std::string message;
};

struct Entry {
  std::string name;
  std::vector<Argument> arguments;
  Expressions expressions;
  std::vector<Result> results;
  std::vector<Temporary> temporaries;
  std::optional<int64_t> workspaceBytes; ///< expression
  bool workspaceZeroed = false;
  std::vector<Check> checks;
  std::vector<Launch> launches;
};

/// What the assembler said of a kernel.
struct Report {
  int64_t registers = 0;
  int64_t spillStoreBytes = 0;
  int64_t spillLoadBytes = 0;
  int64_t stackBytes = 0;
  int64_t staticSharedBytes = 0;
  int64_t barriers = 0;
  int64_t codeBytes = 0;
};

struct Kernel {
  std::string symbol;
  int64_t threads = 0;
  int64_t dynamicSharedBytes = 0;
  std::optional<Report> report;
};

struct Program {
  std::vector<Kernel> kernels;
  std::vector<Entry> entries;
};

struct Code {
  bool isPtx = false;
  llvm::StringRef bytes;
  /// The code's file beside the manifest; empty where there is none.
  std::string file;
};

/// Writes the text, digests included: the same program gives the same bytes.
void write(llvm::raw_ostream &os, const Program &program,
           llvm::StringRef target, const Code &code);

} // namespace scanweft::manifest

#endif // SCANWEFT_MANIFEST_MANIFEST_H
