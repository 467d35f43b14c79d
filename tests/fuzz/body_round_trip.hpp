// What every fuzz target of a kernel text does with a body that reads: it must verify, print, read back as
// the same body, and its analyses must end.
#pragma once

#include <cstdlib>

#include "model/body/body_text.hpp"
#include "model/body/summary.hpp"

namespace bufferproof::model {

inline void round_trip(const std::vector<BodyText>& bodies) {
  for (const BodyText& body : bodies) {
    if (!body.function) continue;
    verify(*body.function);
    TensorFunction again = parse_tensor_function(print(*body.function));
    if (!same_body(*body.function, again)) std::abort();
    if (summarize(*body.function).outputs.size() != body.function->results.size()) std::abort();
  }
}

}  // namespace bufferproof::model
