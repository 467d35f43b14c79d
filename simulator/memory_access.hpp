// One access to tagged memory and what is wrong with it (C2, C3, C4, C5, C9).
//
// Takes handles and selections that exist; whether a name has storage is the executor's question. Tested by
// tests/simulator/rules_test.cpp.
#pragma once

#include "simulator/run_state.hpp"
#include "simulator/selection.hpp"

namespace bufferproof::simulator {

/// An access through the name `buffer`.
struct AccessPoint {
  std::string buffer;
  std::shared_ptr<Handle> handle;
  Selection selection;
  bool uncertain = false;  ///< covers more than is accessed: nothing about it is certain
};

class MemoryAccess {
 public:
  explicit MemoryAccess(RunState& state) : state_(state) {}

  /// C5: reports the first element out of bounds.
  void check_bounds(const AccessPoint& at, const Actor& actor);
  /// C4: reports a conflict with an earlier access, then remembers this one.
  void check_order(const AccessPoint& at, const Actor& actor, AccessKind kind);
  /// C4: accesses of one step that come in no order; reports the first element of `later` that both touch.
  void check_apart(const AccessPoint& earlier, const AccessPoint& later, const Actor& actor);

  /// bufprog: the producer is the one `from` names.
  void read(const AccessPoint& at, const Actor& actor, const model::From& from);
  /// wrappers: the producer is the one the ideal world has at the same logical element (C3).
  void read_intended(const AccessPoint& at, const AccessPoint& ideal, const Actor& actor);
  /// wrappers: any written value will do.
  void read_written(const AccessPoint& at, const Actor& actor);

  void write(const AccessPoint& at, const Actor& actor);
  void accumulate(const AccessPoint& at, const Actor& actor, bool judged);
  void modify(const AccessPoint& at, const Actor& actor);
  void make_unknown(const AccessPoint& at, const Actor& actor);
  /// Moves tags, an unwritten one included.
  void copy(const AccessPoint& from, const AccessPoint& to, const Actor& actor);

 private:
  struct Piece {
    std::int64_t lo;
    std::int64_t hi;
    TagId tag;
  };
  /// `due`: the contributors the text means; empty when it does not say.
  void find(model::FindingClass kind, const char* rule, const AccessPoint& at, const Actor& actor,
            std::int64_t lo, std::int64_t hi, const std::string& writer, const std::string& message,
            const std::vector<WriterId>& due = {});
  void find_unknown(const AccessPoint& at, const Actor& actor, std::int64_t lo, std::int64_t hi);
  /// For explanations; [lo, hi) in units.
  void remember_fault(const AccessPoint& at, std::int64_t lo, std::int64_t hi, const std::string& writer,
                      const std::vector<WriterId>& due, bool unknown);
  model::Finding finding(model::FindingClass kind, const char* rule, const AccessPoint& at,
                         const Actor& actor);
  std::vector<std::int64_t> element(const AccessPoint& at, std::int64_t lo, std::int64_t hi) const;
  void judge(const AccessPoint& at, const Actor& actor, const model::From& from,
             const std::vector<WriterId>& wanted, const Piece& piece);
  void judge_producer(const AccessPoint& at, const Actor& actor, const model::From& from,
                      const std::vector<WriterId>& wanted, const Piece& piece);
  bool judge_life(const AccessPoint& at, const Actor& actor, const std::vector<WriterId>& wanted,
                  const Piece& piece);
  void judge_pair(const AccessPoint& at, const AccessPoint& ideal, const Actor& actor, const Piece& piece,
                  std::int64_t ideal_lo, std::int64_t ideal_hi, std::vector<Piece>& unwritten);
  void found_unwritten(const AccessPoint& at, const Actor& actor, const Piece& piece,
                       const std::string& writer, const std::vector<WriterId>& due);
  void mark_reported(const AccessPoint& at, const std::vector<Piece>& unwritten);
  void write_somewhere(const AccessPoint& at, const Actor& actor);
  template <typename F>
  void for_each_piece(const AccessPoint& at, F&& f) const;

  RunState& state_;
};

}  // namespace bufferproof::simulator
