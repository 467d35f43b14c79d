#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "model/lower.hpp"
#include "model/lowering/pointer_use.hpp"
#include "model/lowering/source_roads.hpp"

namespace bufferproof::model::lowering {
namespace {

constexpr const char* kCpp = R"(
extern "C" void kernel(float* in_out_ptr0, const float* in_ptr0, float* __restrict__ out_ptr0, float* out_ptr1, float* out_ptr2)
{
  for (long x0 = 0; x0 < 8; x0 += 1) {
    auto tmp0 = in_out_ptr0[static_cast<long>(x0)];
    auto tmp1 = at::vec::Vectorized<float>::loadu(in_ptr0 + static_cast<long>(x0), 16);
    tmp1.store(out_ptr0 + static_cast<long>(x0 + 4L*(x0 / 2)));
    in_out_ptr0[static_cast<long>(x0)] = tmp0;
    auto tmp3 = out_ptr0[x0];
    atomic_add(&out_ptr1[static_cast<long>(x0)], tmp0);
    out_ptr2[static_cast<long>(tmp4 + x0)] = tmp0;
    if (out_ptr2[0] == tmp3) {}
  }
})";

constexpr const char* kTriton = R"(
@triton_heuristics.persistent_reduction(triton_meta={'signature': {'in_out_ptr0': '*fp32', 'in_ptr0': '*fp32'}})
@triton.jit
def triton_per_fused_mean_0(in_out_ptr0, in_ptr0, out_ptr1, xnumel, rnumel, XBLOCK : tl.constexpr):
    tmp0 = tl.load(in_ptr0 + (r1 + 64*x0), xmask, other=0.0)
    tl.store(in_out_ptr0 + (x0), tmp6, xmask)
    tmp7 = tl.load(in_out_ptr0 + (x0), xmask)
    tl.store(out_ptr1 + (tmp8 + 4*x0), tmp6, xmask)
)";

TEST(PointerUse, CppFirstUseAndScatters) {  // E9
  EXPECT_TRUE(pointer_use(kCpp, "in_out_ptr0").loads_first);
  EXPECT_TRUE(pointer_use(kCpp, "in_out_ptr0").stores);
  EXPECT_TRUE(pointer_use(kCpp, "in_ptr0").loads_first);
  EXPECT_FALSE(pointer_use(kCpp, "in_ptr0").stores);
  EXPECT_FALSE(pointer_use(kCpp, "out_ptr0").loads_first);
  EXPECT_TRUE(pointer_use(kCpp, "out_ptr0").stores);
  EXPECT_TRUE(pointer_use(kCpp, "out_ptr1").scatters);
  EXPECT_FALSE(pointer_use(kCpp, "out_ptr1").stores);
  EXPECT_TRUE(pointer_use(kCpp, "out_ptr2").scatters);
  EXPECT_FALSE(pointer_use(kCpp, "out_ptr2").stores);
  EXPECT_FALSE(pointer_use(kCpp, "out_ptr").seen);
}

TEST(PointerUse, TritonStoreBeforeLoadIsNoRead) {  // E9
  EXPECT_FALSE(pointer_use(kTriton, "in_out_ptr0").loads_first);
  EXPECT_TRUE(pointer_use(kTriton, "in_out_ptr0").stores);
  EXPECT_TRUE(pointer_use(kTriton, "in_ptr0").loads_first);
  EXPECT_TRUE(pointer_use(kTriton, "out_ptr1").scatters);
}

TEST(PointerUse, HelpersBeforeTheKernel) {  // E9
  const std::string helper =
      "@triton.jit\ndef _triton_helper_fn_add0(arg0_0, arg1_0):\n    return arg0_0 + arg1_0\n";
  const std::string scan =
      "@triton.jit\ndef triton_per_fused_cumsum_0(in_out_ptr0, in_ptr0, xnumel):\n    tmp0 = tl.load(in_ptr0 "
      "+ (r1), xmask)\n"
      "    tl.store(in_out_ptr0 + (r1), tmp3, xmask)\n";
  EXPECT_FALSE(pointer_use(helper + scan, "in_out_ptr0").loads_first);
  EXPECT_TRUE(pointer_use(helper + scan, "in_out_ptr0").stores);
}

TEST(PointerUse, BrokenTextIsBounded) {
  EXPECT_TRUE(pointer_use("p0[", "p0").loads_first);
  EXPECT_FALSE(pointer_use("", "p0").seen);
  EXPECT_TRUE(pointer_use("tl.store(p0", "p0").stores);
}

class SourceRoads : public ::testing::Test {
 protected:
  SourceRoads() { program_.dialect = Dialect::wrapper; }
  void alloc(const char* name, SymExpr size, Init init = Init::uninit) {
    program_.body.push_back(Step{-1, {}, Alloc{name, DType::f32, contiguous({size}), init}});
  }
  void view(const char* name, const char* base, SymExpr size, SymExpr offset) {
    program_.body.push_back(
        Step{-1, {}, View{.name = name, .base = base, .layout = Layout{{size}, {1}, offset}}});
  }
  Launch call(const char* text, std::vector<std::pair<Role, const char*>> arguments) {
    KernelDef kernel{.name = "cpp_fused_0", .kind = KernelKind::cpp, .text = text};
    Launch launch{.kernel = "cpp_fused_0", .definition = 0};
    int in = 0;
    int out = 0;
    for (const auto& [role, name] : arguments) {
      const std::string parameter = role == Role::input    ? "in_ptr" + std::to_string(in++)
                                    : role == Role::in_out ? "in_out_ptr0"
                                                           : "out_ptr" + std::to_string(out++);
      kernel.parameters.push_back({.name = parameter, .role = role});
      launch.arguments.push_back({.handle = name});
    }
    program_.kernels = {kernel};
    program_.body.push_back(Step{-1, {}, launch});
    return std::get<Launch>(lower(program_, *find_profile("stock")).body.back().node);
  }
  Program program_;
};

TEST_F(SourceRoads, InputsAreReadOutputsWritten) {  // E2
  alloc("x", 8, Init::input);
  alloc("b", 8);
  const Launch launch = call("", {{Role::input, "x"}, {Role::output, "b"}});
  ASSERT_EQ(launch.variants.size(), 1u);
  const auto& clauses = launch.variants[0].clauses;
  ASSERT_EQ(clauses.size(), 2u);
  EXPECT_TRUE(clauses[0].relies_on_declared);
  EXPECT_EQ(clauses[1].kind, Clause::Kind::write);
  EXPECT_THAT(launch.outputs, ::testing::ElementsAre(Name("b")));
}

TEST_F(SourceRoads, C7OutputsHoldWhatTheirPointersSay) {
  const auto rebinds = [](DType stored, DType declared) {
    Program program;
    program.dialect = Dialect::wrapper;
    program.kernels = {{.name = "k", .kind = KernelKind::cpp}};
    program.kernels[0].parameters = {{.name = "out_ptr0", .role = Role::output, .dtype = stored}};
    program.body.push_back(Step{-1, {}, Alloc{"b", declared, contiguous({8}), Init::uninit}});
    Launch launch{.kernel = "k", .definition = 0};
    launch.arguments.push_back({.handle = "b"});
    program.body.push_back(Step{-1, {}, launch});
    return std::get<Launch>(lower(program, *find_profile("stock")).body.back().node).variants[0].rebinds;
  };
  EXPECT_TRUE(rebinds(DType::f32, DType::f32).empty());
  EXPECT_TRUE(rebinds(DType::f32, DType::i64).empty());  // complex numbers, as pairs
  ASSERT_EQ(rebinds(DType::f32, DType::i8).size(), 1U);
  EXPECT_EQ(rebinds(DType::f32, DType::i8)[0].dtype, DType::f32);
}

TEST_F(SourceRoads, InOutIsReadUnlessItsTextStoresFirst) {  // E9
  alloc("x", 24, Init::input);
  alloc("b", 8);
  EXPECT_EQ(call(kCpp, {{Role::in_out, "b"}, {Role::input, "x"}}).variants[0].clauses.size(), 3u);
  EXPECT_EQ(call(kTriton, {{Role::in_out, "b"}, {Role::input, "x"}}).variants[0].clauses.size(), 2u);
  EXPECT_EQ(call("", {{Role::in_out, "b"}, {Role::input, "x"}}).variants[0].clauses.size(), 3u);
}

/// Loads through in_out_ptr0, stores to out_ptr0 alone and never speaks of out_ptr1.
constexpr const char* kForgets = R"(
@triton.jit
def triton_poi_fused_add_0(in_out_ptr0, in_ptr0, out_ptr0, out_ptr1, xnumel, XBLOCK : tl.constexpr):
    tmp0 = tl.load(in_out_ptr0 + (x0), xmask)
    tmp1 = tl.load(in_ptr0 + (x0), xmask)
    tl.store(out_ptr0 + (x0), tmp0 + tmp1, xmask)
)";

TEST_F(SourceRoads, C1WhatNoLineStoresIsDueAndNotWritten) {
  for (const char* name : {"x", "y"}) alloc(name, 8, Init::input);
  for (const char* name : {"b", "c"}) alloc(name, 8);
  const Launch launch =
      call(kForgets, {{Role::in_out, "y"}, {Role::input, "x"}, {Role::output, "b"}, {Role::output, "c"}});
  const auto& clauses = launch.variants[0].clauses;
  ASSERT_EQ(clauses.size(), 3u);
  EXPECT_EQ(clauses[2].kind, Clause::Kind::write);
  EXPECT_EQ(clauses[2].buffer, Name("b"));
  EXPECT_THAT(launch.outputs, ::testing::ElementsAre(Name("y"), Name("b"), Name("c")));
}

TEST_F(SourceRoads, E9WhatNoLineNamesIsNotRead) {
  alloc("x", 8, Init::input);
  for (const char* name : {"b", "c"}) alloc(name, 8);
  const std::string text =
      std::string(kForgets).replace(std::string(kForgets).find("in_out_ptr0 +"), 11, "in_ptr0");
  const auto clauses =
      call(text.c_str(), {{Role::in_out, "c"}, {Role::input, "x"}, {Role::output, "b"}}).variants[0].clauses;
  ASSERT_EQ(clauses.size(), 2u);
  EXPECT_EQ(clauses[0].buffer, Name("x"));
}

/// Stores 8 numbers.
constexpr const char* kEight = R"(
extern "C" void kernel(const float* in_ptr0, float* out_ptr0)
{ for (long x0 = 0; x0 < 8; x0 += 1) { out_ptr0[x0] = in_ptr0[x0]; } })";

TEST_F(SourceRoads, C5TheLastElementOfATextIsOutsideASmallerBuffer) {
  alloc("x", 8, Init::input);
  alloc("b", 7);
  const auto clauses = call(kEight, {{Role::input, "x"}, {Role::output, "b"}}).variants[0].clauses;
  ASSERT_EQ(clauses.size(), 3u);
  EXPECT_EQ(clauses[1].kind, Clause::Kind::write);
  EXPECT_THAT(clauses[1].set.index, ::testing::ElementsAre(SymExpr(7)));
}

TEST_F(SourceRoads, C1ALargerBufferIsWrittenInPart) {
  alloc("x", 8, Init::input);
  alloc("b", 9);
  const Launch launch = call(kEight, {{Role::input, "x"}, {Role::output, "b"}});
  ASSERT_EQ(launch.variants[0].clauses.size(), 2u);
  EXPECT_FALSE(launch.variants[0].clauses[1].set.whole);
  EXPECT_EQ(launch.variants[0].clauses[1].set.variables[0].hi, SymExpr(8));
  EXPECT_TRUE(launch.outputs.empty());
}

TEST(PointerUse, LoadsAlone) {  // C1
  EXPECT_FALSE(pointer_use(kForgets, "in_out_ptr0").others);
  EXPECT_FALSE(pointer_use(kCpp, "in_ptr0").others);
  EXPECT_FALSE(pointer_use("void k(float* p)\n{ auto tmp0 = p[x0]; }", "p").others);
  EXPECT_TRUE(pointer_use("void k(float* p)\n{ auto& sum = p[x0]; }", "p").others);
  EXPECT_TRUE(pointer_use("void k(float* p)\n{ p[x0] += 1; }", "p").others);
  EXPECT_TRUE(pointer_use("void k(float* p)\n{ helper(p, 4); }", "p").others);
}

TEST_F(SourceRoads, ScattersDefineNothing) {  // E8
  alloc("x", 24, Init::input);
  alloc("b", 20);
  alloc("c", 8);
  const Launch launch = call(kCpp, {{Role::input, "x"}, {Role::output, "b"}, {Role::output, "c"}});
  EXPECT_EQ(launch.variants[0].clauses[2].kind, Clause::Kind::modify);
  EXPECT_TRUE(launch.outputs.empty());
}

TEST_F(SourceRoads, OwnStoresCountForABaseReadBesideItsViews) {  // E9
  alloc("base", 8);
  view("low", "base", 4, 0);
  view("high", "base", 4, 4);
  const auto clauses =
      call("", {{Role::input, "base"}, {Role::output, "low"}, {Role::output, "high"}}).variants[0].clauses;
  ASSERT_EQ(clauses.size(), 3u);
  EXPECT_EQ(clauses[2].kind, Clause::Kind::read);
  EXPECT_EQ(clauses[2].from.kind, From::Kind::any);
  EXPECT_EQ(call("", {{Role::input, "low"}, {Role::output, "high"}}).variants[0].clauses[0].kind,
            Clause::Kind::read);
}

TEST_F(SourceRoads, GridSizesMayFollowTheParameters) {
  alloc("x", 8, Init::input);
  program_.kernels = {{.name = "k",
                       .kind = KernelKind::triton,
                       .parameters = {{.name = "in_out_ptr0", .role = Role::in_out}}}};
  Launch launch{.kernel = "k", .definition = 0, .arguments = {{.handle = "x"}, {.scalar = SymExpr(1)}}};
  program_.body.push_back(Step{-1, {}, launch});
  EXPECT_EQ(std::get<Launch>(lower(program_, *find_profile("stock")).body.back().node).outputs.size(), 1u);
  std::get<Launch>(program_.body.back().node).arguments[1] = {.handle = "x"};
  EXPECT_TRUE(std::get<Launch>(lower(program_, *find_profile("stock")).body.back().node).outputs.empty());
}

TEST_F(SourceRoads, OutputsByCountNeedNoParameters) {
  alloc("x", 8, Init::input);
  alloc("b", 8);
  program_.kernels = {{.name = "k", .kind = KernelKind::dvm, .num_outputs = 1}};
  Launch launch{.kernel = "k", .definition = 0, .arguments = {{.handle = "x"}, {.handle = "b"}}};
  program_.body.push_back(Step{-1, {}, launch});
  const auto out = std::get<Launch>(lower(program_, *find_profile("torch_npu-26.0.0")).body.back().node);
  EXPECT_EQ(out.variants.size(), 1u);
  EXPECT_EQ(out.outputs.size(), 1u);
}

TEST_F(SourceRoads, UnknownParametersMakeEverythingUnknown) {  // E8
  alloc("x", 8, Init::input);
  program_.kernels = {{.name = "k", .kind = KernelKind::cuda}};
  Launch launch{.kernel = "k", .definition = 0, .arguments = {{.handle = "x"}}};
  program_.body.push_back(Step{-1, {}, launch});
  const auto out = std::get<Launch>(lower(program_, *find_profile("stock")).body.back().node);
  EXPECT_EQ(out.variants.at(0).clauses.at(0).kind, Clause::Kind::unknown);
}

}  // namespace
}  // namespace bufferproof::model::lowering
