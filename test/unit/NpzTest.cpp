// Part of Scanweft, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

//===----------------------------------------------------------------------===//
// .npy and .npz in memory: round trips, and every prefix and every changed byte
// of a file, which may read as something else or fail, never crash.
//===----------------------------------------------------------------------===//

#include "scanweft/Execution/Npz.h"
#include "scanweft/Execution/Inflate.h"
#include "scanweft/Execution/Npy.h"
#include <gtest/gtest.h>

using namespace llvm;
using namespace scanweft;

static Array iota(ElementType type, ArrayRef<int64_t> shape) {
  Array array = cantFail(Array::create(type, shape));
  for (int64_t i = 0; i < array.getNumElements(); ++i) {
    if (isFloat(type))
      array.setDouble(i, static_cast<double>(i) / 4);
    else
      array.setInteger(i, i & 1);
  }
  return array;
}

static std::string npyBytes(const Array &array) {
  std::string bytes;
  raw_string_ostream os(bytes);
  writeNpy(os, array);
  return bytes;
}

/// A .npy file of the given header and data.
static std::string npyOf(StringRef header, StringRef data) {
  std::string bytes = "\x93NUMPY";
  bytes += '\1';
  bytes += '\0';
  bytes += static_cast<char>(header.size());
  bytes += '\0';
  return bytes + header.str() + data.str();
}

static std::string errorOf(StringRef bytes) {
  Expected<Array> array = parseNpy(bytes);
  return array ? "" : toString(array.takeError());
}

static std::string npzBytes() {
  Array x = iota(ElementType::F32, {2, 3}), n = iota(ElementType::I32, {});
  std::string bytes;
  raw_string_ostream os(bytes);
  cantFail(writeNpz(os, {{"x", &x}, {"n", &n}}));
  return bytes;
}

TEST(Npy, RoundTrip) {
  for (int type = 0; type <= static_cast<int>(ElementType::U64); ++type)
    for (SmallVector<int64_t> shape :
         {SmallVector<int64_t>{}, {5}, {0}, {2, 3}, {2, 0, 3}, {1, 2, 3, 4}}) {
      Array array = iota(static_cast<ElementType>(type), shape);
      std::string bytes = npyBytes(array);
      EXPECT_EQ((bytes.size() - (array.getType() == ElementType::BF16
                                     ? 2 * array.getNumBytes()
                                     : array.getNumBytes())) %
                    64,
                0u);
      Array back = cantFail(parseNpy(bytes));
      EXPECT_EQ(back.getShape(), array.getShape());
      // bf16 travels as f4.
      if (array.getType() != ElementType::BF16)
        EXPECT_EQ(back.getType(), array.getType());
      for (int64_t i = 0; i < array.getNumElements(); ++i)
        EXPECT_EQ(back.getDouble(i), array.getDouble(i));
    }
}

TEST(Npy, OrderOfAxes) {
  std::string data("\0\1\2\3\4\5", 6);
  Array rows = cantFail(parseNpy(npyOf(
      "{'descr': '|i1', 'fortran_order': False, 'shape': (2, 3)}", data)));
  Array columns = cantFail(parseNpy(
      npyOf("{'descr': '|i1', 'fortran_order': True, 'shape': (2, 3)}", data)));
  for (int64_t i = 0; i < 2; ++i)
    for (int64_t j = 0; j < 3; ++j) {
      EXPECT_EQ(rows.getInteger(3 * i + j), 3 * i + j);
      EXPECT_EQ(columns.getInteger(3 * i + j), i + 2 * j);
    }
}

TEST(Npy, Errors) {
  EXPECT_EQ(errorOf(""), "it does not start as a .npy file does");
  EXPECT_EQ(errorOf("PK\3\4"), "it does not start as a .npy file does");
  EXPECT_EQ(errorOf(StringRef("\x93NUMPY\7\0\0\0", 10)),
            "its format version is 7, known are 1 to 3");
  EXPECT_EQ(
      errorOf(npyOf("{'descr': '>f4', 'fortran_order': False, 'shape': ()}",
                    "1234")),
      "the element type '>f4' is none of <f2 <f4 <f8 |b1 |i1 <i2 <i4 <i8 "
      "|u1 <u2 <u4 <u8 and V2 (bf16)");
  EXPECT_EQ(errorOf(npyOf("{'descr': [('a', '<f4')], 'shape': ()}", "1234")),
            "the array is structured, not of one plain type");
  EXPECT_EQ(errorOf(npyOf("{'descr': '<f4', 'shape': ()}", "1234")),
            "the header is not that of a .npy file");
  EXPECT_EQ(
      errorOf(npyOf("{'descr': '<f4', 'fortran_order': False, 'shape': (2,)}",
                    "1234")),
      "its shape 2 of f32 does not fit its 4 bytes of data");
  EXPECT_EQ(
      errorOf(npyOf("{'descr': '<f4', 'fortran_order': False, "
                    "'shape': (4294967296, 4294967296)}",
                    "")),
      "its shape 4294967296x4294967296 of f32 does not fit its 0 bytes of "
      "data");
  EXPECT_EQ(
      errorOf(npyOf("{'descr': '<f4', 'fortran_order': False, 'shape': (-1,)}",
                    "")),
      "its shape -1 of f32 does not fit its 0 bytes of data");
}

TEST(Npz, RoundTripAndSameBytes) {
  std::string bytes = npzBytes();
  EXPECT_EQ(bytes, npzBytes());
  ArrayMap arrays = cantFail(parseNpz(bytes));
  ASSERT_EQ(arrays.size(), 2u);
  EXPECT_EQ(arrays.begin()->first, "x");
  EXPECT_EQ(arrays.begin()->second.getDouble(5), 1.25);
}

TEST(Npz, EveryPrefixFails) {
  std::string bytes = npzBytes();
  for (size_t size = 0; size < bytes.size(); ++size) {
    Expected<ArrayMap> arrays = parseNpz(StringRef(bytes).take_front(size));
    EXPECT_FALSE(static_cast<bool>(arrays)) << size;
    consumeError(arrays.takeError());
  }
}

TEST(Npz, AnyByteMayChange) {
  std::string bytes = npzBytes();
  for (size_t at = 0; at < bytes.size(); ++at)
    for (char flip : {'\x01', '\x80', '\xff'}) {
      std::string changed = bytes;
      changed[at] ^= flip;
      Expected<ArrayMap> arrays = parseNpz(changed);
      if (!arrays)
        consumeError(arrays.takeError());
    }
}

TEST(Npz, AChecksumGuardsEveryDataByte) {
  std::string bytes = npzBytes();
  size_t data = bytes.find("NUMPY");
  for (size_t at = data; at < data + 100; ++at) {
    std::string changed = bytes;
    changed[at] ^= 1;
    Expected<ArrayMap> arrays = parseNpz(changed);
    ASSERT_FALSE(static_cast<bool>(arrays));
    EXPECT_EQ(toString(arrays.takeError()), "array 'x': its checksum is wrong");
  }
}

static std::string inflated(StringRef packed, size_t size) {
  Expected<std::string> result = inflate(packed, size);
  return result ? *result : "error: " + toString(result.takeError());
}

TEST(Inflate, StoredFixedAndMatches) {
  EXPECT_EQ(inflated(StringRef("\x01\x03\x00\xfc\xff"
                               "abc",
                               8),
                     3),
            "abc");
  // Fixed codes; a literal and a match that overlaps itself.
  EXPECT_EQ(inflated(StringRef("\x4b\x84\x03\x00", 4), 10), "aaaaaaaaaa");
}

TEST(Inflate, Errors) {
  EXPECT_EQ(inflated("", 1), "error: the compressed data end early");
  EXPECT_EQ(inflated("\x07", 1),
            "error: the compressed data are corrupt: invalid block type");
  EXPECT_EQ(
      inflated(StringRef("\x01\x03\x00\x00\x00", 5), 3),
      "error: the compressed data are corrupt: invalid stored block lengths");
  EXPECT_EQ(inflated(StringRef("\x4b\x84\x03\x00", 4), 9),
            "error: it unpacks to more than it declares");
  EXPECT_EQ(inflated(StringRef("\x4b\x84\x03\x00", 4), 11),
            "error: it unpacks to less than it declares");
}
