// What is known of one element: nobody wrote it, who contributed to it, or that nobody can know (S1).
//
// Tags are interned: memory holds their numbers. Tested by tests/simulator/tags_test.cpp.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "model/diagnostic.hpp"

namespace bufferproof::simulator {

using TagId = std::uint32_t;
using WriterId = std::uint32_t;

inline constexpr TagId kUnwritten = 0;
/// Unwritten, and a reader of it has been reported already (wrappers report an element once).
inline constexpr TagId kUnwrittenReported = 1;

struct Tag {
  bool unknown = false;           ///< E8: a call of unknown effects had it
  std::vector<WriterId> writers;  ///< sorted; the contributors (C9)
  std::vector<WriterId> added;    ///< sorted; those that accumulated onto what was there
  std::int64_t life = 0;          ///< of the storage when it was written (S4)
  friend auto operator<=>(const Tag&, const Tag&) = default;
};

/// Who writes: in bufprog a kernel's name, in wrappers one launch.
struct Writer {
  std::string name;
  model::SourceLocation where;
};

class TagTable {
 public:
  TagTable();
  /// `key` tells writers apart; `writer` is what reports say.
  WriterId writer(const std::string& key, const Writer& writer);
  const Writer& writer(WriterId id) const { return writers_[id]; }
  std::size_t writer_count() const { return writers_.size(); }
  /// nullopt-like: the number of writers when nobody has this key.
  WriterId find_writer(const std::string& key) const;

  /// Whose value the element has in the end: who accumulated, else who wrote.
  const std::vector<WriterId>& last(TagId id) const {
    return tags_[id].added.empty() ? tags_[id].writers : tags_[id].added;
  }

  TagId written(WriterId writer, std::int64_t life);
  TagId unknown(WriterId writer);
  /// `tag` with one contributor more, of life `life`; of an unwritten element, that contributor alone.
  TagId with(TagId tag, WriterId writer, std::int64_t life);

  /// The same contributors, now in storage of life `life`.
  TagId moved(TagId tag, std::int64_t life);

  const Tag& operator[](TagId id) const { return tags_[id]; }
  static bool is_unwritten(TagId id) { return id <= kUnwrittenReported; }
  /// "A", "A and B"
  std::string contributors(TagId id) const;

 private:
  TagId intern(Tag tag);

  std::vector<Tag> tags_;
  std::map<Tag, TagId> ids_;
  std::vector<Writer> writers_;
  std::map<std::string, WriterId, std::less<>> writer_ids_;
};

}  // namespace bufferproof::simulator
