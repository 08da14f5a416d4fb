// Part of Scanweft, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

//===----------------------------------------------------------------------===//
// fork, a pipe, and waitpid.
//===----------------------------------------------------------------------===//

#include "scanweft/Execution/Isolate.h"
#include "llvm/Support/FormatVariadic.h"
#include <cerrno>
#include <csignal>
#include <cstring>
#include <sys/wait.h>
#include <unistd.h>

using namespace llvm;
using namespace scanweft;

static constexpr size_t kChunkBytes = 1 << 20;

/// The child in progress, or 0.
static volatile pid_t childProcess = 0;

void scanweft::killIsolated() {
  if (childProcess > 0)
    kill(childProcess, SIGKILL);
}

static Error systemError(StringRef what) {
  return createStringError(formatv("{0}: {1}", what, std::strerror(errno)));
}

/// The child's side. It leaves without destructors and without flushing what
/// the parent had buffered.
[[noreturn]] static void runChild(int pipe,
                                  function_ref<void(raw_ostream &)> work) {
  {
    raw_fd_ostream os(pipe, /*shouldClose=*/false);
    work(os);
    os.flush();
    os.clear_error();
  }
  _exit(EXIT_SUCCESS);
}

static std::string readAll(int pipe) {
  std::string bytes;
  while (true) {
    const size_t size = bytes.size();
    bytes.resize(size + kChunkBytes);
    ssize_t number = read(pipe, &bytes[size], kChunkBytes);
    bytes.resize(size + std::max<ssize_t>(number, 0));
    if (number == 0 || (number < 0 && errno != EINTR))
      return bytes;
  }
}

Expected<std::string>
scanweft::runIsolated(function_ref<void(raw_ostream &)> work) {
  int ends[2];
  if (pipe(ends) != 0)
    return systemError("no pipe to a child process");
  pid_t child = fork();
  if (child < 0)
    return systemError("no child process");
  if (child == 0) {
    close(ends[0]);
    runChild(ends[1], work);
  }
  childProcess = child;
  close(ends[1]);
  std::string bytes = readAll(ends[0]);
  close(ends[0]);
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR)
    ;
  childProcess = 0;
  if (WIFSIGNALED(status))
    return createStringError(
        formatv("signal {0} ({1}), after it wrote outside its memory or was "
                "killed",
                WTERMSIG(status), strsignal(WTERMSIG(status))));
  if (WEXITSTATUS(status) != EXIT_SUCCESS)
    return createStringError(
        formatv("an exit with status {0} of its own", WEXITSTATUS(status)));
  return bytes;
}
