#include "simulator/memory_access.hpp"

#include <fmt/format.h>

#include "simulator/pieces.hpp"

namespace bufferproof::simulator {

using model::Finding;
using model::FindingClass;
using model::From;

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
                        const std::string& message, const std::vector<WriterId>& due) {
  const bool watched = state_.plan.watch_buffer == at.buffer;
  if (kind != FindingClass::race)
    remember_fault(at, lo, hi, kind == FindingClass::unwritten ? "" : writer, due, at.uncertain);
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

// E8
void MemoryAccess::find_unknown(const AccessPoint& at, const Actor& actor, std::int64_t lo, std::int64_t hi) {
  Finding out = finding(FindingClass::stale, "E8", at, actor);
  out.element = element(at, lo, hi);
  out.message = fmt::format("{} reads {} after a call whose effects are not known", actor.reader, at.buffer);
  remember_fault(at, lo, hi, "", {}, true);
  state_.report_unknown(std::move(out));
}

void MemoryAccess::remember_fault(const AccessPoint& at, std::int64_t lo, std::int64_t hi,
                                  const std::string& writer, const std::vector<WriterId>& due, bool unknown) {
  if (!state_.provenance) return;
  state_.provenance->fault(*at.handle->storage, lo, hi, {at.buffer, {}, writer, due, unknown, {}});
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

// C4
void MemoryAccess::check_apart(const AccessPoint& earlier, const AccessPoint& later, const Actor& actor) {
  RangeMap touched(later.handle->storage->size);
  for_each_run(earlier.selection, [&](std::int64_t lo, std::int64_t hi) { touched.assign(lo, hi, 1); });
  for_each_run(later.selection, [&](std::int64_t lo, std::int64_t hi) {
    touched.for_each(lo, hi, [&](std::int64_t from, std::int64_t to, TagId yes) {
      if (yes == 1)
        find(FindingClass::race, "C4", later, actor, from, to, actor.reader,
             fmt::format("{} shares memory with {}, and {} works on their elements in no order", later.buffer,
                         earlier.buffer == later.buffer ? "itself" : earlier.buffer, actor.reader));
    });
  });
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
