#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "model/lower.hpp"
#include "model/risks.hpp"

namespace bufferproof::model {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

class Risks : public ::testing::Test {
 protected:
  Risks() {
    program_.dialect = Dialect::wrapper;
    program_.kernels.push_back(
        {.name = "k", .kind = KernelKind::mlir_auto_fallback, .num_outputs = 1, .num_call_functions = 2});
    alloc("x", contiguous({4, 6}), Init::input);
    alloc("y", Layout{{4, 6}, {1, 4}, 0}, Init::input);
    alloc("b", contiguous({4, 6}), Init::uninit);
  }
  void add(decltype(Step::node) node, int line) {
    program_.body.emplace_back();
    program_.body.back().where.line = line;
    program_.body.back().node = std::move(node);
  }
  void alloc(const char* name, Layout layout, Init init) {
    add(Alloc{name, DType::f32, std::move(layout), init}, 0);
  }
  void call(std::vector<Argument> arguments, int line) {
    add(Launch{.kernel = "k", .definition = 0, .arguments = std::move(arguments)}, line);
  }
  std::vector<std::string> found(std::string_view profile) {
    std::vector<std::string> texts;
    for (const Risk& risk : lower(program_, *find_profile(profile)).risks)
      texts.push_back(risk.label + " " + std::to_string(risk.where.line) + " " + risk.message);
    return texts;
  }
  Program program_;
};

TEST_F(Risks, ContiguityThatDiffersBetweenCallSites) {  // B3
  call({{.handle = "x"}, {.handle = "b"}}, 5);
  call({{.handle = "x"}, {.handle = "b"}}, 6);
  EXPECT_TRUE(found("torch_npu-26.0.0").empty());
  call({{.handle = "y"}, {.handle = "b"}}, 7);
  EXPECT_THAT(found("torch_npu-26.0.0"), ElementsAre(HasSubstr("B3 7 k decides at its first call (line 5)")));
  EXPECT_TRUE(found("stock").empty());
}

TEST_F(Risks, C3MemoryHandedOnAndReadBeforeItIsWritten) {
  const auto hand_on = [&](const char* name, int line) {
    add(Bind{.kind = Bind::Kind::rename, .name = name, .source = "b"}, line);
  };
  call({{.handle = "x"}, {.handle = "b"}}, 5);
  const Program as_written = program_;
  // The result goes by another name: nobody has read it under the old one.
  hand_on("c", 6);
  alloc("d", contiguous({4, 6}), Init::uninit);
  call({{.handle = "c"}, {.handle = "d"}}, 7);
  EXPECT_TRUE(found("stock").empty());
  // Read, handed on, written, read.
  program_ = as_written;
  alloc("d", contiguous({4, 6}), Init::uninit);
  call({{.handle = "b"}, {.handle = "d"}}, 6);
  hand_on("c", 7);
  add(View{.name = "v", .base = "c"}, 7);
  const Program handed_on = program_;
  call({{.handle = "x"}, {.handle = "c"}}, 8);
  call({{.handle = "v"}, {.handle = "d"}}, 9);
  EXPECT_TRUE(found("stock").empty());
  // The write is missing.
  program_ = handed_on;
  call({{.handle = "v"}, {.handle = "d"}}, 9);
  EXPECT_THAT(found("stock"),
              ElementsAre(HasSubstr("C3 7 memory of b goes to a new name here, after b was read, "
                                    "and k (line 9) reads it before anything writes it")));
}

TEST_F(Risks, C3AKernelThatIsNeverLaunched) {
  call({{.handle = "x"}, {.handle = "b"}}, 5);
  program_.kernels.push_back(program_.kernels[0]);
  program_.kernels[1].name = "updates";
  EXPECT_THAT(found("stock"), ElementsAre(HasSubstr("updates is defined and never launched")));
}

TEST_F(Risks, OneDynamicKernelCalledWithDifferentSizes) {  // B8
  program_.kernels[0].dynamic = true;
  const SymExpr s0 = SymExpr::symbol("s0");
  call({{.handle = "x"}, {.scalar = s0}, {.handle = "b"}}, 5);
  call({{.handle = "x"}, {.scalar = s0}, {.handle = "b"}}, 6);
  EXPECT_TRUE(found("torch_npu-26.1.0").empty());
  call({{.handle = "x"}, {.scalar = s0 * 2}, {.handle = "b"}}, 7);
  EXPECT_THAT(found("torch_npu-26.1.0"),
              ElementsAre(HasSubstr("B8 7 dynamic kernel k is called with sizes (s0) and")));
  program_.kernels[0].dynamic = false;
  EXPECT_TRUE(found("torch_npu-26.1.0").empty());
}

TEST_F(Risks, GraphInputReboundByAFallback) {  // B1
  call({{.handle = "x"}, {.handle = "x"}}, 5);
  EXPECT_THAT(found("torch_npu-26.0.0"), ElementsAre(HasSubstr("B1 5")));
  EXPECT_THAT(found("torch_npu-dev"), ElementsAre(HasSubstr("graph input x")));
  EXPECT_TRUE(found("torch_npu-26.1.0").empty());
}

TEST_F(Risks, StaleStreamIsTheReadersButTheProfilesToJudge) {  // B9
  call({{.handle = "x"}, {.handle = "b"}}, 5);
  program_.risks = {{"B9", "stream0 is old", {}}, {"B10", "other", {}}};
  EXPECT_EQ(found("torch_npu-26.1.0").size(), 2u);
  EXPECT_THAT(found("stock"), ElementsAre(HasSubstr("B10")));
}

TEST_F(Risks, ResultCountThatDiffersFromTheOutputs) {  // B7
  const std::vector<CallSite> sites{{.definition = 0, .results = 2}};
  const auto risks = find_risks(program_, *find_profile("torch_npu-26.1.0"), sites);
  ASSERT_EQ(risks.size(), 1u);
  EXPECT_EQ(risks[0].label, "B7");
  EXPECT_TRUE(find_risks(program_, *find_profile("stock"), {{.definition = 0, .results = 1}}).empty());
}

}  // namespace
}  // namespace bufferproof::model
