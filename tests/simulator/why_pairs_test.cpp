// Two faults in one program: explanations name the one that reaches the element that is asked about.
//
// Generated programs: two branches of different length, each with a kernel that leaves elements unwritten,
// come together in one kernel. Which fault reaches an element is found out without explanations: by running
// with that fault alone, on NaN memory, and looking whether the element is NaN.
#include <gtest/gtest.h>

#include <cmath>

#include "simulator/executor.hpp"
#include "simulator/tag_run_with.hpp"
#include "simulator/values/value_run.hpp"
#include "simulator/why.hpp"
#include "simulator/why/search.hpp"
#include "tests/simulator/wrapper_support.hpp"

namespace bufferproof::simulator {
namespace {

using model::Fault;
using model::SymExpr;
using Sizes = std::vector<std::int64_t>;

std::string type_text(const Sizes& sizes) {
  std::string out = "f32[";
  for (std::size_t i = 0; i < sizes.size(); ++i) out += (i ? ", " : "") + std::to_string(sizes[i]);
  return out + "]";
}

/// How two branches come together: a body of two parameters, and which kernel parts are left out.
struct Meeting {
  std::string name;
  Sizes left;
  Sizes right;
  Sizes result;
  std::string body;
  std::vector<std::pair<std::int64_t, std::int64_t>> left_out;
  std::vector<std::pair<std::int64_t, std::int64_t>> right_out;
  bool by_values_only = false;  ///< contents decide which operand counts
};

std::vector<Meeting> meetings() {
  const std::string rows = R"(%c = constant {bits = 0, dtype = f32} : f32[]
    %i = broadcast %c {dims = [], shape = sizes[4]} : f32[4]
    %a = reduce %x, %i {dims = [1], fn = "sum"} : f32[4]
    %b = reduce %y, %i {dims = [1], fn = "max"} : f32[4]
    %z = add %a, %b : f32[4])";
  const std::string wide = R"(%t = transpose %y {permutation = [1, 0]} : f32[4, 3]
    %z = sub %x, %t : f32[4, 3])";
  const std::string sides = R"(%c = constant {bits = 0, dtype = f32} : f32[]
    %o = broadcast %c {dims = [], shape = sizes[6]} : f32[6]
    %g = gt %x, %o : i1[6]
    %z = select %g, %o, %y : f32[6])";
  return {
      {"sum", {6}, {6}, {6}, "%z = add %x, %y : f32[6]", {{1, 3}}, {{4, 5}}},
      {"transposed", {4, 3}, {3, 4}, {4, 3}, wide, {{0, 1}, {1, 3}}, {{0, 2}, {2, 3}}},
      {"bias",
       {3, 4},
       {4},
       {3, 4},
       "%b = broadcast %y {dims = [1], shape = sizes[3, 4]} : f32[3, 4]\n%z = mul %x, %b : f32[3, 4]",
       {{0, 1}, {0, 2}},
       {{2, 3}}},
      {"concat",
       {2, 3},
       {2, 3},
       {4, 3},
       "%z = concat %x, %y {dim = 0} : f32[4, 3]",
       {{0, 2}, {0, 3}},
       {{0, 2}, {0, 3}}},
      {"matmul",
       {3, 5},
       {5, 4},
       {3, 4},
       "%z = matmul %x, %y : f32[3, 4]",
       {{1, 2}, {0, 2}},
       {{2, 5}, {3, 4}}},
      {"rows", {4, 5}, {4, 2}, {4}, rows, {{0, 2}, {4, 5}}, {{3, 4}, {1, 2}}},
      {"window",
       {1, 1, 6, 6},
       {2, 1, 2, 2},
       {1, 2, 3, 3},
       "%z = convolution %x, %y {dilation = [1, 1], groups = 1, padding = [0, 0], stride = [2, 2]} : "
       "f32[1, 2, 3, 3]",
       {{0, 1}, {0, 1}, {3, 4}, {2, 4}},
       {{1, 2}, {0, 1}, {0, 1}, {1, 2}}},
      {"sides", {6}, {6}, {6}, sides, {{1, 3}}, {{2, 5}}, true},
  };
}

/// Branches of `left` and `right` kernels before they meet.
class Pair {
 public:
  Pair(const Meeting& m, int left, int right) : meeting_(m) {
    w_.alloc("x0", exprs(m.left), model::Init::input).alloc("y0", exprs(m.right), model::Init::input);
    branch("x", m.left, left);
    branch("y", m.right, right);
    w_.alloc("z", exprs(m.result));
    kernel("meet",
           "func @k(%x: " + type_text(m.left) + ", %y: " + type_text(m.right) + ") {\n" + m.body +
               "\nreturn %z }",
           {"x" + std::to_string(left), "y" + std::to_string(right)}, "z");
    w_.returns("z");
  }

  /// The first kernel of each branch leaves elements out.
  model::RunPlan plan(bool left, bool right) const {
    model::RunPlan out;
    if (left) out.faults.push_back({"x-kernel1", 0, meeting_.left_out});
    if (right) out.faults.push_back({"y-kernel1", 0, meeting_.right_out});
    return out;
  }
  std::vector<bool> nans(const model::RunPlan& plan, LaunchRecorder* kept = nullptr) {
    ValueOptions options;
    options.observer = kept;
    const ValueTrace trace = run_values(w_.program(), plan, options);
    std::vector<bool> out;
    for (const float x : trace.calls.at(0).at(0).tensor.elements<float>()) out.push_back(std::isnan(x));
    return out;
  }
  model::Program& program() { return w_.program(); }
  /// Lines of a branch's first kernel and of its output's allocation.
  int kernel_line(char branch) const { return kernel_line_.at(branch); }
  int alloc_line(char branch) const { return alloc_line_.at(branch); }

 private:
  static std::vector<SymExpr> exprs(const Sizes& sizes) { return {sizes.begin(), sizes.end()}; }
  int lines() { return static_cast<int>(w_.program().body.size()); }

  void branch(const std::string& name, const Sizes& sizes, int length) {
    for (int k = 1; k <= length; ++k) {
      const std::string output = name + std::to_string(k);
      w_.alloc(output, exprs(sizes));
      if (k == 1) alloc_line_[name[0]] = lines();
      kernel(name + "-kernel" + std::to_string(k),
             "func @k(%x: " + type_text(sizes) + ") { %z = neg %x : " + type_text(sizes) + " return %z }",
             {name + std::to_string(k - 1)}, output);
      if (k == 1) kernel_line_[name[0]] = lines();
    }
  }
  void kernel(const std::string& name, const std::string& body, const std::vector<std::string>& inputs,
              const std::string& output) {
    model::KernelDef definition;
    definition.name = name;
    definition.kind = model::KernelKind::mlir_auto_fallback;
    definition.num_outputs = 1;
    definition.body = std::make_shared<const model::TensorFunction>(model::parse_tensor_function(body));
    w_.program().kernels.push_back(definition);
    w_.kernel(name, inputs, {output});
    auto& launch = std::get<model::Launch>(w_.program().body.back().node);
    launch.definition = static_cast<int>(w_.program().kernels.size()) - 1;
    for (const std::string& input : inputs) launch.arguments.push_back({input, std::nullopt});
    launch.arguments.push_back({output, std::nullopt});
  }

  const Meeting& meeting_;
  WrapperBuilder w_;
  std::map<char, int> kernel_line_;
  std::map<char, int> alloc_line_;
};

/// The bound on the search: without bodies the answer may be the other fault, and says what it rests on.
TEST(WhyPairs, BeyondTheBoundTheSearchGoesByReads) {
  const Meeting meeting = meetings()[0];
  Pair pair(meeting, 4, 1);
  for (const std::size_t most : {std::size_t{2}, WhySearch::kMostNodes}) {
    run_tags_with(pair.program(), pair.plan(true, true), [&](RunState& state) {
      Provenance known;
      state.provenance = &known;
      Executor(state).run();
      LaunchMaps maps(pair.program(), known);
      const Explanation why = WhySearch(state, known, maps, most).from(known.outputs.at(0).read, {1});
      ASSERT_TRUE(why.at_fault);
      const bool bounded = most == 2;
      EXPECT_EQ(why.links.back().due, bounded ? "y-kernel1" : "x-kernel1");
      EXPECT_EQ(why.links[1].basis, bounded ? WhyBasis::reads : WhyBasis::positions);
    });
  }
}

struct Counts {
  int one = 0;
  int none = 0;
};

/// What the explanation of one element has to be; `left`, `right`: the faults that reach it.
void expect_right(const Explanation& why, Pair& pair, bool left, bool right, const std::string& what) {
  ASSERT_EQ(why.at_fault, left || right) << what << "\n" << text(why);
  if (left == right) return;
  const char branch = left ? 'x' : 'y';
  const WhyLink& last = why.links.back();
  EXPECT_EQ(last.due, std::string(1, branch) + "-kernel1") << what << "\n" << text(why);
  EXPECT_EQ(last.due_where.line, pair.kernel_line(branch)) << what;
  EXPECT_EQ(last.alloc_where.line, pair.alloc_line(branch)) << what;
  EXPECT_EQ(last.buffer, std::string(1, branch) + "1") << what;
  for (const WhyLink& link : why.links) {
    EXPECT_TRUE(link.exact) << what;
    EXPECT_FALSE(link.element.empty()) << what << " at " << link.step;
  }
}

void ask_everywhere(const Meeting& meeting, int left, int right, bool by_values, Counts& counts) {
  Pair pair(meeting, left, right);
  const std::vector<bool> of_left = pair.nans(pair.plan(true, false));
  const std::vector<bool> of_right = pair.nans(pair.plan(false, true));
  LaunchRecorder kept;
  LaunchRecorder golden;
  pair.nans(pair.plan(true, true), &kept);
  pair.nans({}, &golden);
  const WhyValues values{&kept, &golden, 0, {}};
  model::TensorType type;
  for (const std::int64_t size : meeting.result) type.shape.emplace_back(size);
  const auto elements = elements_of(model::full_box(type.shape), 1 << 20);
  for (std::size_t i = 0; i < elements.size(); ++i) {
    if (by_values && !of_left[i] && !of_right[i]) continue;  // it is right
    const Explanation why =
        explain(pair.program(), pair.plan(true, true), "z", elements[i], by_values ? &values : nullptr);
    expect_right(why, pair, of_left[i], of_right[i],
                 meeting.name + " " + std::to_string(left) + " " + std::to_string(right) + " element " +
                     std::to_string(i));
    (of_left[i] != of_right[i] ? counts.one : counts.none) += 1;
  }
}

TEST(WhyPairs, ThePositionsTellFaultsApart) {
  Counts counts;
  for (const Meeting& meeting : meetings())
    for (int left = 1; left <= 4 && !meeting.by_values_only; ++left)
      for (int right = 1; right <= 4; right += 2) ask_everywhere(meeting, left, right, false, counts);
  EXPECT_GE(counts.one, 300);
  EXPECT_GE(counts.none, 100);
}

TEST(WhyPairs, TheValuesTellFaultsApart) {
  Counts counts;
  for (const Meeting& meeting : meetings())
    for (int left = 1; left <= 4; ++left)
      for (int right = 1; right <= 4; right += 2) ask_everywhere(meeting, left, right, true, counts);
  EXPECT_GE(counts.one, 300);
}

}  // namespace
}  // namespace bufferproof::simulator
