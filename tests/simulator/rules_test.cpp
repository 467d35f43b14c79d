// One pair per rule of the contract in bufprog: a program that breaks it and a twin that does not.
#include <gtest/gtest.h>

#include "tests/simulator/support.hpp"

namespace bufferproof::simulator {
namespace {

TEST(Rules, S1_TagsAreKeptPerElement) {
  EXPECT_EQ(found("buf a[4] uninit\nkernel K: write a{i | i<4 ; i != 2}\nkernel R: read a[0:4] from K\n"),
            Found{"UNWRITTEN a at R"});
  EXPECT_EQ(found("buf a[4] uninit\nkernel K: write a{i | i<4 ; i != 2}\nkernel R: read a[3:4] from K\n"),
            Found{});
}

TEST(Rules, S2_NamesShareAHandleAndHandlesAStorage) {
  const std::string start = "buf b[4] uninit\nbuf t[4] uninit\nkernel F: write t[0:4]\n";
  EXPECT_EQ(found(start + "same c = b\npoint c -> t\nkernel R: read b[0:4] from F\n"),
            Found{"UNWRITTEN b at R"});
  EXPECT_EQ(found(start + "name c = b\npoint c -> t\nkernel R: read b[0:4] from F\n"), Found{});
  EXPECT_EQ(found(start + "same c = t\nkernel G: write c[0:4]\nkernel R: read t[0:4] from F\n"),
            Found{"STALE t at R"});
}

TEST(Rules, S3_RebindingMovesOneHandleAndWritesNothing) {
  const std::string start =
      "buf b[4] uninit\nview v = b + 0 len 4\nbuf t[2,2] uninit\nkernel F: write t[0:2,0:2]\npoint b -> t\n";
  EXPECT_EQ(found(start + "kernel R: read v[0:4]\n"), Found{"UNWRITTEN v at R"});
  EXPECT_EQ(found(start + "kernel R: read b[0:2,0:2] from F\n"), Found{});  // shape moved as well
}

TEST(Rules, S4_TakeStartsAnotherLife) {
  const std::string start = "buf a[4] uninit\nkernel K: write a[0:4]\ntake b = a\n";
  EXPECT_EQ(found(start + "kernel R: read b[0:4] from K\n"), Found{"STALE b at R"});
  EXPECT_EQ(found(start + "kernel R: read a[0:4] from K\n"), Found{"DEAD a at R"});
  EXPECT_EQ(found(start + "kernel L: write b[0:4]\nkernel R: read b[0:4] from L\n"), Found{});
  EXPECT_EQ(found(start + "kernel L: write b[0:4]\nkernel R: read a[0:4] from K\n"), Found{"STALE a at R"});
}

TEST(Rules, S4_TheLifeOfAHandleTagsWhatItWrites) {
  // A write through the old handle is of the old life.
  EXPECT_EQ(found("buf a[2] uninit\ntake b = a\nkernel K: write a[0:2]\nkernel R: read b[0:2] from K\n"),
            Found{"STALE b at R"});
  EXPECT_EQ(found("buf a[2] uninit\nkernel K: write a[0:2]\ntake b = a\nsame c = b\nkernel L: write c[0:2]\n"
                  "kernel R: read b[0:2] from L\n"),
            Found{});
}

TEST(Rules, S5_NewMemoryHoldsNothingKnown) {
  EXPECT_EQ(found("buf a[2] uninit\nresult a[0:2]\n"), Found{"UNWRITTEN a at result"});
  EXPECT_EQ(found("buf a[2] zero\nresult a[0:2] from zero\n"), Found{});
  EXPECT_EQ(found("buf a[2] filled\nresult a[0:2] from fill\n"), Found{});
  EXPECT_EQ(found("buf a[2] input\nresult a[0:2] from zero\n"), Found{"STALE a at result"});
}

TEST(Rules, E1_AMustWriteCoversExactlyItsSet) {
  EXPECT_EQ(found("buf a[4,4] uninit\nkernel K: write a[0:4,0:3]\nkernel R: read a[0:4,2:4] from K\n"),
            Found{"UNWRITTEN a at R"});
  EXPECT_EQ(found("buf a[4,4] uninit\nkernel K: write a[0:4,0:3]\nkernel R: read a[0:4,0:3] from K\n"),
            Found{});
}

TEST(Rules, E3_ACopyMovesValuesWithTheirProducers) {
  const std::string start =
      "buf a[4] uninit\nbuf b[4] uninit\nkernel K{0}: write a[0:2]\nkernel K{1}: write a[2:4]\n";
  EXPECT_EQ(found(start + "copy a{3-i | i<4} -> b[0:4]\nkernel R: read b[0:2] from K0\n"),
            Found{"STALE b at R"});
  EXPECT_EQ(found(start + "copy a{3-i | i<4} -> b[0:4]\nkernel R: read b[0:2] from K1\n"), Found{});
}

TEST(Rules, C2_EveryReadIsOfAWrittenElement) {
  EXPECT_EQ(found("buf a[2] uninit\nbuf b[2] uninit\ncopy a[0:2] -> b[0:2]\nkernel R: read b[0:2]\n"),
            (Found{"UNWRITTEN a at COPY", "UNWRITTEN b at R"}));
  EXPECT_EQ(found("buf a[2] zero\nbuf b[2] uninit\ncopy a[0:2] -> b[0:2]\nkernel R: read b[0:2]\n"), Found{});
}

TEST(Rules, C2_AKernelSeesItsOwnEarlierClauses) {
  EXPECT_EQ(found("buf a[2] uninit\nkernel K: read a[0:2] from K; write a[0:2]\n"),
            Found{"UNWRITTEN a at K"});
  EXPECT_EQ(found("buf a[2] uninit\nkernel K: write a[0:2]; read a[0:2] from K\n"), Found{});
}

TEST(Rules, C3_TheLastWriterIsOneOfThoseMeant) {
  const std::string start = "buf a[2] uninit\nkernel K: write a[0:2]\nkernel L: write a[0]\n";
  EXPECT_EQ(found(start + "result a[0:2] from K\n"), Found{"STALE a at result"});
  EXPECT_EQ(found(start + "result a[0:2] from K|L\n"), Found{});
}

TEST(Rules, C4_ConflictsAreOrderedByEventsOrTheHost) {
  const std::string write = "buf a[2] uninit\nkernel K on s1: write a[0:2]\n";
  const std::string read = "kernel R on s2: read a[0:2] from K\n";
  EXPECT_EQ(found(write + read), Found{"RACE a at R"});
  EXPECT_EQ(found(write + "signal e on s1\nwait e on s2\n" + read), Found{});
  EXPECT_EQ(found(write + "hostsync s1\n" + read), Found{});
  EXPECT_EQ(found(write + "wait e on s2\n" + read), Found{"RACE a at R"});  // nobody signalled e
  EXPECT_EQ(found("buf a[2] uninit\nsignal e on s1\nkernel K on s1: write a[0:2]\nwait e on s2\n" + read),
            Found{"RACE a at R"});  // signalled too early
}

TEST(Rules, C4_HostWorkPrecedesLaterLaunches) {
  EXPECT_EQ(found("buf a[2] uninit\nkernel K on host: write a[0:2]\nkernel R on s1: read a[0:2] from K\n"),
            Found{});
  EXPECT_EQ(found("buf a[2] uninit\nkernel K on s1: write a[0:2]\nkernel R on host: read a[0:2] from K\n"),
            Found{"RACE a at R"});
}

TEST(Rules, C4_EventsCarryWhatTheirStreamHadSeen) {
  EXPECT_EQ(
      found("buf a[2] uninit\nkernel K on s1: write a[0:2]\nsignal e on s1\nwait e on s2\nsignal f on s2\n"
            "wait f on s3\nkernel R on s3: read a[0:2] from K\n"),
      Found{});
}

TEST(Rules, C4_AccumulationsDoNotConflictReadsDoNotConflict) {
  EXPECT_EQ(found("buf a[1] zero\nkernel K on s1: accum a[0]\nkernel L on s2: accum a[0]\n"), Found{});
  EXPECT_EQ(found("buf a[1] zero\nkernel K on s1: accum a[0]\nkernel L on s2: write a[0]\n"),
            Found{"RACE a at L"});
  EXPECT_EQ(found("buf a[1] zero\nkernel K on s1: read a[0]\nkernel L on s2: read a[0]\n"), Found{});
}

TEST(Rules, C4_AnUnorderedAccessIsRememberedBehindALaterWrite) {
  // L races with K; M is ordered behind L but still not behind K.
  EXPECT_EQ(found("buf a[1] zero\nkernel K on s1: write a[0]\nkernel L on s2: write a[0]\nsignal e on s2\n"
                  "wait e on s3\nkernel M on s3: write a[0]\n"),
            (Found{"RACE a at L", "RACE a at M"}));
  EXPECT_EQ(found("buf a[2] zero\nkernel K on s1: write a[0]\nkernel L on s2: write a[1]\n"), Found{});
}

TEST(Rules, C4_AResultComesAfterEverything) {
  EXPECT_EQ(
      found(
          "buf a[2] uninit\nresult a[0:2] from K\nkernel K on s1: write a[0:2]\nkernel L on s2: read a[0]\n"),
      Found{"RACE a at L"});
}

TEST(Rules, C5_AccessesStayInsideTheLogicalExtent) {
  const std::string start = "buf a[8] zero\nlayout m = a shape (2,3) stride (4,1)\n";
  EXPECT_EQ(found(start + "kernel K: read m[0,0:4] from zero\n"), Found{"OOB m at K"});  // inside the storage
  EXPECT_EQ(found(start + "kernel K: read m[0:2,0:3] from zero\n"), Found{});
  EXPECT_EQ(found("buf a[4] uninit\nkernel K: write a{i-1 | i<6}\nresult a[0:4] from K\n"),
            Found{"OOB a at K"});
  EXPECT_EQ(found("buf a[4] uninit\nview v = a + 2 len 4\nkernel K: write v[0:4]\nresult a[2:4] from K\n"),
            Found{"OOB v at K"});
}

TEST(Rules, C5_TheFirstElementOutsideIsNamed) {
  const TagTrace trace = run_text("buf a[3,3] zero\nkernel K: read a{2*i, j | i<3, j<2}\n");
  ASSERT_EQ(trace.findings.size(), 1U);
  EXPECT_EQ(trace.findings[0].element, (std::vector<std::int64_t>{4, 0}));
}

TEST(Rules, C5_TheLeastElementOutsideIsNamedWhateverTheOrder) {
  for (const std::string set : {"a{1-i | i<4}", "a{1-i | i<4 ; i != 1}"}) {
    const TagTrace trace = run_text("buf a[3] zero\nkernel K: read " + set + "\n");
    ASSERT_EQ(trace.findings.size(), 1U);
    EXPECT_EQ(trace.findings[0].element, std::vector<std::int64_t>{-2});
  }
}

TEST(Rules, C6_NoUseAfterRelease) {
  EXPECT_EQ(found("buf a[2] zero\ndrop a\nkernel R: read a[0:2]\n"), Found{"DEAD a at R"});
  EXPECT_EQ(found("buf a[2] zero\nname b = a\ndrop a\nkernel R: read b[0:2]\n"), Found{});
  EXPECT_EQ(found("buf a[2] zero\ndrop a\nsame b = a\nkernel R: read b[0]\n"),
            (Found{"DEAD a at plan", "NOALLOC b at R"}));
  EXPECT_EQ(found("buf a[2] zero\ndrop a\nbuf a[2] zero\nkernel R: read a[0:2]\n"), Found{});
}

TEST(Rules, C6_NoStorageOnThisPath) {
  const std::string text =
      "param p = 0 in 0..1\nif p == 1:\n  buf w[2] zero\nview v = w + 0 len 1\nkernel R: read v[0]\n";
  EXPECT_EQ(found(text), (Found{"NOALLOC w at plan", "NOALLOC v at R"}));
  EXPECT_EQ(found(text, {{"p", 1}}), Found{});
}

TEST(Rules, C8_AnAccumulationNeedsAnInitialValue) {
  EXPECT_EQ(found("buf o[1] uninit\nkernel RED: accum o[0]\nresult o[0] from RED\n"),
            Found{"UNWRITTEN o at RED"});
  EXPECT_EQ(found("buf o[1] zero\nkernel RED: accum o[0]\nresult o[0] from RED\n"), Found{});
}

TEST(Rules, C9_Contributors) {
  const std::string start = "buf o[1] zero\nkernel A: accum o[0]\nkernel B: accum o[0]\n";
  EXPECT_EQ(found(start + "result o[0] from A&B\n"), Found{});
  EXPECT_EQ(found(start + "result o[0] from A&C\n"), Found{"INCOMPLETE o at result"});
  EXPECT_EQ(found(start + "result o[0] from =zero&A&B\n"), Found{});
  EXPECT_EQ(found(start + "result o[0] from =zero&A\n"), Found{"EXTRA o at result"});
  EXPECT_EQ(found(start + "result o[0] from =zero&A&C\n"),
            (Found{"EXTRA o at result", "INCOMPLETE o at result"}));
  EXPECT_EQ(found(start + "result o[0] from B\n"), Found{"STALE o at result"});  // A accumulated too
  EXPECT_EQ(found(start + "kernel C: write o[0]\nresult o[0] from A&B\n"), Found{"INCOMPLETE o at result"});
}

TEST(Rules, C9_LifeOfWhatIsAccumulatedOnto) {
  const std::string start = "buf a[1] zero\ntake b = a\n";
  EXPECT_EQ(found(start + "kernel K: accum b[0]\n"), Found{"STALE b at K"});
  EXPECT_EQ(found(start + "kernel K: accum a[0]\n"), Found{"DEAD a at K"});
  EXPECT_EQ(found(start + "kernel I: write b[0]\nkernel K: accum b[0]\n"), Found{});
}

TEST(Rules, OneFindingPerClassBufferAndReader) {
  EXPECT_EQ(
      run_text("buf a[4] uninit\nloop i<4:\n  kernel R: read a[i]\nloop i<2:\n  kernel Q{i}: read a[i]\n")
          .findings.size(),
      3U);
}

TEST(Rules, FindingsSayWhereAndWhat) {
  const TagTrace trace =
      run_text("buf a[2,2] uninit\nkernel K: write a[0,0:2]\nkernel R: read a[0:2,0:2] from K\n");
  ASSERT_EQ(trace.findings.size(), 1U);
  const model::Finding& f = trace.findings[0];
  EXPECT_EQ(f.element, (std::vector<std::int64_t>{1, 0}));
  EXPECT_EQ(f.where.str(), "test.bufprog:3:1");
  EXPECT_EQ(f.alloc_where.str(), "test.bufprog:1:1");
  EXPECT_EQ(f.writer, "K");
  EXPECT_EQ(f.rule, "C2");
  EXPECT_FALSE(f.message.empty());
}

TEST(Rules, TheWatchedElementIsNamedWhenItIsAmongThem) {
  const model::Program program =
      model::read_bufprog("buf a[4] uninit\nkernel R: read a[0:4]\n", "t.bufprog").program;
  model::RunPlan plan;
  plan.watch_buffer = "a";
  plan.watch_element = {2};
  EXPECT_EQ(run_tags(program, plan).findings.at(0).element, std::vector<std::int64_t>{2});
  plan.watch_element = {9};
  EXPECT_EQ(run_tags(program, plan).findings.at(0).element, std::vector<std::int64_t>{0});
}

}  // namespace
}  // namespace bufferproof::simulator
