// Prints one hash per registered op, over fixed seeded operands with edge values: what scripts/cross-isa
// compares between builds, instruction sets, thread counts and processors.
//
//   kernel_hashes [--threads N] [--flush-to-zero] [--no-network]
//
// An op with no case of its own is called with one, two and three operands of each element type; what it
// accepts is hashed. Exit code 1 when an op accepted nothing: then it needs a case below.
#include <array>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <string>
#include <vector>

#include "kernels_ref/fp_state.hpp"
#include "kernels_ref/kernel_error.hpp"
#include "kernels_ref/network/random.hpp"
#include "kernels_ref/network/resnet18.hpp"
#include "kernels_ref/parallel.hpp"
#include "kernels_ref/registry.hpp"
#include "tests/kernels_ref/random_tensor.hpp"

namespace bufferproof::kernels {
namespace {

using List = std::vector<std::int64_t>;

/// One call: operands by shape and type, attributes, results by shape and type.
struct TensorSpec {
  DType dtype;
  Sizes sizes;
};
struct Case {
  std::vector<TensorSpec> inputs;
  Attributes attributes;
  std::vector<TensorSpec> outputs;
};

TensorSpec f32(Sizes sizes) { return {DType::f32, std::move(sizes)}; }
TensorSpec i64(Sizes sizes) { return {DType::i64, std::move(sizes)}; }
TensorSpec i1(Sizes sizes) { return {DType::i1, std::move(sizes)}; }

const std::multimap<std::string, Case>& cases() {
  static const std::multimap<std::string, Case> all{
      {"convolution",
       {{f32({2, 6, 13, 11}), f32({8, 3, 3, 3}), f32({8})},
        {{"stride", List{2, 1}}, {"padding", List{1, 1}}, {"groups", std::int64_t{2}}},
        {f32({2, 8, 7, 11})}}},
      {"convolution", {{f32({1, 70, 9, 9}), f32({9, 70, 3, 3})}, {}, {f32({1, 9, 7, 7})}}},
      {"matmul", {{f32({33, 300}), f32({300, 50})}, {}, {f32({33, 50})}}},
      {"bmm", {{f32({3, 9, 40}), f32({3, 40, 17})}, {}, {f32({3, 9, 17})}}},
      {"addmm", {{f32({50}), f32({7, 300}), f32({300, 50})}, {{"alpha", 0.5}}, {f32({7, 50})}}},
      {"baddbmm", {{f32({3, 9, 17}), f32({3, 9, 40}), f32({3, 40, 17})}, {{"beta", 0.3}}, {f32({3, 9, 17})}}},
      {"max_pool2d",
       {{f32({2, 3, 11, 9})},
        {{"kernel", List{3, 3}}, {"stride", List{2, 2}}, {"padding", List{1, 1}}},
        {f32({2, 3, 6, 5}), i64({2, 3, 6, 5})}}},
      {"avg_pool2d",
       {{f32({2, 3, 11, 9})},
        {{"kernel", List{3, 3}}, {"stride", List{2, 2}}, {"padding", List{1, 1}}},
        {f32({2, 3, 6, 5})}}},
      {"adaptive_avg_pool2d", {{f32({2, 3, 11, 9})}, {{"output", List{4, 2}}}, {f32({2, 3, 4, 2})}}},
      {"softmax", {{f32({5, 77})}, {{"dim", std::int64_t{1}}}, {f32({5, 77})}}},
      {"log_softmax", {{f32({5, 77})}, {{"dim", std::int64_t{0}}}, {f32({5, 77})}}},
      {"layer_norm",
       {{f32({5, 77}), f32({77}), f32({77})},
        {{"normalized_shape", List{77}}, {"eps", 1e-5}},
        {f32({5, 77})}}},
      {"native_batch_norm",
       {{f32({2, 7, 5, 5}), f32({7}), f32({7}), f32({7}), f32({7})}, {{"eps", 1e-5}}, {f32({2, 7, 5, 5})}}},
      {"sum", {{f32({7, 1000})}, {{"dims", List{1}}}, {f32({7})}}},
      {"sum", {{f32({1000, 7})}, {{"dims", List{0}}}, {f32({7})}}},
      {"prod", {{f32({7, 100})}, {{"dims", List{1}}}, {f32({7})}}},
      {"amax", {{f32({7, 100})}, {{"dims", List{1}}}, {f32({7})}}},
      {"amin", {{f32({7, 100})}, {{"dims", List{1}}}, {f32({7})}}},
      {"any", {{f32({7, 100})}, {{"dims", List{1}}}, {i1({7})}}},
      {"all", {{f32({7, 100})}, {{"dims", List{1}}}, {i1({7})}}},
      {"mean", {{f32({7, 1000})}, {{"dims", List{1}}}, {f32({7})}}},
      {"var_mean",
       {{f32({7, 1000})}, {{"dims", List{1}}, {"correction", std::int64_t{1}}}, {f32({7}), f32({7})}}},
      {"reduce", {{f32({7, 1000}), f32({7})}, {{"fn", std::string("sum")}, {"dims", List{1}}}, {f32({7})}}},
      {"arg_reduce",
       {{f32({7, 100})}, {{"fn", std::string("max")}, {"dim", std::int64_t{1}}}, {f32({7}), i64({7})}}},
      {"cumulative",
       {{f32({7, 100})}, {{"fn", std::string("sum")}, {"dim", std::int64_t{1}}}, {f32({7, 100})}}},
      {"reshape", {{f32({6, 10})}, {}, {f32({4, 15})}}},
      {"broadcast", {{f32({1, 10})}, {}, {f32({6, 10})}}},
      {"expand", {{f32({1, 10})}, {}, {f32({6, 10})}}},
      {"transpose", {{f32({6, 10})}, {{"permutation", List{1, 0}}}, {f32({10, 6})}}},
      {"slice", {{f32({6, 10})}, {{"offsets", List{1, 2}}, {"strides", List{2, 3}}}, {f32({2, 3})}}},
      {"insert_slice",
       {{f32({2, 3}), f32({6, 10})}, {{"offsets", List{1, 2}}, {"strides", List{2, 3}}}, {f32({6, 10})}}},
      {"concat", {{f32({6, 10}), f32({6, 3})}, {{"dim", std::int64_t{1}}}, {f32({6, 13})}}},
      {"pad", {{f32({6, 10})}, {{"low", List{1, 2}}, {"high", List{0, 3}}}, {f32({7, 15})}}},
      {"repeat", {{f32({6, 10})}, {{"repeats", List{2, 3}}}, {f32({12, 30})}}},
      {"flip", {{f32({6, 10})}, {{"dims", List{1}}}, {f32({6, 10})}}},
      {"iota", {{}, {{"dim", std::int64_t{1}}}, {i64({3, 5})}}},
      {"arange", {{}, {{"start", 0.1}, {"step", 0.3}}, {f32({50})}}},
      {"gather", {{f32({6, 10}), i64({6, 4})}, {{"dim", std::int64_t{1}}}, {f32({6, 4})}}},
      {"take", {{f32({6, 10}), i64({4})}, {{"dim", std::int64_t{0}}}, {f32({4, 10})}}},
      {"embedding", {{f32({6, 10}), i64({7})}, {}, {f32({7, 10})}}},
  };
  return all;
}

/// What an op without a case is tried with.
std::vector<Case> guesses() {
  std::vector<Case> tried;
  for (const DType in :
       {DType::f32, DType::f64, DType::f16, DType::bf16, DType::i32, DType::i64, DType::u8, DType::i1})
    for (const DType out :
         {DType::f32, DType::f64, DType::f16, DType::bf16, DType::i32, DType::i64, DType::u8, DType::i1})
      for (std::size_t count = 0; count <= 3; ++count) {
        std::vector<TensorSpec> inputs(count, TensorSpec{in, {9, 111}});
        tried.push_back({inputs, {}, {{out, {9, 111}}}});
        if (count == 3) {
          inputs[0].dtype = DType::i1;  // select
          tried.push_back({inputs, {}, {{out, {9, 111}}}});
        }
      }
  return tried;
}

/// Integers stay small enough to be indices; floats hold edge values.
Tensor make_operand(const TensorSpec& spec, std::uint64_t seed) {
  if (model::is_floating(spec.dtype)) return random_tensor(spec.dtype, spec.sizes, seed, Values::edge);
  Tensor tensor(spec.dtype, spec.sizes);
  TestRandom random(seed);
  visit_dtype(spec.dtype, [&]<typename T>(TypeTag<T>) {
    if constexpr (std::is_integral_v<T>)
      for (T& element : tensor.elements<T>()) element = static_cast<T>(random.below(4));
    else if constexpr (std::is_same_v<T, Bool8>)
      for (T& element : tensor.elements<T>()) element.byte = static_cast<std::uint8_t>(random.below(2));
  });
  return tensor;
}

std::uint64_t mix(std::uint64_t hash, std::uint64_t value) { return (hash ^ value) * 0x100000001b3ULL; }

/// Whether the host flushes subnormals while kernels run (not while operands are made).
bool host_flushes = false;
struct HostState {
  HostState() { set_flush_to_zero(host_flushes); }
  ~HostState() { set_flush_to_zero(false); }
};

/// False when the op does not take such a call.
bool hash_case(const OpEntry& entry, const Case& c, std::uint64_t& hash) {
  std::vector<Tensor> inputs, outputs;
  OpCall call{std::string(entry.name), {}, c.attributes, {}, {}};
  for (const TensorSpec& spec : c.inputs) inputs.push_back(make_operand(spec, inputs.size() + 1));
  for (const TensorSpec& spec : c.outputs) outputs.emplace_back(spec.dtype, spec.sizes);
  for (const Tensor& tensor : inputs) call.inputs.emplace_back(tensor.view());
  for (Tensor& tensor : outputs) call.outputs.push_back(tensor.view());
  try {
    const HostState host;
    entry.run(call);
  } catch (const KernelError&) {
    return false;
  }
  for (const Tensor& tensor : outputs) hash = mix(hash, content_hash(tensor.view()));
  return true;
}

/// Hash over every accepted call of one op; false when there is none.
bool print_hash(const OpEntry& entry) {
  std::uint64_t hash = 0xcbf29ce484222325ULL;
  int accepted = 0;
  const auto [first, last] = cases().equal_range(std::string(entry.name));
  for (auto it = first; it != last; ++it) accepted += hash_case(entry, it->second, hash) ? 1 : 0;
  if (first == last)
    for (const Case& guess : guesses()) accepted += hash_case(entry, guess, hash) ? 1 : 0;
  std::printf("%s %016llx %d\n", entry.name.data(), static_cast<unsigned long long>(hash), accepted);
  return accepted > 0 && (first == last || accepted == std::distance(first, last));
}

void print_network() {
  for (const char* profile : {"ieee-f32", "ascend-a2"}) {
    ResNet18 network(1, DType::f32, numerics_profile(profile));
    const Tensor images = ResNet18::images(DType::f32, 1, 32, 7);
    const HostState host;
    const Tensor logits = network.forward(images.view());
    std::printf("resnet18-32x32/%s %016llx 1\n", profile,
                static_cast<unsigned long long>(content_hash(logits.view())));
  }
}

int run(int argc, char** argv) {
  bool network = true;
  for (int i = 1; i < argc; ++i) {
    if (std::strcmp(argv[i], "--threads") == 0 && i + 1 < argc) set_thread_count(std::atoi(argv[++i]));
    if (std::strcmp(argv[i], "--flush-to-zero") == 0) host_flushes = true;
    if (std::strcmp(argv[i], "--no-network") == 0) network = false;
  }
  int missing = 0;
  for (const auto& [name, entry] : OpRegistry::builtin().entries()) missing += print_hash(entry) ? 0 : 1;
  if (network) print_network();
  return missing == 0 ? 0 : 1;
}

}  // namespace
}  // namespace bufferproof::kernels

int main(int argc, char** argv) { return bufferproof::kernels::run(argc, argv); }
