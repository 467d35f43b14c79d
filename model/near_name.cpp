#include "model/near_name.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

namespace bufferproof::model {

int edit_distance(std::string_view a, std::string_view b) {
  constexpr std::size_t kMost = 64;
  a = a.substr(0, kMost);
  b = b.substr(0, kMost);
  std::vector<int> row(b.size() + 1);
  std::iota(row.begin(), row.end(), 0);
  for (std::size_t i = 0; i < a.size(); ++i) {
    int diagonal = row[0];
    row[0] = static_cast<int>(i) + 1;
    for (std::size_t j = 0; j < b.size(); ++j) {
      const int replaced = diagonal + (a[i] == b[j] ? 0 : 1);
      diagonal = row[j + 1];
      row[j + 1] = std::min({replaced, row[j] + 1, diagonal + 1});
    }
  }
  return row.back();
}

std::string nearest_name(std::string_view wanted, const std::vector<std::string>& known) {
  const int most = std::max(2, static_cast<int>(std::min<std::size_t>(wanted.size(), 64) / 3));
  std::string best;
  int least = most + 1;
  for (const std::string& name : known)
    if (const int distance = edit_distance(wanted, name); distance < least) {
      least = distance;
      best = name;
    }
  return best;
}

std::string name_hint(std::string_view wanted, const std::vector<std::string>& known) {
  const std::string near = nearest_name(wanted, known);
  if (!near.empty()) return fmt::format("did you mean {}?", near);
  return fmt::format("known: {}", fmt::join(known, ", "));
}

}  // namespace bufferproof::model
