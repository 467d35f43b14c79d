// Parts of lowered wrapper programs: short ways to write steps and roads.
#pragma once

#include "model/program.hpp"

namespace bufferproof::differential {

model::IndexSet whole();
model::Clause read_intended(const std::string& name, bool relies_on_declared);
model::Clause clause(model::Clause::Kind kind, const std::string& name);

/// How a launch hands over one output on one road.
enum class Road : std::uint8_t {
  write,           ///< stores all of it
  partial,         ///< stores all but the first element of the first axis
  compiled_dense,  ///< stores densely from the base pointer (E2)
  rebind,          ///< a fresh result as declared (E4)
  rebind_strides,  ///< a fresh result whose axes are stored in the opposite order
  rebind_shape,    ///< a fresh result with one element less on the first axis
  alias,           ///< the result is a view of the first input
  shared,          ///< every output's result is the first one's: one tensor returned twice (E4)
  drop,            ///< nothing (E5)
  raises,          ///< E11
};
inline constexpr std::uint64_t kRoads = 10;

/// What the generators know of a name.
struct Tensor {
  std::string name;
  model::Layout declared;
};

model::Variant road(Road kind, const std::string& name, const std::vector<Tensor>& inputs,
                    const std::vector<Tensor>& outputs, bool relies_on_declared);

/// A program that grows step by step; steps stand at "generated:LINE".
class WrapperText {
 public:
  explicit WrapperText(const std::string& file);
  template <typename Node>
  void add(Node node) {
    model::Step step;
    step.where = {file_, static_cast<int>(program_.body.size()) + 1, 1};
    step.node = std::move(node);
    program_.body.push_back(std::move(step));
  }
  /// Steps of `fill` become the body of a loop.
  template <typename Fill>
  void loop(const std::string& variable, const std::string& count, const Fill& fill) {
    model::Block outside;
    std::swap(outside, program_.body);
    fill();
    std::swap(outside, program_.body);
    add(model::Loop{variable, model::SymExpr::symbol(count), std::move(outside)});
  }
  void symbol(const std::string& name, std::int64_t lo, std::int64_t hi);
  void alloc(const Tensor& tensor, model::Init init);
  void view(const std::string& name, const std::string& base, const model::Layout& layout);
  void slice(const std::string& name, const std::string& pool, const model::Layout& layout);
  void bind(model::Bind::Kind kind, const std::string& name, const std::string& source);
  void copy(const std::string& from, const std::string& to);
  void launch(const std::string& kernel, const std::string& stream, const std::vector<Tensor>& outputs,
              std::vector<model::Variant> roads);
  void extern_call(const std::string& kernel, const std::string& stream, std::vector<model::Clause> clauses);
  void returns(const std::string& name);
  model::Program finish();

 private:
  std::shared_ptr<const std::string> file_;
  model::Program program_;
};

}  // namespace bufferproof::differential
