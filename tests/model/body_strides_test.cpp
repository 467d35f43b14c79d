// B1s, E4: strides of eager results against what PyTorch printed (scripts/fixtures-strides.py).
#include "model/body/strides.hpp"

#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

#include "model/body/builder.hpp"

namespace bufferproof::model {
namespace {

std::vector<SymExpr> numbers(const std::string& text) {
  std::vector<SymExpr> out;
  std::stringstream stream(text);
  for (std::string item; std::getline(stream, item, ',');) out.emplace_back(std::stoll(item));
  return out;
}

std::vector<std::string> split(const std::string& text, const std::string& by) {
  std::vector<std::string> out;
  std::size_t begin = 0;
  for (std::size_t end = text.find(by); end != std::string::npos; end = text.find(by, begin)) {
    out.push_back(text.substr(begin, end - begin));
    begin = end + by.size();
  }
  out.push_back(text.substr(begin));
  return out;
}

/// Strides of size-1 axes never move an address.
bool agree(const std::vector<SymExpr>& shape, const std::vector<SymExpr>& a, const std::vector<SymExpr>& b) {
  if (a.size() != b.size()) return false;
  for (std::size_t i = 0; i < shape.size(); ++i)
    if (shape[i].constant() != 1 && !(a[i] == b[i])) return false;
  return true;
}

std::string text(const std::vector<SymExpr>& values) { return TensorType{DType::i64, values}.str(); }

void check_reshape(const std::string& line, const std::vector<std::string>& fields) {
  FunctionBuilder b("k");
  std::vector<SymExpr> target = numbers(fields[0].substr(8));
  ValueId x = b.parameter("x", {DType::f32, numbers(fields[1])});
  ValueId y = b.reshape(x, target, {});
  TensorFunction function = b.finish({y});
  EagerTensor result = eager_tensors(function, {numbers(fields[2])})[static_cast<std::size_t>(y)];
  ASSERT_TRUE(result.strides) << line;
  EXPECT_EQ(result.base == y, fields[3] == "copy") << line << " got " << text(*result.strides);
  if (fields[3] == "copy") {
    EXPECT_TRUE(is_contiguous(target, *result.strides)) << line;
  } else {
    EXPECT_TRUE(agree(target, *result.strides, numbers(fields[3])))
        << line << " got " << text(*result.strides);
  }
}

void check_elementwise(const std::string& line, const std::vector<std::string>& fields) {
  std::vector<std::vector<SymExpr>> operands;
  for (const std::string& one : split(fields[2], " | ")) operands.push_back(numbers(one));
  std::vector<SymExpr> shape = numbers(fields[1]);
  auto strides = elementwise_strides(shape, operands);
  ASSERT_TRUE(strides) << line;
  EXPECT_TRUE(agree(shape, *strides, numbers(fields[3]))) << line << " got " << text(*strides);
}

TEST(B1sStrides, ConstantSizesGiveWhatPyTorchGives) {
  std::ifstream file(std::string(TESTS_DIR) + "/fixtures/torch_strides.txt");
  int lines = 0;
  for (std::string line; std::getline(file, line);) {
    if (line.empty() || line[0] == '#') continue;
    std::vector<std::string> fields = split(line, " ; ");
    ASSERT_EQ(fields.size(), 4U) << line;
    ++lines;
    if (fields[0] == "elementwise") {
      check_elementwise(line, fields);
    } else {
      check_reshape(line, fields);
    }
  }
  EXPECT_EQ(lines, 700);
}

TEST(B1sStrides, SymbolicSizesDecideTheOrderOrSayUnknown) {
  SymExpr s0 = SymExpr::symbol("s0");
  SymExpr s1 = SymExpr::symbol("s1");
  // x[s0, s1] permuted: strides (1, s0) for shape (s1, s0)... the layout is kept.
  EXPECT_EQ(elementwise_strides({s1, s0}, {{1, s1}}), (std::vector<SymExpr>{1, s1}));
  // A row-major operand with room between rows becomes dense.
  EXPECT_EQ(elementwise_strides({s0, s1}, {{s1 * SymExpr(2), 1}}), (std::vector<SymExpr>{s1, 1}));
  // Whether s0 or s1 is larger decides the order here: unknown.
  EXPECT_EQ(elementwise_strides({2, 3}, {{s0, s1}}), std::nullopt);
}

}  // namespace
}  // namespace bufferproof::model
