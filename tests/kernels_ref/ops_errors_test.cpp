// Wrong calls: each raises a KernelError that names the op and the argument, and leaves the output as it was.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "kernels_ref/kernel_error.hpp"
#include "tests/kernels_ref/ops_test_support.hpp"

namespace bufferproof::kernels::test {
namespace {

using Ints = std::vector<std::int64_t>;
constexpr std::int64_t kHuge = std::numeric_limits<std::int64_t>::max();

struct Bad {
  std::string op;
  std::vector<Operand> inputs;
  std::vector<Operand> outputs;
  Attributes attributes;
  std::string argument;  ///< what the error names
  std::string expected;  ///< a part of the message
};
void PrintTo(const Bad& bad, std::ostream* out) { *out << bad.op << " " << bad.argument; }

std::vector<Bad> bad_elementwise_calls() {
  const DType f32 = DType::f32;
  return {
      {"add", {{f32, {2}}}, {{f32, {2}}}, {}, "inputs", "2 inputs"},
      {"add", {{f32, {2}}, {f32, {3}}}, {{f32, {2}}}, {}, "y", "broadcasts to [2]"},
      {"add", {{f32, {2}}, {DType::f64, {2}}}, {{f32, {2}}}, {}, "y", "element type f32"},
      {"add", {{f32, {2}}, {f32, {2}}}, {{DType::f16, {2}}}, {}, "out", "element type f32"},
      {"eq", {{f32, {2}}, {f32, {2}}}, {{f32, {2}}}, {}, "out", "element type i1"},
      {"exp", {{DType::i32, {2}}}, {{DType::i32, {2}}}, {}, "x", "defined for"},
      {"and", {{f32, {2}}, {f32, {2}}}, {{f32, {2}}}, {}, "x", "defined for"},
      {"select", {{f32, {2}}, {f32, {2}}, {f32, {2}}}, {{f32, {2}}}, {}, "x", "element type i1"},
      {"cast",
       {{f32, {2}}},
       {{DType::i8, {2}}},
       {{"round", std::string("up")}},
       "round",
       "truncwithoverflow"},
      {"bitcast", {{f32, {2}}}, {{DType::f16, {2}}}, {}, "out", "size of f32"},
  };
}

std::vector<Bad> bad_movement_calls() {
  const DType f32 = DType::f32;
  return {
      {"reshape", {{f32, {6}}}, {{f32, {4}}}, {}, "out", "shape [6]"},
      {"transpose",
       {{f32, {2, 3}}},
       {{f32, {3, 2}}},
       {{"permutation", Ints{0, 0}}},
       "permutation",
       "each axis once"},
      {"transpose", {{f32, {2, 3}}}, {{f32, {2, 3}}}, {{"permutation", Ints{1, 0}}}, "out", "shape [3, 2]"},
      {"transpose", {{f32, {2}}}, {{f32, {2}}}, {}, "permutation", "list of integers"},
      {"broadcast", {{f32, {3}}}, {{f32, {2, 4}}}, {{"dims", Ints{1}}}, "out", "size 3 on axis 1"},
      {"slice", {{f32, {4}}}, {{f32, {3}}}, {{"offsets", Ints{2}}}, "offsets", "inside [4]"},
      {"slice",
       {{f32, {4}}},
       {{f32, {3}}},
       {{"offsets", Ints{0}}, {"strides", Ints{kHuge}}},
       "offsets",
       "inside [4]"},
      {"slice", {{f32, {4}}}, {{f32, {1}}}, {{"offsets", Ints{-1}}}, "offsets", "inside [4]"},
      {"concat",
       {{f32, {2, 2}}, {f32, {2, 3}}},
       {{f32, {4, 2}}},
       {{"dim", std::int64_t{0}}},
       "x1",
       "shape [2, 2]"},
      {"pad", {{f32, {2}}}, {{f32, {2}}}, {{"low", Ints{-1}}, {"high", Ints{1}}}, "low", "at least 0"},
      {"pad", {{f32, {2}}}, {{f32, {2}}}, {{"low", Ints{0}}, {"high", Ints{kHuge}}}, "high", "64 bits"},
      {"repeat", {{f32, {4}}}, {{f32, {4}}}, {{"repeats", Ints{kHuge}}}, "repeats", "64 bits"},
      {"flip", {{f32, {4}}}, {{f32, {4}}}, {{"dims", Ints{1}}}, "dims", "rank 1"},
      {"gather",
       {{f32, {4}}, {DType::f32, {2}}},
       {{f32, {2}}},
       {{"dim", std::int64_t{0}}},
       "index",
       "i64 or i32"},
      {"take", {{f32, {4}}, {DType::i64, {2}}}, {{f32, {3}}}, {{"dim", std::int64_t{0}}}, "out", "shape [2]"},
  };
}

std::vector<Bad> bad_row_and_window_calls() {
  const DType f32 = DType::f32;
  const std::int64_t one = 1;
  return {
      {"reduce",
       {{f32, {4}}, {f32, {}}},
       {{f32, {}}},
       {{"fn", std::string("median")}, {"dims", Ints{0}}},
       "fn",
       "known fold"},
      {"reduce",
       {{f32, {4}}, {f32, {}}},
       {{f32, {}}},
       {{"fn", std::string("xor")}, {"dims", Ints{0}}},
       "fn",
       "fold of f32"},
      {"sum", {{f32, {4, 3}}}, {{f32, {4}}}, {{"dims", Ints{0}}}, "out", "shape [3]"},
      {"sum", {{f32, {4, 3}}}, {{f32, {}}}, {{"dims", Ints{0, -2}}}, "dims", "each axis once"},
      {"amax", {{f32, {0}}}, {{f32, {}}}, {}, "x", "at least one element"},
      {"mean", {{DType::i32, {4}}}, {{DType::i32, {}}}, {}, "x", "floating"},
      {"arg_reduce",
       {{f32, {3}}},
       {{f32, {}}, {f32, {}}},
       {{"fn", std::string("max")}, {"dim", std::int64_t{0}}},
       "index",
       "i64"},
      {"softmax", {{f32, {3}}}, {{f32, {3}}}, {{"dim", one}}, "dim", "rank 1"},
      {"layer_norm",
       {{f32, {2, 3}}},
       {{f32, {2, 3}}},
       {{"normalized_shape", Ints{2}}},
       "normalized_shape",
       "last sizes"},
      {"native_batch_norm",
       {{f32, {2, 3}}, {f32, {3}}, {f32, {3}}, {f32, {3}}, {f32, {2}}},
       {{f32, {2, 3}}},
       {},
       "running_var",
       "shape [3]"},
      {"max_pool2d", {{f32, {1, 4, 4}}}, {{f32, {1, 2, 2}}}, {{"kernel", Ints{9}}}, "kernel", "no larger"},
      {"max_pool2d",
       {{f32, {1, 4, 4}}},
       {{f32, {1, 2, 2}}},
       {{"kernel", Ints{2}}, {"stride", Ints{0}}},
       "stride",
       "at least 1"},
      {"max_pool2d",
       {{f32, {1, 4, 4}}},
       {{f32, {1, 2, 2}}},
       {{"kernel", Ints{2}}, {"padding", Ints{2}}},
       "padding",
       "half"},
      {"max_pool2d",
       {{f32, {1, 4, 4}}},
       {{f32, {1, 2, 2}}},
       {{"kernel", Ints{2}}, {"dilation", Ints{kHuge}}},
       "dilation",
       "at least 1"},
      {"avg_pool2d", {{f32, {4, 4}}}, {{f32, {2, 2}}}, {{"kernel", Ints{2}}}, "x", "[c, h, w]"},
      {"adaptive_avg_pool2d",
       {{f32, {1, 4, 4}}},
       {{f32, {1, 2, 3}}},
       {{"output", Ints{2}}},
       "out",
       "shape [1, 2, 2]"},
  };
}

std::vector<Bad> bad_calls() {
  std::vector<Bad> all = bad_elementwise_calls();
  for (const auto& calls : {bad_movement_calls(), bad_row_and_window_calls()})
    all.insert(all.end(), calls.begin(), calls.end());
  return all;
}

class Errors : public ::testing::TestWithParam<Bad> {};

TEST_P(Errors, NamesOpAndArgumentAndWritesNothing) {
  const Bad& bad = GetParam();
  Maker maker(101);
  OpCall call{.op = bad.op, .attributes = bad.attributes};
  std::vector<Placed> inputs, outputs;
  for (const Operand& input : bad.inputs)
    inputs.push_back(place(maker, input.dtype, input.sizes, input.placement));
  for (const Operand& output : bad.outputs)
    outputs.push_back(place(maker, output.dtype, output.sizes, output.placement));
  for (const Placed& input : inputs) call.inputs.emplace_back(input.view());
  for (Placed& output : outputs) call.outputs.push_back(output.writable());
  const std::vector<Placed> before = outputs;
  for (const OpFunction function :
       {OpRegistry::builtin().at(bad.op).run, OpRegistry::builtin().at(bad.op).define}) {
    try {
      function(call);
      ADD_FAILURE() << "nothing was raised";
    } catch (const KernelError& error) {
      EXPECT_EQ(error.op(), bad.op);
      EXPECT_EQ(error.argument(), bad.argument) << error.what();
      EXPECT_THAT(error.what(), ::testing::HasSubstr(bad.expected));
    }
    EXPECT_TRUE(same_blocks(before, outputs));
  }
}

INSTANTIATE_TEST_SUITE_P(Ops, Errors, ::testing::ValuesIn(bad_calls()));

TEST(ErrorsIndex, ValuesOutsideTheAxisAreFoundBeforeAnythingIsWritten) {
  Tensor x(DType::f32, {4}), index(DType::i64, {3}), out(DType::f32, {3});
  index.elements<std::int64_t>()[0] = 0, index.elements<std::int64_t>()[1] = 4,
  index.elements<std::int64_t>()[2] = 1;
  const Tensor before = out;
  OpCall call{.op = "gather",
              .inputs = {std::as_const(x).view(), std::as_const(index).view()},
              .attributes = {{"dim", std::int64_t{0}}},
              .outputs = {out.view()}};
  EXPECT_THROW(OpRegistry::builtin().run(call), KernelError);
  index.elements<std::int64_t>()[1] = -1;
  EXPECT_THROW(OpRegistry::builtin().run(call), KernelError);
  EXPECT_TRUE(same_bytes(before, out));
}

}  // namespace
}  // namespace bufferproof::kernels::test
