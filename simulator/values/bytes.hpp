// Elements of an access as bytes: out of simulated memory and into it.
//
// What lies outside of the storage is not touched: read, it is the signalling pattern of its element type;
// stored, it is left out, as the tags do. Tested by tests/simulator/value_run_test.cpp.
#pragma once

#include "kernels_ref/tensor.hpp"
#include "simulator/memory_access.hpp"

namespace bufferproof::simulator {

/// A row-major copy of the elements, one axis per variable of the set, in the order of the set.
kernels::Tensor gather(const AccessPoint& at, const model::SourceLocation& where);

/// Stores row-major `values`, of the handle's element type, in the order of the set.
void scatter(const kernels::Tensor& values, const AccessPoint& to, const model::SourceLocation& where);

/// Whether all elements of the handle lie in memory there is; a storage of unknown size claims more than it
/// has.
bool in_memory(const Handle& handle);

/// The handle's elements in place: nullopt where some of them, or their element type, are not there.
std::optional<kernels::ConstTensorView> view_of(const Handle& handle, const model::SourceLocation& where);

/// Stores those elements of `values` whose logical index the set contains. `values` has the handle's sizes
/// and element size. Nothing is converted.
void store(const AccessPoint& at, const kernels::ConstTensorView& values, const model::SourceLocation& where);

/// Row-major bytes from the access' first element on, whatever it is declared to hold (E2).
void store_raw(const AccessPoint& at, const kernels::ConstTensorView& values);

/// The signalling pattern over all elements of the access.
void store_nothing_known(const AccessPoint& at);

/// What a region holds, to be put back.
class Kept {
 public:
  explicit Kept(const std::vector<AccessPoint>& regions);
  void put_back() const;

 private:
  struct Part {
    std::byte* place;
    std::vector<std::byte> bytes;
  };
  std::vector<Part> parts_;
};

/// The access to every element of a handle.
AccessPoint whole_of(const std::string& name, const Handle& handle, const model::SourceLocation& where);

/// The same values as elements of another type and of sizes they broadcast to, as `copy_` converts (E3):
/// toward zero to integers, else to nearest. nullopt where the sizes do not broadcast.
std::optional<kernels::Tensor> converted(const kernels::ConstTensorView& values, model::DType dtype,
                                         const kernels::Sizes& sizes);

}  // namespace bufferproof::simulator
