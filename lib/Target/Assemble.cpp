// Part of Scanweft, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

//===----------------------------------------------------------------------===//
// Finds ptxas and runs it as a child on temporary files.
//===----------------------------------------------------------------------===//

#include "scanweft/Target/Assemble.h"
#include "PtxasOutput.h"
#include "mlir/IR/Diagnostics.h"
#include "scanweft/Target/Target.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Program.h"
#include "llvm/Support/raw_ostream.h"
#include <cstdlib>
#include <tuple>
#include <utility>

using namespace mlir;
using namespace scanweft;

//===----------------------------------------------------------------------===//
// Where ptxas is
//===----------------------------------------------------------------------===//

/// The ptxas that the wheel nvidia-cuda-nvcc put into a virtual environment.
static std::string findInEnvironment(StringRef environment) {
  SmallString<128> libraries(environment);
  llvm::sys::path::append(libraries, "lib");
  std::error_code code;
  // The names differ in Python's version; the first in order is as good as any.
  std::string best;
  for (llvm::sys::fs::directory_iterator entry(libraries, code), end;
       !code && entry != end; entry.increment(code)) {
    SmallString<128> candidate(entry->path());
    if (!llvm::sys::path::filename(candidate).starts_with("python3"))
      continue;
    llvm::sys::path::append(candidate, "site-packages", "nvidia", "cu13");
    llvm::sys::path::append(candidate, "bin", "ptxas");
    if (llvm::sys::fs::can_execute(candidate) &&
        (best.empty() || candidate.str() < best))
      best = candidate.str().str();
  }
  return best;
}

FailureOr<std::string> scanweft::findPtxas(Location loc) {
  if (const char *given = std::getenv("SCANWEFT_PTXAS"); given && *given) {
    if (llvm::sys::fs::can_execute(given) &&
        !llvm::sys::fs::is_directory(given))
      return std::string(given);
    return emitError(loc) << "SCANWEFT_PTXAS names '" << given
                          << "', which is no program that can be run";
  }
  if (auto found = llvm::sys::findProgramByName("ptxas"))
    return *found;
  if (auto found =
          llvm::sys::findProgramByName("ptxas", {"/usr/local/cuda/bin"}))
    return *found;
  if (const char *active = std::getenv("VIRTUAL_ENV"))
    if (std::string found = findInEnvironment(active); !found.empty())
      return found;
  if (std::string found = findInEnvironment(".venv"); !found.empty())
    return found;
  return emitError(loc)
         << "no ptxas, which makes a cubin of PTX: it is looked for in "
            "SCANWEFT_PTXAS, on PATH, in /usr/local/cuda/bin and in a virtual "
            "environment with the wheel nvidia-cuda-nvcc; a GPU's driver takes "
            "PTX as it is";
}

//===----------------------------------------------------------------------===//
// Running it
//===----------------------------------------------------------------------===//

namespace {

/// A temporary file, gone when this is.
class Scratch {
public:
  static FailureOr<Scratch> create(StringRef suffix, Location loc) {
    Scratch result;
    SmallString<128> path;
    if (std::error_code code =
            llvm::sys::fs::createTemporaryFile("scanweft", suffix, path))
      return emitError(loc)
             << "no temporary file for ptxas: " << code.message();
    result.path = path.str().str();
    return result;
  }
  Scratch(Scratch &&other) : path(std::exchange(other.path, {})) {}
  ~Scratch() {
    if (!path.empty())
      std::ignore = llvm::sys::fs::remove(path);
  }

  StringRef getPath() const { return path; }

  LogicalResult write(StringRef text, Location loc) const {
    std::error_code code;
    llvm::raw_fd_ostream stream(path, code);
    if (!code) {
      stream << text;
      stream.close();
      code = stream.error();
      stream.clear_error();
    }
    if (code)
      return emitError(loc)
             << "cannot write PTX to '" << path << "': " << code.message();
    return success();
  }

  std::string read() const {
    auto buffer = llvm::MemoryBuffer::getFile(path);
    return buffer ? (*buffer)->getBuffer().str() : "";
  }

private:
  Scratch() = default;

  std::string path;
};

} // namespace

namespace {

/// Places of ptxas's messages.
class MessageLocations {
public:
  MessageLocations(StringRef ptx, Location loc, const AssembleOptions &options)
      : loc(loc), options(options) {
    ptx.split(lines, '\n');
  }

  /// The line of PTX that a message names, or nothing.
  StringRef getLine(unsigned line) const {
    return line > 0 && line <= lines.size() ? lines[line - 1].trim() : "";
  }

  /// Of the kernel whose line it is, or that the text calls a function.
  Location get(StringRef text, unsigned line = 0) const {
    if (!options.locate)
      return loc;
    StringRef kernel = text.split("unction '").second.split('\'').first;
    for (size_t i = std::min<size_t>(line, lines.size());
         kernel.empty() && i > 0; --i)
      kernel = lines[i - 1].split(".entry ").second.split('(').first;
    return kernel.empty() ? loc : options.locate(kernel);
  }

private:
  Location loc;
  const AssembleOptions &options;
  SmallVector<StringRef> lines;
};

} // namespace

static LogicalResult reportErrors(StringRef log, const Target &target,
                                  const MessageLocations &locations,
                                  StringRef otherwise) {
  SmallVector<PtxasError> errors = parsePtxasErrors(log);
  if (errors.empty())
    return emitError(locations.get(""))
           << "ptxas failed for " << target.name << ": " << otherwise;
  for (const PtxasError &error : errors) {
    auto diagnostic = emitError(locations.get(error.text, error.line))
                      << "ptxas for " << target.name << ": " << error.text;
    if (StringRef line = locations.getLine(error.line); !line.empty())
      diagnostic.attachNote()
          << "line " << error.line << " of the PTX: " << line;
  }
  return failure();
}

/// Runs `words`, its output into `log`. Returns why it did not end well, or
/// nothing.
static std::string execute(ArrayRef<StringRef> words, StringRef log,
                           unsigned timeLimitSeconds) {
  const std::optional<StringRef> redirects[] = {StringRef(""), log, log};
  std::string problem;
  int status = llvm::sys::ExecuteAndWait(words.front(), words, std::nullopt,
                                         redirects, timeLimitSeconds,
                                         /*MemoryLimit=*/0, &problem);
  if (status == 0)
    return "";
  if (!problem.empty())
    return problem;
  return "it ended with status " + std::to_string(status) +
         " and said nothing of it";
}

FailureOr<Cubin> scanweft::assemble(StringRef ptx, const Target &target,
                                    Location loc,
                                    const AssembleOptions &options) {
  FailureOr<std::string> ptxas = findPtxas(loc);
  if (failed(ptxas))
    return failure();
  FailureOr<Scratch> input = Scratch::create("ptx", loc);
  FailureOr<Scratch> output = Scratch::create("cubin", loc);
  FailureOr<Scratch> log = Scratch::create("log", loc);
  if (failed(input) || failed(output) || failed(log) ||
      failed(input->write(ptx, loc)))
    return failure();

  std::string architecture = ("-arch=" + target.name).str();
  SmallVector<StringRef> words = {
      *ptxas, architecture, "-v", input->getPath(), "-o", output->getPath()};
  if (options.lineInfo)
    words.push_back("--generate-line-info");
  std::string problem =
      execute(words, log->getPath(), options.timeLimitSeconds);
  std::string said = log->read();
  MessageLocations locations(ptx, loc, options);
  if (!problem.empty())
    return reportErrors(said, target, locations, problem);

  Cubin cubin;
  cubin.bytes = output->read();
  parsePtxasReport(said, cubin);
  // ptxas has an order of its own.
  llvm::sort(cubin.kernels,
             [&](const KernelReport &left, const KernelReport &right) {
               return ptx.find(".entry " + left.name + "(") <
                      ptx.find(".entry " + right.name + "(");
             });
  if (llvm::Error error = readCodeBytes(cubin))
    return emitError(loc) << "'" << *ptxas << "' wrote no readable cubin: "
                          << llvm::toString(std::move(error));
  for (const std::string &note : cubin.notes)
    emitWarning(locations.get(note))
        << "ptxas for " << target.name << ": " << note;
  return cubin;
}
