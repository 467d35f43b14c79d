// `bufferproof golden`: the numbers, where they come from, and what is refused.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kernels_ref/io/npz.hpp"
#include "kernels_ref/network/random.hpp"
#include "tests/cli/json_schema.hpp"
#include "tests/cli/run_cli.hpp"
#include "tests/cli/small_wrappers.hpp"

namespace bufferproof::cli {
namespace {

using kernels::Tensor;
using model::DType;
using nlohmann::json;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

Tensor ramp(float step) {
  Tensor out(DType::f32, {4, 8});
  for (std::size_t i = 0; i < 32; ++i) out.elements<float>()[i] = static_cast<float>(i) * step;
  return out;
}

class Golden : public ::testing::Test {
 protected:
  TemporaryFolder folder_;
  std::string file_ = folder_.write("chain.py", chain_wrapper());
  /// a = 0, 1, 2, ...; b = 0, 2, 4, ...
  std::string inputs() {
    const std::string path = folder_.path("in.npz");
    const Tensor a = ramp(1);
    const Tensor b = ramp(2);
    kernels::write_npz(path, {{"arg0_1", a.view()}, {"arg1_1", b.view()}});
    return path;
  }
  CliResult golden(std::vector<std::string> more) {
    more.insert(more.begin(), {"golden", file_});
    return call(more);
  }
  void refused(const std::vector<std::string>& more, const std::string& message) {
    const CliResult result = golden(more);
    EXPECT_EQ(result.code, kBadInput) << result.out;
    EXPECT_THAT(result.err, HasSubstr(message));
    EXPECT_EQ(result.out, "");
    EXPECT_LT(result.err.size(), 600U) << "one message";
  }
};

TEST_F(Golden, ComputesWhatTheTextSays) {
  const std::string out = folder_.path("golden.npz");
  const CliResult result = golden({"--tensors", inputs(), "--out", out});
  EXPECT_EQ(result.code, kClean) << result.err;
  EXPECT_THAT(result.out, AllOf(HasSubstr("2 inputs given"), HasSubstr("written to " + out),
                                HasSubstr("buf1    f32   [4, 8]")));
  const auto tensors = kernels::read_tensors(out);
  for (int i = 0; i < 32; ++i) {
    const auto at = static_cast<std::size_t>(i);
    EXPECT_EQ(tensors.at("buf0").elements<float>()[at], 3.0F * static_cast<float>(i));
    EXPECT_EQ(tensors.at("buf1").elements<float>()[at], 6.0F * static_cast<float>(i * i));
  }
}

TEST_F(Golden, JsonFitsTheSchemaAndTellsTheSame) {
  const json report = json::parse(golden({"--tensors", inputs(), "--format", "json"}).out);
  std::ifstream schema(SOURCE_DIR "/docs/report.schema.json");
  EXPECT_THAT(JsonSchema(json::parse(schema)).faults(report), IsEmpty());
  EXPECT_EQ(report["verdict"], "clean");
  const json& first = report["outputs"][0];
  EXPECT_EQ(first["name"], "buf1");
  EXPECT_EQ(first["sizes"], (json{4, 8}));
  EXPECT_EQ(first["max"], 6.0 * 31 * 31);
  EXPECT_EQ(first["min"], 0.0);
  EXPECT_EQ(first["absmax"], 6.0 * 31 * 31);
  EXPECT_EQ(first["nan"], 0);
  Tensor expected(DType::f32, {4, 8});
  for (std::size_t i = 0; i < 32; ++i) expected.elements<float>()[i] = 6.0F * static_cast<float>(i * i);
  EXPECT_EQ(std::stoull(first["hash"].get<std::string>(), nullptr, 16),
            kernels::content_hash(expected.view()));
}

TEST_F(Golden, GeneratedInputsDependOnTheSeed) {
  EXPECT_EQ(golden({}).out, golden({"--seed", "0"}).out);
  EXPECT_NE(golden({}).out, golden({"--seed", "1"}).out);
  EXPECT_THAT(golden({}).out, HasSubstr("2 inputs generated from seed 0"));
}

TEST_F(Golden, AFolderOfNpyFilesWillDo) {
  const Tensor a = ramp(1);
  const auto bytes = [&](const Tensor& tensor) {
    kernels::write_npz(folder_.path("one.npz"), {{"arg0_1", tensor.view()}});
    std::ifstream file(folder_.path("one.npz"), std::ios::binary);
    return std::string(std::istreambuf_iterator<char>(file), {});
  };
  folder_.write("tensors/a.npz", bytes(a));
  EXPECT_THAT(golden({"--tensors", folder_.path("tensors")}).out,
              HasSubstr("1 input given, 1 generated from seed 0"));
  folder_.write("tensors/b.npz", bytes(a));
  refused({"--tensors", folder_.path("tensors")}, "holds tensor 'arg0_1', which an earlier file holds too");
}

TEST_F(Golden, NumericsAreChosenByName) {
  EXPECT_THAT(golden({"--numerics", "f64"}).out, HasSubstr("numerics f64"));
  refused({"--numerics", "ieee-f31"}, "did you mean ieee-f32?");
}

TEST_F(Golden, TheRuntimesFaultsDoNotShow) {
  file_ = folder_.write("view.py", captured_view_wrapper());
  EXPECT_EQ(call({"check", file_}).code, kFindings) << "some runtime breaks it";
  EXPECT_EQ(golden({}).code, kClean);
}

TEST_F(Golden, AProgramThatIsWrongByItselfHasNone) {
  std::string text = chain_wrapper();
  const std::string launch = "    mlir_fused_add_0.run(arg0_1, arg1_1, buf0, stream=stream0)\n";
  text.erase(text.find(launch), launch.size());
  file_ = folder_.write("broken.py", text);
  const std::string out = folder_.path("golden.npz");
  const CliResult result = golden({"--out", out});
  EXPECT_EQ(result.code, kFindings);
  EXPECT_THAT(result.out, AllOf(HasSubstr("no golden output"), HasSubstr("UNWRITTEN buf0[0, 0]")));
  EXPECT_FALSE(std::filesystem::exists(out));
}

TEST_F(Golden, TensorsThatDoNotFit) {
  const std::string path = folder_.path("in.npz");
  const Tensor wide(DType::f32, {4, 9});
  kernels::write_npz(path, {{"arg0_1", wide.view()}});
  refused({"--tensors", path}, "expected f32 [4, 8] for input arg0_1, found f32 [4, 9] in --tensors");
  const Tensor half(DType::f16, {4, 8});
  kernels::write_npz(path, {{"arg0_1", half.view()}});
  refused({"--tensors", path}, "expected f32 [4, 8] for input arg0_1, found f16 [4, 8]");
  kernels::write_npz(path, {{"arg0_2", half.view()}});
  refused({"--tensors", path}, "the program has no input 'arg0_2'; did you mean arg0_1?");
}

TEST_F(Golden, FilesThatCannotBeUsed) {
  refused({"--tensors", folder_.path("gone.npz")}, "gone.npz");
  refused({"--tensors", folder_.write("text.npz", "not a tensor")}, "text.npz");
  refused({"--tensors", folder_.write("cut.npy", "\x93NUMPY\x01")}, "cut.npy");
  folder_.write("empty/readme.txt", "x");
  refused({"--tensors", folder_.path("empty")}, "holds no .npy and no .npz file");
  refused({"--out", folder_.path("out.txt")}, "expected a file *.npz");
  refused({"--out", folder_.path("nowhere/out.npz")}, "there is no folder");
}

TEST_F(Golden, WhatCannotBeExecutedIsNamed) {
  std::string text = chain_wrapper();
  const std::string launch = "    mlir_fused_add_0.run(arg0_1, arg1_1, buf0, stream=stream0)\n";
  text.replace(text.find(launch), launch.size(), "    torch.ops.mine.frobnicate.default(arg0_1, buf0)\n");
  file_ = folder_.write("custom.py", text);
  refused({}, "torch.ops.mine.frobnicate.default");
  file_ = folder_.write("c.bufprog", "buf a[4] zero\nresult a[0:4]\n");
  refused({}, "expected a wrapper, found a bufprog program");
}

/// What a graph returns in another element type is converted, as by contract the declared output holds it.
TEST_F(Golden, GraphsOfKernelsThatAreNeverCompiledReturnOtherTypes) {
  const std::string graph =
      "\"\"\"\nclass <lambda>(torch.nn.Module):\n"
      "    def forward(self, arg0_1: \"f32[4, 8]\", arg1_1: \"f32[4, 8]\"):\n"
      "        add: \"f32[4, 8]\" = torch.ops.aten.add.Tensor(arg0_1, arg1_1);  arg0_1 = arg1_1 = None\n"
      "        to: \"f64[4, 8]\" = torch.ops.prims.convert_element_type.default(add, torch.float64);  add = "
      "None\n"
      "        return (to,)\n\n\"\"\"\n"
      "mlir_fused_add_0 = async_compile.import_fx('mlir_fused_add_0', kernel_meta={'device_str': 'npu', "
      "'num_outputs': 1, 'dynamic': False, 'mutated_indices': [], 'traced_graph_hash': 'c', "
      "'num_call_functions': "
      "1})\n\n";
  file_ = folder_.write(
      "fx.py", wrapper_text(graph, allocation("buf0") + "    mlir_fused_add_0.run(arg0_1, arg1_1, buf0, "
                                                        "stream=get_raw_stream(0))\n    return (buf0, )"));
  const std::string out = folder_.path("golden.npz");
  golden({"--tensors", inputs(), "--out", out});
  const auto tensors = kernels::read_tensors(out);
  ASSERT_EQ(tensors.at("buf0").dtype(), DType::f32);
  EXPECT_EQ(tensors.at("buf0").elements<float>()[5], 15.0F);
}

}  // namespace
}  // namespace bufferproof::cli
