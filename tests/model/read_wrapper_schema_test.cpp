#include "model/read/wrapper/schema.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "model/read/wrapper/operator_shapes.hpp"

namespace bufferproof::model::wrapper {
namespace {

using ::testing::HasSubstr;

TEST(OperatorSchema, MutationAliasesResults_E8) {
  const OperatorSchema schema = parse_schema(
      "my::op.two(Tensor(a!)? out, Tensor(b -> *) x, Tensor[] list, int[2] s=[1, 1], *, Scalar? c=None, "
      "Tensor(d!) o) -> "
      "(Tensor(a!), Tensor(b)[], Tensor, int)",
      {});
  EXPECT_EQ(schema.name, "my::op");
  EXPECT_EQ(schema.overload, "two");
  ASSERT_EQ(schema.arguments.size(), 6U);
  EXPECT_TRUE(schema.arguments[0].mutated);
  EXPECT_EQ(schema.arguments[0].alias, "a");
  EXPECT_EQ(schema.arguments[1].alias, "b");
  EXPECT_FALSE(schema.arguments[1].mutated);
  EXPECT_TRUE(schema.arguments[2].tensor);
  EXPECT_FALSE(schema.arguments[3].tensor);
  EXPECT_EQ(schema.arguments[3].name, "s");
  EXPECT_TRUE(schema.arguments[5].keyword_only);
  ASSERT_EQ(schema.results.size(), 4U);
  EXPECT_TRUE(schema.results[0].mutated);
  EXPECT_TRUE(schema.results[1].list);
  EXPECT_FALSE(schema.results[3].tensor);
}

TEST(OperatorSchema, MarksForWhatASchemaCannotSay) {
  const OperatorSchema schema =
      parse_schema("my::op(Tensor(a!) x, Tensor(b!) y) -> ()  # part: x  # fresh: y", {});
  EXPECT_TRUE(schema.arguments[0].part);
  EXPECT_TRUE(schema.arguments[1].fresh);
}

TEST(OperatorSchema, ShippedTable) {
  const SchemaTable& table = SchemaTable::shipped();
  EXPECT_EQ(table.find("aten::convolution_backward", "default", 0, {})->results.size(), 3U);
  EXPECT_TRUE(table.find("aten::index_put_", std::nullopt, 4, {})->arguments[0].part);
  EXPECT_TRUE(table.find("aten::copy_", "default", 2, {})->arguments[0].fresh);
  EXPECT_EQ(table.find("aten::scatter_", std::nullopt, 4, {"reduce"})->arguments.size(), 5U);
  EXPECT_EQ(table.find("aten::add", "Tensor", 2, {})->overload, "Tensor");
  EXPECT_EQ(table.find("aten::sort", std::nullopt, 2, {})->results.size(), 2U);
  EXPECT_FALSE(table.find("aten::add", "nothing", 2, {}));
  EXPECT_FALSE(table.find("aten::no_such_operator", std::nullopt, 0, {}));
  EXPECT_TRUE(table.find("_c10d_functional::all_reduce_", "default", 3, {})->arguments[0].mutated);
}

TEST(OperatorSchema, UserLinesComeFirstAndFaultsAreTold) {
  SchemaTable table = SchemaTable::shipped();
  table.add("# mine\n\naten::relu(Tensor(a!) self) -> ()\n", "ops.txt");
  EXPECT_TRUE(table.find("aten::relu", "default", 1, {})->arguments[0].mutated);
  const auto error = [&](const std::string& text) -> std::string {
    try {
      table.add(text, "ops.txt");
    } catch (const InputError& e) {
      return e.what();
    }
    return "no error";
  };
  EXPECT_THAT(error("\nfoo\n"), HasSubstr("ops.txt:2:1: expected an operator schema"));
  EXPECT_THAT(error("a::b(Tensor x"), HasSubstr("expected a bracket that closes the arguments"));
  EXPECT_THAT(error("a::b(Tensor x)"), HasSubstr("expected '->'"));
  EXPECT_THAT(error("a::b(Tensor) -> ()"), HasSubstr("expected 'TYPE NAME'"));
  EXPECT_THAT(error("a::b(Tensor x) -> () # part: y"), HasSubstr("expected an argument of a::b, found 'y'"));
}

Operand tensor(const std::string& name, std::vector<SymExpr> sizes, DType dtype = DType::f32) {
  Operand operand;
  operand.name = name;
  operand.tensor = true;
  operand.layout = contiguous(std::move(sizes));
  operand.dtype = dtype;
  return operand;
}

Operand numbers(const std::string& name, std::vector<SymExpr> values) {
  Operand operand;
  operand.name = name;
  operand.integers = std::move(values);
  return operand;
}

Operand flag(const std::string& name, bool value) {
  Operand operand;
  operand.name = name;
  operand.truth = value;
  return operand;
}

std::string shapes(std::string_view op, const std::vector<Operand>& operands) {
  std::string out;
  for (const ResultShape& shape : infer_results(op, operands))
    out += (out.empty() ? "" : " ") + (shape.layout ? shape.layout->str() : "?") +
           (shape.dtype ? ":" + std::string(name(*shape.dtype)) : "");
  return out;
}

TEST(OperatorShapes, Products) {
  const SymExpr s = SymExpr::symbol("s0");
  EXPECT_EQ(shapes("mm", {tensor("self", {s, 3}), tensor("mat2", {3, 5})}), "(s0, 5)[5, 1]:f32");
  EXPECT_EQ(shapes("bmm", {tensor("self", {2, s, 3}), tensor("mat2", {2, 3, 5})}),
            "(2, s0, 5)[5*s0, 5, 1]:f32");
  EXPECT_EQ(shapes("addmm", {tensor("self", {5}), tensor("mat1", {s, 3}), tensor("mat2", {3, 5})}),
            "(s0, 5)[5, 1]:f32");
  EXPECT_EQ(shapes("bmm", {tensor("self", {2, 3}), tensor("mat2", {2, 3, 5})}), "?:f32");
}

TEST(OperatorShapes, ConvolutionAndPooling) {
  const std::vector<Operand> conv = {tensor("input", {8, 3, 224, 224}), tensor("weight", {64, 3, 7, 7}),
                                     numbers("stride", {2, 2}),         numbers("padding", {3, 3}),
                                     numbers("dilation", {1, 1}),       flag("transposed", false)};
  EXPECT_EQ(shapes("convolution", conv), "(8, 64, 112, 112)[802816, 12544, 112, 1]:f32");
  EXPECT_EQ(
      shapes("max_pool2d_with_indices", {tensor("self", {8, 64, 112, 112}), numbers("kernel_size", {3, 3}),
                                         numbers("stride", {2, 2}), numbers("padding", {1, 1})}),
      "(8, 64, 56, 56)[200704, 3136, 56, 1]:f32 (8, 64, 56, 56)[200704, 3136, 56, 1]:i64");
  std::vector<Operand> channels_last = conv;
  channels_last[0].layout->strides = {150528, 1, 672, 3};
  EXPECT_EQ(shapes("convolution", channels_last), "?:f32");
  const ResultShape found = infer_results("convolution", channels_last).at(0);
  EXPECT_EQ(found.sizes, (std::vector<SymExpr>{8, 64, 112, 112}));
  const Layout asserted{{8, 64, 112, 112}, {802816, 1, 7168, 64}};
  EXPECT_EQ(layout_of_result(asserted, found), asserted);
  EXPECT_EQ(layout_of_result(contiguous({8, 64, 112, 113}), found), contiguous({8, 64, 112, 112}));
  EXPECT_EQ(layout_of_result(contiguous({SymExpr::symbol("s0"), 64, 112, 112}), found)->sizes[0],
            SymExpr::symbol("s0"));
}

TEST(OperatorShapes, ReductionsPredicatesFactories) {
  EXPECT_EQ(shapes("any", {tensor("self", {2, 3}, DType::f16), numbers("dim", {-1}), flag("keepdim", true)}),
            "(2, 1)[1, 1]:i1");
  EXPECT_EQ(shapes("sum", {tensor("self", {2, 3}, DType::i32)}), "()[]:i64");
  EXPECT_EQ(shapes("logical_not", {tensor("self", {2, 3})}), "(2, 3)[3, 1]:i1");
  EXPECT_EQ(shapes("full", {numbers("size", {4, 2})}), "(4, 2)[2, 1]");
  EXPECT_EQ(shapes("gather", {tensor("self", {4, 9}), tensor("index", {4, 1}, DType::i64)}),
            "(4, 1)[1, 1]:f32");
  Operand list;
  list.name = "tensors";
  list.items = {tensor("", {2, 3}), tensor("", {2, 4})};
  EXPECT_EQ(shapes("cat", {list, numbers("dim", {1})}), "(2, 7)[7, 1]:f32");
  EXPECT_EQ(shapes("no_rule", {tensor("self", {2})}), "");
}

}  // namespace
}  // namespace bufferproof::model::wrapper
