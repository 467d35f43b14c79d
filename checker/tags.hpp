// Which tag an element carries at a moment, as a case distinction over paths, sizes and iterations (S1, E8).
//
// One case per event that may be the last to store the element; copies are followed to their source. The
// cases exclude each other and cover everything. Tested by tests/checker and the differential suite.
#pragma once

#include "checker/hits.hpp"

namespace bufferproof::checker {

/// Accumulations on one storage that came after the case's last store there.
struct Layer {
  Query query;
  std::optional<Moment> since;
  std::vector<const Event*> events;  ///< accumulate and modify events
};

struct TagCase {
  model::Cond when = true;
  std::optional<model::Name> base;  ///< who stored the element last; nullopt: nobody
  const Event* event = nullptr;     ///< that store
  std::vector<Layer> layers;
  model::Cond old = false;  ///< stored in an earlier life of the storage than the current one (S4)
  bool unknown = false;     ///< the last store's effects are not known (E8)
};

/// Asks which of an accumulation's instances count, by their writer's name.
using NameTest = std::function<std::optional<model::Cond>(const model::Name&)>;

class Tags {
 public:
  explicit Tags(const World& world) : world_(world) {}

  /// nullopt: outside the fragment.
  std::optional<std::vector<TagCase>> cases(const Query& query) const;

  /// Some accumulation of the case whose name passes the test. `kind_accumulate`: modify events do not count.
  std::optional<model::Cond> contributes(const TagCase& c, const NameTest& test,
                                         bool kind_accumulate = false) const;

  /// The life a handle belongs to is not the storage's current one at that moment.
  model::Cond outlived(int storage, int life, const Moment& moment) const;

  /// Cheap answer: the one store that surely wrote every element of the access last, on every path. `passed`:
  /// the later stores on the same storage, which surely miss the access.
  const Event* only_store(const Access& access, std::vector<const Event*>* passed = nullptr) const;

 private:
  struct Found {
    std::vector<Hit> stores;
    std::vector<const Event*> accumulations;
  };
  bool collect(int storage, const Query& query, Found& into, int depth) const;
  std::optional<std::vector<TagCase>> cases(const Query& query, int depth) const;
  bool add_case(const Query& query, const Found& found, const Hit* store, std::vector<TagCase>& out,
                int depth) const;
  bool add_copied(const Query& query, TagCase outer, const Hit& store, std::vector<TagCase>& out,
                  int depth) const;
  model::Cond old(const Query& query, const TagCase& c, const Event* store) const;
  std::optional<model::Cond> counts_then(const Layer& layer, const Hit& hit, const Event& event) const;

  const World& world_;
};

/// The query for the elements of an access at its own place.
Query query_of(const Access& access, const Ranges& ranges);

}  // namespace bufferproof::checker
