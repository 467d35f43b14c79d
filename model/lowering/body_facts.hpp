// What lowering asks of a readable kernel body, already in the program's symbols.
//
// A body names its sizes itself; a launch ties them to the sizes of its arguments. `unknown` facts mean the
// body is not readable: the kernel is then assumed well behaved and the assumption is listed (E9). Tested by
// tests/model/lower_body_test.cpp.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "model/body/summary.hpp"
#include "model/lowering/declared.hpp"
#include "model/program.hpp"

namespace bufferproof::model::lowering {

/// begin, begin + step, ... below end.
struct AxisRange {
  SymExpr begin;
  SymExpr end;
  std::int64_t step = 1;
};
using ElementBox = std::vector<AxisRange>;  ///< one range per axis

struct ResultFacts {
  std::vector<SymExpr> sizes;
  DType dtype = DType::f32;
  std::vector<SymExpr> eager_strides;  ///< of the tensor eager execution returns, for contiguous inputs
  bool strides_known = true;           ///< false: `eager_strides` are row-major by assumption
  int view_of = -1;  ///< >= 0: eager returns a view of this input, `eager_strides` from `view_offset`
  SymExpr view_offset = 0;
  int same_as = -1;                    ///< shares the storage of that earlier result
  std::vector<ElementBox> undefined;   ///< elements no op of the body defines (C8)
  std::vector<ElementBox> unfollowed;  ///< elements of which it is not known whether they are defined
};

/// How a compiled kernel goes through an argument whose sizes are not its parameter's: row-major, by its own.
struct OwnSizes {
  std::int64_t elements = 0;  ///< of the parameter
  std::int64_t reaches = 0;   ///< it loads element reaches - 1, and none that is later; 0: that is not known
};

struct BodyFacts {
  std::vector<ResultFacts> results;
  /// Per input argument: the elements the body reads; empty optional: all of them.
  std::vector<std::optional<std::vector<ElementBox>>> reads;
  /// Per input argument: boxes that cover more than what is read, or where sizes decide what matters (E1).
  std::vector<std::vector<ElementBox>> may_reads;
  /// Per input argument: eager execution stores into it in place, all of it or some.
  std::vector<Overwritten> overwritten;
  /// Per input argument: the element type the body is compiled for; nullopt: a number.
  std::vector<std::optional<DType>> elements;
  std::vector<bool> moved;     ///< per input argument: see InputSummary
  std::vector<Within> within;  ///< per input argument: how its loads stand to the kernel's stores
  std::vector<std::optional<OwnSizes>> own_sizes;  ///< per input argument whose sizes are other numbers
  std::vector<std::string> differences;  ///< arguments whose declared shape is not the parameter's (B10)
  bool open_sizes = false;               ///< some equality of sizes is taken on trust
};

/// A body's summary in terms of this launch's arguments: the body's size symbols become the declared sizes.
/// nullopt when body and call do not have the same number of inputs.
std::optional<BodyFacts> bind_body(const BodySummary& body, const Launch& launch, std::size_t inputs,
                                   const Environment& environment);

/// Whether two sizes are the same number: nullopt when symbols leave it open.
std::optional<bool> same_size(const SymExpr& a, const SymExpr& b);
std::optional<bool> same_sizes(const std::vector<SymExpr>& a, const std::vector<SymExpr>& b);

/// Whether sizes the program's symbols determine differ for some values of them. Sizes that hold names of the
/// body's own are not determined. Looks at a few values: false says nothing.
bool differ_somewhere(const std::vector<SymExpr>& a, const std::vector<SymExpr>& b);

/// Can a tensor of sizes `from` be copied into one of sizes `to` (E3)? nullopt when symbols leave it open.
std::optional<bool> broadcasts_to(const std::vector<SymExpr>& from, const std::vector<SymExpr>& to);

/// The elements of a box.
IndexSet box_set(const ElementBox& box);
/// Every element of a tensor of these sizes that is in none of the boxes.
IndexSet all_but(const std::vector<SymExpr>& sizes, const std::vector<ElementBox>& boxes);

}  // namespace bufferproof::model::lowering
