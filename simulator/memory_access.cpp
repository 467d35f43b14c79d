#include "simulator/memory_access.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace bufferproof::simulator {

using model::Finding;
using model::FindingClass;
using model::From;

namespace {

/// Units of one run as units of the run it is paired with. Elements of equal size pair unit by unit; else
/// whole elements do, and an end inside of an element takes all of it.
std::int64_t counterpart(std::int64_t units, std::int64_t span, std::int64_t other_span, bool end) {
  if (span == other_span) return units;
  return (units + (end ? span - 1 : 0)) / span * other_span;
}

}  // namespace

// ---- reporting
// ------------------------------------------------------------------------------------------------

Finding MemoryAccess::finding(FindingClass kind, const char* rule, const AccessPoint& at,
                              const Actor& actor) {
  Finding out;
  out.kind = kind;
  out.rule = rule;
  out.buffer = at.buffer;
  out.reader = actor.reader;
  out.where = actor.where;
  out.alloc_where = at.handle->storage->where;
  return out;
}

/// Logical index of an element in [lo, hi): the one the plan watches if it is there.
std::vector<std::int64_t> MemoryAccess::element(const AccessPoint& at, std::int64_t lo,
                                                std::int64_t hi) const {
  const Handle& handle = *at.handle;
  const std::vector<std::int64_t>& watched = state_.plan.watch_element;
  if (state_.plan.watch_buffer == at.buffer && watched.size() == handle.shape.sizes.size()) {
    std::int64_t address = handle.base();
    for (std::size_t axis = 0; axis < watched.size(); ++axis)
      address += watched[axis] * handle.shape.strides[axis] * handle.span();
    if (address < hi && address + handle.span() > lo) return watched;
  }
  return at.selection.index_of(at.selection.ordinal_of(lo));
}

void MemoryAccess::find(FindingClass kind, const char* rule, const AccessPoint& at, const Actor& actor,
                        std::int64_t lo, std::int64_t hi, const std::string& writer,
                        const std::string& message) {
  const bool watched = state_.plan.watch_buffer == at.buffer;
  if (state_.reported(kind, at.buffer, actor.reader) && !watched) return;
  Finding out = finding(kind, rule, at, actor);
  out.element = element(at, lo, hi);
  out.writer = writer;
  out.message = message;
  if (at.uncertain) {
    state_.report_unknown(std::move(out));
  } else if (watched && out.element == state_.plan.watch_element) {
    state_.report_watched(std::move(out));
  } else {
    state_.report(std::move(out));
  }
}

template <typename F>
void MemoryAccess::for_each_piece(const AccessPoint& at, F&& f) const {
  for_each_run(at.selection, [&](std::int64_t lo, std::int64_t hi) {
    at.handle->storage->tags.for_each(lo, hi, [&](std::int64_t from, std::int64_t to, TagId tag) {
      f(Piece{from, to, tag});
    });
  });
}

// ---- bounds and order
// -------------------------------------------------------------------------------------------

// C5
void MemoryAccess::check_bounds(const AccessPoint& at, const Actor& actor) {
  if (!at.selection.any_outside) return;
  Finding out = finding(FindingClass::oob, "C5", at, actor);
  out.element = at.selection.first_outside;
  out.message =
      fmt::format("{} accesses an element outside of {} or of its storage", actor.reader, at.buffer);
  state_.report(std::move(out));
}

// C4
void MemoryAccess::check_order(const AccessPoint& at, const Actor& actor, AccessKind kind) {
  if (!state_.several_streams || !actor.ordered) return;
  const auto step = static_cast<std::uint32_t>(state_.actors.size());
  state_.actors.push_back(actor);
  const AccessTable::Access access{actor.epoch, kind, step};
  RangeMap& memory = at.handle->storage->accesses;
  std::map<AccessTable::Id, AccessTable::Id> next;
  for_each_run(at.selection, [&](std::int64_t lo, std::int64_t hi) {
    memory.for_each(lo, hi, [&](std::int64_t from, std::int64_t to, AccessTable::Id id) {
      for (const AccessTable::Access& old : state_.accesses[id]) {
        if (!conflict(old.kind, kind) || state_.clocks.ordered(old.epoch, actor.epoch)) continue;
        const Actor& other = state_.actors[old.step];
        find(FindingClass::race, "C4", at, actor, from, to, other.reader,
             fmt::format("{} and {} access {} on streams without an order between them", other.reader,
                         actor.reader, at.buffer));
      }
    });
    memory.update(lo, hi, [&](AccessTable::Id id) {
      const auto [known, fresh] = next.emplace(id, 0);
      if (fresh) known->second = state_.accesses.after(id, access, state_.clocks);
      return known->second;
    });
  });
}

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
    found_unwritten(at, actor, piece, from.names.empty() ? "" : list(from, state_, actor.where));
  } else if (judge_life(at, actor, piece)) {
    judge_producer(at, actor, from, wanted, piece);
  }
}

/// C6, S4: contents of an earlier life. True when the element is of the current one.
bool MemoryAccess::judge_life(const AccessPoint& at, const Actor& actor, const Piece& piece) {
  const std::int64_t life = at.handle->storage->life;
  if (state_.tags[piece.tag].life >= life) return true;
  const std::string writer = state_.tags.contributors(piece.tag);
  if (at.handle->life >= life) {
    find(FindingClass::stale, "C6", at, actor, piece.lo, piece.hi, writer,
         fmt::format("{} reads what {} left in the storage before it was handed over to {}", actor.reader,
                     writer, at.buffer));
  } else {
    find(FindingClass::dead, "C6", at, actor, piece.lo, piece.hi, writer,
         fmt::format("{} reads {} after its storage was handed over", actor.reader, at.buffer));
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
                     list(from, state_, actor.where)));
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
                                   const std::string& writer) {
  find(FindingClass::unwritten, "C2", at, actor, piece.lo, piece.hi, writer,
       fmt::format("{} reads an element of {} that nothing has written", actor.reader, at.buffer));
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
  if (piece.tag == kUnwrittenReported) return;
  auto look = [&](std::int64_t lo, std::int64_t, TagId due) {
    if (due == piece.tag && !state_.tags[due].unknown && due != kUnwritten) return;
    const std::int64_t element = (lo - ideal_lo) / ideal.selection.span;
    const std::int64_t from = std::clamp(piece.lo + element * at.selection.span, piece.lo, piece.hi - 1);
    const std::string intended = TagTable::is_unwritten(due) ? "" : state_.tags.contributors(due);
    if (state_.tags[piece.tag].unknown || state_.tags[due].unknown) {
      Finding out = finding(FindingClass::stale, "E8", at, actor);
      out.element = at.selection.index_of(at.selection.ordinal_of(from));
      out.message =
          fmt::format("{} reads {} after a call whose effects are not known", actor.reader, at.buffer);
      state_.report_unknown(std::move(out));
    } else if (piece.tag == kUnwritten) {
      found_unwritten(at, actor, {from, piece.hi, piece.tag}, intended);
    } else {
      const std::string writer = state_.tags.contributors(piece.tag);
      find(FindingClass::stale, "C3", at, actor, from, piece.hi, writer,
           fmt::format("{} reads what {} wrote to {}, the text means {}", actor.reader, writer, at.buffer,
                       intended.empty() ? "nobody" : intended));
    }
  };
  ideal.handle->storage->tags.for_each(ideal_lo, ideal_hi, look);
  if (piece.tag == kUnwritten) unwritten.push_back(piece);
}

void MemoryAccess::read_written(const AccessPoint& at, const Actor& actor) {
  std::vector<Piece> unwritten;
  for_each_piece(at, [&](const Piece& piece) {
    if (state_.tags[piece.tag].unknown) {
      Finding out = finding(FindingClass::unwritten, "E8", at, actor);
      out.element = element(at, piece.lo, piece.hi);
      out.message =
          fmt::format("{} reads {} after a call whose effects are not known", actor.reader, at.buffer);
      state_.report_unknown(std::move(out));
    } else if (piece.tag == kUnwritten) {
      found_unwritten(at, actor, piece, "");
      unwritten.push_back(piece);
    }
  });
  mark_reported(at, unwritten);
}

/// Taint: an undefined element is reported at the first read that can matter, once.
void MemoryAccess::mark_reported(const AccessPoint& at, const std::vector<Piece>& unwritten) {
  for (const Piece& piece : unwritten)
    at.handle->storage->tags.assign(piece.lo, piece.hi, kUnwrittenReported);
}

// ---- writes
// ---------------------------------------------------------------------------------------------------

// E1: must-write
void MemoryAccess::write(const AccessPoint& at, const Actor& actor) {
  if (at.uncertain) return write_somewhere(at, actor);
  const TagId tag = state_.tags.written(actor.writer, at.handle->life);
  for_each_run(at.selection,
               [&](std::int64_t lo, std::int64_t hi) { at.handle->storage->tags.assign(lo, hi, tag); });
}

/// Which elements are stored is not known: none becomes defined, none stays undefined for certain.
void MemoryAccess::write_somewhere(const AccessPoint& at, const Actor& actor) {
  const TagId unknown = state_.tags.unknown(actor.writer);
  for_each_run(at.selection, [&](std::int64_t lo, std::int64_t hi) {
    at.handle->storage->tags.update(lo, hi, [&](TagId old) {
      return TagTable::is_unwritten(old) ? unknown : state_.tags.with(old, actor.writer, at.handle->life);
    });
  });
}

// E8, C9
void MemoryAccess::accumulate(const AccessPoint& at, const Actor& actor, bool judged) {
  if (judged && state_.wrapper()) read_written(at, actor);
  if (judged && !state_.wrapper())
    for_each_piece(at, [&](const Piece& piece) { judge(at, actor, From{}, {}, piece); });
  for_each_run(at.selection, [&](std::int64_t lo, std::int64_t hi) {
    at.handle->storage->tags.update(
        lo, hi, [&](TagId old) { return state_.tags.with(old, actor.writer, at.handle->life); });
  });
}

/// May store any element: what is defined stays defined, nothing becomes defined.
void MemoryAccess::modify(const AccessPoint& at, const Actor& actor) {
  for_each_run(at.selection, [&](std::int64_t lo, std::int64_t hi) {
    at.handle->storage->tags.update(lo, hi, [&](TagId old) {
      return TagTable::is_unwritten(old) ? old : state_.tags.with(old, actor.writer, at.handle->life);
    });
  });
}

// E8
void MemoryAccess::make_unknown(const AccessPoint& at, const Actor& actor) {
  const TagId tag = state_.tags.unknown(actor.writer);
  for_each_run(at.selection,
               [&](std::int64_t lo, std::int64_t hi) { at.handle->storage->tags.assign(lo, hi, tag); });
}

// E3
void MemoryAccess::copy(const AccessPoint& from, const AccessPoint& to, const Actor& actor) {
  if (from.selection.count != to.selection.count) {
    if (!from.handle->storage->size_is_unknown() && !to.handle->storage->size_is_unknown())
      throw model::InputError(actor.where, fmt::format("a copy to {} elements", from.selection.count),
                              std::to_string(to.selection.count), "both sides pair up in order");
    return make_unknown(to, actor);
  }
  std::vector<Piece> moved;
  const std::int64_t span = from.selection.span;
  const std::int64_t to_span = to.selection.span;
  for_each_pair(from.selection, to.selection, actor.where,
                [&](std::int64_t a, std::int64_t b, std::int64_t n) {
                  from.handle->storage->tags.for_each(
                      a, a + n * span, [&](std::int64_t lo, std::int64_t hi, TagId tag) {
                        moved.push_back({b + counterpart(lo - a, span, to_span, false),
                                         b + counterpart(hi - a, span, to_span, true),
                                         state_.tags.moved(tag, to.handle->life)});
                      });
                });
  for (const Piece& piece : moved) to.handle->storage->tags.assign(piece.lo, piece.hi, piece.tag);
}

}  // namespace bufferproof::simulator
