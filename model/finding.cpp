#include "model/finding.hpp"

#include <array>

namespace bufferproof::model {
namespace {

constexpr std::array<std::string_view, 9> kNames{"UNWRITTEN", "STALE",   "INCOMPLETE", "EXTRA",   "OOB",
                                                 "RACE",      "NOALLOC", "DEAD",       "MISMATCH"};

}  // namespace

std::string_view name(FindingClass c) { return kNames.at(static_cast<std::size_t>(c)); }

std::optional<FindingClass> parse_finding_class(std::string_view text) {
  for (std::size_t i = 0; i < kNames.size(); ++i)
    if (kNames[i] == text) return static_cast<FindingClass>(i);
  return std::nullopt;
}

}  // namespace bufferproof::model
