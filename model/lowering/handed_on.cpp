#include "model/lowering/handed_on.hpp"

#include <fmt/format.h>

#include <map>
#include <string>

namespace bufferproof::model::lowering {
namespace {

/// What was done last to memory under one name and its views.
struct Tenant {
  bool read = false;
  Name source;                            ///< not empty: taken over from it, and not used since
  const SourceLocation* where = nullptr;  ///< of the rename
};

class Follower {
 public:
  std::vector<Risk> follow(const Block& body) {
    for (const Step& step : body) {
      step_ = &step;
      std::visit([&](const auto& node) { visit(node); }, step.node);
    }
    return std::move(risks_);
  }

 private:
  std::size_t tenant(const Name& name) {
    const auto [found, fresh] = names_.emplace(name.str(), tenants_.size());
    if (fresh) tenants_.emplace_back();
    return found->second;
  }
  void visit(const View& view) { names_[view.name.str()] = tenant(view.base); }
  void visit(const Bind& bind) {
    const std::size_t source = tenant(bind.source);
    names_[bind.name.str()] = source;
    if (bind.kind != Bind::Kind::rename || !tenants_[source].read) return;
    names_[bind.name.str()] = tenants_.size();
    tenants_.push_back({.read = true, .source = bind.source, .where = &step_->where});
  }
  void visit(const Alloc& alloc) {
    names_[alloc.name.str()] = tenants_.size();
    tenants_.emplace_back();
  }
  void visit(const Launch& launch) {
    std::map<std::size_t, bool> writes;  // tenant -> does this launch write it?
    for (const Name& output : launch.outputs) writes[tenant(output)] = true;
    for (const Variant& road : launch.variants) {
      for (const Clause& clause : road.clauses)
        writes[tenant(clause.buffer)] |= clause.kind != Clause::Kind::read;
      for (const Rebind& rebind : road.rebinds) writes[tenant(rebind.handle)] = true;
    }
    for (const auto& [used, written] : writes) use(used, written, launch.kernel.str());
  }
  void visit(const Copy& copy) {
    use(tenant(copy.source), false, "a copy");
    use(tenant(copy.destination), true, "a copy");
  }
  void visit(const Return& result) {
    for (const Return::Item& item : result.items) use(tenant(item.name), false, "the caller");
  }
  void visit(const Branch& /*branch*/) { forget(); }
  void visit(const Loop& /*loop*/) { forget(); }
  void visit(const Unsupported& /*unknown*/) { forget(); }
  void visit(const Point& /*point*/) { forget(); }
  template <typename Node>
  void visit(const Node& /*without effect on contents*/) {}

  void use(std::size_t of, bool written, const std::string& by) {
    Tenant& tenant = tenants_[of];
    if (!written && tenant.where) tell(tenant, by);
    tenant = {.read = !written};
  }
  void tell(const Tenant& tenant, const std::string& by) {
    risks_.push_back({"C3",
                      fmt::format("memory of {} goes to a new name here, after {} was read, and {} (line {}) "
                                  "reads it before anything writes it; is a launch missing?",
                                  tenant.source.str(), tenant.source.str(), by, step_->where.line),
                      *tenant.where});
  }
  void forget() { tenants_.assign(tenants_.size(), {}); }

  const Step* step_ = nullptr;
  std::map<std::string, std::size_t> names_;
  std::vector<Tenant> tenants_;
  std::vector<Risk> risks_;
};

}  // namespace

std::vector<Risk> handed_on_unwritten(const Block& body) { return Follower().follow(body); }

}  // namespace bufferproof::model::lowering
