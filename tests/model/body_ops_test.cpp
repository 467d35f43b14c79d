// Each operation's rule: shapes, and that its two index maps agree with brute force on small sizes.
#include "model/ops/op_registry.hpp"

#include <gtest/gtest.h>

#include <functional>
#include <set>

#include "model/body/builder.hpp"

namespace bufferproof::model {
namespace {

using Index = std::vector<std::int64_t>;
using Sizes = std::vector<SymExpr>;
using Ints = std::vector<std::int64_t>;

void walk(const Box& box, Index& at, const std::function<void(const Index&)>& visit) {
  if (at.size() == box.axes.size()) return visit(at);
  const Interval& axis = box.axes[at.size()];
  for (std::int64_t i = *axis.begin.constant(); i < *axis.end.constant(); i += axis.step) {
    at.push_back(i);
    walk(box, at, visit);
    at.pop_back();
  }
}

std::set<Index> elements(const BoxParts& parts) {
  std::set<Index> out;
  for (const BoxPart& part : parts) {
    Index at;
    walk(part.box, at, [&](const Index& index) { out.insert(index); });
  }
  return out;
}

Box single(const Index& index) {
  Box box;
  for (std::int64_t i : index) box.axes.push_back({i, i + 1, 1});
  return box;
}

struct Sample {
  std::string op;
  std::vector<TensorType> operands;
  Attributes attributes;
};

Sample convolution(std::int64_t stride, std::int64_t padding, std::int64_t dilation, std::int64_t groups,
                   std::int64_t kernel) {
  return {"convolution",
          {{DType::f32, {1, 4, 5, 6}}, {DType::f32, {4, 4 / groups, kernel, kernel}}, {DType::f32, {4}}},
          {{"stride", Ints{stride, stride}},
           {"padding", Ints{padding, padding}},
           {"dilation", Ints{dilation, dilation}},
           {"groups", groups}}};
}

Sample pool(const std::string& name, std::int64_t kernel, std::int64_t stride, std::int64_t padding,
            std::int64_t dilation) {
  Attributes attributes{{"kernel", Ints{kernel, kernel}},
                        {"stride", Ints{stride, stride}},
                        {"padding", Ints{padding, padding}},
                        {"ceil_mode", std::int64_t{0}}};
  if (name == "max_pool2d") attributes["dilation"] = Ints{dilation, dilation};
  if (name == "avg_pool2d") attributes["count_include_pad"] = std::int64_t{1};
  return {name, {{DType::f32, {1, 2, 5, 6}}}, attributes};
}

std::vector<Sample> samples() {
  TensorType x{DType::f32, {2, 6}};
  TensorType mask{DType::i1, {2, 6}};
  Attributes window{{"offsets", Sizes{0, 1}}, {"sizes", Sizes{2, 2}}, {"strides", Ints{1, 3}}};
  return {
      {"exp", {x}, {}},
      {"add", {x, x}, {}},
      {"lt", {x, x}, {}},
      {"select", {mask, x, x}, {}},
      {"cast", {x}, {{"dtype", DType::f16}, {"round", std::string("rint")}}},
      {"bitcast", {x}, {{"dtype", DType::i32}}},
      {"copy", {x}, {}},
      {"overwrite", {x, x}, {}},
      {"broadcast", {{DType::f32, {6}}}, {{"dims", Ints{1}}, {"shape", Sizes{2, 6}}}},
      {"broadcast", {{DType::f32, {2, 1}}}, {{"dims", Ints{0, 1}}, {"shape", Sizes{2, 6}}}},
      {"transpose", {{DType::f32, {2, 3, 4}}}, {{"permutation", Ints{2, 0, 1}}}},
      {"reshape", {x}, {{"shape", Sizes{2, 2, 3}}}},
      {"reshape", {{DType::f32, {2, 3, 4}}}, {{"shape", Sizes{6, 1, 4}}}},
      {"reshape", {x}, {{"shape", Sizes{3, 4}}}},
      {"slice", {x}, window},
      {"insert_slice", {{DType::f32, {2, 2}}, x}, window},
      {"concat", {x, {DType::f32, {3, 6}}}, {{"dim", std::int64_t{0}}}},
      {"pad", {x, {DType::f32, {}}}, {{"low", Sizes{1, 0}}, {"high", Sizes{0, 2}}}},
      {"reduce", {x, {DType::f32, {2}}}, {{"dims", Ints{1}}, {"fn", std::string("sum")}}},
      {"arg_reduce", {x}, {{"dim", std::int64_t{0}}, {"dtype", DType::i64}, {"fn", std::string("max")}}},
      {"cumulative",
       {x},
       {{"dim", std::int64_t{1}}, {"fn", std::string("sum")}, {"reverse", std::int64_t{0}}}},
      {"cumulative",
       {x},
       {{"dim", std::int64_t{1}}, {"fn", std::string("sum")}, {"reverse", std::int64_t{1}}}},
      {"gather", {x, {DType::i64, {2, 3}}}, {{"dim", std::int64_t{1}}}},
      {"take", {x, {DType::i64, {3}}}, {{"dim", std::int64_t{1}}}},
      {"matmul", {x, {DType::f32, {6, 3}}}, {}},
      convolution(1, 0, 1, 1, 2),
      convolution(1, 1, 1, 1, 3),
      convolution(2, 0, 1, 1, 1),
      convolution(2, 1, 1, 2, 3),
      convolution(1, 2, 2, 1, 3),
      convolution(3, 1, 1, 1, 2),
      convolution(3, 0, 2, 1, 2),
      pool("max_pool2d", 2, 2, 0, 1),
      pool("max_pool2d", 3, 2, 1, 1),
      pool("max_pool2d", 2, 1, 0, 2),
      pool("max_pool2d", 2, 3, 0, 1),
      pool("avg_pool2d", 3, 2, 1, 1),
      {"adaptive_avg_pool2d", {{DType::f32, {1, 2, 5, 7}}}, {{"output", Ints{3, 2}}}},
      {"adaptive_avg_pool2d", {{DType::f32, {1, 2, 3, 2}}}, {{"output", Ints{4, 5}}}},
  };
}

struct Built {
  TensorFunction function;
  std::size_t op;
};

TensorFunction build(const Sample& sample) {
  FunctionBuilder b("k");
  std::vector<ValueId> operands;
  for (const TensorType& type : sample.operands) operands.push_back(b.parameter("x", type));
  std::vector<ValueId> results = b.add({sample.op, operands, {}, sample.attributes, {}});
  return b.finish(results);
}

/// result element r reads operand element x <=> x undefined reaches r. Both maps must say the same, element
/// by element; inexact maps may only say more.
TEST(OpRules, SpreadAndReadsAreOneRelation) {
  for (const Sample& sample : samples()) {
    TensorFunction function = build(sample);
    OpContext context{function, function.ops.back()};
    const OpRule& rule = *OpRegistry::shipped().find(sample.op);
    for (std::size_t r = 0; r < context.op.results.size(); ++r)
      for (std::size_t k = 0; k < context.op.operands.size(); ++k) {
        std::set<std::pair<Index, Index>> by_reads;
        std::set<std::pair<Index, Index>> by_spread;
        for (const Index& out : elements({{full_box(context.result(r).shape), true}}))
          for (const Index& in : elements(rule.reads(context, r, single(out), k))) by_reads.emplace(out, in);
        for (const Index& in : elements({{full_box(context.operand(k).shape), true}}))
          for (const Index& out : elements(rule.spread(context, k, single(in), r)))
            by_spread.emplace(out, in);
        EXPECT_EQ(by_reads, by_spread) << sample.op << " operand " << k << " result " << r;
      }
  }
}

/// A box maps to the union of what its elements map to; exact results equal it, inexact ones contain it.
TEST(OpRules, BoxesMapLikeTheirElements) {
  for (const Sample& sample : samples()) {
    TensorFunction function = build(sample);
    OpContext context{function, function.ops.back()};
    const OpRule& rule = *OpRegistry::shipped().find(sample.op);
    for (std::size_t k = 0; k < context.op.operands.size(); ++k) {
      Box box = full_box(context.operand(k).shape);
      if (!box.axes.empty()) box.axes.back().begin = *box.axes.back().end.constant() / 2;
      std::set<Index> wanted;
      for (const Index& in : elements({{box, true}}))
        for (const Index& out : elements(rule.spread(context, k, single(in), 0))) wanted.insert(out);
      BoxParts parts = rule.spread(context, k, box, 0);
      std::set<Index> found = elements(parts);
      bool exact = true;
      for (const BoxPart& part : parts) exact = exact && part.exact;
      if (exact) {
        EXPECT_EQ(found, wanted) << sample.op << " operand " << k;
      }
      for (const Index& index : wanted) EXPECT_EQ(found.count(index), 1U) << sample.op << " operand " << k;
    }
  }
}

/// What a window reads, by its definition: o * stride - padding + t * dilation, inside the input.
TEST(OpRules, WindowsReadWhatTheirFormulaSays) {
  for (const Sample& sample : samples()) {
    if (sample.op != "convolution" && sample.op != "max_pool2d") continue;
    TensorFunction function = build(sample);
    OpContext context{function, function.ops.back()};
    bool conv = sample.op == "convolution";
    auto at = [&](const char* key) { return context.op.integers(key)[1]; };
    std::int64_t taps = conv ? *context.operand(1).shape[3].constant() : at("kernel");
    std::int64_t width = *context.operand(0).shape[3].constant();
    std::int64_t outputs = *context.result().shape[3].constant();
    for (std::int64_t begin = 0; begin < outputs; ++begin)
      for (std::int64_t end = begin + 1; end <= outputs; ++end) {
        std::set<std::int64_t> wanted;
        for (std::int64_t o = begin; o < end; ++o)
          for (std::int64_t t = 0; t < taps; ++t)
            if (std::int64_t i = o * at("stride") - at("padding") + t * at("dilation"); i >= 0 && i < width)
              wanted.insert(i);
        Box box = full_box(context.result().shape);
        box.axes[3] = {begin, end, 1};
        std::set<std::int64_t> found;
        BoxParts parts = OpRegistry::shipped().find(sample.op)->reads(context, 0, box, 0);
        for (const Index& index : elements(parts)) found.insert(index[3]);
        EXPECT_EQ(found, wanted) << sample.op << " outputs " << begin << " to " << end;
        for (const BoxPart& part : parts) EXPECT_TRUE(part.exact) << sample.op << part.box.str();
      }
  }
}

TEST(OpRules, EveryRuleIsSampledOrNeedsNoOperand) {
  std::set<std::string, std::less<>> sampled;
  for (const Sample& sample : samples()) sampled.insert(sample.op);
  for (const auto& [name, rule] : OpRegistry::shipped().rules()) {
    bool same_relation = rule.reads == same_box && rule.spread == same_box;
    EXPECT_TRUE(sampled.count(std::string(name)) || same_relation) << name;
  }
}

TEST(OpRules, ShapesFollowTheFormulas) {
  auto result = [](const Sample& sample) { return build(sample).result_types()[0].str(); };
  EXPECT_EQ(result({"convolution",
                    {{DType::f32, {8, 3, 224, 224}}, {DType::f32, {64, 3, 7, 7}}},
                    {{"stride", Ints{2, 2}},
                     {"padding", Ints{3, 3}},
                     {"dilation", Ints{1, 1}},
                     {"groups", std::int64_t{1}}}}),
            "f32[8, 64, 112, 112]");
  Attributes pool{{"kernel", Ints{3, 3}},
                  {"stride", Ints{2, 2}},
                  {"padding", Ints{1, 1}},
                  {"dilation", Ints{1, 1}},
                  {"ceil_mode", std::int64_t{0}}};
  EXPECT_EQ(result({"max_pool2d", {{DType::f32, {8, 64, 112, 112}}}, pool}), "f32[8, 64, 56, 56]");
  pool["ceil_mode"] = std::int64_t{1};
  pool["padding"] = Ints{0, 0};
  EXPECT_EQ(result({"max_pool2d", {{DType::f32, {1, 1, 6, 6}}}, pool}), "f32[1, 1, 3, 3]");
  EXPECT_EQ(result({"adaptive_avg_pool2d", {{DType::f32, {8, 512, 7, 7}}}, {{"output", Ints{1, 1}}}}),
            "f32[8, 512, 1, 1]");
}

TEST(OpRules, MisuseIsRefused) {
  TensorType x{DType::f32, {2, 6}};
  std::vector<Sample> wrong{
      {"add", {x, {DType::f16, {2, 6}}}, {}},
      {"add", {x, {DType::f32, {2, 5}}}, {}},
      {"exp", {{DType::i32, {2}}}, {}},
      {"and", {x, x}, {}},
      {"transpose", {x}, {{"permutation", Ints{0, 0}}}},
      {"reshape", {x}, {{"shape", Sizes{5}}}},
      {"slice", {x}, {{"offsets", Sizes{0, 5}}, {"sizes", Sizes{2, 2}}, {"strides", Ints{1, 1}}}},
      {"reduce", {x, {DType::f32, {6}}}, {{"dims", Ints{1}}, {"fn", std::string("sum")}}},
      {"reduce", {x, {DType::f32, {2}}}, {{"dims", Ints{1}}, {"fn", std::string("mean")}}},
      {"broadcast", {x}, {{"dims", Ints{1, 0}}, {"shape", Sizes{2, 6}}}},
      {"matmul", {x, x}, {}},
      {"pad", {x}, {{"low", Sizes{-1, 0}}, {"high", Sizes{0, 0}}}},
      {"concat", {x}, {{"dim", std::int64_t{2}}}},
  };
  for (const Sample& sample : wrong) EXPECT_THROW(build(sample), InputError) << sample.op;
}

}  // namespace
}  // namespace bufferproof::model
