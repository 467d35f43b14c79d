#include "checker/preconditions.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "checker/address.hpp"
#include "checker/ranges.hpp"

namespace bufferproof::checker {
namespace {

using model::AtomRef;
using model::Cond;
using model::Layout;
using model::SymExpr;
using model::Term;

class Collector {
 public:
  explicit Collector(const model::Program& program) : wrapper_(program.dialect == model::Dialect::wrapper) {
    for (const model::Symbol& symbol : program.symbols) ranges_.set(symbol.name, {symbol.lo, symbol.hi});
  }

  void see(const model::Step& step) {
    if (const auto* alloc = std::get_if<model::Alloc>(&step.node); alloc && alloc->layout) {
      sizes_exist(*alloc->layout);
      if (wrapper_ && alloc->init == model::Init::input) inputs_[alloc->name.str()] = *alloc->layout;
    }
    const auto* view = std::get_if<model::View>(&step.node);
    if (!view || !view->layout) return;
    sizes_exist(*view->layout);
    const auto input = inputs_.find(view->base.str());
    if (input != inputs_.end() && !view->dtype) fits(*view, input->first, input->second);
  }

  Preconditions take() { return std::move(out_); }

 private:
  /// A run in which a buffer has a negative size is none: neither proof nor refutation is about it.
  void sizes_exist(const Layout& layout) {
    for (const SymExpr& size : layout.sizes)
      if (size.linear() && !ranges_.surely_le(0, size)) out_.hold = out_.hold && Cond::le(0, size);
  }

  void fits(const model::View& view, const std::string& name, const Layout& input) {
    const SymExpr room = without_common_factor(input.extent() - view.layout->extent());
    const auto most = ranges_.of(room).hi;
    if (room.is_constant() || !room.linear() || ranges_.surely_le(0, room) || (most && *most < 0)) return;
    const Cond holds = Cond::le(0, room);
    out_.hold = out_.hold && holds;
    std::string text =
        fmt::format("input {} is as large as the views taken of it, which the compiler's guards see to: {}",
                    name, holds.str());
    if (std::find(out_.assumed.begin(), out_.assumed.end(), text) == out_.assumed.end())
      out_.assumed.push_back(std::move(text));
  }

  /// s0*s1 - s1*s1 is as positive as s0 - s1 when s1 is 1 or more.
  SymExpr without_common_factor(SymExpr room) const {
    while (room.constant_part() == 0 && room.terms().size() > 1) {
      const auto factor = common_factor(room);
      if (!factor) return room;
      SymExpr rest = 0;
      for (const Term& term : room.terms()) rest = rest + *quotient(term, *factor);
      room = rest;
    }
    return room;
  }

  std::optional<SymExpr> common_factor(const SymExpr& room) const {
    for (const AtomRef& atom : room.terms()[0].atoms) {
      const SymExpr factor = from_atom(atom);
      const auto least = ranges_.of(factor).lo;
      const bool common = std::all_of(room.terms().begin(), room.terms().end(),
                                      [&](const Term& term) { return quotient(term, factor).has_value(); });
      if (common && least && *least >= 1) return factor;
    }
    return std::nullopt;
  }

  Ranges ranges_;
  bool wrapper_;
  std::map<std::string, Layout> inputs_;
  Preconditions out_;
};

}  // namespace

Preconditions preconditions(const model::Program& program) {
  Collector collector(program);
  for (const model::Step& step : program.body) collector.see(step);
  return collector.take();
}

}  // namespace bufferproof::checker
