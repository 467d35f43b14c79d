// `bufferproof crosscheck`: a device's outputs traced to an arithmetic or a road.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

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

class Crosscheck : public ::testing::Test {
 protected:
  TemporaryFolder folder_;
  std::string file_ = folder_.write("view.py", captured_view_wrapper());
  std::string device_ = folder_.path("device.npz");

  /// What a device would have given on this road.
  void device_runs(std::vector<std::string> road) {
    road.insert(road.begin(), {"simulate", file_, "--out", device_});
    call(road);
  }
  void change(std::size_t element, float (*how)(float)) {
    auto outputs = kernels::read_tensors(device_);
    auto& [name, tensor] = *outputs.begin();
    float& x = tensor.elements<float>()[element];
    x = how(x);
    kernels::write_npz(device_, {{name, tensor.view()}});
  }
  json crosscheck(std::vector<std::string> more = {}) {
    more.insert(more.begin(), {"crosscheck", file_, "--outputs", device_, "--format", "json"});
    const json out = json::parse(call(more).out);
    std::ifstream schema(SOURCE_DIR "/docs/report.schema.json");
    EXPECT_THAT(JsonSchema(json::parse(schema)).faults(out), IsEmpty());
    return out;
  }
  void refused(const std::vector<std::string>& more, const std::string& message) {
    std::vector<std::string> arguments{"crosscheck", file_};
    arguments.insert(arguments.end(), more.begin(), more.end());
    const CliResult result = call(arguments);
    EXPECT_EQ(result.code, kBadInput) << result.out;
    EXPECT_THAT(result.err, HasSubstr(message));
    EXPECT_EQ(result.out, "");
  }
};

TEST_F(Crosscheck, EqualBits) {
  device_runs({"--runtime", "torch_npu-26.1.0"});
  const json out = crosscheck();
  EXPECT_EQ(out["verdict"], "equal");
  EXPECT_EQ(out["numerics"], "ieee-f32");
  EXPECT_EQ(out["exit_code"], kClean);
}

TEST_F(Crosscheck, LastPlacesAreRounding) {
  device_runs({});
  auto golden = kernels::read_tensors(device_);
  call({"golden", file_, "--numerics", "f64", "--out", device_});
  auto wide = kernels::read_tensors(device_);
  Tensor& mixed = golden.at("buf1");  // one element as another arithmetic has it
  std::size_t changed = 0;
  for (std::size_t i = 0; i < 32 && changed == 0; ++i) {
    changed = mixed.elements<float>()[i] != wide.at("buf1").elements<float>()[i];
    mixed.elements<float>()[i] = wide.at("buf1").elements<float>()[i];
  }
  kernels::write_npz(device_, {{"buf1", mixed.view()}});
  EXPECT_EQ(crosscheck()["verdict"], changed == 0 ? "equal" : "rounding");
  change(5, [](float x) { return x + 0.25F; });
  EXPECT_EQ(crosscheck()["verdict"], "unknown") << "as-reported leaves everything open, and most is right";
  EXPECT_EQ(crosscheck({"--runtime", "torch_npu-26.1.0"})["verdict"], "unknown") << "no wrong road";
}

TEST_F(Crosscheck, ARoadIsNamed) {
  device_runs({"--runtime", "torch_npu-26.0.0", "--fallback", "mlir_fused_add_0", "--memory", "nan"});
  const json out = crosscheck({"--runtime", "torch_npu-26.0.0"});
  EXPECT_EQ(out["verdict"], "buffer-fault");
  EXPECT_EQ(out["exit_code"], kFindings);
  EXPECT_EQ(out["crosschecked"][0]["nan"], 32);
  EXPECT_EQ(out["roads"][0]["kernel"], "mlir_fused_add_0");
  EXPECT_EQ(out["roads"][0]["open"], 32);
  EXPECT_THAT(call({"crosscheck", file_, "--outputs", device_}).out,
              AllOf(HasSubstr("buffer fault"), HasSubstr("mlir_fused_add_0 falls back")));
}

TEST_F(Crosscheck, AStaleRoadPredictsTheNumbers) {
  // buf1 takes over memory that mul_1 reads through an old view: the earlier contents are known.
  file_ = folder_.write(
      "stale.py",
      wrapper_text(mlir_kernel("mlir_fused_add_0", "add") + mlir_kernel("mlir_fused_mul_1", "mul") +
                       mlir_kernel("mlir_fused_sub_2", "sub"),
                   allocation("buf0") +
                       "    stream0 = get_raw_stream(0)\n"
                       "    mlir_fused_add_0.run(arg0_1, arg1_1, buf0, stream=stream0)\n"
                       "    buf1 = buf0; del buf0  # reuse\n"
                       "    buf1_view = reinterpret_tensor(buf1, (4, 8), (8, 1), 0)\n"
                       "    mlir_fused_mul_1.run(arg0_1, arg1_1, buf1, stream=stream0)\n" +
                       allocation("buf2") +
                       "    mlir_fused_sub_2.run(buf1_view, arg1_1, buf2, stream=stream0)\n"
                       "    return (buf2, )"));
  device_runs({"--runtime", "torch_npu-26.0.0", "--fallback", "mlir_fused_mul_1", "--memory", "pool"});
  const json out = crosscheck();
  EXPECT_EQ(out["verdict"], "buffer-fault");
  EXPECT_EQ(out["roads"][0]["kernel"], "mlir_fused_mul_1") << "it leaves the least open";
  EXPECT_EQ(out["roads"][0]["open"], 0);
  EXPECT_GT(out["roads"][0]["predicted"], 25);
  change(3, [](float) { return 1000.0F; });
  const json changed = crosscheck();
  for (const json& road : changed["roads"]) EXPECT_GT(road["open"], 0) << "predictions fail now";
}

/// A comparison makes a number of NaN: what was left in memory is seen by what varies with it.
TEST_F(Crosscheck, ARoadBehindAComparison) {
  std::string text = captured_view_wrapper();
  const std::string mul = mlir_kernel("mlir_fused_mul_1", "mul");
  const std::string graph =
      "\"\"\"\nclass <lambda>(torch.nn.Module):\n"
      "    def forward(self, arg0_1: \"f32[4, 8]\", arg1_1: \"f32[4, 8]\"):\n"
      "        gt: \"b8[4, 8]\" = torch.ops.aten.gt.Tensor(arg0_1, arg1_1);  arg0_1 = None\n"
      "        where: \"f32[4, 8]\" = torch.ops.aten.where.self(gt, arg1_1, gt);  gt = arg1_1 = None\n"
      "        return (where,)\n\n\"\"\"\n"
      "mlir_fused_mul_1 = async_compile.import_fx('mlir_fused_mul_1', kernel_meta={'device_str': 'npu', "
      "'num_outputs': 1, 'dynamic': False, 'mutated_indices': [], 'traced_graph_hash': 'c', "
      "'num_call_functions': "
      "2})\n\n";
  text.replace(text.find(mul), mul.size(), graph);
  file_ = folder_.write("compares.py", text);
  device_runs({"--runtime", "torch_npu-26.0.0", "--fallback", "mlir_fused_add_0", "--memory", "random:3"});
  const json out = crosscheck({"--runtime", "torch_npu-26.0.0"});
  EXPECT_EQ(out["verdict"], "buffer-fault");
  EXPECT_EQ(out["roads"][0]["kernel"], "mlir_fused_add_0");
}

TEST_F(Crosscheck, NanIsNeverRounding) {
  device_runs({});
  change(7, [](float) { return std::numeric_limits<float>::quiet_NaN(); });
  const json out = crosscheck({"--runtime", "torch_npu-26.1.0"});
  EXPECT_EQ(out["verdict"], "unknown");
  EXPECT_EQ(out["exit_code"], kUnsupported);
  EXPECT_EQ(out["crosschecked"][0]["beyond_rounding"], 1);
}

TEST_F(Crosscheck, WhatCannotBeCompared) {
  const Tensor wide(model::DType::f32, {4, 9});
  kernels::write_npz(device_, {{"buf1", wide.view()}});
  refused({"--outputs", device_}, "expected f32 [4, 8] for output buf1, found f32 [4, 9]");
  kernels::write_npz(device_, {{"buf2", wide.view()}});
  refused({"--outputs", device_}, "the program has no output or buffer 'buf2'; did you mean buf1?");
  refused({"--outputs", folder_.path("gone.npz")}, "gone.npz");
  refused({}, "--outputs is required");
  std::string text = chain_wrapper();
  const std::string launch = "    mlir_fused_add_0.run(arg0_1, arg1_1, buf0, stream=stream0)\n";
  text.erase(text.find(launch), launch.size());
  file_ = folder_.write("broken.py", text);
  refused({"--outputs", device_}, "has no golden output");
}

}  // namespace
}  // namespace bufferproof::cli
