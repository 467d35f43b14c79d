#include "model/graph.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace bufferproof::model {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

Step step(decltype(Step::node) node) { return Step{-1, {}, std::move(node)}; }
Step buffer(const char* name) { return step(Alloc{.name = name, .layout = contiguous({4})}); }

Clause access(Clause::Kind kind, const char* buffer) {
  return {.kind = kind, .buffer = buffer, .set = {.whole = true}};
}

Step kernel(const char* name, std::vector<const char*> reads, std::vector<const char*> writes,
            const char* stream = "s0") {
  Variant variant;
  for (const char* read : reads) variant.clauses.push_back(access(Clause::Kind::read, read));
  for (const char* write : writes) variant.clauses.push_back(access(Clause::Kind::write, write));
  return step(Launch{.kernel = name, .stream = stream, .variants = {variant}});
}

Program program_of(Block body) {
  Program program;
  program.body = std::move(body);
  number_steps(program);
  return program;
}

std::vector<std::string> labels(const DependenceGraph& graph, const std::vector<DependenceGraph::Id>& ids) {
  std::vector<std::string> out;
  for (auto id : ids) out.push_back(graph.graph()[id].label);
  return out;
}

DependenceGraph::Id find(const DependenceGraph& graph, const std::string& label) {
  for (DependenceGraph::Id v = 0; v < num_vertices(graph.graph()); ++v)
    if (graph.graph()[v].label == label) return v;
  ADD_FAILURE() << "no vertex " << label;
  return 0;
}

TEST(Graph, ConeHoldsWhatCanReachAReadAndNothingElse) {
  const Program program =
      program_of({buffer("a"), buffer("b"), buffer("c"), kernel("K1", {}, {"a"}), kernel("K2", {}, {"b"}),
                  kernel("K3", {"a"}, {"c"}), kernel("K4", {"c"}, {})});
  const DependenceGraph graph(program);
  EXPECT_THAT(labels(graph, graph.cone(find(graph, "K4"))), ElementsAre("K1", "K3", "K4"));
  EXPECT_THAT(labels(graph, graph.influenced(find(graph, "K1"))), ElementsAre("K1", "K3", "K4"));
  EXPECT_THAT(labels(graph, graph.storages()), ElementsAre("a", "b", "c"));
}

TEST(Graph, PartialWritersOfOneStorageAllStandInTheCone) {
  const Program program =
      program_of({buffer("a"), step(View{.name = "lo", .base = "a"}), step(View{.name = "hi", .base = "a"}),
                  kernel("LO", {}, {"lo"}), kernel("HI", {}, {"hi"}), kernel("READ", {"a"}, {})});
  const DependenceGraph graph(program);
  EXPECT_THAT(labels(graph, graph.cone(find(graph, "READ"))), ElementsAre("LO", "HI", "READ"));
}

TEST(Graph, AMovedHandleIsFollowedThroughEveryNameOfIt) {
  const Program program = program_of({buffer("a"), buffer("t"), step(Bind{Bind::Kind::alias, "n", "a"}),
                                      kernel("W", {}, {"t"}), step(Point{"a", "t"}), kernel("R", {"n"}, {})});
  const DependenceGraph graph(program);
  EXPECT_THAT(labels(graph, graph.cone(find(graph, "R"))), ElementsAre("W", "R"));
}

TEST(Graph, TopologicalOrderPutsWritersBeforeReadersBeforeOverwriters) {
  const Program program = program_of({buffer("a"), kernel("W", {}, {"a"}), kernel("R", {"a"}, {}),
                                      kernel("W2", {}, {"a"}), kernel("R2", {"a"}, {})});
  const DependenceGraph graph(program);
  EXPECT_THAT(labels(graph, graph.topological_order()), ElementsAre("W", "R", "W2", "R2"));
}

TEST(Graph, LoopsCarryDependencesWithoutBreakingTheOrder) {
  const Program program =
      program_of({buffer("a"), step(Loop{"i", 3, {kernel("R", {"a"}, {}), kernel("W", {}, {"a"})}})});
  const DependenceGraph graph(program);
  EXPECT_THAT(labels(graph, graph.cone(find(graph, "R"))), ElementsAre("R", "W"));
  EXPECT_THAT(labels(graph, graph.topological_order()), ElementsAre("R", "W"));
}

TEST(Graph, NamesWithHolesMeetTheNamesTheyCanBe) {
  const Name part({"p", ""}, {SymExpr::symbol("i")});
  Program program =
      program_of({step(Loop{"i", 2, {step(Alloc{.name = part, .layout = contiguous({4})})}}),
                  kernel("W", {}, {"p1"}), kernel("R", {"p0"}, {}), kernel("OTHER", {"q0"}, {})});
  const DependenceGraph graph(program);
  EXPECT_THAT(labels(graph, graph.cone(find(graph, "R"))), ElementsAre("W", "R"));
  EXPECT_THAT(labels(graph, graph.cone(find(graph, "OTHER"))), ElementsAre("OTHER"));
}

TEST(GraphC4, EventsAndHostOrderStreams) {
  const Program program =
      program_of({kernel("A", {}, {}, "s0"), step(Signal{"e", "s0"}), kernel("A2", {}, {}, "s0"),
                  kernel("B0", {}, {}, "s1"), step(Wait{"e", "s1"}), kernel("B", {}, {}, "s1"),
                  step(HostSync{"s0"}), kernel("C", {}, {}, "s2")});
  const DependenceGraph graph(program);
  auto before = [&](const char* a, const char* b) {
    return graph.happens_before(find(graph, a), find(graph, b));
  };
  EXPECT_TRUE(before("A", "A2"));
  EXPECT_FALSE(before("A", "B0"));
  EXPECT_TRUE(before("A", "B"));
  EXPECT_FALSE(before("A2", "B"));
  EXPECT_FALSE(before("B", "A"));
  EXPECT_TRUE(before("A2", "C"));
  EXPECT_FALSE(before("B", "C"));
  EXPECT_FALSE(before("A", "A"));
}

TEST(Graph, DotNamesEveryVertexOnce) {
  const Program program = program_of({buffer("a\"b"), kernel("W", {}, {"a\"b"}), kernel("R", {"a\"b"}, {})});
  const std::string dot = DependenceGraph(program).dot();
  EXPECT_THAT(dot, HasSubstr("v0 [shape=box, label=\"a\\\"b\"]"));
  EXPECT_THAT(dot, HasSubstr("v1 -> v0;"));
  EXPECT_THAT(dot, HasSubstr("v0 -> v2;"));
}

TEST(Graph, StepsAreFoundByNumber) {
  const Program program = program_of({buffer("a"), kernel("W", {}, {"a"})});
  const DependenceGraph graph(program);
  EXPECT_EQ(graph.find(1), find(graph, "W"));
  EXPECT_EQ(graph.find(0), std::nullopt);
}

}  // namespace
}  // namespace bufferproof::model
