// Part of Scanweft, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

//===----------------------------------------------------------------------===//
// A manifest in memory, docs/Manifest.md as structs. Once readManifest has
// returned one, every index in it is in range, every operand of an expression
// stands before it, and every size that is fixed fits: nothing else checks
// them.
//===----------------------------------------------------------------------===//

#ifndef SCANWEFT_LIB_RUNTIME_MANIFEST_H
#define SCANWEFT_LIB_RUNTIME_MANIFEST_H

#include "Status.h"
#include <string>
#include <string_view>
#include <vector>

namespace scanweft::runtime {

inline constexpr int kMaxRank = SCANWEFT_MAX_RANK;
inline constexpr int64_t kDynamic = -1;

const char *typeName(int32_t type);
/// 0 where there is no such type.
uint32_t typeBytes(int32_t type);
bool isInteger(int32_t type);

/// Integer arithmetic on sizes, each on the values of earlier expressions.
enum class Opcode : uint8_t {
  Const,
  Dim,   ///< a: argument, b: its dim
  Value, ///< a: an integer scalar argument
  Add,
  Sub,
  Mul,
  CeilDiv,
  FloorDiv,
  Div, ///< towards zero
  Rem, ///< of Div
  Min,
  Max,
  Equal,
  NotEqual,
  Less,
  LessEqual,
  Select, ///< a: condition, b: where it is not 0, c: where it is 0
};

const char *opcodeName(Opcode opcode);

struct Expression {
  Opcode opcode = Opcode::Const;
  int32_t a = 0, b = 0, c = 0;
  int64_t constant = 0;
};

struct Argument {
  std::string name;
  int32_t type = 0;
  bool isScalar = false;
  int32_t rank = 0;
  int64_t sizes[kMaxRank];    ///< kDynamic where known at launch
  std::string dims[kMaxRank]; ///< names of sizes; empty where there is none
  /// The first dim with the same name: argument and dim, or -1 where this is
  /// the first.
  int32_t firstArgument[kMaxRank], firstDim[kMaxRank];
};

struct Result {
  std::string name;
  int32_t type = 0;
  int32_t rank = 0;
  int32_t sizes[kMaxRank]; ///< expressions
};

struct Temporary {
  int32_t type = 0;
  int32_t rank = 0;
  int32_t sizes[kMaxRank]; ///< expressions
  int32_t offset = 0;      ///< expression: bytes from the workspace's start
};

/// One parameter of a kernel. Buffers are arguments, then results, then
/// temporaries, numbered through.
struct Parameter {
  enum class Kind : uint8_t {
    Pointer,    ///< of a buffer
    Size,       ///< of a buffer's dim, 64 bits
    Stride,     ///< of a buffer's dim, in elements, 64 bits
    Scalar,     ///< an argument as it is
    Expression, ///< 64 bits
    Extent,     ///< of a program axis, 64 bits
  };
  Kind kind = Kind::Pointer;
  int32_t index = 0; ///< buffer, argument, expression or axis
  int32_t dim = 0;
  uint32_t bytes = 8;
  uint32_t offset = 0; ///< in the parameter block
};

/// What must hold for a variant to be launched.
struct Guard {
  enum class Kind : uint8_t {
    Alignment, ///< the buffer's address is a multiple of `value` bytes
    Stride,    ///< the dim's stride is a multiple of `value` bytes
    Span,      ///< the buffer's last byte lies below `value` from its first
    Packed,    ///< the buffer is contiguous
    Below,     ///< an expression is less than `value`
    Nonzero,   ///< an expression is not 0
  };
  Kind kind = Kind::Alignment;
  int32_t index = 0; ///< buffer or expression
  int32_t dim = 0;
  int64_t value = 0;
};

struct Variant {
  std::string name;
  int32_t kernel = 0;
  std::vector<int32_t> programs; ///< expressions, one a program axis
  std::vector<Parameter> parameters;
  uint32_t parameterBytes = 0;
  std::vector<Guard> guards;
  int32_t resident = -1; ///< expression: programs that wait for each other
};

struct Launch {
  std::vector<Variant> variants;
};

/// What the arguments must satisfy beyond types and sizes.
struct Check {
  int32_t holds = 0; ///< expression
  std::string message;
};

struct Entry {
  std::string name;
  std::vector<Argument> arguments;
  std::vector<Expression> expressions;
  std::vector<Result> results;
  std::vector<Temporary> temporaries;
  int32_t workspaceBytes = -1; ///< expression, or -1: none
  bool workspaceZeroed = false;
  std::vector<Check> checks;
  std::vector<Launch> launches;

  size_t numBuffers() const {
    return arguments.size() + results.size() + temporaries.size();
  }
};

struct Kernel {
  std::string symbol;
  int32_t threads = 0;
  int32_t dynamicShared = 0;
  int64_t registers = -1, spillBytes = -1, codeBytes = -1;
};

struct Manifest {
  std::string target;
  bool isPtx = false;
  std::string codeFile; ///< beside the manifest; empty where it has no file
  int64_t codeBytes = 0;
  std::string codeDigest;
  std::vector<Kernel> kernels;
  std::vector<Entry> entries;
};

/// `origin` names the text in failures.
Status readManifest(const char *origin, std::string_view text,
                    Manifest &manifest);

} // namespace scanweft::runtime

#endif // SCANWEFT_LIB_RUNTIME_MANIFEST_H
