// What a run remembers for explanations: who read whose values, which reads were at fault, what was returned.
//
// Optional: a run without it pays nothing. Tested by tests/simulator/why_test.cpp.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "model/diagnostic.hpp"
#include "simulator/selection.hpp"
#include "simulator/tags.hpp"

namespace bufferproof::simulator {

class Provenance {
 public:
  /// A read that is not what the text means, or of contents nobody knows.
  struct Fault {
    std::vector<std::int64_t> element;
    std::string writer;
    std::vector<WriterId> due;  ///< who should have written; empty when the text does not say
    bool unknown = false;
    model::SourceLocation alloc_where;
  };
  struct Source {
    std::string buffer;
    WriterId writer = 0;
    friend auto operator<=>(const Source&, const Source&) = default;
  };
  struct Reader {
    std::set<Source> sources;
    std::map<std::string, Fault> faults;  ///< by buffer, the first one or that of the watched element
  };
  struct Output {
    std::string name;
    WriterId reader = 0;
    model::SourceLocation where;
    std::vector<std::int64_t> sizes;  ///< of the set: its variables' extents
    struct Span {
      std::int64_t first;
      std::int64_t last;
      TagId tag;
    };
    std::vector<Span> spans;  ///< by ordinal of the set that is returned
    Selection selection;      ///< turns an ordinal into an index
  };

  void source(WriterId reader, const std::string& buffer, const std::vector<WriterId>& writers) {
    for (const WriterId writer : writers) readers[reader].sources.insert({buffer, writer});
  }
  void fault(WriterId reader, const std::string& buffer, Fault fault, bool watched) {
    const auto [old, fresh] = readers[reader].faults.emplace(buffer, fault);
    if (!fresh && watched) old->second = std::move(fault);
  }

  std::map<WriterId, Reader> readers;
  std::vector<Output> outputs;
};

}  // namespace bufferproof::simulator
