// The obligations, one question each: is there a run in which this read, access or use goes wrong?
//
// A question is a condition over symbols, roads and the access's own variables, with how to report a model of
// it. Tested by tests/checker.
#pragma once

#include "checker/tags.hpp"

namespace bufferproof::checker {

/// "There is a run in which ... goes wrong", to be satisfied or shown impossible.
struct Question {
  model::FindingClass kind = model::FindingClass::unwritten;
  std::string rule;
  std::string buffer;
  model::Name reader;
  model::SourceLocation where;
  int step = -1;
  model::Cond wrong;
  Running running;                      ///< joined to `wrong` when that alone can happen
  std::vector<model::SymExpr> element;  ///< logical index, for the report
  int storage = -1;                     ///< of the element; -1: none
  std::vector<TagCase> cases;           ///< to say who wrote instead
  std::vector<TagCase> meant;           ///< wrappers: who should have
  std::string message;                  ///< for questions without tags
  model::Name writer;                   ///< of those: whose access is in the way
  model::SourceLocation writer_where;
};

/// What came of one obligation before any solver.
struct Judged {
  std::vector<Question> questions;
  bool decided = true;                     ///< false: outside the fragment
  bool by_algebra = false;                 ///< shown right without a solver
  std::vector<Question> rests_on_unknown;  ///< satisfiable: the verdict is unsupported (E8)
  const Event* cover = nullptr;            ///< by_algebra: the store that covers the read ...
  std::vector<const Event*> later;         ///< ... and the later ones that miss it
};

/// The index as the program counts, without the axis over an element's units.
std::vector<model::SymExpr> logical(const Access& access);

Judged judge(const World& world, const Tags& tags, const Read& read);  // C2, C3, C6, C9
Judged judge(const World& world, const Bounds& bounds);                // C5
Question question_of(const Misuse& misuse);                            // C6, C7

}  // namespace bufferproof::checker
