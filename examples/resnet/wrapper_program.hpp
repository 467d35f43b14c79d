// The wrapper before it is text: calls in order, on named buffers; then planned as Inductor plans memory.
//
// Buffers are named when they are made (buf0, buf1, ...); a buffer ends at its last use and may then be
// handed on to a later output of the same byte count (`# reuse`). Tested by tests/model/resnet_*.cpp.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "examples/resnet/kernel_graph.hpp"

namespace bufferproof::examples {

enum class KernelText { named_op, torch, fx };

struct WrapperOptions {
  KernelText text = KernelText::named_op;
  bool dynamic = false;
  bool reuse = true;
  bool captured_views =
      false;  ///< every extern reader of a kernel's output reads a view taken before the kernel ran
  std::int64_t batch = 8;
  bool constants = false;  ///< the traced graphs keep the epsilon as a tensor constant (B5)
  std::uint64_t seed = 0;  ///< only the made-up hashes depend on it
};

/// One line of the body, with the names it uses, so that their last use is known.
struct Call {
  std::vector<std::string> lines;  ///< without indentation
  std::vector<std::string> uses;
  /// Buffer to allocate before the lines; empty: none.
  std::string output;
  bool launches_kernel = false;  ///< needs stream0
  std::string view_of;           ///< `output` is a slice of this buffer at `offset`, not memory of its own
  Extent offset = 0;
};

struct BufferInfo {
  Shape sizes;
  Shape strides;
  std::string captured_as;  ///< name of the view taken at allocation; empty: none
};

struct KernelEntry {
  std::string name;
  KernelGraph graph;
  bool noncontiguous_output = false;
};

class WrapperProgram {
 public:
  explicit WrapperProgram(const WrapperOptions& options) : options_(options) {}

  const WrapperOptions& options() const { return options_; }
  Extent batch(std::int64_t factor = 1) const;

  /// A graph input; inputs are numbered in the order they are asked for.
  std::string input(const Shape& sizes);
  std::string conv(const std::string& x, const std::string& weight, Shape result, std::int64_t stride,
                   std::int64_t padding);
  /// A slice of `base` along one axis, to be the output of a kernel; the base is allocated at the first
  /// slice.
  struct Slice {
    std::string base;
    Shape sizes;
    Extent offset = 0;
  };
  /// Runs the kernel of `spec`; `feeds` names what the graph's tensor placeholders take, in their order.
  std::string kernel(const KernelSpec& spec, const std::vector<std::string>& feeds,
                     const Slice* slice = nullptr);
  std::string base_of_slices(const Shape& sizes);
  std::string max_pool(const std::string& x, Shape result);
  std::string linear(const std::string& x, std::int64_t features, std::int64_t classes);

  /// The whole output_code.py.
  std::string text(const std::string& result) const;
  /// FX fallback modules as the dump folder holds them: file name -> text.
  std::map<std::string, std::string> traced_graphs() const;
  std::size_t kernel_count() const { return kernels_.size(); }

 private:
  friend class WrapperPrinter;
  std::string buffer(Shape sizes, Shape strides);
  const std::string& kernel_name(const KernelGraph& graph, bool noncontiguous);
  std::string extern_operand(const std::string& name, std::vector<std::string>& uses) const;
  std::string hash(const std::string& what, std::size_t digits, const char* alphabet) const;

  WrapperOptions options_;
  std::vector<std::pair<std::string, Shape>> inputs_;  ///< the batch symbol has no sizes
  std::string batch_input_;
  std::map<std::string, BufferInfo> buffers_;
  std::vector<Call> calls_;
  std::vector<KernelEntry> kernels_;
  std::map<std::string, std::size_t> kernel_by_text_;
  int next_buffer_ = 0;
};

}  // namespace bufferproof::examples
