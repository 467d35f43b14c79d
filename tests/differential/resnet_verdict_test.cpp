// The table of examples/resnet/README.md: which verdict each profile must give, and that every refutation
// replays.
#include <gtest/gtest.h>

#include "tests/differential/emitted.hpp"

namespace bufferproof::differential {
namespace {

using examples::KernelText;
using examples::NetworkOptions;
using examples::Slices;
using examples::WrapperOptions;

constexpr const char* kProved = "proved";
constexpr const char* kUnwritten = "refuted UNWRITTEN";
constexpr const char* kBoth = "refuted STALE UNWRITTEN";

/// 7.x, 26.0.0 and dev rebind and must agree in every row.
struct Row {
  const char* rebinding;
  const char* as_reported;
};

void expect_row(const NetworkOptions& network, const WrapperOptions& wrapper, const Row& row) {
  const model::Program program = read_emitted(network, wrapper);
  const std::pair<const char*, const char*> cells[] = {{"stock", kProved},
                                                       {"torch_npu-7.x", row.rebinding},
                                                       {"torch_npu-26.0.0", row.rebinding},
                                                       {"torch_npu-26.1.0", kProved},
                                                       {"torch_npu-dev", row.rebinding},
                                                       {"as-reported", row.as_reported}};
  for (const auto& [profile, expected] : cells) {
    const model::Program judged = lowered(program, profile);
    const checker::Result result = checker::check(judged);
    EXPECT_EQ(judgement(result), expected)
        << profile << (result.undecided.empty() ? "" : ": " + result.undecided[0].reason);
    EXPECT_TRUE(judged.risks.empty()) << profile;
    for (const checker::Refutation& refutation : result.refutations)
      EXPECT_TRUE(replays(judged, refutation))
          << profile << " " << refutation.finding.buffer << " at " << refutation.finding.reader;
  }
}

TEST(ResNetVerdict, PlainWithoutReuse) {
  for (const bool dynamic : {false, true})
    expect_row({}, {.dynamic = dynamic, .reuse = false}, {kProved, kUnwritten});
}

TEST(ResNetVerdict, PlainWithReuse) {
  for (const bool dynamic : {false, true}) expect_row({}, {.dynamic = dynamic}, {kProved, kBoth});
}

TEST(ResNetVerdict, StagesAlone) {
  expect_row({.first_stage = 0, .last_stage = 0}, {}, {kProved, kUnwritten});
  for (int layer = 1; layer <= 4; ++layer)
    expect_row({.first_stage = layer, .last_stage = layer}, {.reuse = false}, {kProved, kUnwritten});
  expect_row({.first_stage = 0, .last_stage = 3}, {}, {kProved, kBoth});
}

TEST(ResNetVerdict, BatchSlices) {
  expect_row({.slices = Slices::batch}, {.reuse = false}, {kUnwritten, kUnwritten});
  expect_row({.depth = 50, .slices = Slices::batch, .image = 32}, {.reuse = false}, {kUnwritten, kUnwritten});
}

TEST(ResNetVerdict, ChannelSlices) {
  for (const bool dynamic : {false, true})
    expect_row({.slices = Slices::channel}, {.dynamic = dynamic, .reuse = false}, {kProved, kUnwritten});
}

TEST(ResNetVerdict, CapturedViews) {
  for (const bool dynamic : {false, true}) {
    expect_row({.image = 32}, {.dynamic = dynamic, .reuse = false, .captured_views = true},
               {kUnwritten, kUnwritten});
    expect_row({.image = 32}, {.dynamic = dynamic, .captured_views = true}, {kBoth, kBoth});
  }
}

TEST(ResNetVerdict, OtherTexts) {
  expect_row({}, {.text = KernelText::torch}, {kProved, kBoth});
  expect_row({}, {.text = KernelText::fx, .reuse = false}, {kProved, kUnwritten});
}

TEST(ResNetVerdict, DeeperNetworks) {
  expect_row({.depth = 50}, {.reuse = false}, {kProved, kUnwritten});
  expect_row({.depth = 50, .image = 32}, {.dynamic = true}, {kProved, kBoth});
  expect_row({.depth = 152, .image = 32}, {}, {kProved, kBoth});
  expect_row({.depth = 152, .image = 32}, {.dynamic = true, .reuse = false}, {kProved, kUnwritten});
}

TEST(ResNetVerdict, TheSmallestRunOfTheReportIsOneKernelAtAConvolution) {
  const model::Program program = lowered(read_emitted({}, {.reuse = false}), "as-reported");
  const checker::Result result = checker::check(program);
  const std::string kernel = "mlir_fused__native_batch_norm_legit_no_training_add_relu_2";
  bool found = false;
  for (const checker::Refutation& refutation : result.refutations)
    found = found || (refutation.finding.path == kernel + "=fallback" &&
                      refutation.finding.reader.find("convolution") != std::string::npos);
  EXPECT_TRUE(found);
}

}  // namespace
}  // namespace bufferproof::differential
