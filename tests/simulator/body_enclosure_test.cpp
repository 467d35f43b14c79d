// The enclosure of a body's results (simulator/body/enclosure.hpp): it holds what any order of the same
// roundings gives, and is no wider than the formula.
#include "simulator/body/enclosure.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "simulator/body/interval.hpp"

namespace bufferproof::simulator {
namespace {

using kernels::Tensor;
using model::DType;

Tensor random_f32(const kernels::Sizes& sizes, std::uint32_t seed, double scale = 2) {
  Tensor tensor(DType::f32, sizes);
  std::mt19937 engine(seed);
  for (float& value : tensor.elements<float>())
    value = static_cast<float>((static_cast<double>(engine()) / 2147483648.0 - 1) * scale);
  return tensor;
}

std::vector<BodyArgument> views(const std::vector<Tensor>& tensors) {
  std::vector<BodyArgument> out;
  for (const Tensor& tensor : tensors) out.emplace_back(tensor.view());
  return out;
}

double as_double(const Tensor& tensor, std::size_t i) {
  return tensor.dtype() == DType::f64 ? tensor.elements<double>()[i] : tensor.elements<float>()[i];
}

/// Executes and encloses; every result element must lie inside. Returns the widest relative width.
double widest(const std::string& text, const std::vector<Tensor>& tensors) {
  const model::TensorFunction function = model::parse_tensor_function(text);
  const std::vector<Tensor> results = execute(function, views(tensors));
  const std::vector<Enclosure> enclosures = enclose(function, views(tensors));
  double widest = 0;
  for (std::size_t r = 0; r < results.size(); ++r)
    for (std::size_t i = 0; i < static_cast<std::size_t>(results[r].element_count()); ++i) {
      const double value = as_double(results[r], i);
      const double lo = enclosures[r].lo.elements<double>()[i];
      const double hi = enclosures[r].hi.elements<double>()[i];
      EXPECT_TRUE(lo <= value && value <= hi)
          << text << " element " << i << ": " << value << " outside [" << lo << ", " << hi << "]";
      widest = std::max(widest, (hi - lo) / std::max(std::abs(value), 1e-3));
    }
  return widest;
}

TEST(BodyEnclosure, HoldsTheResultsAndStaysNarrow) {  // L3
  const std::vector<Tensor> two{random_f32({4, 33}, 1), random_f32({4, 33}, 2)};
  for (const char* op : {"add", "sub", "mul", "max", "min"}) {
    std::string text = std::string("func @k(%x: f32[4, 33], %y: f32[4, 33]) { %z = ") + op +
                       " %x, %y : f32[4, 33] return %z }";
    EXPECT_LT(widest(text, two), 1e-6) << op;
  }
  for (const char* op :
       {"exp", "tanh", "sigmoid", "erf", "sin", "cos", "relu", "abs", "neg", "floor", "atan"}) {
    std::string text = std::string("func @k(%x: f32[4, 33]) { %z = ") + op + " %x : f32[4, 33] return %z }";
    EXPECT_LT(widest(text, {two[0]}), 4e-6) << op;
  }
}

/// What every element of %x gives, in the type the text says.
Enclosure of_one(const std::string& op, const Tensor& x, const std::string& type) {
  const std::string text = "func @k(%x: " + type + "[1]) { %z = " + op + " : " + type + "[1] return %z }";
  const std::vector<Tensor> tensors{x};
  return enclose(model::parse_tensor_function(text), views(tensors)).at(0);
}
bool is_open(const Enclosure& x) {
  return std::isinf(x.lo.elements<double>()[0]) || std::isinf(x.hi.elements<double>()[0]);
}

TEST(BodyEnclosure, NanIsOpenWhateverIsDoneWithIt) {
  Tensor x(DType::f32, {1});
  x.elements<float>()[0] = std::nanf("");
  for (const char* op : {"sigmoid %x", "tanh %x", "relu %x", "abs %x", "max %x, %x", "mul %x, %x"})
    EXPECT_TRUE(is_open(of_one(op, x, "f32"))) << op;
  x.elements<float>()[0] = HUGE_VALF;
  EXPECT_FALSE(is_open(of_one("sigmoid %x", x, "f32")));
  EXPECT_TRUE(is_open(of_one("sub %x, %x", x, "f32")));
}

TEST(BodyEnclosure, IntegersThatWrapAreOpen) {
  Tensor x(DType::u8, {1});
  x.elements<std::uint8_t>()[0] = 4;
  EXPECT_TRUE(is_open(of_one("neg %x", x, "u8")));
  x.elements<std::uint8_t>()[0] = 200;
  EXPECT_FALSE(is_open(of_one("max %x, %x", x, "u8")));
  EXPECT_TRUE(is_open(of_one("add %x, %x", x, "u8")));
  Tensor least(DType::i32, {1});
  least.elements<std::int32_t>()[0] = INT32_MIN;
  EXPECT_TRUE(is_open(of_one("neg %x", least, "i32")));
  Tensor large(DType::i64, {1});
  large.elements<std::int64_t>()[0] = (std::int64_t{1} << 53) + 1;
  EXPECT_TRUE(is_open(of_one("max %x, %x", large, "i64"))) << "no double holds it";
}

TEST(BodyEnclosure, BatchNormWithTheFactorMultipliedInFirst) {
  const std::string text =
      "func @k(%x: f32[64], %m: f32[64], %a: f32[64], %b: f32[64]) { %d = sub %x, %m : f32[64] "
      "%p = mul %d, %a : f32[64] %z = add %p, %b : f32[64] return %z }";
  std::vector<Tensor> tensors;
  for (unsigned seed = 1; seed <= 4; ++seed) tensors.push_back(random_f32({64}, seed));
  const Enclosure z = enclose(model::parse_tensor_function(text), views(tensors)).at(0);
  for (std::size_t i = 0; i < 64; ++i) {
    const auto at = [&](std::size_t k) { return tensors[k].elements<float>()[i]; };
    const volatile float shift = at(1) * at(2);
    const volatile float offset = at(3) - shift;
    const volatile float product = at(0) * at(2);
    const float value = product + offset;
    EXPECT_LE(z.lo.elements<double>()[i], value) << i;
    EXPECT_GE(z.hi.elements<double>()[i], value) << i;
  }
}

TEST(BodyEnclosure, FollowsAChainWithAReduction) {
  const std::string text = R"(func @k(%x: f32[4, 33]) {
    %e = exp %x : f32[4, 33]
    %c = constant {bits = 0x0, dtype = f32} : f32[]
    %i = broadcast %c {dims = [], shape = sizes[4]} : f32[4]
    %s = reduce %e, %i {dims = [1], fn = "sum"} : f32[4]
    %w = broadcast %s {dims = [0], shape = sizes[4, 33]} : f32[4, 33]
    %d = div %e, %w : f32[4, 33]
    return %d, %s
  })";
  EXPECT_LT(widest(text, {random_f32({4, 33}, 3)}), 2e-5);
}

TEST(BodyEnclosure, SumsOfProductsInAnyOrder) {
  const std::string text =
      R"(func @k(%x: f32[5, 40], %y: f32[40, 3]) { %z = matmul %x, %y : f32[5, 3] return %z })";
  const std::vector<Tensor> tensors{random_f32({5, 40}, 4), random_f32({40, 3}, 5)};
  EXPECT_LT(widest(text, tensors), 1e-1);
  const std::vector<Enclosure> enclosures = enclose(model::parse_tensor_function(text), views(tensors));
  float backwards = 0;  // another order than any kernel's
  for (int k = 39; k >= 0; --k)
    backwards += tensors[0].elements<float>()[static_cast<std::size_t>(k)] *
                 tensors[1].elements<float>()[static_cast<std::size_t>(3 * k)];
  EXPECT_TRUE(enclosures[0].lo.elements<double>()[0] <= backwards &&
              backwards <= enclosures[0].hi.elements<double>()[0]);
}

TEST(BodyEnclosure, SaysNothingWhereAStepCanGoEitherWay) {
  const model::TensorFunction function = model::parse_tensor_function(R"(func @k(%x: f32[1], %y: f32[1]) {
    %a = add %x, %y : f32[1]
    %b = sub %a, %y : f32[1]
    %c = lt %b, %x : i1[1]
    %d = select %c, %x, %y : f32[1]
    %e = sub %b, %x : f32[1]
    %f = div %x, %e : f32[1]
    return %d, %f
  })");
  Tensor x(DType::f32, {1});
  Tensor y(DType::f32, {1});
  x.elements<float>()[0] = 0.1F;
  y.elements<float>()[0] = 3.0F;
  std::vector<BodyArgument> arguments{std::as_const(x).view(), std::as_const(y).view()};
  const std::vector<Enclosure> enclosures = enclose(function, arguments);
  EXPECT_EQ(enclosures[0].lo.elements<double>()[0], static_cast<double>(0.1F)) << "either branch";
  EXPECT_EQ(enclosures[0].hi.elements<double>()[0], 3.0);
  EXPECT_TRUE(std::isinf(enclosures[1].hi.elements<double>()[0])) << "a division by what may be 0";
}

TEST(Interval, NarrowTypesOverflowToInfinityAndIntegersThatWrapSayNothing) {
  EXPECT_EQ(rounded({1, 65519}, DType::f16, 0.5).hi, std::numeric_limits<double>::infinity());
  EXPECT_EQ(rounded({100, 200}, DType::i8, 0).lo, Interval::whole().lo);
  EXPECT_EQ(rounded({100, 120}, DType::i8, 0).hi, 120);
  const Interval cast = convert({1.0, 1.0 + 0x1p-20}, DType::f32, DType::bf16, "rint");
  EXPECT_TRUE(cast.lo < 1 && cast.hi >= 1.0078125);
  EXPECT_EQ(convert({0.25, 2.5}, DType::f32, DType::i32, "trunc").hi, 2);
}

}  // namespace
}  // namespace bufferproof::simulator
