#include "examples/synthetic/synthetic.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <random>
#include <stdexcept>
#include <vector>

namespace bufferproof::examples {
namespace {

constexpr int kWidth = 64;

/// One kernel call: what it reads (buffers by number, -1: the graph input) and where it writes.
struct Call {
  std::vector<int> reads;
  int half = -1;  ///< 0, 1: writes that half of the sliced buffer; -1: a buffer of its own
};

/// Buffers are numbered as they are made; a sliced buffer has one number for both halves.
struct Buffer {
  bool sliced = false;
  std::size_t last_use = 0;
  int reused_from = -1;
};

class Synthetic {
 public:
  explicit Synthetic(const SyntheticOptions& options) : options_(options), random_(options.seed) {}

  std::string print() {
    plan();
    text_ =
        "from torch_npu._C import _npu_getCurrentRawStream as get_raw_stream\nimport torch\n"
        "from torch import device, empty_strided\n"
        "from torch_npu._inductor.ascend_npu_ir.ascend_npu_ir.codecache import CustomAsyncCompile\n"
        "reinterpret_tensor = torch._C._dynamo.guards._reinterpret_tensor\nasync_compile = "
        "CustomAsyncCompile()\n";
    for (std::size_t i = 0; i < calls_.size(); ++i) definition(i);
    text_ += "\n\nasync_compile.wait(globals())\ndel async_compile\n\n";
    body();
    benchmark();
    return std::move(text_);
  }

 private:
  // ---- what calls what
  void plan() {
    const auto count = static_cast<std::size_t>(options_.kernels);
    while (calls_.size() < count) {
      const bool room = calls_.size() + 2 < count;
      if (options_.slices_every > 0 && room &&
          (calls_.size() + 1) % static_cast<std::size_t>(options_.slices_every) == 0) {
        const std::vector<int> reads = inputs();
        buffers_.push_back({.sliced = true});
        for (int half = 0; half < 2; ++half) add({reads, half});
      } else {
        const std::vector<int> reads = inputs();
        buffers_.push_back({});
        add({reads, -1});
      }
    }
    if (options_.reuse) hand_on();
  }
  /// The newest buffer and one of the eight before it.
  std::vector<int> inputs() {
    const int newest = static_cast<int>(buffers_.size()) - 1;
    if (newest < 0) return {-1, -1};
    const int span = std::min(newest + 1, 8);
    return {newest, newest - static_cast<int>(random_() % static_cast<std::uint64_t>(span))};
  }
  void add(Call call) {
    for (const int read : call.reads)
      if (read >= 0) buffers_[static_cast<std::size_t>(read)].last_use = calls_.size();
    buffers_.back().last_use = std::max(buffers_.back().last_use, calls_.size());
    output_.push_back(static_cast<int>(buffers_.size()) - 1);
    calls_.push_back(std::move(call));
  }
  /// A buffer that ended before a call is taken for its output; sliced buffers are another size and are not.
  void hand_on() {
    std::vector<int> pool;
    for (std::size_t i = 0; i < calls_.size(); ++i) {
      Buffer& made = buffers_[static_cast<std::size_t>(output_[i])];
      if (calls_[i].half < 0 && !pool.empty()) {
        made.reused_from = pool.back();
        handed_on_.resize(buffers_.size());
        handed_on_[static_cast<std::size_t>(pool.back())] = true;
        pool.pop_back();
      }
      for (const int name : ended_after(i))
        if (!buffers_[static_cast<std::size_t>(name)].sliced) pool.push_back(name);
    }
  }
  std::vector<int> ended_after(std::size_t i) const {
    std::vector<int> ended;
    for (const int name : calls_[i].reads)
      if (name >= 0 && buffers_[static_cast<std::size_t>(name)].last_use == i &&
          std::find(ended.begin(), ended.end(), name) == ended.end())
        ended.push_back(name);
    return ended;
  }

  // ---- text
  std::string batch() const { return options_.dynamic ? "s0" : "8"; }
  static std::string kernel(std::size_t i) { return fmt::format("mlir_fused_add_relu_{}", i); }

  void definition(std::size_t i) {
    const std::string t =
        options_.dynamic ? fmt::format("tensor<?x{}xf32>", kWidth) : fmt::format("tensor<8x{}xf32>", kWidth);
    const std::string dim =
        options_.dynamic
            ? fmt::format("    %c0 = arith.constant 0 : index\n    %dim = tensor.dim %arg0, %c0 : {}\n", t)
            : "";
    text_ += fmt::format(
        "\n\n{0} = async_compile.mlir_auto_fallback('{0}', '''\nmodule {{\n  func.func @{0}(%arg0: {1}, "
        "%arg1: {1}) -> {1} "
        "attributes {{hacc.entry, hacc.function_kind = #hacc.function_kind<{2}>}} {{\n{3}    %0 = "
        "tensor.empty({4}) : {1}\n"
        "    %1 = linalg.elemwise_binary {{fun = #linalg.binary_fn<add>}} ins(%arg0, %arg1 : {1}, {1}) "
        "outs(%0 : {1}) -> "
        "{1}\n    %2 = hfusion.elemwise_unary {{fun = #hfusion.unary_fn<relu>}} ins(%1 : {1}) outs(%0 : {1}) "
        "-> {1}\n"
        "    return %2 : {1}\n  }}\n}}\n''', kernel_meta={{'device_str': 'npu', 'device_index': 0, "
        "'num_outputs': 1, "
        "'non_contiguous_indices': {{'inputs': [], 'outputs': []}}, 'dynamic': {5}, 'mutated_indices': [], "
        "'traced_graph_cache': 'traced_graph_cache', 'traced_graph_hash': 'c{0}', 'num_call_functions': 2, "
        "'signature': "
        "{{0: '*f32', 1: '*f32', 2: '*f32'}}, 'ranks': [2, 2, 2]}})\n",
        kernel(i), t, options_.dynamic ? "HOST" : "DEVICE", dim, options_.dynamic ? "%dim" : "",
        options_.dynamic ? "True" : "False");
  }

  void line(const std::string& text) { text_ += "    " + text + "\n"; }
  std::string operand(int name) const {
    if (name < 0) return options_.dynamic ? "arg1_1" : "arg0_1";
    if (!buffers_[static_cast<std::size_t>(name)].sliced) return fmt::format("buf{}", name);
    return fmt::format("reinterpret_tensor(buf{}, ({}, {}), ({}, 1), {})", name, batch(), kWidth, 2 * kWidth,
                       kWidth);
  }
  std::string output(std::size_t i) {
    const int name = output_[i];
    const Buffer& buffer = buffers_[static_cast<std::size_t>(name)];
    const int half = calls_[i].half;
    if (half <= 0 && buffer.reused_from >= 0)
      line(fmt::format("buf{} = buf{}; del buf{}  # reuse", name, buffer.reused_from, buffer.reused_from));
    else if (half <= 0)
      line(fmt::format("buf{} = empty_strided(({}, {}), ({}, 1), device='npu', dtype=torch.float32)", name,
                       batch(), buffer.sliced ? 2 * kWidth : kWidth, buffer.sliced ? 2 * kWidth : kWidth));
    if (half < 0) return fmt::format("buf{}", name);
    line(fmt::format("half{}_{} = reinterpret_tensor(buf{}, ({}, {}), ({}, 1), {})  # alias", name, half,
                     name, batch(), kWidth, 2 * kWidth, half * kWidth));
    return fmt::format("half{}_{}", name, half);
  }
  void body() {
    text_ += "def call(args):\n";
    line(options_.dynamic ? "arg0_1, arg1_1 = args" : "arg0_1, = args");
    line("args.clear()");
    if (options_.dynamic) line("s0 = arg0_1");
    line("stream0 = get_raw_stream(0)");
    handed_on_.resize(buffers_.size());
    for (std::size_t i = 0; i < calls_.size(); ++i) {
      const std::string out = output(i);
      line(fmt::format("{}.run({}, {}, {}, stream=stream0)", kernel(i), operand(calls_[i].reads[0]),
                       operand(calls_[i].reads[1]), out));
      if (calls_[i].half >= 0) line("del " + out);
      for (const int name : ended_after(i))
        if (!handed_on_[static_cast<std::size_t>(name)]) line(fmt::format("del buf{}", name));
    }
    line(fmt::format("return (buf{}, )", output_.back()));
  }
  void benchmark() {
    text_ += "\n\ndef benchmark_compiled_module(times=10, repeat=10):\n";
    line("from torch._dynamo.testing import rand_strided");
    line("from torch._inductor.utils import print_performance");
    if (options_.dynamic) line("arg0_1 = 8");
    const std::string x = operand(-1);
    line(fmt::format("{} = rand_strided((8, {}), ({}, 1), device='npu:0', dtype=torch.float32)", x, kWidth,
                     kWidth));
    line(fmt::format("fn = lambda: call([{}{}])", options_.dynamic ? "arg0_1, " : "", x));
    line("return print_performance(fn, times=times, repeat=repeat)");
  }

  const SyntheticOptions& options_;
  std::mt19937_64 random_;
  std::vector<Call> calls_;
  std::vector<int> output_;  ///< buffer of each call
  std::vector<Buffer> buffers_;
  std::vector<bool> handed_on_;
  std::string text_;
};

}  // namespace

std::string synthetic_wrapper(const SyntheticOptions& options) {
  if (options.kernels < 2 || options.kernels > 1'000'000)
    throw std::invalid_argument("2 to 1,000,000 kernels");
  return Synthetic(options).print();
}

}  // namespace bufferproof::examples
