// What names mean on which path: guarded alternatives of handles, and of the storages handles stand on (S2,
// S3).
//
// Alternatives exclude each other; on a straight line there is exactly one, under the guard "true".
#pragma once

#include <map>
#include <string>
#include <vector>

#include "checker/world.hpp"

namespace bufferproof::checker {

/// How far a handle is from what was declared (C7).
enum class Mismatch : std::uint8_t { none, strides, shape };

/// Where a handle stands.
struct HandleState {
  int storage = -1;
  std::optional<model::Layout> layout;  ///< in units of the storage's elements
  bool spans_storage = false;           ///< layout unknown, but it is the whole allocation
  std::int64_t scale = 1;  ///< units per element (checker/units.hpp); then the last axis runs over them
  int life = -1;
  Mismatch mismatch = Mismatch::none;
  model::Cond mismatch_when = true;  ///< sizes for which it is one: strides of axes of size 1 do not matter
};

template <typename T>
struct Guarded {
  model::Cond when = true;
  T value;
};

/// A tensor object. `point` and rebinds move it; every name of it sees that (S3).
struct HandleObject {
  std::vector<Guarded<HandleState>> states;
  std::optional<model::Layout> declared;
  std::optional<model::DType> dtype;
  std::string name;  ///< first name, for reports
  model::SourceLocation where;
  std::vector<std::string> names;  ///< every name that ever meant it
};

/// What a name means: an object with its ideal twin, or nothing.
struct Binding {
  enum class Kind : std::uint8_t { handle, no_storage, given_up } kind = Kind::handle;
  int object = -1;
  HandleState ideal;  ///< wrappers: the handle in the ideal world
};

using Bindings = std::map<std::string, std::vector<Guarded<Binding>>, std::less<>>;

/// Replaces the alternatives on the paths of `when` by `fresh` (whose guards lie inside `when`). `simplify`
/// makes a guard that no path satisfies false.
template <typename T, typename Simplify>
void assign(std::vector<Guarded<T>>& alternatives, const model::Cond& when,
            const std::vector<Guarded<T>>& fresh, const Simplify& simplify) {
  std::vector<Guarded<T>> out;
  if (!when.is_true())
    for (Guarded<T>& old : alternatives) {
      model::Cond still = simplify(old.when && !when);
      if (!still.is_false()) out.push_back({still, std::move(old.value)});
    }
  for (const Guarded<T>& one : fresh)
    if (model::Cond still = simplify(one.when); !still.is_false()) out.push_back({still, one.value});
  alternatives = std::move(out);
}

}  // namespace bufferproof::checker
