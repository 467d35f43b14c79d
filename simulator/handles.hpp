// Storages, handles and the names that refer to them (S1, S2).
//
// A storage counts addresses in units: elements in bufprog, bytes or a common divisor of the element sizes in
// wrappers. Two names may share a handle, two handles a storage. Tested by tests/simulator/rules_test.cpp.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "model/diagnostic.hpp"
#include "model/dtype.hpp"
#include "simulator/range_map.hpp"

namespace bufferproof::simulator {

class DeviceBlock;  // simulator/memory/device_memory.hpp

/// Stands for the size of a storage whose extent the file does not say.
inline constexpr std::int64_t kUnknownSize = std::int64_t{1} << 50;

struct Contents;  // below

struct Storage {
  std::int64_t size = 0;  ///< units
  int unit = 1;           ///< bytes per unit; 1 in bufprog, where an element is a unit
  std::int64_t life = 0;  ///< S4: how often it was handed over by `take`
  RangeMap tags;
  RangeMap accesses;
  std::string name;
  model::SourceLocation where;
  // In a run with values; null in one of tags alone.
  std::shared_ptr<DeviceBlock> memory;
  std::shared_ptr<const Contents> contents;  ///< what was stored, where the file does not say the size

  Storage(std::int64_t units, int unit_bytes);
  bool size_is_unknown() const { return size == kUnknownSize; }
  /// Makes `bytes` a multiple of the unit, so that elements of that size can be told apart (S1).
  void refine(int bytes);
};

enum class Mismatch : std::uint8_t { none, strides, shape };

/// Sizes and strides in elements.
struct Shape {
  std::vector<std::int64_t> sizes;
  std::vector<std::int64_t> strides;
  std::int64_t elements() const;  ///< checked by the evaluation that made it
};

struct Contents {
  Shape shape;
  model::DType dtype = model::DType::f32;
};

struct Handle {
  std::shared_ptr<Storage> storage;
  Shape shape;
  std::int64_t offset = 0;  ///< bytes; elements in bufprog
  int element_size = 1;
  std::optional<model::DType> dtype;
  std::int64_t life = 0;     ///< of the storage when this handle was made (S4)
  bool known_layout = true;  ///< false: its shape is not said
  bool known_window = true;  ///< false: which part of the storage it covers is not said
  Shape declared;            ///< what the program text said of it
  std::optional<model::DType> declared_dtype;
  Mismatch mismatch = Mismatch::none;  ///< C7

  std::int64_t span() const { return element_size / storage->unit; }  ///< units per element
  std::int64_t base() const { return offset / storage->unit; }
};

/// C7: how `now` differs from what was declared. Strides of axes of size 1 and of empty tensors do not
/// matter.
Mismatch compare_shapes(const Shape& declared, const Shape& now, bool same_dtype);

/// What a name refers to. `ideal`: the same name in the world the text means (C3), wrappers only.
struct Binding {
  std::shared_ptr<Handle> actual;  ///< null: the name has no storage on this path
  std::shared_ptr<Handle> ideal;
  bool dead = false;  ///< given up
};

using Names = std::unordered_map<std::string, Binding>;

}  // namespace bufferproof::simulator
