#include "checker/world.hpp"

#include <fmt/format.h>

namespace bufferproof::checker {

Access expanded(const Access& access) {
  if (!access.whole || !access.layout || !access.index.empty()) return access;
  Access out = access;
  out.whole = false;
  for (std::size_t axis = 0; axis < access.layout->rank(); ++axis) {
    if (access.layout->sizes[axis] == model::SymExpr(1)) {
      out.index.emplace_back(0);  // whatever its stride says
      continue;
    }
    const std::string variable = fmt::format("x#{}.{}", access.id, axis);
    out.variables.push_back({variable, 0, access.layout->sizes[axis]});
    out.index.push_back(model::SymExpr::symbol(variable));
  }
  out.address = access.layout->address(out.index);
  return out;
}

}  // namespace bufferproof::checker
