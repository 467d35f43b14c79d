// What a wrapper's text declares each name to be, at the point a walk has reached.
//
// Names are followed through allocations, views, renames and points, so that a launch can ask for the layout,
// element type and storage of its arguments. Nothing here knows what a runtime really does with a handle.
// Tested by tests/model/lower_test.cpp.
#pragma once

#include <optional>
#include <string>
#include <unordered_map>

#include "model/program.hpp"

namespace bufferproof::model::lowering {

struct Declared {
  std::optional<Layout> layout;  ///< offset counted from the start of the storage
  std::optional<DType> dtype;
  std::string root;  ///< name the storage was allocated under, made unique by a counter
  bool graph_input = false;
};

class Environment {
 public:
  /// Follows one step; blocks inside it are the caller's business.
  void step(const Step& step);
  /// Knows nothing of a name never bound, or given up: then layout, dtype and root are empty.
  const Declared& of(const Name& name) const;
  /// True unless the layout is known to have gaps or another order (unknown layouts count as contiguous).
  bool contiguous(const Name& name) const;
  /// The two windows may share an element: same storage, and not provably apart.
  bool may_overlap(const Name& a, const Name& b) const;

 private:
  void view(const View& view);
  std::unordered_map<std::string, Declared> names_;
  int allocations_ = 0;
};

}  // namespace bufferproof::model::lowering
