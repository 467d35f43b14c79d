// Shared by the op tests: tensors of random and edge values in several memory layouts, and run-equals-define
// by memcmp.
#pragma once

#include <gtest/gtest.h>

#include <cstring>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "kernels_ref/convert16.hpp"
#include "kernels_ref/fp_state.hpp"
#include "kernels_ref/isa/isa_control.hpp"
#include "kernels_ref/kernel_error.hpp"
#include "kernels_ref/parallel.hpp"
#include "kernels_ref/registry.hpp"
#include "kernels_ref/tensor.hpp"

namespace bufferproof::kernels::test {

inline constexpr DType kAllTypes[] = {DType::f16, DType::bf16, DType::f32, DType::f64, DType::i1,
                                      DType::i8,  DType::u8,   DType::i16, DType::i32, DType::i64};

/// Bit patterns that break naive code: NaNs, infinities, zeros, subnormals, extremes, and values near where
/// ops bend.
inline std::vector<std::uint64_t> make_edge_bits(DType dtype) {
  switch (dtype) {
    case DType::f16:
      return {0,      0x8000, 1,      0x8001, 0x03ff, 0x0400, 0x7bff, 0xfbff, 0x7c00, 0xfc00,
              0x7e00, 0xfd01, 0x3c00, 0xbc00, 0x3800, 0xb800, 0x3e00, 0x4100, 0xc100, 0x6c00};
    case DType::bf16:
      return {0,      0x8000, 1,      0x8001, 0x007f, 0x0080, 0x7f7f, 0xff7f, 0x7f80, 0xff80,
              0x7fc0, 0xffa1, 0x3f80, 0xbf80, 0x3f00, 0xbf00, 0x3fc0, 0x4020, 0xc020, 0x4b80};
    case DType::f32:
      return {0,          0x80000000, 1,          0x80000001, 0x007fffff, 0x00800000, 0x7f7fffff, 0xff7fffff,
              0x7f800000, 0xff800000, 0x7fc00000, 0xffa4dead, 0x3f800000, 0xbf800000, 0x3f000000, 0xbf000000,
              0x3fc00000, 0x40200000, 0xc0200000, 0x4b800001, 0x5f000000, 0xdf000000, 0x4f000000, 0x49800001};
    case DType::f64:
      return {0,
              1ULL << 63,
              1,
              (1ULL << 63) + 1,
              0x000fffffffffffffULL,
              0x0010000000000000ULL,
              0x7fefffffffffffffULL,
              0xffefffffffffffffULL,
              0x7ff0000000000000ULL,
              0xfff0000000000000ULL,
              0x7ff8000000000000ULL,
              0xfff4dead00000001ULL,
              0x3ff0000000000000ULL,
              0xbff0000000000000ULL,
              0x3fe0000000000000ULL,
              0xbfe0000000000000ULL,
              0x3ff8000000000000ULL,
              0xc004000000000000ULL,
              0x43e0000000000000ULL,
              0xc3e0000000000000ULL,
              0x4330000000000001ULL,
              0x3fefffffffffffffULL,
              0x4340000000000001ULL};
    case DType::i1:
      return {0, 1, 1, 0x5a};
    default:
      return {0,
              1,
              ~0ULL,
              2,
              0x7f,
              0x80,
              0xff,
              0x7fff,
              0x8000,
              0x7fffffff,
              0x80000000ULL,
              0x7fffffffffffffffULL,
              1ULL << 63,
              7,
              ~6ULL,
              63,
              64,
              (1ULL << 53) + 1,
              0x4000000000000c01ULL};
  }
}

inline const std::vector<std::uint64_t>& edge_bits(DType dtype) {
  static const auto all = [] {
    std::vector<std::vector<std::uint64_t>> made;
    for (DType each : kAllTypes) made.push_back(make_edge_bits(each));
    return made;
  }();
  return all[static_cast<std::size_t>(dtype)];
}

class Maker {
 public:
  explicit Maker(unsigned seed) : random_(seed) {}

  /// Half moderate values, a quarter arbitrary bits, a quarter edge values.
  std::uint64_t bits(DType dtype) {
    const std::uint64_t any = random_();
    switch (any % 4) {
      case 0:
        return random_();
      case 1: {
        const auto& edges = edge_bits(dtype);
        return edges[random_() % edges.size()];
      }
      default:
        return moderate(dtype);
    }
  }
  /// Values between about -8 and 8; finite.
  std::uint64_t moderate(DType dtype) {
    const double value = static_cast<double>(static_cast<std::int64_t>(random_() % 65536) - 32768) / 4096.0;
    const auto single = static_cast<float>(value);
    switch (dtype) {
      case DType::f16:
        return f32_to_f16(single);
      case DType::bf16:
        return f32_to_bf16(single);
      case DType::f32:
        return bits_of(single);
      case DType::f64:
        return bits_of(value);
      default:
        return static_cast<std::uint64_t>(static_cast<std::int64_t>(value));
    }
  }
  Tensor tensor(DType dtype, const Sizes& sizes, bool edges = true) {
    Tensor made(dtype, sizes);
    const auto width = static_cast<std::size_t>(model::size_in_bytes(dtype));
    std::byte* const to = made.view().bytes();
    const auto count = static_cast<std::size_t>(made.element_count());
    for (std::size_t i = 0; i < count; ++i) {
      const std::uint64_t value = edges ? bits(dtype) : moderate(dtype);
      std::memcpy(to + i * width, &value, width);
    }
    return made;
  }
  std::mt19937_64& random() { return random_; }

 private:
  std::mt19937_64 random_;
};

/// A view of `sizes` on a block of its own: row-major, dimensions reversed in memory, every second element,
/// or repeated (stride 0).
enum class Placement { plain, reversed, spaced, repeated };

struct Placed {
  Tensor block;
  Sizes sizes;
  Sizes strides;
  ConstTensorView view() const {
    return {std::as_const(block).view().bytes(), block.dtype(), sizes, strides};
  }
  TensorView writable() { return {block.view().bytes(), block.dtype(), sizes, strides}; }
};

inline Placed place(Maker& maker, DType dtype, const Sizes& sizes, Placement placement, bool edges = true) {
  Sizes strides = contiguous_strides(sizes);
  if (placement == Placement::reversed) {
    std::int64_t step = 1;
    for (std::size_t i = 0; i < sizes.size(); ++i) {
      strides[i] = step;
      step *= std::max<std::int64_t>(sizes[i], 1);
    }
  }
  if (placement == Placement::spaced)
    for (std::int64_t& stride : strides) stride *= 2;
  if (placement == Placement::repeated && !strides.empty()) strides[sizes.size() / 2] = 0;
  std::int64_t extent = 2;
  for (std::int64_t size : sizes) extent *= std::max<std::int64_t>(size, 1);
  return {maker.tensor(dtype, {extent}, edges), sizes, strides};
}

inline ::testing::AssertionResult same_bytes(const Tensor& a, const Tensor& b) {
  const auto width = static_cast<std::size_t>(model::size_in_bytes(a.dtype()));
  const std::byte* const left = a.view().bytes();
  const std::byte* const right = b.view().bytes();
  if (a.size_in_bytes() != b.size_in_bytes()) return ::testing::AssertionFailure() << "different sizes";
  for (std::size_t at = 0; at < a.size_in_bytes(); at += width) {
    if (std::memcmp(left + at, right + at, width) == 0) continue;
    std::uint64_t x = 0, y = 0;
    std::memcpy(&x, left + at, width);
    std::memcpy(&y, right + at, width);
    return ::testing::AssertionFailure()
           << "element " << at / width << ": " << std::hex << x << " against " << y;
  }
  return ::testing::AssertionSuccess();
}

/// Whole blocks, so that bytes outside the views must be untouched too.
inline ::testing::AssertionResult same_blocks(const std::vector<Placed>& a, const std::vector<Placed>& b) {
  for (std::size_t i = 0; i < a.size(); ++i) {
    const auto same = same_bytes(a[i].block, b[i].block);
    if (!same) return same;
  }
  return ::testing::AssertionSuccess();
}

/// Runs the op on every instruction set and 1, 2 and 3 threads and compares each with `define`, bytes outside
/// the outputs included. `outputs` are made anew for every run by the callable, equal each time.
template <typename MakeOutputs>
void expect_run_equals_define(OpCall call, MakeOutputs make_outputs, const std::string& what,
                              bool split_small = false) {
  const OpEntry& op = OpRegistry::builtin().at(call.op);
  const auto attach = [&](std::vector<Placed>& outputs) {
    call.outputs.clear();
    for (Placed& output : outputs) call.outputs.push_back(output.writable());
  };
  std::vector<Placed> defined = make_outputs();
  attach(defined);
  op.define(call);
  for (Isa isa : supported_isas()) {
    set_isa(isa);
    // Below some ten thousand elements nothing is split over threads; how it is split does not depend on the
    // instruction set.
    const bool large = call.outputs[0].element_count() > 20000 || split_small;
    for (int threads : {1, 2, 3}) {
      if (threads > 1 && (!large || isa != supported_isas().back())) break;
      set_thread_count(threads);
      std::vector<Placed> ran = make_outputs();
      attach(ran);
      op.run(call);
      EXPECT_TRUE(same_blocks(defined, ran)) << what << " on " << name(isa) << ", " << threads << " threads";
      if (::testing::Test::HasFailure()) break;
    }
  }
  set_isa(std::nullopt);
  set_thread_count(1);
  // A host that flushes subnormals must not be able to change a bit.
  std::vector<Placed> flushed = make_outputs();
  attach(flushed);
  set_flush_to_zero(true);
  op.run(call);
  set_flush_to_zero(false);
  EXPECT_TRUE(same_blocks(defined, flushed)) << what << " with flush-to-zero set by the host";
  set_thread_count(0);
}

/// One input or output of a call under test.
struct Operand {
  DType dtype;
  Sizes sizes;
  Placement placement = Placement::plain;
};

/// expect_run_equals_define with operands made from descriptions; `extra` inputs come after the made ones.
inline void check_call(const std::string& op, const Attributes& attributes,
                       const std::vector<Operand>& inputs, const std::vector<Operand>& outputs,
                       const NumericsProfile& numerics = {}, bool edges = true) {
  Maker maker(61);
  OpCall call{.op = op, .attributes = attributes};
  call.numerics = numerics;
  std::vector<Placed> placed;
  std::string what = op;
  for (const Operand& input : inputs) {
    placed.push_back(place(maker, input.dtype, input.sizes, input.placement, edges));
    what += " " + std::string(model::name(input.dtype)) + format_sizes(input.sizes);
  }
  for (const Placed& input : placed) call.inputs.emplace_back(input.view());
  const auto make = [&] {
    Maker fresh(67);
    std::vector<Placed> made;
    for (const Operand& output : outputs)
      made.push_back(place(fresh, output.dtype, output.sizes, output.placement));
    return made;
  };
  expect_run_equals_define(call, make, what, true);
}

}  // namespace bufferproof::kernels::test
