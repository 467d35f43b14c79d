// Everything a program may do, written down once: storages, the accesses on them in order, and the reads to
// be judged.
//
// The walk (checker/walk.hpp) fills it, symbolically: an access stands for all its instances, over the
// program's symbols, the loops it stands in and the variables of its element set. Guards say on which paths
// it happens. Wrappers have two worlds (rule C3): actual storages, and ideal ones where every launch keeps
// its contract.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "checker/check.hpp"
#include "checker/ranges.hpp"

namespace bufferproof::checker {

/// A long condition that many accesses share; none: true.
using Running = std::shared_ptr<const model::Cond>;

/// A loop an access stands in: 0 <= variable < count.
struct LoopFrame {
  int loop = -1;  ///< step id of the loop
  std::string variable;
  model::SymExpr count;
};

/// When: order of instances is lexicographic over (loop, iteration)* and then (step, clause).
struct Place {
  std::vector<LoopFrame> loops;
  int step = -1;
  int clause = 0;
  bool at_end = false;  ///< after every step, whatever loops it stands in (bufprog `result`)
};

/// Which elements of which storage, on which paths. A whole access is kept as its layout; expanded() writes
/// it out.
struct Access {
  std::int64_t id = 0;  ///< names the variables of a whole access
  Place place;
  model::Cond guard = true;
  Running running;  ///< of what is judged: no launch before it has raised (E11)
  int storage = -1;
  std::vector<model::BoundVariable> variables;  ///< names unique within the world
  model::Cond where = true;
  std::vector<model::SymExpr> index;  ///< logical, one per axis
  model::SymExpr address;             ///< storage element
  std::optional<model::Layout>
      layout;                  ///< of the handle; nullopt: layout unknown, the access spans the storage
  bool unit_axis = false;      ///< the last index runs over the units of one element
  bool whole = false;          ///< every element of the handle
  bool spans_storage = false;  ///< every element of the storage
};

/// With variables, index and address filled in.
Access expanded(const Access& access);

struct Event {
  enum class Kind : std::uint8_t { write, accumulate, modify, unknown, copy };
  Kind kind = Kind::write;
  Access access;
  model::Name writer;  ///< bufprog: the producer's name; wrappers: unique per step
  int life = -1;       ///< step of the take that began the handle's life; -1: the allocation
  int source = -1;     ///< of a copy: index into World::copies
};

/// Source side of a copy event. Its variables are named as the event's.
struct CopySource {
  Access access;
};

struct Take {
  Place place;
  model::Cond guard;
};

struct StorageInfo {
  std::string name;  ///< as allocated
  model::SourceLocation where;
  std::optional<model::SymExpr> size;  ///< elements; nullopt: unknown
  bool ideal = false;
  std::vector<Event> events;  ///< in textual order
  std::vector<Take> takes;
  std::vector<int> handles;  ///< handle objects that ever stood on it, for the rebind lemma
  int parent = -1;           ///< ideal: forked from this storage ...
  Place forked;              ///< ... here, and its contents of then are ours
};

/// One read to be judged.
struct Read {
  Access access;
  std::optional<Access> ideal;  ///< the same elements in the ideal world; variables shared with `access`
  model::From from;
  std::string buffer;
  model::Name reader;
  int life = -1;
  bool copy = false;  ///< a copy's source: rule "Taint"
  bool may = false;   ///< it is not known that the elements matter (E1): nothing is refuted by them
  model::SourceLocation where;
};

/// An access that may leave its bounds (C5).
struct Bounds {
  Access access;
  std::string buffer;
  model::Name actor;
  model::SourceLocation where;
};

/// A use of a name that has no storage or was given up, a mismatch: wrong as soon as it happens.
struct Misuse {
  model::FindingClass kind = model::FindingClass::dead;
  model::Cond guard;
  Place place;
  std::string buffer;
  model::Name actor;
  std::string rule;
  std::string message;
  model::SourceLocation where;
  model::SourceLocation writer_where;
};

/// For C4: an access as a step of a stream.
struct StreamAccess {
  Access access;
  model::Name stream;
  enum class Kind : std::uint8_t { read, write, accumulate } kind = Kind::read;
  std::string buffer;
  model::Name actor;
  model::SourceLocation where;
};

/// C4 within one launch: two accesses that come in no order must not meet in an element.
struct Meeting {
  StreamAccess earlier;
  StreamAccess later;
  bool may = false;  ///< it is not known that both elements are touched (E1)
};

struct Sync {
  enum class Kind : std::uint8_t { signal, wait, hostsync, launch } kind = Kind::launch;
  Place place;
  model::Cond guard;
  model::Name stream;
  model::Name event;
};

/// A variable that picks the road of one kernel: values 0 .. names-1.
struct Choice {
  std::string kernel;
  std::string symbol;
  std::vector<std::string> names;
  std::vector<bool> fallback;
};

struct World {
  model::Dialect dialect = model::Dialect::bufprog;
  std::vector<StorageInfo> storages;
  std::vector<CopySource> copies;
  std::vector<Read> reads;
  std::vector<Bounds> bounds;
  std::vector<Misuse> misuses;
  std::vector<StreamAccess> stream_accesses;
  std::vector<Meeting> meetings;
  std::vector<Sync> syncs;
  std::vector<Choice> choices;
  std::vector<Undecided> undecided;
  std::vector<Note> notes;
  std::map<std::string, std::pair<std::string, model::SourceLocation>>
      writers;  ///< wrappers: identity -> name, place
  Ranges ranges;
  bool several_streams = false;
};

}  // namespace bufferproof::checker
