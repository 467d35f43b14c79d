// A planned wrapper as the file torch_npu writes: header, kernels, call, benchmark part.
#include <algorithm>
#include <set>

#include "examples/resnet/wrapper_program.hpp"

namespace bufferproof::examples {
namespace {

constexpr const char* kHeader = R"(from torch_npu._C import _npu_getCurrentRawStream as get_raw_stream


from ctypes import c_void_p, c_long
import torch
import torch_npu
import math
import random
import os
os.environ["TORCHINDUCTOR_NPU_BACKEND"] = 'mlir'
import tempfile
from math import inf, nan
from torch._inductor.hooks import run_intermediate_hooks
from torch._inductor.utils import maybe_profile
from torch._inductor.codegen.memory_planning import _align as align

from torch import device, empty_strided
from torch_npu._inductor.ascend_npu_ir.ascend_npu_ir.codecache import CustomAsyncCompile
from torch._inductor.select_algorithm import extern_kernels
from torch._inductor.codegen.multi_kernel import MultiKernelCall
from torch.utils._sympy.functions import FloatTrueDiv
from torch.utils._sympy.functions import IntTrueDiv

has_initialized = False
aten = torch.ops.aten
inductor_ops = torch.ops.inductor
assert_size_stride = torch._C._dynamo.guards.assert_size_stride
empty_strided_cpu = torch._C._dynamo.guards._empty_strided_cpu
empty_strided_cuda = torch._C._dynamo.guards._empty_strided_cuda
alloc_from_pool = torch.ops.inductor._alloc_from_pool
reinterpret_tensor = torch._C._dynamo.guards._reinterpret_tensor
async_compile = CustomAsyncCompile()
)";

constexpr const char* kFooter = R"(

if __name__ == "__main__":
    from torch._inductor.wrapper_benchmark import compiled_module_main
    compiled_module_main('None', benchmark_compiled_module)
)";

constexpr const char* kBase32 = "abcdefghijklmnopqrstuvwxyz234567";
constexpr const char* kHex = "0123456789abcdef";

}  // namespace

class WrapperPrinter {
 public:
  WrapperPrinter(const WrapperProgram& program, const std::string& result)
      : program_(program), result_(result) {
    find_last_uses();
    plan_reuse();
  }

  std::string print() {
    text_ = kHeader;
    bool first = true;
    for (const KernelEntry& kernel : program_.kernels_) {
      definition(kernel);
      if (first) text_ += "torch_npu.npu.set_device(0)\n";
      first = false;
    }
    text_ += "\n\nasync_compile.wait(globals())\ndel async_compile\n\n";
    body();
    benchmark();
    return text_ + kFooter;
  }

  static std::string graph_hash(const WrapperProgram& program, const KernelEntry& kernel) {
    return "c" + program.hash(kernel.name + fx_text(kernel.graph, "<lambda>"), 51, kBase32);
  }

 private:
  // ---- memory planning
  void find_last_uses() {
    for (std::size_t i = 0; i < program_.calls_.size(); ++i)
      for (const std::string& name : program_.calls_[i].uses) last_use_[name] = i;
    last_use_.erase(result_);
  }
  std::string key(const std::string& name) const {
    Extent count = 1;
    for (const Extent& size : program_.buffers_.at(name).sizes) count = count * size;
    return count.str();
  }
  bool is_buffer(const std::string& name) const {
    return name.rfind("buf", 0) == 0 && program_.buffers_.count(name) != 0 && slices_.count(name) == 0;
  }
  void plan_reuse() {
    for (const Call& call : program_.calls_)
      if (!call.view_of.empty()) slices_.insert(call.output);
    if (!program_.options().reuse) return;
    std::map<std::string, std::vector<std::string>> pool;
    for (std::size_t i = 0; i < program_.calls_.size(); ++i) {
      const std::string wanted = memory_made_by(i);
      if (!wanted.empty())
        if (auto& free = pool[key(wanted)]; !free.empty()) {
          reused_[wanted] = free.back();
          handed_on_.insert(free.back());
          free.pop_back();
        }
      for (const std::string& name : ended_after(i))
        if (is_buffer(name)) pool[key(name)].push_back(name);
    }
  }
  /// The buffer a call allocates: its output, or the base at its first slice.
  std::string memory_made_by(std::size_t i) const {
    const Call& call = program_.calls_[i];
    if (call.view_of.empty()) return call.output;
    for (std::size_t j = 0; j < i; ++j)
      if (program_.calls_[j].view_of == call.view_of) return "";
    return call.view_of;
  }
  std::vector<std::string> ended_after(std::size_t i) const {
    std::vector<std::string> names;
    for (const std::string& name : program_.calls_[i].uses) {
      const auto found = last_use_.find(name);
      if (found != last_use_.end() && found->second == i &&
          std::find(names.begin(), names.end(), name) == names.end())
        names.push_back(name);
    }
    return names;
  }

  // ---- kernels
  void definition(const KernelEntry& kernel) {
    text_ += "\n\n";
    const KernelText kind = program_.options().text;
    if (kind == KernelText::fx) {
      text_ += "\"\"\"\n" + fx_text(kernel.graph, "<lambda>") + "\n\"\"\"\n";
      text_ += fmt::format("{} = async_compile.import_fx('{}', kernel_meta={})\n", kernel.name, kernel.name,
                           meta(kernel));
      return;
    }
    const std::string module = kind == KernelText::torch ? torch_text(kernel.graph, kernel.name)
                                                         : named_op_text(kernel.graph, kernel.name);
    text_ += fmt::format("{} = async_compile.mlir_auto_fallback('{}', '''\n{}''', kernel_meta={})\n",
                         kernel.name, kernel.name, module, meta(kernel));
  }
  std::string meta(const KernelEntry& kernel) const {
    const std::size_t inputs = kernel.graph.feeds.size();
    const bool dynamic = kernel.graph.batch_symbol() >= 0;
    const bool newer = program_.options().text == KernelText::torch;
    std::string text = fmt::format(
        "{{'device_str': 'npu', 'device_index': 0, {}'num_outputs': 1, 'non_contiguous_indices': {{'inputs': "
        "[], "
        "'outputs': [{}]}}, 'dynamic': {}, 'mutated_indices': [], 'traced_graph_cache': "
        "'traced_graph_cache', "
        "'traced_graph_hash': '{}', 'num_call_functions': 2",
        newer ? "'device_name': 'Ascend910B3', " : "",
        kernel.noncontiguous_output ? std::to_string(inputs) : "", dynamic ? "True" : "False",
        graph_hash(program_, kernel));
    if (newer)
      text += fmt::format(", 'is_reduction': {}, 'are_deterministic_algorithms_enabled': False",
                          kernel.graph.fused_name.find("_mean") == std::string::npos ? "False" : "True");
    if (program_.options().text != KernelText::fx) text += ", " + signature(kernel.graph);
    return text + "}";
  }
  std::string signature(const KernelGraph& graph) const {
    std::string types;
    std::string ranks;
    int position = 0;
    const auto add = [&](const std::string& type, std::size_t rank) {
      types += fmt::format("{}{}: '*{}'", position == 0 ? "" : ", ", position, type);
      ranks += fmt::format("{}{}", position == 0 ? "" : ", ", rank);
      ++position;
    };
    for (int index : graph.placeholders()) {
      const Node& node = graph.nodes[static_cast<std::size_t>(index)];
      if (node.op == Op::symbol)
        add("!torch.int", 1);
      else
        add("f32", node.shape.size());
    }
    add("f32", graph.output().shape.size());
    return fmt::format("'signature': {{{}}}, 'ranks': [{}], 'kernel_hash': '{}'", types, ranks,
                       program_.hash(named_op_text(graph, "k"), 64, kHex));
  }

  // ---- call
  void line(const std::string& text) { text_ += "    " + text + "\n"; }

  void body() {
    text_ += "def call(args):\n";
    std::vector<std::string> names;
    for (const auto& [name, sizes] : program_.inputs_) names.push_back(name);
    if (!names.empty())
      line(fmt::format("{}{} = args", fmt::join(names, ", "), names.size() == 1 ? "," : ""));
    line("args.clear()");
    if (!program_.batch_input_.empty()) line("s0 = " + program_.batch_input_);
    bool stream = false;
    for (std::size_t i = 0; i < program_.calls_.size(); ++i) {
      const Call& call = program_.calls_[i];
      allocate(i);
      if (call.launches_kernel && !stream) line("stream0 = get_raw_stream(0)");
      stream = stream || call.launches_kernel;
      for (const std::string& text : call.lines) line(text);
      for (const std::string& name : ended_after(i))
        if (handed_on_.count(name) == 0) line("del " + name);
    }
    line("return (" + result_ + ", )");
  }
  void allocate(std::size_t i) {
    const Call& call = program_.calls_[i];
    const std::string made = memory_made_by(i);
    if (!made.empty()) memory(made);
    if (!call.view_of.empty())
      line(fmt::format("{} = reinterpret_tensor({}, {}, {})  # alias", call.output, call.view_of,
                       layout(call.output), call.offset.str()));
    if (call.output.empty()) return;
    const std::string& captured = program_.buffers_.at(call.output).captured_as;
    if (!captured.empty())
      line(fmt::format("{} = reinterpret_tensor({}, {}, 0)", captured, call.output, layout(call.output)));
  }
  void memory(const std::string& name) {
    const auto old = reused_.find(name);
    if (old == reused_.end()) {
      line(fmt::format("{} = empty_strided({}, device='npu', dtype=torch.float32)", name, layout(name)));
    } else if (layout(name) == layout(old->second)) {
      line(fmt::format("{} = {}; del {}  # reuse", name, old->second, old->second));
    } else {
      line(fmt::format("{} = reinterpret_tensor({}, {}, 0); del {}  # reuse", name, old->second, layout(name),
                       old->second));
    }
  }
  std::string layout(const std::string& name) const {
    const BufferInfo& info = program_.buffers_.at(name);
    return tuple(info.sizes) + ", " + tuple(info.strides);
  }

  // ---- benchmark part
  Shape at_example(const Shape& shape) const {
    Shape values;
    for (const Extent& extent : shape)
      values.push_back(extent.symbolic ? Extent(extent.factor * program_.options().batch) : extent);
    return values;
  }
  void benchmark() {
    text_ += "\n\ndef benchmark_compiled_module(times=10, repeat=10):\n";
    line("from torch._dynamo.testing import rand_strided");
    line("from torch._inductor.utils import print_performance");
    std::vector<std::string> names;
    for (const auto& [name, sizes] : program_.inputs_) {
      names.push_back(name);
      if (name == program_.batch_input_)
        line(fmt::format("{} = {}", name, program_.options().batch));
      else
        line(fmt::format("{} = rand_strided({}, {}, device='npu:0', dtype=torch.float32)", name,
                         tuple(at_example(sizes)), tuple(at_example(row_major(sizes)))));
    }
    line(fmt::format("fn = lambda: call([{}])", fmt::join(names, ", ")));
    line("return print_performance(fn, times=times, repeat=repeat)");
  }

  const WrapperProgram& program_;
  std::string result_;
  std::map<std::string, std::size_t> last_use_;
  std::map<std::string, std::string> reused_;
  std::set<std::string> handed_on_;
  std::set<std::string> slices_;
  std::string text_;
};

std::string WrapperProgram::text(const std::string& result) const {
  return WrapperPrinter(*this, result).print();
}

std::map<std::string, std::string> WrapperProgram::traced_graphs() const {
  std::map<std::string, std::string> files;
  for (const KernelEntry& kernel : kernels_) {
    const std::string hash = WrapperPrinter::graph_hash(*this, kernel);
    files[hash] = module_text(kernel.graph, hash, options_.constants);
  }
  return files;
}

}  // namespace bufferproof::examples
