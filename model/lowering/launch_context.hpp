// What the builders of variants share about one launch.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "model/lowering/body_facts.hpp"
#include "model/lowering/declared.hpp"
#include "model/runtime_profile.hpp"

namespace bufferproof::model::lowering {

/// What a proof rests on, as sentence -> kernels it is said of; both printed in a fixed order.
class Assumptions {
 public:
  void add(const std::string& sentence, const std::string& kernel) { kernels_[sentence].insert(kernel); }
  /// "SENTENCE: K1, K2 and 7 more".
  std::vector<std::string> list() const;

 private:
  std::map<std::string, std::set<std::string>> kernels_;
};

struct LaunchContext {
  const RuntimeProfile& profile;
  const KernelDef& kernel;
  const Launch& launch;
  const Environment& environment;
  Assumptions& assumptions;
  std::vector<Name> outputs;  ///< by count, of kernels that say only how many there are; see mlir_outputs
};

/// A clause about all elements of a handle.
Clause whole(Clause::Kind kind, const Name& handle);
/// The producer the text means, whole handle (C3).
Clause intended_read(const Name& handle, bool relies_on_declared);
/// One road of which nothing is known but the handles it is given (E8).
Variant unknown_road(const Launch& launch);

}  // namespace bufferproof::model::lowering
