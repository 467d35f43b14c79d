// .npy files: every element type there and back, Fortran order, bad headers.
#include "kernels_ref/io/npy.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>

#include "model/diagnostic.hpp"

namespace bufferproof::kernels {
namespace {

using testing::HasSubstr;

constexpr DType kAll[] = {DType::f16, DType::bf16, DType::f32, DType::f64, DType::i1,
                          DType::i8,  DType::u8,   DType::i16, DType::i32, DType::i64};

std::vector<std::byte> file(const std::string& header, std::size_t data) {
  std::string text = std::string("\x93NUMPY\x01\x00", 8);
  text += static_cast<char>(header.size() & 0xff);
  text += static_cast<char>(header.size() >> 8);
  text += header;
  std::vector<std::byte> out(text.size() + data);
  std::memcpy(out.data(), text.data(), text.size());
  for (std::size_t i = 0; i < data; ++i) out[text.size() + i] = static_cast<std::byte>(i);
  return out;
}

std::string error(const std::vector<std::byte>& bytes) {
  try {
    read_npy(bytes, "t.npy");
  } catch (const model::InputError& e) {
    return e.what();
  }
  return "no error";
}

TEST(Npy, EveryTypeAndRankComesBack) {
  for (const DType dtype : kAll)
    for (const Sizes& sizes : {Sizes{}, Sizes{5}, Sizes{2, 3, 4}, Sizes{2, 0}}) {
      const Tensor tensor(dtype, sizes);
      const std::vector<std::byte> bytes = write_npy(tensor.view());
      EXPECT_EQ((bytes.size() - tensor.size_in_bytes()) % 64, 0U);
      const Tensor back = read_npy(bytes, "t.npy");
      EXPECT_EQ(back.dtype(), dtype);
      EXPECT_EQ(back.sizes(), sizes);
      ASSERT_EQ(back.size_in_bytes(), tensor.size_in_bytes());
      if (tensor.size_in_bytes() > 0) {
        EXPECT_EQ(std::memcmp(back.view().bytes(), tensor.view().bytes(), tensor.size_in_bytes()), 0);
      }
    }
}

TEST(Npy, TheHeaderIsWhatNumpyWrites) {
  const Tensor tensor(DType::f32, {3});
  const std::vector<std::byte> bytes = write_npy(tensor.view());
  const std::string text(reinterpret_cast<const char*>(bytes.data()) + 10, 60);
  EXPECT_EQ(text.substr(0, 58), "{'descr': '<f4', 'fortran_order': False, 'shape': (3,), } ");
}

TEST(Npy, FortranOrderBecomesRowMajor) {
  const Tensor t = read_npy(file("{'descr': '|u1', 'fortran_order': True, 'shape': (2, 3), }\n", 6), "t.npy");
  const std::vector<std::uint8_t> expected{0, 2, 4, 1, 3, 5};
  const auto found = t.elements<std::uint8_t>();
  EXPECT_EQ(std::vector<std::uint8_t>(found.begin(), found.end()), expected);
}

TEST(Npy, StridedViewsAreWrittenRowMajor) {
  Tensor t(DType::i32, {2, 3});
  for (int i = 0; i < 6; ++i) t.elements<std::int32_t>()[static_cast<std::size_t>(i)] = i;
  const int order[] = {1, 0};
  const Tensor back = read_npy(write_npy(std::as_const(t).view().permute(order)), "t.npy");
  EXPECT_EQ(back.sizes(), (Sizes{3, 2}));
  EXPECT_EQ(back.view().at<std::int32_t>({2, 0}), 2);
}

TEST(Npy, BadFilesAreNamed) {
  EXPECT_THAT(error({}), HasSubstr("t.npy: expected a .npy file"));
  EXPECT_THAT(error(file("{'descr': '>f4', 'fortran_order': False, 'shape': (1,), }\n", 4)),
              HasSubstr("little-endian"));
  EXPECT_THAT(error(file("{'descr': '<c8', 'fortran_order': False, 'shape': (1,), }\n", 8)),
              HasSubstr("<c8"));
  EXPECT_THAT(error(file("{'descr': '<f4', 'fortran_order': False, 'shape': (3,), }\n", 8)),
              HasSubstr("expected 3 elements of 4 bytes, found 8 bytes"));
  EXPECT_THAT(
      error(file("{'descr': '<f4', 'fortran_order': False, 'shape': (4611686018427387904, 9), }\n", 8)),
      HasSubstr("a shape whose size fits"));
  EXPECT_THAT(error(file("{'descr': '<f4', 'fortran_order': False, 'shape': (-1,), }\n", 8)),
              HasSubstr("a size"));
  EXPECT_THAT(error(file("{'descr': '<f4', 'fortran_order': False}\n", 8)), HasSubstr("a shape"));
  EXPECT_THAT(error(file("{'descr': '<f4', 'shape': (1,)", 8)), HasSubstr("the .npy header"));
  EXPECT_THAT(error(file("{'what': 3}", 8)), HasSubstr("the keys descr"));
  EXPECT_THAT(error(file("", 0)), HasSubstr("'{'"));
  std::vector<std::byte> version = file("{}", 0);
  version[6] = std::byte{9};
  EXPECT_THAT(error(version), HasSubstr("version 1 to 3"));
}

TEST(Npy, EveryTruncationIsRefused) {
  const Tensor tensor(DType::f64, {2, 2});
  std::vector<std::byte> bytes = write_npy(tensor.view());
  while (!bytes.empty()) {
    bytes.pop_back();
    ASSERT_THAT(error(bytes), HasSubstr("t.npy"));
  }
}

}  // namespace
}  // namespace bufferproof::kernels
