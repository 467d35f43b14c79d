// FX text (model/read/fx) and the aten table behind it (model/read/aten).
#include <gtest/gtest.h>

#include "model/body/summary.hpp"
#include "model/read/fx/reader.hpp"

namespace bufferproof::model {
namespace {

SourceLocation origin() { return {std::make_shared<const std::string>("fx.py"), 1, 1}; }

std::string forward(std::string_view parameters, std::string_view body) {
  std::string text =
      "class <lambda>(torch.nn.Module):\n    def forward(self, " + std::string(parameters) + "):\n";
  std::size_t begin = 0;
  while (begin < body.size()) {
    std::size_t end = std::min(body.find('\n', begin), body.size());
    std::string line(body.substr(begin, end - begin));
    std::size_t first = line.find_first_not_of(' ');
    if (first != std::string::npos) text += "        " + line.substr(first) + "\n";
    begin = end + 1;
  }
  return text;
}

TensorFunction read_one(const std::string& text, const FxOptions& options = {}) {
  std::vector<BodyText> bodies = read_fx(text, origin(), options);
  EXPECT_EQ(bodies.size(), 1U);
  EXPECT_TRUE(bodies.at(0).function) << (bodies[0].unsupported ? bodies[0].unsupported->what : "");
  verify(bodies[0].function.value());
  std::string printed = print(*bodies[0].function);
  EXPECT_TRUE(same_body(*bodies[0].function, parse_tensor_function(printed))) << printed;
  return *bodies[0].function;
}

std::string types(const TensorFunction& function) {
  std::string out;
  for (const TensorType& type : function.result_types()) out += (out.empty() ? "" : " ") + type.str();
  return out;
}

bool has(const std::string& text, std::string_view part) { return text.find(part) != std::string::npos; }

TEST(FxBody, DocstringOfImportFx) {
  TensorFunction function = read_one(R"(class <lambda>(torch.nn.Module):
    def forward(self, arg0_1: "f16[1, s3]"):
        # No stacktrace found for following nodes
        _to_copy: "f32[1, s3]" = torch.ops.aten._to_copy.default(arg0_1, dtype = torch.float32);  arg0_1 = None
        return (_to_copy,)
)");
  EXPECT_EQ(types(function), "f32[1, s3]");
  EXPECT_EQ(function.ops.size(), 1U);
  EXPECT_EQ(function.ops[0].where.str(), "fx.py:4:34");
}

TEST(FxBody, WhatPyTorchKeepsForOldTexts) {
  EXPECT_EQ(types(read_one(forward(R"py(x: "u8[4, 8]")py", R"(
    any_1: "u8[4]" = torch.ops.aten.any.dim(x, 1)
    all_1: "u8[4]" = torch.ops.aten.all.dim(x, 1)
    return (any_1, all_1)
  )"))),
            "u8[4] u8[4]");
  EXPECT_EQ(types(read_one(forward(R"py(x: "f32[4, 8]", e: "f32[0]")py", R"(
    cat: "f32[4, 8]" = torch.ops.aten.cat.default([e, x], 1)
    return (cat,)
  )"))),
            "f32[4, 8]");
}

TEST(FxBody, SymbolicSizesGetitemAndKeywords) {
  TensorFunction function = read_one(forward(R"py(s0: "Sym(s0)", arg0_1: "f32[s0, 8]")py", R"(
    var_mean = torch.ops.aten.var_mean.correction(arg0_1, [1], correction = 0, keepdim = True)
    getitem: "f32[s0, 1]" = var_mean[0]
    getitem_1: "f32[s0, 1]" = var_mean[1];  var_mean = None
    sub: "f32[s0, 8]" = torch.ops.aten.sub.Tensor(arg0_1, getitem_1)
    mul_1 = s0 * 8
    view: "f32[8*s0]" = torch.ops.aten.reshape.default(sub, [mul_1])
    slice_1: "f32[8*s0 - 2]" = torch.ops.aten.slice.Tensor(view, 0, 2, 9223372036854775807)
    return (slice_1, getitem))"));
  EXPECT_EQ(types(function), "f32[8*s0 - 2] f32[s0, 1]");
}

TEST(FxBody, TypePromotionFollowsPyTorch) {
  auto result = [](std::string_view parameters, std::string_view body) {
    return types(read_one(forward(parameters, body)));
  };
  EXPECT_EQ(result(R"(a: "f16[4]", b: "f32[]")", "x = torch.ops.aten.add.Tensor(a, b)\nreturn (x,)"),
            "f16[4]");
  EXPECT_EQ(result(R"(a: "i64[4]", b: "f32[]")", "x = torch.ops.aten.mul.Tensor(a, b)\nreturn (x,)"),
            "f32[4]");
  EXPECT_EQ(result(R"(a: "f16[4]", b: "bf16[4]")", "x = torch.ops.aten.mul.Tensor(a, b)\nreturn (x,)"),
            "f32[4]");
  EXPECT_EQ(result(R"(a: "i32[4]")", "x = torch.ops.aten.mul.Tensor(a, 2.5)\nreturn (x,)"), "f32[4]");
  EXPECT_EQ(result(R"(a: "i32[4]")", "x = torch.ops.aten.div.Tensor(a, 2)\nreturn (x,)"), "f32[4]");
  EXPECT_EQ(result(R"(a: "b8[4]", b: "b8[4]")", "x = torch.ops.aten.sum.default(a)\nreturn (x,)"), "i64[]");
  EXPECT_EQ(result(R"(a: "f32[4]")", "x = torch.ops.aten.gt.Scalar(a, 0)\nreturn (x,)"), "i1[4]");
}

TEST(FxBody, A16BitNumberThatIsNotExactIsUsedInF32) {
  std::string inexact =
      print(read_one(forward(R"(a: "f16[4]")", "x = torch.ops.aten.mul.Tensor(a, 0.1)\nreturn (x,)")));
  EXPECT_TRUE(has(inexact, "mul") && has(inexact, ": f32[4]")) << inexact;
  std::string exact =
      print(read_one(forward(R"(a: "f16[4]")", "x = torch.ops.aten.mul.Tensor(a, 0.25)\nreturn (x,)")));
  EXPECT_FALSE(has(exact, "f32")) << exact;
}

TEST(FxBody, EveryCallOfTheGenerateListReads) {
  struct Case {
    std::string_view call;
    std::string_view type;
  };
  for (const Case& one :
       std::vector<Case>{{"aten.mul.Tensor(x, y)", "f32[4, 8]"},
                         {"aten.add.Tensor(x, y, alpha = 2)", "f32[4, 8]"},
                         {"aten.sub.Tensor(x, y)", "f32[4, 8]"},
                         {"aten.div.Tensor(x, y)", "f32[4, 8]"},
                         {"aten.exp.default(x)", "f32[4, 8]"},
                         {"aten.pow.Tensor_Scalar(x, 2)", "f32[4, 8]"},
                         {"aten.rsqrt.default(x)", "f32[4, 8]"},
                         {"aten.neg.default(x)", "f32[4, 8]"},
                         {"aten.lt.Scalar(x, 0)", "i1[4, 8]"},
                         {"aten.gt.Tensor(x, y)", "i1[4, 8]"},
                         {"aten.ge.Tensor(x, y)", "i1[4, 8]"},
                         {"aten.le.Tensor(x, y)", "i1[4, 8]"},
                         {"aten.eq.Scalar(x, 1.0)", "i1[4, 8]"},
                         {"aten.sigmoid.default(x)", "f32[4, 8]"},
                         {"prims.convert_element_type.default(x, torch.bfloat16)", "bf16[4, 8]"},
                         {"npu.npu_dtype_cast.default(x, torch.float16)", "f16[4, 8]"},
                         {"aten.sin.default(x)", "f32[4, 8]"},
                         {"aten.cos.default(x)", "f32[4, 8]"},
                         {"aten.reciprocal.default(x)", "f32[4, 8]"},
                         {"aten.relu.default(x)", "f32[4, 8]"},
                         {"aten.where.self(m, x, y)", "f32[4, 8]"},
                         {"aten.log.default(x)", "f32[4, 8]"},
                         {"aten.sqrt.default(x)", "f32[4, 8]"},
                         {"aten.clamp_min.default(x, 0)", "f32[4, 8]"},
                         {"aten.clamp_max.default(x, 1)", "f32[4, 8]"},
                         {"aten.bitwise_not.default(m)", "i1[4, 8]"},
                         {"aten.tanh.default(x)", "f32[4, 8]"},
                         {"aten.copy.default(x, y)", "f32[4, 8]"},
                         {"aten.copy_.default(x, y)", "f32[4, 8]"},
                         {"aten.unsqueeze.default(x, -1)", "f32[4, 8, 1]"},
                         {"aten.squeeze.dim(z, 0)", "f32[8]"},
                         {"aten.expand.default(z, [4, -1])", "f32[4, 8]"},
                         {"aten.broadcast_to.default(z, [4, 8])", "f32[4, 8]"},
                         {"aten.repeat.default(z, [3, 2])", "f32[3, 16]"},
                         {"aten.clone.default(x, memory_format = torch.contiguous_format)", "f32[4, 8]"},
                         {"aten.reshape.default(x, [2, -1])", "f32[2, 16]"},
                         {"aten.sum.dim_IntList(x, [1], True)", "f32[4, 1]"},
                         {"aten.mean.dim(x, [-1], True)", "f32[4, 1]"},
                         {"aten.mean.default(x)", "f32[]"},
                         {"aten.full.default([2, 3], 1.5, dtype = torch.float32, layout = torch.strided, "
                          "device = device(type='npu', index=0), pin_memory = False)",
                          "f32[2, 3]"},
                         {"aten.slice.Tensor(x, 1, -3, 9223372036854775807, 2)", "f32[4, 2]"},
                         {"aten.select.int(x, 0, -1)", "f32[8]"},
                         {"aten.permute.default(x, [1, 0])", "f32[8, 4]"},
                         {"aten.amax.default(x, [1], True)", "f32[4, 1]"},
                         {"aten.scalar_tensor.default(0.5, dtype = torch.float32)", "f32[]"},
                         {"aten.lift_fresh_copy.default(x)", "f32[4, 8]"},
                         {"aten.cat.default([x, y], 1)", "f32[4, 16]"},
                         {"aten.constant_pad_nd.default(x, [1, 2, -1, 0], 0.0)", "f32[3, 11]"},
                         {"aten.slice_scatter.default(x, z, 0, 1, 2)", "f32[4, 8]"},
                         {"aten.unbind.int(x)[3]", "f32[8]"},
                         {"aten.split.Tensor(x, 3, 1)[2]", "f32[4, 2]"},
                         {"aten._softmax.default(x, -1, False)", "f32[4, 8]"},
                         {"aten.mm.default(x, w)", "f32[4, 4]"},
                         {"aten.addmm.default(b, x, w)", "f32[4, 4]"},
                         {"aten.max.dim(x, 1)[1]", "i64[4]"},
                         {"aten.cumsum.default(x, 1)", "f32[4, 8]"},
                         {"aten.embedding.default(x, i)", "f32[2, 3, 8]"},
                         {"aten.gelu.default(x)", "f32[4, 8]"},
                         {"aten.arange.start_step(1, 10, 3, dtype = torch.int64)", "i64[3]"}}) {
    std::string body = "r = torch.ops." + std::string(one.call) + "\nreturn (r,)";
    EXPECT_EQ(
        types(read_one(forward(
            R"(x: "f32[4, 8]", y: "f32[4, 8]", z: "f32[1, 8]", m: "b8[4, 8]", w: "f32[8, 4]", b: "f32[4]", i: "i64[2, 3]")",
            body))),
        one.type)
        << one.call;
  }
}

TEST(FxBody, CopyIntoAnInputIsAViewOfItThatReadsOnlyTheSource) {
  BodySummary summary = summarize(read_one(forward(R"(arg0_1: "f32[4]", arg1_1: "f32[4]")", R"(
    add = torch.ops.aten.add.Tensor(arg1_1, 1)
    copy_ = torch.ops.aten.copy_.default(arg0_1, add)
    return (copy_,))")));
  EXPECT_EQ(summary.outputs[0].view_of, 0);
  EXPECT_TRUE(summary.inputs[0].reads.empty());
  EXPECT_EQ(summary.inputs[1].reads.size(), 1U);
}

TEST(B5Constants, ATensorConstantSavedAsEmptyIsAFindingALoadedOneIsNot) {
  std::string text = R"(import torch
class FxModule(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer('_tensor_constant0', torch.empty([4], dtype=torch.float32))
        LOAD

    def forward(self, arg0_1):
        _tensor_constant0 = self._tensor_constant0
        add = torch.ops.aten.add.Tensor(arg0_1, _tensor_constant0);  arg0_1 = _tensor_constant0 = None
        return (add,)
)";
  std::string bad = text;
  bad.replace(bad.find("LOAD"), 4, "pass");
  std::string good = text;
  good.replace(good.find("LOAD"), 4, "self.load_state_dict(torch.load('state_dict.pt'))");
  FxOptions options{{{DType::f32, {4}}}};
  std::vector<BodyText> refuted = read_fx(bad, origin(), options);
  ASSERT_EQ(refuted.at(0).notes.size(), 1U);
  EXPECT_EQ(refuted[0].notes[0].kind, BodyNote::Kind::uninitialised_constant);
  EXPECT_EQ(refuted[0].notes[0].where.line, 5);
  BodySummary summary = summarize(refuted[0].function.value());
  ASSERT_EQ(summary.outputs[0].undefined.size(), 1U);
  EXPECT_EQ(summary.outputs[0].undefined[0].box.str(), "[0:4]");
  std::vector<BodyText> proved = read_fx(good, origin(), options);
  EXPECT_TRUE(proved.at(0).notes.empty());
  EXPECT_TRUE(summarize(proved[0].function.value()).outputs[0].undefined.empty());
}

TEST(FxBody, ModuleFilesWithoutTypesNeedThoseOfTheKernel) {
  std::string text =
      "class M(torch.nn.Module):\n    def forward(self, a):\n        x = torch.ops.aten.exp.default(a)\n     "
      "   return (x,)\n";
  EXPECT_TRUE(read_fx(text, origin()).at(0).unsupported);
  EXPECT_EQ(types(read_one(text, {{{DType::f16, {3}}}})), "f16[3]");
}

TEST(FxBody, UnknownCallsAreValuesWrongAnnotationsAreErrors) {
  BodyText body =
      read_fx(forward(R"(a: "f32[4]")", "x = torch.ops.mylib.frob.default(a)\nreturn (x,)"), origin()).at(0);
  ASSERT_TRUE(body.unsupported);
  EXPECT_EQ(body.unsupported->what, "'mylib.frob.default'");
  EXPECT_EQ(body.unsupported->where.str(), "fx.py:3:13");
  EXPECT_THROW(
      read_fx(forward(R"(a: "f32[4]")", "x: \"f32[5]\" = torch.ops.aten.exp.default(a)\nreturn (x,)"),
              origin()),
      InputError);
  EXPECT_THROW(read_fx(forward(R"(a: "f32[4]")", "return (b,)"), origin()), InputError);
  EXPECT_THROW(read_fx("class A(:\n  def", origin()), InputError);
}

TEST(B1sStrides, EagerPermuteCloneAndReductionLayouts) {
  BodySummary summary = summarize(read_one(forward(R"(x: "f32[2, 3, s0]", y: "f32[2, s0, 3]")", R"(
    permute = torch.ops.aten.permute.default(x, [0, 2, 1])
    mul = torch.ops.aten.mul.Tensor(permute, 2.0)
    both = torch.ops.aten.add.Tensor(y, permute)
    clone = torch.ops.aten.clone.default(permute, memory_format = torch.contiguous_format)
    sum_1 = torch.ops.aten.sum.dim_IntList(permute, [2])
    return (permute, mul, both, clone, sum_1))")));
  EXPECT_EQ(summary.outputs[0].view_of, 0);
  EXPECT_EQ(summary.outputs[0].layout, EagerLayout::strided);
  SymExpr s0 = SymExpr::symbol("s0");
  EXPECT_EQ(summary.outputs[1].strides, (std::vector<SymExpr>{s0 * SymExpr(3), 1, s0}));
  EXPECT_EQ(summary.outputs[1].view_of, -1);
  // TensorIterator follows its first operand where the orders disagree.
  EXPECT_EQ(summary.outputs[2].layout, EagerLayout::contiguous);
  EXPECT_EQ(summary.outputs[3].layout, EagerLayout::contiguous);
  EXPECT_EQ(summary.outputs[4].layout, EagerLayout::contiguous);
}

}  // namespace
}  // namespace bufferproof::model
