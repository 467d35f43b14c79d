// Tags: one number per content, contributors kept apart from what they added to.
#include "simulator/tags.hpp"

#include <gtest/gtest.h>

namespace bufferproof::simulator {
namespace {

TEST(Tags, EqualContentsHaveOneNumber) {
  TagTable tags;
  const WriterId k = tags.writer("K", {"K", {}});
  const WriterId l = tags.writer("L", {"L", {}});
  EXPECT_EQ(tags.written(k, 0), tags.written(k, 0));
  EXPECT_NE(tags.written(k, 0), tags.written(k, 1));
  EXPECT_NE(tags.written(k, 0), tags.unknown(k));
  EXPECT_EQ(tags.with(tags.with(tags.written(k, 0), l, 0), l, 0), tags.with(tags.written(k, 0), l, 0));
}

TEST(Tags, AccumulationKeepsContributors) {
  TagTable tags;
  const WriterId zero = tags.writer("zero", {"zero", {}});
  const WriterId a = tags.writer("A", {"A", {}});
  const TagId tag = tags.with(tags.written(zero, 0), a, 0);
  EXPECT_EQ(tags[tag].writers, (std::vector<WriterId>{zero, a}));
  EXPECT_EQ(tags.last(tag), std::vector<WriterId>{a});
  EXPECT_EQ(tags.last(tags.written(zero, 0)), std::vector<WriterId>{zero});
  EXPECT_EQ(tags.contributors(tag), "A and zero");
}

TEST(Tags, NothingWrittenIsNobodys) {
  TagTable tags;
  EXPECT_TRUE(TagTable::is_unwritten(kUnwritten));
  EXPECT_TRUE(TagTable::is_unwritten(kUnwrittenReported));
  EXPECT_FALSE(TagTable::is_unwritten(tags.written(tags.writer("K", {"K", {}}), 0)));
  EXPECT_EQ(tags.moved(kUnwritten, 3), kUnwritten);
}

}  // namespace
}  // namespace bufferproof::simulator
