// Part of Scanweft, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

//===----------------------------------------------------------------------===//
// Registration, attributes and types.
//===----------------------------------------------------------------------===//

#include "dialects/WTile/IR/WTile.h"
#include "dialects/WTile/IR/WTileVerifiers.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/MathExtras.h"
#include <limits>

using namespace mlir;
using namespace scanweft;
using namespace scanweft::wtile;

#include "dialects/WTile/IR/WTileDialect.cpp.inc"

#define GET_ATTRDEF_CLASSES
#include "dialects/WTile/IR/WTileAttrs.cpp.inc"

#define GET_TYPEDEF_CLASSES
#include "dialects/WTile/IR/WTileTypes.cpp.inc"

namespace {
/// Layouts are long and few: each stands once, at the top of the file.
struct LayoutAliases : OpAsmDialectInterface {
  using OpAsmDialectInterface::OpAsmDialectInterface;

  AliasResult getAlias(Attribute attribute, raw_ostream &out) const override {
    if (!isa<LayoutAttr>(attribute))
      return AliasResult::NoAlias;
    out << "layout";
    return AliasResult::FinalAlias;
  }
};
} // namespace

void WTileDialect::initialize() {
  addInterfaces<LayoutAliases>();
  addAttributes<
#define GET_ATTRDEF_LIST
#include "dialects/WTile/IR/WTileAttrs.cpp.inc"
      >();
  addTypes<
#define GET_TYPEDEF_LIST
#include "dialects/WTile/IR/WTileTypes.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "dialects/WTile/IR/WTileOps.cpp.inc"
      >();
}

const LinearLayout *wtile::getLayout(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  if (!tensor)
    return nullptr;
  auto layout = dyn_cast_if_present<LayoutAttr>(tensor.getEncoding());
  return layout ? &layout.getMap() : nullptr;
}

RankedTensorType wtile::withLayout(RankedTensorType type,
                                   const LinearLayout &layout) {
  return RankedTensorType::get(type.getShape(), type.getElementType(),
                               LayoutAttr::get(type.getContext(), layout));
}

//===----------------------------------------------------------------------===//
// #wtile.layout
//===----------------------------------------------------------------------===//

/// `[1, 8]`
template <typename Integer>
static ParseResult parseIntegers(AsmParser &parser,
                                 SmallVectorImpl<Integer> &values) {
  return parser.parseCommaSeparatedList(
      AsmParser::Delimiter::Square, [&]() -> ParseResult {
        return parser.parseInteger(values.emplace_back());
      });
}

/// `lane [[0, 2], [0, 4]]`
static ParseResult parseBases(AsmParser &parser, StringRef keyword,
                              unsigned rank, Bases &bases) {
  if (parser.parseKeyword(keyword))
    return failure();
  return parser.parseCommaSeparatedList(
      AsmParser::Delimiter::Square, [&]() -> ParseResult {
        SMLoc loc = parser.getCurrentLocation();
        if (parseIntegers(parser, bases.emplace_back()))
          return failure();
        if (bases.back().size() == rank)
          return success();
        return ParseResult(parser.emitError(loc)
                           << keyword << " basis has " << bases.back().size()
                           << " coordinates in a layout of rank " << rank
                           << ": a basis has one coordinate per dim");
      });
}

/// How many bits the elements of a layout's tile are numbered with; registers,
/// lanes and warps name at most 22 of them.
static constexpr unsigned maxCoordinateBits = 30;

static LogicalResult checkShape(AsmParser &parser, SMLoc loc,
                                ArrayRef<int64_t> shape) {
  unsigned numBits = 0;
  for (int64_t size : shape) {
    if (size <= 0)
      return parser.emitError(loc) << "layout has a dim of size " << size
                                   << ": sizes of a tile are positive";
    numBits += getNumCoordinateBits(size);
    if (numBits > maxCoordinateBits)
      return parser.emitError(loc)
             << "layout has a tile of more than 2^" << maxCoordinateBits
             << " elements: a block's threads hold fewer";
  }
  return success();
}

/// A coordinate has as many bits as those of the next power of two: a size that
/// is none is cut off by the number of registers.
static LogicalResult checkBases(AsmParser &parser, SMLoc loc,
                                ArrayRef<int64_t> shape, const Bases &bases) {
  for (const Coordinates &basis : bases)
    for (auto [coordinate, size] : llvm::zip_equal(basis, shape))
      if (coordinate < 0 ||
          coordinate >= static_cast<int64_t>(llvm::PowerOf2Ceil(size)))
        return parser.emitError(loc)
               << "basis coordinate " << coordinate << " in a dim of size "
               << size << ": a basis lies inside the tile";
  return success();
}

static LogicalResult checkNumBases(AsmParser &parser, SMLoc loc,
                                   ArrayRef<Bases> bases,
                                   unsigned numRegisters) {
  if (bases[1].size() != numLaneBits)
    return parser.emitError(loc) << "layout has " << bases[1].size()
                                 << " lane bases: a warp has 32 lanes, which "
                                    "5 bases address";
  if (bases[0].size() > 12 || bases[2].size() > 5)
    return parser.emitError(loc)
           << "layout has " << bases[0].size() << " register and "
           << bases[2].size() << " warp bases: at most 12 and 5 are addressed";
  if (numRegisters > (1u << bases[0].size()))
    return parser.emitError(loc)
           << "layout has " << numRegisters << " registers and "
           << bases[0].size()
           << " register bases: registers are at most 2^bases";
  return success();
}

/// Vectors without their multiples: each has a leading bit of its own.
static SmallVector<int32_t> getEchelon(ArrayRef<int32_t> vectors) {
  SmallVector<int32_t> rows;
  for (int32_t vector : vectors) {
    for (int32_t row : rows)
      vector = std::min(vector, vector ^ row);
    if (vector)
      rows.push_back(vector);
  }
  llvm::sort(rows, std::greater<>());
  return rows;
}

std::optional<wtile::Outside> wtile::findOutside(const LinearLayout &layout) {
  for (auto [dim, size] : llvm::enumerate(layout.getShape())) {
    if (llvm::isPowerOf2_64(size))
      continue;
    SmallVector<int32_t> steps;
    for (LayoutInput input : {LayoutInput::Lane, LayoutInput::Warp})
      for (const Coordinates &basis : layout.getBases(input))
        steps.push_back(basis[dim]);
    SmallVector<int32_t> rows = getEchelon(steps);
    for (unsigned reg = 0; reg < layout.getNumRegisters(); ++reg) {
      int32_t last = layout.at(reg)[dim];
      for (int32_t row : rows)
        last = std::max(last, last ^ row);
      if (last >= size)
        return Outside{reg, last, size};
    }
  }
  return std::nullopt;
}

Attribute LayoutAttr::parse(AsmParser &parser, Type) {
  SmallVector<int64_t> shape;
  std::array<Bases, 3> bases;
  unsigned numRegisters = 0;
  SMLoc loc = parser.getCurrentLocation();
  if (parser.parseLess() || parseIntegers(parser, shape) ||
      parseBases(parser, "register", shape.size(), bases[0]) ||
      parseBases(parser, "lane", shape.size(), bases[1]) ||
      parseBases(parser, "warp", shape.size(), bases[2]))
    return {};
  if (succeeded(parser.parseOptionalKeyword("registers")) &&
      parser.parseInteger(numRegisters))
    return {};
  if (parser.parseGreater() || failed(checkShape(parser, loc, shape)))
    return {};
  for (const Bases &group : bases)
    if (failed(checkBases(parser, loc, shape, group)))
      return {};
  if (failed(checkNumBases(parser, loc, bases, numRegisters)))
    return {};
  LinearLayout layout(shape, bases[0], bases[1], bases[2], numRegisters);
  if (auto outside = findOutside(layout)) {
    parser.emitError(loc) << *outside;
    return {};
  }
  return LayoutAttr::get(parser.getContext(), layout);
}

LogicalResult
LayoutAttr::verifyEncoding(ArrayRef<int64_t> shape, Type,
                           function_ref<InFlightDiagnostic()> emitError) const {
  if (getMap().getShape() == shape)
    return success();
  InFlightDiagnostic diagnostic = emitError() << "layout of a tile of shape [";
  llvm::interleaveComma(getMap().getShape(), diagnostic);
  diagnostic << "] on one of shape [";
  llvm::interleaveComma(shape, diagnostic);
  return diagnostic << "]: a tile has its layout's shape";
}

static void printBases(AsmPrinter &printer, StringRef keyword,
                       const Bases &bases) {
  printer << ' ' << keyword << " [";
  llvm::interleaveComma(bases, printer, [&](const Coordinates &basis) {
    printer << '[';
    llvm::interleaveComma(basis, printer);
    printer << ']';
  });
  printer << ']';
}

void LayoutAttr::print(AsmPrinter &printer) const {
  const LinearLayout &map = getMap();
  printer << "<[";
  llvm::interleaveComma(map.getShape(), printer);
  printer << ']';
  printBases(printer, "register", map.getBases(LayoutInput::Register));
  printBases(printer, "lane", map.getBases(LayoutInput::Lane));
  printBases(printer, "warp", map.getBases(LayoutInput::Warp));
  unsigned full = 1u << map.getBases(LayoutInput::Register).size();
  if (map.getNumRegisters() != full)
    printer << " registers " << map.getNumRegisters();
  printer << '>';
}

//===----------------------------------------------------------------------===//
// Types
//===----------------------------------------------------------------------===//

static ParseResult parseShaped(AsmParser &parser, SmallVector<int64_t> &shape,
                               Type &elementType) {
  return ParseResult(
      failure(parser.parseLess() ||
              parser.parseDimensionList(shape, /*allowDynamic=*/false) ||
              parser.parseType(elementType) || parser.parseGreater()));
}

static void printShaped(AsmPrinter &printer, ArrayRef<int64_t> shape,
                        Type elementType) {
  printer << '<';
  for (int64_t size : shape)
    printer << size << 'x';
  printer << elementType << '>';
}

/// Elements that memory holds, whole bytes, as many as 32 bits address.
static LogicalResult verifyMemory(function_ref<InFlightDiagnostic()> emitError,
                                  ArrayRef<int64_t> shape, Type type) {
  if (!type.isIntOrFloat() || type.getIntOrFloatBitWidth() % 8 != 0)
    return emitError() << "element type " << type
                       << ": elements are floats or integers of whole bytes";
  int64_t bytes = type.getIntOrFloatBitWidth() / 8;
  for (int64_t size : shape) {
    if (size <= 0)
      return emitError() << "dim of size " << size
                         << ": sizes of a buffer are positive";
    if (size > std::numeric_limits<int32_t>::max() / bytes)
      return emitError() << "buffer of more than "
                         << std::numeric_limits<int32_t>::max()
                         << " bytes: an address has 32 bits";
    bytes *= size;
  }
  return success();
}

int64_t SharedType::getNumElements() const {
  int64_t count = 1;
  for (int64_t size : getShape())
    count *= size;
  return count;
}

unsigned SharedType::getElementBytes() const {
  return getElementType().getIntOrFloatBitWidth() / 8;
}

LogicalResult SharedType::verify(function_ref<InFlightDiagnostic()> emitError,
                                 ArrayRef<int64_t> shape, Type elementType) {
  return verifyMemory(emitError, shape, elementType);
}

Type SharedType::parse(AsmParser &parser) {
  SmallVector<int64_t> shape;
  Type elementType;
  SMLoc loc = parser.getCurrentLocation();
  if (parseShaped(parser, shape, elementType))
    return {};
  return getChecked([&] { return parser.emitError(loc); }, parser.getContext(),
                    shape, elementType);
}

void SharedType::print(AsmPrinter &printer) const {
  printShaped(printer, getShape(), getElementType());
}

LogicalResult StackType::verify(function_ref<InFlightDiagnostic()> emitError,
                                ArrayRef<int64_t> shape, Type elementType) {
  if (shape.empty())
    return emitError() << "stack of rank 0: dim 0 counts the slots";
  return verifyMemory(emitError, shape, elementType);
}

Type StackType::parse(AsmParser &parser) {
  SmallVector<int64_t> shape;
  Type elementType;
  SMLoc loc = parser.getCurrentLocation();
  if (parseShaped(parser, shape, elementType))
    return {};
  return getChecked([&] { return parser.emitError(loc); }, parser.getContext(),
                    shape, elementType);
}

void StackType::print(AsmPrinter &printer) const {
  printShaped(printer, getShape(), getElementType());
}
