// Single elements left out of ResNet's kernels: an output element is at fault by positions exactly where it
// is NaN by values, and both explanations end at the element that was left out.
#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "simulator/why.hpp"
#include "tests/simulator/emitted_support.hpp"

namespace bufferproof::simulator {
namespace {

struct Site {
  std::string kernel;
  std::string buffer;
  std::vector<std::int64_t> sizes;
};

/// Kernels and the buffers they store, of fixed sizes.
std::vector<Site> sites_of(const model::Program& program) {
  std::map<std::string, std::vector<std::int64_t>> sizes;
  std::vector<Site> out;
  for (const model::Step& step : program.body) {
    if (const auto* alloc = std::get_if<model::Alloc>(&step.node); alloc && alloc->layout)
      for (const model::SymExpr& size : alloc->layout->sizes)
        sizes[alloc->name.str()].push_back(*size.constant());
    const auto* launch = std::get_if<model::Launch>(&step.node);
    if (launch && launch->definition >= 0)
      out.push_back({launch->kernel.str(), launch->outputs.at(0).str(), sizes[launch->outputs[0].str()]});
  }
  return out;
}

class WhyResnet : public ::testing::Test {
 protected:
  std::mt19937 random_{11};
  int reached_ = 0;
  int clean_ = 0;

  Index random_element(const std::vector<std::int64_t>& sizes) {
    Index out;
    for (const std::int64_t size : sizes)
      out.push_back(static_cast<std::int64_t>(random_() % static_cast<unsigned>(size)));
    return out;
  }

  void ask(const model::Program& program, const model::RunPlan& plan, const ReturnedTensor& output,
           const Index& index, const WhyValues& values, const model::Fault& fault) {
    const bool nan = std::isnan(output.tensor.view().at<float>(index));
    const Explanation by_position = explain(program, plan, output.name, index);
    EXPECT_EQ(by_position.at_fault, nan) << fault.kernel << "\n" << text(by_position);
    (nan ? reached_ : clean_) += 1;
    if (!nan) return;
    const Explanation by_value = explain(program, plan, output.name, index, &values);
    Index left_out;
    for (const auto& [lo, hi] : fault.region) left_out.push_back(lo);
    for (const Explanation& why : {by_position, by_value}) {
      EXPECT_TRUE(why.at_fault);
      EXPECT_EQ(why.links.back().due, fault.kernel);
      EXPECT_EQ(why.links.back().element, left_out) << text(why);
    }
  }

  void plant(const model::Program& program, const Site& site, std::span<const Index> elements) {
    model::RunPlan plan;
    model::Fault fault{site.kernel, 0, {}};
    for (const std::int64_t i : random_element(site.sizes)) fault.region.emplace_back(i, i + 1);
    plan.faults = {fault};
    LaunchRecorder kept;
    ValueOptions options;
    options.observer = &kept;
    const ValueTrace trace = run_values(program, plan, options);
    const WhyValues values{&kept, nullptr, 0, {}};
    const ReturnedTensor& output = trace.calls.at(0).at(0);
    for (const Index& index : elements) ask(program, plan, output, index, values, fault);
  }
};

TEST_F(WhyResnet, PositionsAgreeWithNan) {
  const model::Program program = emitted("stock", small_network(1, 2), {.reuse = false, .batch = 2});
  const std::vector<Site> sites = sites_of(program);
  const ValueTrace golden = run_values(program, {});
  const auto& sizes = golden.calls.at(0).at(0).tensor.sizes();
  for (int turn = 0; turn < 10; ++turn) {
    std::vector<Index> elements;
    for (int i = 0; i < 12; ++i) elements.push_back(random_element(sizes));
    plant(program, sites[random_() % sites.size()], elements);
  }
  EXPECT_GT(reached_, 20);
  EXPECT_GT(clean_, 20);
}

}  // namespace
}  // namespace bufferproof::simulator
