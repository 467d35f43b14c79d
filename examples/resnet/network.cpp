#include "examples/resnet/network.hpp"

#include <array>
#include <stdexcept>

namespace bufferproof::examples {
namespace {

struct Architecture {
  std::array<int, 4> blocks;
  bool bottleneck;
};

Architecture architecture(int depth) {
  if (depth == 18) return {{2, 2, 2, 2}, false};
  if (depth == 50) return {{3, 4, 6, 3}, true};
  if (depth == 152) return {{3, 8, 36, 3}, true};
  throw std::invalid_argument("depth is 18, 50 or 152");
}

/// An activation: its buffer and shape.
struct Value {
  std::string name;
  Shape shape;
};

class Network {
 public:
  Network(const NetworkOptions& options, WrapperProgram& wrapper)
      : options_(options), wrapper_(wrapper), architecture_(architecture(options.depth)) {}

  std::string build() {
    Value x;
    const int first_layer = std::max(options_.first_stage, 1);
    if (options_.first_stage == 0) x = stem();
    for (int layer = first_layer; layer <= std::min(options_.last_stage, 4); ++layer) x = stage(layer, x);
    if (options_.last_stage == 5) x.name = wrapper_.linear(x.name, channels_of(4), 1000);
    return x.name;
  }

 private:
  std::int64_t channels_of(int layer) const { return (32LL << layer) * (architecture_.bottleneck ? 4 : 1); }

  std::vector<std::string> statistics(std::int64_t channels) {
    std::vector<std::string> names;
    for (int i = 0; i < 4; ++i) names.push_back(wrapper_.input({channels}));
    return names;
  }
  /// The network's input is asked for after the first weight, as Inductor numbers it.
  Value& with_input(Value& x, const Shape& shape) {
    if (x.name.empty()) x = {wrapper_.input(shape), shape};
    return x;
  }
  Value conv(Value& x, const Shape& input_shape, std::int64_t channels, std::int64_t size,
             std::int64_t stride) {
    const std::string weight = wrapper_.input({channels, input_shape[1], size, size});
    with_input(x, input_shape);
    const auto out = [&](const Extent& e) { return Extent((e.factor - 1) / stride + 1); };
    const Shape shape{x.shape[0], channels, out(x.shape[2]), out(x.shape[3])};
    return {wrapper_.conv(x.name, weight, shape, stride, size / 2), shape};
  }
  Value norm_relu(const Value& x, const WrapperProgram::Slice* slice = nullptr) {
    std::vector<std::string> feeds{x.name};
    for (const std::string& name : statistics(x.shape[1].factor)) feeds.push_back(name);
    return {wrapper_.kernel({.shape = x.shape}, feeds, slice), x.shape};
  }

  Value stem() {
    const std::int64_t out = (options_.image - 1) / 2 + 1;
    const std::int64_t pooled = (out - 1) / 2 + 1;
    Value y;
    if (options_.slices == Slices::none) {
      Value x;
      y = norm_relu(conv(x, image(whole_batch()), 64, 7, 2));
    } else {
      y = sliced_stem(out);
    }
    const Shape shape{whole_batch(), 64, pooled, pooled};
    return {wrapper_.max_pool(y.name, shape), shape};
  }
  Extent whole_batch() const {
    return wrapper_.batch(options_.slices == Slices::batch && wrapper_.options().dynamic ? 2 : 1);
  }
  Extent half_batch() const {
    return wrapper_.options().dynamic ? wrapper_.batch() : Extent(wrapper_.options().batch / 2);
  }
  Shape image(const Extent& batch) const { return {batch, 3, options_.image, options_.image}; }

  Value sliced_stem(std::int64_t out) {
    const Shape whole{whole_batch(), 64, out, out};
    const bool by_batch = options_.slices == Slices::batch;
    const std::string base = wrapper_.base_of_slices(whole);
    Value x;
    for (int part = 0; part < 2; ++part) {
      if (by_batch) x = {};
      const Value y = by_batch ? conv(x, image(half_batch()), 64, 7, 2) : conv(x, image(whole[0]), 32, 7, 2);
      Extent elements = 1;
      for (std::size_t axis = by_batch ? 0 : 1; axis < 4; ++axis) elements = elements * y.shape[axis];
      const WrapperProgram::Slice slice{base, y.shape, part == 0 ? Extent(0) : elements};
      norm_relu(y, &slice);
    }
    return {base, whole};
  }

  Value stage(int layer, Value x) {
    const int blocks = architecture_.blocks[static_cast<std::size_t>(layer - 1)];
    for (int block = 0; block < blocks; ++block) x = residual_block(layer, block, x, block == blocks - 1);
    return x;
  }
  Shape stage_input(int layer) const {
    const std::int64_t size = options_.image / (layer == 1 ? 4 : 2 << (layer - 1));
    const std::int64_t channels = layer == 1 ? 64 : channels_of(layer - 1);
    return {wrapper_.batch(), channels, size, size};
  }
  Value residual_block(int layer, int block, Value x, bool last) {
    const std::int64_t width = 32LL << layer;
    const std::int64_t stride = layer > 1 && block == 0 ? 2 : 1;
    const Shape in = x.name.empty() ? stage_input(layer) : x.shape;
    Value y;
    if (architecture_.bottleneck) {
      y = norm_relu(conv(x, in, width, 1, 1));
      y = norm_relu(conv(y, y.shape, width, 3, stride));
      y = conv(y, y.shape, width * 4, 1, 1);
    } else {
      y = norm_relu(conv(x, in, width, 3, stride));
      y = conv(y, y.shape, width, 3, 1);
    }
    return join(y, x, stride, last && layer == 4 && options_.last_stage == 5);
  }
  /// Batch norm of the block's last convolution, plus the shortcut, ReLU, and the average after the last
  /// block.
  Value join(Value y, Value x, std::int64_t stride, bool mean) {
    KernelSpec spec{.shape = y.shape, .residual = Residual::identity, .mean = mean};
    std::vector<std::string> feeds{y.name};
    const auto add = [&](const std::vector<std::string>& names) {
      feeds.insert(feeds.end(), names.begin(), names.end());
    };
    add(statistics(y.shape[1].factor));
    if (x.shape[1] == y.shape[1] && stride == 1) {
      feeds.push_back(x.name);
    } else {
      spec.residual = Residual::projection;
      feeds.push_back(conv(x, x.shape, y.shape[1].factor, 1, stride).name);
      add(statistics(y.shape[1].factor));
    }
    const std::string out = wrapper_.kernel(spec, feeds);
    return {out, mean ? Shape{y.shape[0], y.shape[1], 1, 1} : y.shape};
  }

  const NetworkOptions& options_;
  WrapperProgram& wrapper_;
  Architecture architecture_;
};

}  // namespace

EmittedWrapper emit_resnet(const NetworkOptions& network, const WrapperOptions& wrapper) {
  if (network.first_stage > network.last_stage || network.first_stage < 0 || network.last_stage > 5)
    throw std::invalid_argument("stages go from stem over layer1..layer4 to head");
  if (network.first_stage == 5)
    throw std::invalid_argument("the head alone has no kernel: its average is part of layer4's");
  if (network.slices != Slices::none && network.first_stage != 0)
    throw std::invalid_argument("alias slices are in the stem");
  if (network.slices == Slices::batch && !wrapper.dynamic && wrapper.batch % 2 != 0)
    throw std::invalid_argument("batch slices need an even batch");
  WrapperProgram program(wrapper);
  const std::string result = Network(network, program).build();
  return {program.text(result), program.traced_graphs(), program.kernel_count()};
}

}  // namespace bufferproof::examples
