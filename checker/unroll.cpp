#include "checker/unroll.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "model/substitute.hpp"

namespace bufferproof::checker {
namespace {

using namespace model;

bool has_hole(const Name& name) { return name.has_holes(); }

/// Views and layouts of a summarised loop are recomputed in each iteration before use; everything that
/// carries state from one iteration to the next stands in the way of a summary.
struct Summarisable {
  bool operator()(const View& s) const { return !has_hole(s.name) && !has_hole(s.base); }
  bool operator()(const Launch& s) const {
    return std::all_of(s.variants.begin(), s.variants.end(), [](const Variant& v) {
      return v.rebinds.empty() && v.raises.empty() &&
             std::none_of(v.clauses.begin(), v.clauses.end(),
                          [](const Clause& c) { return has_hole(c.buffer); });
    });
  }
  bool operator()(const Copy& s) const { return !has_hole(s.source) && !has_hole(s.destination); }
  bool operator()(const Branch& s) const { return all(s.then_block) && all(s.else_block); }
  bool operator()(const Loop& s) const { return all(s.body); }
  bool operator()(const AssertLayout&) const { return true; }
  bool operator()(const Return&) const { return true; }
  template <typename Other>
  bool operator()(const Other&) const {
    return false;
  }

  static bool all(const Block& block) {
    return std::all_of(block.begin(), block.end(),
                       [](const Step& step) { return std::visit(Summarisable{}, step.node); });
  }
};

class Unroller {
 public:
  Unroller(Dialect dialect, const Ranges& ranges, const UnrollPolicy& policy, Unrolled& result)
      : dialect_(dialect), ranges_(ranges), policy_(policy), left_(policy.budget), result_(result) {}

  Block run(const Block& block) {
    Block out;
    for (const Step& step : block) {
      if (--left_ < 0) return out;
      append(out, step);
    }
    return out;
  }

  bool exhausted() const { return left_ < 0; }

 private:
  void append(Block& out, const Step& step) {
    if (const auto* branch = std::get_if<Branch>(&step.node)) {
      Step copy = step;
      copy.node = Branch{branch->condition, run(branch->then_block), run(branch->else_block)};
      out.push_back(std::move(copy));
    } else if (const auto* loop = std::get_if<Loop>(&step.node)) {
      append_loop(out, step, *loop);
    } else {
      out.push_back(step);
    }
  }

  void append_loop(Block& out, const Step& step, const Loop& loop) {
    const auto most = ranges_.of(loop.count).hi;
    // What one iteration of a wrapper's loop leaves and another reads is told apart by iteration (C3).
    const bool summary = dialect_ == Dialect::bufprog && Summarisable::all(loop.body);
    const bool small = most && *most <= policy_.small_trip;
    if (summary && !small && !policy_.everything) {
      Step copy = step;
      std::get<Loop>(copy.node).body = run(loop.body);
      out.push_back(std::move(copy));
      return;
    }
    if (!most || *most > left_) {
      result_.undecided.push_back(
          {Verdict::budget, step.where,
           fmt::format("the loop over {} ({} iterations) has no summary and is too long to unroll; "
                       "--assume an upper bound",
                       loop.variable, most ? std::to_string(*most) : "unbounded")});
      append_first(out, step, loop);
      return;
    }
    for (std::int64_t k = 0; k < *most && left_ >= 0; ++k) append_iteration(out, step, loop, k);
  }

  /// What goes wrong after such a loop is looked for where it runs a few times, with what it then does.
  void append_first(Block& out, const Step& step, const Loop& loop) {
    constexpr std::int64_t kFew = 2;  // the second finds what the first left
    const std::int64_t size = 4 * static_cast<std::int64_t>(loop.body.size() + 1);
    const std::int64_t trips = std::clamp<std::int64_t>(left_ / size, 0, kFew);
    for (std::int64_t k = 0; k < trips && left_ >= 0; ++k) append_iteration(out, step, loop, k);
    result_.within = result_.within && Cond::le(loop.count, trips);
  }

  void append_iteration(Block& out, const Step& step, const Loop& loop, std::int64_t k) {
    Block body;
    for (const Step& inner : loop.body) body.push_back(substitute(inner, {{loop.variable, SymExpr(k)}}));
    body = run(body);
    const Cond runs = Cond::lt(k, loop.count);
    if (runs.is_true()) {
      out.insert(out.end(), body.begin(), body.end());
    } else if (!runs.is_false()) {
      out.push_back(Step{step.id, step.where, Branch{runs, std::move(body), {}}});
    }
  }

  const Dialect dialect_;
  const Ranges& ranges_;
  const UnrollPolicy& policy_;
  std::int64_t left_;
  Unrolled& result_;
};

}  // namespace

Unrolled unroll(const Program& program, const Ranges& ranges, const UnrollPolicy& policy) {
  Unrolled out;
  UnrollPolicy roomy = policy;
  roomy.budget += static_cast<std::int64_t>(program.body.size());
  Unroller unroller(program.dialect, ranges, roomy, out);
  out.body = unroller.run(program.body);
  if (unroller.exhausted())
    out.undecided.push_back(
        {Verdict::budget, {}, "the program unrolls to more steps than the budget allows"});
  number_steps(out.body);
  return out;
}

}  // namespace bufferproof::checker
