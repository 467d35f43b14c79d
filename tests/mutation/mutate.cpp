#include "tests/mutation/mutate.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <random>

#include "tests/mutation/sites.hpp"

namespace bufferproof::mutation {
namespace {

using namespace model;

/// The program without the texts of its kernels, which no engine reads.
Program light_copy(const Program& program) {
  Program copy;
  copy.dialect = program.dialect;
  copy.file = program.file;
  copy.symbols = program.symbols;
  copy.body = program.body;
  copy.assumptions = program.assumptions;
  for (const KernelDef& kernel : program.kernels) {
    KernelDef& light = copy.kernels.emplace_back();
    light.name = kernel.name;
    light.kind = kernel.kind;
    light.where = kernel.where;
  }
  return copy;
}

/// Applies one kind to one site; nullopt where it does not apply. The text is what happened to the output.
class Mutator {
 public:
  Mutator(const Program& program, const std::vector<Site>& sites, const Site& site)
      : program_(light_copy(program)),
        sites_(sites),
        site_(site),
        output_(launch().outputs.at(site.output)) {}

  std::optional<std::string> apply(Kind kind) {
    switch (kind) {
      case Kind::drop_output:
        return drop_output();
      case Kind::slice_output:
        return slice_output();
      case Kind::floor_for_ceil:
        return floor_for_ceil();
      case Kind::wrong_stride:
        return wrong_stride();
      case Kind::rebind_through_view:
        return rebind_through_view();
      case Kind::reuse_too_early:
        return reuse_too_early();
      case Kind::missing_event:
        return missing_event();
      case Kind::swap_input_output:
        return swap_input_output();
      case Kind::swap_outputs:
        return swap_outputs();
      default:
        return change_dtype();
    }
  }
  Program take() { return std::move(program_); }
  std::string place() const {
    return fmt::format("{} (line {})", launch_at(program_, site_.step).kernel.str(),
                       program_.body[site_.step].where.line);
  }

 private:
  Launch& launch() { return launch_at(program_, site_.step); }

  /// The one whole write of the first road to the output.
  Clause* first_write() {
    for (Clause& clause : launch().variants.at(0).clauses)
      if (clause.kind == Clause::Kind::write && clause.buffer == output_ && clause.set.whole &&
          !clause.as_layout)
        return &clause;
    return nullptr;
  }
  /// First axis that has, or may have, more than one element.
  std::optional<std::size_t> long_axis() const {
    if (!site_.declared.layout) return std::nullopt;
    for (std::size_t axis = 0; axis < site_.declared.layout->rank(); ++axis)
      if (const auto size = site_.declared.layout->sizes[axis].constant(); !size || *size > 1) return axis;
    return std::nullopt;
  }
  /// Elements whose index on `axis` is below `end`.
  IndexSet below(std::size_t axis, const SymExpr& end) const {
    IndexSet set;
    for (std::size_t i = 0; i < site_.declared.layout->rank(); ++i) {
      const std::string name = fmt::format("m{}", i);
      set.variables.push_back({name, 0, i == axis ? end : site_.declared.layout->sizes[i]});
      set.index.push_back(SymExpr::symbol(name));
    }
    return set;
  }

  std::optional<std::string> drop_output() {
    for (Variant& variant : launch().variants) {
      auto& clauses = variant.clauses;
      clauses.erase(std::remove_if(clauses.begin(), clauses.end(),
                                   [&](const Clause& c) {
                                     return c.kind == Clause::Kind::write && c.buffer == output_;
                                   }),
                    clauses.end());
      if (std::any_of(variant.rebinds.begin(), variant.rebinds.end(),
                      [](const Rebind& r) { return r.same_as >= 0; }))
        return std::nullopt;  // positions of rebinds matter then
      auto& rebinds = variant.rebinds;
      rebinds.erase(std::remove_if(rebinds.begin(), rebinds.end(),
                                   [&](const Rebind& r) { return r.handle == output_; }),
                    rebinds.end());
    }
    return output_.str();
  }
  std::optional<std::string> slice_output() {
    Clause* write = first_write();
    const auto axis = long_axis();
    if (!write || !axis) return std::nullopt;
    write->set = below(*axis, site_.declared.layout->sizes[*axis] - 1);
    return fmt::format("{} without the last index of axis {}", output_.str(), *axis);
  }
  std::optional<std::string> floor_for_ceil() {
    Clause* write = first_write();
    const auto axis = long_axis();
    if (!write || !axis) return std::nullopt;
    const SymExpr& size = site_.declared.layout->sizes[*axis];
    std::int64_t tile = 2;
    while (size.is_constant() && *size.constant() % tile == 0) ++tile;
    write->set = below(*axis, floordiv(size, tile) * SymExpr(tile));
    return fmt::format("{} in whole tiles of {} along axis {}", output_.str(), tile, *axis);
  }
  std::optional<std::string> wrong_stride() {
    Clause* write = first_write();
    const auto axis = long_axis();
    if (!write || !axis) return std::nullopt;
    Layout layout = *site_.declared.layout;
    layout.offset = 0;
    layout.strides[*axis] = layout.strides[*axis] + 1;
    write->as_layout = layout;
    return fmt::format("{} with stride {} on axis {}", output_.str(), layout.strides[*axis].str(), *axis);
  }
  std::optional<std::string> rebind_through_view() {
    const Name view(output_.str() + "_mutant_view");
    for (Variant& variant : launch().variants) {
      auto& clauses = variant.clauses;
      clauses.erase(std::remove_if(
                        clauses.begin(), clauses.end(),
                        [&](const Clause& c) { return c.kind != Clause::Kind::read && c.buffer == output_; }),
                    clauses.end());
      if (variant.rebinds.size() > 1) return std::nullopt;
      variant.rebinds = {Rebind{.handle = view}};
    }
    launch().outputs[site_.output] = view;
    Step step = program_.body[site_.step];
    step.node = View{.name = view, .base = output_};
    program_.body.insert(program_.body.begin() + static_cast<std::ptrdiff_t>(site_.step), step);
    ++site_.step;
    return fmt::format("{} through a view of it", output_.str());
  }
  std::optional<std::string> reuse_too_early() {
    const auto twin = still_needed_twin(program_, site_);
    if (!twin) return std::nullopt;
    program_.body[*allocation_of(program_, site_)].node =
        Bind{.kind = Bind::Kind::rename, .name = output_, .source = *twin};
    return fmt::format("{} takes over {}, which is read later", output_.str(), twin->str());
  }
  std::optional<std::string> missing_event() {
    const auto is_wait = [](const Step& step) { return std::holds_alternative<Wait>(step.node); };
    const auto at = program_.body.begin() + static_cast<std::ptrdiff_t>(site_.step);
    const auto wait = std::find_if(std::make_reverse_iterator(at), program_.body.rend(), is_wait);
    if (wait == program_.body.rend()) {
      launch().stream = Name("mutant_stream");
      return fmt::format("{} on a stream nobody waits for", output_.str());
    }
    const std::string event = std::get<Wait>(wait->node).event.str();
    program_.body.erase(std::next(wait).base());
    --site_.step;
    return "no wait for " + event;
  }
  std::optional<std::string> swap_input_output() {
    for (const Argument& argument : std::vector<Argument>(launch().arguments)) {
      const Name input = argument.handle;
      if (input.empty() || input == output_) continue;
      const Name hole("mutant_hole");
      retarget(launch(), input, hole);
      retarget(launch(), output_, input);
      retarget(launch(), hole, output_);
      return fmt::format("{} in the place of {}", input.str(), output_.str());
    }
    return std::nullopt;
  }
  std::optional<std::string> swap_outputs() {
    for (const Site& other : sites_) {
      const Launch& their_launch = launch_at(program_, other.step);
      const Name theirs = their_launch.outputs[other.output];
      const bool other_shape = other.declared.layout && site_.declared.layout &&
                               other.declared.layout->sizes != site_.declared.layout->sizes;
      if (other.step >= site_.step || !other_shape || their_launch.outputs.size() != 1) continue;
      if (std::any_of(their_launch.variants.begin(), their_launch.variants.end(),
                      [](const Variant& v) { return !v.raises.empty(); }))
        continue;
      deliver_elsewhere(theirs);
      return fmt::format("{} delivered into {}, of another shape", output_.str(), theirs.str());
    }
    return std::nullopt;
  }
  /// The roads write the other buffer through its base pointer, with their own layout.
  void deliver_elsewhere(const Name& theirs) {
    Layout own = contiguous(site_.declared.layout->sizes);
    retarget(launch(), output_, theirs);
    for (Variant& variant : launch().variants)
      for (Clause& clause : variant.clauses)
        if (clause.kind == Clause::Kind::write && clause.buffer == theirs) {
          clause.set = IndexSet{.whole = true};
          clause.as_layout = own;
        }
  }
  std::optional<std::string> change_dtype() {
    const DType other = site_.declared.dtype == DType::f16 ? DType::f32 : DType::f16;
    if (!site_.declared.dtype) return std::nullopt;
    for (Variant& variant : launch().variants) {
      const auto found = std::find_if(variant.rebinds.begin(), variant.rebinds.end(),
                                      [&](const Rebind& r) { return r.handle == output_; });
      if (found == variant.rebinds.end())
        variant.rebinds.push_back({.handle = output_, .dtype = other});
      else
        found->dtype = other;
    }
    return fmt::format("{} as {}", output_.str(), model::name(other));
  }

  Program program_;
  const std::vector<Site>& sites_;
  Site site_;
  Name output_;
};

}  // namespace

std::string name(Kind kind) {
  switch (kind) {
    case Kind::drop_output:
      return "drop_output";
    case Kind::slice_output:
      return "slice_output";
    case Kind::floor_for_ceil:
      return "floor_for_ceil";
    case Kind::wrong_stride:
      return "wrong_stride";
    case Kind::rebind_through_view:
      return "rebind_through_view";
    case Kind::reuse_too_early:
      return "reuse_too_early";
    case Kind::missing_event:
      return "missing_event";
    case Kind::swap_input_output:
      return "swap_input_output";
    case Kind::swap_outputs:
      return "swap_outputs";
    default:
      return "change_dtype";
  }
}

const std::vector<Kind>& all_kinds() {
  static const std::vector<Kind> kinds{Kind::drop_output,   Kind::slice_output,        Kind::floor_for_ceil,
                                       Kind::wrong_stride,  Kind::rebind_through_view, Kind::reuse_too_early,
                                       Kind::missing_event, Kind::swap_input_output,   Kind::swap_outputs,
                                       Kind::change_dtype};
  return kinds;
}

std::vector<Mutant> mutants(const Program& lowered, std::uint64_t seed, std::size_t most_per_kind) {
  std::vector<Mutant> found;
  const std::vector<Site> sites = find_sites(lowered);
  std::mt19937_64 random(seed);
  for (const Kind kind : all_kinds()) {
    std::vector<std::size_t> order(sites.size());
    for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
    // std::shuffle differs between standard libraries; this does not
    for (std::size_t i = order.size(); i > 1; --i) std::swap(order[i - 1], order[random() % i]);
    std::vector<std::pair<std::size_t, Mutant>> chosen;
    for (const std::size_t index : order) {
      if (chosen.size() == most_per_kind) break;
      Mutator mutator(lowered, sites, sites[index]);
      const auto what = mutator.apply(kind);
      if (!what) continue;
      const std::string description = fmt::format("{}: {}: {}", name(kind), mutator.place(), *what);
      chosen.push_back({index, Mutant{kind, description, mutator.take()}});
    }
    std::sort(chosen.begin(), chosen.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
    for (auto& [index, mutant] : chosen) {
      number_steps(mutant.program);
      found.push_back(std::move(mutant));
    }
  }
  return found;
}

}  // namespace bufferproof::mutation
