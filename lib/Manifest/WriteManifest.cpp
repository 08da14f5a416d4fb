// Part of Scanweft, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

//===----------------------------------------------------------------------===//
// The text of a manifest: members in a fixed order, one line for each thing a
// reader looks for.
//===----------------------------------------------------------------------===//

#include "mlir/IR/BuiltinTypeInterfaces.h"
#include "scanweft/Manifest/Manifest.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/SHA256.h"

using namespace mlir;
using namespace scanweft::manifest;

static constexpr int64_t kVersion = 1;
static constexpr llvm::StringLiteral kDigestKey("\"digest\": \"");
static constexpr size_t kDigestDigits = 64;

static std::string sha256(StringRef bytes) {
  std::array<uint8_t, 32> hash = llvm::SHA256::hash(
      ArrayRef(reinterpret_cast<const uint8_t *>(bytes.data()), bytes.size()));
  return llvm::toHex(hash, /*LowerCase=*/true);
}

namespace {
/// A string in JSON's quotes.
struct Quoted {
  StringRef text;
};
} // namespace

static raw_ostream &operator<<(raw_ostream &os, Quoted quoted) {
  return os << llvm::json::Value(llvm::json::fixUTF8(quoted.text));
}

/// "[a, b]" with `print` for each element.
template <typename Range, typename Print>
static void printInline(raw_ostream &os, const Range &range, Print print) {
  os << "[";
  llvm::interleaveComma(range, os, print);
  os << "]";
}

/// A list with one element a line.
template <typename Range, typename Print>
static void printLines(raw_ostream &os, const Range &range, unsigned indent,
                       Print print) {
  os << "[";
  llvm::interleave(
      range, os,
      [&](const auto &element) {
        os << "\n";
        os.indent(indent);
        print(element);
      },
      ",");
  os << "]";
}

static void printNumbers(raw_ostream &os, ArrayRef<int64_t> numbers) {
  printInline(os, numbers, [&](int64_t number) { os << number; });
}

/// ["word", 1, 2]
static void printTerm(raw_ostream &os, StringRef word,
                      ArrayRef<int64_t> numbers) {
  os << "[" << Quoted{word};
  for (int64_t number : numbers)
    os << ", " << number;
  os << "]";
}

static void printArgument(raw_ostream &os, const Argument &argument) {
  os << "{\"name\": " << Quoted{argument.name}
     << ", \"kind\": " << (argument.isScalar ? "\"scalar\"" : "\"tensor\"")
     << ", \"type\": " << Quoted{argument.type};
  if (!argument.isScalar) {
    os << ", \"sizes\": ";
    printInline(os, argument.sizes, [&](int64_t size) {
      if (ShapedType::isDynamic(size))
        os << "null";
      else
        os << size;
    });
  }
  if (!argument.isScalar && !argument.dims.empty()) {
    os << ", \"dims\": ";
    printInline(os, argument.dims,
                [&](const std::string &dim) { os << Quoted{dim}; });
  }
  os << "}";
}

static void printVariant(raw_ostream &os, const Variant &variant) {
  auto printTerms = [&](ArrayRef<Term> terms) {
    printInline(os, terms, [&](const Term &term) {
      printTerm(os, term.word, term.numbers);
    });
  };
  os << "{\"name\": " << Quoted{variant.name}
     << ", \"kernel\": " << variant.kernel << ", \"programs\": ";
  printNumbers(os, variant.programs);
  if (variant.resident)
    os << ", \"resident\": " << *variant.resident;
  os << ",\n      \"parameters\": ";
  printTerms(variant.parameters);
  if (!variant.guards.empty()) {
    os << ",\n      \"guards\": ";
    printTerms(variant.guards);
  }
  os << "}";
}

static void printKernel(raw_ostream &os, const Kernel &kernel) {
  os << "{\"symbol\": " << Quoted{kernel.symbol}
     << ", \"threads\": " << kernel.threads
     << ", \"dynamic_shared\": " << kernel.dynamicSharedBytes;
  if (const std::optional<Report> &report = kernel.report)
    os << ",\n    \"report\": {\"registers\": " << report->registers
       << ", \"spill_stores\": " << report->spillStoreBytes
       << ", \"spill_loads\": " << report->spillLoadBytes
       << ", \"stack\": " << report->stackBytes
       << ", \"static_shared\": " << report->staticSharedBytes
       << ", \"barriers\": " << report->barriers
       << ", \"code_bytes\": " << report->codeBytes << "}";
  os << "}";
}

static void printWorkspace(raw_ostream &os, const Entry &entry) {
  if (!entry.workspaceBytes)
    return;
  os << ",\n   \"workspace\": {\"bytes\": " << *entry.workspaceBytes
     << ", \"zeroed\": " << (entry.workspaceZeroed ? "true" : "false")
     << "},\n   \"temporaries\": ";
  printLines(os, entry.temporaries, 4, [&](const Temporary &temporary) {
    os << "{\"type\": " << Quoted{temporary.type} << ", \"sizes\": ";
    printNumbers(os, temporary.sizes);
    os << ", \"offset\": " << temporary.offset << "}";
  });
}

static void printEntry(raw_ostream &os, const Entry &entry) {
  os << "{\"name\": " << Quoted{entry.name} << ",\n   \"arguments\": ";
  printLines(os, entry.arguments, 4,
             [&](const Argument &argument) { printArgument(os, argument); });
  os << ",\n   \"expressions\": ";
  printLines(os, entry.expressions.get(), 4,
             [&](const Expressions::Expression &expression) {
               printTerm(os, expression.operation, expression.operands);
             });
  os << ",\n   \"results\": ";
  printLines(os, entry.results, 4, [&](const Result &result) {
    os << "{\"name\": " << Quoted{result.name}
       << ", \"type\": " << Quoted{result.type} << ", \"sizes\": ";
    printNumbers(os, result.sizes);
    os << "}";
  });
  printWorkspace(os, entry);
  if (!entry.checks.empty()) {
    os << ",\n   \"checks\": ";
    printLines(os, entry.checks, 4, [&](const Check &check) {
      os << "{\"holds\": " << check.holds
         << ", \"message\": " << Quoted{check.message} << "}";
    });
  }
  os << ",\n   \"launches\": ";
  printLines(os, entry.launches, 4, [&](const Launch &launch) {
    os << "{\"variants\": ";
    printLines(os, launch.variants, 5,
               [&](const Variant &variant) { printVariant(os, variant); });
    os << "}";
  });
  os << "}";
}

void scanweft::manifest::write(raw_ostream &os, const Program &program,
                               StringRef target, const Code &code) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  stream << "{\"scanweft_manifest\": " << kVersion
         << ",\n \"producer\": \"scanweft\""
         << ",\n \"target\": " << Quoted{target} << ",\n \"code\": {\"kind\": "
         << (code.isPtx ? "\"ptx\"" : "\"cubin\"");
  if (!code.file.empty())
    stream << ", \"file\": " << Quoted{code.file};
  stream << ", \"bytes\": " << code.bytes.size() << ", \"sha256\": \""
         << sha256(code.bytes) << "\"},\n \"kernels\": ";
  printLines(stream, program.kernels, 2,
             [&](const Kernel &kernel) { printKernel(stream, kernel); });
  stream << ",\n \"entries\": ";
  printLines(stream, program.entries, 2,
             [&](const Entry &entry) { printEntry(stream, entry); });
  stream << ",\n " << kDigestKey;
  // The digest is that of the text with zeros in its place.
  size_t start = text.size();
  stream << std::string(kDigestDigits, '0') << "\"}\n";
  text.replace(start, kDigestDigits, sha256(text));
  os << text;
}
