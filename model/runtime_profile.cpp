// Profile files: JSON text to RuntimeProfile. The parser is bounded in size and depth; keys are checked by
// name.
#include "model/runtime_profile.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <set>

#include "model/embedded.hpp"
#include "model/near_name.hpp"

namespace bufferproof::model {
namespace {

using Json = nlohmann::json;

constexpr std::array<std::string_view, 5> kDeliveries{"kernel_write", "copy", "rebind_data", "rebind_set",
                                                      "drop"};
constexpr std::array<std::string_view, 11> kKinds{
    "cpp",    "triton", "mlir_auto_fallback", "import_fx", "akg_auto_fallback", "mlir", "dvm", "cuda", "rocm",
    "halide", "other"};

template <std::size_t N>
std::optional<std::size_t> index_of(const std::array<std::string_view, N>& names, std::string_view text) {
  const auto found = std::find(names.begin(), names.end(), text);
  if (found == names.end()) return std::nullopt;
  return static_cast<std::size_t>(found - names.begin());
}

template <std::size_t N>
std::vector<std::string> strings(const std::array<std::string_view, N>& names) {
  return {names.begin(), names.end()};
}

using Flag = bool RuntimeProfile::*;
constexpr std::array<std::pair<std::string_view, Flag>, 9> kFlags{{
    {"noncontiguous_inputs_by_copy", &RuntimeProfile::noncontiguous_inputs_by_copy},
    {"noncontiguous_outputs_by_temporary", &RuntimeProfile::noncontiguous_outputs_by_temporary},
    {"temporary_needs_call_functions", &RuntimeProfile::temporary_needs_call_functions},
    {"dynamic_copy_back_raises", &RuntimeProfile::dynamic_copy_back_raises},
    {"contiguity_fixed_at_first_call", &RuntimeProfile::contiguity_fixed_at_first_call},
    {"fallback_keeps_result_strides", &RuntimeProfile::fallback_keeps_result_strides},
    {"dynamic_tiling_race", &RuntimeProfile::dynamic_tiling_race},
    {"stale_stream_variable", &RuntimeProfile::stale_stream_variable},
    {"tuning_on_real_outputs", &RuntimeProfile::tuning_on_real_outputs},
}};

/// Where a byte of the text stands, for parse errors; and where a key stands, for everything else. JSON
/// values carry no position, so a key is found as its first quoted occurrence.
struct Positions {
  const std::string& text;
  std::shared_ptr<const std::string> file;

  SourceLocation at_byte(std::size_t byte) const {
    const std::string_view before = std::string_view(text).substr(0, std::min(byte, text.size()));
    const std::size_t line_start = before.rfind('\n');
    const std::size_t start = line_start == std::string_view::npos ? 0 : line_start + 1;
    return {file, 1 + static_cast<int>(std::count(before.begin(), before.end(), '\n')),
            1 + static_cast<int>(before.size() - start)};
  }
  SourceLocation at_key(std::string_view key) const {
    const std::size_t byte = text.find(fmt::format("\"{}\"", key));
    return byte == std::string::npos ? SourceLocation{file, 0, 0} : at_byte(byte);
  }
};

/// The keys of one JSON object, each taken once; what is left over at the end is unknown.
class Object {
 public:
  Object(const Json& json, const Positions& positions, std::string_view what)
      : json_(json), positions_(positions) {
    if (!json.is_object()) fail(what, "an object", json);
  }

  const Json* take(std::string_view key) {
    known_.emplace_back(key);
    const auto found = json_.find(std::string(key));
    return found == json_.end() ? nullptr : &*found;
  }
  std::string text(std::string_view key, const std::string& otherwise = "") {
    const Json* value = take(key);
    if (value == nullptr) return otherwise;
    if (!value->is_string()) fail(key, fmt::format("a string for \"{}\"", key), *value);
    return value->get<std::string>();
  }
  bool flag(std::string_view key, bool otherwise) {
    const Json* value = take(key);
    if (value == nullptr) return otherwise;
    if (!value->is_boolean()) fail(key, fmt::format("true or false for \"{}\"", key), *value);
    return value->get<bool>();
  }
  void done() const {
    for (const auto& [key, value] : json_.items())
      if (std::find(known_.begin(), known_.end(), key) == known_.end())
        throw InputError(positions_.at_key(key), "a key of a runtime profile", "\"" + key + "\"",
                         name_hint(key, known_));
  }
  [[noreturn]] void fail(std::string_view key, const std::string& expected, const Json& found) const {
    throw InputError(positions_.at_key(key), expected,
                     found.dump(-1, ' ', true, Json::error_handler_t::replace).substr(0, 200));
  }

 private:
  const Json& json_;
  const Positions& positions_;
  std::vector<std::string> known_;
};

/// Objects and arrays deeper than this are no profile; duplicate keys would silently hide a fact.
class StructureGuard {
 public:
  explicit StructureGuard(const Positions& positions) : positions_(positions) {}

  bool operator()(int depth, Json::parse_event_t event, Json& parsed) {
    constexpr int kMostDepth = 8;
    if (depth > kMostDepth)
      throw InputError({positions_.file, 0, 0}, "a runtime profile is nested too deeply");
    if (event == Json::parse_event_t::object_start) keys_.emplace_back();
    if (event == Json::parse_event_t::object_end) keys_.pop_back();
    if (event == Json::parse_event_t::key && !keys_.back().insert(parsed.get<std::string>()).second)
      throw InputError(positions_.at_key(parsed.get<std::string>()), "each key once",
                       "\"" + parsed.get<std::string>() + "\" twice");
    return true;
  }

 private:
  const Positions& positions_;
  std::vector<std::set<std::string>> keys_;
};

Json parse(const std::string& text, const Positions& positions) {
  constexpr std::size_t kMostBytes = 1 << 20;
  if (text.size() > kMostBytes)
    throw InputError({positions.file, 0, 0}, "a runtime profile of at most 1 MiB",
                     fmt::format("{} bytes", text.size()));
  try {
    return Json::parse(text, StructureGuard(positions));
  } catch (const Json::parse_error& error) {
    throw InputError(positions.at_byte(error.byte == 0 ? 0 : error.byte - 1), "JSON",
                     text.empty() ? "an empty file" : "text that does not parse here",
                     "see model/data/runtimes/README.md for the form");
  } catch (const Json::exception& error) {  // a number beyond the range of a double
    throw InputError({positions.file, 0, 0}, "JSON with numbers in range", error.what(),
                     "see model/data/runtimes/README.md for the form");
  }
}

std::optional<Delivery> read_delivery(Object& object, std::string_view key, const Positions& positions) {
  const std::string text = object.text(key);
  if (text.empty()) return std::nullopt;
  if (const auto delivery = parse_delivery(text)) return delivery;
  throw InputError(positions.at_key(key), fmt::format("a delivery for \"{}\"", key), text,
                   name_hint(text, strings(kDeliveries)));
}

void read_more_roads(Object& object, const Positions& positions, KernelRules& rules) {
  const Json* roads = object.take("more_roads");
  if (roads == nullptr) return;
  if (!roads->is_object())
    object.fail("more_roads", "an object of road name and delivery for \"more_roads\"", *roads);
  Object names(*roads, positions, "more_roads");
  for (const auto& [name, delivery] : roads->items()) {
    const auto read = read_delivery(names, name, positions);
    if (!read || name == "tuned" || name == "fallback")
      throw InputError(positions.at_key(name), "a new road name with a delivery", "\"" + name + "\"");
    rules.more_roads.emplace_back(name, *read);
  }
}

KernelRules read_rules(const std::string& kind, const Json& json, const Positions& positions,
                       RuntimeProfile& profile) {
  const auto parsed = parse_kernel_kind(kind);
  if (!parsed)
    throw InputError(positions.at_key(kind), "a kernel kind", kind, name_hint(kind, strings(kKinds)));
  Object object(json, positions, kind);
  KernelRules rules{.kind = *parsed};
  rules.has_tuned = object.flag("tuned", true);
  const auto fallback = read_delivery(object, "fallback", positions);
  rules.has_fallback = fallback.has_value();
  rules.fallback = fallback.value_or(Delivery::copy);
  rules.fallback_on_dtype_mismatch = read_delivery(object, "fallback_on_dtype_mismatch", positions);
  read_more_roads(object, positions, rules);
  if (const std::string source = object.text("source"); !source.empty())
    profile.sources.emplace_back(kind, source);
  object.done();
  if (!rules.has_tuned && !rules.has_fallback)
    throw InputError(positions.at_key(kind), "at least one road (\"tuned\" or \"fallback\") for " + kind,
                     "none");
  return rules;
}

void read_behaviour(const Json& json, const Positions& positions, RuntimeProfile& profile) {
  Object behaviour(json, positions, "behaviour");
  for (const auto& [key, flag] : kFlags) {
    const Json* value = behaviour.take(key);
    if (value == nullptr) continue;
    if (value->is_boolean()) {
      profile.*flag = value->get<bool>();
      continue;
    }
    if (!value->is_object())
      behaviour.fail(key, fmt::format("true, false or {{\"value\", \"source\"}} for \"{}\"", key), *value);
    Object fact(*value, positions, key);
    profile.*flag = fact.flag("value", false);
    if (const std::string source = fact.text("source"); !source.empty())
      profile.sources.emplace_back(key, source);
    fact.done();
  }
  behaviour.done();
}

std::vector<std::string> read_aliases(Object& top) {
  std::vector<std::string> aliases;
  const Json* value = top.take("aliases");
  if (value == nullptr) return aliases;
  if (!value->is_array()) top.fail("aliases", "a list of names for \"aliases\"", *value);
  for (const Json& alias : *value) {
    if (!alias.is_string()) top.fail("aliases", "strings in \"aliases\"", alias);
    aliases.push_back(alias.get<std::string>());
  }
  return aliases;
}

std::vector<RuntimeProfile> read_shipped() {
  std::vector<RuntimeProfile> profiles;
  for (const EmbeddedFile& file : embedded_runtimes()) profiles.push_back(read_profile(file.text, file.name));
  std::sort(profiles.begin(), profiles.end(), [](const RuntimeProfile& a, const RuntimeProfile& b) {
    return std::tie(a.hypothetical, a.name) < std::tie(b.hypothetical, b.name);
  });
  return profiles;
}

}  // namespace

std::string_view name(Delivery delivery) { return kDeliveries.at(static_cast<std::size_t>(delivery)); }

std::optional<Delivery> parse_delivery(std::string_view text) {
  const auto index = index_of(kDeliveries, text);
  return index ? std::optional(static_cast<Delivery>(*index)) : std::nullopt;
}

std::string_view name(KernelKind kind) { return kKinds.at(static_cast<std::size_t>(kind)); }

std::optional<KernelKind> parse_kernel_kind(std::string_view text) {
  const auto index = index_of(kKinds, text);
  return index ? std::optional(static_cast<KernelKind>(*index)) : std::nullopt;
}

const KernelRules* RuntimeProfile::rules(KernelKind kind) const {
  const auto found =
      std::find_if(kernels.begin(), kernels.end(), [&](const KernelRules& r) { return r.kind == kind; });
  return found == kernels.end() ? nullptr : &*found;
}

RuntimeProfile read_profile(const std::string& json, const std::string& file) {
  const Positions positions{json, std::make_shared<const std::string>(file)};
  const Json root = parse(json, positions);
  Object top(root, positions, "");
  RuntimeProfile profile;
  profile.name = top.text("name");
  if (profile.name.empty())
    throw InputError(positions.at_byte(0), "a \"name\"", "none",
                     "name the profile, for example \"my-build\"");
  profile.aliases = read_aliases(top);
  profile.description = top.text("description");
  profile.hypothetical = top.flag("hypothetical", false);
  if (const Json* kernels = top.take("kernels")) {
    if (!kernels->is_object()) top.fail("kernels", "an object for \"kernels\"", *kernels);
    for (const auto& [kind, rules] : kernels->items())
      profile.kernels.push_back(read_rules(kind, rules, positions, profile));
  }
  if (const Json* behaviour = top.take("behaviour")) read_behaviour(*behaviour, positions, profile);
  top.done();
  return profile;
}

const std::vector<RuntimeProfile>& shipped_profiles() {
  static const std::vector<RuntimeProfile> profiles = read_shipped();
  return profiles;
}

const RuntimeProfile* find_profile(std::string_view name) {
  for (const RuntimeProfile& profile : shipped_profiles()) {
    const auto& aliases = profile.aliases;
    if (profile.name == name || std::find(aliases.begin(), aliases.end(), name) != aliases.end())
      return &profile;
  }
  return nullptr;
}

const RuntimeProfile& require_profile(std::string_view name) {
  if (const RuntimeProfile* found = find_profile(name)) return *found;
  std::vector<std::string> known;
  for (const RuntimeProfile& profile : shipped_profiles()) {
    known.push_back(profile.name);
    known.insert(known.end(), profile.aliases.begin(), profile.aliases.end());
  }
  throw InputError({}, "the name of a runtime profile", std::string(name), name_hint(name, known));
}

}  // namespace bufferproof::model
