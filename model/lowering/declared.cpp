#include "model/lowering/declared.hpp"

namespace bufferproof::model::lowering {
namespace {

/// a <= b wherever symbols are; false when that is not a matter of constants.
bool surely_le(const SymExpr& a, const SymExpr& b) {
  const auto difference = (b - a).constant();
  return difference && *difference >= 0;
}

}  // namespace

const Declared& Environment::of(const Name& name) const {
  static const Declared unknown;
  const auto found = names_.find(name.str());
  return found == names_.end() ? unknown : found->second;
}

bool Environment::contiguous(const Name& name) const {
  const Declared& declared = of(name);
  return !declared.layout || declared.layout->is_contiguous();
}

bool Environment::may_overlap(const Name& a, const Name& b) const {
  const Declared& x = of(a);
  const Declared& y = of(b);
  if (x.root.empty() || x.root != y.root) return false;
  if (!x.layout || !y.layout || x.dtype != y.dtype) return true;
  return !surely_le(x.layout->extent(), y.layout->offset) && !surely_le(y.layout->extent(), x.layout->offset);
}

void Environment::view(const View& view) {
  Declared made = of(view.base);
  if (view.unknown_layout) {
    made.layout.reset();
  } else if (view.layout) {
    const SymExpr base_offset = made.layout && !view.absolute_offset ? made.layout->offset : SymExpr(0);
    made.layout = view.layout;
    made.layout->offset = made.layout->offset + base_offset;
  }
  if (view.dtype) made.dtype = view.dtype;
  names_[view.name.str()] = made;
}

void Environment::step(const Step& step) {
  if (const auto* alloc = std::get_if<Alloc>(&step.node)) {
    const std::string name = alloc->name.str();
    names_[name] = {alloc->layout, alloc->dtype, name + "#" + std::to_string(allocations_++),
                    alloc->init == Init::input};
  } else if (const auto* made = std::get_if<View>(&step.node)) {
    view(*made);
  } else if (const auto* bind = std::get_if<Bind>(&step.node)) {
    names_[bind->name.str()] = Declared(of(bind->source));
  } else if (const auto* freed = std::get_if<Free>(&step.node)) {
    for (const Name& name : freed->names) names_.erase(name.str());
  } else if (const auto* point = std::get_if<Point>(&step.node)) {
    names_[point->handle.str()] = Declared(of(point->target));
  }
}

}  // namespace bufferproof::model::lowering
