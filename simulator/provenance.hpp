// What a run remembers for explanations: every step's reads and stores in order, where reads were at fault,
// what was returned.
//
// Optional: a run without it pays nothing. Addresses are bytes (elements in bufprog), so they stay when a
// storage is refined. Tested by tests/simulator/why_test.cpp.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "model/diagnostic.hpp"
#include "model/program.hpp"
#include "simulator/handles.hpp"
#include "simulator/selection.hpp"
#include "simulator/tags.hpp"

namespace bufferproof::simulator {

struct ByteRun {
  std::int64_t lo = 0;
  std::int64_t hi = 0;
  friend bool operator==(const ByteRun&, const ByteRun&) = default;
};

class Provenance {
 public:
  /// A read of [run.lo, run.hi) that is not what the text means, or of contents nobody knows.
  struct Fault {
    std::string buffer;
    ByteRun run;
    std::string writer;
    std::vector<WriterId> due;  ///< who should have written; empty when the text does not say
    bool unknown = false;
    model::SourceLocation alloc_where;
  };

  enum class Kind : std::uint8_t {
    read,
    write,      ///< replaces what was there
    may_write,  ///< may store, or adds to what was there: earlier contents still count
    unknown,    ///< E8
    copy        ///< moves what access `source` read
  };
  struct Access {
    Kind kind = Kind::read;
    std::size_t step = 0;
    std::string buffer;
    Handle handle;  ///< as it was
    Selection selection;
    int unit = 1;                     ///< bytes per unit of `selection`
    std::vector<Selection> left_out;  ///< of a write: by an injected fault
    std::size_t source = 0;
  };

  struct Argument {
    std::string name;              ///< empty: a scalar
    std::optional<Handle> handle;  ///< as it was; nullopt: no storage
    std::optional<std::int64_t> scalar;
  };
  struct Step {
    WriterId writer = 0;
    const model::Launch* launch = nullptr;  ///< null: a copy, or the caller
    const model::Variant* road = nullptr;
    std::size_t ordinal = 0;  ///< of a launch: its number in this call
    model::Valuation values;
    std::vector<Argument> arguments;  ///< a kernel's, or the tensors of a library call
    std::vector<std::string> outputs;
    std::vector<std::size_t> reads;  ///< into accesses
    std::vector<Fault> faults;
  };

  struct Output {
    std::string name;
    std::size_t read = 0;             ///< into accesses; of the caller
    std::vector<std::int64_t> sizes;  ///< of the set: its variables' extents
    struct Span {
      std::int64_t first;
      std::int64_t last;
      TagId tag;
    };
    std::vector<Span> spans;  ///< by ordinal of the set that is returned
  };

  /// What follows is done by this step.
  Step& begin(WriterId writer);
  /// Returns its number. Reads belong to the step, stores to their storage.
  std::size_t add(Kind kind, const std::string& buffer, const Handle& handle, const Selection& selection,
                  std::vector<Selection> left_out = {}, std::size_t source = 0);
  /// [lo, hi) in units of the storage.
  void fault(const Storage& storage, std::int64_t lo, std::int64_t hi, Fault fault);

  /// Stores to a storage, in order; numbers of accesses.
  const std::vector<std::size_t>& stores_to(const Storage* storage) const;

  std::vector<Step> steps;
  std::vector<Access> accesses;
  std::vector<Output> outputs;
  std::size_t launches = 0;

 private:
  std::map<const Storage*, std::vector<std::size_t>> stores_;
};

}  // namespace bufferproof::simulator
