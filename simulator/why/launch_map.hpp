// The bodies of a run's launches with every size a number, and where their operands lie.
//
// Results whose shape the file does not say get the shape their call's body infers. Tested by
// tests/simulator/why_test.cpp.
#pragma once

#include <map>
#include <optional>

#include "model/program.hpp"
#include "simulator/launch_body.hpp"
#include "simulator/provenance.hpp"
#include "simulator/why/place.hpp"

namespace bufferproof::simulator {

/// What one launch computes, in names of buffers.
struct LaunchMap {
  model::TensorFunction body;
  std::vector<std::string> parameters;  ///< "" for a scalar
  std::vector<std::string> outputs;     ///< per result; "": nobody's
};

class LaunchMaps {
 public:
  LaunchMaps(const model::Program& program, const Provenance& known);

  /// Null: what the step computes cannot be read.
  const LaunchMap* of(std::size_t step);
  /// Where an access's tensor lies; nullopt: its layout is not known.
  std::optional<Place> place(const Provenance::Access& access) const;
  /// The first read of `buffer` by a step; nullopt: it reads none.
  std::optional<std::size_t> read_of(std::size_t step, const std::string& buffer) const;

 private:
  struct Type {
    model::DType dtype = model::DType::f32;
    std::vector<std::int64_t> sizes;
  };
  std::optional<Type> type_of(const Handle& handle) const;
  void infer_types(std::size_t first_store);
  std::optional<LaunchMap> make(std::size_t step) const;
  std::optional<LaunchMap> of_kernel(const Provenance::Step& step) const;
  std::optional<LaunchMap> of_call(const Provenance::Step& step) const;

  const model::Program& program_;
  const Provenance& known_;
  std::map<const Storage*, Type> types_;  ///< of storages whose shape the file does not say
  std::map<std::size_t, std::optional<LaunchMap>> maps_;
};

}  // namespace bufferproof::simulator
