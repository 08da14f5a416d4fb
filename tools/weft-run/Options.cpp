// Part of Scanweft, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

//===----------------------------------------------------------------------===//
// Options as a table of names, arguments, help and actions.
//===----------------------------------------------------------------------===//

#include "Options.h"
#include "scanweft/Execution/Memory.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/StringSaver.h"

using namespace llvm;
using namespace scanweft;

namespace {

/// An option acts on a case or on the whole run. One without an argument is a
/// flag. An action returns false where it cannot take the value.
struct Option {
  StringLiteral name;
  StringLiteral argument;
  StringLiteral help;
  bool (*actOnCase)(CaseOptions &, StringRef);
  bool (*actOnRun)(RunOptions &, StringRef);
};

} // namespace

/// Splits `name=value`.
static bool splitPair(StringRef text, StringRef &name, StringRef &value) {
  std::tie(name, value) = text.split('=');
  return !name.empty() && name.size() < text.size();
}

template <typename Integer>
static bool parseInteger(StringRef text, Integer &value) {
  return !text.getAsInteger(10, value);
}

static bool parseTolerance(StringRef text, std::optional<double> &value) {
  double parsed;
  if (text.getAsDouble(parsed) || !(parsed >= 0.0))
    return false;
  value = parsed;
  return true;
}

static bool addSizes(CaseOptions &options, StringRef text) {
  for (StringRef part : llvm::split(text, ',')) {
    StringRef name, value;
    int64_t size;
    if (!splitPair(part, name, value) || !parseInteger(value, size))
      return false;
    options.sizes.emplace_back(name.str(), size);
  }
  return true;
}

static bool addInput(CaseOptions &options, StringRef text) {
  StringRef name, value;
  if (!splitPair(text, name, value) || value.empty())
    return false;
  options.inputs.emplace_back(name.str(), value.str());
  return true;
}

static const Option kOptions[] = {
    {"function", "NAME", "the function to run, where the file has several",
     nullptr,
     [](RunOptions &run, StringRef value) {
       run.function = value.str();
       return true;
     }},
    {"numerics", "as-written|f64",
     "f64: every type and product in float64 (weft-instantiate{in=f64} first)",
     nullptr,
     [](RunOptions &run, StringRef value) {
       run.inDouble = value == "f64";
       return run.inDouble || value == "as-written";
     }},
    {"pipeline", "PASSES", "passes before the lowering to the CPU", nullptr,
     [](RunOptions &run, StringRef value) {
       run.pipeline = value.str();
       return true;
     }},
    {"inputs", "FILE.npz", "arrays by argument name; repeatable",
     [](CaseOptions &options, StringRef value) {
       options.inputFiles.push_back(value.str());
       return !value.empty();
     },
     nullptr},
    {"input", "NAME=VALUE",
     "one argument: a .npy file, a number, or a kind of generated input",
     addInput, nullptr},
    {"size", "NAME=N[,NAME=N]", "sizes by name; repeatable", addSizes, nullptr},
    {"seed", "N", "the seed of generated inputs (0)",
     [](CaseOptions &options, StringRef value) {
       return parseInteger(value, options.seed);
     },
     nullptr},
    {"output", "FILE.npz", "write the results",
     [](CaseOptions &options, StringRef value) {
       options.output = value.str();
       return !value.empty();
     },
     nullptr},
    {"save-inputs", "FILE.npz", "write the inputs that the program received",
     [](CaseOptions &options, StringRef value) {
       options.savedInputs = value.str();
       return !value.empty();
     },
     nullptr},
    {"expect", "FILE.npz", "compare the results with these arrays",
     [](CaseOptions &options, StringRef value) {
       options.expected = value.str();
       return !value.empty();
     },
     nullptr},
    {"tolerance", "X",
     "bound of the metric (by type: f64 1e-10, f32 1e-5, 16 bits 5e-3)",
     [](CaseOptions &options, StringRef value) {
       return parseTolerance(value, options.tolerance);
     },
     nullptr},
    {"row-tolerance", "X", "bound of the worst row (10 times the tolerance)",
     [](CaseOptions &options, StringRef value) {
       return parseTolerance(value, options.rowTolerance);
     },
     nullptr},
    {"metric", "rms|max",
     "what --tolerance bounds: |x - ref| / |ref| as a norm, or of the largest",
     [](CaseOptions &options, StringRef value) {
       options.byMaximum = value == "max";
       return options.byMaximum || value == "rms";
     },
     nullptr},
    {"rtol", "X", "bound element by element: atol + rtol |ref|",
     [](CaseOptions &options, StringRef value) {
       return parseTolerance(value, options.relative);
     },
     nullptr},
    {"atol", "X", "see --rtol",
     [](CaseOptions &options, StringRef value) {
       return parseTolerance(value, options.absolute);
     },
     nullptr},
    {"print", "", "print every value of the results",
     [](CaseOptions &options, StringRef) {
       options.print = true;
       return true;
     },
     nullptr},
    {"repeat", "N", "run N times; every run must give the same bits",
     [](CaseOptions &options, StringRef value) {
       return parseInteger(value, options.repeat) && options.repeat >= 1;
     },
     nullptr},
    {"cases", "FILE", "one run a line of options from --inputs to --repeat",
     nullptr,
     [](RunOptions &run, StringRef value) {
       run.cases = value.str();
       return !value.empty();
     }},
    {"statistics", "", "count chunks, combines and memory in the executed code",
     nullptr,
     [](RunOptions &run, StringRef) {
       run.statistics = true;
       return true;
     }},
    {"timing", "", "print how long each step took", nullptr,
     [](RunOptions &run, StringRef) {
       run.timing = true;
       return true;
     }},
    {"O", "0|1|2|3",
     "0 compiles quickly (the default), 1 to 3 as LLVM's levels", nullptr,
     [](RunOptions &run, StringRef value) {
       return parseInteger(value, run.optimizationLevel) &&
              run.optimizationLevel <= 3;
     }},
    {"memory-limit", "BYTES",
     "stop a program that needs more (3/4 of the machine's memory)", nullptr,
     [](RunOptions &run, StringRef value) {
       return parseInteger(value, run.memoryLimit);
     }},
    {"time-limit", "SECONDS", "stop after this time (none)", nullptr,
     [](RunOptions &run, StringRef value) {
       return parseInteger(value, run.timeLimit) && run.timeLimit >= 1;
     }},
    {"help", "", "print this", nullptr,
     [](RunOptions &run, StringRef) {
       run.help = true;
       return true;
     }},
};

static Error wrongOption(const Twine &text) { return createStringError(text); }

/// Reads options and, where `run` is given, the file; options of the whole run
/// belong on the command line only.
static Error parseWords(ArrayRef<const char *> words, CaseOptions &options,
                        RunOptions *run) {
  for (size_t i = 0; i < words.size(); ++i) {
    StringRef word = words[i];
    if (!word.starts_with("-") || word == "-") {
      if (!run || !run->file.empty())
        return wrongOption("'" + word + "' is one file too many");
      run->file = word.str();
      continue;
    }
    StringRef name, value;
    std::tie(name, value) = word.ltrim('-').split('=');
    const bool hasValue = word.contains('=');
    const Option *option = llvm::find_if(
        kOptions, [&](const Option &known) { return known.name == name; });
    if (option == std::end(kOptions))
      return wrongOption("there is no option '--" + name +
                         "': --help lists them");
    if (option->actOnRun && !run)
      return wrongOption("'--" + name + "' belongs on the command line");
    if (!option->argument.empty() && !hasValue) {
      if (++i == words.size())
        return wrongOption("'--" + name +
                           "' needs a value: " + option->argument);
      value = words[i];
    }
    if (option->argument.empty() && hasValue)
      return wrongOption("'--" + name + "' takes no value");
    bool accepted = option->actOnRun ? option->actOnRun(*run, value)
                                     : option->actOnCase(options, value);
    if (!accepted)
      return wrongOption("'--" + name + "' does not take '" + value +
                         "': it takes " + option->argument);
  }
  return Error::success();
}

Expected<RunOptions> scanweft::parseCommandLine(ArrayRef<const char *> words) {
  RunOptions run;
  run.memoryLimit = defaultMemoryLimit();
  if (Error error = parseWords(words, run.defaults, &run))
    return std::move(error);
  if (run.file.empty() && !run.help)
    return wrongOption("no file to run: --help shows the options");
  return std::move(run);
}

Expected<CaseOptions> scanweft::parseCase(StringRef line,
                                          const CaseOptions &defaults) {
  BumpPtrAllocator allocator;
  StringSaver saver(allocator);
  SmallVector<const char *> words;
  cl::TokenizeGNUCommandLine(line, saver, words);
  CaseOptions options = defaults;
  if (Error error = parseWords(words, options, /*run=*/nullptr))
    return std::move(error);
  return std::move(options);
}

void scanweft::printHelp(raw_ostream &os) {
  os << "weft-run: executes a function of a .mlir file on the CPU\n\n"
        "usage: weft-run FILE.mlir [options]\n\n";
  for (const Option &option : kOptions) {
    std::string left = ("--" + option.name).str();
    if (!option.argument.empty())
      left += ("=" + option.argument).str();
    os << formatv("  {0,-28} {1}\n", left, option.help);
  }
}
