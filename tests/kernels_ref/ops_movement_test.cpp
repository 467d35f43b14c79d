// Ops that move elements: the strided copies equal the index formulas byte for byte, for every element type
// and awkward layouts.
#include <gtest/gtest.h>

#include "kernels_ref/kernel_error.hpp"
#include "tests/kernels_ref/ops_test_support.hpp"

namespace bufferproof::kernels::test {
namespace {

using Ints = std::vector<std::int64_t>;

struct Case {
  std::string op;
  std::vector<Sizes> inputs;
  Sizes output;
  Attributes attributes;
};

void PrintTo(const Case& c, std::ostream* out) { *out << c.op; }

std::vector<Case> cases() {
  return {
      {"reshape", {{6, 10}}, {4, 15}, {}},
      {"reshape", {{2, 3, 4}}, {24}, {}},
      {"reshape", {{1}}, {}, {}},
      {"reshape", {{0, 3}}, {5, 0}, {}},
      {"broadcast", {{3, 5}}, {3, 4, 5}, {{"dims", Ints{0, 2}}}},
      {"broadcast", {{}}, {7, 3}, {{"dims", Ints{}}}},
      {"broadcast", {{1, 6}}, {2, 5, 6}, {{"dims", Ints{1, 2}}}},
      {"expand", {{1, 5}}, {4, 3, 5}, {}},
      {"transpose", {{3, 4, 5, 2}}, {3, 4, 2, 5}, {{"permutation", Ints{0, 1, 3, 2}}}},
      {"transpose", {{33, 65}}, {65, 33}, {{"permutation", Ints{1, 0}}}},
      {"transpose", {{}}, {}, {{"permutation", Ints{}}}},
      {"slice", {{9, 11}}, {3, 4}, {{"offsets", Ints{1, 2}}, {"strides", Ints{2, 2}}}},
      {"slice", {{9, 11}}, {0, 4}, {{"offsets", Ints{9, 0}}}},
      {"insert_slice", {{3, 2}, {9, 11}}, {9, 11}, {{"offsets", Ints{2, 1}}, {"strides", Ints{3, 4}}}},
      {"concat", {{2, 3, 4}, {2, 0, 4}, {2, 5, 4}}, {2, 8, 4}, {{"dim", std::int64_t{1}}}},
      {"concat", {{3}, {1}}, {4}, {{"dim", std::int64_t{-1}}}},
      {"pad", {{3, 4}}, {6, 4}, {{"low", Ints{1, 0}}, {"high", Ints{2, 0}}}},
      {"pad", {{3, 4}, {}}, {4, 9}, {{"low", Ints{0, 2}}, {"high", Ints{1, 3}}}},
      {"repeat", {{2, 3}}, {4, 9}, {{"repeats", Ints{2, 3}}}},
      {"repeat", {{2, 3}}, {0, 3}, {{"repeats", Ints{0, 1}}}},
      {"flip", {{3, 4, 5}}, {3, 4, 5}, {{"dims", Ints{0, -1}}}},
      {"copy", {{5, 6, 7}}, {5, 6, 7}, {}},
      {"iota", {}, {4, 6}, {{"dim", std::int64_t{1}}}},
      {"arange", {}, {37}, {{"start", std::int64_t{-5}}, {"step", std::int64_t{3}}}},
      {"arange", {}, {37}, {{"start", 0.5}, {"step", 0.1}}},
  };
}

class Movement : public ::testing::TestWithParam<Case> {};

TEST_P(Movement, RunEqualsDefinition) {
  const Case& c = GetParam();
  for (DType dtype : kAllTypes) {
    for (Placement from : {Placement::plain, Placement::reversed, Placement::spaced, Placement::repeated}) {
      for (Placement to : {Placement::plain, Placement::reversed, Placement::spaced}) {
        Maker maker(17);
        OpCall call{.op = c.op, .attributes = c.attributes};
        std::vector<Placed> inputs;
        for (const Sizes& sizes : c.inputs) inputs.push_back(place(maker, dtype, sizes, from));
        for (const Placed& input : inputs) call.inputs.emplace_back(input.view());
        const auto make = [&] {
          Maker fresh(23);
          std::vector<Placed> outputs;
          outputs.push_back(place(fresh, dtype, c.output, to));
          return outputs;
        };
        expect_run_equals_define(call, make, c.op + " " + std::string(model::name(dtype)));
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Ops, Movement, ::testing::ValuesIn(cases()),
                         [](const auto& info) { return info.param.op + std::to_string(info.index); });

void check_lookup(const std::string& op, const Sizes& x, const Sizes& index, const Sizes& out,
                  std::int64_t dim) {
  Maker maker(29);
  for (DType dtype : kAllTypes) {
    for (Placement placement : {Placement::plain, Placement::reversed, Placement::spaced}) {
      const Placed table = place(maker, dtype, x, placement);
      Placed chosen = place(maker, DType::i64, index, placement);
      for (std::int64_t& value : chosen.block.elements<std::int64_t>())
        value = static_cast<std::int64_t>(maker.random()() %
                                          static_cast<std::uint64_t>(x[static_cast<std::size_t>(dim)]));
      OpCall call{.op = op, .inputs = {table.view(), chosen.view()}, .attributes = {{"dim", dim}}};
      const auto make = [&] {
        Maker fresh(31);
        std::vector<Placed> outputs;
        outputs.push_back(place(fresh, dtype, out, placement));
        return outputs;
      };
      expect_run_equals_define(call, make, op, true);
    }
  }
}

TEST(MovementLookup, GatherTakeEmbedding) {
  check_lookup("gather", {5, 6, 7}, {4, 9, 7}, {4, 9, 7}, 1);
  check_lookup("gather", {11}, {3}, {3}, 0);
  check_lookup("take", {5, 6, 7}, {2, 3}, {5, 2, 3, 7}, 1);
  check_lookup("take", {5, 6}, {}, {5}, 1);
  check_lookup("embedding", {13, 8}, {4, 3}, {4, 3, 8}, 0);
}

TEST(MovementSemantics, PadWithoutValueShowsAsUnwritten) {
  Tensor x(DType::f32, {1});
  x.elements<float>()[0] = 3.0F;
  Tensor out(DType::f32, {2});
  OpCall call{.op = "pad",
              .inputs = {std::as_const(x).view()},
              .attributes = {{"low", Ints{1}}, {"high", Ints{0}}},
              .outputs = {out.view()}};
  OpRegistry::builtin().run(call);
  EXPECT_EQ(bits_of(out.elements<float>()[0]), 0x7fa4deadU);
  EXPECT_EQ(out.elements<float>()[1], 3.0F);
}

TEST(MovementSemantics, ArangeIsStartPlusIndexTimesStep) {
  Tensor out(DType::f16, {3});
  OpCall call{.op = "arange", .attributes = {{"start", 1.0}, {"step", 0.25}}, .outputs = {out.view()}};
  OpRegistry::builtin().run(call);
  EXPECT_EQ(f16_to_f32(static_cast<std::uint16_t>(out.view().bytes()[4]) |
                       static_cast<std::uint16_t>(static_cast<unsigned>(out.view().bytes()[5]) << 8)),
            1.5F);
}

}  // namespace
}  // namespace bufferproof::kernels::test
