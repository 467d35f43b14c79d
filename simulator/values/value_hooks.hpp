// What a run with values does beside the tags: the executor tells, whoever holds the bytes acts.
//
// The executor decides what is accessed and in which order; hooks only move bytes, so values cannot change a
// finding. Implemented by simulator/values/value_run.cpp.
#pragma once

#include "simulator/memory_access.hpp"

namespace bufferproof::simulator {

class ValueHooks {
 public:
  virtual ~ValueHooks() = default;
  /// New storage; `handle` spans it.
  virtual void allocated(Handle& handle, model::Init init, const model::SourceLocation& where) = 0;
  /// A launch is about to take effect: inputs are as they are now.
  virtual void launched(const model::Launch& launch, const model::Variant& variant, const RunState& state,
                        const Actor& actor) = 0;
  /// The launch stores its output at.buffer to these elements, those of `left_out` excepted.
  virtual void written(const AccessPoint& at, const std::vector<AccessPoint>& left_out,
                       const Actor& actor) = 0;
  /// The launch moved a handle to its result (E4).
  virtual void rebound(const model::Rebind& rebind, Handle& handle, const Actor& actor) = 0;
  /// The launch is over: its temporaries are given back.
  virtual void launch_over(const RunState& state, const Actor& actor) = 0;
  virtual void copied(const AccessPoint& from, const AccessPoint& to, const model::SourceLocation& where) = 0;
  virtual void returned(const AccessPoint& at, const Actor& actor) = 0;
};

}  // namespace bufferproof::simulator
