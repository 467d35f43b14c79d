// Lowered wrappers: two worlds, roads of a launch, rebinds, renames, pools.
#include <gtest/gtest.h>

#include "tests/simulator/wrapper_support.hpp"

namespace bufferproof::simulator {
namespace {

using model::contiguous;
using model::DType;
using model::Init;
using model::Layout;
using model::Variant;

const std::map<std::string, std::string> kFallback{{"K", "fallback"}};

TEST(Wrapper, E4_AFreshRebindIsHarmless) {
  WrapperBuilder w;
  w.alloc("x", {4}, Init::input).alloc("b", {4}).kernel("K", {"x"}, {"b"}, {rebinding("b")});
  w.kernel("L", {"b"}, {}).returns("b");
  EXPECT_EQ(w.found(), Found{});
  EXPECT_EQ(w.found(kFallback), Found{});
}

TEST(Wrapper, E4_AViewTakenBeforeTheRebindStaysBehind) {
  WrapperBuilder before;
  before.alloc("b", {4}).view("v", "b", contiguous({2, 2})).kernel("K", {}, {"b"}, {rebinding("b")});
  before.kernel("L", {"v"}, {});
  EXPECT_EQ(before.found(), Found{});
  EXPECT_EQ(before.found(kFallback), Found{"UNWRITTEN v at L"});
  WrapperBuilder after;
  after.alloc("b", {4}).kernel("K", {}, {"b"}, {rebinding("b")}).view("v", "b", contiguous({2, 2}));
  after.kernel("L", {"v"}, {});
  EXPECT_EQ(after.found(kFallback), Found{});
}

TEST(Wrapper, E4_EveryNameOfTheHandleSeesTheRebind) {
  WrapperBuilder w;
  w.alloc("b", {4}).alias("c", "b").kernel("K", {}, {"c"}, {rebinding("c")}).kernel("L", {"b"}, {});
  EXPECT_EQ(w.found(kFallback), Found{});
}

TEST(Wrapper, E4_ASecondRebindReplacesTheFirst) {
  WrapperBuilder w;
  Variant second = rebinding("b");
  w.alloc("b", {4}).kernel("K", {}, {"b"}, {rebinding("b")}).view("v", "b", contiguous({4}));
  w.kernel("M", {"b"}, {"b"}, {second}).kernel("L", {"v"}, {});
  EXPECT_EQ(w.found(), Found{});
  EXPECT_EQ(w.found({{"K", "fallback"}, {"M", "fallback"}}), Found{"STALE v at L"});
}

TEST(Wrapper, E4_AResultThatAliasesAnArgument) {
  Variant alias = rebinding("b");
  alias.rebinds[0].alias_of = "x";
  alias.rebinds[0].carries = true;
  WrapperBuilder w;
  w.alloc("x", {4}, Init::input).alloc("b", {4}).kernel("K", {"x"}, {"b"}, {alias}).returns("b");
  // C3: the input's elements are what K hands over there.
  EXPECT_EQ(w.found(kFallback), Found{});
  EXPECT_EQ(w.found(), Found{});
  WrapperBuilder overwritten;
  overwritten.alloc("x", {4}, Init::input).alloc("b", {4}).kernel("K", {"x"}, {"b"}, {alias});
  overwritten.kernel("M", {}, {"x"}).returns("b");
  EXPECT_EQ(overwritten.found(kFallback), Found{"STALE b at result"});
  EXPECT_EQ(overwritten.found(), Found{});
}

TEST(Wrapper, E4_TwoOutputsThatShareOneResult) {
  Variant shared = rebinding("b");
  shared.rebinds.push_back({"c", std::nullopt, std::nullopt, {}, 0});
  WrapperBuilder w;
  w.alloc("b", {4}).alloc("c", {4}).kernel("K", {}, {"b", "c"}, {shared});
  w.kernel("M", {"b"}, {"b"}).kernel("L", {"c"}, {});
  EXPECT_EQ(w.found(), Found{});
  EXPECT_EQ(w.found(kFallback), Found{"STALE c at L"});
}

TEST(Wrapper, E5_NothingHandedOver) {
  WrapperBuilder w;
  w.alloc("b", {4}).kernel("K", {}, {"b"}, {dropping()}).kernel("L", {"b"}, {}).returns("b");
  EXPECT_EQ(w.found(), Found{});
  EXPECT_EQ(w.found(kFallback), Found{"UNWRITTEN b at L"});  // reported once, at the first reader
}

TEST(Wrapper, E2_StoresThroughTheCompiledLayout) {
  Variant compiled;
  compiled.name = "fallback";
  compiled.clauses.push_back(write_clause("m"));
  compiled.clauses[0].as_layout = contiguous({2, 3});
  WrapperBuilder w;
  w.alloc("b", {8}).view("m", "b", Layout{{2, 3}, {4, 1}, 0}).kernel("K", {}, {"m"}, {compiled});
  w.kernel("L", {"m"}, {});
  EXPECT_EQ(w.found(), Found{});
  EXPECT_EQ(w.found(kFallback), Found{"UNWRITTEN m at L"});  // m[1,2] lies behind the dense block
}

TEST(Wrapper, E6_FewerResultsThanOutputs) {
  WrapperBuilder w;
  w.alloc("b", {4}).alloc("c", {4}).kernel("K", {}, {"b", "c"}, {rebinding("b")});
  w.kernel("L", {"b"}, {}).kernel("M", {"c"}, {});
  EXPECT_EQ(w.found(kFallback), Found{"UNWRITTEN c at M"});
}

TEST(Wrapper, S4_C3_RenameCarriesContentsAlong) {
  WrapperBuilder w;  // an in-place kernel legally reads them
  w.alloc("a", {4}).kernel("K", {}, {"a"}).rename("b", "a").kernel("L", {"b"}, {"b"}).returns("b");
  EXPECT_EQ(w.found(), Found{});
}

TEST(Wrapper, C3_ReuseTooEarlyIsFoundAtTheLaterReader) {
  WrapperBuilder w;
  w.alloc("a", {4}).view("v", "a", contiguous({4})).kernel("K", {}, {"a"}).rename("b", "a");
  w.kernel("L", {}, {"b"}).kernel("M", {"v"}, {});
  EXPECT_EQ(w.found(), Found{"STALE v at M"});
  WrapperBuilder late;
  late.alloc("a", {4}).view("v", "a", contiguous({4})).kernel("K", {}, {"a"}).kernel("M", {"v"}, {});
  late.rename("b", "a").kernel("L", {}, {"b"}).returns("b");
  EXPECT_EQ(late.found(), Found{});
}

TEST(Wrapper, C3_ReusedMemoryThatNobodyFilledIsStale) {
  WrapperBuilder w;
  w.alloc("a", {4}).kernel("J", {}, {"a"}).rename("b", "a").kernel("K", {}, {"b"}, {dropping()}).returns("b");
  EXPECT_EQ(w.found(), Found{});
  EXPECT_EQ(w.found(kFallback), Found{"STALE b at result"});
}

TEST(Wrapper, C6_ANameIsDeadAfterFreeAndAfterRename) {
  WrapperBuilder freed;
  freed.alloc("a", {4}, Init::input).free("a").kernel("K", {"a"}, {});
  EXPECT_EQ(freed.found(), Found{"DEAD a at K"});
  WrapperBuilder renamed;
  renamed.alloc("a", {4}, Init::input).rename("b", "a").kernel("K", {"a"}, {});
  EXPECT_EQ(renamed.found(), Found{"DEAD a at K"});
}

TEST(Wrapper, ConcatThroughSlices) {
  auto build = [](Variant road) {
    WrapperBuilder w;
    w.alloc("cat", {4, 4})
        .view("s0", "cat", Layout{{4, 2}, {4, 1}, 0})
        .view("s1", "cat", Layout{{4, 2}, {4, 1}, 2});
    w.kernel("J", {}, {"s0"}).kernel("K", {}, {"s1"}, {std::move(road)}).kernel("POOL", {"cat"}, {});
    return w;
  };
  EXPECT_EQ(build(rebinding("s1")).found(), Found{});
  EXPECT_EQ(build(rebinding("s1", contiguous({4, 2}))).found(kFallback), Found{"UNWRITTEN cat at POOL"});
  Variant copied;
  copied.name = "fallback";
  copied.clauses.push_back(write_clause("s1"));
  EXPECT_EQ(build(copied).found(kFallback), Found{});
}

TEST(Wrapper, C7_StridesThatDifferMatterOnlyToWhoReliesOnThem) {
  const Layout permuted{{2, 3}, {1, 2}, 0};
  WrapperBuilder w;
  w.alloc("b", {2, 3}).kernel("K", {}, {"b"}, {rebinding("b", permuted)});
  w.external("aten.relu", {read_clause("b", false)}).returns("b");
  EXPECT_EQ(w.found(kFallback), Found{});
  w.kernel("RAW", {"b"}, {});
  EXPECT_EQ(w.found(kFallback), Found{"MISMATCH b at RAW"});
  EXPECT_EQ(w.found(), Found{});
}

TEST(Wrapper, C7_AReinterpretingViewOfADifferentLayout) {
  WrapperBuilder w;
  w.alloc("b", {2, 3}).kernel("K", {}, {"b"}, {rebinding("b", Layout{{2, 3}, {1, 2}, 0})});
  w.view("v", "b", contiguous({6})).external("aten.mm", {read_clause("v", false)});
  EXPECT_EQ(w.found(kFallback), Found{"MISMATCH v at aten.mm"});
  EXPECT_EQ(w.found(), Found{});
}

TEST(Wrapper, C7_AnotherShapeOrDtypeAndTheAssertion) {
  WrapperBuilder shape;
  shape.alloc("b", {2, 3}).kernel("K", {}, {"b"}, {rebinding("b", contiguous({3, 2}))}).returns("b");
  EXPECT_EQ(shape.found(kFallback), Found{"MISMATCH b at result"});
  Variant half = rebinding("b");
  half.rebinds[0].dtype = DType::f16;
  WrapperBuilder dtype;
  dtype.alloc("b", {2, 3}).kernel("K", {}, {"b"}, {half});
  dtype.add(model::AssertLayout{"b", contiguous({2, 3}), std::nullopt});
  EXPECT_EQ(dtype.found(kFallback), Found{"MISMATCH b at assert_size_stride"});
  EXPECT_EQ(dtype.found(), Found{});
}

TEST(Wrapper, TaintMovesWithCopiesUntilSomebodyReads) {
  WrapperBuilder w;
  w.alloc("a", {4}).alloc("b", {4}).alloc("c", {4}).copy("a", "b").copy("b", "c").kernel("K", {"c"}, {});
  w.returns("c");
  EXPECT_EQ(w.found(), Found{"UNWRITTEN c at K"});
  WrapperBuilder padding;  // undefined, but nobody looks
  padding.alloc("a", {4}).alloc("b", {4}).copy("a", "b").kernel("K", {}, {"b"}).returns("b");
  EXPECT_EQ(padding.found(), Found{});
}

TEST(Wrapper, C4_StreamsAndTheReturn) {
  WrapperBuilder w;
  w.alloc("b", {4}).kernel("K", {}, {"b"}, {}, "s1").returns("b");
  EXPECT_EQ(w.found(), Found{"RACE b at result"});
  WrapperBuilder ordered;
  ordered.alloc("b", {4}).kernel("K", {}, {"b"}, {}, "s1");
  ordered.add(model::Signal{"e", "s1"}).add(model::Wait{"e", "s0"}).returns("b");
  EXPECT_EQ(ordered.found(), Found{});
}

TEST(Wrapper, S1_PoolsMeetInBytes) {
  auto build = [](std::int64_t second) {
    WrapperBuilder w;
    w.alloc("pool", {64}, Init::uninit, DType::u8);
    w.view("a", "pool", contiguous({8}), DType::f32);
    w.view("b", "pool", Layout{{8}, {1}, second}, DType::f16);
    return w.kernel("K", {}, {"a"}).kernel("L", {}, {"b"}, {dropping()}).kernel("N", {"b"}, {});
  };
  const std::map<std::string, std::string> dropped{{"L", "fallback"}};
  EXPECT_EQ(build(16).found(), Found{});  // byte 32 on, right behind a
  EXPECT_EQ(build(16).found(dropped), Found{"UNWRITTEN b at N"});
  EXPECT_EQ(build(15).found(dropped),
            (Found{"STALE b at N", "UNWRITTEN b at N"}));  // one element of a's bytes
}

TEST(Wrapper, S1_AViewOfAnotherElementSizeWithoutALayout) {
  WrapperBuilder w;
  w.alloc("a", {2, 4}).kernel("K", {}, {"a"});
  w.add(model::View{"h", "a", std::nullopt, DType::f16, false, false}).kernel("L", {"h"}, {});
  EXPECT_EQ(w.found(), Found{});
  WrapperBuilder half;
  half.alloc("a", {2, 4}).add(model::View{"h", "a", std::nullopt, DType::f16, false, false});
  model::Clause part = write_clause("h");
  part.set = model::IndexSet{
      false, {{"i", 0, 2}, {"j", 0, 7}}, {model::SymExpr::symbol("i"), model::SymExpr::symbol("j")}, true};
  half.external("W", {part}).kernel("L", {"a"}, {});
  EXPECT_EQ(half.found(), Found{"UNWRITTEN a at L"});
  EXPECT_EQ(half.run().findings[0].element, (std::vector<std::int64_t>{0, 3}));
}

TEST(Wrapper, E8_ModifyKeepsWhatIsDefinedAndDefinesNothing) {
  WrapperBuilder w;
  w.alloc("a", {4}, Init::zero)
      .external("aten.index_put_", {clause(model::Clause::Kind::modify, "a")})
      .returns("a");
  EXPECT_EQ(w.found(), Found{});
  WrapperBuilder undefined;
  undefined.alloc("a", {4})
      .external("aten.index_put_", {clause(model::Clause::Kind::modify, "a")})
      .returns("a");
  EXPECT_EQ(undefined.found(), Found{"UNWRITTEN a at result"});
}

TEST(Wrapper, E8_UnknownEffectsAreNeitherFindingNorSafe) {
  WrapperBuilder w;
  w.alloc("a", {4}).external("custom.op", {clause(model::Clause::Kind::unknown, "a")}).kernel("K", {"a"}, {});
  const TagTrace trace = w.run();
  EXPECT_TRUE(trace.findings.empty());
  ASSERT_EQ(trace.rests_on_unknown.size(), 1U);
  EXPECT_EQ(trace.rests_on_unknown[0].buffer, "a");
  EXPECT_TRUE(trace.rests_on_unknown[0].rests_on_unknown);
  EXPECT_EQ(trace.unsupported, std::vector<std::string>{"w.py:2:1: effects of custom.op are not known"});
  WrapperBuilder overwritten;
  overwritten.alloc("a", {4}).external("custom.op", {clause(model::Clause::Kind::unknown, "a")});
  overwritten.kernel("J", {}, {"a"}).kernel("K", {"a"}, {});
  EXPECT_TRUE(overwritten.run().rests_on_unknown.empty());
}

TEST(Wrapper, E8_AnUnknownStatementTouchesWhatItNames) {
  WrapperBuilder w;
  w.alloc("a", {4}, Init::input).add(model::Unsupported{"with torch.foo():", {"a"}}).returns("a");
  EXPECT_EQ(w.run().rests_on_unknown.size(), 1U);
  EXPECT_EQ(w.run().unsupported.size(), 1U);
}

TEST(Wrapper, E8_AccumulationNeedsSomethingToAddTo) {
  WrapperBuilder w;
  w.alloc("a", {4}).external("aten.add_", {clause(model::Clause::Kind::accumulate, "a")}).returns("a");
  EXPECT_EQ(w.found(), Found{"UNWRITTEN a at aten.add_"});
}

TEST(Wrapper, E11_NothingRunsAfterALaunchThatRaises) {
  Variant raises = dropping();
  raises.raises = "shapes do not broadcast";
  WrapperBuilder w;
  w.alloc("b", {4}).kernel("K", {}, {"b"}, {raises}).returns("b");
  const TagTrace trace = w.run(kFallback);
  EXPECT_TRUE(trace.findings.empty());
  EXPECT_EQ(trace.raised, "K raises: shapes do not broadcast");
  EXPECT_EQ(trace.raised_where.str(), "w.py:2:1");
  EXPECT_TRUE(w.run().raised.empty());
}

TEST(Wrapper, MemoryOfUnknownSize) {
  WrapperBuilder w;
  w.add(model::Alloc{"r", DType::f32, std::nullopt, Init::uninit});
  w.external("aten.topk", {write_clause("r")}).view("v", "r", contiguous({1024})).kernel("K", {"v"}, {});
  EXPECT_EQ(w.found(), Found{});
  WrapperBuilder part;  // which part of `r` the alias covers is not said
  part.add(model::Alloc{"r", DType::f32, std::nullopt, Init::uninit});
  part.add(model::View{"p", "r", std::nullopt, std::nullopt, false, true});
  part.external("aten.fill_", {write_clause("p")}).kernel("K", {"r"}, {});
  EXPECT_TRUE(part.run().findings.empty());
  EXPECT_EQ(part.run().rests_on_unknown.size(), 1U);
}

TEST(Wrapper, Faults) {
  WrapperBuilder w;
  w.alloc("b", {2, 4}).kernel("K", {}, {"b"}).kernel("L", {"b"}, {});
  const TagTrace trace = w.run({}, {{"K", 0, {{1, 2}, {1, 3}}}});
  ASSERT_EQ(findings(trace), Found{"UNWRITTEN b at L"});
  EXPECT_EQ(trace.findings[0].element, (std::vector<std::int64_t>{1, 1}));
  EXPECT_EQ(trace.findings[0].writer, "K");
  EXPECT_EQ(findings(w.run({}, {{"K", 0, {}}})), Found{"UNWRITTEN b at L"});
}

}  // namespace
}  // namespace bufferproof::simulator
