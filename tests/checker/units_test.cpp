// S1: memory pools and view.dtype, where elements of two sizes meet on one storage.
#include "checker/units.hpp"

#include <gtest/gtest.h>

#include "checker/check.hpp"

namespace bufferproof::checker {
namespace {

using namespace model;

Step step(decltype(Step::node) node) { return Step{-1, {}, std::move(node)}; }

Clause whole(Clause::Kind kind, const char* buffer) {
  Clause c;
  c.kind = kind;
  c.buffer = buffer;
  c.set.whole = true;
  if (kind == Clause::Kind::read) c.from.kind = From::Kind::intended;
  return c;
}

Step launch(const char* kernel, std::vector<Clause> clauses) {
  Launch l;
  l.kernel = kernel;
  l.variants.push_back(Variant{"tuned", false, std::move(clauses), {}, ""});
  return step(l);
}

/// A pool of bytes with two f32 buffers; the second starts at byte 4 * `second`.
Program pool(std::int64_t second) {
  Program p;
  p.dialect = Dialect::wrapper;
  p.body.push_back(step(Alloc{"pool", DType::u8, contiguous({64}), Init::uninit}));
  p.body.push_back(step(View{"a", "pool", Layout{{8}, {1}, 0}, DType::f32}));
  p.body.push_back(step(View{"b", "pool", Layout{{8}, {1}, second}, DType::f32}));
  p.body.push_back(launch("A", {whole(Clause::Kind::write, "a")}));
  p.body.push_back(launch("B", {whole(Clause::Kind::write, "b")}));
  p.body.push_back(launch("R", {whole(Clause::Kind::read, "a"), whole(Clause::Kind::read, "b")}));
  number_steps(p);
  return p;
}

TEST(Units, S1DisjointPartsOfAPoolAreProved) { EXPECT_EQ(check(pool(8)).verdict, Verdict::proved); }

TEST(Units, S1ABufferBeyondThePoolIsOutOfBounds) {
  const Result result = check(pool(9));
  ASSERT_EQ(result.verdict, Verdict::refuted);
  EXPECT_EQ(result.refutations[0].finding.kind, FindingClass::oob);
}

TEST(Units, S1HalfAnElementUnwrittenIsFound) {
  Program p;
  p.dialect = Dialect::wrapper;
  p.body.push_back(step(Alloc{"f", DType::f32, contiguous({4}), Init::uninit}));
  p.body.push_back(step(View{"halves", "f", Layout{{7}, {1}, 0}, DType::i16}));
  p.body.push_back(launch("W", {whole(Clause::Kind::write, "halves")}));
  p.body.push_back(launch("R", {whole(Clause::Kind::read, "f")}));
  number_steps(p);
  const Result result = check(p);
  ASSERT_EQ(result.verdict, Verdict::refuted);
  EXPECT_EQ(result.refutations[0].finding.kind, FindingClass::unwritten);
  EXPECT_EQ(result.refutations[0].finding.element, std::vector<std::int64_t>{3});
}

TEST(Units, OneElementSizeNeedsNoScale) {
  const Program p = pool(8);
  EXPECT_EQ(Units(p.body).scale("a", DType::f32), 4);
  Program plain;
  plain.body.push_back(step(Alloc{"x", DType::f32, contiguous({4}), Init::uninit}));
  EXPECT_EQ(Units(plain.body).scale("x", DType::f32), 1);
}

}  // namespace
}  // namespace bufferproof::checker
