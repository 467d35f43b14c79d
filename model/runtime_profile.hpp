// What a named runtime version does with a kernel: which roads it has and how each hands its result over.
//
// Profiles are data files (model/data/runtimes/*.json, embedded at build; users add their own with --runtime
// FILE). Every fact in a file names its source. Tested by tests/model/runtime_profile_test.cpp.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/program.hpp"

namespace bufferproof::model {

/// How a fallback hands over its results (E2..E5).
enum class Delivery : std::uint8_t {
  kernel_write,  ///< stores into the output's memory
  copy,          ///< out.copy_(result)
  rebind_data,   ///< out.data = result.data: result's strides stay
  rebind_set,    ///< out.set_(result.contiguous())
  drop,          ///< nothing
};
std::string_view name(Delivery delivery);
std::optional<Delivery> parse_delivery(std::string_view text);

/// The roads of one kernel kind.
struct KernelRules {
  KernelKind kind = KernelKind::other;
  bool has_tuned = true;  ///< import_fx kernels are only ever the fallback
  bool has_fallback = false;
  Delivery fallback = Delivery::copy;
  /// Delivery when result and output dtypes differ, where the runtime looks at that; else as `fallback`.
  std::optional<Delivery> fallback_on_dtype_mismatch;
  /// Further roads that run the FX graph and deliver in another way, by name: for "what if" profiles.
  std::vector<std::pair<std::string, Delivery>> more_roads;
};

struct RuntimeProfile {
  std::string name;  ///< "torch_npu-26.0.0"
  std::string description;
  std::vector<std::string> aliases;  ///< other names `find_profile` accepts: exact releases the file covers
  bool hypothetical = false;         ///< judged only when named
  std::vector<KernelRules> kernels;
  /// Non-contiguous inputs of an MLIR kernel are made contiguous before its bare pointers are passed, judged
  /// by the real tensor: a permuted handle is then read through its own strides.
  bool noncontiguous_inputs_by_copy = false;
  /// E7: a non-contiguous output is replaced by a contiguous temporary that is copied back whole.
  bool noncontiguous_outputs_by_temporary = false;
  /// v2.7.1-7.3.0: kernels without call functions skip the temporary and go straight to the fallback.
  bool temporary_needs_call_functions = false;
  /// 26.0.0: copy-back of a dynamic tuned kernel raises (E11).
  bool dynamic_copy_back_raises = false;
  /// Contiguity of arguments is fixed at the kernel's first call (B3).
  bool contiguity_fixed_at_first_call = false;
  /// Eager results may keep permuted strides (B1s); with rebind_data they reach the handle.
  bool fallback_keeps_result_strides = false;
  bool dynamic_tiling_race = false;                          ///< B8
  bool stale_stream_variable = false;                        ///< B9
  bool tuning_on_real_outputs = false;                       ///< E10
  std::vector<std::pair<std::string, std::string>> sources;  ///< fact, where it was read

  /// nullptr: the profile says nothing about this kind. Its kernels then have one road, which keeps the
  /// contract.
  const KernelRules* rules(KernelKind kind) const;
};

/// "mlir_auto_fallback", "import_fx", "cpp", ...: as wrappers and profile files spell them.
std::string_view name(KernelKind kind);
std::optional<KernelKind> parse_kernel_kind(std::string_view text);

/// The shipped profiles, real ones first, each group by name.
const std::vector<RuntimeProfile>& shipped_profiles();
/// By name or alias; nullptr if there is none.
const RuntimeProfile* find_profile(std::string_view name);
/// As find_profile, but raises InputError that names the nearest profile.
const RuntimeProfile& require_profile(std::string_view name);
/// Reads a profile from JSON text (form: docs of model/data/runtimes/README.md). Raises InputError naming the
/// key.
RuntimeProfile read_profile(const std::string& json, const std::string& file);

}  // namespace bufferproof::model
