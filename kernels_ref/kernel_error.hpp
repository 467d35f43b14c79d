// The one exception the kernels raise: an op was called with something it does not accept.
//
// The message names the op, the argument, what was expected and what was found, so that a caller (a kernel
// body's executor, a user of the library) can print it as it is. It is never raised after an output was
// partly written. Tested by tests/kernels_ref/tensor_test.cpp.
#pragma once

#include <cstdint>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>

namespace bufferproof::kernels {

class KernelError : public std::runtime_error {
 public:
  /// "op 'matmul', argument 'b': expected shape [4, k], found shape [3, 5]".
  KernelError(std::string_view op, std::string_view argument, std::string_view expected,
              std::string_view found);
  const std::string& op() const { return op_; }
  const std::string& argument() const { return argument_; }

 private:
  std::string op_;
  std::string argument_;
};

/// "[2, 3, 4]": how sizes and strides stand in messages.
std::string format_sizes(std::span<const std::int64_t> sizes);

}  // namespace bufferproof::kernels
