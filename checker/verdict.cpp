#include "checker/check.hpp"

namespace bufferproof::checker {

std::string_view name(Verdict verdict) {
  switch (verdict) {
    case Verdict::proved:
      return "proved";
    case Verdict::refuted:
      return "refuted";
    case Verdict::unsupported:
      return "unsupported";
    case Verdict::budget:
      return "budget";
  }
  return "";
}

}  // namespace bufferproof::checker
