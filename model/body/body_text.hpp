// What a reader of kernel text returns: a body, or the name and place of what it does not know.
//
// Malformed text is an InputError; an operation outside the set is a value, so that the rest of the program
// is still judged. Tested by tests/model/body_mlir_test.cpp.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "model/tensor_function.hpp"

namespace bufferproof::model {

/// Why a body could not be turned into a TensorFunction.
struct BodyUnsupported {
  std::string what;  ///< the operation's name as the text spells it, and the reason where there is one
  SourceLocation where;
};

/// Something the text shows beside its meaning.
struct BodyNote {
  enum class Kind : std::uint8_t {
    truncation_to_same_type,  ///< `arith.truncf f32 to f32`: bishengir rejects it, every compile falls back
    uninitialised_constant,   ///< a traced graph's tensor constant saved as torch.empty (B5)
    fewer_results             ///< the kernel returns fewer results than the wrapper declares (E6)
  };
  Kind kind = Kind::truncation_to_same_type;
  std::string message;
  SourceLocation where;
};

struct BodyText {
  std::string name;  ///< of the function, or of the class
  std::optional<TensorFunction> function;
  std::optional<BodyUnsupported> unsupported;  ///< set exactly when `function` is not
  std::vector<BodyNote> notes;
  SourceLocation where;
};

/// Raised inside a reader, turned into BodyUnsupported at its edge.
class UnsupportedBody : public std::exception {
 public:
  UnsupportedBody(std::string what, SourceLocation where)
      : what_(std::move(what)), where_(std::move(where)) {}
  const char* what() const noexcept override { return what_.c_str(); }
  const SourceLocation& where() const { return where_; }

 private:
  std::string what_;
  SourceLocation where_;
};

}  // namespace bufferproof::model
