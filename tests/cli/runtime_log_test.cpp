#include "cli/runtime_log.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace bufferproof::cli {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

model::Program program_with(std::vector<std::string> kernels) {
  model::Program program;
  program.dialect = model::Dialect::wrapper;
  for (const std::string& kernel : kernels) {
    program.kernels.push_back({.name = kernel});
    model::Launch launch{.kernel = kernel,
                         .variants = {{.name = "tuned"}, {.name = "fallback", .fallback = true}}};
    program.body.push_back({-1, {}, launch});
  }
  return program;
}

constexpr const char* kLog =
    "[rank0] mlir_fused_relu_2: Tuning accuracy failed, no valid kernels found, using fallback\n"
    "====Kernel compiled failed!====\n"
    "mlir_fused_add_3\n"
    "module { func.func @other }\n"
    "mlir_fused_elsewhere_9: Tuning accuracy failed, no valid kernels found, using fallback";

TEST(RuntimeLog, BothMessagesNameTheirKernel) {
  std::vector<std::string> unknown;
  const auto program = program_with({"mlir_fused_relu_2", "mlir_fused_add_3", "mlir_fused_mul_4"});
  EXPECT_THAT(kernels_fallen_back(kLog, program, unknown),
              ElementsAre("mlir_fused_add_3", "mlir_fused_relu_2"));
  EXPECT_THAT(unknown, ElementsAre("mlir_fused_elsewhere_9"));
}

TEST(RuntimeLog, OtherTextNamesNothing) {
  std::vector<std::string> unknown;
  EXPECT_THAT(kernels_fallen_back("", program_with({"k"}), unknown), IsEmpty());
  EXPECT_THAT(kernels_fallen_back("k is fine\n====Kernel compiled failed!====", program_with({"k"}), unknown),
              IsEmpty());
}

TEST(RuntimeLog, EachLaunchKeepsTheRoadTheLogShows) {
  model::Program program = program_with({"a", "b"});
  std::get<model::Launch>(program.body[1].node)
      .variants.erase(std::get<model::Launch>(program.body[1].node).variants.begin());
  restrict_to_log(program, {"a"});
  auto road = [&](int step) {
    const auto& variants = std::get<model::Launch>(program.body[step].node).variants;
    return variants.size() == 1 ? variants[0].name : "several";
  };
  EXPECT_EQ(road(0), "fallback");
  EXPECT_EQ(road(1), "fallback") << "a kernel with one road keeps it";
  program = program_with({"a", "b"});
  restrict_to_log(program, {"a"});
  EXPECT_EQ(road(1), "tuned");
}

}  // namespace
}  // namespace bufferproof::cli
