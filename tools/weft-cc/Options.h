// Part of Scanweft, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

//===----------------------------------------------------------------------===//
// The command line.
//===----------------------------------------------------------------------===//

#ifndef SCANWEFT_TOOLS_WEFT_CC_OPTIONS_H
#define SCANWEFT_TOOLS_WEFT_CC_OPTIONS_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/raw_ostream.h"
#include <string>

namespace scanweft {

struct CompileOptions {
  /// `-` is the standard input, or output.
  std::string file;
  std::string output = "-";
  std::string target;
  std::string emit;
  /// Of a manifest: `cubin` or `ptx`.
  std::string code = "cubin";
  bool precise = false;
  bool lineInfo = false;
  bool locations = false;
  bool remarks = false;
  bool report = false;
  bool timing = false;
  bool listTargets = false;
  bool help = false;
};

/// Parses the command line. An error says which option is wrong, and how.
llvm::Expected<CompileOptions>
parseCommandLine(llvm::ArrayRef<const char *> words);

void printHelp(llvm::raw_ostream &os);

} // namespace scanweft

#endif // SCANWEFT_TOOLS_WEFT_CC_OPTIONS_H
