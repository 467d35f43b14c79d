#include "model/lowering/source_roads.hpp"

#include <algorithm>
#include <map>

namespace bufferproof::model::lowering {
namespace {

constexpr const char* kSourceWellBehaved =
    "the compiled C++ or Triton kernel stores every element of its declared outputs, stays inside the "
    "buffers "
    "it is given and loads nothing else than its parameters say";
constexpr const char* kHoldsComplex =
    "a 64-bit buffer that is passed as a pointer to floating-point numbers holds complex numbers";
constexpr const char* kReadsItsOwnStores =
    "a kernel that gets a buffer as input and views of it as outputs loads what it stored itself, or what "
    "was there";

bool is_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

/// Position after the blanks from `at` on.
std::size_t skip_blanks(std::string_view text, std::size_t at) {
  while (at < text.size() && std::isspace(static_cast<unsigned char>(text[at])) != 0) ++at;
  return at;
}

/// Position of the bracket that closes the one at `open`; the end when there is none.
std::size_t closing(std::string_view text, std::size_t open) {
  int depth = 0;
  for (std::size_t at = open; at < text.size(); ++at) {
    if (text[at] == '(' || text[at] == '[') ++depth;
    if ((text[at] == ')' || text[at] == ']') && --depth == 0) return at;
  }
  return text.size();
}

/// End of the argument that starts at `at`: the comma or bracket that ends it.
std::size_t argument_end(std::string_view text, std::size_t at) {
  int depth = 0;
  for (; at < text.size(); ++at) {
    if (text[at] == '(' || text[at] == '[') ++depth;
    if (text[at] == ')' || text[at] == ']')
      if (--depth < 0) return at;
    if (text[at] == ',' && depth == 0) return at;
  }
  return at;
}

/// Name of the call whose first argument starts at `at` ("" if `at` does not start one): "tl.store", "loadu".
std::string_view called(std::string_view text, std::size_t at) {
  while (at > 0 && (text[at - 1] == ' ' || text[at - 1] == '&')) --at;
  if (at == 0 || text[at - 1] != '(') return {};
  const std::size_t end = at - 1;
  std::size_t start = end;
  while (start > 0 && is_word(text[start - 1])) --start;
  return text.substr(start, end - start);
}

/// Inductor names every loaded value tmpN; an index that mentions one depends on data.
bool depends_on_data(std::string_view index) { return index.find("tmp") != std::string_view::npos; }

bool is_assignment(std::string_view text, std::size_t after_index) {
  const std::size_t at = skip_blanks(text, after_index);
  return at + 1 < text.size() && text[at] == '=' && text[at + 1] != '=';
}

/// `auto tmp0 = pointer[...];`, not through a reference.
bool is_loaded_value(std::string_view text, std::size_t at, std::size_t end) {
  if (end >= text.size() || text[end] != '[' || at < 2 || text.substr(at - 2, 2) != "= ") return false;
  const std::size_t line = text.rfind('\n', at) + 1;  // 0 where there is none
  const std::size_t after = skip_blanks(text, closing(text, end) + 1);
  return after < text.size() && text[after] == ';' &&
         text.substr(line, at - line).find('&') == std::string_view::npos;
}

void note_use(std::string_view text, std::size_t at, std::size_t end, PointerUse& use) {
  const bool first = !use.seen;
  use.seen = true;
  const std::string_view call = called(text, at);
  if (call.find("atomic") != std::string_view::npos) {
    use.scatters = true;
  } else if (call == "store") {
    (depends_on_data(text.substr(end, argument_end(text, end) - end)) ? use.scatters : use.stores) = true;
  } else if (end < text.size() && text[end] == '[' && is_assignment(text, closing(text, end) + 1)) {
    (depends_on_data(text.substr(end, closing(text, end) - end)) ? use.scatters : use.stores) = true;
  } else {
    use.loads_first = use.loads_first || first;
    use.others = use.others || (call != "load" && call != "loadu" && !is_loaded_value(text, at, end));
  }
}

/// Where the body starts: after the Triton signature; C++ declarations are told apart by their '*'.
std::size_t body_start(std::string_view text) {
  const std::size_t def = text.find("def ");
  if (def == std::string_view::npos || text.find("extern \"C\"") != std::string_view::npos) return 0;
  const std::size_t open = text.find('(', def);
  return open == std::string_view::npos ? text.size() : closing(text, open);
}

bool is_declaration(std::string_view text, std::size_t at) {
  while (at > 0 && text[at - 1] == ' ') --at;
  constexpr std::string_view kRestrict = "__restrict__";
  if (at >= kRestrict.size() && text.substr(at - kRestrict.size(), kRestrict.size()) == kRestrict)
    return true;
  return at > 0 && text[at - 1] == '*';
}

class Builder {
 public:
  explicit Builder(const LaunchContext& context) : context_(context) { road_.name = "tuned"; }

  SourceRoad build() {
    context_.assumptions.add(kSourceWellBehaved, context_.kernel.name);
    for (std::size_t i = 0; i < context_.kernel.parameters.size(); ++i)
      if (const Name& handle = context_.launch.arguments[i].handle; !handle.empty()) {
        assume_complex(context_.kernel.parameters[i], handle);
        argument(context_.kernel.parameters[i], handle);
      }
    road_.clauses = reads_;
    road_.clauses.insert(road_.clauses.end(), writes_.begin(), writes_.end());
    road_.clauses.insert(road_.clauses.end(), late_reads_.begin(), late_reads_.end());
    return {road_, scatters_ ? std::vector<Name>{} : outputs_};
  }

 private:
  /// Complex numbers have no type of their own here, and kernels get them as pairs.
  void assume_complex(const Parameter& parameter, const Name& handle) const {
    const auto& held = context_.environment.of(handle).dtype;
    if (held == DType::i64 && parameter.dtype && parameter.role != Role::scalar &&
        is_floating(*parameter.dtype))
      context_.assumptions.add(kHoldsComplex, context_.kernel.name);
  }
  void argument(const Parameter& parameter, const Name& handle) {
    if (parameter.role == Role::scalar) return;
    if (parameter.role == Role::input) return input(parameter, handle);
    const PointerUse use =
        parameter.role == Role::workspace ? PointerUse{} : pointer_use(context_.kernel.text, parameter.name);
    // An out_ptr is loaded, if at all, after its own store; a vector kernel passes it to helpers in ways no
    // scan can tell.
    const bool untouched = !use.seen && parameter.role != Role::workspace && names_another(parameter);
    const bool reads = parameter.role == Role::in_out && (use.seen ? use.loads_first : !untouched);
    if (reads) reads_.push_back(compiled_read(parameter, handle));  // E9
    if (std::find(outputs_.begin(), outputs_.end(), handle) == outputs_.end()) outputs_.push_back(handle);
    if (!untouched && !only_loaded(use)) store(parameter, handle, use);  // else C1: due, and never stored
  }
  void store(const Parameter& parameter, const Name& handle, const PointerUse& use) {
    const bool partial = use.scatters && !use.stores;
    scatters_ = scatters_ || partial;
    writes_.push_back(whole(partial ? Clause::Kind::modify : Clause::Kind::write, handle));
    const auto declared = context_.environment.of(handle).dtype;
    if (parameter.dtype && declared && !same_elements(*parameter.dtype, *declared)) {
      // C7: what the memory holds afterwards, here and as seen through other handles.
      writes_.push_back(whole(Clause::Kind::unknown, handle));
      road_.rebinds.push_back({.handle = handle, .dtype = *parameter.dtype});
    }
  }
  /// The text is there, and speaks of pointers.
  bool names_another(const Parameter& parameter) const {
    const auto& all = context_.kernel.parameters;
    return std::any_of(all.begin(), all.end(), [&](const Parameter& other) {
      return other.role != Role::scalar && other.name != parameter.name &&
             pointer_use(context_.kernel.text, other.name).seen;
    });
  }
  static bool only_loaded(const PointerUse& use) {
    return use.seen && !use.stores && !use.scatters && !use.others;
  }
  static Clause compiled_read(const Parameter& parameter, const Name& handle) {
    Clause read = intended_read(handle, true);
    read.compiled_for = parameter.dtype;  // C7
    return read;
  }
  void input(const Parameter& parameter, const Name& handle) {
    Clause read = compiled_read(parameter, handle);
    if (!shares_with_output(handle)) return reads_.push_back(read);
    read.from = {};
    late_reads_.push_back(read);
    context_.assumptions.add(kReadsItsOwnStores, context_.kernel.name);
  }
  bool shares_with_output(const Name& handle) const {
    for (std::size_t i = 0; i < context_.kernel.parameters.size(); ++i) {
      const Role role = context_.kernel.parameters[i].role;
      const Name& other = context_.launch.arguments[i].handle;
      if ((role == Role::output || role == Role::in_out) && !other.empty() && !(other == handle) &&
          context_.environment.may_overlap(handle, other))
        return true;
    }
    return false;
  }

  const LaunchContext& context_;
  std::vector<Clause> reads_;
  std::vector<Clause> writes_;
  std::vector<Clause> late_reads_;  ///< after the kernel's own stores
  std::vector<Name> outputs_;
  bool scatters_ = false;
  Variant road_;
};

}  // namespace

namespace {

/// Places where `name` stands as a whole word in the body.
std::vector<std::size_t> places(std::string_view text, std::string_view name) {
  std::vector<std::size_t> out;
  for (std::size_t at = text.find(name, body_start(text)); at != std::string_view::npos;
       at = text.find(name, at + name.size())) {
    const std::size_t end = at + name.size();
    if ((at == 0 || !is_word(text[at - 1])) && (end == text.size() || !is_word(text[end]))) out.push_back(at);
  }
  return out;
}

/// X of `auto X = pointer;` when that statement ends at the pointer named at `at`.
std::string_view other_name(std::string_view text, std::size_t at, std::size_t end) {
  if (end >= text.size() || text[end] != ';' || at < 3 || text.substr(at - 3, 3) != " = ") return {};
  const std::size_t name_end = at - 3;
  std::size_t start = name_end;
  while (start > 0 && is_word(text[start - 1])) --start;
  return text.substr(start, name_end - start);
}

}  // namespace

PointerUse pointer_use(std::string_view text, std::string_view parameter) {
  PointerUse use;
  if (parameter.empty()) return use;
  std::map<std::size_t, std::size_t> uses;  // start, end
  std::vector<std::string_view> names{parameter};
  for (std::size_t i = 0; i < names.size() && i < 8; ++i)
    for (std::size_t at : places(text, names[i])) {
      const std::string_view alias = other_name(text, at, at + names[i].size());
      if (!alias.empty()) names.push_back(alias);
      if (alias.empty() && !is_declaration(text, at)) uses.emplace(at, at + names[i].size());
    }
  for (const auto& [at, end] : uses)
    if (!text.substr(0, at).ends_with("auto ")) note_use(text, at, end, use);
  return use;
}

namespace {

/// A number for a number, a tensor for a pointer.
bool takes(const Parameter& parameter, const Argument& argument) {
  return parameter.role == Role::scalar ? argument.handle.empty() : !argument.scalar;
}

}  // namespace

SourceRoad source_road(const LaunchContext& context) {
  const auto& arguments = context.launch.arguments;
  const std::size_t parameters = context.kernel.parameters.size();
  // What follows the parameters are grid sizes and compile-time numbers; a tensor there is not understood.
  const bool fits = parameters > 0 && parameters <= arguments.size() &&
                    std::all_of(arguments.begin() + static_cast<std::ptrdiff_t>(parameters), arguments.end(),
                                [](const Argument& argument) { return argument.handle.empty(); }) &&
                    std::equal(context.kernel.parameters.begin(), context.kernel.parameters.end(),
                               arguments.begin(), takes);
  if (!fits) return {unknown_road(context.launch), {}};  // E8
  return Builder(context).build();
}

}  // namespace bufferproof::model::lowering
