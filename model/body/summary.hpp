// What the checker and the simulator need to know of a kernel body, without knowing bodies.
//
// Per input which elements may be read; per output which elements are undefined and why (C8), its shape and
// element type (C7), whether eager execution returns a view of an input or one tensor twice (E4), and the
// strides eager execution gives it (B1s). All in the body's own size symbols: a tensor parameter's shape and
// a scalar parameter's name say how they bind to a launch's arguments.
// Tested by tests/model/body_summary_test.cpp.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "model/body/region.hpp"
#include "model/program.hpp"
#include "model/tensor_function.hpp"

namespace bufferproof::model {

/// Elements that hold what `tensor.empty` held: all i in `box`, for the sizes that make it nonempty.
struct UndefinedElements {
  Box box;
  /// False: which of these elements are undefined was not followed exactly (a gather, a select); then a
  /// finding on them is "unsupported", not "refuted".
  bool exact = true;
  std::string reason;     ///< "tensor.empty", "pad without a value", and through which operation it came
  SourceLocation origin;  ///< where the undefined elements come from
};

/// An element of an exact box matters to some result for some contents of the inputs. An inexact box covers
/// more than what is read, or sizes alone decide what of it matters (a select by position).
struct ReadElements {
  Box box;
  bool exact = true;
};

/// What in-place calls of a traced graph do to an input's own memory in eager execution.
enum class Overwritten : std::uint8_t { none, whole, part };

struct InputSummary {
  std::string name;
  TensorType type;
  bool scalar = false;
  std::vector<ReadElements> reads;  ///< empty: no element that can matter is read
  Overwritten overwritten = Overwritten::none;
  Within within = Within::unordered;  ///< how its loads stand to a kernel's stores
  bool moved = false;  ///< unordered because elements are only moved: other strides may move them back
};

/// How eager execution (the FX fallback) hands a result over.
enum class EagerLayout : std::uint8_t { contiguous, strided, unknown };

struct OutputSummary {
  TensorType type;
  std::vector<UndefinedElements> undefined;  ///< empty: defined everywhere
  int view_of = -1;                          ///< input position the eager result is a view of, -1: none
  int same_as = -1;        ///< earlier output the eager result shares storage with, -1: none
  bool identical = false;  ///< with `same_as`: the very same tensor returned twice
  EagerLayout layout = EagerLayout::contiguous;
  std::vector<SymExpr> strides;  ///< with `strided`: what eager execution returns
  SymExpr offset;                ///< of a view, in elements of the input it is a view of
  bool offset_known = true;
};

struct BodySummary {
  std::vector<InputSummary> inputs;    ///< parameters in order, scalars included
  std::vector<OutputSummary> outputs;  ///< results in order
  std::vector<Cond> assumptions;       ///< size equalities the body relies on
};

/// `parameter_strides`: strides of the tensors actually passed, per parameter; absent: contiguous.
BodySummary summarize(const TensorFunction& function,
                      const std::vector<std::optional<std::vector<SymExpr>>>& parameter_strides = {});

/// A difference between a kernel's body and its fallback's (C7).
struct BodyDifference {
  enum class Kind : std::uint8_t { result_count, shape, dtype, parameter_count };
  Kind kind = Kind::result_count;
  int position = -1;  ///< result, or -1
  std::string message;
};
std::vector<BodyDifference> compare_bodies(const TensorFunction& kernel, const TensorFunction& fallback);

}  // namespace bufferproof::model
