#include "simulator/tags.hpp"

#include <algorithm>

namespace bufferproof::simulator {

namespace {

void insert(std::vector<WriterId>& sorted, WriterId writer) {
  const auto at = std::lower_bound(sorted.begin(), sorted.end(), writer);
  if (at == sorted.end() || *at != writer) sorted.insert(at, writer);
}

}  // namespace

TagTable::TagTable() : tags_(2) {}  // the two unwritten ones are never looked up by content

WriterId TagTable::writer(const std::string& key, const Writer& writer) {
  const auto [found, fresh] = writer_ids_.emplace(key, static_cast<WriterId>(writers_.size()));
  if (fresh) writers_.push_back(writer);
  return found->second;
}

WriterId TagTable::find_writer(const std::string& key) const {
  auto found = writer_ids_.find(key);
  return found == writer_ids_.end() ? static_cast<WriterId>(writers_.size()) : found->second;
}

TagId TagTable::intern(Tag tag) {
  const auto [found, fresh] = ids_.emplace(tag, static_cast<TagId>(tags_.size()));
  if (fresh) tags_.push_back(std::move(tag));
  return found->second;
}

TagId TagTable::written(WriterId writer, std::int64_t life) { return intern({false, {writer}, {}, life}); }

TagId TagTable::unknown(WriterId writer) { return intern({true, {writer}, {}, 0}); }

TagId TagTable::with(TagId tag, WriterId writer, std::int64_t life) {
  Tag out = is_unwritten(tag) ? Tag{} : tags_[tag];
  insert(out.writers, writer);
  insert(out.added, writer);
  out.life = life;
  return intern(std::move(out));
}

TagId TagTable::moved(TagId tag, std::int64_t life) {
  if (is_unwritten(tag) || tags_[tag].life == life) return tag;
  Tag out = tags_[tag];
  out.life = life;
  return intern(std::move(out));
}

std::string TagTable::contributors(TagId id) const {
  std::vector<std::string> names;
  for (WriterId writer : tags_[id].writers) names.push_back(writers_[writer].name);
  std::sort(names.begin(), names.end());
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "" : " and ") + name;
  return text;
}

}  // namespace bufferproof::simulator
