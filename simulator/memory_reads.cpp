// Reads and what is wrong with them (C2, C3, C6, C9): by the text's `from` in bufprog, by the ideal world in
// wrappers.
#include <fmt/format.h>

#include <algorithm>

#include "simulator/memory_access.hpp"
#include "simulator/pieces.hpp"

namespace bufferproof::simulator {

using model::FindingClass;
using model::From;

// ---- reads in bufprog
// -------------------------------------------------------------------------------------------

namespace {

std::string list(const From& from, const RunState& state, const model::SourceLocation& where) {
  std::string text;
  const char* separator = from.kind == From::Kind::one_of ? " or " : " and ";
  for (const model::Name& name : from.names)
    text += (text.empty() ? "" : separator) + state.text(name, where);
  return text;
}

bool contains(const std::vector<WriterId>& writers, WriterId writer) {
  return std::find(writers.begin(), writers.end(), writer) != writers.end();
}

}  // namespace

// C2, C3, C9
void MemoryAccess::read(const AccessPoint& at, const Actor& actor, const From& from) {
  std::vector<WriterId> wanted;
  for (const model::Name& name : from.names)
    wanted.push_back(state_.tags.find_writer(state_.text(name, actor.where)));
  for_each_piece(at, [&](const Piece& piece) { judge(at, actor, from, wanted, piece); });
}

void MemoryAccess::judge(const AccessPoint& at, const Actor& actor, const From& from,
                         const std::vector<WriterId>& wanted, const Piece& piece) {
  if (TagTable::is_unwritten(piece.tag)) {
    found_unwritten(at, actor, piece, from.names.empty() ? "" : list(from, state_, actor.where), wanted);
  } else if (judge_life(at, actor, wanted, piece)) {
    judge_producer(at, actor, from, wanted, piece);
  }
}

/// C6, S4: contents of an earlier life. True when the element is of the current one.
bool MemoryAccess::judge_life(const AccessPoint& at, const Actor& actor, const std::vector<WriterId>& wanted,
                              const Piece& piece) {
  const std::int64_t life = at.handle->storage->life;
  if (state_.tags[piece.tag].life >= life) return true;
  const std::string writer = state_.tags.contributors(piece.tag);
  if (at.handle->life >= life) {
    find(FindingClass::stale, "C6", at, actor, piece.lo, piece.hi, writer,
         fmt::format("{} reads what {} left in the storage before it was handed over to {}", actor.reader,
                     writer, at.buffer),
         wanted);
  } else {
    find(FindingClass::dead, "C6", at, actor, piece.lo, piece.hi, writer,
         fmt::format("{} reads {} after its storage was handed over", actor.reader, at.buffer), wanted);
  }
  return false;
}

// C3, C9
void MemoryAccess::judge_producer(const AccessPoint& at, const Actor& actor, const From& from,
                                  const std::vector<WriterId>& wanted, const Piece& piece) {
  if (from.kind == From::Kind::any) return;
  const Tag& tag = state_.tags[piece.tag];
  const std::string writer = state_.tags.contributors(piece.tag);
  auto say = [&](FindingClass kind, const char* rule, const char* verb) {
    find(kind, rule, at, actor, piece.lo, piece.hi, writer,
         fmt::format("{} {} {}: {} wrote it, due is {}", actor.reader, verb, at.buffer, writer,
                     list(from, state_, actor.where)),
         wanted);
  };
  if (from.kind == From::Kind::one_of) {
    // What was accumulated onto does not count: `from A` means that A alone accumulated.
    const std::vector<WriterId>& last = state_.tags.last(piece.tag);
    if (last.size() != 1 || !contains(wanted, last[0]))
      say(FindingClass::stale, "C3", "reads another producer's value in");
    return;
  }
  const bool missing =
      std::any_of(wanted.begin(), wanted.end(), [&](WriterId w) { return !contains(tag.writers, w); });
  const bool surplus =
      std::any_of(tag.writers.begin(), tag.writers.end(), [&](WriterId w) { return !contains(wanted, w); });
  if (missing) say(FindingClass::incomplete, "C9", "misses a contribution to");
  if (surplus && from.kind == From::Kind::exactly)
    say(FindingClass::extra, "C9", "finds a contribution too many in");
}

// C1, C2
void MemoryAccess::found_unwritten(const AccessPoint& at, const Actor& actor, const Piece& piece,
                                   const std::string& writer, const std::vector<WriterId>& due) {
  find(FindingClass::unwritten, "C2", at, actor, piece.lo, piece.hi, writer,
       fmt::format("{} reads an element of {} that nothing has written", actor.reader, at.buffer), due);
}

// ---- reads in wrappers
// ------------------------------------------------------------------------------------------

// C2, C3
void MemoryAccess::read_intended(const AccessPoint& at, const AccessPoint& ideal, const Actor& actor) {
  if (at.selection.count != ideal.selection.count) return read_written(at, actor);
  std::vector<Piece> unwritten;
  const std::int64_t span = at.selection.span;
  const std::int64_t ideal_span = ideal.selection.span;
  const RangeMap& tags = at.handle->storage->tags;
  for_each_pair(
      at.selection, ideal.selection, actor.where, [&](std::int64_t a, std::int64_t b, std::int64_t n) {
        tags.for_each(a, a + n * span, [&](std::int64_t lo, std::int64_t hi, TagId tag) {
          judge_pair(at, ideal, actor, {lo, hi, tag}, b + counterpart(lo - a, span, ideal_span, false),
                     b + counterpart(hi - a, span, ideal_span, true), unwritten);
        });
      });
  mark_reported(at, unwritten);
}

void MemoryAccess::judge_pair(const AccessPoint& at, const AccessPoint& ideal, const Actor& actor,
                              const Piece& piece, std::int64_t ideal_lo, std::int64_t ideal_hi,
                              std::vector<Piece>& unwritten) {
  if (piece.tag == kUnwrittenReported && !state_.provenance) return;
  auto look = [&](std::int64_t lo, std::int64_t hi, TagId due) {
    if (due == piece.tag && !state_.tags[due].unknown && due != kUnwritten) return;
    const std::int64_t element = (lo - ideal_lo) / ideal.selection.span;
    const std::int64_t from = std::clamp(piece.lo + element * at.selection.span, piece.lo, piece.hi - 1);
    const std::int64_t to =
        std::clamp(piece.lo + counterpart(hi - ideal_lo, ideal.selection.span, at.selection.span, true),
                   from + 1, piece.hi);
    const std::string intended = TagTable::is_unwritten(due) ? "" : state_.tags.contributors(due);
    if (state_.tags[piece.tag].unknown || state_.tags[due].unknown) {
      find_unknown(at, actor, from, to);
    } else if (piece.tag == kUnwritten) {
      found_unwritten(at, actor, {from, to, piece.tag}, intended, state_.tags[due].writers);
    } else if (piece.tag == kUnwrittenReported) {
      // Reported at an earlier reader, yet what this one reads is undefined as well.
      remember_fault(at, from, to, "", state_.tags[due].writers, false);
    } else {
      const std::string writer = state_.tags.contributors(piece.tag);
      find(FindingClass::stale, "C3", at, actor, from, to, writer,
           fmt::format("{} reads what {} wrote to {}, the text means {}", actor.reader, writer, at.buffer,
                       intended.empty() ? "nobody" : intended),
           state_.tags[due].writers);
    }
  };
  ideal.handle->storage->tags.for_each(ideal_lo, ideal_hi, look);
  if (piece.tag == kUnwritten) unwritten.push_back(piece);
}

void MemoryAccess::read_written(const AccessPoint& at, const Actor& actor) {
  std::vector<Piece> unwritten;
  for_each_piece(at, [&](const Piece& piece) {
    if (state_.tags[piece.tag].unknown) {
      find_unknown(at, actor, piece.lo, piece.hi);
    } else if (piece.tag == kUnwritten) {
      found_unwritten(at, actor, piece, "", {});
      unwritten.push_back(piece);
    } else if (piece.tag == kUnwrittenReported) {
      remember_fault(at, piece.lo, piece.hi, "", {}, false);
    }
  });
  mark_reported(at, unwritten);
}

/// Taint: an undefined element is reported at the first read that can matter, once.
void MemoryAccess::mark_reported(const AccessPoint& at, const std::vector<Piece>& unwritten) {
  for (const Piece& piece : unwritten)
    at.handle->storage->tags.assign(piece.lo, piece.hi, kUnwrittenReported);
}

}  // namespace bufferproof::simulator
