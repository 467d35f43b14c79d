#include "kernels_ref/network/random.hpp"

#include "kernels_ref/kernel_error.hpp"

namespace bufferproof::kernels {

Tensor seeded_tensor(DType dtype, const Sizes& sizes, std::uint64_t seed, double centre, double spread) {
  if (dtype != DType::f32 && dtype != DType::f64)
    throw KernelError("seeded_tensor", "dtype", "f32 or f64", model::name(dtype));
  Tensor tensor(dtype, sizes);
  SeededRandom random(seed);
  const auto value = [&] { return static_cast<float>(centre + spread * random.unit()); };
  if (dtype == DType::f32)
    for (float& element : tensor.elements<float>()) element = value();
  else
    for (double& element : tensor.elements<double>()) element = static_cast<double>(value());
  return tensor;
}

std::uint64_t content_hash(const ConstTensorView& view) {
  const Tensor copy = contiguous_copy(view);
  std::uint64_t hash = 0xcbf29ce484222325ULL;
  for (std::size_t i = 0; i < copy.size_in_bytes(); ++i)
    hash = (hash ^ std::to_integer<std::uint64_t>(copy.view().bytes()[i])) * 0x100000001b3ULL;
  return hash;
}

}  // namespace bufferproof::kernels
