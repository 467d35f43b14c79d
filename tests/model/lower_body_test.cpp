// Roads of kernels whose bodies are readable.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <algorithm>

#include "model/body/summary.hpp"
#include "model/lowering/mlir_roads.hpp"

namespace bufferproof::model::lowering {
namespace {

using ::testing::HasSubstr;
using ::testing::SizeIs;

/// x (4, 6), outputs b0, b1 (4, 6), kernel k: x -> b0, b1.
class Roads : public ::testing::Test {
 protected:
  Roads() {
    alloc("x", contiguous({4, 6}), Init::input);
    alloc("b0", contiguous({4, 6}));
    alloc("b1", contiguous({4, 6}));
    for (const char* name : {"x", "b0", "b1"}) launch_.arguments.push_back({.handle = name});
    facts_.results = {result(), result()};
  }
  void alloc(const char* name, Layout layout, Init init = Init::uninit) {
    environment_.step(Step{-1, {}, Alloc{name, DType::f32, std::move(layout), init}});
  }
  static ResultFacts result(std::vector<SymExpr> sizes = {4, 6}) {
    return {.sizes = sizes, .dtype = DType::f32, .eager_strides = contiguous(sizes).strides};
  }
  /// The facts are those of the FX graph as well.
  Variant fx_fallback(std::string_view profile) {
    const LaunchContext context{*find_profile(profile), kernel_,      launch_,
                                environment_,           assumptions_, mlir_outputs(kernel_, launch_)};
    return mlir_roads(context, std::nullopt, facts_).at(1);
  }
  std::vector<Variant> roads(std::string_view profile) {
    const LaunchContext context{*find_profile(profile), kernel_,      launch_,
                                environment_,           assumptions_, mlir_outputs(kernel_, launch_)};
    return mlir_roads(context, facts_, std::nullopt);
  }
  Variant tuned(std::string_view profile = "torch_npu-26.0.0") { return roads(profile).at(0); }
  Variant fallback(std::string_view profile) { return roads(profile).at(1); }
  std::string assumptions() const {
    std::string out;
    for (const std::string& one : assumptions_.list()) out += one + "\n";
    return out;
  }

  KernelDef kernel_{
      .name = "k", .kind = KernelKind::mlir_auto_fallback, .num_outputs = 2, .num_call_functions = 2};
  Launch launch_{.kernel = "k", .definition = 0};
  Environment environment_;
  Assumptions assumptions_;
  BodyFacts facts_;
};

std::vector<Clause> writes(const Variant& road) {
  std::vector<Clause> found;
  for (const Clause& clause : road.clauses)
    if (clause.kind == Clause::Kind::write) found.push_back(clause);
  return found;
}

TEST_F(Roads, FewerResultsLeaveTheRestUnwritten) {  // E6
  facts_.results.pop_back();
  EXPECT_THAT(writes(tuned()), SizeIs(1));
  EXPECT_THAT(fallback("torch_npu-26.0.0").rebinds, SizeIs(1));
  EXPECT_THAT(writes(fallback("torch_npu-26.1.0")), SizeIs(1));
}

TEST_F(Roads, PermutedResultsReachTheHandleOnlyWithData) {  // B1s E4
  facts_.results[0].eager_strides = {1, 4};
  EXPECT_EQ(fallback("torch_npu-26.0.0").rebinds.at(0).result, (Layout{{4, 6}, {1, 4}, 0}));
  EXPECT_FALSE(fallback("torch_npu-26.0.0").rebinds.at(1).result.has_value());
  EXPECT_FALSE(fallback("torch_npu-dev").rebinds.at(0).result.has_value());
  EXPECT_TRUE(fallback("torch_npu-26.1.0").rebinds.empty());
}

TEST_F(Roads, ResultOfAnotherShape) {  // B2 E2 E3 E4
  facts_.results[0] = result({2, 6});
  const Clause store = writes(tuned()).at(0);
  EXPECT_EQ(store.as_layout, contiguous({2, 6}));
  EXPECT_TRUE(store.set.whole);
  EXPECT_EQ(fallback("torch_npu-26.0.0").rebinds.at(0).result, contiguous({2, 6}));
  EXPECT_EQ(fallback("torch_npu-dev").rebinds.at(0).result, contiguous({2, 6}));
  EXPECT_THAT(fallback("torch_npu-26.1.0").raises, HasSubstr("does not fit the shape of b0"));
  facts_.results[0] = result({1, 6});
  EXPECT_THAT(writes(fallback("torch_npu-26.1.0")), SizeIs(2));
}

TEST_F(Roads, DtypeGuardOfTheDevelopmentBranches) {  // C7 E3
  facts_.results[0].dtype = DType::f16;
  const Variant dev = fallback("torch_npu-dev");
  EXPECT_THAT(writes(dev), SizeIs(1));
  EXPECT_THAT(dev.rebinds, SizeIs(1));
  EXPECT_EQ(fallback("torch_npu-26.0.0").rebinds.at(0).dtype, DType::f16);
  EXPECT_TRUE(fallback("torch_npu-26.1.0").rebinds.empty());
  EXPECT_EQ(tuned().rebinds.at(0).dtype, DType::f16);
}

TEST_F(Roads, BytesOfMlirHaveNoSign) {  // C7
  environment_.step(Step{-1, {}, Alloc{"b0", DType::u8, contiguous({4, 6}), Init::uninit}});
  environment_.step(Step{-1, {}, Alloc{"x", DType::u8, contiguous({4, 6}), Init::input}});
  facts_.results[0].dtype = DType::i8;
  facts_.elements = {DType::i8};
  EXPECT_TRUE(tuned().rebinds.empty());
  EXPECT_FALSE(tuned().clauses.at(0).compiled_for);
  facts_.results[0].dtype = DType::i16;
  facts_.elements = {DType::i16};
  EXPECT_EQ(tuned().rebinds.at(0).dtype, DType::i16);
  EXPECT_EQ(tuned().clauses.at(0).compiled_for, DType::i16);
}

TEST_F(Roads, ViewsOfInputsShareTheirStorage) {  // E4
  facts_.results[0].view_of = 0;
  facts_.results[0].sizes = {6, 4};
  facts_.results[0].eager_strides = {1, 6};
  const Rebind data = fx_fallback("torch_npu-26.0.0").rebinds.at(0);
  EXPECT_EQ(data.alias_of, Name("x"));
  EXPECT_EQ(data.result, (Layout{{6, 4}, {1, 6}, 0}));
  EXPECT_TRUE(fx_fallback("torch_npu-dev").rebinds.at(0).alias_of.empty())
      << "contiguous() copies a permuted view";
  facts_.results[0] = result();
  facts_.results[0].view_of = 0;
  EXPECT_EQ(fx_fallback("torch_npu-dev").rebinds.at(0).alias_of, Name("x"));
}

TEST_F(Roads, ViewOfAnInputThatWasCopiedSharesNothing) {
  alloc("x", Layout{{4, 6}, {1, 4}, 0}, Init::input);
  facts_.results[0].view_of = 0;
  EXPECT_TRUE(fx_fallback("torch_npu-26.0.0").rebinds.at(0).alias_of.empty());
  kernel_.num_call_functions = 0;
  EXPECT_EQ(fx_fallback("torch_npu-26.0.0").rebinds.at(0).alias_of, Name("x"));
}

/// A compiled text says that elements move, not whether eager execution makes a view of that.
TEST_F(Roads, MovedElementsAreNoViewWhereTheGraphIsNotThere) {
  facts_.results[0].view_of = 0;
  facts_.results[0].eager_strides = {1, 4};
  const Variant road = fallback("torch_npu-26.0.0");
  EXPECT_TRUE(road.rebinds.at(0).alias_of.empty());
  EXPECT_FALSE(road.rebinds.at(0).result);
  EXPECT_THAT(assumptions(), HasSubstr("memory of their own"));
}

TEST_F(Roads, OneTensorReturnedTwiceSharesOneStorage) {  // E4
  facts_.results[1].same_as = 0;
  EXPECT_EQ(fallback("torch_npu-26.0.0").rebinds.at(1).same_as, 0);
  EXPECT_EQ(fallback("torch_npu-26.0.0").rebinds.at(0).same_as, -1);
}

TEST_F(Roads, UndefinedElementsAreNotWritten) {  // C8
  facts_.results[0].undefined = {{{1, 3}, {0, 6, 2}}};
  const Clause store = writes(tuned()).at(0);
  ASSERT_EQ(store.set.variables.size(), 2u);
  const auto written = [&](std::int64_t i, std::int64_t j) {
    return *store.set.where.evaluate({{"$0", i}, {"$1", j}});
  };
  EXPECT_TRUE(written(0, 0));
  EXPECT_FALSE(written(1, 0));
  EXPECT_TRUE(written(1, 1));
  EXPECT_FALSE(written(2, 4));
  EXPECT_TRUE(written(3, 4));
}

TEST_F(Roads, UndefinedElementsOfTheFxGraphAreNotHandedOver) {  // C8 B5
  facts_.results[0].undefined = {{{0, 4}, {0, 6}}};
  EXPECT_THAT(fx_fallback("torch_npu-26.0.0").rebinds, SizeIs(1));
  const Clause store = writes(fx_fallback("torch_npu-26.1.0")).at(0);
  EXPECT_EQ(store.set.where.evaluate({{"$0", 1}, {"$1", 1}}), false);
  EXPECT_THAT(fallback("torch_npu-26.0.0").rebinds, SizeIs(2))
      << "the compiled text says nothing of eager execution";
}

TEST_F(Roads, ExactReadsBecomeClauses) {  // E1
  facts_.reads = {std::vector<ElementBox>{{{0, 2}, {1, 6, 3}}}};
  const Clause read = tuned().clauses.at(0);
  ASSERT_EQ(read.set.variables.size(), 2u);
  EXPECT_EQ(read.set.variables[1].hi, SymExpr(2));
  EXPECT_EQ(read.set.index[1], SymExpr(1) + SymExpr(3) * SymExpr::symbol("$1"));
}

TEST_F(Roads, ReadsThatNeedNotMatterAreMayReads) {  // E1
  facts_.reads = {std::vector<ElementBox>{}};
  facts_.may_reads = {{{{0, 4}, {0, 2}}}};
  const Clause read = tuned().clauses.at(0);
  EXPECT_TRUE(read.kind == Clause::Kind::read && read.may);
  EXPECT_EQ(read.set.variables.at(1).hi, SymExpr(2));
}

TEST_F(Roads, AnInputTheTracedGraphWritesInPlaceIsStoredByTheFallbackAlone) {  // E4
  facts_.overwritten = {Overwritten::whole};
  EXPECT_THAT(writes(tuned()), SizeIs(2));
  const std::vector<Clause> stores = writes(fallback("torch_npu-26.0.0"));
  ASSERT_THAT(stores, SizeIs(1));
  EXPECT_EQ(stores[0].buffer, Name("x"));
}

TEST_F(Roads, ElementsOfWhichItIsNotKnownWhetherTheyAreDefinedBecomeUnknown) {  // E8
  facts_.results[0].unfollowed = {{{1, 2}, {0, 6}}};
  const std::vector<Clause> clauses = tuned().clauses;
  const auto unknown = std::find_if(clauses.begin(), clauses.end(),
                                    [](const Clause& c) { return c.kind == Clause::Kind::unknown; });
  ASSERT_NE(unknown, clauses.end());
  EXPECT_EQ(unknown->buffer, Name("b0"));
  EXPECT_EQ(unknown->set.variables.at(0).lo, SymExpr(1));
}

TEST_F(Roads, AGraphThatWasTracedForOtherArgumentsIsNotKnown) {  // E8
  kernel_.fx_body = std::make_shared<TensorFunction>();
  facts_.elements = {DType::f32};
  EXPECT_THAT(writes(fx_fallback("torch_npu-26.1.0")), SizeIs(2));
  facts_.elements = {DType::f16};
  EXPECT_EQ(fx_fallback("torch_npu-26.1.0").clauses.at(0).kind, Clause::Kind::unknown);
  facts_.elements = {DType::f32};
  facts_.differences = {"argument 0 is (4, 6), the kernel is compiled for (8, 6)"};
  EXPECT_EQ(fx_fallback("torch_npu-26.1.0").clauses.at(0).kind, Clause::Kind::unknown);
}

TEST_F(Roads, ATextThatWasCompiledForOtherArgumentsSaysNothingOfEagerExecution) {  // E8
  EXPECT_THAT(writes(fallback("torch_npu-26.1.0")), SizeIs(2));
  facts_.differences = {"argument 0 is (4, 6), the kernel is compiled for (8, 6)"};
  EXPECT_EQ(fallback("torch_npu-26.1.0").clauses.at(0).kind, Clause::Kind::unknown);
}

TEST_F(Roads, ATextThatTakesAnotherNumberOfInputsIsNotKnown) {  // E8
  kernel_.body = std::make_shared<TensorFunction>();
  const LaunchContext context{*find_profile("stock"), kernel_,      launch_,
                              environment_,           assumptions_, mlir_outputs(kernel_, launch_)};
  const std::vector<Variant> roads = mlir_roads(context, std::nullopt, std::nullopt);
  ASSERT_THAT(roads, SizeIs(1));
  EXPECT_EQ(roads[0].clauses.at(0).kind, Clause::Kind::unknown);
}

TEST_F(Roads, OpenSizesAreAnAssumption) {
  facts_.results[0] = result({SymExpr::symbol("$n"), 6});
  tuned();
  EXPECT_THAT(assumptions_.list(), ::testing::Contains(HasSubstr("sizes a kernel's body computes")));
  EXPECT_FALSE(writes(tuned()).at(0).as_layout.has_value());
}

TEST_F(Roads, B2_SizesThatDifferForSomeValuesAreFollowed) {
  facts_.results[0] = result({floordiv(SymExpr::symbol("s0"), 2), 6});
  const auto as_layout = writes(tuned()).at(0).as_layout;
  ASSERT_TRUE(as_layout.has_value());
  EXPECT_EQ(as_layout->sizes[0], floordiv(SymExpr::symbol("s0"), 2));
  EXPECT_THAT(assumptions_.list(), ::testing::Not(::testing::Contains(HasSubstr("sizes a kernel's body"))));
}

TEST_F(Roads, SizesAreLookedAtForSomeValues) {
  const SymExpr s = SymExpr::symbol("s0");
  EXPECT_TRUE(differ_somewhere({floordiv(s, 2)}, {floordiv(s + 1, 2)}));
  EXPECT_FALSE(differ_somewhere({floordiv(s + 1, 2)}, {floordiv(s - 1, 2) + 1}));
  EXPECT_FALSE(differ_somewhere({SymExpr::symbol("$n")}, {s}));
}

constexpr const char* kRelu = "func @k(%x: f32[n, 6]) { %y = relu %x : f32[n, 6] return %y }";

/// A kernel whose body is read from the project's own notation.
class BoundBody : public Roads {
 protected:
  BodyFacts bind(const std::string& text, std::size_t inputs) {
    const auto facts = bind_body(summarize(parse_tensor_function(text)), launch_, inputs, environment_);
    EXPECT_TRUE(facts.has_value());
    return facts.value_or(BodyFacts{});
  }
};

TEST_F(BoundBody, SizesBecomeTheDeclaredOnes) {
  alloc("x", contiguous({SymExpr::symbol("s0") * 2, 6}), Init::input);
  const BodyFacts facts = bind(kRelu, 1);
  ASSERT_THAT(facts.results, SizeIs(1));
  EXPECT_EQ(facts.results[0].sizes, (std::vector<SymExpr>{SymExpr::symbol("s0") * 2, 6}));
  EXPECT_FALSE(facts.open_sizes);
  EXPECT_FALSE(facts.reads.at(0).has_value()) << "whole";
}

TEST_F(BoundBody, ShapesThatDifferFromTheCompiledOnesAreNamed) {  // B10
  alloc("x", contiguous({4, 7}), Init::input);
  const BodyFacts facts = bind(kRelu, 1);
  EXPECT_THAT(facts.differences, ::testing::ElementsAre(HasSubstr("argument 0 is (4, 7)[7, 1]")));
  EXPECT_FALSE(facts.reads.at(0).has_value());
}

constexpr const char* kFirstRows =
    "func @k(%x: f32[4, 6]) { %t = slice %x {offsets = sizes[0, 0], sizes = sizes[2, 6], strides = [1, 1]} : "
    "f32[2, 6] return %t }";

TEST_F(BoundBody, C5AParameterOfOtherSizesIsReadByItsOwn) {
  alloc("x", contiguous({3, 6}), Init::input);
  const auto own = [&](const std::string& text) { return bind(text, 1).own_sizes.at(0); };
  const std::string whole = "func @k(%x: f32[4, 6]) { %y = relu %x : f32[4, 6] return %y }";
  ASSERT_TRUE(own(whole).has_value());
  EXPECT_EQ(own(whole)->elements, 24);
  EXPECT_EQ(own(whole)->reaches, 24);
  EXPECT_FALSE(bind(whole, 1).open_sizes);
  EXPECT_EQ(own(kFirstRows)->reaches, 12);
  EXPECT_FALSE(own("func @k(%x: f32[3, 6]) { %y = relu %x : f32[3, 6] return %y }").has_value());
  EXPECT_FALSE(own(kRelu).has_value());
}

TEST_F(BoundBody, AnotherNumberOfInputsIsNotBound) {
  EXPECT_FALSE(bind_body(summarize(parse_tensor_function(kRelu)), launch_, 2, environment_).has_value());
}

TEST(Shapes, BroadcastFollowsCopy) {  // E3
  EXPECT_EQ(broadcasts_to({1, 3}, {2, 3}), true);
  EXPECT_EQ(broadcasts_to({3}, {2, 3}), true);
  EXPECT_EQ(broadcasts_to({2, 3}, {3}), false);
  EXPECT_EQ(broadcasts_to({2, 3}, {4, 3}), false);
  EXPECT_EQ(broadcasts_to({SymExpr::symbol("n")}, {SymExpr::symbol("m")}), std::nullopt);
  EXPECT_EQ(broadcasts_to({SymExpr::symbol("n"), 2}, {SymExpr::symbol("m"), 3}), false);
  EXPECT_EQ(broadcasts_to({}, {4}), true);
}

}  // namespace
}  // namespace bufferproof::model::lowering
