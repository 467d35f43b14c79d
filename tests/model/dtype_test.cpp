#include "model/dtype.hpp"

#include <gtest/gtest.h>

namespace bufferproof::model {
namespace {

TEST(DType, EverySpellingOfEveryDialectReads) {
  EXPECT_EQ(parse_dtype("f32"), DType::f32);
  EXPECT_EQ(parse_dtype("torch.bool"), DType::i1);
  EXPECT_EQ(parse_dtype("bfloat16"), DType::bf16);
  EXPECT_EQ(parse_dtype("si64"), DType::i64);
  EXPECT_EQ(parse_dtype("float8_e4m3"), std::nullopt);
}

TEST(DType, NamesReadBack) {
  for (DType dtype : {DType::f16, DType::bf16, DType::f32, DType::f64, DType::i1, DType::i8, DType::u8,
                      DType::i16, DType::i32, DType::i64}) {
    EXPECT_EQ(parse_dtype(name(dtype)), dtype);
    EXPECT_EQ(parse_dtype(torch_name(dtype)), dtype);
  }
}

TEST(DType, BoolOccupiesOneByte) { EXPECT_EQ(size_in_bytes(DType::i1), 1); }

}  // namespace
}  // namespace bufferproof::model
