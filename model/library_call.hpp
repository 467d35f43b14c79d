// A call of a library function as the wrapper's text makes it, and the computation it stands for.
//
// The reader keeps operands as they stand in the text. The body is built when somebody wants to execute the
// call, for the shapes the tensors then have: a program of ten thousand calls pays for none. One table
// (model/read/aten) says what an aten function means, here and inside of kernels; functions outside of it
// have no body. Tested by tests/model/library_call_test.cpp.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "model/name.hpp"
#include "model/tensor_function.hpp"

namespace bufferproof::model {

/// An operand as the text gives it; `none` stands for what the call leaves out.
struct CallOperand {
  enum class Kind : std::uint8_t { none, tensor, integer, real, truth, text, dtype, list };
  Kind kind = Kind::none;
  Name tensor;
  SymExpr integer;
  double real = 0;
  bool truth = false;
  std::string text;
  DType dtype = DType::f32;
  std::vector<CallOperand> items;
};

struct LibraryCall {
  std::string op;                      ///< "aten.addmm.default"
  std::vector<CallOperand> arguments;  ///< by position
  std::map<std::string, CallOperand, std::less<>> keywords;
  /// Per result of the function the handle that holds it afterwards; empty: nobody's.
  std::vector<Name> results;
};

/// The tensors a call is given, in the order in which its body has them as parameters.
std::vector<Name> tensors_of(const LibraryCall& call);

/// Whether the function is in the table of aten functions.
bool has_body(const LibraryCall& call);

/// The computation of the call for tensors of these types (one per tensors_of, sizes constant), scalars under
/// `values`. An in-place function returns what its argument holds afterwards. Raises InputError at `where`:
/// a function outside of the table, an operand it does not take, a scalar without a value.
TensorFunction body_of(const LibraryCall& call, const std::vector<TensorType>& tensors,
                       const Valuation& values, const SourceLocation& where);

}  // namespace bufferproof::model
