// The fast convolution: stage a few images at a time, then one GEMM a group whose taps are offsets into the
// staged planes.
#include "kernels_ref/gemm/convolution.hpp"

#include <algorithm>
#include <type_traits>
#include <utility>

#include "kernels_ref/fp_state.hpp"
#include "kernels_ref/gemm/arithmetic.hpp"
#include "kernels_ref/gemm/convolution_layout.hpp"
#include "kernels_ref/gemm/gemm_engine.hpp"
#include "kernels_ref/gemm/scratch.hpp"
#include "kernels_ref/gemm/stage_kernel.hpp"
#include "kernels_ref/gemm/view_copy.hpp"
#include "kernels_ref/parallel.hpp"

namespace bufferproof::kernels {

class ConvolutionPlan {
 public:
  virtual ~ConvolutionPlan() = default;
  virtual void run(const ConstTensorView& input, const TensorView& output,
                   const ConvolutionEpilogue& epilogue) const = 0;
};

namespace {

bool present(const ConstTensorView& view) { return view.bytes() != nullptr; }

/// Offsets of one group's weights, by tap, from the group's first filter.
std::vector<std::int64_t> weight_offsets(const std::vector<Tap>& taps, const ConstTensorView& weight) {
  std::vector<std::int64_t> offsets;
  for (const Tap& tap : taps)
    offsets.push_back(tap.channel < 0 ? kZeroTap
                                      : tap.channel * weight.stride(1) + tap.y * weight.stride(2) +
                                            tap.x * weight.stride(3));
  return offsets;
}

/// Whether a plane of the view is one run of memory, which the GEMM kernel reads and writes as it is.
bool planes_are_runs(const ConstTensorView& view) {
  return (view.size(3) <= 1 || view.stride(3) == 1) && (view.size(2) <= 1 || view.stride(2) == view.size(3));
}

template <typename T>
class Convolution final : public ConvolutionPlan {
 public:
  /// `once`: the packed weights lie in scratch memory.
  Convolution(const ConvolutionParams& params, const ConstTensorView& weight, const NumericsProfile& profile,
              bool once)
      : params_(params), weight_sizes_(weight.sizes()), dtype_(weight.dtype()), profile_(profile) {
    taps_ = convolution_taps(weight.size(1), weight.size(2), weight.size(3), profile);
    const std::vector<std::int64_t> offsets = weight_offsets(taps_, weight);
    const std::int64_t filters = weight.size(0) / params.groups;
    const std::int64_t size = PackedWeights<T>::packed_size(filters, std::ssize(taps_));
    T* const memory =
        once ? scratch<T>(ScratchUse::weights, element_count(Sizes{size, params.groups})) : nullptr;
    for (std::int64_t g = 0; g < params.groups; ++g) {
      const std::byte* base = weight.bytes() + g * filters * weight.stride(0) * model::size_in_bytes(dtype_);
      groups_.emplace_back(WeightsSource{base, dtype_, filters, weight.stride(0), offsets},
                           profile.input_rounding_conv, profile.k_block, once ? memory + g * size : nullptr);
    }
  }

  void run(const ConstTensorView& input, const TensorView& output,
           const ConvolutionEpilogue& epilogue) const override;

 private:
  /// Where the GEMM reads its columns.
  struct Source {
    const T* data;
    ColumnGrid grid;
    std::vector<std::int64_t> tap_offsets;  // of all groups
  };

  bool can_read_directly(const ConvolutionShape& shape, const ConstTensorView& input) const;
  Source direct(const ConvolutionShape& shape, const ConstTensorView& input) const;
  void multiply_staged(const ConvolutionShape& shape, const ConstTensorView& input, T* out,
                       std::int64_t image_stride, std::int64_t row_stride, GemmEpilogue<T> epilogue) const;
  /// `images`: the first of shape.batch images that lie as `input`'s do.
  void stage_planes(const ConvolutionShape& shape, const StagedLayout& layout, const std::byte* images,
                    const ConstTensorView& input, T* to) const;
  void multiply(const ConvolutionShape& shape, const Source& source, T* out, std::int64_t image_stride,
                std::int64_t row_stride, const GemmEpilogue<T>& epilogue) const;

  ConvolutionParams params_;
  Sizes weight_sizes_;
  DType dtype_;
  NumericsProfile profile_;
  std::vector<Tap> taps_;
  std::vector<PackedWeights<T>> groups_;
};

template <typename T>
bool Convolution<T>::can_read_directly(const ConvolutionShape& shape, const ConstTensorView& input) const {
  using Pair = std::array<std::int64_t, 2>;
  const bool pointwise = shape.kernel_height == 1 && shape.kernel_width == 1 &&
                         params_.stride == Pair{1, 1} && params_.padding == Pair{0, 0};
  const bool as_stored =
      dtype_ == kDTypeOf<T> && (dtype_ == DType::f64 || profile_.input_rounding_conv == InputRounding::none);
  const bool no_zero_taps =
      std::none_of(taps_.begin(), taps_.end(), [](const Tap& tap) { return tap.channel < 0; });
  return pointwise && as_stored && no_zero_taps && planes_are_runs(input);
}

template <typename T>
typename Convolution<T>::Source Convolution<T>::direct(const ConvolutionShape& shape,
                                                       const ConstTensorView& input) const {
  const std::int64_t columns = shape.out_height * shape.out_width;
  Source source{input.data<T>(), {columns, columns, input.stride(0), 0}, {}};
  for (std::int64_t g = 0; g < params_.groups; ++g)
    for (const Tap& tap : taps_)
      source.tap_offsets.push_back((g * shape.group_channels + tap.channel) * input.stride(1));
  return source;
}

/// As many images as stay in the threads' second-level caches until they are multiplied.
template <typename T>
std::int64_t images_at_once(const StagedLayout& layout) {
  constexpr std::int64_t kBytes = 1 << 20;
  const std::int64_t image = std::max<std::int64_t>(1, layout.image) * static_cast<std::int64_t>(sizeof(T));
  return std::max<std::int64_t>(1, kBytes * thread_count() / image);
}

template <typename T>
void Convolution<T>::multiply_staged(const ConvolutionShape& shape, const ConstTensorView& input, T* out,
                                     std::int64_t image_stride, std::int64_t row_stride,
                                     GemmEpilogue<T> epilogue) const {
  const bool zero_taps =
      std::any_of(taps_.begin(), taps_.end(), [](const Tap& tap) { return tap.channel < 0; });
  const StagedLayout layout = staged_layout(params_, shape, zero_taps);
  const std::int64_t at_once = std::min(shape.batch, images_at_once<T>(layout));
  T* memory = scratch<T>(ScratchUse::staged, layout.image * at_once);
  Source source{
      memory, {shape.out_height * shape.out_width, shape.out_width, layout.image, layout.columns.size()}, {}};
  for (std::int64_t g = 0; g < params_.groups; ++g)
    for (const Tap& tap : taps_)
      source.tap_offsets.push_back(layout.offset(params_, tap, g * shape.group_channels));
  ConvolutionShape part = shape;
  for (std::int64_t first = 0; first < shape.batch; first += at_once) {
    part.batch = std::min(at_once, shape.batch - first);
    stage_planes(part, layout, element_address(input, first * input.stride(0)), input, memory);
    multiply(part, source, out, image_stride, row_stride, epilogue);
    out += part.batch * image_stride;
    if (epilogue.addend != nullptr) epilogue.addend += part.batch * image_stride;
  }
}

template <typename T>
void Convolution<T>::stage_planes(const ConvolutionShape& shape, const StagedLayout& layout,
                                  const std::byte* images, const ConstTensorView& input, T* to) const {
  const std::int64_t width = model::size_in_bytes(input.dtype());
  const PlaneTask task{.height = shape.height,
                       .width = shape.width,
                       .row_stride = input.stride(2),
                       .column_stride = input.stride(3),
                       .pad_top = params_.padding[0],
                       .pad_left = params_.padding[1],
                       .stride_y = params_.stride[0],
                       .stride_x = params_.stride[1],
                       .row_phases = layout.rows.phases.data(),
                       .row_phase_count = static_cast<std::int64_t>(layout.rows.phases.size()),
                       .column_phases = layout.columns.phases.data(),
                       .column_phase_count = static_cast<std::int64_t>(layout.columns.phases.size()),
                       .phase_height = layout.rows.phase_size,
                       .phase_width = layout.columns.phase_size,
                       .rounding = profile_.input_rounding_conv};
  const auto stage = stage_function<T>(&StageKernels::plane_f32, &StageKernels::plane_f64, dtype_);
  const std::int64_t planes = layout.planes_per_image;
  const std::int64_t grain = std::max<std::int64_t>(1, 8192 / layout.plane);
  parallel_ranges(shape.batch * planes, grain, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t plane = begin; plane < end; ++plane) {
      T* place = to + plane * layout.plane;
      const std::int64_t channel = plane % planes;
      if (channel == shape.channels)
        std::fill_n(place, layout.plane, T{0});  // what zero taps read
      else
        stage(task, images + (plane / planes * input.stride(0) + channel * input.stride(1)) * width, place);
    }
  });
}

template <typename T>
void Convolution<T>::multiply(const ConvolutionShape& shape, const Source& source, T* out,
                              std::int64_t image_stride, std::int64_t row_stride,
                              const GemmEpilogue<T>& epilogue) const {
  const std::int64_t filters = shape.filters / params_.groups;
  for (std::int64_t g = 0; g < params_.groups; ++g) {
    const auto shifted = [&](const T* values, std::int64_t step) {
      return values != nullptr ? values + g * step : nullptr;
    };
    run_gemm(GemmProblem<T>{
        .weights = &groups_[static_cast<std::size_t>(g)],
        .source = source.data,
        .tap_offsets =
            std::span(source.tap_offsets).subspan(static_cast<std::size_t>(g) * taps_.size(), taps_.size()),
        .grid = source.grid,
        .columns = shape.batch * shape.out_height * shape.out_width,
        .out = out + g * filters * row_stride,
        .out_image_stride = image_stride,
        .out_row_stride = row_stride,
        .epilogue = {shifted(epilogue.scale, filters), shifted(epilogue.shift, filters),
                     shifted(epilogue.addend, filters * row_stride), epilogue.relu},
        .profile = &profile_});
  }
}

template <typename T>
void Convolution<T>::run(const ConstTensorView& input, const TensorView& output,
                         const ConvolutionEpilogue& epilogue) const {
  const ConvolutionShape shape = convolution_shape(params_, input.sizes(), weight_sizes_);
  check_convolution(shape, input, dtype_, output, epilogue);
  if (output.element_count() == 0) return;
  const FpStateGuard state;
  const std::vector<T> scale = widened_vector<T>(epilogue.scale);
  const std::vector<T> shift = widened_vector<T>(epilogue.shift);
  GemmEpilogue<T> steps{present(epilogue.scale) ? scale.data() : nullptr,
                        present(epilogue.shift) ? shift.data() : nullptr, nullptr, epilogue.relu};
  const auto run_into = [&](T* out, std::int64_t image_stride, std::int64_t row_stride) {
    if (can_read_directly(shape, input))
      multiply(shape, direct(shape, input), out, image_stride, row_stride, steps);
    else
      multiply_staged(shape, input, out, image_stride, row_stride, steps);
  };

  const bool same_layout = !present(epilogue.addend) || epilogue.addend.strides() == output.strides();
  if (dtype_ == kDTypeOf<T> && planes_are_runs(output) && same_layout) {
    if (present(epilogue.addend)) steps.addend = epilogue.addend.data<T>();
    return run_into(output.data<T>(), output.stride(0), output.stride(1));
  }
  // Another element type or layout: results and addend as rows of T, then one pass that rounds and scatters.
  const Tensor addend = present(epilogue.addend) ? widened_copy<T>(epilogue.addend) : Tensor();
  if (present(epilogue.addend)) steps.addend = addend.view().data<T>();
  T* result = scratch<T>(ScratchUse::result, output.element_count());
  const std::int64_t columns = shape.out_height * shape.out_width;
  run_into(result, shape.filters * columns, columns);
  narrow_into(output, result);
}

std::unique_ptr<ConvolutionPlan> prepare(const ConvolutionParams& params, const ConstTensorView& weight,
                                         const NumericsProfile& profile, bool once) {
  if (sum_type(weight.dtype(), profile) == DType::f64)
    return std::make_unique<Convolution<double>>(params, weight, profile, once);
  return std::make_unique<Convolution<float>>(params, weight, profile, once);
}

}  // namespace

PreparedConvolution::PreparedConvolution(const ConvolutionParams& params, const ConstTensorView& weight,
                                         const NumericsProfile& profile) {
  validate(profile);
  check_filter(params, weight);
  const FpStateGuard state;
  plan_ = prepare(params, weight, profile, false);
}
PreparedConvolution::PreparedConvolution(PreparedConvolution&&) noexcept = default;
PreparedConvolution& PreparedConvolution::operator=(PreparedConvolution&&) noexcept = default;
PreparedConvolution::~PreparedConvolution() = default;

void PreparedConvolution::run(const ConstTensorView& input, const TensorView& output,
                              const ConvolutionEpilogue& epilogue) const {
  plan_->run(input, output, epilogue);
}

void convolution(const ConvolutionParams& params, const ConstTensorView& input, const ConstTensorView& weight,
                 const TensorView& output, const ConvolutionEpilogue& epilogue,
                 const NumericsProfile& profile) {
  check_convolution(convolution_shape(params, input.sizes(), weight.sizes()), input, weight.dtype(), output,
                    epilogue);
  validate(profile);
  check_filter(params, weight);
  const FpStateGuard state;
  prepare(params, weight, profile, true)->run(input, output, epilogue);
}

}  // namespace bufferproof::kernels
