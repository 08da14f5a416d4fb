// Part of Scanweft, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

//===----------------------------------------------------------------------===//
// Binding of sizes, then of arrays. Nothing is allocated before every shape is
// known and their sum is within the memory limit.
//===----------------------------------------------------------------------===//

#include "scanweft/Execution/Arguments.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"

using namespace mlir;
using namespace scanweft;

namespace {

/// Sizes by name, each with the place that gave it.
class SizeTable {
public:
  explicit SizeTable(Location loc) : loc(loc) {}

  LogicalResult bind(StringRef name, int64_t size, const Twine &source) {
    auto [entry, inserted] = entries.insert({name.str(), {size, source.str()}});
    if (inserted || entry->second.first == size)
      return success();
    return emitError(loc) << "size '" << name << "' is " << size << " by "
                          << source << " and " << entry->second.first << " by "
                          << entry->second.second << ": a name has one size";
  }

  std::optional<int64_t> lookup(StringRef name) const {
    auto entry = entries.find(name.str());
    if (entry == entries.end())
      return std::nullopt;
    return entry->second.first;
  }

private:
  Location loc;
  std::map<std::string, std::pair<int64_t, std::string>> entries;
};

/// Binds the inputs of one run.
class Binder {
public:
  Binder(const Signature &written, const Signature &executed,
         const RunInputs &inputs)
      : written(written), executed(executed), inputs(inputs),
        sizes(executed.loc) {}

  FailureOr<SmallVector<Array>> run();

private:
  LogicalResult bindGivenSizes();
  LogicalResult bindTypes();
  LogicalResult bindShapes();
  LogicalResult bindShape(const Parameter &argument, const Array &array);
  FailureOr<SmallVector<int64_t>> resolveShape(const Parameter &argument);
  LogicalResult verifyNames();
  LogicalResult verifyMemory(ArrayRef<SmallVector<int64_t>> shapes);
  FailureOr<Array> makeArray(const Parameter &argument, ElementType writtenType,
                             ArrayRef<int64_t> shape);
  llvm::Expected<Array> fill(const Parameter &argument, ElementType writtenType,
                             ArrayRef<int64_t> shape);
  bool isSizeArgument(const Parameter &argument) const {
    return !argument.isTensor && !isFloat(argument.type);
  }

  const Signature &written, &executed;
  const RunInputs &inputs;
  SizeTable sizes;
};

} // namespace

/// Every name that --size may give, in order of appearance.
static SmallVector<std::string> sizeNames(const Signature &signature) {
  SmallVector<std::string> names;
  llvm::StringSet<> seen;
  auto add = [&](const std::string &name) {
    if (!name.empty() && seen.insert(name).second)
      names.push_back(name);
  };
  for (const Parameter &argument : signature.arguments) {
    if (!argument.isTensor && !isFloat(argument.type))
      add(argument.name);
    for (const std::string &dim : argument.dims)
      add(dim);
  }
  return names;
}

LogicalResult Binder::verifyNames() {
  auto isArgument = [&](StringRef name) {
    return llvm::any_of(executed.arguments, [&](const Parameter &argument) {
      return argument.name == name;
    });
  };
  auto verify = [&](StringRef name) -> LogicalResult {
    if (isArgument(name))
      return success();
    return emitError(executed.loc)
           << "'" << executed.function << "' has no argument '" << name
           << "': it has "
           << llvm::join(llvm::map_range(executed.arguments,
                                         [](const Parameter &argument) {
                                           return "'" + argument.name + "'";
                                         }),
                         ", ");
  };
  for (auto &[name, distribution] : inputs.distributions)
    if (failed(verify(name)))
      return failure();
  for (auto &[name, constant] : inputs.constants)
    if (failed(verify(name)))
      return failure();
  for (auto &entry : inputs.arrays)
    if (failed(verify(entry.first)))
      return failure();
  return success();
}

LogicalResult Binder::bindGivenSizes() {
  SmallVector<std::string> names = sizeNames(executed);
  for (auto &[name, size] : inputs.sizes) {
    if (!llvm::is_contained(names, name)) {
      InFlightDiagnostic diagnostic = emitError(executed.loc)
                                      << "'" << executed.function
                                      << "' has no size '" << name << "'";
      if (names.empty())
        return diagnostic << ": all its sizes are static";
      return diagnostic << ": it has " << llvm::join(names, ", ");
    }
    if (size < 0)
      return emitError(executed.loc) << "size '" << name << "' is " << size
                                     << ": a size is not negative";
    if (failed(sizes.bind(name, size, "--size")))
      return failure();
  }
  return success();
}

LogicalResult Binder::bindTypes() {
  for (const Parameter &argument : executed.arguments)
    for (auto [size, dim] : llvm::zip_equal(argument.shape, argument.dims))
      if (!dim.empty() && !ShapedType::isDynamic(size) &&
          failed(sizes.bind(dim, size, "the type of '" + argument.name + "'")))
        return failure();
  return success();
}

LogicalResult Binder::bindShape(const Parameter &argument, const Array &array) {
  ArrayRef<int64_t> shape = array.getShape();
  const std::string &file = inputs.files.at(argument.name);
  if (shape.size() != argument.shape.size())
    return emitError(argument.loc)
           << "'" << argument.name << "' has " << argument.shape.size()
           << " dims and its array in " << file << " has " << shape.size()
           << ", shape " << shapeToString(shape) << ": they are equal";
  for (auto [number, size] : llvm::enumerate(shape)) {
    int64_t expected = argument.shape[number];
    if (!ShapedType::isDynamic(expected) && size != expected)
      return emitError(argument.loc)
             << "dim " << number << " of '" << argument.name << "' is "
             << expected << " and its array in " << file << " has " << size
             << ", shape " << shapeToString(shape) << ": they are equal";
    const std::string &dim = argument.dims[number];
    if (!dim.empty() &&
        failed(sizes.bind(dim, size, "'" + argument.name + "' in " + file)))
      return failure();
  }
  // A scalar that is also the name of a size.
  if (isSizeArgument(argument) && !isFloat(array.getType()))
    return sizes.bind(argument.name, array.getInteger(0),
                      "'" + argument.name + "' in " + file);
  return success();
}

LogicalResult Binder::bindShapes() {
  for (const Parameter &argument : executed.arguments) {
    auto array = inputs.arrays.find(argument.name);
    if (array != inputs.arrays.end() &&
        failed(bindShape(argument, array->second)))
      return failure();
  }
  return success();
}

FailureOr<SmallVector<int64_t>>
Binder::resolveShape(const Parameter &argument) {
  SmallVector<int64_t> shape;
  for (auto [size, dim] : llvm::zip_equal(argument.shape, argument.dims)) {
    if (!ShapedType::isDynamic(size)) {
      shape.push_back(size);
      continue;
    }
    std::optional<int64_t> bound = sizes.lookup(dim);
    if (!bound)
      return emitError(argument.loc)
             << "size '" << dim << "' of '" << argument.name
             << "' is not known: give --size " << dim
             << "=<n>, or an array that has it";
    shape.push_back(*bound);
  }
  return shape;
}

LogicalResult Binder::verifyMemory(ArrayRef<SmallVector<int64_t>> shapes) {
  uint64_t total = 0;
  for (auto [argument, shape] : llvm::zip_equal(executed.arguments, shapes)) {
    int64_t width = byteSize(argument.type);
    std::optional<int64_t> count = countElements(shape, width);
    uint64_t bytes = count ? static_cast<uint64_t>(*count) * width : 0;
    if (!count || bytes > inputs.memoryLimit ||
        total > inputs.memoryLimit - bytes)
      return emitError(argument.loc)
             << "'" << argument.name << "' of shape " << shapeToString(shape)
             << " and " << elementTypeName(argument.type)
             << " does not fit: all arguments together stay below the memory "
                "limit of "
             << inputs.memoryLimit << " bytes";
    total += bytes;
  }
  return success();
}

/// A generated argument, in the element type that the file wrote.
llvm::Expected<Array> Binder::fill(const Parameter &argument,
                                   ElementType writtenType,
                                   ArrayRef<int64_t> shape) {
  auto constant = inputs.constants.find(argument.name);
  if (constant != inputs.constants.end()) {
    llvm::Expected<Array> values = Array::create(ElementType::F64, shape);
    if (!values)
      return values;
    for (int64_t i = 0, e = values->getNumElements(); i < e; ++i)
      values->setDouble(i, constant->second);
    return convert(*values, writtenType);
  }
  auto given = inputs.distributions.find(argument.name);
  std::optional<Distribution> distribution = given == inputs.distributions.end()
                                                 ? argument.distribution
                                                 : std::optional(given->second);
  if (distribution)
    return generate(*distribution, writtenType, shape, inputs.seed,
                    argument.name);
  if (isSizeArgument(argument))
    if (std::optional<int64_t> size = sizes.lookup(argument.name)) {
      llvm::Expected<Array> value = Array::create(ElementType::I64, shape);
      if (!value)
        return value;
      value->setInteger(0, *size);
      return convert(*value, writtenType);
    }
  return llvm::createStringError(
      "it has no value: give an array, --input, or weft.input in the file" +
      llvm::Twine(isSizeArgument(argument) ? ", or --size" : ""));
}

FailureOr<Array> Binder::makeArray(const Parameter &argument,
                                   ElementType writtenType,
                                   ArrayRef<int64_t> shape) {
  auto given = inputs.arrays.find(argument.name);
  const bool fromFile = given != inputs.arrays.end();
  llvm::Expected<Array> array =
      fromFile ? given->second.clone() : fill(argument, writtenType, shape);
  if (array)
    array = convert(*array, argument.type);
  if (array)
    return std::move(*array);
  InFlightDiagnostic diagnostic = emitError(argument.loc)
                                  << "'" << argument.name << "'";
  if (fromFile)
    diagnostic << " in " << inputs.files.at(argument.name);
  return diagnostic << ": " << llvm::toString(array.takeError());
}

FailureOr<SmallVector<Array>> Binder::run() {
  if (written.arguments.size() != executed.arguments.size())
    return emitError(executed.loc)
           << "the passes changed the number of arguments from "
           << written.arguments.size() << " to " << executed.arguments.size()
           << ": the runner binds arguments by the file's signature";
  if (failed(verifyNames()) || failed(bindGivenSizes()) ||
      failed(bindTypes()) || failed(bindShapes()))
    return failure();
  SmallVector<SmallVector<int64_t>> shapes;
  for (const Parameter &argument : executed.arguments) {
    FailureOr<SmallVector<int64_t>> shape = resolveShape(argument);
    if (failed(shape))
      return failure();
    shapes.push_back(std::move(*shape));
  }
  if (failed(verifyMemory(shapes)))
    return failure();
  SmallVector<Array> arrays;
  for (auto [argument, original, shape] :
       llvm::zip_equal(executed.arguments, written.arguments, shapes)) {
    FailureOr<Array> array = makeArray(argument, original.type, shape);
    if (failed(array))
      return failure();
    arrays.push_back(std::move(*array));
  }
  return arrays;
}

FailureOr<SmallVector<Array>> scanweft::bindArguments(const Signature &written,
                                                      const Signature &executed,
                                                      const RunInputs &inputs) {
  return Binder(written, executed, inputs).run();
}
