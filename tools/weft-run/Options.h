// Part of Scanweft, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

//===----------------------------------------------------------------------===//
// The command line, and lines of a file of cases. One table holds every option:
// those of a case may stand in either place.
//===----------------------------------------------------------------------===//

#ifndef SCANWEFT_TOOLS_WEFT_RUN_OPTIONS_H
#define SCANWEFT_TOOLS_WEFT_RUN_OPTIONS_H

#include "scanweft/Execution/Arguments.h"
#include "scanweft/Execution/Compare.h"

namespace scanweft {

/// One run of the compiled program.
struct CaseOptions {
  llvm::SmallVector<std::string> inputFiles;
  /// `--input name=value`, split.
  llvm::SmallVector<std::pair<std::string, std::string>> inputs;
  llvm::SmallVector<std::pair<std::string, int64_t>> sizes;
  uint64_t seed = 0;
  std::string output, savedInputs, expected;
  /// Bounds that were given; others follow the result's element type.
  std::optional<double> tolerance, rowTolerance, relative, absolute;
  bool byMaximum = false;
  bool print = false;
  int64_t repeat = 1;
};

/// What is compiled, and how.
struct RunOptions {
  std::string file;
  std::string function;
  bool inDouble = false;
  std::string pipeline;
  std::string cases;
  bool statistics = false;
  bool timing = false;
  bool help = false;
  unsigned optimizationLevel = 0;
  uint64_t memoryLimit = 0;
  int64_t timeLimit = 0;
  CaseOptions defaults;
};

/// Parses the command line. An error says which option is wrong, and how.
llvm::Expected<RunOptions> parseCommandLine(llvm::ArrayRef<const char *> words);

/// Parses a line of a file of cases on top of the command line's own.
llvm::Expected<CaseOptions> parseCase(llvm::StringRef line,
                                      const CaseOptions &defaults);

void printHelp(llvm::raw_ostream &os);

} // namespace scanweft

#endif // SCANWEFT_TOOLS_WEFT_RUN_OPTIONS_H
