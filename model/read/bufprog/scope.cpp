#include "model/read/bufprog/scope.hpp"

namespace bufferproof::model::bufprog {

const SymExpr* Scope::find(const std::string& name) const {
  auto found = meanings_.find(name);
  return found == meanings_.end() || found->second.empty() ? nullptr : &found->second.back();
}

std::string Scope::push_loop(const std::string& name) {
  auto active = meanings_.find(name);
  const std::size_t depth = active == meanings_.end() ? 0 : active->second.size();
  const bool taken = depth > 0 || reserved_.count(name) > 0;
  std::string unique = taken ? name + "$" + std::to_string(depth + 1) : name;
  push(name, SymExpr::symbol(unique));
  return unique;
}

}  // namespace bufferproof::model::bufprog
