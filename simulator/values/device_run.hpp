// A device's buffers held against a run, launch by launch: is what each launch gave on the device inside of
// what every honest implementation gives of the operands the device had?
//
// The idea: after each launch whose output the device's buffers hold, the device's values take the place of
// the computed ones, so the next launch is computed from what the device had. A launch is judged where all it
// read is the device's, or an input of the program: inside of the enclosure (simulator/body/enclosure.hpp) is
// rounding, proven; outside is that launch's fault, whatever later ones do with it. The enclosure is tried
// without and then with shortened operands of products (HF32). Tested by tests/simulator/device_run_test.cpp.
#pragma once

#include <map>
#include <optional>
#include <set>

#include "simulator/body/dependence.hpp"
#include "simulator/values/value_run.hpp"

namespace bufferproof::simulator {

using Buffers = std::map<std::string, kernels::Tensor>;

/// One output of one launch that the device's buffers hold.
struct JudgedBuffer {
  std::string buffer;
  std::string kernel;
  model::SourceLocation where;  ///< of the launch
  std::int64_t elements = 0;
  std::string unjudged;    ///< why nothing was decided; empty: it was
  std::string arithmetic;  ///< with `outside` 0: the narrowest enclosure that holds it, "f32" or "hf32"
  std::int64_t outside = 0;
  std::int64_t open = 0;  ///< elements the enclosure says nothing about
  Index first;            ///< outside element, with its value and where it should be
  Index least;            ///< per axis, over the outside elements
  Index greatest;
  double value = 0;
  double lo = 0;
  double hi = 0;
};

/// Which launch stores which buffer last, in a run of one call; for checking names before anything is judged.
class BufferNames : public LaunchObserver {
 public:
  void computed(const ComputedLaunch& launch) override;
  /// By name: the number of the last launch that stores it.
  std::map<std::string, std::size_t> last;
  /// The name a launch stores this buffer under: itself, or what it is a second name of; empty: there is
  /// none.
  std::string stored_as(const model::Program& program, const std::string& name) const;
};

/// A run in which the device's buffers replace what launches computed. A name that several launches store is
/// held against the last one.
class DeviceRun : public LaunchObserver {
 public:
  DeviceRun(const model::Program& program, const Buffers& device, const BufferNames& names)
      : program_(program), device_(device), names_(names), called_(second_names(program, device, names)) {}
  void computed(const ComputedLaunch& launch) override;

  std::vector<JudgedBuffer> judged;  ///< in the order of the launches

 private:
  /// Names launches store under, and what the device's buffers call them: `buf3 = buf2[0]`.
  static std::map<std::string, std::string> second_names(const model::Program& program, const Buffers& device,
                                                         const BufferNames& names);
  const std::string& called(const std::string& name) const;

  using Written = std::pair<std::uint32_t, const void*>;  ///< writer, storage

  std::optional<model::DType> stored_type(const ComputedLaunch& launch, const std::string& name) const;
  const kernels::Tensor* given(const ComputedLaunch& launch, std::size_t result) const;
  std::string unknown_operand(const ComputedLaunch& launch) const;
  bool is_the_devices(const ComputedLaunch& launch, const std::string& name) const;
  void judge(const ComputedLaunch& launch, std::size_t first);
  void hold_against(const model::TensorFunction& body, const ComputedLaunch& launch, std::size_t first);
  void take_over(const ComputedLaunch& launch, std::size_t result);

  const model::Program& program_;
  const Buffers& device_;
  const BufferNames& names_;
  const std::map<std::string, std::string> called_;
  std::set<Written> replaced_;
};

}  // namespace bufferproof::simulator
