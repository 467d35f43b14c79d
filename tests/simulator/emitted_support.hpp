// Emitted ResNet wrappers, read, lowered and given weights.
#pragma once

#include <map>
#include <string>

#include "examples/resnet/network.hpp"
#include "kernels_ref/tensor.hpp"
#include "model/lower.hpp"
#include "model/read/kernel_bodies.hpp"
#include "model/read/wrapper/wrapper.hpp"
#include "model/runtime_profile.hpp"
#include "simulator/values/value_run.hpp"

namespace bufferproof::simulator {

inline model::Program read_emitted(const examples::NetworkOptions& network,
                                   const examples::WrapperOptions& wrapper = {}) {
  model::Program program =
      model::wrapper::read_wrappers(examples::emit_resnet(network, wrapper).text, "resnet.py").at(0);
  model::read_kernel_bodies(program);
  return program;
}

inline model::Program emitted(std::string_view profile, const examples::NetworkOptions& network,
                              const examples::WrapperOptions& wrapper = {}) {
  model::Program out = model::lower(read_emitted(network, wrapper), model::require_profile(profile));
  model::number_steps(out);
  return out;
}

inline examples::NetworkOptions small_network(int first = 0, int last = 5) {
  examples::NetworkOptions out;
  out.image = 32;
  out.first_stage = first;
  out.last_stage = last;
  return out;
}

inline examples::WrapperOptions batch(std::int64_t size) {
  examples::WrapperOptions out;
  out.batch = size;
  return out;
}

inline const kernels::Tensor& result(const ValueTrace& trace, std::size_t call = 0) {
  return trace.calls.at(call).at(0).tensor;
}

/// How many elements are NaN.
inline std::size_t nans(const kernels::Tensor& tensor) {
  std::size_t count = 0;
  for (const float value : tensor.elements<float>()) count += value != value ? 1 : 0;
  return count;
}

}  // namespace bufferproof::simulator
