// FP state, threads, numerics profiles and the registry.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>
#include <stdexcept>
#include <vector>

#include "kernels_ref/fp_state.hpp"
#include "kernels_ref/kernel_error.hpp"
#include "kernels_ref/numerics.hpp"
#include "kernels_ref/parallel.hpp"
#include "kernels_ref/registry.hpp"

namespace bufferproof::kernels {
namespace {

/// Smallest normal halved: zero when the thread flushes.
float halved_smallest_normal() {
  volatile float tiny = 0x1p-126F;
  return tiny * 0.5F;
}

TEST(FpState, GuardKeepsSubnormalsAndRestoresTheHostsState) {
  set_flush_to_zero(true);
  EXPECT_EQ(halved_smallest_normal(), 0.0F);
  {
    const FpStateGuard guard;
    EXPECT_EQ(halved_smallest_normal(), 0x1p-127F);
  }
  EXPECT_EQ(halved_smallest_normal(), 0.0F);
  set_flush_to_zero(false);
  EXPECT_EQ(halved_smallest_normal(), 0x1p-127F);
}

TEST(FpState, EveryWorkerRunsUnderTheKernelsState) {
  set_flush_to_zero(true);
  for (int threads : {1, 2, 3}) {
    set_thread_count(threads);
    std::vector<float> seen(64, 0.0F);
    parallel_for(64, [&](std::int64_t i) { seen[static_cast<std::size_t>(i)] = halved_smallest_normal(); });
    EXPECT_THAT(seen, ::testing::Each(0x1p-127F)) << threads;
  }
  set_flush_to_zero(false);
  set_thread_count(0);
}

TEST(Parallel, RangesPartitionTheIndices) {
  for (int threads : {1, 2, 3, 7}) {
    set_thread_count(threads);
    std::vector<int> visits(101, 0);
    parallel_ranges(101, 10, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t i = begin; i < end; ++i) ++visits[static_cast<std::size_t>(i)];
    });
    EXPECT_THAT(visits, ::testing::Each(1));
  }
  set_thread_count(0);
  parallel_for(0, [](std::int64_t) { FAIL(); });
}

TEST(Parallel, AnExceptionOfAWorkerReachesTheCaller) {
  set_thread_count(2);
  EXPECT_THROW(parallel_for(10,
                            [](std::int64_t i) {
                              if (i == 9) throw std::domain_error("nine");
                            }),
               std::domain_error);
  set_thread_count(0);
}

TEST(Numerics, NamedProfilesAreValidAndTheirFactsNameThem) {
  std::set<std::string_view> names;
  for (const NumericsProfile& profile : numerics_profiles()) {
    EXPECT_NO_THROW(validate(profile));
    names.insert(profile.name);
  }
  EXPECT_EQ(names, (std::set<std::string_view>{"ieee-f32", "ascend-a2", "ascend-a2-no-hf32", "f64"}));
  for (const NumericsFact& fact : numerics_facts()) {
    EXPECT_TRUE(names.contains(fact.profile)) << fact.field;
    if (fact.status == FactStatus::documented || fact.status == FactStatus::source) {
      EXPECT_NE(fact.source, "");
    }
  }
  EXPECT_EQ(NumericsProfile{}.name, "ieee-f32");
}

TEST(Numerics, BadProfilesAreErrors) {
  EXPECT_THROW(numerics_profile("ascend-a9"), KernelError);
  NumericsProfile profile;
  profile.k_block = -1;
  EXPECT_THROW(validate(profile), KernelError);
  profile = {};
  profile.accumulator = DType::i32;
  EXPECT_THROW(validate(profile), KernelError);
}

void no_op(const OpCall&) {}

TEST(Registry, LooksUpByNameAndSuggestsTheNearest) {
  OpRegistry registry;
  registry.add({"matmul", no_op, no_op, Promise::bounded});
  EXPECT_NE(registry.find("matmul"), nullptr);
  EXPECT_EQ(registry.find("matmull"), nullptr);
  EXPECT_THROW(registry.add({"matmul", no_op, no_op, Promise::bounded}), KernelError);
  try {
    registry.at("matmull");
    FAIL();
  } catch (const KernelError& error) {
    EXPECT_THAT(error.what(), ::testing::HasSubstr("nearest: matmul"));
  }
}

TEST(Registry, CallAccessorsNameOpAndArgument) {
  OpCall call;
  call.op = "pad";
  call.inputs = {Scalar{1.5}};
  call.attributes = {{"count", std::int64_t{3}}, {"mode", std::string("edge")}};
  EXPECT_EQ(call.integer("count"), 3);
  EXPECT_EQ(call.real("count"), 3.0);
  EXPECT_EQ(call.integers("count"), std::vector<std::int64_t>{3});
  EXPECT_EQ(call.integer("absent", 7), 7);
  EXPECT_EQ(call.text("mode"), "edge");
  EXPECT_EQ(std::get<double>(call.scalar(0, "value")), 1.5);
  EXPECT_EQ(call.optional_tensor(4, "bias"), nullptr);
  try {
    call.tensor(0, "input");
    FAIL();
  } catch (const KernelError& error) {
    EXPECT_STREQ(error.what(), "op 'pad', argument 'input': expected a tensor, found a scalar");
  }
  EXPECT_THROW(call.integer("mode"), KernelError);
  EXPECT_THROW(call.output(0), KernelError);
}

}  // namespace
}  // namespace bufferproof::kernels
