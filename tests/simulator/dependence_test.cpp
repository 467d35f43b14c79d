// Which parameter elements a result element is computed from: by brute force, element by element, what the
// executed body's result changes with.
#include "simulator/body/dependence.hpp"

#include <gtest/gtest.h>

#include <random>

#include "simulator/body/execute.hpp"
#include "simulator/launch_body.hpp"

namespace bufferproof::simulator {
namespace {

using kernels::Tensor;

std::vector<std::int64_t> sizes_of(const model::TensorType& type) {
  std::vector<std::int64_t> out;
  for (const model::SymExpr& size : type.shape) out.push_back(*size.constant());
  return out;
}

std::vector<Index> all_elements(const model::TensorType& type) {
  return elements_of(model::full_box(type.shape), 1 << 20);
}

class Body {
 public:
  explicit Body(const std::string& text) : function_(model::parse_tensor_function(text)) {
    std::mt19937 engine(7);
    for (const model::ValueId id : function_.parameters) {
      tensors_.emplace_back(model::DType::f32, sizes_of(function_.type(id)));
      for (float& x : tensors_.back().elements<float>())
        x = 1 + static_cast<float>(engine() % 1000) / 1000.0F;
    }
  }
  const model::TensorFunction& function() const { return function_; }
  std::vector<float> run() const {
    std::vector<BodyArgument> arguments;
    for (const Tensor& tensor : tensors_) arguments.emplace_back(tensor.view());
    const auto results = execute(function_, arguments);
    const auto elements = results[0].elements<float>();
    return {elements.begin(), elements.end()};
  }
  /// Results that change with an element of a parameter.
  std::vector<Index> changed(std::size_t parameter, std::size_t element) {
    const std::vector<float> before = run();
    float& x = tensors_[parameter].elements<float>()[element];
    const float kept = x;
    x += 64;
    const std::vector<float> after = run();
    x = kept;
    std::vector<Index> out;
    const auto indices = all_elements(function_.type(function_.results[0]));
    for (std::size_t i = 0; i < before.size(); ++i)
      if (before[i] != after[i]) out.push_back(indices[i]);
    return out;
  }

 private:
  model::TensorFunction function_;
  std::vector<Tensor> tensors_;
};

bool among(const model::BoxParts& parts, const Index& index) {
  return std::any_of(parts.begin(), parts.end(), [&](const model::BoxPart& part) {
    const auto elements = elements_of(part.box, 1 << 20);
    return std::find(elements.begin(), elements.end(), index) != elements.end();
  });
}

bool all_exact(const model::BoxParts& parts) {
  return std::all_of(parts.begin(), parts.end(), [](const model::BoxPart& part) { return part.exact; });
}

/// Backwards and forwards agree with what changes; exactly so where every box is exact.
void agrees(const std::string& text) {
  Body body(text);
  const model::TensorFunction& f = body.function();
  for (std::size_t p = 0; p < f.parameters.size(); ++p) {
    const auto parameter = all_elements(f.type(f.parameters[p]));
    for (std::size_t i = 0; i < parameter.size(); ++i) {
      const auto changed = body.changed(p, i);
      const auto reached = elements_reached(f, p, parameter[i], 0);
      for (const Index& result : all_elements(f.type(f.results[0]))) {
        const bool depends = std::find(changed.begin(), changed.end(), result) != changed.end();
        const auto read = elements_read(f, 0, {{element_box(result), true}})[p];
        if (depends || all_exact(read)) {
          EXPECT_EQ(among(read, parameter[i]), depends) << text;
        }
        if (depends || all_exact(reached)) {
          EXPECT_EQ(among(reached, result), depends) << text;
        }
      }
    }
  }
}

TEST(Dependence, ElementwiseThroughBroadcasting) {
  agrees(R"(func @k(%x: f32[3, 4], %y: f32[4]) {
    %b = broadcast %y {dims = [1], shape = sizes[3, 4]} : f32[3, 4]
    %z = add %x, %b : f32[3, 4]
    return %z })");
}

TEST(Dependence, Movements) {
  agrees("func @k(%x: f32[3, 4]) { %z = transpose %x {permutation = [1, 0]} : f32[4, 3] return %z }");
  agrees(R"(func @k(%x: f32[4, 6]) {
    %s = slice %x {offsets = sizes[1, 0], sizes = sizes[2, 3], strides = [1, 2]} : f32[2, 3]
    %r = reshape %s {shape = sizes[6]} : f32[6]
    return %r })");
}

TEST(Dependence, RowsAndWindows) {
  agrees("func @k(%x: f32[2, 3], %y: f32[3, 2]) { %z = matmul %x, %y : f32[2, 2] return %z }");
  agrees(R"(func @k(%x: f32[1, 2, 4, 4], %w: f32[2, 1, 2, 2]) { %z = convolution %x, %w
    {dilation = [1, 1], groups = 2, padding = [0, 0], stride = [2, 2]} : f32[1, 2, 2, 2] return %z })");
  agrees(R"(func @k(%x: f32[3, 4]) {
    %c = constant {bits = 0, dtype = f32} : f32[]
    %i = broadcast %c {dims = [], shape = sizes[3]} : f32[3]
    %z = reduce %x, %i {dims = [1], fn = "sum"} : f32[3]
    return %z })");
}

TEST(Dependence, ManyBoxesBecomeEverythingInexactly) {
  model::BoxParts parts;
  const model::TensorType type{model::DType::f32, {1000}};
  for (std::int64_t i = 0; i < 200; ++i) add_elements(parts, {element_box({3 * i}), true}, type);
  EXPECT_LE(parts.size(), 65U);
  EXPECT_FALSE(all_exact(parts));
  for (std::int64_t i = 0; i < 1000; i += 7) EXPECT_TRUE(among(parts, {i})) << i;
}

}  // namespace
}  // namespace bufferproof::simulator
