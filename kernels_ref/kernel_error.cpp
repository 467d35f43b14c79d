#include "kernels_ref/kernel_error.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace bufferproof::kernels {

KernelError::KernelError(std::string_view op, std::string_view argument, std::string_view expected,
                         std::string_view found)
    : std::runtime_error(
          fmt::format("op '{}', argument '{}': expected {}, found {}", op, argument, expected, found)),
      op_(op),
      argument_(argument) {}

std::string format_sizes(std::span<const std::int64_t> sizes) {
  return fmt::format("[{}]", fmt::join(sizes.begin(), sizes.end(), ", "));
}

}  // namespace bufferproof::kernels
