#include "simulator/why/values.hpp"

namespace bufferproof::simulator {
namespace {

constexpr std::int64_t kMostBytes = std::int64_t{1} << 30;

std::int64_t bytes_of(const BodyArgument& argument) {
  const auto* view = std::get_if<kernels::ConstTensorView>(&argument);
  return view ? view->element_count() * model::size_in_bytes(view->dtype()) : 0;
}

}  // namespace

RecordedLaunch::RecordedLaunch(const ComputedLaunch& launch) : body_(launch.body) {
  for (const BodyArgument& argument : launch.arguments) {
    if (const auto* view = std::get_if<kernels::ConstTensorView>(&argument))
      arguments_.emplace_back(kernels::contiguous_copy(*view));
    else if (const auto* integer = std::get_if<std::int64_t>(&argument))
      arguments_.emplace_back(*integer);
    else
      arguments_.emplace_back(std::get<double>(argument));
  }
}

std::vector<BodyArgument> RecordedLaunch::arguments() const {
  std::vector<BodyArgument> out;
  for (const Kept& kept : arguments_) {
    if (const auto* tensor = std::get_if<kernels::Tensor>(&kept))
      out.emplace_back(tensor->view());
    else if (const auto* integer = std::get_if<std::int64_t>(&kept))
      out.emplace_back(*integer);
    else
      out.emplace_back(std::get<double>(kept));
  }
  return out;
}

void LaunchRecorder::computed(const ComputedLaunch& launch) {
  std::int64_t bytes = 0;
  for (const BodyArgument& argument : launch.arguments) bytes += bytes_of(argument);
  if (bytes_ + bytes > kMostBytes) return;
  bytes_ += bytes;
  launches_.emplace(std::pair(launch.call, launch.ordinal), RecordedLaunch(launch));
}

const RecordedLaunch* LaunchRecorder::find(std::size_t call, std::size_t ordinal) const {
  const auto found = launches_.find({call, ordinal});
  return found == launches_.end() ? nullptr : &found->second;
}

}  // namespace bufferproof::simulator
