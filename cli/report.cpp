#include "cli/report.hpp"

#include <algorithm>
#include <array>

#include "cli/app.hpp"

namespace bufferproof::cli {
namespace {

constexpr std::array<std::string_view, 5> kNames{"proved", "refuted", "unsupported", "budget", "internal"};

int badness(Outcome outcome) {
  switch (outcome) {
    case Outcome::proved:
      return 0;
    case Outcome::budget:
      return 1;
    case Outcome::unsupported:
      return 2;
    case Outcome::refuted:
      return 3;
    case Outcome::internal:
      return 4;
  }
  return 4;
}

}  // namespace

std::string_view name(Outcome outcome) { return kNames.at(static_cast<std::size_t>(outcome)); }

Outcome worse(Outcome a, Outcome b) { return badness(a) >= badness(b) ? a : b; }

int exit_code(Outcome outcome) {
  switch (outcome) {
    case Outcome::proved:
      return kClean;
    case Outcome::refuted:
      return kFindings;
    case Outcome::unsupported:
      return kUnsupported;
    case Outcome::budget:
      return kBudget;
    case Outcome::internal:
      return kInternal;
  }
  return kInternal;
}

}  // namespace bufferproof::cli
