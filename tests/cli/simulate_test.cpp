// `bufferproof simulate` with values: what a user sees of a NaN, of a leftover, of a fault.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <regex>

#include "examples/resnet/network.hpp"
#include "kernels_ref/io/npz.hpp"
#include "tests/cli/json_schema.hpp"
#include "tests/cli/run_cli.hpp"
#include "tests/cli/small_wrappers.hpp"

namespace bufferproof::cli {
namespace {

using nlohmann::json;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

class SimulateValues : public ::testing::Test {
 protected:
  TemporaryFolder folder_;
  std::string file_ = folder_.write("view.py", captured_view_wrapper());
  const std::vector<std::string> falls_back_{"--fallback", "mlir_fused_add_0"};

  CliResult simulate(std::vector<std::string> more, bool fallback = true) {
    if (fallback) more.insert(more.begin(), falls_back_.begin(), falls_back_.end());
    more.insert(more.begin(), {"simulate", file_, "--runtime", "torch_npu-26.0.0"});
    return call(more);
  }
  json report(std::vector<std::string> more, bool fallback = true) {
    more.insert(more.end(), {"--format", "json"});
    const json out = json::parse(simulate(std::move(more), fallback).out);
    std::ifstream schema(SOURCE_DIR "/docs/report.schema.json");
    EXPECT_THAT(JsonSchema(json::parse(schema)).faults(out), IsEmpty());
    return out;
  }
  void refused(const std::vector<std::string>& more, const std::string& message) {
    const CliResult result = simulate(more);
    EXPECT_EQ(result.code, kBadInput) << result.out;
    EXPECT_THAT(result.err, HasSubstr(message));
    EXPECT_EQ(result.out, "");
    EXPECT_LT(result.err.size(), 600U) << "one message";
  }
};

TEST_F(SimulateValues, ByTagsAloneUnlessValuesAreAskedFor) {
  EXPECT_THAT(simulate({}).out, Not(HasSubstr("values:")));
  for (const std::vector<std::string>& ask : std::vector<std::vector<std::string>>{
           {"--values"}, {"--memory", "nan"}, {"--seed", "1"}, {"--numerics", "f64"}})
    EXPECT_THAT(simulate(ask).out, HasSubstr("values: ")) << ask[0];
}

/// Tags say who wrote what a read past its storage was meant to give, and nothing of what it gives.
TEST_F(SimulateValues, WhatRestsOnAReadOutsideIsNotCalledRight) {
  const std::string run =
      allocation("buf0") + "    stream0 = get_raw_stream(0)\n" +
      "    mlir_fused_add_0.run(arg0_1, arg1_1, buf0, stream=stream0)\n" +
      "    buf0_view = reinterpret_tensor(buf0, (4, 8), (8, 1), 8)\n" + allocation("buf1") +
      "    mlir_fused_mul_1.run(buf0_view, arg1_1, buf1, stream=stream0)\n    return (buf1, )";
  const std::string file = folder_.write(
      "outside.py",
      wrapper_text(mlir_kernel("mlir_fused_add_0", "add") + mlir_kernel("mlir_fused_mul_1", "mul"), run));
  const CliResult result = call({"simulate", file, "--why", "buf1[3,0]"});
  EXPECT_EQ(result.code, kFindings) << result.err;
  EXPECT_THAT(result.out, AllOf(HasSubstr("mlir_fused_mul_1 accesses an element outside of buf0_view"),
                                HasSubstr("what that gives is not followed"),
                                Not(HasSubstr("everything it can rest on"))));
}

/// Unwritten memory as an index stops the run; the finding that explains it is told all the same.
TEST_F(SimulateValues, ContentsThatStopAKernelDoNotHideTheFinding) {
  const std::string run =
      allocation("buf0") +
      "    stream0 = get_raw_stream(0)\n    mlir_fused_sub_0.run(arg0_1, arg0_1, buf0, stream=stream0)\n"
      "    buf1 = torch.ops.aten.embedding.default(arg1_1, buf0)\n    return (buf1, )";
  std::string text = wrapper_text(mlir_kernel("mlir_fused_sub_0", "sub"), run);
  text = std::regex_replace(text, std::regex("xf32"), "xi64");
  text = std::regex_replace(text, std::regex("torch.float32"), "torch.int64");
  const std::string file = folder_.write("index.py", text);
  EXPECT_EQ(call({"simulate", file, "--values"}).code, kClean);
  const std::vector<std::string> faulty{"simulate", file,      "--memory",
                                        "nan",      "--fault", "mlir_fused_sub_0:0[1:2,0:1]"};
  const CliResult result = call(faulty);
  EXPECT_EQ(result.code, kFindings) << result.err;
  EXPECT_THAT(result.out, AllOf(HasSubstr("none: "), HasSubstr("aten.embedding.default cannot be executed"),
                                HasSubstr("UNWRITTEN buf0[1, 0]")));
  std::vector<std::string> machine = faulty;
  machine.insert(machine.end(), {"--format", "json"});
  std::ifstream schema(SOURCE_DIR "/docs/report.schema.json");
  EXPECT_THAT(JsonSchema(json::parse(schema)).faults(json::parse(call(machine).out)), IsEmpty());
}

/// The sizes of what a call returns may be known to the run alone.
TEST_F(SimulateValues, OutputsOfUnknownShapeAreComparedWithoutAnExplanation) {
  const std::string run =
      allocation("buf0") +
      "    stream0 = get_raw_stream(0)\n    mlir_fused_mul_0.run(arg0_1, arg1_1, buf0, stream=stream0)\n"
      "    buf1 = torch.ops.aten._to_copy.default(torch.ops.aten.select.int(arg0_1, 0, 0), "
      "dtype=torch.int64)\n"
      "    buf2 = torch.ops.aten.index_select.default(buf0, 0, buf1)\n    return (buf2, )";
  const std::string file =
      folder_.write("rows.py", wrapper_text(mlir_kernel("mlir_fused_mul_0", "mul"), run));
  const CliResult result =
      call({"simulate", file, "--memory", "nan", "--fault", "mlir_fused_mul_0:0[0:1,0:1]"});
  EXPECT_EQ(result.code, kFindings) << result.err;
  EXPECT_THAT(result.out, AllOf(HasSubstr("8 of 64 wrong"), HasSubstr("UNWRITTEN buf0[0, 0]")));
}

TEST_F(SimulateValues, NanMemoryGivesNanAndTheKernelToBlame) {
  const CliResult result = simulate({"--memory", "nan"});
  EXPECT_EQ(result.code, kFindings);
  EXPECT_THAT(result.out,
              AllOf(HasSubstr("32 of 32 wrong  32   -"), HasSubstr("buf1[0, 0] is nan, golden 0.0"),
                    HasSubstr("mlir_fused_mul_1 (" + file_ +
                              ":38:5) reads buf0_view[0, 0], which nothing had "
                              "written; due from mlir_fused_add_0 (" +
                              file_ + ":36:5)")));
}

TEST_F(SimulateValues, OtherMemoryGivesFiniteWrongValues) {
  for (const char* memory : {"zero", "pool", "random:7"}) {
    const json call = report({"--memory", memory})["values"]["calls"][0][0];
    EXPECT_EQ(call["nan"], 0) << memory;
    EXPECT_EQ(call["difference"]["wrong"], 32) << memory;
    EXPECT_GT(call["difference"]["max_abs_error"], 0) << memory;
  }
  const auto error = [&](const char* memory) {
    return report({"--memory", memory})["values"]["calls"][0][0]["difference"]["max_abs_error"].get<double>();
  };
  EXPECT_NE(error("random:7"), error("random:8"));
  EXPECT_EQ(error("random:7"), error("random:7"));
}

TEST_F(SimulateValues, ACleanRunEqualsTheGoldenRun) {
  const json clean = report({"--memory", "nan"}, false);
  EXPECT_EQ(clean["verdict"], "clean");
  const json output = clean["values"]["calls"][0][0];
  EXPECT_EQ(output["hash"], output["golden"]["hash"]);
  EXPECT_EQ(output["difference"]["wrong"], 0);
  EXPECT_THAT(simulate({"--memory", "nan"}, false).out, HasSubstr("right"));
}

TEST_F(SimulateValues, EveryCallIsHeldAgainstGolden) {
  const json out = report({"--memory", "pool", "--calls", "3"});
  EXPECT_EQ(out["values"]["calls"].size(), 3U);
  EXPECT_THAT(simulate({"--memory", "pool", "--calls", "3"}).out,
              AllOf(HasSubstr("with 3 calls"), HasSubstr("\ncall 3\n")));
}

TEST_F(SimulateValues, OutputsAndTheirTagsAreWritten) {
  const std::string out = folder_.path("run.npz");
  simulate({"--out", out, "--fault", "mlir_fused_mul_1:0[3:4,6:8]"}, false);
  const kernels::Tensor tensor = kernels::read_tensors(out).at("buf1");
  for (std::size_t i = 0; i < 32; ++i) EXPECT_EQ(std::isnan(tensor.elements<float>()[i]), i >= 30) << i;
  std::ifstream sidecar(folder_.path("run.tags.json"));
  const json tags = json::parse(sidecar);
  EXPECT_EQ(tags["outputs"][0]["member"], "buf1");
  EXPECT_EQ(tags["outputs"][0]["spans"], json::parse(R"([{"first": 0, "last": 30, "tag": "mlir_fused_mul_1"},
                            {"first": 30, "last": 32, "tag": "unwritten"}])"));
  simulate({"--out", out, "--calls", "2"});
  EXPECT_TRUE(kernels::read_tensors(out).contains("call2.buf1"));
}

TEST_F(SimulateValues, ManyFindingsAreShort) {
  file_ = folder_.write("r18.py", examples::emit_resnet({}, {.reuse = false}).text);
  const std::vector<std::string> all{"simulate", file_, "--runtime", "as-reported", "--fallback", "all"};
  const CliResult short_text = call(all);
  EXPECT_EQ(short_text.code, kFindings);
  EXPECT_THAT(short_text.out, HasSubstr("(--full tells each as the first 3)"));
  auto full = all;
  full.emplace_back("--full");
  const auto lines = [](const std::string& text) { return std::count(text.begin(), text.end(), '\n'); };
  EXPECT_LT(lines(short_text.out), 60);
  EXPECT_GT(lines(call(full).out), 80);
}

TEST_F(SimulateValues, WhyShowsTheChainAndTheNumbers) {
  const CliResult text = simulate({"--why", "buf1[2,3]", "--memory", "nan"});
  EXPECT_THAT(text.out, AllOf(HasSubstr("why buf1[2, 3] is nan, golden "), HasSubstr("the caller"),
                              HasSubstr("\n  mlir_fused_mul_1 ("), HasSubstr("due from mlir_fused_add_0")));
  const json why = report({"--why", "buf1[2,3]"})["why"][0];
  EXPECT_EQ(why["output"], "buf1");
  EXPECT_EQ(why["at_fault"], true);
  EXPECT_EQ(why["links"].back()["due"], "mlir_fused_add_0");
  EXPECT_EQ(why["links"].back()["due_location"]["line"], 36);
  EXPECT_EQ(why["links"].back()["allocation_location"]["line"], 33);
  EXPECT_FALSE(why.contains("value")) << "by tags alone";
  EXPECT_THAT(simulate({"--why", "buf1[0,0]"}, false).out, HasSubstr("written by whom the text means"));
}

TEST_F(SimulateValues, WhyFollowsTheWrongValueToItsMemory) {
  const json why = report({"--why", "buf1[2,3]", "--memory", "pool"})["why"][0];
  EXPECT_EQ(why["at_fault"], true);
  const json& last = why["links"].back();
  EXPECT_EQ(last["basis"], "values");
  EXPECT_EQ(last["element"], json::parse("[2, 3]"));
  EXPECT_TRUE(last["value"].is_number());
}

TEST_F(SimulateValues, WhyNamesTheOperationThatMadeNan) {
  file_ = folder_.write("chain.py", chain_wrapper());
  kernels::Tensor a(model::DType::f32, {4, 8});
  kernels::Tensor b(model::DType::f32, {4, 8});
  for (float& x : a.elements<float>()) x = 1;
  for (float& x : b.elements<float>()) x = 0;
  a.elements<float>()[9] = HUGE_VALF;
  a.elements<float>()[10] = std::nanf("");
  const std::string inputs = folder_.path("inputs.npz");
  kernels::write_npz(inputs, {{"arg0_1", a.view()}, {"arg1_1", b.view()}});
  const auto why = [&](const char* element) {
    return report({"--tensors", inputs, "--why", std::string("buf1[1,") + element + "]"}, false)["why"][0];
  };
  EXPECT_EQ(why("1")["birth"]["kind"], "0*inf");
  EXPECT_EQ(why("1")["birth"]["op"], "mul");
  EXPECT_EQ(why("1")["links"].back()["writer"], "mlir_fused_mul_1");
  EXPECT_FALSE(why("2").contains("birth")) << "that NaN was given";
  EXPECT_EQ(why("2")["links"].back()["buffer"], "arg0_1");
  EXPECT_THAT(simulate({"--tensors", inputs, "--why", "buf1[1,1]"}, false).out,
              HasSubstr("mlir_fused_mul_1 makes it of operands that are right: 0*inf by mul ("));
}

TEST_F(SimulateValues, WhyOfABufprog) {
  const CliResult result = call(
      {"simulate", folder_.write("p.bufprog", "buf a[4] uninit\nkernel K: write a[0:3]\nresult a[0:4]\n"),
       "--why", "a[3]"});
  EXPECT_EQ(result.code, kFindings);
  EXPECT_THAT(result.out, HasSubstr("reads a[3], which nothing had written"));
}

TEST_F(SimulateValues, QuestionsThatHaveNoAnswer) {
  refused({"--why", "buf2[0,0]"}, "no output is named 'buf2'; did you mean buf1?");
  refused({"--why", "buf1[4,0]"}, "buf1[4,0]");
  refused({"--why", "buf1[0]"}, "buf1[0]");
  refused({"--why", "buf1[x]"}, "expected OUTPUT[I,J,...], found 'x' in 'buf1[x]'");
  refused({"--why", "buf1[1,"}, "expected OUTPUT[I,J,...], found 'buf1[1,'");
  refused({"--why", "buf1[-1,0]"}, "found '-1'");
  refused({"--why", ""}, "expected OUTPUT[I,J,...]");
}

TEST_F(SimulateValues, InputsThatCannotBeUsed) {
  refused({"--tensors", folder_.path("gone.npz")}, "gone.npz");
  refused({"--tensors", folder_.write("junk.npz", std::string(100, 'x'))}, "junk.npz");
  const kernels::Tensor wide(model::DType::f32, {4, 9});
  kernels::write_npz(folder_.path("in.npz"), {{"arg1_1", wide.view()}});
  refused({"--tensors", folder_.path("in.npz")}, "expected f32 [4, 8] for input arg1_1, found f32 [4, 9]");
  refused({"--memory", "nans"}, "expected nan, zero, pool or random:SEED");
  refused({"--fallback", "mlir_fused_add_1"}, "did you mean mlir_fused_add_0?");
  refused({"--fault", "mlir_fused_ad_0:0"}, "did you mean mlir_fused_add_0?");
  refused({"--out", folder_.path("x.json")}, "expected a file *.npz");
  file_ = folder_.write("p.bufprog", "buf a[4] zero\nresult a[0:4]\n");
  EXPECT_THAT(call({"simulate", file_, "--values"}).err, HasSubstr("bufprog has no values"));
}

TEST_F(SimulateValues, AnOpThatCannotBeExecutedIsNamed) {
  std::string text = captured_view_wrapper();
  text.replace(text.find("binary_fn<mul>"), 14, "binary_fn<frob>");
  file_ = folder_.write("op.py", text);
  EXPECT_EQ(simulate({}).code, kFindings) << "tags need no bodies";
  refused({"--values"}, "mlir_fused_mul_1");
}

TEST_F(SimulateValues, NanBornInArithmeticIsToldApart) {
  std::string text = chain_wrapper();
  text.replace(text.find("binary_fn<mul>"), 14, "binary_fn<div>");
  file_ = folder_.write("div.py", text);
  const kernels::Tensor zero = [] {
    kernels::Tensor out(model::DType::f32, {4, 8});
    for (float& x : out.elements<float>()) x = 0;
    return out;
  }();
  kernels::write_npz(folder_.path("in.npz"), {{"arg0_1", zero.view()}, {"arg1_1", zero.view()}});
  const json out = report({"--tensors", folder_.path("in.npz")}, false);
  EXPECT_EQ(out["verdict"], "clean") << "no memory is at fault";
  const json& birth = out["values"]["births"].at(0);
  EXPECT_EQ(birth["kind"], "0/0");
  EXPECT_EQ(birth["kernel"], "mlir_fused_mul_1");
  EXPECT_EQ(birth["elements"], 32);
  EXPECT_THAT(simulate({"--tensors", folder_.path("in.npz")}, false).out,
              HasSubstr("born in arithmetic, not read from memory\n  0/0 by div in mlir_fused_mul_1"));
  EXPECT_THAT(call({"golden", file_, "--tensors", folder_.path("in.npz")}).out, HasSubstr("  0/0 by div"));
  file_ = folder_.write("view.py", captured_view_wrapper());
  EXPECT_THAT(report({"--memory", "nan"})["values"]["births"], IsEmpty()) << "this NaN was read";
}

TEST_F(SimulateValues, TuningHidesAGapFromTheFirstCall) {  // E10
  const json out = report(
      {"--memory", "nan", "--tuning", "--calls", "2", "--fault", "mlir_fused_mul_1:0[0:1,0:8]"}, false);
  EXPECT_EQ(out["values"]["calls"][0][0]["difference"]["wrong"], 0);
  EXPECT_EQ(out["values"]["calls"][1][0]["difference"]["wrong"], 8);
}

TEST_F(SimulateValues, AProgramThatIsWrongByItselfHasNoGoldenRun) {
  std::string text = chain_wrapper();
  const std::string launch = "    mlir_fused_add_0.run(arg0_1, arg1_1, buf0, stream=stream0)\n";
  text.erase(text.find(launch), launch.size());
  file_ = folder_.write("broken.py", text);
  const CliResult result = simulate({"--values"}, false);
  EXPECT_EQ(result.code, kFindings);
  EXPECT_THAT(result.out, HasSubstr("no golden output: the program itself is wrong"));
  EXPECT_FALSE(report({"--values"}, false)["values"]["has_golden"]);
}

}  // namespace
}  // namespace bufferproof::cli
