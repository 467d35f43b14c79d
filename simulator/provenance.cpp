#include "simulator/provenance.hpp"

namespace bufferproof::simulator {

Provenance::Step& Provenance::begin(WriterId writer) {
  steps.emplace_back();
  steps.back().writer = writer;
  return steps.back();
}

std::size_t Provenance::add(Kind kind, const std::string& buffer, const Handle& handle,
                            const Selection& selection, std::vector<Selection> left_out, std::size_t source) {
  const std::size_t number = accesses.size();
  accesses.push_back(
      {kind, steps.size() - 1, buffer, handle, selection, handle.storage->unit, std::move(left_out), source});
  if (kind == Kind::read)
    steps.back().reads.push_back(number);
  else
    stores_[handle.storage.get()].push_back(number);
  return number;
}

void Provenance::fault(const Storage& storage, std::int64_t lo, std::int64_t hi, Fault fault) {
  fault.run = {lo * storage.unit, hi * storage.unit};
  fault.alloc_where = storage.where;
  std::vector<Fault>& faults = steps.back().faults;
  if (!faults.empty()) {
    Fault& last = faults.back();
    const bool goes_on = last.run.hi == fault.run.lo && last.buffer == fault.buffer &&
                         last.writer == fault.writer && last.due == fault.due &&
                         last.unknown == fault.unknown;
    if (goes_on) {
      last.run.hi = fault.run.hi;
      return;
    }
  }
  faults.push_back(std::move(fault));
}

const std::vector<std::size_t>& Provenance::stores_to(const Storage* storage) const {
  static const std::vector<std::size_t> kNone;
  const auto found = stores_.find(storage);
  return found == stores_.end() ? kNone : found->second;
}

}  // namespace bufferproof::simulator
