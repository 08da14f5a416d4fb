// Part of Scanweft, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

//===----------------------------------------------------------------------===//
// One entry of a manifest: what comes in, sizes, launches. Every index is
// checked here, against what stands before it.
//===----------------------------------------------------------------------===//

#include "ManifestReader.h"
#include <algorithm>

using namespace scanweft::runtime;

static constexpr size_t kMaxBuffers = 1024;
static constexpr size_t kMaxExpressions = 1 << 16;
static constexpr size_t kMaxLaunches = 1024;
static constexpr size_t kMaxVariants = 64;
static constexpr size_t kMaxGuards = 1024;
static constexpr size_t kMaxAxes = 16;
/// What a kernel can take on the oldest target.
static constexpr uint32_t kMaxParameterBytes = 4096;

namespace {
struct TypeInfo {
  const char *name;
  uint32_t bytes;
  bool integer;
};
} // namespace

/// By scanweft_type.
static constexpr TypeInfo kTypes[] = {
    {"i1", 1, true},   {"i8", 1, true},        {"i16", 2, true},
    {"i32", 4, true},  {"i64", 8, true},       {"index", 8, true},
    {"f16", 2, false}, {"bf16", 2, false},     {"f32", 4, false},
    {"f64", 8, false}, {"f8E4M3FN", 1, false}, {"f8E5M2", 1, false}};
static constexpr int32_t kNumTypes = sizeof(kTypes) / sizeof(*kTypes);

static bool isType(int32_t type) { return type >= 0 && type < kNumTypes; }

const char *scanweft::runtime::typeName(int32_t type) {
  return isType(type) ? kTypes[type].name : "no type";
}

uint32_t scanweft::runtime::typeBytes(int32_t type) {
  return isType(type) ? kTypes[type].bytes : 0;
}

bool scanweft::runtime::isInteger(int32_t type) {
  return isType(type) && kTypes[type].integer;
}

/// By Opcode, with the number of operands.
static constexpr struct {
  const char *name;
  size_t operands;
} kOpcodes[] = {{"const", 1}, {"dim", 2}, {"value", 1},   {"add", 2},
                {"sub", 2},   {"mul", 2}, {"ceildiv", 2}, {"floordiv", 2},
                {"div", 2},   {"rem", 2}, {"min", 2},     {"max", 2},
                {"eq", 2},    {"ne", 2},  {"lt", 2},      {"le", 2},
                {"select", 3}};

const char *scanweft::runtime::opcodeName(Opcode opcode) {
  return kOpcodes[static_cast<int>(opcode)].name;
}

Argument ManifestReader::readArgument(const Json &value) {
  Argument argument;
  if (!expectMembers(value, "an argument",
                     {"name", "kind", "type", nullptr, "sizes", "dims"}))
    return argument;
  argument.name = name(member(value, "name"), "an argument's name");
  const Json &kind = member(value, "kind");
  std::string kindText = string(kind, "an argument's kind");
  argument.isScalar = kindText == "scalar";
  argument.type = type(member(value, "type"));
  if (ok() && !argument.isScalar && kindText != "tensor")
    failAt(kind, "an argument's kind is '%.64s': 'tensor' or 'scalar'",
           kindText.c_str());
  if (!ok() || argument.isScalar)
    return argument;
  for (const Json &size :
       elements(member(value, "sizes"), "an argument's sizes", 0, kMaxRank))
    argument.sizes[argument.rank++] =
        size.kind == Json::Kind::Null ? kDynamic
                                      : integer(size, "a size", 0, INT64_MAX);
  if (!value.find("dims"))
    return argument;
  const std::vector<Json> &dims =
      elements(member(value, "dims"), "an argument's dims", argument.rank,
               argument.rank);
  for (size_t d = 0; d < dims.size(); ++d)
    argument.dims[d] = string(dims[d], "a dim's name");
  return argument;
}

void ManifestReader::findEqualDims(std::vector<Argument> &arguments) {
  struct Place {
    int32_t argument, dim;
  };
  std::vector<Place> seen;
  auto nameOf = [&](Place place) -> const std::string & {
    return arguments[place.argument].dims[place.dim];
  };
  for (size_t a = 0; a < arguments.size(); ++a)
    for (int32_t d = 0; d < arguments[a].rank; ++d) {
      arguments[a].firstArgument[d] = -1;
      arguments[a].firstDim[d] = -1;
      Place here{static_cast<int32_t>(a), d};
      if (nameOf(here).empty())
        continue;
      auto first = std::find_if(seen.begin(), seen.end(), [&](Place place) {
        return nameOf(place) == nameOf(here);
      });
      if (first == seen.end()) {
        seen.push_back(here);
        continue;
      }
      arguments[a].firstArgument[d] = first->argument;
      arguments[a].firstDim[d] = first->dim;
    }
}

Expression ManifestReader::readExpression(const Json &value, size_t number) {
  Expression expression;
  const std::vector<Json> &parts = elements(value, "an expression", 2, 4);
  if (!ok() ||
      !expect(parts[0], Json::Kind::String, "an expression's operation"))
    return expression;
  size_t opcode = 0, numOpcodes = sizeof(kOpcodes) / sizeof(*kOpcodes);
  while (opcode < numOpcodes && parts[0].string != kOpcodes[opcode].name)
    ++opcode;
  if (opcode == numOpcodes) {
    failAt(parts[0], "there is no operation '%.64s'", parts[0].string.c_str());
    return expression;
  }
  size_t operands = kOpcodes[opcode].operands;
  if (parts.size() != operands + 1) {
    failAt(value, "'%s' has %zu operands: it takes %zu", kOpcodes[opcode].name,
           parts.size() - 1, operands);
    return expression;
  }
  expression.opcode = static_cast<Opcode>(opcode);
  const std::vector<Argument> &arguments = entry->arguments;
  switch (expression.opcode) {
  case Opcode::Const:
    expression.constant = integer(parts[1], "a constant", INT64_MIN, INT64_MAX);
    return expression;
  case Opcode::Dim:
    expression.a = index(parts[1], "argument", arguments.size());
    if (ok())
      expression.b = index(parts[2], "dim", arguments[expression.a].rank);
    return expression;
  case Opcode::Value:
    expression.a = index(parts[1], "argument", arguments.size());
    if (ok() && (!arguments[expression.a].isScalar ||
                 !isInteger(arguments[expression.a].type)))
      failAt(parts[1], "argument %d is no integer scalar", expression.a);
    return expression;
  default:
    // Operands stand before: no expression reads itself.
    int32_t *operand[] = {&expression.a, &expression.b, &expression.c};
    for (size_t i = 0; i < operands; ++i)
      *operand[i] = index(parts[i + 1], "expression", number);
    return expression;
  }
}

int32_t ManifestReader::readSizes(const Json &value, int32_t *sizes) {
  int32_t rank = 0;
  for (const Json &size : elements(value, "sizes", 0, kMaxRank))
    sizes[rank++] = index(size, "expression", entry->expressions.size());
  return rank;
}

void ManifestReader::readWorkspace(const Json &value, Entry &entry) {
  if (!expectMembers(value, "workspace", {"bytes", nullptr, "zeroed"}))
    return;
  entry.workspaceBytes =
      index(member(value, "bytes"), "expression", entry.expressions.size());
  if (value.find("zeroed"))
    entry.workspaceZeroed = boolean(member(value, "zeroed"), "zeroed");
}

int32_t ManifestReader::bufferRank(int32_t buffer) const {
  size_t number = buffer;
  if (number < entry->arguments.size())
    return entry->arguments[number].rank;
  number -= entry->arguments.size();
  if (number < entry->results.size())
    return entry->results[number].rank;
  return entry->temporaries[number - entry->results.size()].rank;
}

bool ManifestReader::bufferIsScalar(int32_t buffer) const {
  size_t number = buffer;
  return number < entry->arguments.size() && entry->arguments[number].isScalar;
}

void ManifestReader::readBufferDim(const Json &buffer, const Json &dim,
                                   int32_t &bufferIndex, int32_t &dimIndex) {
  bufferIndex = index(buffer, "buffer", entry->numBuffers());
  if (ok() && bufferIsScalar(bufferIndex))
    failAt(buffer, "buffer %d is a scalar", bufferIndex);
  if (ok())
    dimIndex = index(dim, "dim", bufferRank(bufferIndex));
}

Parameter ManifestReader::readParameter(const Json &value, size_t numAxes) {
  Parameter parameter;
  const std::vector<Json> &parts = elements(value, "a parameter", 2, 3);
  if (!ok())
    return parameter;
  std::string kind = string(parts[0], "a parameter's kind");
  bool onDim = kind == "size" || kind == "stride";
  if (ok() && parts.size() != (onDim ? 3 : 2)) {
    failAt(value, "parameter '%.64s' has %zu operands: it takes %d",
           kind.c_str(), parts.size() - 1, onDim ? 2 : 1);
    return parameter;
  }
  if (onDim) {
    parameter.kind =
        kind == "size" ? Parameter::Kind::Size : Parameter::Kind::Stride;
    readBufferDim(parts[1], parts[2], parameter.index, parameter.dim);
  } else if (kind == "pointer") {
    parameter.kind = Parameter::Kind::Pointer;
    parameter.index = index(parts[1], "buffer", entry->numBuffers());
    if (ok() && bufferIsScalar(parameter.index))
      failAt(parts[1], "buffer %d is a scalar", parameter.index);
  } else if (kind == "scalar") {
    parameter.kind = Parameter::Kind::Scalar;
    parameter.index = index(parts[1], "argument", entry->arguments.size());
    if (ok() && !bufferIsScalar(parameter.index))
      failAt(parts[1], "argument %d is no scalar", parameter.index);
    if (ok())
      parameter.bytes = typeBytes(entry->arguments[parameter.index].type);
  } else if (kind == "expression") {
    parameter.kind = Parameter::Kind::Expression;
    parameter.index = index(parts[1], "expression", entry->expressions.size());
  } else if (kind == "extent") {
    parameter.kind = Parameter::Kind::Extent;
    parameter.index = index(parts[1], "program axis", numAxes);
  } else {
    failAt(parts[0], "there is no parameter '%.64s'", kind.c_str());
  }
  return parameter;
}

Guard ManifestReader::readGuard(const Json &value) {
  Guard guard;
  const std::vector<Json> &parts = elements(value, "a guard", 2, 4);
  if (!ok())
    return guard;
  std::string kind = string(parts[0], "a guard's kind");
  static constexpr struct {
    const char *name;
    Guard::Kind kind;
    size_t operands;
  } kinds[] = {{"alignment", Guard::Kind::Alignment, 2},
               {"stride", Guard::Kind::Stride, 3},
               {"span", Guard::Kind::Span, 2},
               {"packed", Guard::Kind::Packed, 1},
               {"below", Guard::Kind::Below, 2},
               {"nonzero", Guard::Kind::Nonzero, 1}};
  auto known = std::find_if(std::begin(kinds), std::end(kinds),
                            [&](auto &k) { return kind == k.name; });
  if (known == std::end(kinds)) {
    failAt(parts[0], "there is no guard '%.64s'", kind.c_str());
    return guard;
  }
  if (parts.size() != known->operands + 1) {
    failAt(value, "guard '%s' has %zu operands: it takes %zu", known->name,
           parts.size() - 1, known->operands);
    return guard;
  }
  guard.kind = known->kind;
  if (guard.kind == Guard::Kind::Below || guard.kind == Guard::Kind::Nonzero) {
    guard.index = index(parts[1], "expression", entry->expressions.size());
  } else if (guard.kind == Guard::Kind::Stride) {
    readBufferDim(parts[1], parts[2], guard.index, guard.dim);
  } else {
    guard.index = index(parts[1], "buffer", entry->numBuffers());
    if (ok() && bufferIsScalar(guard.index))
      failAt(parts[1], "buffer %d is a scalar", guard.index);
  }
  // What an address or a stride is a multiple of is never 0.
  if (known->operands > 1)
    guard.value = integer(parts.back(), "a guard's bound", 1, INT64_MAX);
  return guard;
}

Variant ManifestReader::readVariant(const Json &value, bool last) {
  Variant variant;
  if (!expectMembers(value, "a variant",
                     {"name", "kernel", "programs", "parameters", nullptr,
                      "guards", "resident"}))
    return variant;
  variant.name = name(member(value, "name"), "a variant's name");
  variant.kernel =
      index(member(value, "kernel"), "kernel", manifest->kernels.size());
  for (const Json &extent :
       elements(member(value, "programs"), "programs", 0, kMaxAxes))
    variant.programs.push_back(
        index(extent, "expression", entry->expressions.size()));
  for (const Json &part : elements(member(value, "parameters"), "parameters", 0,
                                   kMaxParameterBytes)) {
    Parameter parameter = readParameter(part, variant.programs.size());
    // Every parameter is aligned to its size, as PTX lays them out.
    uint32_t end = variant.parameterBytes;
    parameter.offset =
        (end + parameter.bytes - 1) / parameter.bytes * parameter.bytes;
    variant.parameterBytes = parameter.offset + parameter.bytes;
    if (ok() && variant.parameterBytes > kMaxParameterBytes)
      failAt(part, "the parameters of '%.64s' take more than %u bytes",
             variant.name.c_str(), kMaxParameterBytes);
    variant.parameters.push_back(parameter);
  }
  if (value.find("guards"))
    for (const Json &guard :
         elements(member(value, "guards"), "guards", 0, kMaxGuards))
      variant.guards.push_back(readGuard(guard));
  if (ok() && last && !variant.guards.empty())
    failAt(value,
           "variant '%.64s' has guards: the last one of a launch has none",
           variant.name.c_str());
  if (value.find("resident"))
    variant.resident = index(member(value, "resident"), "expression",
                             entry->expressions.size());
  return variant;
}

Entry ManifestReader::readEntry(const Json &value) {
  Entry result;
  entry = &result;
  if (!expectMembers(value, "an entry",
                     {"name", "arguments", "expressions", "results", "launches",
                      nullptr, "temporaries", "workspace", "checks"}))
    return result;
  result.name = name(member(value, "name"), "an entry's name");
  for (const Json &part :
       elements(member(value, "arguments"), "arguments", 0, kMaxBuffers))
    result.arguments.push_back(readArgument(part));
  findEqualDims(result.arguments);
  for (const Json &part : elements(member(value, "expressions"), "expressions",
                                   0, kMaxExpressions))
    result.expressions.push_back(
        readExpression(part, result.expressions.size()));
  for (const Json &part :
       elements(member(value, "results"), "results", 0, kMaxBuffers)) {
    Result read;
    if (expectMembers(part, "a result", {"name", "type", "sizes"})) {
      read.name = name(member(part, "name"), "a result's name");
      read.type = type(member(part, "type"));
      read.rank = readSizes(member(part, "sizes"), read.sizes);
    }
    result.results.push_back(std::move(read));
  }
  if (value.find("workspace"))
    readWorkspace(member(value, "workspace"), result);
  if (value.find("temporaries"))
    for (const Json &part : elements(member(value, "temporaries"),
                                     "temporaries", 0, kMaxBuffers)) {
      Temporary read;
      if (ok() && result.workspaceBytes < 0)
        failAt(part, "a temporary without a workspace");
      if (expectMembers(part, "a temporary", {"type", "sizes", "offset"})) {
        read.type = type(member(part, "type"));
        read.rank = readSizes(member(part, "sizes"), read.sizes);
        read.offset = index(member(part, "offset"), "expression",
                            result.expressions.size());
      }
      result.temporaries.push_back(read);
    }
  if (value.find("checks"))
    for (const Json &part :
         elements(member(value, "checks"), "checks", 0, kMaxBuffers))
      if (expectMembers(part, "a check", {"holds", "message"}))
        result.checks.push_back(
            {index(member(part, "holds"), "expression",
                   result.expressions.size()),
             name(member(part, "message"), "a check's message")});
  for (const Json &part :
       elements(member(value, "launches"), "launches", 0, kMaxLaunches)) {
    Launch launch;
    if (expectMembers(part, "a launch", {"variants"})) {
      const std::vector<Json> &variants =
          elements(member(part, "variants"), "variants", 1, kMaxVariants);
      for (const Json &variant : variants)
        launch.variants.push_back(
            readVariant(variant, &variant == &variants.back()));
    }
    result.launches.push_back(std::move(launch));
  }
  entry = nullptr;
  return result;
}
