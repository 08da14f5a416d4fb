// Part of Scanweft, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

//===----------------------------------------------------------------------===//
// Signatures, what is returned, and the workspace.
//===----------------------------------------------------------------------===//

#include "scanweft/Manifest/DescribeHost.h"
#include "HostFunction.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "scanweft/Execution/Signature.h"

using namespace mlir;
using namespace scanweft;
using namespace scanweft::manifest;

/// Temporaries lie at multiples of it.
static constexpr int64_t kAlignment = 256;

/// The manifest's word for an element type, or a diagnostic.
static FailureOr<std::string> nameType(Type type, Location loc) {
  Type element = getElementTypeOrSelf(type);
  std::optional<llvm::StringLiteral> name = getTypeName(element);
  if (!name)
    return emitError(loc) << "a manifest has no type " << element;
  return name->str();
}

LogicalResult HostFunction::describeSignature() {
  FailureOr<Signature> signature = readSignature(function);
  if (failed(signature))
    return failure();
  entry.name = function.getName().str();
  for (auto [value, parameter] :
       llvm::zip_equal(function.getArguments(), signature->arguments)) {
    FailureOr<std::string> type = nameType(value.getType(), parameter.loc);
    if (failed(type))
      return failure();
    Argument argument;
    argument.name = parameter.name;
    argument.type = *type;
    argument.isScalar = !parameter.isTensor;
    argument.sizes = parameter.shape;
    if (parameter.isTensor) {
      argument.dims = parameter.dims;
      memory[value] = entry.arguments.size();
    }
    entry.arguments.push_back(std::move(argument));
  }
  for (auto [type, parameter] :
       llvm::zip_equal(function.getResultTypes(), signature->results)) {
    FailureOr<std::string> name = nameType(type, parameter.loc);
    if (failed(name))
      return failure();
    if (!parameter.isTensor)
      return emitError(parameter.loc)
             << "result '" << parameter.name << "' is a " << type
             << ": results of a compiled function are tensors";
    entry.results.push_back({parameter.name, *name, {}});
  }
  return success();
}

LogicalResult HostFunction::describeReturn(func::ReturnOp op) {
  for (auto [number, value] : llvm::enumerate(op.getOperands())) {
    while (auto cast = value.getDefiningOp<tensor::CastOp>())
      value = cast.getSource();
    auto known = memory.find(value);
    Result &result = entry.results[number];
    if (known == memory.end() || isArgument(known->second))
      return op.emitError() << "result '" << result.name
                            << "' is not what a launch writes: results of a "
                               "compiled function are";
    Buffer &buffer = buffers[known->second - entry.arguments.size()];
    if (buffer.result)
      return op.emitError()
             << "results '" << entry.results[*buffer.result].name << "' and '"
             << result.name << "' are the same memory";
    buffer.result = number;
    result.sizes = buffer.sizes;
  }
  return success();
}

LogicalResult HostFunction::describeLaunches() {
  if (!function.getBody().hasOneBlock())
    return function.emitError("a host function has one block");
  for (Operation &op : function.getBody().front()) {
    if (auto launch = dyn_cast<wtile::LaunchOp>(op)) {
      if (failed(describeLaunch(launch)))
        return failure();
    } else if (auto check = dyn_cast<cf::AssertOp>(op)) {
      FailureOr<int64_t> holds = getExpression(check.getArg());
      if (failed(holds))
        return failure();
      entry.checks.push_back({*holds, check.getMsg().str()});
    } else if (auto cast = dyn_cast<tensor::CastOp>(op)) {
      if (auto known = memory.find(cast.getSource()); known != memory.end())
        memory[cast.getResult()] = known->second;
    } else if (auto ret = dyn_cast<func::ReturnOp>(op)) {
      return describeReturn(ret);
    } else if (!isMemoryEffectFree(&op)) {
      return op.emitError() << "'" << op.getName()
                            << "' in a host function: it computes sizes and "
                               "launches kernels";
    }
  }
  return success();
}

/// Until here buffers were numbered as they came; results stand first.
void HostFunction::placeBuffers() {
  int64_t firstResult = entry.arguments.size();
  int64_t firstTemporary = firstResult + entry.results.size();
  SmallVector<int64_t> numbers;
  int64_t offset = entry.expressions.constant(0);
  auto add = [&](StringRef word, int64_t x, int64_t y) {
    return entry.expressions.add(word, {x, y});
  };
  for (const Buffer &buffer : buffers) {
    if (buffer.result) {
      numbers.push_back(firstResult + *buffer.result);
      continue;
    }
    numbers.push_back(firstTemporary + entry.temporaries.size());
    Type element = buffer.type.getElementType();
    entry.temporaries.push_back(
        {getTypeName(element)->str(), buffer.sizes, offset});
    int64_t bytes = entry.expressions.constant(getTypeBytes(element));
    for (int64_t size : buffer.sizes)
      bytes = add("mul", bytes, size);
    int64_t alignment = entry.expressions.constant(kAlignment);
    int64_t aligned = add("mul", add("ceildiv", bytes, alignment), alignment);
    offset = add("add", offset, aligned);
  }
  if (!entry.temporaries.empty())
    entry.workspaceBytes = offset;
  auto renumber = [&](Term &term) {
    bool ofBuffer = term.word != "scalar" && term.word != "expression" &&
                    term.word != "extent";
    if (ofBuffer && !isArgument(term.numbers[0]))
      term.numbers[0] = numbers[term.numbers[0] - firstResult];
  };
  for (Launch &launch : entry.launches)
    for (Variant &variant : launch.variants) {
      llvm::for_each(variant.parameters, renumber);
      llvm::for_each(variant.guards, renumber);
    }
}

FailureOr<Entry> HostFunction::describe() {
  if (failed(describeSignature()) || failed(describeLaunches()))
    return failure();
  for (const Buffer &buffer : buffers)
    if (failed(nameType(buffer.type, buffer.loc)))
      return failure();
  placeBuffers();
  return std::move(entry);
}

FailureOr<Program>
scanweft::manifest::describeHostFunctions(ModuleOp module,
                                          FindVariants findVariants) {
  Program program;
  for (auto function : module.getOps<func::FuncOp>()) {
    if (!function.isPublic() || function.isExternal())
      continue;
    FailureOr<Entry> entry =
        HostFunction(function, program, findVariants).describe();
    if (failed(entry))
      return failure();
    program.entries.push_back(std::move(*entry));
  }
  if (program.entries.empty())
    return module.emitError("a manifest needs a public function with a body");
  return program;
}
