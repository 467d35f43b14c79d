// Operations with a region: linalg.reduce, linalg.generic, linalg.map.
//
// Region arguments stand for whole tensors over the iteration space, so a region's scalar operations become
// elementwise operations; an accumulator may only be folded once, which becomes a reduce.
#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "model/read/mlir/body_reader.hpp"
#include "model/read/mlir/spellings.hpp"

namespace bufferproof::model::mlir {

using Kind = Token::Kind;

/// Reads `(%in: f32, ..) { .. }` (reduce) or `{ ^bb0(%in: f32, ..): .. }` (generic) up to its yield.
std::vector<ValueId> BodyReader::read_region(const std::vector<ValueId>& arguments, bool block_header) {
  constexpr int kMostDepth = 32;
  scopes_.emplace_back();
  if (++region_depth_ > kMostDepth) lexer_.fail("at most 32 nested regions");
  if (block_header) {
    lexer_.expect("{");
    lexer_.expect(Kind::caret, "a block");
  }
  lexer_.expect("(");
  std::size_t next = 0;
  while (!lexer_.accept(")")) {
    if (next) lexer_.expect(",");
    std::string_view name = lexer_.expect(Kind::value, "a region argument").text;
    lexer_.expect(":");
    Type type = read_type(lexer_);
    if (next >= arguments.size())
      throw InputError(type.where, fmt::format("{} region arguments", arguments.size()), "more");
    check_type(arguments[next], type);
    scopes_.back().emplace(name, std::vector<ValueId>{arguments[next++]});
  }
  if (block_header) {
    lexer_.expect(":");
  } else {
    lexer_.expect("{");
  }
  if (next != arguments.size()) lexer_.fail(fmt::format("{} region arguments", arguments.size()));
  while (!lexer_.peek().is_word("linalg.yield")) read_statement();
  lexer_.take();
  std::vector<ValueId> yields;
  if (lexer_.peek().kind == Kind::value) {
    yields = use_list();
    lexer_.expect(":");
    read_type_list(lexer_);
  }
  lexer_.expect("}");
  --region_depth_;
  scopes_.pop_back();
  return yields;
}

/// Yield k must be a fold of accumulator k.
std::vector<ValueId> BodyReader::fold_results(const Statement& statement, const std::vector<ValueId>& yields,
                                              const std::vector<ValueId>& inits,
                                              const std::vector<std::int64_t>& dims) {
  if (yields.size() != inits.size())
    throw InputError(statement.where, fmt::format("{} yielded values", inits.size()),
                     fmt::format("{}", yields.size()));
  std::vector<ValueId> results;
  for (std::size_t k = 0; k < yields.size(); ++k) {
    const Fold* fold = fold_of(yields[k]);
    if (!fold || fold->fn.empty() || fold->accumulator != k)
      unsupported(statement, "a region that is not one fold per result");
    results.push_back(builder_.add("reduce", {typed(fold->element), inits[k]},
                                   {{"dims", dims}, {"fn", fold->fn}}, statement.where));
  }
  return results;
}

void BodyReader::read_reduce(const Statement& statement) {
  // Short form: `linalg.reduce {arith.addf} ins(..)`; the braces hold an operation's name, not a dictionary.
  std::string_view short_form;
  if (lexer_.peek().is_punct("{")) {
    lexer_.take();
    short_form = lexer_.expect(Kind::word, "a combining operation").text;
    if (lexer_.peek().is_punct("{")) read_dict(lexer_);
    lexer_.expect("}");
  }
  Structured parts = read_structured();
  if (lexer_.peek().is_punct("{")) read_dict(lexer_);
  std::vector<ValueId> inits = parts.outs.values;
  std::vector<ValueId> arguments = parts.ins.values;
  std::vector<ValueId> yields;
  if (arguments.size() != inits.size() || arguments.empty())
    throw InputError(statement.where, "as many inits as inputs",
                     fmt::format("{} and {}", inits.size(), arguments.size()));
  std::sort(parts.axes.begin(), parts.axes.end());
  if (!short_form.empty()) {
    const Spelling* spelling = find_spelling(short_form);
    if (!spelling || spelling->fold.empty() || arguments.size() != 1)
      unsupported(statement, "with " + std::string(short_form));
    yields.push_back(add_fold({std::string(spelling->fold), 0, arguments[0]}));
  } else {
    std::vector<ValueId> all = arguments;
    for (std::size_t k = 0; k < inits.size(); ++k) all.push_back(add_fold({"", k, -1}));
    std::vector<SymExpr> outer = space_;
    space_ = shape_of(arguments[0]);
    yields = read_region(all, false);
    space_ = outer;
  }
  finish_structured(statement, parts, fold_results(statement, yields, inits, parts.axes));
}

AffineMap BodyReader::map_of(std::string_view raw, const Statement& statement) {
  return read_affine_map(raw_map(raw, statement), statement.where);
}

std::vector<AffineMap> BodyReader::read_maps(std::string_view raw, const Statement& statement) {
  std::vector<AffineMap> maps;
  if (raw.size() > 1 && raw.front() == '#')
    if (auto alias = aliases_.find(raw.substr(1)); alias != aliases_.end()) raw = alias->second;
  if (raw.size() < 2 || raw.front() != '[')
    throw InputError(statement.where, "'indexing_maps = [..]'", std::string(raw));
  Lexer lexer(raw.substr(1, raw.size() - 2), statement.where);
  while (lexer.peek().kind != Kind::end) {
    if (!maps.empty()) lexer.expect(",");
    AffineMap map = map_of(lexer.skip_value(), statement);
    if (!map.projection) unsupported(statement, "an index map that is not a projected permutation");
    maps.push_back(std::move(map));
  }
  return maps;
}

std::vector<SymExpr> BodyReader::iteration_space(const std::vector<AffineMap>& maps,
                                                 const std::vector<ValueId>& values,
                                                 const Statement& statement) {
  std::size_t rank = maps.empty() ? 0 : maps[0].dims;
  std::vector<std::optional<SymExpr>> found(rank);
  for (std::size_t k = 0; k < values.size(); ++k) {
    std::vector<SymExpr> shape = shape_of(values[k]);
    if (maps[k].dims != rank || maps[k].results.size() != shape.size())
      throw InputError(statement.where, "index maps that fit their operands", builder_.type(values[k]).str());
    for (std::size_t i = 0; i < shape.size(); ++i) {
      if (maps[k].results[i].dim < 0) continue;
      auto& size = found[static_cast<std::size_t>(maps[k].results[i].dim)];
      if (size) {
        builder_.require_equal(*size, shape[i], statement.where, "sizes of one loop");
      } else {
        size = shape[i];
      }
    }
  }
  std::vector<SymExpr> space;
  for (const auto& size : found) {
    if (!size) unsupported(statement, "a loop no operand gives the size of");
    space.push_back(builder_.resolve(*size));
  }
  return space;
}

/// Operand axis i is loop map[i]; constant-0 axes of size 1 are dropped.
ValueId BodyReader::to_iteration_space(ValueId value, const AffineMap& map, const std::vector<SymExpr>& space,
                                       const SourceLocation& where) {
  std::vector<SymExpr> shape = shape_of(value);
  std::vector<SymExpr> kept;
  std::vector<std::int64_t> dims;
  for (std::size_t i = 0; i < shape.size(); ++i) {
    if (map.results[i].dim < 0) {
      if (shape[i].constant() != 1)
        throw UnsupportedBody("an index map that reads one of several elements", where);
      continue;
    }
    kept.push_back(shape[i]);
    dims.push_back(map.results[i].dim);
  }
  if (kept.size() != shape.size()) value = builder_.reshape(value, kept, where);
  std::vector<std::int64_t> order(dims.size());
  std::iota(order.begin(), order.end(), 0);
  std::sort(order.begin(), order.end(), [&](std::int64_t a, std::int64_t b) {
    return dims[static_cast<std::size_t>(a)] < dims[static_cast<std::size_t>(b)];
  });
  if (!std::is_sorted(dims.begin(), dims.end())) {
    value = builder_.add("transpose", {value}, {{"permutation", order}}, where);
    std::sort(dims.begin(), dims.end());
  }
  if (std::adjacent_find(dims.begin(), dims.end()) != dims.end())
    throw UnsupportedBody("an index map that reads a diagonal", where);
  if (dims.size() == space.size()) return value;
  return builder_.add("broadcast", {value}, {{"dims", dims}, {"shape", space}}, where);
}

/// The inverse for a result whose axes are the loops `kept`, in rising order.
ValueId BodyReader::from_iteration_space(ValueId value, const AffineMap& map,
                                         const std::vector<std::int64_t>& kept, const SourceLocation& where) {
  std::vector<std::int64_t> permutation;
  for (const MapResult& result : map.results) {
    auto found = std::find(kept.begin(), kept.end(), result.dim);
    if (found == kept.end())
      throw UnsupportedBody("a result map that is not a permutation of the parallel loops", where);
    permutation.push_back(found - kept.begin());
  }
  if (permutation.size() != kept.size())
    throw UnsupportedBody("a result map that drops a parallel loop", where);
  if (std::is_sorted(permutation.begin(), permutation.end())) return value;
  return builder_.add("transpose", {value}, {{"permutation", permutation}}, where);
}

void BodyReader::read_generic(const Statement& statement) {
  Structured parts = read_structured();
  std::vector<AffineMap> maps = read_maps(find_entry(parts.attributes, "indexing_maps"), statement);
  std::string_view iterators = find_entry(parts.attributes, "iterator_types");
  std::vector<ValueId> operands = parts.ins.values;
  operands.insert(operands.end(), parts.outs.values.begin(), parts.outs.values.end());
  if (maps.size() != operands.size())
    throw InputError(statement.where, fmt::format("{} index maps", operands.size()),
                     fmt::format("{}", maps.size()));
  std::vector<SymExpr> space = iteration_space(maps, operands, statement);
  std::vector<std::int64_t> folded;
  std::vector<std::int64_t> parallel;
  Lexer kinds(iterators, statement.where);
  for (std::int64_t loop = 0; kinds.peek().kind != Kind::end;) {
    Token token = kinds.take();
    if (token.kind != Kind::string) continue;
    (token.text == "parallel" ? parallel : folded).push_back(loop++);
    if (token.text != "parallel" && token.text != "reduction")
      unsupported(statement, "a loop of kind " + std::string(token.text));
  }
  if (folded.size() + parallel.size() != space.size())
    throw InputError(statement.where, fmt::format("{} iterator types", space.size()), std::string(iterators));
  std::vector<ValueId> arguments;
  std::size_t inputs = parts.ins.values.size();
  for (std::size_t k = 0; k < operands.size(); ++k) {
    bool accumulator = k >= inputs && !folded.empty();
    arguments.push_back(accumulator ? add_fold({"", k - inputs, -1})
                                    : to_iteration_space(operands[k], maps[k], space, statement.where));
  }
  std::vector<SymExpr> outer = space_;
  space_ = space;
  std::vector<ValueId> yields = read_region(arguments, true);
  space_ = outer;
  std::vector<ValueId> results;
  if (folded.empty()) {
    for (std::size_t k = 0; k < yields.size(); ++k) {
      ValueId whole = builder_.broadcast_to(typed(yields[k]), space, statement.where);
      results.push_back(from_iteration_space(whole, maps[inputs + k], parallel, statement.where));
    }
  } else {
    std::vector<ValueId> inits;
    for (std::size_t k = 0; k < parts.outs.values.size(); ++k) {
      const AffineMap& map = maps[inputs + k];
      for (std::size_t i = 1; i < map.results.size(); ++i)
        if (map.results[i - 1].dim >= map.results[i].dim)
          unsupported(statement, "a permuted reduction result");
      inits.push_back(parts.outs.values[k]);
    }
    results = fold_results(statement, yields, inits, folded);
  }
  finish_structured(statement, parts, results);
}

/// `linalg.map { math.exp } ins(..) outs(..)`
void BodyReader::read_map(const Statement& statement) {
  lexer_.expect("{");
  std::string_view text = lexer_.expect(Kind::word, "an operation").text;
  if (lexer_.peek().is_punct("{")) read_dict(lexer_);
  lexer_.expect("}");
  const Spelling* spelling = find_spelling(text);
  if (!spelling || spelling->form != Spelling::Form::elementwise)
    unsupported(statement, "with " + std::string(text));
  elementwise_into(statement, read_structured(), spelling->op);
}

}  // namespace bufferproof::model::mlir
