#include "model/lowering/launch_context.hpp"

namespace bufferproof::model::lowering {

std::vector<std::string> Assumptions::list() const {
  constexpr std::size_t kMostNames = 6;
  std::vector<std::string> sentences;
  for (const auto& [sentence, kernels] : kernels_) {
    std::string text = sentence + ":";
    std::size_t named = 0;
    for (const std::string& kernel : kernels) {
      if (named == kMostNames) break;
      text += (named++ == 0 ? " " : ", ") + kernel;
    }
    if (kernels.size() > named) text += " and " + std::to_string(kernels.size() - named) + " more";
    sentences.push_back(text);
  }
  return sentences;
}

Clause whole(Clause::Kind kind, const Name& handle) {
  Clause clause;
  clause.kind = kind;
  clause.buffer = handle;
  clause.set.whole = true;
  return clause;
}

Clause intended_read(const Name& handle, bool relies_on_declared) {
  Clause clause = whole(Clause::Kind::read, handle);
  clause.from.kind = From::Kind::intended;
  clause.relies_on_declared = relies_on_declared;
  return clause;
}

Variant unknown_road(const Launch& launch) {
  Variant road;
  road.name = "tuned";
  for (const Argument& argument : launch.arguments)
    if (!argument.handle.empty()) road.clauses.push_back(whole(Clause::Kind::unknown, argument.handle));
  return road;
}

}  // namespace bufferproof::model::lowering
