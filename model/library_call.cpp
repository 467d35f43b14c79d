#include "model/library_call.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "model/body/builder.hpp"
#include "model/read/aten/lowering.hpp"

namespace bufferproof::model {
namespace {

void collect(const CallOperand& operand, std::vector<Name>& into) {
  if (operand.kind == CallOperand::Kind::tensor) into.push_back(operand.tensor);
  for (const CallOperand& item : operand.items) collect(item, into);
}

class Caller {
 public:
  Caller(const LibraryCall& call, const std::vector<TensorType>& tensors, const Valuation& values,
         const SourceLocation& where)
      : call_(call), tensors_(tensors), values_(values), where_(where), builder_(call.op, where) {}

  TensorFunction build() {
    const std::vector<Name> names = tensors_of(call_);
    for (std::size_t i = 0; i < names.size(); ++i)
      parameters_.push_back(builder_.parameter("t" + std::to_string(i), tensors_.at(i)));
    aten::Call call;
    call.op = call_.op;
    call.where = where_;
    for (const CallOperand& operand : call_.arguments) call.arguments.push_back(value(operand));
    for (const auto& [name, operand] : call_.keywords) call.keywords[name] = value(operand);
    return builder_.finish(results(aten::Lowering(builder_).lower(call)));
  }

 private:
  aten::Value value(const CallOperand& operand) {
    switch (operand.kind) {
      case CallOperand::Kind::none:
        return {};
      case CallOperand::Kind::tensor:
        return aten::Value::of_tensor(parameters_.at(next_++));
      case CallOperand::Kind::integer:
        return aten::Value::of_integer(number(operand.integer));
      case CallOperand::Kind::real:
        return aten::Value::of_real(operand.real);
      case CallOperand::Kind::truth:
        return aten::Value::of_bool(operand.truth);
      case CallOperand::Kind::text:
        return aten::Value::of_text(operand.text);
      case CallOperand::Kind::dtype:
        return aten::Value::of_dtype(operand.dtype);
      case CallOperand::Kind::list:
        break;
    }
    std::vector<aten::Value> items;
    for (const CallOperand& item : operand.items) items.push_back(value(item));
    return aten::Value::of_list(std::move(items));
  }

  SymExpr number(const SymExpr& size) const {
    if (const auto known = size.evaluate(values_)) return *known;
    throw InputError(where_, fmt::format("an operand of {} with a value in this run", call_.op), size.str(),
                     "give values to its symbols with --size");
  }

  std::vector<ValueId> results(const aten::Value& result) const {
    std::vector<ValueId> out;
    if (result.is(aten::Value::Kind::tensor)) out.push_back(result.tensor);
    for (const aten::Value& item : result.items) {
      if (!item.is(aten::Value::Kind::tensor))
        throw InputError(where_, "tensors as results of " + call_.op, "something else");
      out.push_back(item.tensor);
    }
    if (out.size() < call_.results.size())
      throw InputError(where_, fmt::format("{} results of {}", call_.results.size(), call_.op),
                       std::to_string(out.size()));
    return out;
  }

  const LibraryCall& call_;
  const std::vector<TensorType>& tensors_;
  const Valuation& values_;
  const SourceLocation& where_;
  FunctionBuilder builder_;
  std::vector<ValueId> parameters_;
  std::size_t next_ = 0;  ///< tensors so far
};

}  // namespace

std::vector<Name> tensors_of(const LibraryCall& call) {
  std::vector<Name> out;
  for (const CallOperand& operand : call.arguments) collect(operand, out);
  for (const auto& [name, operand] : call.keywords) collect(operand, out);
  return out;
}

bool has_body(const LibraryCall& call) { return aten::Lowering::known(call.op); }

TensorFunction body_of(const LibraryCall& call, const std::vector<TensorType>& tensors,
                       const Valuation& values, const SourceLocation& where) {
  if (!has_body(call))
    throw InputError(where, "a library function whose computation is known", call.op,
                     "its values cannot be simulated");
  try {
    return Caller(call, tensors, values, where).build();
  } catch (const UnsupportedBody& error) {
    throw InputError(where, "a call whose computation is known", error.what(),
                     "its values cannot be simulated");
  } catch (const OverflowError&) {
    throw InputError(where, "sizes of 64 bits in a call of " + call.op, "larger ones");
  }
}

}  // namespace bufferproof::model
