// Whole wrappers without kernel text: each wrong one beside a twin that is proved.
#include <gtest/gtest.h>

#include "tests/cli/run_cli.hpp"

namespace bufferproof::cli {
namespace {

/// `call(args)` of two (4, 4) inputs with these statements, checked as stock PyTorch runs it.
CliResult checked(const std::string& statements) {
  std::string indented;
  std::istringstream lines(statements);
  for (std::string line; std::getline(lines, line);) indented += "    " + line + "\n";
  const TemporaryFolder folder;
  return call({"check", "--runtime", "stock",
               folder.write("output_code.py",
                            "import torch\n"
                            "from torch._inductor.codegen.memory_planning import _align as align\n"
                            "empty_strided = torch.empty_strided\n"
                            "reinterpret_tensor = torch._C._dynamo.guards._reinterpret_tensor\n"
                            "from torch._inductor.select_algorithm import extern_kernels\n"
                            "def call(args):\n"
                            "    arg0_1, arg1_1 = args\n"
                            "    args.clear()\n"
                            "    assert_size_stride(arg0_1, (4, 4), (4, 1))\n"
                            "    assert_size_stride(arg1_1, (4, 4), (4, 1))\n" +
                                indented)});
}

std::string buffer(const std::string& name, const std::string& layout = "(4, 4), (4, 1)") {
  return name + " = empty_strided(" + layout + ", dtype=torch.float32, device='cuda')\n";
}
std::string mm(const std::string& left, const std::string& out) {
  return "extern_kernels.mm(" + left + ", arg1_1, out=" + out + ")\n";
}

void expect_refuted(const std::string& finding, const std::string& statements) {
  const CliResult result = checked(statements);
  EXPECT_EQ(result.code, 1) << statements << result.out << result.err;
  EXPECT_NE(result.out.find("] " + finding), std::string::npos) << result.out;
}
void expect_proved(const std::string& statements) {
  const CliResult result = checked(statements);
  EXPECT_EQ(result.code, 0) << statements << result.out << result.err;
}

TEST(WrapperVerdict, C5ViewsThatBeginBeforeTheirStorage) {
  const std::string text = buffer("buf0", "(8, ), (1, )") + "buf0.copy_(arg0_1)\n";
  expect_proved(
      text +
      "buf1 = torch.ops.aten.relu.default(reinterpret_tensor(buf0, (4, ), (1, ), 4))\nreturn (buf1, )");
  expect_refuted(
      "OOB",
      text +
          "buf1 = torch.ops.aten.relu.default(reinterpret_tensor(buf0, (4, ), (1, ), -2))\nreturn (buf1, )");
  expect_refuted(
      "OOB",
      text +
          "buf1 = torch.ops.aten.relu.default(reinterpret_tensor(buf0, (4, ), (-1, ), 0))\nreturn (buf1, )");
}

TEST(WrapperVerdict, C2PartsOfWhatIsHalfWritten) {
  const std::string text = buffer("buf0", "(8, 4), (4, 1)") +
                           mm("arg0_1", "reinterpret_tensor(buf0, (4, 4), (4, 1), 0)") +
                           "buf1 = torch.ops.aten.slice.Tensor(buf0, 0, ";
  const std::string rest =
      ")\nassert_size_stride(buf1, (4, 4), (4, 1))\nbuf2 = torch.ops.aten.relu.default(buf1)\nreturn (buf2, "
      ")";
  expect_proved(text + "0, 4" + rest);
  expect_refuted("UNWRITTEN", text + "4, 8" + rest);
  expect_refuted("UNWRITTEN", text + "1, 5" + rest);
}

TEST(WrapperVerdict, E1PartsNobodyKnowsAreUndecided) {
  const std::string text = buffer("buf0") + mm("arg0_1", "buf0") + buffer("buf1");
  const std::string rest = "buf3 = torch.ops.aten.relu.default(buf2)\nreturn (buf3, )";
  expect_proved(text + "buf2 = torch.ops.aten.diagonal.default(buf0, 0, 0, 1)\n" + rest);
  const CliResult unknown = checked(text + "buf2 = torch.ops.aten.diagonal.default(buf1, 0, 0, 1)\n" + rest);
  EXPECT_EQ(unknown.code, 3) << unknown.out << unknown.err;
}

TEST(WrapperVerdict, C6NamesThatNobodyBound) {
  const std::string text = buffer("buf0") + mm("arg0_1", "buf0");
  expect_proved(text + "return (buf0, )");
  expect_refuted("NOALLOC buf1", text + "return (buf1, )");
  expect_refuted("NOALLOC buf7", text + buffer("buf1") + mm("buf7", "buf1") + "return (buf1, )");
  expect_refuted("NOALLOC buf6", text + "buf1 = buf6[0]\nreturn (buf0, )");
}

TEST(WrapperVerdict, E2OutsOfAnotherSizeThanTheResult) {
  const std::string text = buffer("buf0", "(8, 4), (4, 1)");
  const auto half = [](const std::string& rows, const std::string& offset) {
    return "reinterpret_tensor(buf0, (" + rows + ", 4), (4, 1), " + offset + ")";
  };
  expect_proved(text + mm("arg0_1", half("4", "0")) + mm("arg0_1", half("4", "16")) + "return (buf0, )");
  expect_refuted("UNWRITTEN", text + mm("arg0_1", "buf0") + "return (buf0, )");
  expect_refuted("STALE", text + mm("arg0_1", half("4", "16")) + mm("arg0_1", half("4", "0")) +
                              "buf1 = torch.ops.aten.relu.default(" + half("4", "0") + ")\n" +
                              "extern_kernels.mm(arg0_1, arg1_1, out=" + half("3", "12") + ")\n" +
                              "buf2 = torch.ops.aten.relu.default(" + half("4", "16") +
                              ")\nreturn (buf1, buf2)");
}

/// buf0 and buf1 are made on a side stream, an event is recorded between; then the default stream reads
/// `what`.
std::string two_streams(const std::string& order, const std::string& what) {
  return buffer("buf0") + buffer("buf1") + buffer("buf2") +
         "side = torch.cuda.Stream()\nready = torch.cuda.Event()\nwith torch.cuda.stream(side):\n    " +
         mm("arg0_1", "buf0") + "    ready.record()\n    " + mm("arg0_1", "buf1") + order + mm(what, "buf2") +
         "return (buf2, )";
}

TEST(WrapperVerdict, C4TheHostWaitsForAnEventNotForItsStream) {
  expect_proved(two_streams("ready.synchronize()\n", "buf0"));
  expect_refuted("RACE", two_streams("ready.synchronize()\n", "buf1"));
  expect_proved(two_streams("side.synchronize()\n", "buf1"));
}

TEST(WrapperVerdict, C4TheHostWaitsForTheWholeDevice) {
  expect_refuted("RACE", two_streams("", "buf0"));
  expect_proved(two_streams("torch.cuda.synchronize()\n", "buf1"));
}

TEST(WrapperVerdict, C4StreamsThatDynamoKeepsByNumber) {
  const auto program = [](const std::string& waits) {
    return buffer("buf0") + buffer("buf1") +
           "stream1 = get_external_object_by_index(1)\nwith stream1:\n    " + mm("arg0_1", "buf0") +
           "    torch.ops.streams.record_event.default(2, 1)\n" + waits + mm("buf0", "buf1") +
           "return (buf1, )";
  };
  expect_proved(program("torch.ops.streams.wait_event.default(2, 0)\n"));
  expect_proved(program("torch.ops.streams.wait_stream.default(0, 1)\n"));
  expect_proved(program("torch.ops.streams.synchronize_event.default(2)\n"));
  expect_refuted("RACE", program("torch.ops.streams.wait_event.default(3, 0)\n"));
  expect_refuted("RACE", program(""));
  const CliResult unknown = checked(program("torch.ops.streams.fork.default(0, 1)\n"));
  EXPECT_NE(unknown.out.find("the stream operator fork"), std::string::npos) << unknown.out;
}

TEST(WrapperVerdict, C4OutMustNotBeWhatIsStillLoaded) {
  const std::string text = buffer("buf0") + mm("arg0_1", "buf0");
  const auto addmm = [](const std::string& bias, const std::string& matrix, const std::string& out) {
    return "extern_kernels.addmm(" + bias + ", " + matrix + ", arg1_1, alpha=1, beta=1, out=" + out +
           ")\nreturn (" + out + ", )";
  };
  expect_proved(text + buffer("buf1") + mm("buf0", "buf1") + "return (buf1, )");
  expect_refuted("RACE buf0", text + mm("buf0", "buf0") + "return (buf0, )");
  expect_proved(text + addmm("buf0", "arg0_1", "buf0"));
  expect_refuted("RACE buf0", text + addmm("arg0_1", "buf0", "buf0"));
}

TEST(WrapperVerdict, C4OutOfAnElementwiseFunction) {
  const std::string text =
      buffer("buf0", "(8, 4), (4, 1)") + "buf0.copy_(torch.ops.aten.cat.default([arg0_1, arg1_1]))\n";
  const auto add = [](const std::string& out) {
    return "torch.ops.aten.add.out(reinterpret_tensor(buf0, (4, 4), (4, 1), 0), arg0_1, "
           "out=reinterpret_tensor(buf0, (4, 4), (4, 1), " +
           out + "))\nreturn (buf0, )";
  };
  expect_proved(text + add("0"));
  expect_proved(text + add("16"));
  expect_refuted("RACE", text + add("4"));
}

TEST(WrapperVerdict, C4FunctionsWithSeveralOutputs) {
  const std::string text = buffer("buf0") +
                           "buf1 = empty_strided((4, 4), (4, 1), dtype=torch.int64, device='cuda')\n" +
                           "buf2 = empty_strided((8, 4), (4, 1), dtype=torch.int64, device='cuda')\n";
  const auto sorted = [](const std::string& values, const std::string& indices) {
    return "torch.ops.aten.sort.values(arg0_1, 1, values=" + values + ", indices=" + indices + ")\nreturn (" +
           values + ", )";
  };
  const auto rows = [](const std::string& first) {
    return "reinterpret_tensor(buf2, (4, 4), (4, 1), " + first + ")";
  };
  expect_proved(text + sorted("buf0", "buf1"));
  expect_refuted("RACE", text + sorted("buf1", "buf1"));
  expect_proved(text + sorted(rows("0"), rows("16")));
  expect_refuted("RACE", text + sorted(rows("0"), rows("8")));
}

/// A function that has an in-place variant can have its `out` where its operand is; of others nothing is
/// known.
TEST(WrapperVerdict, C4OutWhereTheOperandIs) {
  const std::string text = buffer("buf0") + mm("arg0_1", "buf0");
  const auto out = [](const std::string& call) {
    return "torch.ops.aten." + call + ", out=buf0)\nreturn (buf0, )";
  };
  for (const char* call : {"hypot.out(buf0, arg0_1", "cumsum.out(buf0, 1", "addcmul.out(buf0, arg0_1, arg1_1",
                           "where.self_out(arg0_1, buf0, arg1_1", "_foreach_mul.List_out([buf0], [arg0_1]"})
    expect_proved(text + (std::string(call).starts_with("_foreach")
                              ? "torch.ops.aten." + std::string(call) + ", out=[buf0])\nreturn (buf0, )"
                              : out(call)));
  expect_refuted("RACE", text + out("bmm.out(buf0, arg0_1"));
  EXPECT_EQ(checked(text + out("_softmax.out(arg0_1, 1, False")).code, 0);
  EXPECT_EQ(checked(text + out("renorm.out(arg0_1, 2, 0, 1")).code, 0);
  EXPECT_EQ(checked(text + out("diff.out(buf0, 1")).code, 3);
}

TEST(WrapperVerdict, E8KernelsOutsideOfEveryTable) {
  const std::string text = buffer("buf0") + mm("arg0_1", "buf0") + buffer("buf1");
  expect_proved(text + "extern_kernels._mm_plus_mm(buf0, arg0_1, buf0, arg1_1, out=buf1)\nreturn (buf1, )");
  EXPECT_EQ(checked(text + "extern_kernels.foo(buf0, out=buf1)\nreturn (buf1, )").code, 3);
  EXPECT_EQ(checked(text + "extern_kernels.foo(arg0_1, into=buf0, out=buf1)\nreturn (buf0, )").code, 3);
}

/// As Inductor adds complex numbers: what a window of other elements covers of elements of unknown size is
/// not followed.
TEST(WrapperVerdict, E1ViewsOfElementsOfUnknownSize) {
  const std::string rest =
      "assert_size_stride(buf1, (4, 8), (8, 1))\nbuf2 = torch.ops.aten.relu.default(buf1)\n"
      "return (buf2, )";
  expect_proved(
      "buf0 = torch.ops.aten.add.Tensor(arg0_1, 0)\nassert_size_stride(buf0, (4, 4), (4, 1))\n"
      "buf1 = torch.ops.aten.view.dtype(buf0, torch.float32)\n" +
      rest);
  const std::string empty = "buf0 = empty_strided((4, 4), (4, 1), dtype=torch.complex64, device='cuda')\n";
  expect_refuted("UNWRITTEN", empty + "buf1 = torch.ops.aten.view.dtype(buf0, torch.float32)\n" + rest);
}

TEST(WrapperVerdict, C7OutOfAnotherElementTypeThanTheResult) {
  const std::string wide = "buf0 = empty_strided((4, 4), (4, 1), dtype=torch.float64, device='cuda')\n";
  const auto typed = [](const std::string& out) {
    return "buf1 = empty_strided((4, 4), (4, 1), dtype=torch.float32, device='cuda')\nbuf1.copy_(arg0_1)\n"
           "extern_kernels.mm(buf1, buf1, " +
           out + "out=buf0)\nreturn (buf0, )";
  };
  expect_proved(buffer("buf0") + typed(""));
  expect_refuted("MISMATCH buf0", wide + typed(""));
  expect_proved(wide + typed("out_dtype=torch.float64, "));
}

TEST(WrapperVerdict, C7AssertionsOfALayoutTheBufferDoesNotHave) {
  const std::string text = buffer("buf0") + mm("arg0_1", "buf0");
  const std::string rest = "buf1 = torch.ops.aten.relu.default(buf0)\nreturn (buf1, )";
  expect_proved(text + "assert_size_stride(buf0, (4, 4), (4, 1))\n" + rest);
  expect_refuted("MISMATCH buf0", text + "assert_size_stride(buf0, (4, 4), (1, 4))\n" + rest);
  expect_refuted("MISMATCH buf0", text + "assert_size_stride(buf0, (2, 8), (8, 1))\n" + rest);
}

TEST(WrapperVerdict, C7AssertionsOfSizesTheOperatorDoesNotReturn) {
  const std::string conv =
      "buf0 = extern_kernels.convolution(reinterpret_tensor(arg0_1, (1, 2, 2, 4), STRIDES, 0), "
      "reinterpret_tensor(arg1_1, (4, 2, 1, 2), (4, 2, 2, 1), 0), stride=(1, 1), padding=(0, 0), "
      "dilation=(1, 1), "
      "transposed=False, output_padding=(0, 0), groups=1, bias=None)\n";
  for (const std::string strides : {"(16, 8, 4, 1)", "(16, 1, 8, 2)"}) {
    std::string call = conv;
    call.replace(call.find("STRIDES"), 7, strides);
    expect_proved(call + "assert_size_stride(buf0, (1, 4, 2, 3), (24, 6, 3, 1))\nreturn (buf0, )");
    expect_refuted("MISMATCH buf0",
                   call + "assert_size_stride(buf0, (1, 4, 3, 3), (36, 9, 3, 1))\nreturn (buf0, )");
  }
}

TEST(WrapperVerdict, E8NamesThatOneBranchOnlyBindsAreNotFollowed) {
  const std::string text = buffer("buf0") + mm("arg0_1", "buf0") + "if s0 > 4:\n    " + buffer("buf1") +
                           "    " + mm("buf0", "buf1");
  expect_proved(text + "return (buf0, )");
  const CliResult after = checked(text + "return (buf1, )");
  EXPECT_EQ(after.code, 3) << after.out << after.err;
  EXPECT_NE(after.out.find("buf1, which is bound in a branch"), std::string::npos) << after.out;
}

TEST(WrapperVerdict, C6AViewOfWhatWasGivenUpIsOneFault) {
  const std::string text = buffer("buf0") + mm("arg0_1", "buf0") + buffer("buf1");
  const std::string use = mm("reinterpret_tensor(buf0, (4, 4), (4, 1), 0)", "buf1");
  expect_proved(text + use + "del buf0\nreturn (buf1, )");
  const CliResult early = checked(text + "del buf0\n" + use + "return (buf1, )");
  EXPECT_NE(early.out.find("[1] DEAD buf0"), std::string::npos) << early.out;
  EXPECT_EQ(early.out.find("[2]"), std::string::npos) << early.out;
}

TEST(WrapperVerdict, C6NamesThatOneBranchGivesUp) {
  const std::string text = buffer("buf0") + mm("arg0_1", "buf0");
  expect_refuted("DEAD buf0", text + "if s0 > 4:\n    del buf0\nelse:\n    pass\nreturn (buf0, )");
}

}  // namespace
}  // namespace bufferproof::cli
