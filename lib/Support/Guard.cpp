// Part of Scanweft, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

//===----------------------------------------------------------------------===//
// LLVM's crash recovery with two additions: its handlers run on a stack of
// their own, so that an overflow can be told, and fatal errors of the backend
// end the guarded run instead of the process.
//===----------------------------------------------------------------------===//

#include "scanweft/Support/Guard.h"
#include "llvm/Support/CrashRecoveryContext.h"
#include "llvm/Support/ErrorHandling.h"
#include "llvm/Support/FormatVariadic.h"
#include <csignal>
#include <cstdlib>
#include <memory>

using namespace llvm;
using namespace scanweft;

static constexpr size_t kSignalStackBytes = 1 << 16;

/// Why the guarded run in progress was stopped, where the code said so.
static std::string stopText;

void scanweft::stopGuarded(std::string text) {
  stopText = std::move(text);
  CrashRecoveryContext::GetCurrent()->HandleExit(EXIT_FAILURE);
}

static void handleFatalError(void *, const char *reason, bool) {
  if (CrashRecoveryContext::GetCurrent())
    stopGuarded(reason);
}

namespace {

/// Crash recovery and the fatal error handler, for as long as this lives.
class Handlers {
public:
  Handlers() : stack(new char[kSignalStackBytes]) {
    stack_t alternate = {};
    alternate.ss_sp = stack.get();
    alternate.ss_size = kSignalStackBytes;
    sigaltstack(&alternate, &oldStack);
    CrashRecoveryContext::Enable();
    for (int signal : {SIGSEGV, SIGBUS}) {
      struct sigaction action;
      sigaction(signal, nullptr, &action);
      action.sa_flags |= SA_ONSTACK;
      sigaction(signal, &action, nullptr);
    }
    install_fatal_error_handler(handleFatalError);
  }
  ~Handlers() {
    remove_fatal_error_handler();
    CrashRecoveryContext::Disable();
    sigaltstack(&oldStack, nullptr);
  }

private:
  std::unique_ptr<char[]> stack;
  stack_t oldStack = {};
};

} // namespace

/// What the guard's return code says: 128 + a signal's number.
static std::string describeSignal(int code) {
  switch (code - 128) {
  case SIGFPE:
    return "an integer division by zero";
  case SIGSEGV:
  case SIGBUS:
    return "an access outside its memory, or a stack overflow";
  default:
    return formatv("signal {0}", code - 128);
  }
}

std::string scanweft::runGuarded(function_ref<void()> code) {
  Handlers handlers;
  stopText.clear();
  CrashRecoveryContext guard;
  if (guard.RunSafely(code))
    return "";
  return stopText.empty() ? describeSignal(guard.RetCode) : stopText;
}
