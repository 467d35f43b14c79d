// OpRegistry: one lookup from an op's name to what runs it, so that an executor of kernel bodies needs no
// switch.
//
// An op is registered twice under one name: `run`, the fast kernel, and `define`, the scalar definition it
// equals bit for bit. Outputs are allocated by the caller; an op checks them. An op never writes an input and
// never keeps a reference. All argument errors are KernelErrors that name the op and the argument. Tested by
// tests/kernels_ref/foundation_test.cpp.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "kernels_ref/numerics.hpp"
#include "kernels_ref/tensor.hpp"

namespace bufferproof::kernels {

/// A number that stands where a tensor could: `double` or a 64-bit integer, as the program's text had it.
using Scalar = std::variant<double, std::int64_t>;
/// An operand; monostate is an optional one that is absent (a convolution without bias).
using Operand = std::variant<std::monostate, ConstTensorView, Scalar>;
using Attribute = std::variant<bool, std::int64_t, double, std::string, std::vector<std::int64_t>,
                               std::vector<double>, DType>;
using Attributes = std::map<std::string, Attribute, std::less<>>;

struct OpCall {
  std::string op;  ///< name under which it was looked up; stands in errors
  std::vector<Operand> inputs;
  Attributes attributes;
  std::vector<TensorView> outputs;
  NumericsProfile numerics;

  /// Input `index` as a tensor; `argument` is its name in errors.
  const ConstTensorView& tensor(std::size_t index, std::string_view argument) const;
  /// nullptr when absent.
  const ConstTensorView* optional_tensor(std::size_t index, std::string_view argument) const;
  /// Input `index` as a number; a 0-d tensor is not one.
  Scalar scalar(std::size_t index, std::string_view argument) const;
  const TensorView& output(std::size_t index, std::string_view argument = "out") const;

  // Attributes by name; those without a fallback are required. An integer is accepted where a double is asked
  // for.
  bool boolean(std::string_view attribute, bool fallback) const;
  std::int64_t integer(std::string_view attribute) const;
  std::int64_t integer(std::string_view attribute, std::int64_t fallback) const;
  double real(std::string_view attribute) const;
  double real(std::string_view attribute, double fallback) const;
  std::string text(std::string_view attribute) const;
  std::string text(std::string_view attribute, std::string_view fallback) const;
  std::vector<std::int64_t> integers(std::string_view attribute) const;
  std::vector<std::int64_t> integers(std::string_view attribute, std::vector<std::int64_t> fallback) const;
  DType dtype(std::string_view attribute) const;

  /// Throws the KernelError of this op.
  [[noreturn]] void fail(std::string_view argument, std::string_view expected, std::string_view found) const;
  /// Throws unless the tensor has these sizes / this element type.
  void expect_sizes(std::string_view argument, const ConstTensorView& tensor, const Sizes& sizes) const;
  void expect_dtype(std::string_view argument, const ConstTensorView& tensor, DType dtype) const;
  void expect_counts(std::size_t inputs, std::size_t outputs) const;

 private:
  const Attribute* find(std::string_view attribute) const;
};

using OpFunction = void (*)(const OpCall&);

/// What the library promises for an op beyond L0 and L1, which hold for every op (kernels_ref/README.md).
enum class Promise : std::uint8_t {
  exact,  ///< the definition is exact or correctly rounded: any conforming implementation gives these bits
  device_bits,  ///< L2 candidate: every rule the definition rests on is documented or in open source
  bounded,      ///< L3: a proven bound per element is available
};

struct OpEntry {
  std::string_view name;
  OpFunction run;
  OpFunction define;
  Promise promise;
};

class OpRegistry {
 public:
  /// All ops of this library.
  static const OpRegistry& builtin();

  /// Throws KernelError when the name is taken.
  void add(const OpEntry& entry);
  /// nullptr when unknown.
  const OpEntry* find(std::string_view name) const;
  /// Throws KernelError (argument "op") when unknown, naming the nearest known op.
  const OpEntry& at(std::string_view name) const;
  /// Looks `call.op` up and runs it.
  void run(const OpCall& call) const { at(call.op).run(call); }
  const std::map<std::string_view, OpEntry>& entries() const { return entries_; }

 private:
  std::map<std::string_view, OpEntry> entries_;
};

}  // namespace bufferproof::kernels
