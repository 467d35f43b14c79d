// In-place calls of traced graphs (model/read/aten/in_place.cpp): what their names mean afterwards.
#include <gtest/gtest.h>

#include "model/body/summary.hpp"
#include "model/read/fx/reader.hpp"

namespace bufferproof::model {
namespace {

BodyText read_text(const std::string& parameters, const std::vector<std::string>& statements) {
  std::string text = "class <lambda>(torch.nn.Module):\n    def forward(self, " + parameters + "):\n";
  for (const std::string& statement : statements) text += "        " + statement + "\n";
  return read_fx(text, {std::make_shared<const std::string>("fx.py"), 1, 1}).at(0);
}

TensorFunction read_good(const std::string& parameters, const std::vector<std::string>& statements) {
  BodyText body = read_text(parameters, statements);
  EXPECT_TRUE(body.function) << (body.unsupported ? body.unsupported->what : "");
  verify(*body.function);
  EXPECT_TRUE(same_body(*body.function, parse_tensor_function(print(*body.function))));
  return *body.function;
}

std::string refusal(const std::string& parameters, const std::vector<std::string>& statements) {
  BodyText body = read_text(parameters, statements);
  return body.unsupported ? body.unsupported->what : "read";
}

/// Names of the operations `id` is computed with, innermost last.
std::string made_by(const TensorFunction& function, ValueId id) {
  const TensorOp* op = function.producer(id);
  if (!op) return function.value(id).name;
  std::string text = op->name + "(";
  for (std::size_t i = 0; i < op->operands.size(); ++i)
    text += (i ? ", " : "") + made_by(function, op->operands[i]);
  return text + ")";
}

const std::string kTwo = R"(x: "f32[4, 8]", y: "f32[4, 8]")";

TEST(InPlace, LaterUsesOfTheNameSeeTheNewValue) {
  TensorFunction function =
      read_good(kTwo, {"a = torch.ops.aten.exp.default(x)", "b = torch.ops.aten.add_.Tensor(a, y)",
                       "c = torch.ops.aten.mul.Tensor(a, a)", "return (c, a, b)"});
  std::string sum = "overwrite(exp(x), add(exp(x), y))";
  EXPECT_EQ(made_by(function, function.results[0]), "mul(" + sum + ", " + sum + ")");
  EXPECT_EQ(function.results[1], function.results[2]) << "one tensor under two names (E4)";
}

TEST(InPlace, EachCallKeepsTheDestinationsTypeAndShape) {
  for (const char* call : {"relu_.default(a)", "mul_.Tensor(a, y)", "div_.Scalar(a, 3)", "sub_.Tensor(a, z)",
                           "clamp_.default(a, 0, 1)", "masked_fill_.Scalar(a, m, 0.0)", "fill_.Scalar(a, 2)",
                           "zero_.default(a)", "copy_.default(a, z)", "pow_.Scalar(a, 2)", "neg_.default(a)",
                           "lt_.Scalar(a, 0)", "add.out(a, y, out=a)"}) {
    TensorFunction function = read_good(
        R"(x: "f32[4, 8]", y: "f32[4, 8]", z: "f32[8]", m: "b8[4, 8]")",
        {"a = torch.ops.aten.exp.default(x)", "b = torch.ops.aten." + std::string(call), "return (a,)"});
    EXPECT_EQ(function.result_types()[0].str(), "f32[4, 8]") << call;
    EXPECT_EQ(made_by(function, function.results[0]).substr(0, 10), "overwrite(") << call;
  }
}

TEST(InPlace, ATensorThatSharesTheWrittenMemoryIsNotReadAsIfNothingHadHappened) {
  EXPECT_EQ(refusal(kTwo, {"a = torch.ops.aten.exp.default(x)", "v = torch.ops.aten.select.int(a, 0, 1)",
                           "w = torch.ops.aten.relu_.default(v)", "c = torch.ops.aten.mul.Tensor(a, y)",
                           "return (c,)"}),
            "a tensor used after an in-place call on memory it may share ('a')");
  EXPECT_EQ(
      refusal(kTwo, {"a = torch.ops.aten.exp.default(x)", "v = torch.ops.aten.permute.default(a, [1, 0])",
                     "w = torch.ops.aten.relu_.default(a)", "return (v,)"}),
      "a tensor used after an in-place call on memory it may share ('v')");
  TensorFunction fine =
      read_good(kTwo, {"a = torch.ops.aten.exp.default(x)", "w = torch.ops.aten.relu_.default(a)",
                       "v = torch.ops.aten.permute.default(a, [1, 0])", "return (v,)"});
  EXPECT_EQ(made_by(fine, fine.results[0]), "transpose(overwrite(exp(x), relu(exp(x))))");
}

TEST(InPlace, ShapeChangesAndRandomNumbersAreUnsupportedByName) {
  auto call = [](const std::string& text) {
    return refusal(kTwo, {"a = torch.ops.aten.exp.default(x)", "b = torch.ops." + text, "return (a,)"});
  };
  EXPECT_EQ(call("aten.t_.default(a)"), "'aten.t_.default': in place");
  EXPECT_EQ(call("aten.squeeze_.default(a)"), "'aten.squeeze_.default': in place");
  EXPECT_EQ(call("aten.bernoulli_.float(a, 0.5)"), "'aten.bernoulli_.float': in place");
  EXPECT_EQ(call("aten.__iand__.Tensor(a, y)"), "'aten.__iand__.Tensor'");
}

TEST(InPlace, AnInputWrittenInPlaceIsKnownWhetherItIsAResultOrNot) {  // E4
  BodySummary summary = summarize(read_good(
      kTwo, {"a = torch.ops.aten.add_.Tensor(x, y)", "b = torch.ops.aten.exp.default(x)", "return (a, b)"}));
  EXPECT_EQ(summary.inputs[0].overwritten, Overwritten::whole);
  EXPECT_EQ(summary.inputs[1].overwritten, Overwritten::none);
  EXPECT_EQ(summary.outputs[0].view_of, 0);
  BodySummary silent = summarize(read_good(kTwo, {"a = torch.ops.aten.copy_.default(x, y)",
                                                  "b = torch.ops.aten.arange.default(3)", "return (b,)"}));
  EXPECT_EQ(silent.inputs[0].overwritten, Overwritten::whole);
  EXPECT_TRUE(silent.inputs[0].reads.empty());
  EXPECT_EQ(silent.inputs[1].reads.size(), 1U) << "what is stored was read";
  BodySummary part = summarize(read_good(kTwo, {"v = torch.ops.aten.select.int(x, 0, 1)",
                                                "w = torch.ops.aten.relu_.default(v)", "return (w,)"}));
  EXPECT_EQ(part.inputs[0].overwritten, Overwritten::part);
}

TEST(Aliases, ToTheSameTypeIsTheOperandItselfACopyIsNot) {  // E4
  auto view_of = [](const std::string& call) {
    return summarize(read_good(kTwo, {"a = torch.ops.aten." + call, "return (a,)"})).outputs.at(0).view_of;
  };
  EXPECT_EQ(view_of("to.dtype(x, torch.float32)"), 0);
  EXPECT_EQ(view_of("to.dtype(x, torch.float32, False, True)"), -1);
  EXPECT_EQ(view_of("_to_copy.default(x, dtype = torch.float32)"), -1);
}

TEST(MayRead, AChoiceByContentsReadsBothSidesAChoiceByPositionMayReadEither) {  // E1, C2
  auto exact = [](const std::string& mask) {
    BodySummary summary = summarize(read_good(R"(x: "f32[8]", y: "f32[8]", m: "b8[8]")",
                                              {"i = torch.ops.aten.arange.default(8)", "n = " + mask,
                                               "w = torch.ops.aten.where.self(n, x, y)", "return (w,)"}));
    return summary.inputs.at(0).reads.at(0).exact;
  };
  EXPECT_TRUE(exact("torch.ops.aten.logical_not.default(m)"));
  EXPECT_FALSE(exact("torch.ops.aten.lt.Scalar(i, 3)"));
}

/// How the loads of the first parameter stand to the stores of the results (C4).
Within within(const std::vector<std::string>& statements) {
  return summarize(read_good(R"(x: "f32[8, 8]", y: "f32[8, 8]", z: "f32[8]", i: "i64[8, 8]")", statements))
      .inputs.at(0)
      .within;
}

TEST(InPlace, C4ElementsAreComputedFromThoseOfTheirIndex) {
  EXPECT_EQ(within({"a = torch.ops.aten.mul.Tensor(x, y)", "return (a,)"}), Within::in_place);
  EXPECT_EQ(
      within({"a = torch.ops.aten.add.Tensor(x, z)", "b = torch.ops.aten.exp.default(x)", "return (a, b)"}),
      Within::in_place);
  EXPECT_EQ(within({"a = torch.ops.aten.permute.default(x, [1, 0])", "b = torch.ops.aten.exp.default(a)",
                    "c = torch.ops.aten.permute.default(b, [1, 0])", "return (c,)"}),
            Within::in_place);
  EXPECT_EQ(within({"a = torch.ops.aten.exp.default(y)", "return (a,)"}), Within::in_place) << "not loaded";
  const BodyText column = read_text(
      R"(x: "f32[8, 1]")", {"a = torch.ops.aten.squeeze.dim(x, 1)", "b = torch.ops.aten.exp.default(a)",
                            "c = torch.ops.aten.unsqueeze.default(b, 1)", "return (c,)"});
  EXPECT_EQ(summarize(*column.function).inputs[0].within, Within::in_place);
}

TEST(InPlace, C4ElementsAreComputedFromOthers) {
  for (const char* call :
       {"permute.default(x, [1, 0])", "mm.default(x, y)", "mm.default(y, x)", "sum.dim_IntList(x, [1], True)",
        "flip.default(x, [0])", "gather.default(x, 0, i)", "cat.default([x, y])"}) {
    const BodyText body = read_text(R"(x: "f32[8, 8]", y: "f32[8, 8]", z: "f32[8]", i: "i64[8, 8]")",
                                    {"a = torch.ops.aten." + std::string(call), "return (a,)"});
    if (!body.function) continue;  // not in the table
    EXPECT_EQ(summarize(*body.function).inputs[0].within, Within::unordered) << call;
  }
  EXPECT_EQ(within({"a = torch.ops.aten.slice.Tensor(x, 0, 1, 8)", "return (a,)"}), Within::unclear)
      << "perhaps stored where it is loaded, through another layout";
  EXPECT_EQ(
      within({"a = torch.ops.aten.exp.default(x)", "b = torch.ops.aten.mm.default(x, y)", "return (a, b)"}),
      Within::unordered);
}

}  // namespace
}  // namespace bufferproof::model
