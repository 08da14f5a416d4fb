// Part of Scanweft, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

//===----------------------------------------------------------------------===//
// Options as a table of names, arguments, help and members.
//===----------------------------------------------------------------------===//

#include "Options.h"
#include "Stages.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"

using namespace llvm;
using namespace scanweft;

namespace {

/// An option sets a text, or a flag, which has no argument.
struct Option {
  StringLiteral name;
  StringLiteral argument;
  StringLiteral help;
  std::string CompileOptions::*text;
  bool CompileOptions::*flag;
};

} // namespace

static constexpr Option kOptions[] = {
    {"target", "NAME", "the GPU to compile for: --list-targets",
     &CompileOptions::target, nullptr},
    {"emit", "WHAT", "what to write: see below (ptx)", &CompileOptions::emit,
     nullptr},
    {"code", "KIND", "a manifest's code: cubin or ptx (cubin)",
     &CompileOptions::code, nullptr},
    {"o", "FILE", "where to write it (the standard output)",
     &CompileOptions::output, nullptr},
    {"precise", "", "functions of f32 to a few units in the last place",
     nullptr, &CompileOptions::precise},
    {"line-info", "", "name the file's lines in PTX and cubin", nullptr,
     &CompileOptions::lineInfo},
    {"locations", "", "write the author's lines into a stage's text", nullptr,
     &CompileOptions::locations},
    {"remarks", "", "say what each pass did, and what it did not do", nullptr,
     &CompileOptions::remarks},
    {"report", "", "assemble, and print what each kernel uses", nullptr,
     &CompileOptions::report},
    {"timing", "", "print how long each step took", nullptr,
     &CompileOptions::timing},
    {"list-targets", "", "print the targets and their limits", nullptr,
     &CompileOptions::listTargets},
    {"help", "", "print this", nullptr, &CompileOptions::help},
};

static Error wrongOption(const Twine &text) { return createStringError(text); }

/// Reads one option; its value may be the next word.
static Error parseOption(ArrayRef<const char *> words, size_t &i,
                         CompileOptions &options) {
  StringRef word = words[i], name, value;
  std::tie(name, value) = word.ltrim('-').split('=');
  const bool hasValue = word.contains('=');
  const Option *option = llvm::find_if(
      kOptions, [&](const Option &known) { return known.name == name; });
  if (option == std::end(kOptions))
    return wrongOption("there is no option '" + word.split('=').first +
                       "': --help lists them");
  if (option->flag) {
    if (hasValue)
      return wrongOption("'--" + name + "' takes no value");
    options.*option->flag = true;
    return Error::success();
  }
  if (!hasValue) {
    if (++i == words.size())
      return wrongOption("'--" + name + "' needs a value: " + option->argument);
    value = words[i];
  }
  if (value.empty())
    return wrongOption("'--" + name + "' is empty: it takes " +
                       option->argument);
  options.*option->text = value.str();
  return Error::success();
}

Expected<CompileOptions>
scanweft::parseCommandLine(ArrayRef<const char *> words) {
  CompileOptions options;
  options.emit = "ptx";
  for (size_t i = 0; i < words.size(); ++i) {
    StringRef word = words[i];
    if (word.starts_with("-") && word != "-") {
      if (Error error = parseOption(words, i, options))
        return std::move(error);
    } else if (options.file.empty()) {
      options.file = word.str();
    } else {
      return wrongOption("'" + word + "' is one file too many");
    }
  }
  if (options.file.empty() && !options.help && !options.listTargets)
    return wrongOption("no file to compile: --help shows the options");
  return std::move(options);
}

void scanweft::printHelp(raw_ostream &os) {
  os << "weft-cc: compiles a .mlir file for a GPU, ahead of time\n\n"
        "usage: weft-cc FILE.mlir --target=NAME [options]\n\n";
  for (const Option &option : kOptions) {
    std::string left =
        ((option.name.size() > 1 ? "--" : "-") + option.name).str();
    if (!option.argument.empty())
      left += ("=" + option.argument).str();
    os << formatv("  {0,-20} {1}\n", left, option.help);
  }
  os << "\n--emit takes a stage, as MLIR, or what is made of the last one:\n\n";
  for (const Stage &stage : getStages())
    os << formatv("  {0,-20} {1}\n", stage.name, stage.help);
  for (const Product &product : getProducts())
    os << formatv("  {0,-20} {1}\n", product.name, product.help);
}
