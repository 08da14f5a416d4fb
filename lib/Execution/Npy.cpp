// Part of Scanweft, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

//===----------------------------------------------------------------------===//
// A .npy file is a magic string, a version, the length of a header, the header
// (a Python dict literal of three keys) and the raw elements.
//===----------------------------------------------------------------------===//

#include "scanweft/Execution/Npy.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MemoryBuffer.h"
#include <cstring>

using namespace llvm;
using namespace scanweft;

static constexpr StringLiteral kMagic("\x93NUMPY");
/// numpy refuses more axes than this.
static constexpr size_t kMaxRank = 64;
/// Data start at a multiple of this.
static constexpr size_t kHeaderAlignment = 64;

namespace {

/// What the header's dict says.
struct Header {
  std::optional<ElementType> type;
  std::optional<bool> fortranOrder;
  std::optional<SmallVector<int64_t>> shape;
};

/// Parses the dict literal. Every `consume` skips blanks first.
class HeaderParser {
public:
  explicit HeaderParser(StringRef text) : text(text) {}

  Expected<Header> parse();

private:
  bool consume(StringRef token) {
    text = text.ltrim();
    return text.consume_front(token);
  }
  std::optional<StringRef> consumeString();
  Error parseValue(StringRef key, Header &header);
  Error parseDescr(Header &header);
  Error parseShape(Header &header);

  StringRef text;
};

} // namespace

static Error corruptHeader() {
  return createStringError("the header is not that of a .npy file");
}

std::optional<StringRef> HeaderParser::consumeString() {
  text = text.ltrim();
  if (text.empty() || (text.front() != '\'' && text.front() != '"'))
    return std::nullopt;
  size_t end = text.find(text.front(), 1);
  if (end == StringRef::npos)
    return std::nullopt;
  StringRef value = text.slice(1, end);
  text = text.drop_front(end + 1);
  return value;
}

Error HeaderParser::parseDescr(Header &header) {
  std::optional<StringRef> descr = consumeString();
  if (!descr)
    return createStringError("the array is structured, not of one plain type");
  header.type = StringSwitch<std::optional<ElementType>>(*descr)
                    .Case("<f2", ElementType::F16)
                    .Cases({"<V2", "|V2"}, ElementType::BF16)
                    .Case("<f4", ElementType::F32)
                    .Case("<f8", ElementType::F64)
                    .Case("|b1", ElementType::I1)
                    .Case("|i1", ElementType::I8)
                    .Case("<i2", ElementType::I16)
                    .Case("<i4", ElementType::I32)
                    .Case("<i8", ElementType::I64)
                    .Case("|u1", ElementType::U8)
                    .Case("<u2", ElementType::U16)
                    .Case("<u4", ElementType::U32)
                    .Case("<u8", ElementType::U64)
                    .Default(std::nullopt);
  if (!header.type)
    return createStringError(
        formatv("the element type '{0}' is none of <f2 <f4 <f8 |b1 |i1 <i2 <i4 "
                "<i8 |u1 <u2 <u4 <u8 and V2 (bf16)",
                *descr));
  return Error::success();
}

Error HeaderParser::parseShape(Header &header) {
  if (!consume("("))
    return corruptHeader();
  SmallVector<int64_t> shape;
  while (!consume(")")) {
    int64_t size;
    text = text.ltrim();
    if (text.consumeInteger(10, size))
      return corruptHeader();
    shape.push_back(size);
    if (!consume(",") && !text.ltrim().starts_with(")"))
      return corruptHeader();
  }
  if (shape.size() > kMaxRank)
    return corruptHeader();
  header.shape = std::move(shape);
  return Error::success();
}

Error HeaderParser::parseValue(StringRef key, Header &header) {
  if (key == "descr")
    return parseDescr(header);
  if (key == "shape")
    return parseShape(header);
  if (key == "fortran_order") {
    if (consume("True"))
      header.fortranOrder = true;
    else if (consume("False"))
      header.fortranOrder = false;
    else
      return corruptHeader();
    return Error::success();
  }
  return corruptHeader();
}

Expected<Header> HeaderParser::parse() {
  Header header;
  if (!consume("{"))
    return corruptHeader();
  while (!consume("}")) {
    std::optional<StringRef> key = consumeString();
    if (!key || !consume(":"))
      return corruptHeader();
    if (Error error = parseValue(*key, header))
      return std::move(error);
    if (!consume(",") && !text.ltrim().starts_with("}"))
      return corruptHeader();
  }
  if (!header.type || !header.fortranOrder || !header.shape)
    return corruptHeader();
  return header;
}

/// Cuts the header off the front of `bytes`, which keeps the data.
static Expected<StringRef> takeHeader(StringRef &bytes) {
  if (!bytes.consume_front(kMagic))
    return createStringError("it does not start as a .npy file does");
  if (bytes.size() < 2)
    return createStringError("it ends inside its header");
  unsigned version = static_cast<uint8_t>(bytes[0]);
  if (version < 1 || version > 3)
    return createStringError(
        formatv("its format version is {0}, known are 1 to 3", version));
  bytes = bytes.drop_front(2);
  size_t width = version == 1 ? 2 : 4;
  if (bytes.size() < width)
    return createStringError("it ends inside its header");
  size_t length = version == 1 ? support::endian::read16le(bytes.data())
                               : support::endian::read32le(bytes.data());
  bytes = bytes.drop_front(width);
  if (bytes.size() < length)
    return createStringError("it ends inside its header");
  StringRef text = bytes.take_front(length);
  bytes = bytes.drop_front(length);
  return text;
}

/// Copies elements stored first axis fastest into row-major order.
static void copyTransposed(const char *from, Array &to) {
  const size_t width = byteSize(to.getType());
  ArrayRef<int64_t> shape = to.getShape();
  SmallVector<int64_t> index(shape.size(), 0), stride(shape.size(), 1);
  for (size_t axis = 1; axis < shape.size(); ++axis)
    stride[axis] = stride[axis - 1] * shape[axis - 1];
  int64_t source = 0;
  for (int64_t i = 0, e = to.getNumElements(); i < e; ++i) {
    std::memcpy(to.getData() + i * width, from + source * width, width);
    for (size_t axis = shape.size(); axis-- > 0;) {
      source += stride[axis];
      if (++index[axis] < shape[axis])
        break;
      source -= stride[axis] * shape[axis];
      index[axis] = 0;
    }
  }
}

Expected<Array> scanweft::parseNpy(StringRef bytes) {
  Expected<StringRef> text = takeHeader(bytes);
  if (!text)
    return text.takeError();
  Expected<Header> header = HeaderParser(*text).parse();
  if (!header)
    return header.takeError();
  const int64_t width = byteSize(*header->type);
  std::optional<int64_t> count = countElements(*header->shape, width);
  // Before any memory is asked for: the file itself bounds the array.
  if (!count || static_cast<uint64_t>(*count) * width != bytes.size())
    return createStringError(
        formatv("its shape {0} of {1} does not fit its {2} bytes of data",
                shapeToString(*header->shape), elementTypeName(*header->type),
                bytes.size()));
  Expected<Array> array = Array::create(*header->type, *header->shape);
  if (!array)
    return array;
  if (*header->fortranOrder)
    copyTransposed(bytes.data(), *array);
  else
    std::memcpy(array->getData(), bytes.data(), bytes.size());
  return array;
}

/// numpy's name of a type that it knows.
static StringRef descrOf(ElementType type) {
  switch (type) {
  case ElementType::F16:
    return "<f2";
  case ElementType::BF16:
  case ElementType::F32:
    return "<f4";
  case ElementType::F64:
    return "<f8";
  case ElementType::I1:
    return "|b1";
  case ElementType::I8:
    return "|i1";
  case ElementType::I16:
    return "<i2";
  case ElementType::I32:
    return "<i4";
  case ElementType::I64:
    return "<i8";
  case ElementType::U8:
    return "|u1";
  case ElementType::U16:
    return "<u2";
  case ElementType::U32:
    return "<u4";
  case ElementType::U64:
    return "<u8";
  }
  llvm_unreachable("every element type has a name");
}

void scanweft::writeNpy(raw_ostream &os, const Array &array) {
  std::string dims;
  for (int64_t size : array.getShape())
    dims += std::to_string(size) + ", ";
  // A tuple of one keeps its comma.
  if (array.getShape().size() > 1)
    dims.resize(dims.size() - 2);
  else if (!dims.empty())
    dims.pop_back();
  std::string header =
      formatv("{{'descr': '{0}', 'fortran_order': False, 'shape': ({1}), }",
              descrOf(array.getType()), dims);
  const size_t prefix = kMagic.size() + 4;
  header.append(
      kHeaderAlignment - 1 - (prefix + header.size()) % kHeaderAlignment, ' ');
  header += '\n';
  os << kMagic << '\1' << '\0' << static_cast<char>(header.size() & 0xff)
     << static_cast<char>(header.size() >> 8) << header;
  if (array.getType() != ElementType::BF16) {
    os.write(array.getData(), array.getNumBytes());
    return;
  }
  for (int64_t i = 0, e = array.getNumElements(); i < e; ++i) {
    float value = static_cast<float>(array.getDouble(i));
    os.write(reinterpret_cast<const char *>(&value), sizeof(value));
  }
}

Expected<Array> scanweft::readNpyFile(StringRef path) {
  auto buffer = MemoryBuffer::getFile(path, /*IsText=*/false,
                                      /*RequiresNullTerminator=*/false);
  if (!buffer)
    return createStringError(buffer.getError(), buffer.getError().message());
  return parseNpy((*buffer)->getBuffer());
}
