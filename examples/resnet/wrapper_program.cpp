#include "examples/resnet/wrapper_program.hpp"

namespace bufferproof::examples {
namespace {

/// Mixes text into 64 bits (FNV-1a, then splitmix64 steps for more digits).
std::uint64_t fnv(const std::string& text, std::uint64_t seed) {
  std::uint64_t state = 1469598103934665603ULL ^ seed;
  for (unsigned char c : text) state = (state ^ c) * 1099511628211ULL;
  return state;
}

std::uint64_t splitmix(std::uint64_t& state) {
  state += 0x9e3779b97f4a7c15ULL;
  std::uint64_t z = state;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
  return z ^ (z >> 31);
}

std::string quoted(const Shape& sizes, const Shape& strides) { return tuple(sizes) + ", " + tuple(strides); }

}  // namespace

Extent WrapperProgram::batch(std::int64_t factor) const {
  return options_.dynamic ? Extent(factor, true) : Extent(factor * options_.batch);
}

std::string WrapperProgram::input(const Shape& sizes) {
  const auto next = [this] { return "arg" + std::to_string(inputs_.size()) + "_1"; };
  if (!sizes.empty() && sizes[0].symbolic && batch_input_.empty()) {
    batch_input_ = next();
    inputs_.emplace_back(batch_input_, Shape{});
  }
  inputs_.emplace_back(next(), sizes);
  buffers_[inputs_.back().first] = {sizes, row_major(sizes), ""};
  return inputs_.back().first;
}

std::string WrapperProgram::buffer(Shape sizes, Shape strides) {
  const std::string name = "buf" + std::to_string(next_buffer_++);
  buffers_[name] = {std::move(sizes), std::move(strides), ""};
  return name;
}

std::string WrapperProgram::extern_operand(const std::string& name, std::vector<std::string>& uses) const {
  uses.push_back(name);
  const std::string& view = buffers_.at(name).captured_as;
  if (view.empty()) return name;
  uses.push_back(view);
  return view;
}

std::string WrapperProgram::conv(const std::string& x, const std::string& weight, Shape result,
                                 std::int64_t stride, std::int64_t padding) {
  const Shape strides = row_major(result);
  const std::string out = buffer(std::move(result), strides);
  Call call;
  call.uses = {weight};
  const std::string operand = extern_operand(x, call.uses);
  call.lines = {
      "# Topologically Sorted Source Nodes: [conv2d], Original ATen: [aten.convolution]",
      fmt::format(
          "{} = extern_kernels.convolution({}, {}, stride=({}, {}), padding=({}, {}), dilation=(1, 1), "
          "transposed=False, output_padding=(0, 0), groups=1, bias=None)",
          out, operand, weight, stride, stride, padding, padding)};
  calls_.push_back(call);
  return out;
}

const std::string& WrapperProgram::kernel_name(const KernelGraph& graph, bool noncontiguous) {
  const auto [found, fresh] = kernel_by_text_.insert({named_op_text(graph, "MODEL_NAME"), kernels_.size()});
  if (fresh)
    kernels_.push_back(
        {"mlir_" + graph.fused_name + "_" + std::to_string(kernels_.size()), graph, noncontiguous});
  return kernels_[found->second].name;
}

std::string WrapperProgram::base_of_slices(const Shape& sizes) { return buffer(sizes, row_major(sizes)); }

std::string WrapperProgram::kernel(const KernelSpec& spec, const std::vector<std::string>& feeds,
                                   const Slice* slice) {
  const KernelGraph graph = make_kernel_graph(spec);
  const Shape& sizes = graph.output().shape;
  Shape strides = row_major(sizes);
  Call call;
  call.launches_kernel = true;
  if (spec.mean) {  // a reduction's own order: the averaged axes outermost
    const Extent all = sizes[0] * sizes[1];
    strides = {sizes[1], 1, all, all};
  }
  if (slice) {
    strides = buffers_.at(slice->base).strides;
    call.view_of = slice->base;
    call.offset = slice->offset;
    call.uses.push_back(slice->base);
  }
  const bool contiguous = !slice || strides == row_major(sizes);
  const std::string& name = kernel_name(graph, !contiguous);
  std::string arguments;
  std::size_t next = 0;
  for (Feed feed : graph.feeds) {
    std::string argument;
    if (feed == Feed::batch) {
      argument = spec.shape[0].factor == 1 ? "s0" : fmt::format("_uwu_{}xvxcs0", spec.shape[0].factor);
      if (spec.shape[0].factor != 1) call.lines.push_back(argument + " = " + spec.shape[0].str());
    } else {
      argument = feeds.at(next++);
      call.uses.push_back(argument);
    }
    arguments += argument + ", ";
  }
  call.output = buffer(sizes, strides);
  call.uses.push_back(call.output);
  if (options_.captured_views && !slice) {
    buffers_[call.output].captured_as = call.output + "_view";
    call.uses.push_back(call.output + "_view");
  }
  call.lines.push_back(fmt::format("{}.run({}{}, stream=stream0)", name, arguments, call.output));
  calls_.push_back(call);
  return call.output;
}

std::string WrapperProgram::max_pool(const std::string& x, Shape result) {
  const std::string both = "buf" + std::to_string(next_buffer_++);
  const Shape strides = row_major(result);
  const std::string out = buffer(std::move(result), strides);
  Call call;
  const std::string operand = extern_operand(x, call.uses);
  call.lines = {
      "# Topologically Sorted Source Nodes: [max_pool2d], Original ATen: [aten.max_pool2d_with_indices]",
      fmt::format("{} = torch.ops.aten.max_pool2d_with_indices.default({}, [3, 3], [2, 2], [1, 1])", both,
                  operand),
      fmt::format("{} = {}[0]", out, both), "del " + both};
  calls_.push_back(call);
  return out;
}

std::string WrapperProgram::linear(const std::string& x, std::int64_t features, std::int64_t classes) {
  const std::string weight = input({classes, features});
  const std::string bias = input({classes});
  const Extent rows = buffers_.at(x).sizes[0];
  Call call;
  call.output = buffer({rows, classes}, row_major({rows, classes}));
  call.uses = {weight, bias, call.output};
  const std::string operand = extern_operand(x, call.uses);
  call.lines = {
      "# Topologically Sorted Source Nodes: [linear], Original ATen: [aten.addmm]",
      fmt::format("extern_kernels.addmm({}, reinterpret_tensor({}, {}, 0), reinterpret_tensor({}, {}, 0), "
                  "alpha=1, beta=1, out={})",
                  bias, operand, quoted({rows, features}, {features, 1}), weight,
                  quoted({features, classes}, {1, features}), call.output)};
  calls_.push_back(call);
  return call.output;
}

std::string WrapperProgram::hash(const std::string& what, std::size_t digits, const char* alphabet) const {
  const std::string letters = alphabet;
  std::uint64_t state = fnv(what, options_.seed);
  std::string text;
  for (std::size_t i = 0; i < digits; ++i) text += letters[splitmix(state) % letters.size()];
  return text;
}

}  // namespace bufferproof::examples
