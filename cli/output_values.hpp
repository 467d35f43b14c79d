// What stands in an output, in a few numbers; and how it differs from what should stand there.
//
// Elements are compared by their bits, except that any NaN equals any NaN: a payload says nothing about the
// program. Tested by tests/cli/output_values_test.cpp.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "kernels_ref/tensor.hpp"
#include "simulator/values/value_run.hpp"

namespace bufferproof::cli {

struct OutputSummary {
  std::string name;
  model::DType dtype = model::DType::f32;
  kernels::Sizes sizes;
  std::uint64_t hash = 0;  ///< kernels::content_hash: the same on every host
  std::int64_t elements = 0;
  std::int64_t nans = 0;
  std::int64_t infinities = 0;
  // Over the elements that are no NaN; nullopt: there is none.
  std::optional<double> least;
  std::optional<double> greatest;

  double largest_magnitude() const;
};

OutputSummary summarize(const std::string& name, const kernels::ConstTensorView& tensor);

struct OutputDifference {
  std::int64_t wrong = 0;           ///< elements with other bits
  std::int64_t nans = 0;            ///< NaN where none should be
  double largest_error = 0;         ///< over the wrong elements that are finite on both sides
  std::int64_t finite = 0;          ///< how many those are
  std::vector<std::int64_t> first;  ///< of the first wrong element, in row-major order
  /// The first element that is wrongly NaN or infinite, else the first of the largest error.
  std::vector<std::int64_t> worst;
  double worst_value = 0;   ///< what stands there
  double worst_golden = 0;  ///< what should
};

/// One element as a number; nullopt when there is no such element.
std::optional<double> element_of(const kernels::ConstTensorView& tensor,
                                 const std::vector<std::int64_t>& index);

/// The index of an element by its number in row-major order.
std::vector<std::int64_t> index_of(std::int64_t ordinal, const kernels::Sizes& sizes);

/// Every element as a number, in row-major order.
std::vector<long double> numbers_of(const kernels::ConstTensorView& tensor);

/// Raises std::invalid_argument when shapes or element types differ.
OutputDifference compare(const kernels::ConstTensorView& value, const kernels::ConstTensorView& golden);

/// A name per output, told apart by "_2", "_3" where a buffer is returned more than once.
std::vector<std::string> distinct_names(const std::vector<simulator::ReturnedTensor>& outputs);

/// "0.125", "nan", "-inf"; integer types without a fraction.
std::string number_text(double value, model::DType dtype);

}  // namespace bufferproof::cli
