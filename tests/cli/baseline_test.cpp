#include "cli/baseline.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "model/diagnostic.hpp"

namespace bufferproof::cli {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::ThrowsMessage;

ReportedFinding finding(const std::string& fingerprint, const std::string& buffer) {
  ReportedFinding out;
  out.fingerprint = fingerprint;
  out.finding.buffer = buffer;
  out.finding.reader = "K";
  return out;
}

std::string suppression(const std::string& fields) { return R"({"suppressions": [{)" + fields + "}]}"; }

auto read(const std::string& text) {
  return [text] { read_suppressions(text, "s.json"); };
}

TEST(Baseline, KnownFindingsDoNotCount) {
  const auto known = read_baseline(R"({"tool": {}, "findings": [{"fingerprint": "aa"}]})", "b.json");
  ReportedFinding old = finding("aa", "b0");
  ReportedFinding fresh = finding("bb", "b0");
  EXPECT_THAT(apply(known, {}, "2026-01-01", {&old, &fresh}), IsEmpty());
  EXPECT_EQ(old.standing, Standing::baseline);
  EXPECT_EQ(fresh.standing, Standing::counted);
}

TEST(Baseline, AnythingElseIsRefused) {
  EXPECT_THROW(read_baseline("[]", "b.json"), model::InputError);
  EXPECT_THROW(read_baseline("{", "b.json"), model::InputError);
  EXPECT_THROW(read_baseline(R"({"findings": []})", "b.json"), model::InputError);
  EXPECT_THROW(read_baseline(std::string(100'000, '['), "b.json"), model::InputError);
}

TEST(Suppressions, NeedAReasonAndAnExpiry) {
  EXPECT_THAT(read(suppression(R"("fingerprint": "aa", "expires": "2030-01-01")")),
              ThrowsMessage<model::InputError>(HasSubstr("suppression 1: has no \"reason\"")));
  EXPECT_THAT(read(suppression(R"("fingerprint": "aa", "reason": "r")")),
              ThrowsMessage<model::InputError>(HasSubstr("YYYY-MM-DD")));
  EXPECT_THAT(read(suppression(R"("fingerprint": "aa", "reason": "r", "expires": "2030-02-30")")),
              ThrowsMessage<model::InputError>(HasSubstr("YYYY-MM-DD")));
  EXPECT_THAT(read(suppression(R"("reason": "r", "expires": "2030-01-01")")),
              ThrowsMessage<model::InputError>(HasSubstr("names nothing")));
  EXPECT_THAT(read(suppression(R"("class": "WRONG", "reason": "r", "expires": "2030-01-01")")),
              ThrowsMessage<model::InputError>(HasSubstr("unknown class 'WRONG'")));
}

TEST(Suppressions, HoldUntilTheirLastDay) {
  const auto list = read_suppressions(
      suppression(R"("buffer": "b0", "reason": "waits for 26.1", "expires": "2026-06-30")"), "s.json");
  ReportedFinding hit = finding("aa", "b0");
  ReportedFinding miss = finding("bb", "b1");
  EXPECT_THAT(apply({}, list, "2026-06-30", {&hit, &miss}), IsEmpty());
  EXPECT_EQ(hit.standing, Standing::suppressed);
  EXPECT_EQ(hit.reason, "waits for 26.1");
  EXPECT_EQ(miss.standing, Standing::counted);
  ReportedFinding later = finding("aa", "b0");
  EXPECT_THAT(apply({}, list, "2026-07-01", {&later}), ElementsAre(HasSubstr("expired on 2026-06-30")));
  EXPECT_EQ(later.standing, Standing::counted);
}

TEST(Suppressions, ThatFitNothingAreMentioned) {
  const auto list =
      read_suppressions(suppression(R"("class": "RACE", "reason": "r", "expires": "2030-01-01")"), "s.json");
  EXPECT_THAT(apply({}, list, "2026-01-01", {}), ElementsAre(HasSubstr("RACE * at * fits no finding")));
}

TEST(Suppressions, TodayIsADate) { EXPECT_EQ(today().size(), 10U); }

}  // namespace
}  // namespace bufferproof::cli
