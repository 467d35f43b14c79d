#include "checker/verify.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "checker/check.hpp"
#include "model/diagnostic.hpp"
#include "model/read/bufprog/reader.hpp"

namespace bufferproof::checker {
namespace {

using Json = nlohmann::json;

Json certificate_of(const char* text) {
  Options options;
  options.certificate = true;
  Result result = check(model::read_bufprog(text, "t.bufprog").program, options);
  EXPECT_EQ(result.verdict, Verdict::proved);
  return Json::parse(write_certificates({result.certificate}));
}

const char* const kTwoHalves =
    "param n = 4 in 1..1000\n"
    "buf b[2*n] uninit\n"
    "kernel A: write b[0:2*n]\n"
    "kernel B: write b[n:2*n]\n"
    "kernel R: read b[0:n]\n";

TEST(Verify, AcceptsWhatTheCheckerProved) {
  const Verification v = verify(certificate_of(kTwoHalves).dump(), "c.json");
  EXPECT_EQ(v.accepted, 1);
  EXPECT_TRUE(v.rejected.empty());
}

TEST(Verify, RejectsACoverThatIsTooSmall) {
  Json c = certificate_of(kTwoHalves);
  c[0]["proofs"][0]["cover"]["window"] = {{"sizes", {"n - 1"}}, {"strides", {"1"}}, {"offset", "0"}};
  EXPECT_EQ(verify(c.dump(), "c.json").rejected.size(), 1U);
}

TEST(Verify, RejectsALaterStoreThatMayTouchTheRead) {
  Json c = certificate_of(kTwoHalves);
  c[0]["proofs"][0]["later"][0]["window"]["offset"] = "n - 1";
  EXPECT_EQ(verify(c.dump(), "c.json").rejected.size(), 1U);
}

TEST(Verify, RejectsAWriterAfterTheReader) {
  Json c = certificate_of(kTwoHalves);
  c[0]["proofs"][0]["cover"]["step"] = 1000;
  EXPECT_EQ(verify(c.dump(), "c.json").rejected.size(), 1U);
}

TEST(Verify, RejectsAWindowThatIsNotGiven) {
  Json c = certificate_of(kTwoHalves);
  c[0]["proofs"][0]["cover"]["window"] = {{"everything", false}};
  EXPECT_EQ(verify(c.dump(), "c.json").rejected.size(), 1U);
}

TEST(Verify, RejectsAGapBetweenStrides) {
  Json c = certificate_of(kTwoHalves);
  c[0]["proofs"][0]["cover"]["window"] = {{"sizes", {"n"}}, {"strides", {"2"}}, {"offset", "0"}};
  EXPECT_EQ(verify(c.dump(), "c.json").rejected.size(), 1U);
}

TEST(Verify, RangesMatter) {
  Json c = certificate_of(kTwoHalves);
  c[0]["proofs"][0]["cover"]["window"] = {{"sizes", {"1"}}, {"strides", {"1"}}, {"offset", "0"}};
  EXPECT_EQ(verify(c.dump(), "c.json").rejected.size(), 1U);
  c[0]["symbols"][0]["hi"] = "1";
  EXPECT_TRUE(verify(c.dump(), "c.json").rejected.empty());
}

TEST(Verify, SolverProofsAreResidues) {
  const Json c = certificate_of(
      "param n = 4 in 1..8\nbuf b[8] uninit\nkernel A: write b[0:n]\nkernel B: write b[n:8]\nkernel R: read "
      "b[0:8]\n");
  const Verification v = verify(c.dump(), "c.json");
  ASSERT_FALSE(v.residues.empty());
  EXPECT_NE(v.residues[0].find("(check-sat)"), std::string::npos);
}

TEST(Verify, TextThatIsNoCertificateIsAnInputError) {
  EXPECT_THROW(verify("{", "c.json"), model::InputError);
  EXPECT_THROW(verify("[{\"proofs\": 3}]", "c.json"), model::InputError);
}

}  // namespace
}  // namespace bufferproof::checker
