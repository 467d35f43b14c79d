#include "cli/simulation.hpp"

#include <algorithm>

namespace bufferproof::cli {

Outcome outcome_of(const simulator::TagTrace& trace) {
  if (!trace.findings.empty()) return Outcome::refuted;
  return trace.unsupported.empty() ? Outcome::proved : Outcome::unsupported;
}

std::vector<ComparedOutput> compare_outputs(const std::vector<simulator::ReturnedTensor>& outputs,
                                            const std::vector<simulator::ReturnedTensor>* golden) {
  const std::vector<std::string> names = distinct_names(outputs);
  std::vector<ComparedOutput> out(outputs.size());
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    const auto value = outputs[i].tensor.view();
    out[i].returned_name = outputs[i].name;
    out[i].summary = summarize(names[i], value);
    if (golden == nullptr || i >= golden->size()) continue;
    const auto meant = (*golden)[i].tensor.view();
    out[i].golden = summarize(names[i], meant);
    if (value.dtype() == meant.dtype() && value.sizes() == meant.sizes())
      out[i].difference = compare(value, meant);
  }
  return out;
}

}  // namespace bufferproof::cli
