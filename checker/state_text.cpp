#include "checker/state_text.hpp"

#include <algorithm>

#include "checker/cover.hpp"

namespace bufferproof::checker {
namespace {

class StateText {
 public:
  StateText(const Walker& walker, const StateWords& words)
      : world_(walker.world()), objects_(walker.objects()), bindings_(walker.bindings()), words_(words) {
    if (walker.alive()) out_ = "alive " + text(*walker.alive());
  }

  std::optional<std::string> run() {
    for (const auto& [name, meanings] : bindings_) {
      // Any use of a name without a handle is wrong, however it came to have none (C6).
      const bool gone =
          std::none_of(meanings.begin(), meanings.end(), [](const auto& m) { return m.value.object >= 0; });
      if (gone) continue;
      out_ += "\n" + name;
      for (const auto& meaning : meanings) binding(meaning);
    }
    for (std::size_t i = 0; i < object_order_.size(); ++i) object(i);
    for (std::size_t i = 0; i < storage_order_.size(); ++i) storage(i);
    return readable_ ? std::optional(std::move(out_)) : std::nullopt;
  }

 private:
  std::string text(const Cond& c) const { return c.substitute(words_.symbols).str(); }
  std::string text(const SymExpr& e) const { return e.substitute(words_.symbols).str(); }
  std::string text(const Layout& layout) const { return substitute(layout, words_.symbols).str(); }
  template <typename T>
  std::string text(const std::optional<T>& value) const {
    return value ? text(*value) : "?";
  }

  static std::size_t number(std::vector<int>& order, int id) {
    const auto found = std::find(order.begin(), order.end(), id);
    if (found == order.end()) order.push_back(id);
    return static_cast<std::size_t>(std::find(order.begin(), order.end(), id) - order.begin());
  }

  std::string place(const HandleState& s) {
    return fmt::format("storage {} {} {} scale {} life {} mismatch {} {}", number(storage_order_, s.storage),
                       text(s.layout), s.spans_storage, s.scale, s.life, static_cast<int>(s.mismatch),
                       text(s.mismatch_when));
  }

  void binding(const Guarded<Binding>& meaning) {
    out_ += fmt::format("\n  {}: {}", text(meaning.when), static_cast<int>(meaning.value.kind));
    if (meaning.value.object < 0) return;
    out_ += fmt::format(" object {}", number(object_order_, meaning.value.object));
    if (world_.dialect == Dialect::wrapper) out_ += ", meant " + place(meaning.value.ideal);
  }

  void object(std::size_t i) {
    const HandleObject& o = objects_[static_cast<std::size_t>(object_order_[i])];
    out_ += fmt::format("\nobject {} {} {}", i, text(o.declared), o.dtype ? static_cast<int>(*o.dtype) : -1);
    for (const auto& state : o.states)
      out_ += fmt::format("\n  {}: {}", text(state.when), place(state.value));
  }

  /// The stores of a storage and of what it was copied from, the latest first, without those that later ones
  /// hide.
  struct Seen {
    const Event* event;
    Access access;  ///< as if on the storage asked for
  };
  std::vector<Seen> visible(int storage) {
    std::vector<Seen> seen;
    const StorageInfo* info = &world_.storages[static_cast<std::size_t>(storage)];
    std::optional<Place> until;
    while (true) {
      for (auto e = info->events.rbegin(); e != info->events.rend(); ++e) {
        if (until && !earlier(e->access.place, *until)) continue;
        Seen one{&*e, e->access};
        one.access.storage = storage;
        if (std::none_of(seen.begin(), seen.end(), [&](const Seen& later) { return hides(later, one); }))
          seen.push_back(std::move(one));
      }
      if (info->parent < 0) return seen;
      until = info->forked;
      info = &world_.storages[static_cast<std::size_t>(info->parent)];
    }
  }
  static bool earlier(const Place& a, const Place& b) {
    return std::pair(a.step, a.clause) < std::pair(b.step, b.clause);
  }
  bool hides(const Seen& later, const Seen& one) const {
    return later.event->kind == Event::Kind::write &&
           (later.access.guard.is_true() || later.access.guard == one.access.guard) &&
           surely_covers(later.access, one.access, world_.ranges);
  }

  void storage(std::size_t i) {
    const StorageInfo& info = world_.storages[static_cast<std::size_t>(storage_order_[i])];
    out_ += fmt::format("\nstorage {} {} {}", i, text(info.size), info.ideal);
    for (const Seen& seen : visible(storage_order_[i])) {
      if (seen.event->kind == Event::Kind::copy || !seen.access.place.loops.empty()) readable_ = false;
      out_ += fmt::format("\n  {} {} by {}: {}", static_cast<int>(seen.event->kind), seen.event->life,
                          writer(seen.event->writer), elements(seen.access));
    }
  }

  std::string writer(const Name& name) const {
    std::string identity = name.str();
    const auto at = identity.rfind('@');
    if (!world_.writers.contains(identity) || at == std::string::npos) return identity;
    return identity.substr(0, at) + "@" + words_.step(std::stoi(identity.substr(at + 1)));
  }

  std::string elements(const Access& access) const {
    const std::string guard = text(access.guard);
    if (access.spans_storage) return guard + " all";
    if (access.whole && access.layout) return guard + " " + text(*access.layout);
    std::string out = guard;
    Substitution names = words_.symbols;
    for (std::size_t i = 0; i < access.variables.size(); ++i) {
      const BoundVariable& v = access.variables[i];
      out += fmt::format(" {}..{}", v.lo.substitute(names).str(), v.hi.substitute(names).str());
      names.insert_or_assign(v.name, SymExpr::symbol(fmt::format("v#{}", i)));
    }
    return out + " " + access.where.substitute(names).str() + " " + access.address.substitute(names).str();
  }

  const World& world_;
  const std::vector<HandleObject>& objects_;
  const Bindings& bindings_;
  const StateWords& words_;
  std::string out_;
  bool readable_ = true;
  std::vector<int> object_order_;
  std::vector<int> storage_order_;
};

}  // namespace

std::optional<std::string> state_text(const Walker& walker, const StateWords& words) {
  return StateText(walker, words).run();
}

}  // namespace bufferproof::checker
