// Wrappers through the command line: the generated ResNets, small hand-written ones, and broken ones.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "examples/resnet/network.hpp"
#include "tests/cli/json_schema.hpp"
#include "tests/cli/run_cli.hpp"

namespace bufferproof::cli {
namespace {

using nlohmann::json;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

const char* const kRelu0 = "mlir_fused__native_batch_norm_legit_no_training_relu_0";

class Wrapper : public ::testing::Test {
 protected:
  std::string resnet18(examples::WrapperOptions options = {}) {
    return folder_.write("resnet18.py", examples::emit_resnet({}, options).text);
  }
  TemporaryFolder folder_;
};

TEST_F(Wrapper, EveryRealRuntimeHasARow) {
  const std::string file = resnet18();
  const CliResult text = call({"check", file});
  EXPECT_EQ(text.code, kClean) << text.out;
  for (const char* name : {"stock", "torch_npu-7.x", "torch_npu-26.0.0", "torch_npu-26.1.0", "torch_npu-dev"})
    EXPECT_THAT(text.out, HasSubstr(name));
  EXPECT_THAT(text.out, Not(HasSubstr("as-reported"))) << "hypothetical: only when named";
  EXPECT_EQ(call({"check", file, "--strict"}).code, kUnsupported) << "the proofs rest on assumptions";
}

TEST_F(Wrapper, AsReportedIsRefutedByOneKernelFallingBack) {
  const json report = json::parse(
      call({"check", resnet18({.reuse = false}), "--runtime", "as-reported", "--format", "json"}).out);
  std::ifstream schema(SOURCE_DIR "/docs/report.schema.json");
  EXPECT_THAT(JsonSchema(json::parse(schema)).faults(report), IsEmpty());
  EXPECT_EQ(report["verdict"], "refuted");
  bool convolution = false;
  for (const json& finding : report["findings"]) {
    EXPECT_EQ(finding["force_fallback_kernel_names"].size(), 1U);
    EXPECT_EQ(finding["class"], "UNWRITTEN");
    convolution |= finding["reader"].get<std::string>().find("convolution") != std::string::npos;
  }
  EXPECT_TRUE(convolution) << "the reader is named";
}

TEST_F(Wrapper, OneFileIsRefutedForOneRuntimeAndProvedForAnother) {
  const json report = json::parse(
      call({"check", resnet18({.reuse = false, .captured_views = true}), "--format", "json"}).out);
  for (const json& row : report["runtimes"]) {
    const std::string name = row["name"];
    const bool copies = name == "torch_npu-26.1.0" || name == "stock";
    EXPECT_EQ(row["verdict"], copies ? "proved" : "refuted") << name;
  }
}

/// Memory handed on in another layout while a view of it is still to be read; NEXT is where buf1 lives.
std::string reused_under_a_view(const std::string& next) {
  std::string text = R"(import torch
from torch import device, empty_strided
reinterpret_tensor = torch._C._dynamo.guards._reinterpret_tensor
async_compile = AsyncCompile()
cpp_fused_0 = async_compile.cpp_pybinding(['const float*', 'float*'], '''
extern "C"  void kernel(const float* in_ptr0, float* out_ptr0) {}
''')
async_compile.wait(globals())
del async_compile

def call(args):
    arg0_1, = args
    args.clear()
    buf0 = empty_strided((4, 8), (8, 1), device='cpu', dtype=torch.float32)
    cpp_fused_0(arg0_1, buf0)
    view = reinterpret_tensor(buf0, (8, ), (1, ), 0)
    buf1 = NEXT
    cpp_fused_0(arg0_1, buf1)
    buf2 = empty_strided((8, ), (1, ), device='cpu', dtype=torch.float32)
    cpp_fused_0(view, buf2)
    return (buf1, buf2, )

def benchmark_compiled_module(times=10, repeat=10):
    from torch._dynamo.testing import rand_strided
    arg0_1 = rand_strided((4, 8), (8, 1), device='cpu', dtype=torch.float32)
    fn = lambda: call([arg0_1])
)";
  return text.replace(text.find("NEXT"), 4, next);
}

// C3
TEST_F(Wrapper, MemoryHandedOnInAnotherLayoutIsALaterTenant) {
  const std::string early = folder_.write(
      "early.py", reused_under_a_view("reinterpret_tensor(buf0, (8, 4), (4, 1), 0); del buf0  # reuse"));
  const CliResult bad = call({"check", early, "--runtime", "stock"});
  EXPECT_EQ(bad.code, kFindings) << bad.out;
  EXPECT_THAT(bad.out, HasSubstr("STALE view[0]"));
  const std::string strided = folder_.write(
      "strided.py", reused_under_a_view("torch.as_strided(buf0, (8, 4), (4, 1)); del buf0  # reuse"));
  EXPECT_EQ(call({"check", strided, "--runtime", "stock"}).code, kFindings);
  const std::string fresh = folder_.write(
      "fresh.py", reused_under_a_view("empty_strided((8, 4), (4, 1), device='cpu', dtype=torch.float32)"));
  EXPECT_EQ(call({"check", fresh, "--runtime", "stock"}).code, kClean);
}

// C1
TEST_F(Wrapper, AnOutputThatNoLineOfTheKernelStores) {
  const auto code = [&](const std::string& line) {
    std::string text =
        reused_under_a_view("empty_strided((8, 4), (4, 1), device='cpu', dtype=torch.float32)");
    text.replace(text.find("{}"), 2, "{\n    auto tmp0 = in_ptr0[x0];\n" + line + "}");
    return call({"check", folder_.write("kernel.py", text), "--runtime", "stock"});
  };
  EXPECT_EQ(code("    out_ptr0[x0] = tmp0;\n").code, kClean);
  const CliResult missing = code("");
  EXPECT_EQ(missing.code, kFindings);
  EXPECT_THAT(missing.out,
              AllOf(HasSubstr("UNWRITTEN view[0] at cpp_fused_0"), HasSubstr("due from   cpp_fused_0")));
}

TEST_F(Wrapper, ALogDecidesWhichKernelsFellBack) {
  const std::string file = resnet18({.reuse = false, .captured_views = true});
  const std::string quiet = folder_.write("quiet.log", "nothing happened\n");
  const std::string loud = folder_.write(
      "loud.log", std::string(kRelu0) + ": Tuning accuracy failed, no valid kernels found, using fallback\n");
  EXPECT_EQ(call({"check", file, "--runtime", "torch_npu-26.0.0", "--log", quiet}).code, kClean);
  const CliResult fell = call({"check", file, "--runtime", "torch_npu-26.0.0", "--log", loud});
  EXPECT_EQ(fell.code, kFindings);
  EXPECT_THAT(fell.out, AllOf(HasSubstr("[1]"), Not(HasSubstr("[2]"))));
}

TEST_F(Wrapper, TracedGraphsOfAFolderAreRead) {
  const examples::EmittedWrapper emitted = examples::emit_resnet({}, {});
  folder_.write("dump/output_code.py", emitted.text);
  const std::string unread = "its graph is not in the file";
  EXPECT_THAT(call({"check", folder_.path("dump")}).out, HasSubstr(unread));
  for (const auto& [hash, text] : emitted.traced_graphs)
    folder_.write("dump/traced_graph_cache/0/" + hash + "/" + hash + ".py", text);
  EXPECT_THAT(call({"check", folder_.path("dump")}).out, Not(HasSubstr(unread)));
  EXPECT_THAT(call({"check", folder_.path("dump/output_code.py"), "--graphs", folder_.path("dump")}).out,
              Not(HasSubstr(unread)));
}

TEST_F(Wrapper, SimulateTakesADelivery) {
  const std::string file = resnet18({.reuse = false});
  const std::vector<std::string> base{"simulate", file, "--runtime", "torch_npu-26.1.0", "--fallback"};
  auto run = [&](const std::string& fallback) {
    auto arguments = base;
    arguments.push_back(fallback);
    return call(arguments);
  };
  EXPECT_EQ(run(kRelu0).code, kClean);
  EXPECT_EQ(run(std::string(kRelu0) + "=drop").code, kFindings);
  const CliResult misspelt = run("mlir_fused__native_batch_norm_legit_no_training_relu_00");
  EXPECT_EQ(misspelt.code, kBadInput);
  EXPECT_THAT(misspelt.err, HasSubstr(std::string("did you mean ") + kRelu0));
  EXPECT_THAT(run(std::string(kRelu0) + "=dropp").err, HasSubstr("did you mean drop?"));
}

TEST_F(Wrapper, UnknownRuntimesGetTheNearest) {
  const CliResult result = call({"check", resnet18(), "--runtime", "torch_npu-26.0.1"});
  EXPECT_EQ(result.code, kBadInput);
  EXPECT_THAT(result.err, HasSubstr("did you mean torch_npu-26.0.0?"));
}

TEST_F(Wrapper, ShowReadsWrappersAndTheirRoads) {
  const std::string file = resnet18();
  EXPECT_THAT(call({"show", file}).out, HasSubstr(kRelu0));
  EXPECT_THAT(call({"show", file, "--runtime", "as-reported"}).out, HasSubstr("fallback: "));
  EXPECT_EQ(call({"show", file, "--format", "dot"}).code, kClean);
}

std::string body(const std::string& statements) {
  return "from torch._inductor.async_compile import AsyncCompile\nasync_compile = AsyncCompile()\n"
         "def call(args):\n    arg0_1, = args\n    args.clear()\n" +
         statements;
}

// E8: what a name held before an unknown statement bound it is given up; that it is named is no use.
TEST_F(Wrapper, AnUnknownStatementThatRebindsANameIsUnsupported) {
  std::string text = reused_under_a_view("empty_strided((8, 4), (4, 1), device='cpu', dtype=torch.float32)");
  text.insert(text.find("    return (buf1"),
              "    arg0_1 = something(arg0_1)\n    del arg0_1\n    buf0 = anything()\n");
  const CliResult result = call({"check", folder_.write("rebinds.py", text), "--runtime", "stock"});
  EXPECT_EQ(result.code, kUnsupported) << result.out;
  EXPECT_THAT(result.out,
              AllOf(HasSubstr("rebinds.py:21:5: unsupported: the call something"), Not(HasSubstr("DEAD"))));
}

TEST_F(Wrapper, UnknownStatementsAreUnsupportedWithTheirPlace) {
  const std::string file =
      folder_.write("u.py", body("    assert_size_stride(arg0_1, (4, ), (1, ))\n"
                                 "    buf0 = empty_strided_cpu((4, ), (1, ), torch.float32)\n"
                                 "    mystery.launch(arg0_1, buf0)\n    return (buf0, )\n"));
  const CliResult result = call({"check", file, "--runtime", "stock"});
  EXPECT_EQ(result.code, kUnsupported) << result.out;
  EXPECT_THAT(result.out, HasSubstr("u.py:8:"));
}

TEST_F(Wrapper, AMissingKernelIsNeverSafe) {
  const std::string file = folder_.write(
      "m.py", body("    buf0 = empty_strided_cpu((4, ), (1, ), torch.float32)\n"
                   "    mlir_fused_gone_0.run(arg0_1, buf0, stream=stream0)\n    return (buf0, )\n"));
  const CliResult result = call({"check", file, "--runtime", "torch_npu-26.0.0"});
  EXPECT_NE(result.code, kClean) << result.out;
  EXPECT_THAT(result.out + result.err, HasSubstr("mlir_fused_gone_0"));
}

class BrokenWrapper : public Wrapper {
 protected:
  void expect_refused(const std::string& text, const std::string& message) {
    const CliResult result = call({"check", folder_.write("broken.py", text)});
    EXPECT_EQ(result.code, kBadInput) << result.out;
    EXPECT_THAT(result.err, HasSubstr(message));
    EXPECT_EQ(result.out, "");
    EXPECT_LT(result.err.size(), 600U);
  }
};

TEST_F(BrokenWrapper, Truncated) {
  const std::string whole = examples::emit_resnet({}, {}).text;
  const std::size_t call_begin = whole.find("def call(");
  expect_refused(whole.substr(0, whole.find("empty_strided((", call_begin) + 20), "broken.py:");
}

TEST_F(BrokenWrapper, PythonSyntaxError) {
  expect_refused("import torch\ndef call(args:\n    return ()\n", "broken.py:3:5: expected an expression");
}

TEST_F(BrokenWrapper, NoEntryPoint) { expect_refused("import torch\nx = 1\n", "broken.py"); }

TEST_F(BrokenWrapper, RecursionBomb) {
  expect_refused("x = " + std::string(300'000, '(') + "\n", "broken.py:1:");
  expect_refused("x = " + std::string(300'000, '-') + "1\n", "broken.py:1:");
}

TEST_F(BrokenWrapper, LineOfAHundredMegabytes) {
  expect_refused("import torch\nx = " + std::string(100'000'000, '1') + "\n", "broken.py");
}

TEST_F(BrokenWrapper, SizesThatOverflow) {
  expect_refused(body("    buf0 = empty_strided_cpu((99999999999999999999, ), (1, ), torch.float32)\n"
                      "    return (buf0, )\n"),
                 "broken.py:");
}

}  // namespace
}  // namespace bufferproof::cli
