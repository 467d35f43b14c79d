// Inside one body: which parameter element a wrong result element comes from, by values.
#include "simulator/body/value_path.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace bufferproof::simulator {
namespace {

using kernels::Tensor;
using model::DType;

const float kNan = std::nanf("");
const float kInf = HUGE_VALF;

Tensor f32(const kernels::Sizes& sizes, const std::vector<float>& values) {
  Tensor out(DType::f32, sizes);
  std::copy(values.begin(), values.end(), out.elements<float>().begin());
  return out;
}
Tensor i64(const kernels::Sizes& sizes, const std::vector<std::int64_t>& values) {
  Tensor out(DType::i64, sizes);
  std::copy(values.begin(), values.end(), out.elements<std::int64_t>().begin());
  return out;
}

std::vector<BodyArgument> views(const std::vector<Tensor>& tensors) {
  std::vector<BodyArgument> out;
  for (const Tensor& tensor : tensors) out.emplace_back(tensor.view());
  return out;
}

/// "parameter [element]", "kind by op [element]", or "?".
std::string path(const std::string& body, const std::vector<Tensor>& run, const std::vector<Tensor>& right,
                 const Index& element) {
  const ValuePath found =
      trace_value(model::parse_tensor_function(body), views(run), views(right), 0, element, {});
  std::string where = " [";
  for (const std::int64_t i : found.birth ? found.birth->element : found.element)
    where += std::to_string(i) + " ";
  if (found.birth) return found.birth->kind + " by " + found.birth->op + where + "]";
  return found.parameter ? std::to_string(*found.parameter) + where + "]" : "?";
}

template <typename... T>
std::vector<Tensor> list(T&&... tensors) {
  std::vector<Tensor> out;
  (out.push_back(std::forward<T>(tensors)), ...);
  return out;
}

const char* const kSelect = R"(func @k(%c: f32[2], %x: f32[2], %y: f32[2]) {
  %z = constant {bits = 0, dtype = f32} : f32[]
  %b = broadcast %z {dims = [], shape = sizes[2]} : f32[2]
  %g = gt %c, %b : i1[2]
  %s = select %g, %x, %y : f32[2]
  return %s })";

TEST(ValuePath, OfASelectTheChosenSide) {
  const auto right = list(f32({2}, {1, -1}), f32({2}, {5, 5}), f32({2}, {6, 6}));
  EXPECT_EQ(
      path(kSelect, list(f32({2}, {1, -1}), f32({2}, {kNan, kNan}), f32({2}, {kNan, kNan})), right, {0}),
      "1 [0 ]");
  EXPECT_EQ(
      path(kSelect, list(f32({2}, {1, -1}), f32({2}, {kNan, kNan}), f32({2}, {kNan, kNan})), right, {1}),
      "2 [1 ]");
  EXPECT_EQ(path(kSelect, list(f32({2}, {-1, -1}), f32({2}, {5, 5}), f32({2}, {6, 6})), right, {0}), "0 [0 ]")
      << "the condition itself is wrong";
}

TEST(ValuePath, OfAMaximumTheOneThatWins) {
  const char* body = "func @k(%x: f32[1], %y: f32[1]) { %z = max %x, %y : f32[1] return %z }";
  const auto right = list(f32({1}, {1}), f32({1}, {2}));
  EXPECT_EQ(path(body, list(f32({1}, {9}), f32({1}, {3})), right, {0}), "0 [0 ]");
  EXPECT_EQ(path(body, list(f32({1}, {0.5F}), f32({1}, {3})), right, {0}), "1 [0 ]");
  EXPECT_EQ(path(body, list(f32({1}, {1.5F}), f32({1}, {-9})), right, {0}), "0 [0 ]");
}

TEST(ValuePath, OfAGatherTheElementThatIsNamed) {
  const char* body =
      "func @k(%x: f32[4, 2], %i: i64[3]) { %z = take %x, %i {dim = 0} : f32[3, 2] return %z }";
  const auto right = list(f32({4, 2}, {0, 1, 2, 3, 4, 5, 6, 7}), i64({3}, {3, 0, 2}));
  const auto run = [](std::int64_t last) {
    return list(f32({4, 2}, {kNan, kNan, 2, 3, 4, 5, 6, kNan}), i64({3}, {3, 0, last}));
  };
  EXPECT_EQ(path(body, run(2), right, {0, 1}), "0 [3 1 ]");
  EXPECT_EQ(path(body, run(2), right, {1, 0}), "0 [0 0 ]");
  EXPECT_EQ(path(body, run(1), right, {2, 0}), "1 [2 ]") << "the index is wrong";
}

TEST(ValuePath, OfASumTheLargestChange) {
  const char* body = "func @k(%x: f32[1, 3], %y: f32[3, 1]) { %z = matmul %x, %y : f32[1, 1] return %z }";
  const auto right = list(f32({1, 3}, {1, 1, 1}), f32({3, 1}, {1, 0, 100}));
  EXPECT_EQ(path(body, list(f32({1, 3}, {3, 500, 1.5F}), f32({3, 1}, {1, 0, 100})), right, {0, 0}),
            "0 [0 2 ]")
      << "500 counts nothing, 1.5 counts a hundred times";
  EXPECT_EQ(path(body, list(f32({1, 3}, {1, 1, 1}), f32({3, 1}, {1, 7, 100})), right, {0, 0}), "1 [1 0 ]");
}

TEST(ValuePath, WindowsOfConvolutions) {
  const char* body = R"(func @k(%x: f32[1, 1, 4, 4], %w: f32[1, 1, 2, 2]) { %z = convolution %x, %w
    {dilation = [1, 1], groups = 1, padding = [1, 1], stride = [2, 2]} : f32[1, 1, 3, 3] return %z })";
  std::vector<float> image(16, 1);
  const auto weight = [] { return f32({1, 1, 2, 2}, {1, 2, 3, 4}); };
  const auto right = list(f32({1, 1, 4, 4}, image), weight());
  image[5] = kNan;
  image[0] = kNan;
  EXPECT_EQ(path(body, list(f32({1, 1, 4, 4}, image), weight()), right, {0, 0, 1, 1}), "0 [0 0 1 1 ]");
  EXPECT_EQ(path(body, list(f32({1, 1, 4, 4}, image), weight()), right, {0, 0, 0, 0}), "0 [0 0 0 0 ]");
}

TEST(ValuePath, NanThatIsMadeOfNumbers) {
  const char* body = R"(func @k(%x: f32[2], %y: f32[2]) {
    %a = add %x, %y : f32[2]
    %s = sub %a, %a : f32[2]
    return %s })";
  const auto right = list(f32({2}, {1, 1}), f32({2}, {1, 1}));
  EXPECT_EQ(path(body, list(f32({2}, {1, 3e38F}), f32({2}, {1, 3e38F})), right, {1}), "inf-inf by sub [1 ]");
  EXPECT_EQ(path(body, list(f32({2}, {kNan, kInf}), f32({2}, {1, 1})), {}, {0}), "0 [0 ]");
  EXPECT_EQ(path(body, list(f32({2}, {kNan, kInf}), f32({2}, {1, 1})), {}, {1}), "inf-inf by sub [1 ]");
}

TEST(ValuePath, ABodyThatIsNotTheGoldenOne) {
  const char* body = "func @k(%x: f32[1]) { %z = exp %x : f32[1] return %z }";
  EXPECT_EQ(path(body, list(f32({1}, {1})), list(f32({1}, {1})), {0}), "another computation by  []");
  EXPECT_EQ(path(body, list(f32({1}, {1})), {}, {0}), "?") << "nothing to hold it against";
}

TEST(ValuePath, UndefinedElementsOfTheBodyItself) {
  const char* body = R"(func @k(%x: f32[2]) {
    %e = empty {dtype = f32, shape = sizes[2]} : f32[2]
    %z = add %x, %e : f32[2]
    return %z })";
  EXPECT_EQ(path(body, list(f32({2}, {1, 1})), {}, {1}), "undefined by empty [1 ]");
}

}  // namespace
}  // namespace bufferproof::simulator
