#include "model/lower.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace bufferproof::model {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

Step step(decltype(Step::node) node, int line = 1) { return Step{-1, {nullptr, line, 1}, std::move(node)}; }

/// x (8, 64) is an input, b (8, 64) an output; one MLIR kernel k: x -> b, whose text is not readable.
struct Case {
  Program program;

  explicit Case(std::int64_t num_outputs = 1, KernelKind kind = KernelKind::mlir_auto_fallback) {
    program.dialect = Dialect::wrapper;
    program.kernels.push_back(
        {.name = "k", .kind = kind, .num_outputs = num_outputs, .num_call_functions = 2});
    input("x");
  }
  KernelDef& kernel() { return program.kernels[0]; }
  void input(const char* name) { alloc(name, contiguous({8, 64}), Init::input); }
  void alloc(const char* name, Layout layout = contiguous({8, 64}), Init init = Init::uninit) {
    program.body.push_back(step(Alloc{name, DType::f32, std::move(layout), init}));
  }
  void view(const char* name, const char* base, Layout layout) {
    program.body.push_back(step(View{.name = name, .base = base, .layout = std::move(layout)}));
  }
  void call(std::vector<const char*> names) {
    Launch launch{.kernel = "k", .definition = 0, .stream = "stream0"};
    for (const char* name : names) launch.arguments.push_back({.handle = name});
    program.body.push_back(step(std::move(launch), 10));
  }
  Launch lowered(std::string_view profile) const {
    const Program out = lower(program, *find_profile(profile));
    return std::get<Launch>(out.body.back().node);
  }
};

const Layout kTransposed{{8, 64}, {1, 8}, 0};

std::vector<std::string> roads(const Launch& launch) {
  std::vector<std::string> names;
  for (const Variant& variant : launch.variants) names.push_back(variant.name);
  return names;
}

std::vector<std::string> writes(const Variant& variant) {
  std::vector<std::string> names;
  for (const Clause& clause : variant.clauses)
    if (clause.kind == Clause::Kind::write) names.push_back(clause.buffer.str());
  return names;
}

TEST(Lower, CompiledRoadStoresAndFallbackDeliversAsTheProfileSays) {  // E2 E3 E4 E5
  Case c;
  c.alloc("b");
  c.call({"x", "b"});
  const Launch old = c.lowered("torch_npu-26.0.0");
  EXPECT_THAT(roads(old), ElementsAre("tuned", "fallback"));
  EXPECT_EQ(old.choice, "k");
  EXPECT_THAT(old.outputs, ElementsAre(Name("b")));
  EXPECT_THAT(writes(old.variants[0]), ElementsAre("b"));
  EXPECT_TRUE(old.variants[0].rebinds.empty());
  EXPECT_FALSE(old.variants[0].fallback);
  EXPECT_TRUE(old.variants[1].fallback);
  EXPECT_THAT(writes(old.variants[1]), ElementsAre());
  ASSERT_EQ(old.variants[1].rebinds.size(), 1u);
  EXPECT_EQ(old.variants[1].rebinds[0].handle, Name("b"));
  EXPECT_FALSE(old.variants[1].rebinds[0].result.has_value());

  const Variant copy = c.lowered("torch_npu-26.1.0").variants[1];
  EXPECT_THAT(writes(copy), ElementsAre("b"));
  EXPECT_TRUE(copy.rebinds.empty());
  const Variant set = c.lowered("torch_npu-dev").variants[1];
  EXPECT_EQ(set.rebinds.size(), 1u);
  const Variant drop = c.lowered("as-reported").variants[1];
  EXPECT_TRUE(writes(drop).empty() && drop.rebinds.empty() && drop.raises.empty());
  EXPECT_THAT(roads(c.lowered("stock")), ElementsAre("tuned"));
}

TEST(Lower, MoreRoadsDeliverInTheirOwnWay) {
  Case c;
  c.alloc("b");
  c.call({"x", "b"});
  const RuntimeProfile profile = read_profile(
      R"({"name": "a", "kernels": {"mlir_auto_fallback": {"fallback": "copy", "more_roads": {"set": "rebind_set"}}}})",
      "p.json");
  const Launch launch = std::get<Launch>(lower(c.program, profile).body.back().node);
  EXPECT_THAT(roads(launch), ElementsAre("tuned", "fallback", "set"));
  EXPECT_TRUE(launch.variants[1].rebinds.empty());
  EXPECT_EQ(launch.variants[2].rebinds.size(), 1u);
  EXPECT_TRUE(launch.variants[2].fallback);
}

TEST(Lower, ReadsMeanTheIntendedProducer) {  // C3 E9
  Case c;
  c.alloc("b");
  c.call({"x", "b"});
  for (const Variant& variant : c.lowered("torch_npu-26.0.0").variants) {
    const Clause& read = variant.clauses.at(0);
    EXPECT_EQ(read.kind, Clause::Kind::read);
    EXPECT_EQ(read.buffer, Name("x"));
    EXPECT_TRUE(read.set.whole);
    EXPECT_EQ(read.from.kind, From::Kind::intended);
    EXPECT_FALSE(read.relies_on_declared) << "26.0.0 copies inputs that are not contiguous";
  }
  EXPECT_TRUE(c.lowered("stock").variants[0].clauses[0].relies_on_declared);
}

TEST(Lower, ImportFxHasOnlyTheFallback) {
  Case c(1, KernelKind::import_fx);
  c.alloc("b");
  c.call({"x", "b"});
  EXPECT_THAT(roads(c.lowered("torch_npu-26.1.0")), ElementsAre("fallback"));
  EXPECT_THAT(roads(c.lowered("stock")), ElementsAre("tuned"));
}

TEST(Lower, NoOutputsNoFallback) {
  Case c(0);
  c.call({"x"});
  const Launch launch = c.lowered("torch_npu-26.0.0");
  EXPECT_THAT(roads(launch), ElementsAre("tuned"));
  EXPECT_THAT(writes(launch.variants[0]), ElementsAre());
}

TEST(Lower, MutatedInputIsReadThenWritten) {
  Case c;
  c.call({"x", "x"});
  const Launch launch = c.lowered("torch_npu-26.0.0");
  ASSERT_EQ(launch.variants[0].clauses.size(), 2u);
  EXPECT_EQ(launch.variants[0].clauses[0].kind, Clause::Kind::read);
  EXPECT_EQ(launch.variants[0].clauses[1].kind, Clause::Kind::write);
  EXPECT_EQ(launch.variants[1].rebinds.at(0).handle, Name("x"));
}

TEST(Lower, NonContiguousOutputsGoThroughATemporary) {  // E7
  Case c;
  c.alloc("b", kTransposed);
  c.call({"x", "b"});
  for (const char* profile : {"torch_npu-7.x", "torch_npu-26.0.0", "torch_npu-26.1.0", "torch_npu-dev"})
    for (const Variant& variant : c.lowered(profile).variants) {
      EXPECT_THAT(writes(variant), ElementsAre("b")) << profile;
      EXPECT_TRUE(variant.rebinds.empty()) << profile;
      EXPECT_FALSE(variant.clauses.back().as_layout.has_value()) << profile;
    }
  EXPECT_TRUE(writes(c.lowered("as-reported").variants[1]).empty());
}

TEST(Lower, WithoutATemporaryTheKernelStoresRowMajor) {  // E2
  Case c;
  c.alloc("b", kTransposed);
  c.kernel().num_call_functions = 0;
  c.call({"x", "b"});
  const Launch launch = c.lowered("torch_npu-7.x");
  EXPECT_EQ(launch.variants[0].clauses.back().as_layout, contiguous({8, 64}));
  ASSERT_EQ(launch.variants[1].rebinds.size(), 1u);
  EXPECT_EQ(launch.variants[1].rebinds[0].result, contiguous({8, 64}));
}

TEST(Lower, DynamicCopyBackRaises) {  // E11
  Case c;
  c.alloc("b", kTransposed);
  c.kernel().dynamic = true;
  c.call({"x", "b"});
  EXPECT_THAT(c.lowered("torch_npu-26.0.0").variants[0].raises, HasSubstr("TypeError"));
  EXPECT_EQ(c.lowered("torch_npu-26.0.0").variants[1].raises, "");
  EXPECT_EQ(c.lowered("torch_npu-26.1.0").variants[0].raises, "");
}

TEST(Lower, ContiguityOfAViewIsItsOwn) {
  Case c;
  c.alloc("base", contiguous({8, 128}));
  c.view("b", "base", Layout{{8, 64}, {128, 1}, 64});
  c.call({"x", "b"});
  EXPECT_THAT(writes(c.lowered("torch_npu-26.0.0").variants[1]), ElementsAre("b"));
  c.view("b", "base", contiguous({8, 64}));
  c.call({"x", "b"});
  EXPECT_EQ(c.lowered("torch_npu-26.0.0").variants[1].rebinds.size(), 1u);
}

TEST(Lower, CallsThatDoNotFitTheirKernelAreUnknown) {  // E8
  Case c(3);
  c.alloc("b");
  c.call({"x", "b"});
  const Launch few = c.lowered("torch_npu-26.0.0");
  EXPECT_TRUE(few.outputs.empty());
  ASSERT_EQ(few.variants.size(), 1u);
  for (const Clause& clause : few.variants[0].clauses) EXPECT_EQ(clause.kind, Clause::Kind::unknown);
  c.kernel().num_outputs.reset();
  EXPECT_EQ(c.lowered("torch_npu-26.0.0").variants[0].clauses[0].kind, Clause::Kind::unknown);
}

TEST(Lower, WhatIsTakenOnTrustIsListed) {
  Case c;
  c.alloc("b");
  c.call({"x", "b"});
  c.call({"x", "b"});
  const auto assumptions = lower(c.program, *find_profile("torch_npu-26.0.0")).assumptions;
  EXPECT_THAT(assumptions, ElementsAre(HasSubstr("FX fallback returns one fresh contiguous tensor"),
                                       HasSubstr("its text is not readable): k")));
  EXPECT_EQ(lower(c.program, *find_profile("stock")).assumptions.size(), 1u);
}

TEST(Lower, ExternCallsAndBufprogStayAsTheyAre) {
  Case c;
  Launch extern_call{.kernel = "extern_kernels.mm", .variants = {Variant{.name = "call"}}};
  c.program.body.push_back(step(extern_call));
  EXPECT_THAT(roads(c.lowered("as-reported")), ElementsAre("call"));
  c.program.dialect = Dialect::bufprog;
  c.call({"x"});
  EXPECT_TRUE(c.lowered("as-reported").variants.empty());
}

TEST(Lower, BlocksAreWalked) {
  Case c;
  c.alloc("b");
  c.call({"x", "b"});
  Branch branch{.condition = true, .then_block = {c.program.body.back()}, .else_block = {}};
  c.program.body.back() = step(branch);
  const Program out = lower(c.program, *find_profile("torch_npu-26.0.0"));
  const auto& inner = std::get<Branch>(out.body.back().node).then_block.at(0);
  EXPECT_EQ(std::get<Launch>(inner.node).variants.size(), 2u);
}

}  // namespace
}  // namespace bufferproof::model
