// The last time an event touches a given element before a given moment, in closed form.
//
// given: an event with its loops, and a query (storage element, moment) that may depend on the reader's
// variables gives: per way of preceding (same iteration, an earlier iteration of the innermost shared loop,
// ...) the condition
//        under which the event touched the element, and the iteration in which it last did.
// Exact or refused. Tested by tests/checker (cases with loops) and the differential suite.
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "checker/world.hpp"

namespace bufferproof::checker {

/// A moment: the loops it stands in with the iteration of each, then step and clause.
struct Moment {
  std::vector<std::pair<int, model::SymExpr>> loops;
  int step = -1;
  int clause = 0;
  bool at_end = false;
};

/// An address as a number in the strides of a layout: with the same strides, two are equal when their digits
/// are. Empty: not shown to have any.
struct Digits {
  std::vector<model::SymExpr> strides;
  std::vector<model::SymExpr> values;
};

/// Whose tag is asked for. `variables`: ranges of the free variables in `address` and `moment` (loops
/// included).
struct Query {
  int storage = -1;
  model::SymExpr address;
  Moment moment;
  std::vector<model::BoundVariable> variables;
  Digits digits = {};  ///< of the address, when it has some
};

struct Hit {
  const Event* event = nullptr;
  model::Cond exists = true;
  Moment moment;                                              ///< of the event's last touching instance
  model::Name writer;                                         ///< with that instance's loop values
  std::map<std::string, model::SymExpr, std::less<>> values;  ///< of a copy: its variables at that instance
};

/// Writes the access out and gives its loop and set variables primed names of their own ("x'"), so that two
/// instances can be compared. Returns what was renamed to what.
std::map<std::string, model::SymExpr, std::less<>> rename_apart(Access& access);

/// The moment of an access as its own instance variables give it.
Moment moment_of(const Place& place);
/// Free variables of an access with their ranges: loops, then set variables.
std::vector<model::BoundVariable> variables_of(const Access& access);
/// Ranges, guard and set condition of an access, over its own variables.
model::Cond instance_condition(const Access& access);

/// The digits of an access: its strides in every iteration the same, each inner digit between 0 and what one
/// step of the axis before leaves room for, by the variables' ranges or by a condition. The offset is
/// part of the digits.
Digits digits_of(const Access& access, const Ranges& ranges);

/// a is before b. Only meaningful for moments of different instances.
model::Cond before(const Moment& a, const Moment& b);

/// All ways the event can precede the query and touch its element. `only`: a further condition on the event's
/// loop variables (their primed names, see rename_apart()). nullopt: outside the fragment.
std::optional<std::vector<Hit>> last_hits(const Event& event, const Query& query, const Ranges& ranges,
                                          const std::function<model::Cond(const Event& primed)>& only = {});

}  // namespace bufferproof::checker
