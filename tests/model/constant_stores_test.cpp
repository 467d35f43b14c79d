// Which outputs a kernel's text fills without loading anything.
#include "model/read/wrapper/constant_stores.hpp"

#include <gtest/gtest.h>

namespace bufferproof::model::wrapper {
namespace {

/// A kernel of one input and two outputs.
bool constant(const std::string& text, const std::string& output) {
  KernelDef kernel;
  kernel.text = text;
  kernel.parameters = {
      {"in_ptr0", Role::input, {}}, {"out_ptr0", Role::output, {}}, {"out_ptr1", Role::output, {}}};
  for (const Parameter& parameter : kernel.parameters)
    if (parameter.name == output) return stores_constants(kernel, parameter);
  return false;
}

std::string cpp(const std::string& body) {
  return "extern \"C\" void kernel(const float* in_ptr0, int64_t* out_ptr0, float* out_ptr1)\n{\n"
         "std::atomic<int> inductor_cpu_integer_div_error{0};\n" +
         body + "\n}\n";
}

TEST(ConstantStores, CppOutputsThatAreFilledWithConstants) {
  const std::string text =
      cpp("for(int64_t x0=0; x0<4; x0+=1) {\n auto tmp0 = in_ptr0[x0];\n auto tmp1 = decltype(tmp0)(tmp0 + "
          "tmp0);\n"
          "out_ptr1[x0] = tmp1;\n}\n{\n auto tmp0 = static_cast<int64_t>(0);\n "
          "out_ptr0[static_cast<int64_t>(0)] = tmp0;\n}");
  EXPECT_TRUE(constant(text, "out_ptr0"));
  EXPECT_FALSE(constant(text, "out_ptr1"));
}

TEST(ConstantStores, TritonOutputsThatAreFilledWithConstants) {
  const std::string text =
      "def k(in_ptr0, out_ptr0, out_ptr1, xnumel):\n    tmp0 = tl.load(in_ptr0 + (x0), xmask)\n"
      "    tmp1 = tl.full([1], 0, tl.int64)\n    tl.store(out_ptr0 + (x0), tmp1, xmask)\n"
      "    tl.store(out_ptr1 + (x0), tmp0, xmask)\n";
  EXPECT_TRUE(constant(text, "out_ptr0"));
  EXPECT_FALSE(constant(text, "out_ptr1"));
}

TEST(ConstantStores, WhatIsNotFollowedDepends) {
  EXPECT_FALSE(constant(cpp("auto tmp0 = [&] { return in_ptr0[0]; }();\nout_ptr0[0] = tmp0;"), "out_ptr0"));
  EXPECT_FALSE(constant(cpp("float a[4];\na[0] = in_ptr0[0];\nout_ptr0[0] = a[0];"), "out_ptr0"));
  EXPECT_FALSE(
      constant(cpp("at::vec::Vectorized<float> v = load(in_ptr0);\nv.store(out_ptr0);"), "out_ptr0"));
  EXPECT_FALSE(constant(cpp("if (in_ptr0[0] > 0) out_ptr0[0] = 1;"), "out_ptr0"));
  EXPECT_FALSE(constant(cpp("out_ptr0[0] = 1;\nout_ptr0[1] = out_ptr1[0];"), "out_ptr0"));
  EXPECT_FALSE(constant(cpp("out_ptr1[0] = 1;"), "out_ptr0"));
  EXPECT_FALSE(
      constant(cpp("float a = 0;\nfor (int x0=0; x0<4; x0+=1) {\nout_ptr0[x0] = a;\na = in_ptr0[x0];\n}"),
               "out_ptr0"));
  EXPECT_FALSE(constant("", "out_ptr0"));
}

}  // namespace
}  // namespace bufferproof::model::wrapper
