#include "cli/fingerprint.hpp"

#include <gtest/gtest.h>

#include "model/read/bufprog/reader.hpp"

namespace bufferproof::cli {
namespace {

/// The fingerprint of an UNWRITTEN finding at the kernel CONV of a program.
std::string of_program(const std::string& text, std::vector<std::int64_t> element = {0}) {
  model::Program program = model::read_bufprog(text, "p.bufprog").program;
  model::number_steps(program);
  model::Finding finding;
  finding.buffer = "b";
  finding.reader = "CONV";
  finding.rule = "C2";
  finding.element = std::move(element);
  for (const model::Step& step : program.body)
    if (const auto* launch = std::get_if<model::Launch>(&step.node); launch && launch->kernel.str() == "CONV")
      finding.where = step.where;
  return Fingerprints(program).of(finding);
}

const std::string kProgram =
    "buf x[8] input\n"
    "buf b[8] uninit\n"
    "kernel RELU: read x[0:8]; write b[0:4]\n"
    "kernel CONV: read b[0:8]\n";

TEST(Fingerprint, SurvivesLineNumbersAndChangesElsewhere) {
  const std::string base = of_program(kProgram);
  EXPECT_EQ(base.size(), 16U);
  EXPECT_EQ(of_program("# a comment\n\n" + kProgram), base);
  EXPECT_EQ(of_program(kProgram + "buf z[2] input\nkernel OTHER: read z[0:2]\n"), base);
}

TEST(Fingerprint, TellsStructureBufferAndElementApart) {
  const std::string base = of_program(kProgram);
  std::string renamed = kProgram;
  renamed.replace(renamed.find("RELU"), 4, "GELU");
  EXPECT_NE(of_program(renamed), base);
  EXPECT_NE(of_program(kProgram, {4}), base);
  EXPECT_EQ(of_program(kProgram, {5}), of_program(kProgram, {4}));
}

}  // namespace
}  // namespace bufferproof::cli
