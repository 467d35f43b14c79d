#include "model/read/python/parser.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace bufferproof::model::python {
namespace {

using ::testing::HasSubstr;

SourceText source(std::string text) {
  return {std::make_shared<const std::string>("t.py"), std::move(text), {}};
}

std::string expr(const std::string& text) { return str(*parse_expression_text(source(text)).expr, 10'000); }

std::string error(const std::string& text) {
  try {
    parse_module(source(text));
  } catch (const InputError& e) {
    return e.what();
  }
  return "no error";
}

TEST(PythonParser, PrecedenceIsPythons) {
  EXPECT_EQ(expr("a + b*c**-d"), "(a + (b * (c ** (-d))))");
  EXPECT_EQ(expr("-a**2"), "(-(a ** 2))");
  EXPECT_EQ(expr("a - b - c"), "((a - b) - c)");
  EXPECT_EQ(expr("2**3**2"), "(2 ** (3 ** 2))");
  EXPECT_EQ(expr("not a == b and c or d"), "(((not (a == b)) and c) or d)");
  EXPECT_EQ(expr("a < b <= c"), "((a < b) and (b <= c))");
  EXPECT_EQ(expr("a not in b"), "(a not in b)");
  EXPECT_EQ(expr("a is not None"), "(a is not None)");
  EXPECT_EQ(expr("x | y & z << 1"), "(x | (y & (z << 1)))");
  EXPECT_EQ(expr("1 if u.item() else 0"), "(1 if u.item() else 0)");
  EXPECT_EQ(expr("(s0 + 1) // 2 % 3"), "(((s0 + 1) // 2) % 3)");
}

TEST(PythonParser, Displays) {
  EXPECT_EQ(expr("()"), "()");
  EXPECT_EQ(expr("(8, )"), "(8,)");
  EXPECT_EQ(expr("a, *b"), "(a, *b)");
  EXPECT_EQ(expr("[None] * 2"), "([None] * 2)");
  EXPECT_EQ(expr("{'a': 1, **b, 2: {3}}"), "{'a': 1, **b, 2: {3}}");
  EXPECT_EQ(expr("{0: '*f16', 2: '*!torch.int'}"), "{0: '*f16', 2: '*!torch.int'}");
  EXPECT_EQ(expr("..."), "...");
}

TEST(PythonParser, CallsSubscriptsAttributes) {
  EXPECT_EQ(expr("k.run(buf0, c_long(s0), *a, grid=grid(4), **kw)"),
            "k.run(buf0, c_long(s0), *a, grid=grid(4), **kw)");
  EXPECT_EQ(expr("kern[grid(1024)](a, b)"), "kern[grid(1024)](a, b)");
  EXPECT_EQ(expr("buf[0][1]['k'].x"), "buf[0][1]['k'].x");
  EXPECT_EQ(expr("a[1:, ::2, :, ...]"), "a[(1:, ::2, :, ...)]");
  EXPECT_EQ(expr("f(x for x in y)"), "f(x for x in y)");
  EXPECT_EQ(expr("[a for a in (1, [2])] + b"), "([a for a in (1, [2])] + b)");
  EXPECT_EQ(expr("lambda a, *b, c=1: call([a])"), "lambda: call([a])");
}

TEST(PythonParser, Numbers) {
  EXPECT_EQ(parse_expression_text(source("0x1F")).expr->value, 31);
  EXPECT_EQ(parse_expression_text(source("1_000")).expr->value, 1000);
  EXPECT_EQ(parse_expression_text(source("9223372036854775807")).expr->value, INT64_MAX);
  EXPECT_EQ(parse_expression_text(source("9223372036854775808")).expr->value, std::nullopt);
  EXPECT_EQ(parse_expression_text(source("1e-10")).expr->kind, ExprKind::real);
  EXPECT_THAT(error("a = 1x"), HasSubstr("t.py:1:5: expected a number, found '1x'"));
}

TEST(PythonParser, StringValues) {
  const auto value = [](const std::string& text) {
    return string_value(*parse_expression_text(source(text)).expr);
  };
  EXPECT_EQ(value(R"('a\n\'\x41\u00e9\q')"), "a\n'A\xC3\xA9\\q");
  EXPECT_EQ(value(R"(r'a\n')"), "a\\n");
  EXPECT_EQ(value("'a' \"b\" '''c'''"), "abc");
  EXPECT_EQ(value("''''x''y'''"), "'x''y");
  EXPECT_EQ(string_begin(*parse_expression_text(source("r'''x'''")).expr).column, 5U);
}

TEST(PythonParser, DottedNames) {
  EXPECT_EQ(dotted_name(*parse_expression_text(source("torch.ops.aten.mm.default")).expr),
            "torch.ops.aten.mm.default");
  EXPECT_EQ(dotted_name(*parse_expression_text(source("f().x")).expr), "");
}

TEST(PythonParser, StatementsOfAWrapper) {
  const Module module =
      parse_module(source("import torch, a.b as c\n"
                          "from x import (y, z as w,)\n"
                          "from . import q\n"
                          "k = async_compile.triton('k', '''\n@triton.jit\n''', device_str='cuda')\n"
                          "del async_compile\n"
                          "def call(args, *, n: int = 3) -> None:\n"
                          "    arg0_1, = args; args.clear()\n"
                          "    with torch.cuda._DeviceGuard(0) as g, h:\n"
                          "        buf0 = buf1 = empty((2, ), dtype=torch.float32)  # alloc\n"
                          "        del a, b\n"
                          "    x: int = 3\n"
                          "    n += 1\n"
                          "    assert not x.isnan().any().item(), 'm'\n"
                          "    return buf0, arg0_1\n"
                          "class Runner(Base, metaclass=M):\n"
                          "    def call(self, args): return ()\n"
                          "@decorate(x=1)\n"
                          "def g(): pass\n"));
  ASSERT_EQ(module.body.size(), 8U);
  EXPECT_EQ(module.body[0]->names[1].alias, "c");
  EXPECT_EQ(module.body[1]->text, "x");
  EXPECT_EQ(module.body[1]->names.size(), 2U);
  EXPECT_EQ(module.body[2]->text, ".");
  EXPECT_EQ(module.body[4]->kind, StmtKind::del);
  const Stmt& call = *module.body[5];
  EXPECT_EQ(call.text, "call");
  ASSERT_EQ(call.params.size(), 3U);
  EXPECT_EQ(call.params[2].name, "n");
  ASSERT_EQ(call.body.size(), 7U);
  EXPECT_EQ(call.body[0]->kind, StmtKind::assign);
  EXPECT_EQ(call.body[0]->targets[0]->kind, ExprKind::tuple);
  EXPECT_EQ(call.body[2]->kind, StmtKind::with);
  EXPECT_EQ(call.body[2]->targets.size(), 2U);
  EXPECT_EQ(call.body[2]->body[0]->targets.size(), 2U);
  EXPECT_EQ(call.body[2]->body[1]->targets.size(), 2U);
  EXPECT_EQ(call.body[3]->kind, StmtKind::annotated);
  EXPECT_EQ(call.body[4]->text, "+=");
  EXPECT_NE(call.body[5]->extra, nullptr);
  EXPECT_EQ(str(*call.body[6]->value), "(buf0, arg0_1)");
  EXPECT_EQ(module.body[6]->targets.size(), 2U);
  EXPECT_EQ(module.body[7]->decorators.size(), 1U);
  EXPECT_EQ(module.comments.size(), 1U);
}

TEST(PythonParser, ControlFlow) {
  const Module module =
      parse_module(source("if a: b = 1\nelif c:\n  pass\nelse:\n  d\n"
                          "while True:\n  if not x.item(): break\n  continue\n"
                          "for i, j in range(3):\n  print(i)\nelse:\n  y\n"
                          "try:\n  a\nexcept (E, F) as e:\n  b\nfinally:\n  c\n"
                          "global g, h\nraise E('x') from y\n"));
  ASSERT_EQ(module.body.size(), 6U);
  EXPECT_EQ(module.body[0]->orelse[0]->kind, StmtKind::if_);
  EXPECT_EQ(module.body[0]->orelse[0]->orelse.size(), 1U);
  EXPECT_EQ(module.body[1]->body.size(), 2U);
  EXPECT_EQ(str(*module.body[2]->targets[0]), "(i, j)");
  EXPECT_EQ(module.body[3]->orelse.size(), 2U);
}

TEST(PythonParser, ErrorsSayWhereAndWhat) {
  EXPECT_THAT(error("a = \n"), HasSubstr("t.py:1:5: expected an expression, found the end of the line"));
  EXPECT_THAT(error("def f(:\n"), HasSubstr("t.py:1:7: expected a parameter's name, found ':'"));
  EXPECT_THAT(error("a b\n"), HasSubstr("t.py:1:3: expected the end of the statement, found 'b'"));
  EXPECT_THAT(error("def f():\nx\n"), HasSubstr("t.py:2:1: expected an indented block, found 'x'"));
  EXPECT_THAT(error("a\n  b\n"), HasSubstr("t.py:2:3: expected a statement indented as the one before it"));
  EXPECT_THAT(error("def call(args):\n"),
              HasSubstr("expected an indented block, found the end of the file; the file seems"));
  EXPECT_THAT(error("for in x: pass"), HasSubstr("expected an expression, found 'in'"));
}

TEST(PythonParser, RecursionBombsAreRefused) {
  EXPECT_THAT(error("a = " + std::string(1'000'000, '-') + "1"), HasSubstr("at most 200 levels of nesting"));
  EXPECT_THAT(error("a = " + std::string(150, '(') + std::string(150, ')')), HasSubstr("at most 200 levels"));
  std::string powers = "a = 2";
  for (int i = 0; i < 100'000; ++i) powers += "**2";
  EXPECT_THAT(error(powers), HasSubstr("at most 200 levels"));
  std::string sum = "a = 1";
  for (int i = 0; i < 100'000; ++i) sum += " + 1";
  EXPECT_THAT(error(sum), HasSubstr("an expression of at most 1000 levels"));
  std::string nots = "a = ";
  for (int i = 0; i < 100'000; ++i) nots += "not ";
  EXPECT_THAT(error(nots + "b"), HasSubstr("at most 200 levels"));
  std::string elifs = "if a: b\n";
  for (int i = 0; i < 100'000; ++i) elifs += "elif a: b\n";
  EXPECT_THAT(error(elifs), HasSubstr("at most 200 levels"));
  std::string lambdas = "a = ";
  for (int i = 0; i < 100'000; ++i) lambdas += "lambda:";
  EXPECT_THAT(error(lambdas + "b"), HasSubstr("at most 200 levels"));
}

TEST(PythonParser, LongListsAreNotDeep) {
  std::string list = "a = [";
  for (int i = 0; i < 100'000; ++i) list += "b,";
  EXPECT_EQ(parse_module(source(list + "]")).body[0]->value->items.size(), 100'000U);
}

}  // namespace
}  // namespace bufferproof::model::python
