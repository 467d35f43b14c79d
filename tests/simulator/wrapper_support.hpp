// Builds small lowered wrapper programs by hand.
#pragma once

#include "tests/simulator/support.hpp"

namespace bufferproof::simulator {

inline model::IndexSet whole() {
  model::IndexSet set;
  set.whole = true;
  return set;
}

inline model::Clause read_clause(const std::string& name, bool relies = false) {
  model::Clause c;
  c.buffer = name;
  c.set = whole();
  c.from.kind = model::From::Kind::intended;
  c.relies_on_declared = relies;
  return c;
}

inline model::Clause clause(model::Clause::Kind kind, const std::string& name) {
  model::Clause c;
  c.kind = kind;
  c.buffer = name;
  c.set = whole();
  return c;
}

inline model::Clause write_clause(const std::string& name) {
  return clause(model::Clause::Kind::write, name);
}

/// A wrapper program, statement by statement.
class WrapperBuilder {
 public:
  WrapperBuilder() { program_.dialect = model::Dialect::wrapper; }

  WrapperBuilder& alloc(const std::string& name, std::vector<model::SymExpr> sizes,
                        model::Init init = model::Init::uninit, model::DType dtype = model::DType::f32) {
    return add(model::Alloc{name, dtype, model::contiguous(std::move(sizes)), init});
  }
  WrapperBuilder& view(const std::string& name, const std::string& base, model::Layout layout,
                       std::optional<model::DType> dtype = std::nullopt) {
    return add(model::View{name, base, std::move(layout), dtype, false, false});
  }
  WrapperBuilder& rename(const std::string& name, const std::string& source) {
    return add(model::Bind{model::Bind::Kind::rename, name, source});
  }
  WrapperBuilder& alias(const std::string& name, const std::string& source) {
    return add(model::Bind{model::Bind::Kind::alias, name, source});
  }
  /// A kernel that reads `inputs` and delivers `outputs`, with the given roads after "tuned".
  WrapperBuilder& kernel(const std::string& name, const std::vector<std::string>& inputs,
                         const std::vector<std::string>& outputs, std::vector<model::Variant> more = {},
                         const std::string& stream = "s0") {
    model::Launch launch;
    launch.kernel = name;
    launch.choice = name;
    launch.stream = stream;
    model::Variant tuned;
    tuned.name = "tuned";
    for (const std::string& input : inputs) tuned.clauses.push_back(read_clause(input, true));
    for (const std::string& output : outputs) {
      tuned.clauses.push_back(write_clause(output));
      launch.outputs.emplace_back(output);
    }
    launch.variants.push_back(std::move(tuned));
    for (model::Variant& variant : more) launch.variants.push_back(std::move(variant));
    return add(std::move(launch));
  }
  /// The same, of the program's first kernel definition, whose body has one input and one result.
  WrapperBuilder& computes(const std::string& name, const std::string& input, const std::string& output,
                           std::vector<model::Variant> more = {}) {
    kernel(name, {input}, {output}, std::move(more));
    auto& launch = std::get<model::Launch>(program_.body.back().node);
    launch.definition = 0;
    launch.arguments = {{input, std::nullopt}, {output, std::nullopt}};
    return *this;
  }
  /// A launch of kernel `definition` with a road of this variant only.
  WrapperBuilder& launch(int definition, const std::vector<std::string>& inputs,
                         const std::vector<std::string>& outputs, model::Variant road) {
    model::Launch node;
    node.kernel = node.choice = "k" + std::to_string(definition);
    node.definition = definition;
    node.stream = "s0";
    for (const std::string& input : inputs) {
      node.arguments.push_back({input, std::nullopt});
      road.clauses.insert(road.clauses.begin(), read_clause(input));
    }
    for (const std::string& output : outputs) {
      node.arguments.push_back({output, std::nullopt});
      node.outputs.emplace_back(output);
    }
    node.variants.push_back(std::move(road));
    return add(std::move(node));
  }
  WrapperBuilder& external(const std::string& name, std::vector<model::Clause> clauses,
                           const std::string& stream = "s0") {
    model::Launch launch;
    launch.kernel = name;
    launch.stream = stream;
    launch.variants.emplace_back();
    launch.variants.back().clauses = std::move(clauses);
    return add(std::move(launch));
  }
  WrapperBuilder& copy(const std::string& from, const std::string& to) {
    return add(model::Copy{"s0", from, whole(), to, whole()});
  }
  WrapperBuilder& free(const std::string& name) { return add(model::Free{{name}}); }
  WrapperBuilder& returns(const std::string& name) {
    model::Return r;
    model::From intended;
    intended.kind = model::From::Kind::intended;
    r.items.push_back({name, whole(), intended});
    r.after_everything = false;
    r.stream = "s0";
    return add(std::move(r));
  }
  template <typename Node>
  WrapperBuilder& add(Node node) {
    model::Step step;
    step.where = {std::make_shared<const std::string>("w.py"), static_cast<int>(program_.body.size()) + 1, 1};
    step.node = std::move(node);
    program_.body.push_back(std::move(step));
    model::number_steps(program_);
    return *this;
  }
  model::Program& program() { return program_; }

  TagTrace run(const std::map<std::string, std::string>& variants = {},
               std::vector<model::Fault> faults = {}) const {
    model::RunPlan plan;
    plan.variants = variants;
    plan.faults = std::move(faults);
    return run_tags(program_, plan);
  }
  Found found(const std::map<std::string, std::string>& variants = {}) const {
    return findings(run(variants));
  }

 private:
  model::Program program_;
};

/// The road that moves the handle of `output` to a fresh result.
inline model::Variant rebinding(const std::string& output,
                                std::optional<model::Layout> result = std::nullopt) {
  model::Variant v;
  v.name = "fallback";
  v.fallback = true;
  v.rebinds.push_back({output, std::move(result), std::nullopt, {}, -1});
  return v;
}

inline model::Variant dropping() {
  model::Variant v;
  v.name = "fallback";
  v.fallback = true;
  return v;
}

}  // namespace bufferproof::simulator
