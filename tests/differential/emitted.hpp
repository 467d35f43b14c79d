// Emitted ResNet wrappers, read and judged by both engines.
#pragma once

#include <set>
#include <string>

#include "checker/check.hpp"
#include "examples/resnet/network.hpp"
#include "model/lower.hpp"
#include "model/read/kernel_bodies.hpp"
#include "model/read/wrapper/wrapper.hpp"
#include "simulator/tag_run.hpp"

namespace bufferproof::differential {

inline model::Program read_emitted(const examples::NetworkOptions& network,
                                   const examples::WrapperOptions& wrapper) {
  model::Program program =
      model::wrapper::read_wrappers(examples::emit_resnet(network, wrapper).text, "resnet.py").at(0);
  model::read_kernel_bodies(program);
  return program;
}

inline model::Program lowered(const model::Program& program, std::string_view profile) {
  model::Program out = model::lower(program, *model::find_profile(profile));
  model::number_steps(out);
  return out;
}

/// The simulator, on the refutation's plan, finds the same class at the same buffer and reader.
inline bool replays(const model::Program& program, const checker::Refutation& refutation) {
  for (const model::Finding& found : simulator::run_tags(program, refutation.plan).findings)
    if (found.kind == refutation.finding.kind && found.buffer == refutation.finding.buffer &&
        found.reader == refutation.finding.reader)
      return true;
  return false;
}

/// "proved", or "refuted STALE UNWRITTEN": the verdict and the classes found.
inline std::string judgement(const checker::Result& result) {
  std::set<std::string> classes;
  for (const checker::Refutation& refutation : result.refutations)
    classes.insert(std::string(model::name(refutation.finding.kind)));
  std::string text(checker::name(result.verdict));
  for (const std::string& found : classes) text += " " + found;
  return text;
}

}  // namespace bufferproof::differential
