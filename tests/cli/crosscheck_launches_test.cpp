// `bufferproof crosscheck` where operands of launches are known: each launch by its own error bounds.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "examples/resnet/network.hpp"
#include "kernels_ref/io/npz.hpp"
#include "tests/cli/json_schema.hpp"
#include "tests/cli/run_cli.hpp"
#include "tests/cli/small_wrappers.hpp"

namespace bufferproof::cli {
namespace {

using kernels::Tensor;
using nlohmann::json;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using Tensors = std::map<std::string, Tensor>;

class CrosscheckLaunches : public ::testing::Test {
 protected:
  TemporaryFolder folder_;
  std::string file_ = folder_.write("chain.py", chain_wrapper());
  std::string device_ = folder_.path("device.npz");

  /// What a device would have, every buffer.
  Tensors device_has(std::vector<std::string> how) {
    how.insert(how.begin(), {"simulate", file_, "--buffers", "--out", device_});
    const CliResult result = call(how);
    EXPECT_LE(result.code, kFindings) << result.err;
    return kernels::read_tensors(device_);
  }
  void give(const Tensors& tensors) {
    std::vector<kernels::NamedTensor> named;
    for (const auto& [name, tensor] : tensors) named.push_back({name, tensor.view()});
    kernels::write_npz(device_, named);
  }
  static void change(Tensors& tensors, const std::string& name, std::size_t element, float by) {
    tensors.at(name).elements<float>()[element] += by;
  }
  json crosscheck(int code, std::vector<std::string> more = {}) {
    more.insert(more.begin(), {"crosscheck", file_, "--outputs", device_, "--format", "json"});
    const CliResult result = call(more);
    EXPECT_EQ(result.code, code) << result.err;
    const json out = json::parse(result.out);
    std::ifstream schema(SOURCE_DIR "/docs/report.schema.json");
    EXPECT_THAT(JsonSchema(json::parse(schema)).faults(out), IsEmpty());
    return out;
  }
  std::string text(std::vector<std::string> more = {}) {
    more.insert(more.begin(), {"crosscheck", file_, "--outputs", device_});
    return call(more).out;
  }
  /// Inputs with full mantissas, so that products are rounded.
  Tensors full_inputs() {
    Tensors made;
    std::vector<kernels::NamedTensor> named;
    for (const char* name : {"arg0_1", "arg1_1"}) {
      Tensor tensor(model::DType::f32, {4, 8});
      for (std::size_t i = 0; i < 32; ++i)
        tensor.elements<float>()[i] = static_cast<float>((i * 7 + made.size()) % 11 + 1) / 3.0F;
      made.emplace(name, std::move(tensor));
    }
    for (const auto& [name, tensor] : made) named.push_back({name, tensor.view()});
    kernels::write_npz(inputs_, named);
    return made;
  }
  std::string inputs_ = folder_.path("inputs.npz");
};

/// The other neighbour of an exact product, where it is as near as one rounding may take it.
TEST_F(CrosscheckLaunches, InsideOfTheBoundsIsProven) {
  const Tensors inputs = full_inputs();
  Tensors tensors = device_has({"--tensors", inputs_});
  int changed = 0;
  for (std::size_t i = 0; i < 32; ++i) {
    float& x = tensors.at("buf1").elements<float>()[i];
    const double exact = static_cast<double>(tensors.at("buf0").elements<float>()[i]) *
                         static_cast<double>(inputs.at("arg1_1").elements<float>()[i]);
    const float other = std::nextafter(x, exact > static_cast<double>(x) ? HUGE_VALF : -HUGE_VALF);
    if (std::abs(static_cast<double>(other) - exact) > exact * 0x1p-24) continue;
    x = other;
    ++changed;
  }
  ASSERT_GT(changed, 0);
  give(tensors);
  const json out = crosscheck(kClean, {"--tensors", inputs_});
  EXPECT_EQ(out["verdict"], "rounding");
  EXPECT_EQ(out["criterion"], "proven");
  ASSERT_EQ(out["launches"].size(), 2U);
  for (const json& one : out["launches"]) EXPECT_EQ(one["arithmetic"], "f32");
  EXPECT_THAT(text({"--tensors", inputs_}),
              AllOf(HasSubstr("rounding, proven"), HasSubstr("2 inside, 0 outside, 0 not decided")));
  for (float& x : tensors.at("buf1").elements<float>()) x = std::nextafter(std::nextafter(x, 99.0F), 99.0F);
  give(tensors);
  EXPECT_EQ(crosscheck(kFindings, {"--tensors", inputs_})["fault"]["kernel"], "mlir_fused_mul_1")
      << "two places beyond";
}

TEST_F(CrosscheckLaunches, TheFirstLaunchOutsideIsNamed) {
  Tensors tensors = device_has({});
  change(tensors, "buf0", 10, 1e-3F);
  give(tensors);
  const json out = crosscheck(kFindings);
  EXPECT_EQ(out["verdict"], "kernel-fault");
  EXPECT_EQ(out["criterion"], "none");
  EXPECT_EQ(out["fault"]["kernel"], "mlir_fused_add_0");
  EXPECT_EQ(out["fault"]["buffer"], "buf0");
  EXPECT_EQ(out["fault"]["location"]["line"], 35);
  EXPECT_EQ(out["fault"]["outside"], 1);
  EXPECT_EQ(out["fault"]["first"]["element"], json::parse("[1, 2]"));
  EXPECT_THAT(text(), HasSubstr("kernel fault: mlir_fused_add_0 ("));
}

TEST_F(CrosscheckLaunches, LaterLaunchesAreJudgedOnWhatTheyHad) {
  Tensors tensors = device_has({});
  change(tensors, "buf1", 10, 1e-3F);
  give(tensors);
  EXPECT_EQ(crosscheck(kFindings)["fault"]["kernel"], "mlir_fused_mul_1");

  // The same difference in buf0, and buf1 computed from it: add_0 alone is at fault.
  const Tensors inputs = full_inputs();
  tensors = device_has({"--tensors", inputs_});
  change(tensors, "buf0", 10, 0.5F);
  tensors.at("buf1").elements<float>()[10] =
      tensors.at("buf0").elements<float>()[10] * inputs.at("arg1_1").elements<float>()[10];
  give(tensors);
  const json out = crosscheck(kFindings, {"--tensors", inputs_});
  EXPECT_EQ(out["fault"]["kernel"], "mlir_fused_add_0");
  EXPECT_EQ(out["launches"][1]["outside"], 0) << "mul_1 did what it should with what it had";
}

TEST_F(CrosscheckLaunches, WithoutOperandsTheSpreadIsSaidToBeMeasured) {
  examples::NetworkOptions network;
  network.image = 32;
  network.first_stage = network.last_stage = 0;
  file_ = folder_.write("stem.py", examples::emit_resnet(network, {.reuse = false}).text);
  call({"golden", file_, "--numerics", "ascend-a2", "--out", device_});
  const Tensors cube = kernels::read_tensors(device_);
  call({"golden", file_, "--out", device_});
  Tensors mixed = kernels::read_tensors(device_);
  const std::string output = mixed.begin()->first;
  const auto other = cube.at(output).elements<float>();
  for (std::size_t i = 0; i < other.size(); i += 2) mixed.at(output).elements<float>()[i] = other[i];
  give(mixed);
  const json out = crosscheck(kClean);
  EXPECT_EQ(out["verdict"], "rounding");
  EXPECT_EQ(out["criterion"], "spread");
  EXPECT_EQ(out["launches"][0]["unjudged"], "buf1 is not given");
  EXPECT_THAT(text(), AllOf(HasSubstr("(measured, not proven)"),
                            HasSubstr("no launch is judged by itself: buf1 is not given")));
}

TEST_F(CrosscheckLaunches, NanIsOutside) {
  Tensors tensors = device_has({});
  tensors.at("buf0").elements<float>()[31] = std::numeric_limits<float>::quiet_NaN();
  give(tensors);
  const json out = crosscheck(kFindings);
  EXPECT_EQ(out["fault"]["kernel"], "mlir_fused_add_0");
  EXPECT_EQ(out["fault"]["first"]["value"], "nan");
}

TEST_F(CrosscheckLaunches, ATunedKernelThatLeavesARegionOut) {
  device_has({"--fault", "mlir_fused_add_0:0[3:4,6:8]", "--memory", "random:3"});
  const json out = crosscheck(kFindings);
  EXPECT_EQ(out["verdict"], "kernel-fault");
  EXPECT_EQ(out["fault"]["kernel"], "mlir_fused_add_0");
  EXPECT_EQ(out["fault"]["first"]["least"], json::parse("[3, 6]"));
  EXPECT_EQ(out["fault"]["first"]["greatest"], json::parse("[3, 7]"));
  EXPECT_EQ(out["launches"][1]["outside"], 0);
  EXPECT_THAT(text(), HasSubstr("2 of 32 elements are outside, all in [3:4, 6:8]"));
  device_has({"--memory", "random:3"});  // its twin
  EXPECT_EQ(crosscheck(kClean)["verdict"], "equal");
}

TEST_F(CrosscheckLaunches, ARoadThatPredictsTheOutputsComesFirst) {
  file_ = folder_.write("view.py", captured_view_wrapper());
  device_has({"--runtime", "torch_npu-26.0.0", "--fallback", "mlir_fused_add_0", "--memory", "random:3"});
  const json out = crosscheck(kFindings);
  EXPECT_EQ(out["fault"]["kernel"], "mlir_fused_mul_1") << "buf0 is right, what mul_1 read is not";
  EXPECT_EQ(out["verdict"], "kernel-fault") << "roads that leave everything open say nothing";
}

TEST_F(CrosscheckLaunches, ConvolutionsInHf32) {
  examples::NetworkOptions network;
  network.image = 32;
  network.first_stage = network.last_stage = 0;
  file_ = folder_.write("stem.py", examples::emit_resnet(network, {.reuse = false}).text);
  Tensors tensors = device_has({"--numerics", "ascend-a2"});
  call({"golden", file_, "--out", device_});
  for (const auto& [output, tensor] : kernels::read_tensors(device_)) tensors.erase(output);
  give(tensors);  // intermediate buffers alone
  const json out = crosscheck(kClean);
  EXPECT_EQ(out["criterion"], "proven");
  EXPECT_THAT(out["crosschecked"], IsEmpty());
  change(tensors, "buf0", 77, 0.05F);
  give(tensors);
  const json wrong = crosscheck(kFindings);
  EXPECT_THAT(wrong["fault"]["kernel"].get<std::string>(), HasSubstr("convolution"));
  EXPECT_EQ(wrong["fault"]["first"]["element"], json::parse("[0, 0, 4, 13]"));
}

TEST_F(CrosscheckLaunches, BuffersOfAnotherShape) {
  Tensors tensors = device_has({});
  tensors.erase("buf0");
  tensors.emplace("buf0", Tensor(model::DType::f32, {8, 4}));
  give(tensors);
  const CliResult result = call({"crosscheck", file_, "--outputs", device_});
  EXPECT_EQ(result.code, kBadInput);
  EXPECT_THAT(result.err, HasSubstr("expected f32 [4, 8] for output buf0, found f32 [8, 4]"));
  call({"simulate", file_, "--buffers"});
  EXPECT_EQ(call({"simulate", file_, "--buffers"}).code, kBadInput) << "--buffers needs --out";
}

}  // namespace
}  // namespace bufferproof::cli
