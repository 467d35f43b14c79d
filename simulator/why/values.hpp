// What a run's launches were computed from, kept for explanations.
//
// Observes a run with values (ValueOptions::observer) and keeps copies of every launch's operands, 2^30 bytes
// at most; launches beyond that are explained by positions. Tested by tests/simulator/why_values_test.cpp.
#pragma once

#include <map>
#include <variant>

#include "simulator/body/value_path.hpp"
#include "simulator/values/value_run.hpp"

namespace bufferproof::simulator {

class RecordedLaunch {
 public:
  explicit RecordedLaunch(const ComputedLaunch& launch);
  const model::TensorFunction& body() const { return *body_; }
  std::vector<BodyArgument> arguments() const;

 private:
  using Kept = std::variant<kernels::Tensor, std::int64_t, double>;
  std::shared_ptr<const model::TensorFunction> body_;
  std::vector<Kept> arguments_;
};

class LaunchRecorder : public LaunchObserver {
 public:
  void computed(const ComputedLaunch& launch) override;
  /// Null: not kept, or nothing was computed.
  const RecordedLaunch* find(std::size_t call, std::size_t ordinal) const;

 private:
  std::map<std::pair<std::size_t, std::size_t>, RecordedLaunch> launches_;
  std::int64_t bytes_ = 0;
};

/// The run that is explained and the golden run of the same calls.
struct WhyValues {
  const LaunchRecorder* run = nullptr;
  const LaunchRecorder* golden = nullptr;  ///< null: there is none
  std::size_t call = 0;                    ///< of the plans they ran
  kernels::NumericsProfile numerics;
};

}  // namespace bufferproof::simulator
