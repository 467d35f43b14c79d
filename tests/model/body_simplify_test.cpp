// One kernel in three texts is one body (model/body/simplify.hpp), with the fixtures of
// tests/fixtures/kernels.
#include "model/body/simplify.hpp"

#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

#include "model/read/fx/reader.hpp"
#include "model/read/torch_dialect/reader.hpp"

namespace bufferproof::model {
namespace {

std::string fixture(const std::string& name) {
  std::ifstream file(std::string(TESTS_DIR) + "/fixtures/kernels/" + name);
  std::stringstream text;
  text << file.rdbuf();
  EXPECT_FALSE(text.str().empty()) << name;
  return text.str();
}

TEST(Simplify, OneKernelInThreeTextsIsOneBody) {
  TensorFunction named = read_kernel_text(fixture("bn_add_relu.named_op.mlir"), {}).at(0).function.value();
  TensorFunction torch = read_kernel_text(fixture("bn_add_relu.torch.mlir"), {}).at(0).function.value();
  TensorFunction fx = read_fx(fixture("bn_add_relu.fx.txt"), {}).at(0).function.value();
  EXPECT_FALSE(same_body(named, torch));
  TensorFunction one = simplify(named);
  verify(one);
  EXPECT_TRUE(same_body(one, simplify(torch))) << print(one) << print(simplify(torch));
  EXPECT_TRUE(same_body(one, simplify(fx))) << print(one) << print(simplify(fx));
}

TEST(Simplify, ADifferentKernelStaysDifferent) {
  std::string text = fixture("bn_add_relu.named_op.mlir");
  TensorFunction named = read_kernel_text(text, {}).at(0).function.value();
  std::string other = text;
  other.replace(other.find("binary_fn<sub>"), 14, "binary_fn<add>");
  EXPECT_FALSE(same_body(simplify(named), simplify(read_kernel_text(other, {}).at(0).function.value())));
  other = text;
  other.replace(other.find("1.000000e-05"), 12, "1.000000e-03");
  EXPECT_FALSE(same_body(simplify(named), simplify(read_kernel_text(other, {}).at(0).function.value())));
}

TEST(Simplify, RegionsFixtureReadsAndKeepsItsUndefinedElementsVisible) {
  TensorFunction function = read_kernel_text(fixture("regions.named_op.mlir"), {}).at(0).function.value();
  verify(function);
  verify(simplify(function));
  EXPECT_TRUE(same_body(function, parse_tensor_function(print(function))));
}

}  // namespace
}  // namespace bufferproof::model
