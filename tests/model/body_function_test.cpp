#include "model/tensor_function.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "model/body/builder.hpp"
#include "model/body/text_reader.hpp"

namespace bufferproof::model {
namespace {

SymExpr sym(const char* name) { return SymExpr::symbol(name); }

TensorFunction sample() {
  FunctionBuilder b("k");
  ValueId x = b.parameter("x", {DType::f32, {4, sym("s0")}});
  b.scalar_parameter("s0", DType::i64);
  ValueId one = b.number(DType::f32, 0.5, {});
  ValueId filled = b.broadcast_to(one, {4, sym("s0")}, {});
  ValueId sum = b.add("add", {x, filled}, {}, {});
  std::vector<ValueId> extreme =
      b.add({"arg_reduce",
             {sum},
             {},
             {{"dim", std::int64_t{0}}, {"dtype", DType::i64}, {"fn", std::string("max")}},
             {}});
  ValueId sliced = b.add("slice", {sum},
                         {{"offsets", std::vector<SymExpr>{0, floordiv(sym("s0"), 2)}},
                          {"sizes", std::vector<SymExpr>{4, sym("s0") - floordiv(sym("s0"), 2)}},
                          {"strides", std::vector<std::int64_t>{1, 1}}},
                         {});
  return b.finish({extreme[0], extreme[1], sliced, extreme[0]});
}

TEST(TensorFunction, PrintReadsBack) {
  TensorFunction function = sample();
  verify(function);
  std::string text = print(function);
  TensorFunction again = parse_tensor_function(text);
  EXPECT_TRUE(same_body(function, again)) << text;
  EXPECT_EQ(print(again), text);
}

/// Found by fuzzing: names of other languages must not break the notation, and a size named `%0` is no
/// number.
TEST(TensorFunction, NamesOutsideTheNotationReadBack) {
  FunctionBuilder b("m\xff<x>");
  b.scalar_parameter("0", DType::i64);
  ValueId n = b.scalar_parameter("a-b.c", DType::i64);
  ValueId x = b.parameter("\xc3\xa4", {DType::f32, {*b.value(n).integer, *b.value(n - 1).integer}});
  TensorFunction function = b.finish({x});
  TensorFunction again = parse_tensor_function(print(function));
  EXPECT_TRUE(same_body(function, again)) << print(function);
}

TEST(TensorFunction, VerifierRefusesAWrongType) {
  std::string text = print(sample());
  std::size_t at = text.find("f32[4, s0]\n");
  ASSERT_NE(at, std::string::npos);
  text.replace(at, 10, "f32[4, s9]");
  EXPECT_THROW(parse_tensor_function(text), InputError);
}

TEST(TensorFunction, VerifierRefusesUseBeforeDefinitionAndUnknownOps) {
  EXPECT_THROW(parse_tensor_function("func @k(%x: f32[2]) { %y = exp %z : f32[2] return %y }"), InputError);
  EXPECT_THROW(parse_tensor_function("func @k(%x: f32[2]) { %y = frob %x : f32[2] return %y }"), InputError);
  TensorFunction function = sample();
  std::swap(function.ops[0], function.ops[1]);
  EXPECT_THROW(verify(function), InputError);
}

TEST(TensorFunction, OpenSizesAreUnifiedAndOthersBecomeAssumptions) {
  FunctionBuilder b("k");
  SymExpr open = b.open_size("x_d0");
  ValueId x = b.parameter("x", {DType::f32, {open}});
  ValueId y = b.parameter("y", {DType::f32, {sym("s0")}});
  ValueId z = b.parameter("z", {DType::f32, {sym("s1") + SymExpr(1)}});
  ValueId sum = b.add("add", {x, y}, {}, {});
  ValueId more = b.add("add", {sum, z}, {}, {});
  TensorFunction function = b.finish({more});
  EXPECT_EQ(function.type(x).shape[0], sym("s0"));
  ASSERT_EQ(function.assumptions.size(), 1U);
  EXPECT_EQ(function.assumptions[0].evaluate({{"s0", 5}, {"s1", 4}}), true);
  EXPECT_EQ(function.assumptions[0].evaluate({{"s0", 5}, {"s1", 5}}), false);
  verify(function);
  EXPECT_TRUE(same_body(function, parse_tensor_function(print(function))));
}

TEST(TensorFunction, SizesThatCannotBeEqualAreRefused) {
  FunctionBuilder b("k");
  ValueId x = b.parameter("x", {DType::f32, {3}});
  ValueId y = b.parameter("y", {DType::f32, {4}});
  EXPECT_THROW(b.add("add", {x, y}, {}, {}), InputError);
}

TEST(TensorFunction, SizeExpressionsReadBackAsPrinted) {
  std::vector<SymExpr> sizes{sym("s0") * SymExpr(8) + SymExpr(1),    floordiv(sym("s0") + SymExpr(1), 2),
                             mod(sym("s0"), 4) - SymExpr(2),         max(1, sym("s0") * sym("s1")),
                             min(sym("s0"), sym("s1") - SymExpr(3)), -sym("s0") - SymExpr(7)};
  for (const SymExpr& size : sizes) {
    std::string text = size.str();
    mlir::Lexer lexer(text, {}, mlir::Comments::semicolon);
    EXPECT_EQ(read_size(lexer), size) << text;
    EXPECT_EQ(lexer.peek().kind, mlir::Token::Kind::end) << text;
  }
}

TEST(TensorFunction, HostileTextEndsInAnError) {
  std::string deep =
      "func @k(%x: f32[" + std::string(5000, '(') + "1" + std::string(5000, ')') + "]) { return %x }";
  EXPECT_THROW(parse_tensor_function(deep), InputError);
  std::string whole = print(sample());
  for (std::size_t cut = 0; cut + 2 < whole.size(); cut += 7)
    EXPECT_THROW(parse_tensor_function(whole.substr(0, cut)), InputError) << cut;
}

TEST(NumberBits, MatchTheHardwareForF32AndKnownF16Patterns) {
  for (double value : {0.0, -0.0, 1.0, -2.5, 0.35355339059327379, 1e-45, 1e-50, 3.5e38, 65504.0, 1e-7, 5e-324,
                       static_cast<double>(INFINITY), -static_cast<double>(INFINITY)}) {
    auto narrow = static_cast<float>(value);
    EXPECT_EQ(static_cast<std::uint32_t>(bits_of(DType::f32, value)), std::bit_cast<std::uint32_t>(narrow))
        << value;
    EXPECT_EQ(value_of_bits(DType::f32, bits_of(DType::f32, value)), static_cast<double>(narrow)) << value;
  }
  EXPECT_EQ(bits_of(DType::f16, 1.0), 0x3c00);
  EXPECT_EQ(bits_of(DType::f16, 65519.0), 0x7bff);
  EXPECT_EQ(bits_of(DType::f16, 65520.0), 0x7c00);
  EXPECT_EQ(bits_of(DType::f16, 5.960464477539063e-08), 0x0001);
  EXPECT_EQ(bits_of(DType::f16, 2.980232238769531e-08), 0x0000);  // a tie, to even
  EXPECT_EQ(bits_of(DType::bf16, 1.00390625), 0x3f80);            // a tie, to even
  EXPECT_EQ(bits_of(DType::bf16, 1.01171875), 0x3f82);
  EXPECT_TRUE(std::isnan(value_of_bits(DType::f16, bits_of(DType::f16, std::nan("")))));
}

}  // namespace
}  // namespace bufferproof::model
