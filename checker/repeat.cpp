#include "checker/repeat.hpp"

#include <algorithm>

#include "checker/mentions.hpp"
#include "checker/state_text.hpp"
#include "checker/walk.hpp"
#include "checker/walker.hpp"

namespace bufferproof::checker {
namespace {

constexpr std::size_t kMostIterations = 4;  ///< after which a state must have come back
constexpr std::int64_t kSmallTrip = 8;      ///< loops that are short anyway stay as they are
constexpr std::size_t kMostSteps = 20'000;  ///< of a loop's body

/// The copies of a loop's body that are walked, and how their parts are called.
class Iterations {
 public:
  Iterations(const Program& program, std::size_t at) : program_(program), at_(at) {
    std::set<std::string> before = symbols_of({program.body.data(), at});
    for (const std::string& symbol : symbols_of(loop().body))
      if (!before.contains(symbol) && symbol != loop().variable) born_.push_back(symbol);
  }

  const Loop& loop() const { return std::get<Loop>(program_.body[at_].node); }
  const std::vector<std::string>& born() const { return born_; }

  Block copy(std::size_t k, bool apart) const {
    Substitution by{{loop().variable, SymExpr(static_cast<std::int64_t>(k))}};
    if (apart && k > 0)
      for (const std::string& symbol : born_) by.insert_or_assign(symbol, SymExpr::symbol(own(symbol, k)));
    Block out;
    for (const Step& step : loop().body) out.push_back(substitute(step, by));
    return out;
  }

  /// After how many iterations the state has been there before; a run of more has one of at least `least`
  /// that shows the same.
  std::optional<std::size_t> enough(const Ranges& ranges, std::int64_t least) const {
    Program whole = program_;
    whole.body.assign(program_.body.begin(), program_.body.begin() + static_cast<std::ptrdiff_t>(at_));
    for (std::size_t k = 0; k <= kMostIterations; ++k)
      for (Step& step : copy(k, true)) whole.body.push_back(std::move(step));
    whole.body.insert(whole.body.end(), program_.body.begin() + static_cast<std::ptrdiff_t>(at_) + 1,
                      program_.body.end());
    number_steps(whole);
    Ranges all = ranges;
    for (std::size_t k = 1; k <= kMostIterations; ++k)
      for (const std::string& symbol : born_) all.set(own(symbol, k), ranges.of(SymExpr::symbol(symbol)));
    Walker walker(whole, whole.body, all);
    const std::span<const Step> steps(whole.body);
    walker.walk(steps.first(at_));
    std::vector<std::string> states;
    for (std::size_t k = 0; k <= kMostIterations; ++k) {
      auto state = state_text(walker, words(whole, k));
      if (!state) return std::nullopt;
      const auto before =
          states.rend() - std::find(states.rbegin(), states.rend(), *state);  // from 1; 0: never
      if (before > 0 && before >= least) return k;
      states.push_back(std::move(*state));
      walker.walk(steps.subspan(at_ + k * loop().body.size(), loop().body.size()));
    }
    return std::nullopt;
  }

  static std::string own(const std::string& symbol, std::size_t k) { return fmt::format("{}#{}", symbol, k); }

 private:
  /// Iterations count backwards from the one that comes next, so that equal states read the same.
  StateWords words(const Program& whole, std::size_t next) const {
    StateWords out;
    const std::size_t length = loop().body.size();
    std::vector<int> begins;
    for (std::size_t k = 0; k <= kMostIterations + 1; ++k) {
      const std::size_t index = at_ + k * length;
      begins.push_back(index < whole.body.size() ? whole.body[index].id : INT32_MAX);
    }
    out.step = [begins, next](int id) {
      for (std::size_t k = 0; k + 1 < begins.size(); ++k)
        if (id >= begins[k] && id < begins[k + 1]) return fmt::format("{} ago, {}", next - k, id - begins[k]);
      return std::to_string(id);
    };
    for (std::size_t k = 0; k < next; ++k)
      for (const std::string& symbol : born_)
        out.symbols.insert_or_assign(k == 0 ? symbol : own(symbol, k),
                                     SymExpr::symbol(fmt::format("{} {} ago", symbol, next - k)));
    return out;
  }

  const Program& program_;
  std::size_t at_;
  std::vector<std::string> born_;
};

bool has_control(const Block& block) {
  return std::any_of(block.begin(), block.end(), [](const Step& step) {
    if (const auto* branch = std::get_if<Branch>(&step.node))
      return has_control(branch->then_block) || has_control(branch->else_block);
    return std::holds_alternative<Loop>(step.node) || std::holds_alternative<Return>(step.node);
  });
}

/// The count is a symbol of its own that nothing else depends on, and iterations do not differ.
bool is_candidate(const Program& program, std::size_t at, const Options& options) {
  const auto* loop = std::get_if<Loop>(&program.body[at].node);
  if (!loop || has_control(loop->body) || loop->body.size() > kMostSteps) return false;
  const auto count = loop->count.as_symbol();
  if (!count || !program.find_symbol(*count)) return false;
  const auto most = symbol_ranges(program, options.assume).of(loop->count).hi;
  if (most && *most <= kSmallTrip) return false;
  std::set<std::string> elsewhere = symbols_of({program.body.data(), at});
  elsewhere.merge(symbols_of(std::span(program.body).subspan(at + 1)));
  const std::set<std::string> inside = symbols_of(loop->body);
  Interval any;
  for (const Cond& literal : conjuncts(options.assume))
    if (!narrow(*count, literal, any)) literal.collect_symbols(elsewhere);
  return !elsewhere.contains(*count) && !inside.contains(*count) && !inside.contains(loop->variable);
}

/// The loop at `at` becomes `count` iterations.
void write_out(Program& program, std::size_t at, std::size_t count, bool apart) {
  const Iterations iterations(program, at);
  const Loop& loop = iterations.loop();
  const SourceLocation where = program.body[at].where;
  Block written;
  std::vector<Symbol> fresh;
  for (std::size_t k = 0; k < count; ++k) {
    const Cond runs = Cond::lt(static_cast<std::int64_t>(k), loop.count);
    written.push_back(Step{-1, where, Branch{runs, iterations.copy(k, apart), {}}});
    for (const std::string& symbol : iterations.born()) {
      const Symbol* known = program.find_symbol(symbol);
      if (!apart || k == 0 || !known) continue;
      fresh.push_back(*known);
      fresh.back().name = Iterations::own(symbol, k);
    }
  }
  for (Symbol& symbol : program.symbols)
    if (symbol.name == *loop.count.as_symbol()) symbol.hi = static_cast<std::int64_t>(count);
  program.symbols.insert(program.symbols.end(), fresh.begin(), fresh.end());
  const auto place = program.body.erase(program.body.begin() + static_cast<std::ptrdiff_t>(at));
  program.body.insert(place, std::make_move_iterator(written.begin()),
                      std::make_move_iterator(written.end()));
}

}  // namespace

std::optional<Finite> with_finite_loops(const Program& program, const Options& options, bool apart) {
  if (program.dialect != Dialect::wrapper) return std::nullopt;
  std::optional<Finite> out;
  for (std::size_t at = 0; at < (out ? out->program : program).body.size(); ++at) {
    const Program& so_far = out ? out->program : program;
    if (!is_candidate(so_far, at, options) || several_streams(so_far.body)) continue;
    const Iterations iterations(so_far, at);
    const Ranges ranges = symbol_ranges(so_far, options.assume);
    const auto enough = iterations.enough(ranges, ranges.of(iterations.loop().count).lo.value_or(0));
    if (!enough) continue;
    const std::string where = so_far.body[at].where.str();
    const bool born = !iterations.born().empty();
    if (!out) out = Finite{program, false, {}};
    out->own_symbols |= born && apart;
    out->conclusions.push_back(
        fmt::format("the loop at {} has shown everything after {} iterations: the state is one it had before",
                    where, *enough));
    write_out(out->program, at, *enough, apart);
    at += *enough == 0 ? 0 : *enough - 1;
  }
  if (out) number_steps(out->program);
  return out;
}

}  // namespace bufferproof::checker
