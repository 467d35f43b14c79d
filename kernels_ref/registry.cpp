#include "kernels_ref/registry.hpp"

#include <algorithm>
#include <limits>
#include <numeric>

#include "kernels_ref/builtin_ops.hpp"
#include "kernels_ref/kernel_error.hpp"

namespace bufferproof::kernels {
namespace {

std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 0; i < a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i + 1;
    for (std::size_t j = 0; j < b.size(); ++j) {
      const std::size_t replaced = diagonal + (a[i] == b[j] ? 0 : 1);
      diagonal = row[j + 1];
      row[j + 1] = std::min({replaced, row[j] + 1, diagonal + 1});
    }
  }
  return row.back();
}

OpRegistry make_builtin() {
  OpRegistry registry;
  register_builtin_ops(registry);
  return registry;
}

}  // namespace

const OpRegistry& OpRegistry::builtin() {
  static const OpRegistry registry = make_builtin();
  return registry;
}

void OpRegistry::add(const OpEntry& entry) {
  if (!entries_.emplace(entry.name, entry).second)
    throw KernelError(entry.name, "op", "a name that is not registered yet", "a second registration");
}

const OpEntry* OpRegistry::find(std::string_view name) const {
  const auto found = entries_.find(name);
  return found == entries_.end() ? nullptr : &found->second;
}

const OpEntry& OpRegistry::at(std::string_view name) const {
  if (const OpEntry* entry = find(name)) return *entry;
  std::string_view nearest = "none";
  std::size_t best = std::numeric_limits<std::size_t>::max();
  const std::string_view shortened = name.substr(0, 64);
  for (const auto& [known, entry] : entries_)
    if (const std::size_t distance = edit_distance(shortened, known); distance < best) {
      best = distance;
      nearest = known;
    }
  throw KernelError(shortened, "op", "a registered op (nearest: " + std::string(nearest) + ")",
                    "an unknown name");
}

}  // namespace bufferproof::kernels
