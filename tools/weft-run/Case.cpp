// Part of Scanweft, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

//===----------------------------------------------------------------------===//
// Inputs, execution, outputs and comparison of one run.
//===----------------------------------------------------------------------===//

#include "Case.h"
#include "scanweft/Execution/Npy.h"
#include "scanweft/Execution/Print.h"
#include "scanweft/Support/AtomicFile.h"
#include "llvm/Support/Format.h"
#include <cstring>

using namespace mlir;
using namespace scanweft;

/// An error about a file that is not the program.
static LogicalResult emitFileError(StringRef path, llvm::Error error) {
  llvm::errs() << path << ": error: " << llvm::toString(std::move(error))
               << "\n";
  return failure();
}

/// True for the name of an argument or a result. One file may hold both.
static bool isKnown(const Signature &signature, StringRef name) {
  auto named = [&](const Parameter &parameter) {
    return parameter.name == name;
  };
  return llvm::any_of(signature.arguments, named) ||
         llvm::any_of(signature.results, named);
}

static FailureOr<ArrayMap> readArrays(StringRef path,
                                      const Signature &signature) {
  llvm::Expected<ArrayMap> arrays = readNpzFile(path);
  if (!arrays)
    return emitFileError(path, arrays.takeError());
  for (auto &entry : *arrays)
    if (!isKnown(signature, entry.first))
      return emitFileError(
          path, llvm::createStringError("array '" + entry.first +
                                        "' is neither an argument nor a "
                                        "result of '" +
                                        signature.function + "'"));
  return std::move(*arrays);
}

static void setArray(RunInputs &inputs, StringRef name, Array array,
                     StringRef path) {
  inputs.files[name.str()] = path.str();
  inputs.arrays.insert_or_assign(name.str(), std::move(array));
}

static LogicalResult readInputFile(StringRef path, const Signature &signature,
                                   RunInputs &inputs) {
  FailureOr<ArrayMap> arrays = readArrays(path, signature);
  if (failed(arrays))
    return failure();
  for (auto &[name, array] : *arrays)
    for (const Parameter &argument : signature.arguments)
      if (argument.name == name)
        setArray(inputs, name, std::move(array), path);
  return success();
}

/// `--input name=value`: a later one replaces an earlier one.
static LogicalResult readInput(StringRef name, StringRef value,
                               RunInputs &inputs) {
  inputs.arrays.erase(name.str());
  inputs.constants.erase(name.str());
  inputs.distributions.erase(name.str());
  double constant;
  if (!value.getAsDouble(constant)) {
    inputs.constants[name.str()] = constant;
    return success();
  }
  if (std::optional<Distribution> distribution = parseDistribution(value)) {
    inputs.distributions[name.str()] = *distribution;
    return success();
  }
  if (!value.ends_with(".npy")) {
    llvm::errs() << "weft-run: error: --input " << name << "=" << value
                 << ": a value is a .npy file, a number or one of "
                 << distributionNames() << "\n";
    return failure();
  }
  llvm::Expected<Array> array = readNpyFile(value);
  if (!array)
    return emitFileError(value, array.takeError());
  setArray(inputs, name, std::move(*array), value);
  return success();
}

static FailureOr<RunInputs> readInputs(const Signature &signature,
                                       const CaseOptions &options,
                                       const RunOptions &run) {
  RunInputs inputs;
  inputs.sizes = options.sizes;
  inputs.seed = options.seed;
  inputs.memoryLimit = run.memoryLimit;
  for (const std::string &path : options.inputFiles)
    if (failed(readInputFile(path, signature, inputs)))
      return failure();
  for (auto &[name, value] : options.inputs)
    if (failed(readInput(name, value, inputs)))
      return failure();
  return inputs;
}

static LogicalResult writeArrays(StringRef path, ArrayRef<Parameter> parameters,
                                 ArrayRef<Array> arrays) {
  if (path.empty())
    return success();
  SmallVector<std::pair<std::string, const Array *>> members;
  for (auto [parameter, array] : llvm::zip_equal(parameters, arrays))
    members.emplace_back(parameter.name, &array);
  llvm::Error error = writeFileAtomically(
      path, [&](llvm::raw_ostream &os) { return writeNpz(os, members); });
  return error ? emitFileError(path, std::move(error)) : success();
}

static Tolerance toleranceOf(ElementType type, const CaseOptions &options) {
  Tolerance tolerance;
  tolerance.absolute = options.absolute;
  tolerance.relative = options.relative;
  const bool elementwise = options.absolute || options.relative;
  double byType = type == ElementType::F64   ? 1e-10
                  : type == ElementType::F32 ? 1e-5
                  : type == ElementType::F16 || type == ElementType::BF16 ? 5e-3
                                                                          : 0.0;
  tolerance.row = options.rowTolerance;
  if (elementwise && !options.tolerance)
    return tolerance;
  double bound = options.tolerance.value_or(byType);
  if (options.byMaximum) {
    tolerance.relativeMax = bound;
    return tolerance;
  }
  tolerance.rms = bound;
  if (!tolerance.row)
    tolerance.row = 10.0 * bound;
  return tolerance;
}

/// Compares every result that the file has.
static LogicalResult compareResults(const Program &program,
                                    ArrayRef<Array> results,
                                    const CaseOptions &options) {
  if (options.expected.empty())
    return success();
  FailureOr<ArrayMap> references =
      readArrays(options.expected, program.executed);
  if (failed(references))
    return failure();
  bool passed = true, any = false;
  for (auto [parameter, result] :
       llvm::zip_equal(program.executed.results, results)) {
    auto reference = references->find(parameter.name);
    if (reference == references->end()) {
      llvm::outs() << "compare " << parameter.name << ": not in "
                   << options.expected << "\n";
      continue;
    }
    any = true;
    if (result.getShape() != reference->second.getShape()) {
      llvm::outs() << "compare " << parameter.name << ": FAIL, shape "
                   << shapeToString(result.getShape()) << ", expected "
                   << shapeToString(reference->second.getShape()) << "\n";
      passed = false;
      continue;
    }
    Tolerance tolerance = toleranceOf(parameter.type, options);
    Comparison comparison = compare(result, reference->second, tolerance);
    printComparison(llvm::outs(), parameter.name, result, reference->second,
                    tolerance, comparison);
    passed &= comparison.passed;
  }
  if (!any)
    return emitFileError(
        options.expected,
        llvm::createStringError("it holds no result to compare"));
  return success(passed);
}

static bool sameBits(ArrayRef<Array> left, ArrayRef<Array> right) {
  return llvm::all_of(llvm::zip_equal(left, right), [](auto pair) {
    const auto &[x, y] = pair;
    return x.getShape() == y.getShape() &&
           std::memcmp(x.getData(), y.getData(), x.getNumBytes()) == 0;
  });
}

/// Runs as often as asked; later runs must repeat the first one's bits.
static FailureOr<RunOutcome> execute(const Program &program,
                                     ArrayRef<Array> arguments,
                                     const CaseOptions &options,
                                     const RunOptions &run) {
  FailureOr<RunOutcome> first;
  for (int64_t turn = 0; turn < options.repeat; ++turn) {
    FailureOr<RunOutcome> outcome;
    {
      StepTimer timer(run, "run");
      outcome = program.function->run(arguments, run.memoryLimit);
    }
    if (failed(outcome))
      return failure();
    if (turn == 0)
      first = std::move(outcome);
    else if (!sameBits(first->results, outcome->results))
      return emitError(program.executed.loc)
             << "run " << turn + 1 << " of '" << program.executed.function
             << "' differs from the first: equal inputs give equal bits";
  }
  return first;
}

static void report(const Program &program, ArrayRef<Array> results,
                   const CaseOptions &options) {
  for (auto [parameter, result] :
       llvm::zip_equal(program.executed.results, results)) {
    printSummary(llvm::outs(), parameter.name, result);
    if (options.print)
      printValues(llvm::outs(), result);
  }
}

LogicalResult scanweft::runCase(const Program &program,
                                const CaseOptions &options,
                                const RunOptions &run) {
  FailureOr<RunInputs> inputs = readInputs(program.executed, options, run);
  if (failed(inputs))
    return failure();
  FailureOr<SmallVector<Array>> arguments =
      bindArguments(program.written, program.executed, *inputs);
  if (failed(arguments) ||
      failed(writeArrays(options.savedInputs, program.executed.arguments,
                         *arguments)))
    return failure();
  FailureOr<RunOutcome> outcome = execute(program, *arguments, options, run);
  if (failed(outcome))
    return failure();
  report(program, outcome->results, options);
  if (run.statistics) {
    printStatistics(llvm::outs(), outcome->counters);
    llvm::outs() << "statistic: peak_bytes = " << outcome->peakBytes
                 << "\nstatistic: leaked_bytes = " << outcome->leakedBytes
                 << "\n";
  }
  if (failed(writeArrays(options.output, program.executed.results,
                         outcome->results)))
    return failure();
  return compareResults(program, outcome->results, options);
}
