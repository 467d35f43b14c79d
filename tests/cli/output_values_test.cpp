// Summaries and comparisons of outputs.
#include "cli/output_values.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "cli/text_table.hpp"
#include "kernels_ref/element.hpp"

namespace bufferproof::cli {
namespace {

using kernels::Tensor;
using model::DType;
using ::testing::ElementsAre;

constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
constexpr float kInf = std::numeric_limits<float>::infinity();

Tensor tensor(const std::vector<float>& values) {
  Tensor out(DType::f32, {2, static_cast<std::int64_t>(values.size()) / 2});
  std::copy(values.begin(), values.end(), out.elements<float>().begin());
  return out;
}

TEST(OutputSummary, CountsWhatIsNoNumber) {
  const OutputSummary s = summarize("y", tensor({1, -3, kNan, kInf, 2, kNan}).view());
  EXPECT_EQ(s.elements, 6);
  EXPECT_EQ(s.nans, 2);
  EXPECT_EQ(s.infinities, 1);
  EXPECT_EQ(s.least, -3);
  EXPECT_EQ(s.greatest, kInf);
  const OutputSummary none = summarize("y", tensor({kNan, kNan}).view());
  EXPECT_FALSE(none.least);
  EXPECT_EQ(none.largest_magnitude(), 0);
}

TEST(OutputSummary, EveryElementType) {
  for (const DType dtype : {DType::f16, DType::bf16, DType::f32, DType::f64, DType::i1, DType::i8, DType::u8,
                            DType::i16, DType::i32, DType::i64}) {
    Tensor t(dtype, {2});
    kernels::visit_dtype(dtype, [&](auto tag) {
      using T = typename decltype(tag)::type;
      std::fill_n(reinterpret_cast<char*>(t.view().bytes()), t.size_in_bytes(), 0);
      (void)sizeof(T);
    });
    const OutputSummary s = summarize("y", t.view());
    EXPECT_EQ(s.least, 0) << model::name(dtype);
    EXPECT_EQ(s.nans, 0);
  }
}

TEST(OutputDifference, IntegersThatAreOneDouble) {
  Tensor a(DType::i64, {2});
  a.elements<std::int64_t>()[0] = 9007199254740993;
  Tensor b = a;
  b.elements<std::int64_t>()[0] = 9007199254740992;
  const OutputDifference d = compare(a.view(), b.view());
  EXPECT_EQ(d.wrong, 1);
  EXPECT_EQ(d.largest_error, 1);
  EXPECT_NE(numbers_of(a.view())[0], numbers_of(b.view())[0]);
}

TEST(OutputDifference, FirstWrongElementAndLargestError) {
  const OutputDifference d = compare(tensor({1, 2, 3, 4}).view(), tensor({1, 2.5F, 3, 1}).view());
  EXPECT_EQ(d.wrong, 2);
  EXPECT_EQ(d.largest_error, 3);
  EXPECT_THAT(d.first, ElementsAre(0, 1));
  EXPECT_THAT(d.worst, ElementsAre(1, 1));
  EXPECT_EQ(d.worst_value, 4);
  EXPECT_EQ(d.worst_golden, 1);
}

TEST(OutputDifference, NansAreToldApartFromErrors) {
  const OutputDifference d = compare(tensor({kNan, 2, kInf, 4}).view(), tensor({1, 2, 3, 4}).view());
  EXPECT_EQ(d.wrong, 2);
  EXPECT_EQ(d.nans, 1);
  EXPECT_EQ(d.finite, 0);
  EXPECT_TRUE(std::isnan(d.worst_value));
  EXPECT_THAT(d.worst, ElementsAre(0, 0));
  EXPECT_EQ(compare(tensor({kNan, 0}).view(), tensor({-kNan, 0}).view()).wrong, 0) << "payloads say nothing";
  EXPECT_EQ(compare(tensor({-0.0F, 0}).view(), tensor({0, 0}).view()).wrong, 1) << "other bits";
  EXPECT_THROW(compare(tensor({1, 2}).view(), tensor({1, 2, 3, 4}).view()), std::invalid_argument);
}

TEST(OutputNames, ToldApart) {
  std::vector<simulator::ReturnedTensor> outputs(3);
  outputs[0].name = outputs[2].name = "buf0";
  outputs[1].name = "buf1";
  EXPECT_THAT(distinct_names(outputs), ElementsAre("buf0", "buf1", "buf0_2"));
}

TEST(TextTable, ColumnsAlign) {
  EXPECT_EQ(text_table({{"a", "bb", "c"}, {"aaa", "b", ""}}), "  a    bb  c\n  aaa  b\n");
}

TEST(NumberText, ByElementType) {
  EXPECT_EQ(number_text(3, DType::i64), "3");
  EXPECT_EQ(number_text(0.5, DType::f32), "0.5");
  EXPECT_EQ(number_text(kNan, DType::f32), "nan");
  EXPECT_EQ(number_text(-kInf, DType::f32), "-inf");
}

}  // namespace
}  // namespace bufferproof::cli
