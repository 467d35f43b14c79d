// Every statement form of Inductor's wrappers, by fixture: tests/fixtures/wrappers/*.py, one per era or form.
#include "model/read/wrapper/wrapper.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

namespace bufferproof::model::wrapper {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::IsSupersetOf;
using ::testing::Not;
using ::testing::SizeIs;

std::string fixture(const std::string& name) {
  std::ifstream file(std::string(TESTS_DIR) + "/fixtures/wrappers/" + name + ".py");
  EXPECT_TRUE(file) << name;
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

Program read(const std::string& name) { return read_wrappers(fixture(name), name + ".py").at(0); }
Program read_text(const std::string& text) { return read_wrappers(text, "w.py").at(0); }

/// The body of `call(args)` with these statements.
Program read_body(const std::string& statements) {
  return read_text(
      "import torch\nempty_strided_cpu = torch._C._dynamo.guards._empty_strided_cpu\n"
      "reinterpret_tensor = torch._C._dynamo.guards._reinterpret_tensor\n"
      "def call(args):\n    arg0_1, = args\n    args.clear()\n" +
      statements);
}

std::string error(const std::string& text) {
  try {
    read_text(text);
  } catch (const InputError& e) {
    return e.what();
  }
  return "no error";
}

// One line per step, written for these tests.

std::string join(const std::vector<std::string>& parts) {
  std::string out;
  for (const std::string& part : parts) out += (out.empty() ? "" : ", ") + part;
  return out;
}

std::string shape(const std::optional<Layout>& layout, const std::optional<DType>& dtype) {
  return (layout ? layout->str() : std::string("?")) + (dtype ? " " + std::string(name(*dtype)) : "");
}

struct Line {
  std::string operator()(const Alloc& s) const {
    return (s.init == Init::input ? "input " : "alloc ") + s.name.str() + " " + shape(s.layout, s.dtype);
  }
  std::string operator()(const View& s) const {
    return (s.pool_slice ? "slice " : "view ") + s.name.str() + " of " + s.base.str() + " " +
           shape(s.layout, s.dtype) + (s.absolute_offset ? " absolute" : "") +
           (s.unknown_layout ? " unknown" : "");
  }
  std::string operator()(const Bind& s) const {
    return (s.kind == Bind::Kind::rename  ? "rename "
            : s.kind == Bind::Kind::reuse ? "reuse "
                                          : "alias ") +
           s.name.str() + " = " + s.source.str();
  }
  std::string operator()(const Launch& s) const {
    std::vector<std::string> arguments, outputs;
    for (const Argument& a : s.arguments) arguments.push_back(a.scalar ? a.scalar->str() : a.handle.str());
    for (const Variant& variant : s.variants)
      for (const Clause& clause : variant.clauses) {
        static const char* const kKinds[] = {"read ", "write ", "accumulate ", "modify ", "unknown "};
        arguments.push_back(kKinds[static_cast<int>(clause.kind)] + clause.buffer.str());
      }
    for (const Name& output : s.outputs) outputs.push_back(output.str());
    return s.kernel.str() + "(" + join(arguments) + ")" + (outputs.empty() ? "" : " -> " + join(outputs)) +
           (s.stream == Name("default") ? "" : " on " + s.stream.str());
  }
  std::string operator()(const Free& s) const {
    std::vector<std::string> names;
    for (const Name& n : s.names) names.push_back(n.str());
    return "free " + join(names);
  }
  std::string operator()(const Return& s) const {
    std::vector<std::string> names;
    for (const Return::Item& item : s.items) names.push_back(item.name.str());
    return "return " + join(names) + (s.stream == Name("default") ? "" : " on " + s.stream.str());
  }
  std::string operator()(const AssertLayout& s) const {
    return "assert " + s.name.str() + " " + shape(s.layout, s.dtype);
  }
  std::string operator()(const Unsupported& s) const {
    std::vector<std::string> names;
    for (const Name& n : s.touched) names.push_back(n.str());
    return "unsupported " + s.what + ": " + join(names);
  }
  std::string operator()(const Signal& s) const {
    return "signal " + s.event.str() + " on " + s.stream.str();
  }
  std::string operator()(const Wait& s) const { return "wait " + s.event.str() + " on " + s.stream.str(); }
  std::string operator()(const HostSync& s) const { return "sync " + s.stream.str(); }
  std::string operator()(const Branch& s) const { return "if " + s.condition.str(); }
  std::string operator()(const Loop& s) const { return "loop " + s.count.str(); }
  std::string operator()(const Point& s) const { return "point " + s.handle.str() + " to " + s.target.str(); }
  template <typename Other>
  std::string operator()(const Other&) const {
    return "other";
  }
};

void append_lines(const Block& block, const std::string& indent, std::vector<std::string>& out) {
  for (const Step& step : block) {
    out.push_back(indent + std::visit(Line{}, step.node));
    if (const auto* branch = std::get_if<Branch>(&step.node)) {
      append_lines(branch->then_block, indent + "  ", out);
      out.push_back(indent + "else");
      append_lines(branch->else_block, indent + "  ", out);
    }
    if (const auto* loop = std::get_if<Loop>(&step.node)) append_lines(loop->body, indent + "  ", out);
  }
}

std::vector<std::string> lines(const Program& program) {
  std::vector<std::string> out;
  append_lines(program.body, "", out);
  return out;
}

std::vector<std::string> unsupported(const Program& program) {
  std::vector<std::string> out;
  for (const std::string& line : lines(program))
    if (line.find("unsupported") != std::string::npos) out.push_back(line);
  return out;
}

/// Lines of a program that read_body made, without its input.
std::vector<std::string> body_lines(const std::string& statements) {
  std::vector<std::string> out = lines(read_body(statements));
  out.erase(out.begin());
  return out;
}

// ---- whole files of each era

TEST(ReadWrapper, MlirStatic) {
  const Program program = read("mlir_static");
  EXPECT_THAT(
      lines(program),
      ElementsAre("input arg0_1 (4, 8)[8, 1] f32", "input arg1_1 (4, 8)[8, 1] f32",
                  "alloc buf0 (4, 8)[8, 1] f32", "mlir_fused_add_0(arg0_1, arg1_1, buf0) -> buf0",
                  "free arg0_1", "view buf0.view of buf0 (2, 4, 4)[16, 4, 1]",
                  "view arg1_1.view of arg1_1 (2, 4, 4)[16, 4, 1]", "alloc buf1 (2, 4, 4)[16, 4, 1] f32",
                  "torch.ops.aten.bmm.default(read buf0.view, read arg1_1.view, write buf1) -> buf1",
                  "free buf0.view, arg1_1.view", "free buf0", "rename buf2 = buf1", "rename buf2#2 = buf2",
                  "view buf3 of buf2#2 (4, 8)[8, 1]", "free buf2#2", "alloc buf4 (4, 8)[8, 1] f16",
                  "mlir_fused__to_copy_1(buf3, buf4) -> buf4", "free buf3", "return buf4"));
  ASSERT_EQ(program.kernels.size(), 2U);
  EXPECT_EQ(program.kernels[0].kind, KernelKind::mlir_auto_fallback);
  EXPECT_EQ(program.kernels[0].num_outputs, 1);
  EXPECT_EQ(program.kernels[0].traced_graph_hash, "cabc");
  EXPECT_THAT(program.kernels[0].text, HasSubstr("func.func @mlir_fused_add_0"));
  EXPECT_EQ(program.kernels[0].text_where.line, 15);
  EXPECT_EQ(program.kernels[1].kind, KernelKind::import_fx);
  EXPECT_THAT(program.kernels[1].docstring, HasSubstr("torch.ops.aten._to_copy"));
  EXPECT_TRUE(program.kernels[1].text.empty());
}

TEST(ReadWrapper, MlirDynamicSizesMutatedInputAndHelperSymbols) {
  const Program program = read("mlir_dynamic");
  EXPECT_THAT(lines(program),
              ElementsAre("input arg2_1 (s0, s1)[s1, 1] f16", "input arg3_1 (s1, s0)[1, s1] f32",
                          "view arg3_1 (caller) of arg3_1 ?", "alloc buf0 (s0, s1)[s1, 1] f32",
                          "alloc buf1 (s1, s0 + 1)[s0 + 1, 1] bf16",
                          "mlir_fused_mul_0(arg2_1, s0, s1, 64*s0, buf0, buf1) -> buf0, buf1",
                          "mlir_fused_add_1(arg3_1, buf0, arg3_1) -> arg3_1", "free arg3_1",
                          "return buf0, buf1, arg3_1 (caller)"));
  ASSERT_EQ(program.symbols.size(), 2U);
  EXPECT_EQ(program.symbols[0].lo, 2);
  EXPECT_EQ(program.symbols[0].value, 96);
  EXPECT_TRUE(program.kernels[0].dynamic);
  EXPECT_THAT(program.kernels[1].mutated_indices, ElementsAre(0, 2));
  EXPECT_EQ(program.kernels[1].name, "mlir_fused_add_1");  // bound by target, the text says 'mlir_'
  EXPECT_THAT(
      program.assumptions,
      ElementsAre("input sizes that equal a dynamic size's example value are that size: arg2_1, arg3_1"));
}

TEST(ReadWrapper, Torch20TritonWithSizesFromTensors) {
  EXPECT_THAT(lines(read("torch20_triton")),
              ElementsAre("input arg0_1 ? f32", "input arg1_1 ?", "input arg2_1 ?",
                          "alloc buf0 (s0, 16)[16, 1] f32", "triton__0(arg0_1, buf0, 16*s0) -> buf0",
                          "free arg0_1", "alloc buf1 (8, 64, 16, 16)[16384, 256, 16, 1]",
                          "torch.ops.aten.convolution(read arg1_1, read arg2_1, write buf1) -> buf1",
                          "assert buf1 (8, 64, 16, 16)[16384, 256, 16, 1]", "rename buf0#2 = buf0",
                          "view buf2 of buf0#2 (16*s0)[1]", "free buf0#2", "return buf2, buf1"));
}

TEST(ReadWrapper, Torch22CppWithCtypesArguments) {
  const Program program = read("torch22_cpp");
  EXPECT_THAT(lines(program),
              ElementsAre("input arg1_1 ? f32", "input arg2_1 ? i1", "alloc buf0 (s0, 640)[640, 1] f32",
                          "extern_kernels.addmm(read arg1_1, read arg1_1, read arg1_1, write buf0) -> buf0",
                          "rename buf1 = buf0", "alloc buf2 (s0, 640)[640, 1] u8",
                          "cpp_fused_add_0(buf1, arg1_1, arg2_1, buf2, s0) -> buf1, buf2",
                          "view buf1.view of buf1 (640*s0)[1]", "return buf1.view, buf2"));
}

TEST(ReadWrapper, Torch24Triton) {
  EXPECT_THAT(
      lines(read("torch24_triton")),
      ElementsAre(
          "input primals_1 (64, 2048)[2048, 1] f32", "input primals_2 (64)[1] f32",
          "input primals_3 (64, 64)[64, 1] f16", "view primals_2 (caller) of primals_2 ?",
          "assert primals_1 (64, 2048)[2048, 1]", "assert primals_2 (64)[1]",
          "assert primals_3 (64, 64)[64, 1]", "alloc buf0 (64, 1)[1, 64] f32",
          "extern_kernels.mm(read primals_3, read primals_3, write buf0) -> buf0", "rename buf0#2 = buf0",
          "view buf1 of buf0#2 (64, 1)[1, 1]", "free buf0#2", "alloc workspace_0 (64)[1] u8",
          "torch.ops.aten.zero_(write workspace_0) -> workspace_0",
          "triton_red_fused_norm_0(buf1, primals_1, primals_2, primals_2, 64, 2048) -> buf1, primals_2",
          "free workspace_0", "alloc buf2 (64, 64)[64, 1] f16",
          "triton_tem_fused_mm_1(primals_3, primals_3, buf2, 1, 1, 1) -> buf2",
          "view buf2.view of buf2 (1, 1, 64, 64)[4096, 4096, 64, 1]",
          "alloc buf3[0] (1, 1, 32, 32)[1024, 1024, 32, 1] f16",
          "alloc buf3[1] (1, 1, 32, 32)[1024, 1024, 32, 1] i64",
          "torch.ops.aten.max_pool2d_with_indices.default(read buf2.view, write buf3[0], write buf3[1]) -> "
          "buf3[0], buf3[1]",
          "free buf2.view", "alias buf4 = buf3[0]", "assert buf4 (1, 1, 32, 32)[1024, 1024, 32, 1]",
          "alias buf5 = buf3[1]", "assert buf5 (1, 1, 32, 32)[1024, 1024, 32, 1]", "free buf3[0], buf3[1]",
          "view buf2.view#2 of buf2 (32, 64)[64, 1]+2048", "view buf6 of buf2.view#2 (32, 64)[64, 1] i16",
          "free buf2.view#2", "torch.ops.aten.index_put_(read buf2, read primals_2, read buf4, modify buf2)",
          "return primals_1, buf1, buf2, buf4, buf5, buf4, buf6, primals_2 (caller)"));
}

TEST(ReadWrapper, RunnerPartitionsPoolsAliasSlicesUnbackedSizes) {
  const Program program = read("torch29_runner");
  EXPECT_THAT(
      lines(program),
      ElementsAre(
          "input arg1_1 (s77, 8)[8, 1] f32", "assert arg1_1 (s77, 8)[8, 1]",
          "alias partition0_args[0] = arg1_1", "free arg1_1", "alias partition_0.arg1_1 = partition0_args[0]",
          "free partition0_args[0]", "alloc partition_0.buf2 (2*s77, 8)[8, 1] f32",
          "view partition_0.buf0 of partition_0.buf2 (s77, 8)[8, 1]",
          "view partition_0.buf1 of partition_0.buf2 (s77, 8)[8, 1]+8*s77",
          "cpp_fused_sin_0(partition_0.arg1_1, partition_0.buf0, partition_0.buf1, s77) -> "
          "partition_0.buf0, partition_0.buf1",
          "free partition_0.arg1_1", "alias buf2 = partition_0.buf2", "free partition_0.buf2",
          "free partition_0.buf0, partition_0.buf1", "alloc pool1 (128*s77)[1] u8",
          "slice buf3 of pool1 (2*s77, 8)[8, 1] f32", "slice buf4 of pool1 (2*s77, 8)[8, 1]+16*s77 f32",
          "extern_kernels.mm(read buf2, read buf2, write buf3) -> buf3",
          "extern_kernels.mm(read buf3, read buf2, write buf4) -> buf4", "alloc buf5 (u0, 2)[2, 1]",
          "torch.ops.aten.nonzero.default(read buf4, write buf5) -> buf5", "alias buf6 = buf5",
          "assert buf6 (u0, 2)[2, 1]", "free pool1, buf3", "return buf4, buf6"));
  EXPECT_EQ(program.find_symbol("s77")->value, 5);
  EXPECT_EQ(program.find_symbol("u0")->lo, 1);
  EXPECT_EQ(program.find_symbol("u0")->hi, 32);
}

TEST(ReadWrapper, ReformattedTritonFunctions) {
  const Program program = read("reformatted_triton");
  EXPECT_THAT(
      lines(program),
      ElementsAre("input arg0_1 ?", "alloc buf0 (1024)[1] f32", "scale_kernel(arg0_1, buf0, 1024) -> buf0",
                  "triton_poi_fused_add_0(buf0, arg0_1, 1024) -> buf0", "free arg0_1", "return buf0"));
}

TEST(ReadWrapper, BranchesLoopsAndSubgraphs) {
  const Program program = read("control_flow");
  EXPECT_THAT(unsupported(program), IsEmpty());
  EXPECT_THAT(lines(program),
              IsSupersetOf({"item(read arg0_1)", "sync default",
                            "  alloc true_graph_0.true_graph_0_buf0 (4, 4)[4, 1] f32",
                            "  alias buf0[0] = true_graph_0.true_graph_0_buf0",
                            "  alias buf0[0]#2 = false_graph_0.false_graph_0_buf0",
                            "  alias buf0[0]#3 = buf0[0]", "  alias buf0[0]#3 = buf0[0]#2",
                            "alias buf1 = buf0[0]#3", "bool(read should_loop)", "loop iterations",
                            "  torch.ops.aten.relu.default(read while_loop_body_graph_0.arg1_1, write "
                            "while_loop_body_graph_0.buf1) -> "
                            "while_loop_body_graph_0.buf1",
                            "loop iterations#2", "alias buf9[0] = result#2"}));
  // Both ends of a loop body are one name: what the loop finds and what it leaves.
  const auto all = lines(program);
  EXPECT_THAT(all, Contains("alias buf2[1]#5 = buf2[1]#4"));
  EXPECT_THAT(all, Contains("  alias buf2[1]#5 = buf2[1]#6"));
  EXPECT_THAT(all, Contains("alias buf3 = buf2[1]#5"));
}

/// A counter in a loop: `first` says how it begins, and the loop runs while `test` of it holds.
Program counting_loop(const std::string& first) {
  const std::string kernel = "async_compile = torch._inductor.async_compile.AsyncCompile()\n";
  const auto text = [](const std::string& name, const std::string& parameters) {
    return name + " = async_compile.cpp_pybinding([" + parameters + "], '''\nextern \"C\" void kernel(" +
           (parameters.find("const") != std::string::npos ? "const int64_t* in_ptr0, bool* out_ptr0"
                                                          : "int64_t* out_ptr0") +
           ")\n{ }\n''')\n";
  };
  return read_text("import torch\nempty_strided_cpu = torch._C._dynamo.guards._empty_strided_cpu\n" + kernel +
                   text("zero", "'int64_t*'") + text("less", "'const int64_t*', 'bool*'") +
                   "def call(args):\n    arg0_1, = args\n    args.clear()\n"
                   "    buf0 = empty_strided_cpu((), (), torch.int64)\n    zero(buf0)\n" +
                   first +
                   "    buf1 = empty_strided_cpu((), (), torch.bool)\n    less(buf0, buf1)\n"
                   "    should_loop = buf1\n"
                   "    if not should_loop:\n        buf2 = arg0_1.clone()\n"
                   "    while should_loop:\n"
                   "        buf3 = empty_strided_cpu((), (), torch.bool)\n        less(buf0, buf3)\n"
                   "        should_loop = buf3\n"
                   "    return (buf0, )\n");
}

TEST(ReadWrapper, LoopsThatConstantsEnterRunAtLeastOnce) {
  const Program program = counting_loop("");
  ASSERT_NE(program.find_symbol("iterations"), nullptr);
  EXPECT_EQ(program.find_symbol("iterations")->lo, 1);
  EXPECT_THAT(program.assumptions,
              ElementsAre(HasSubstr("runs at least once: its first test 'should_loop'")));
  EXPECT_THAT(lines(program), Not(Contains(HasSubstr("clone"))));
}

TEST(ReadWrapper, LoopsThatInputsEnterMayNotRun) {
  for (const char* const first : {"    less(arg0_1, buf0)\n", "    buf0.copy_(arg0_1)\n",
                                  "    if arg0_1.item() > 0:\n        zero(buf0)\n"}) {
    const Program program = counting_loop(first);
    ASSERT_NE(program.find_symbol("iterations"), nullptr) << first;
    EXPECT_EQ(program.find_symbol("iterations")->lo, 0) << first;
    EXPECT_THAT(program.assumptions, Not(Contains(HasSubstr("runs at least once")))) << first;
    EXPECT_THAT(lines(program), Contains(HasSubstr("clone"))) << first;
  }
}

TEST(ReadWrapper, StreamsEventsCollectivesAndTheStaleStreamVariable) {
  const Program program = read("streams");
  EXPECT_THAT(
      lines(program),
      IsSupersetOf(
          {"mlir_fused_add_0(arg0_1, buf0) -> buf0", "signal e0 on default", "wait e0 on 1",
           "mlir_fused_add_0(buf0, buf4) -> buf4 on 1", "mlir_fused_add_0(buf4, buf6) -> buf6 on 1",
           "signal main_event on 2", "wait main_event on host", "wait collective_begin on collectives",
           "torch.ops._c10d_functional.all_reduce_.default(read buf6, write buf6) -> buf6 on collectives",
           "wait collective_done on 2", "wait collective_done#2 on 2", "return buf8 on 2"}));
  EXPECT_THAT(unsupported(program), IsEmpty());
  ASSERT_EQ(program.risks.size(), 1U);  // B9: the second switch without a new get_raw_stream
  EXPECT_EQ(program.risks[0].label, "B9");
  EXPECT_EQ(program.risks[0].where.line, 24);
}

TEST(ReadWrapper, OperatorWithoutSchemaLeavesItsArgumentsUnknown_E8) {
  const Program program = read("custom_op");
  EXPECT_THAT(
      lines(program),
      ElementsAre(
          "input arg0_1 ?", "input constant0 ?", "alloc buf0 (4, 128)[128, 1] u8", "alloc buf1 (4)[1] f32",
          "torch.ops._C.per_token_group_fp8_quant.default(unknown arg0_1, unknown buf0, unknown buf1)",
          "alloc buf2 ?", "torch.ops.aten.add.Tensor(read buf1, read constant0, write buf2) -> buf2",
          "return buf0, buf2"));
}

TEST(ReadWrapper, UserSchemaTellsWhatACustomOperatorWrites_E8) {
  SchemaTable schemas = SchemaTable::shipped();
  schemas.add(
      "_C::per_token_group_fp8_quant(Tensor x, Tensor(a!) out, Tensor(b!) scale, int g, float e) -> ()\n",
      "ops.txt");
  const Program program = read_wrappers(fixture("custom_op"), "w.py", schemas).at(0);
  EXPECT_THAT(lines(program), Contains("torch.ops._C.per_token_group_fp8_quant.default(read arg0_1, write "
                                       "buf0, write buf1) -> buf0, buf1"));
  EXPECT_THAT(program.assumptions, Contains(HasSubstr("stores to all of its argument 'out'")));
}

TEST(ReadWrapper, DvmKernels) {
  EXPECT_THAT(lines(read("dvm")),
              ElementsAre("input arg0_1 ?", "alloc buf0 (8)[1] f32", "dvm_fused_add_0(arg0_1, buf0) -> buf0",
                          "alloc buf1[0] ?", "alloc buf1[1] ?",
                          "dvm_fused_graph_1(buf0, buf1[0], buf1[1]) -> buf1[0], buf1[1]",
                          "alias buf2 = buf1[0]", "alias buf3 = buf1[1]", "return buf2, buf3"));
}

TEST(ReadWrapper, WhatIsNotUnderstoodIsSaidAndTouchesWhatItNames) {
  const Program program = read("outside");
  EXPECT_THAT(
      unsupported(program),
      ElementsAre("unsupported the call mystery: buf0", "unsupported the call mystery: arg0_1, buf1",
                  "unsupported a for loop: buf0",
                  "unsupported the operator aten::resize_, which changes a tensor's storage: arg0_1"));
  EXPECT_EQ(program.body[2].where.str(), "outside.py:8:5");
}

// ---- single statements

TEST(ReadWrapper, NamesOfOneTensor) {
  EXPECT_THAT(
      body_lines(
          "    b = arg0_1; del arg0_1  # reuse\n    c = b\n    d = c  # reuse\n    del c\n    return b, d\n"),
      ElementsAre("rename b = arg0_1", "alias c = b", "rename d = c", "return b, d"));
}

TEST(ReadWrapper, UseAfterDeleteAndDoubleDeleteReachTheEngines) {
  EXPECT_THAT(body_lines("    b = arg0_1\n    del b\n    del b\n    return (b, )\n"),
              ElementsAre("alias b = arg0_1", "free b", "free b", "return b"));
  EXPECT_THAT(body_lines("    return (torch.ops.aten.relu.default(never), )\n"),
              ElementsAre("alloc result ?", "torch.ops.aten.relu.default(read never, write result) -> result",
                          "return result"));
}

TEST(ReadWrapper, RebindingANameFreesWhatItHeld) {
  EXPECT_THAT(
      body_lines("    b = empty_strided_cpu((2, ), (1, ), torch.int8)\n    b = None\n    return ()\n"),
      ElementsAre("alloc b (2)[1] i8", "free b", "return "));
}

TEST(ReadWrapper, OffsetsOfViewsAddUpAndAsStridedIsAbsolute) {
  EXPECT_THAT(
      body_lines("    b = reinterpret_tensor(arg0_1, (2, ), (1, ), 3)\n"
                 "    c = reinterpret_tensor(b, (2, ), (1, ), 4)\n"
                 "    d = torch.as_strided(b, (2, ), (1, ), 5)\n    e = torch.as_strided(b, (2, ), (1, ))\n"
                 "    return (c, d, e)\n"),
      ElementsAre("view b of arg0_1 (2)[1]+3", "view c of b (2)[1]+4", "view d of b (2)[1]+5 absolute",
                  "view e of b (2)[1]", "return c, d, e"));
}

TEST(ReadWrapper, C3AStridedViewOfANameThatIsGivenUpHandsTheMemoryOn) {
  EXPECT_THAT(body_lines("    b = empty_strided_cpu((4, ), (1, ), torch.float32)\n"
                         "    c = as_strided(b, (2, 2), (2, 1)); del b  # reuse\n    return (c, )\n"),
              ElementsAre("alloc b (4)[1] f32", "rename b#2 = b", "view c of b#2 (2, 2)[2, 1]", "free b#2",
                          "return c"));
}

TEST(ReadWrapper, SizeExpressions) {
  const Program program = read_body(
      "    s0 = arg0_1.size(0)\n    s1 = arg0_1.size(1)\n"
      "    b = empty_strided_cpu((8*s0, (s1 + 1) // 2, max(1, s0), s0**2, -1 + s0, math.trunc(IntTrueDiv(s0, "
      "3))), "
      "(1, 0, 1, 1, 1, 1), torch.float32)\n    return (b, )\n");
  const SymExpr s0 = SymExpr::symbol("s0"), s1 = SymExpr::symbol("s1");
  EXPECT_EQ(std::get<Alloc>(program.body[1].node).layout->sizes,
            (std::vector<SymExpr>{s0 * 8, floordiv(s1 + 1, 2), max(1, s0), s0 * s0, s0 - 1,
                                  SymExpr::call("trunc", {SymExpr::call("IntTrueDiv", {s0, 3})})}));
}

TEST(ReadWrapper, ScalarsFromTensors) {
  const Program program = read_body(
      "    u0 = arg0_1.item()\n    u1 = 1 if arg0_1.item() else 0\n    u2_undivided = arg0_1.item()\n"
      "    assert u2_undivided % 4 == 0, 'x'\n    u2 = u2_undivided // 4\n    assert u0 <= 7\n"
      "    b = empty_strided_cpu((u0, u1, u2), (1, 1, 1), torch.float32)\n    return (b, )\n");
  const Alloc& b = std::get<Alloc>(program.body[program.body.size() - 2].node);
  EXPECT_EQ(b.layout->sizes[0], SymExpr::symbol("u0"));
  EXPECT_EQ(b.layout->sizes[1].str(), "min(1, max(0, arg0_1_item))");
  EXPECT_EQ(b.layout->sizes[2], floordiv(SymExpr::symbol("u2_undivided"), 4));
  EXPECT_EQ(program.find_symbol("u0")->lo, 0);
  EXPECT_EQ(program.find_symbol("u0")->hi, 7);
  EXPECT_THAT(program.assumptions,
              Contains(HasSubstr("u0, a number that is read from arg0_1, is not negative")));
}

TEST(ReadWrapper, ASizeThatNothingBindsIsAssumedAndAnythingElseUnsupported) {
  const Program program =
      read_body("    b = empty_strided_cpu((s7, ), (1, ), torch.float32)\n    return (b, )\n");
  EXPECT_THAT(program.assumptions, ElementsAre("s7, which the file does not bind, is a size"));
  EXPECT_THAT(
      body_lines("    b = empty_strided_cpu((rows, ), (1, ), torch.float32)\n    return ()\n"),
      ElementsAre("alloc b ?", HasSubstr("unsupported the name rows, which nothing binds"), "return "));
}

TEST(ReadWrapper, CopiesAndRandomNumbersByMethodAndFunction) {
  EXPECT_THAT(body_lines("    b = empty_strided_cpu((2, ), (1, ), torch.int64)\n    b.copy_(arg0_1, False)\n"
                         "    aten.randint.low_out(-9223372036854775808, 9223372036854775807, [2], out=b)\n"
                         "    torch.randint(2**31, size=(), dtype=torch.int64, out=b)\n    return (b, )\n"),
              ElementsAre("alloc b (2)[1] i64", "torch.ops.aten.copy_(read arg0_1, write b) -> b",
                          "torch.ops.aten.randint.low_out(write b) -> b",
                          "torch.ops.aten.randint(write b) -> b", "return b"));
}

TEST(ReadWrapper, SetMovesTheHandle_S3) {
  EXPECT_THAT(
      body_lines("    b = empty_strided_cpu((2, ), (1, ), torch.float32)\n"
                 "    c = torch.ops.aten.set_.source_Tensor(arg0_1, reinterpret_tensor(b, (1, ), (1, ), 1))\n"
                 "    return (c, )\n"),
      ElementsAre("alloc b (2)[1] f32", "view b.view of b (1)[1]+1", "point arg0_1 to b.view",
                  "alias c = arg0_1", "free b.view", "return c"));
}

TEST(ReadWrapper, TypesTheModelDoesNotHaveCountByTheirSize) {
  EXPECT_THAT(
      body_lines(
          "    b = empty_strided_cpu((2, ), (1, ), torch.float8_e4m3fn)\n"
          "    c = torch.ops.aten.view.dtype(b, torch.uint8)\n"
          "    d = torch.ops.aten.view.dtype(reinterpret_tensor(arg0_1, (2, ), (1, ), 0), torch.complex64)\n"
          "    return (c, d)\n"),
      ElementsAre("alloc b (2)[1] u8", "view c of b (2)[1] u8", "view arg0_1.view of arg0_1 (2)[1]",
                  "view d of arg0_1.view ? i64 unknown", "free arg0_1.view", "return c, d"));
}

TEST(ReadWrapper, NanAssertsOnlyRead) {
  EXPECT_THAT(body_lines("    assert not arg0_1.isnan().any().item()\n    return_vars = (arg0_1, )\n"
                         "    for var in return_vars:\n        if isinstance(var, torch.Tensor):\n"
                         "            assert not var.isnan().any().item()\n    return return_vars\n"),
              ElementsAre("assert(read arg0_1)", "sync default", "alias return_vars[0] = arg0_1",
                          "assert(read return_vars[0])", "sync default", "return return_vars[0]"));
}

TEST(ReadWrapper, TORCH_LOGS_TextWithTwoPrograms) {
  std::string log;
  const std::string prefix =
      "V0801 12:00:00.123000 1234 torch/_inductor/graph.py:2104] [0/0] [__output_code] ";
  for (int i = 0; i < 2; ++i) {
    log += prefix + "Output code: \n";
    std::stringstream text(fixture("mlir_static"));
    for (std::string line; std::getline(text, line);) log += prefix + line + "\n";
    log += "I0801 12:00:00.123000 1234 torch/other.py:1] [0/0] another line\n";
  }
  const std::vector<Program> programs = read_wrappers(log, "log.txt");
  ASSERT_EQ(programs.size(), 2U);
  EXPECT_EQ(lines(programs[0]), lines(read("mlir_static")));
  EXPECT_EQ(lines(programs[1]), lines(programs[0]));
  EXPECT_EQ(programs[0].body[0].where.line, 42);
  EXPECT_GT(programs[1].body[0].where.line, 100);
}

TEST(ReadWrapper, WhatOnlyOneWayThroughABranchMakesOrKeepsEndsWithIt) {
  EXPECT_THAT(body_lines("    if arg0_1.item():\n        b = torch.ops.aten.relu.default(arg0_1)\n        "
                         "del arg0_1\n    else:\n"
                         "        pass\n    return ()\n"),
              ElementsAre("item(read arg0_1)", "sync default", HasSubstr("if "), "  alloc b ?",
                          "  torch.ops.aten.relu.default(read arg0_1, write b) -> b", "  free arg0_1",
                          "  free b", "else", "  free arg0_1", "return "));
  EXPECT_THAT(body_lines("    u0 = arg0_1.size(0)\n    while u0 > 1:\n        b = "
                         "torch.ops.aten.relu.default(arg0_1)\n    return ()\n"),
              ElementsAre("loop iterations", "  alloc b ?",
                          "  torch.ops.aten.relu.default(read arg0_1, write b) -> b", "  free b", "return "));
}

TEST(ReadWrapper, ALoopLeftInItsMiddleIsUnsupportedAndWhatFollowsIsRead) {
  EXPECT_THAT(
      body_lines("    u0 = arg0_1.item()\n    while u0 > 1:\n        u0 = arg0_1.item()\n        break\n"
                 "    b = reinterpret_tensor(arg0_1, (1, ), (1, ), 0)\n    return (b, )\n"),
      ElementsAre("item(read arg0_1)", "sync default",
                  "unsupported a loop that is left in its middle: arg0_1", "view b of arg0_1 (1)[1]",
                  "return b"));
  EXPECT_THAT(body_lines("    while True:\n        if arg0_1.item():\n            return (arg0_1, )\n        "
                         "if u0 > 1: break\n"
                         "    return ()\n"),
              Contains(HasSubstr("unsupported")));
}

// ---- bad input

TEST(ReadWrapper, ErrorsSayWhereAndWhat) {
  EXPECT_THAT(error("x = 1\n"), HasSubstr("w.py:1:1: expected an entry point 'def call(args)'"));
  EXPECT_THAT(error("def call(args):\n    a, = args\n"), HasSubstr("expected a 'return' at the end of call"));
  EXPECT_THAT(error("def call(args):\n    a = empty_strided_cpu((2**16 * 999999999999999, ), (1, ), "
                    "torch.int8)\n    return (a, "
                    ")\n"),
              HasSubstr("w.py:2:5: expected sizes and offsets of 64 bits"));
  EXPECT_THAT(error("def call(args):\n    a = empty_strided_cpu((99999999999999999999, ), (1, ), "
                    "torch.int8)\n    return ()\n"),
              HasSubstr("w.py:2:28: expected an integer of 64 bits"));
  EXPECT_THAT(error("def call(args):\n    a = empty_strided_cpu((2, ), (1, 1), torch.int8)\n    return ()\n"),
              HasSubstr("expected as many strides as sizes"));
}

TEST(ReadWrapper, FunctionsThatCallEachOtherWithoutEndAreRefused) {
  EXPECT_THAT(error("def f(args):\n    return f(args)\ndef call(args):\n    return f([])\n"),
              HasSubstr("expected calls at most 64 deep"));
  std::string doubling = "def f0(args):\n    return (torch.ops.aten.zeros.default([1]), )\n";
  for (int i = 1; i < 30; ++i) {
    const std::string below = "f" + std::to_string(i - 1);
    doubling += "def f" + std::to_string(i) + "(args):\n    a = " + below + "([])\n    b = " + below +
                "([])\n    return (a[0], )\n";
  }
  EXPECT_THAT(error(doubling + "def call(args):\n    return f29([])\n"),
              HasSubstr("at most 20,000 calls of the file's own functions"));
}

TEST(ReadWrapper, NestedLoopsAreBounded) {
  std::string loops = "def call(args):\n    x = 1\n";
  std::string indent = "    ";
  for (int i = 0; i < 60; ++i) {
    loops += indent + "while u0 > x:\n";
    indent += " ";
  }
  const Program program = read_text(loops + indent + "pass\n    return ()\n");
  EXPECT_THAT(unsupported(program), SizeIs(1));
}

}  // namespace
}  // namespace bufferproof::model::wrapper
