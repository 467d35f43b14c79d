// Products, convolutions, pooling and lookups.
#include <fmt/format.h>

#include "model/read/aten/lowering.hpp"

namespace bufferproof::model::aten {

using Kind = Value::Kind;
using Ints = std::vector<std::int64_t>;

Value Lowering::matmul(const Call& call) {
  ValueId a = tensor(call, 0, "self");
  ValueId b = tensor(call, 1, "mat2");
  if (shape(a).size() != shape(b).size() || shape(a).size() < 2)
    unsupported(call, "operands of different rank");
  return Value::of_tensor(emit("matmul", {a, b}, {}, call));
}

/// addmm, baddbmm: beta * input + alpha * (a @ b)
Value Lowering::addmm(const Call& call) {
  const bool batched = call.op.find("baddbmm") != std::string::npos;
  ValueId a = tensor(call, 1, batched ? "batch1" : "mat1");
  ValueId b = tensor(call, 2, batched ? "batch2" : "mat2");
  if (shape(a).size() != (batched ? 3 : 2) || shape(b).size() != shape(a).size())
    unsupported(call, "operands of another rank");
  return add_product(call, tensor(call, 0, "self"), emit("matmul", {a, b}, {}, call));
}

/// The sum of products over the batch is one product whose inner axis runs over the batch as well.
Value Lowering::addbmm(const Call& call) {
  ValueId a = tensor(call, 1, "batch1");
  ValueId b = tensor(call, 2, "batch2");
  if (shape(a).size() != 3 || shape(b).size() != 3) unsupported(call, "operands of another rank");
  builder_.require_equal(shape(a)[0], shape(b)[0], call.where, "batch sizes");
  builder_.require_equal(shape(a)[2], shape(b)[1], call.where, "inner sizes");
  ValueId rows = emit("transpose", {a}, {{"permutation", Ints{1, 0, 2}}}, call);
  rows = builder_.reshape(rows, {shape(a)[1], shape(a)[0] * shape(a)[2]}, call.where);
  ValueId columns = builder_.reshape(b, {shape(b)[0] * shape(b)[1], shape(b)[2]}, call.where);
  return add_product(call, tensor(call, 0, "self"), emit("matmul", {rows, columns}, {}, call));
}

Value Lowering::mv(const Call& call) {
  ValueId a = tensor(call, 0, "self");
  ValueId x = tensor(call, 1, "vec");
  if (shape(a).size() != 2 || shape(x).size() != 1) unsupported(call, "operands of another rank");
  ValueId column = builder_.reshape(x, {shape(x)[0], SymExpr(1)}, call.where);
  ValueId product = emit("matmul", {a, column}, {}, call);
  return Value::of_tensor(builder_.reshape(product, {shape(a)[0]}, call.where));
}

/// An input times 0 is not looked at: its NaNs do not reach the result.
Value Lowering::add_product(const Call& call, ValueId input, ValueId product) {
  DType dtype = type(product);
  auto is = [](const Value& value, std::int64_t number) {
    return (value.is(Kind::integer) && value.integer.constant() == number) ||
           (value.is(Kind::real) && value.real == static_cast<double>(number));
  };
  auto scale = [&](ValueId id, const Value* by) {
    return !by || is(*by, 1) ? id : elementwise("mul", {Value::of_tensor(id), *by}, dtype, call);
  };
  ValueId scaled = scale(product, call.find(4, "alpha"));
  if (const Value* beta = call.find(3, "beta"); beta && is(*beta, 0)) return Value::of_tensor(scaled);
  ValueId bias = scale(input, call.find(3, "beta"));
  return Value::of_tensor(
      elementwise("add", {Value::of_tensor(scaled), Value::of_tensor(bias)}, dtype, call));
}

Value Lowering::convolution(const Call& call) {
  std::vector<ValueId> operands{tensor(call, 0, "input"), tensor(call, 1, "weight")};
  if (const Value* bias = call.find(2, "bias")) operands.push_back(bias->tensor);
  std::size_t spatial = shape(operands[0]).size() < 2 ? 0 : shape(operands[0]).size() - 2;
  auto list = [&](std::size_t position, std::string_view keyword, std::int64_t otherwise) {
    const Value* value = call.find(position, keyword);
    Ints out = value ? constants(*value, call) : Ints{otherwise};
    if (out.size() == 1) out.assign(spatial, out[0]);
    return out;
  };
  if (constant(call, 6, "transposed", 0) != 0) unsupported(call, "transposed");
  Attributes attributes{{"stride", list(3, "stride", 1)},
                        {"padding", list(4, "padding", 0)},
                        {"dilation", list(5, "dilation", 1)},
                        {"groups", constant(call, 8, "groups", 1)}};
  return Value::of_tensor(emit("convolution", operands, attributes, call));
}

Value Lowering::max_pool(const Call& call) {
  const Value* kernel = call.find(1, "kernel_size");
  if (!kernel) unsupported(call, "without a kernel size");
  auto pair = [&](const Value* value, const Ints& otherwise) {
    Ints out = value ? constants(*value, call) : otherwise;
    if (out.empty()) out = otherwise;
    if (out.size() == 1) out.push_back(out[0]);
    return out;
  };
  Ints size = pair(kernel, {});
  Attributes attributes{{"kernel", size},
                        {"stride", pair(call.find(2, "stride"), size)},
                        {"padding", pair(call.find(3, "padding"), {0, 0})},
                        {"dilation", pair(call.find(4, "dilation"), {1, 1})},
                        {"ceil_mode", constant(call, 5, "ceil_mode", 0)}};
  std::vector<ValueId> results =
      builder_.add({"max_pool2d", {tensor(call, 0, "self")}, {}, attributes, call.where});
  if (base_name(call.op) == "max_pool2d") return Value::of_tensor(results[0]);
  return Value::of_list({Value::of_tensor(results[0]), Value::of_tensor(results[1])});
}

Value Lowering::avg_pool(const Call& call) {
  const Value* kernel = call.find(1, "kernel_size");
  if (!kernel) unsupported(call, "without a kernel size");
  if (call.find(6, "divisor_override")) unsupported(call, "with divisor_override");
  auto pair = [&](const Value* value, const Ints& otherwise) {
    Ints out = value ? constants(*value, call) : otherwise;
    if (out.empty()) out = otherwise;
    if (out.size() == 1) out.push_back(out[0]);
    return out;
  };
  Ints size = pair(kernel, {});
  return Value::of_tensor(emit("avg_pool2d", {tensor(call, 0, "self")},
                               {{"kernel", size},
                                {"stride", pair(call.find(2, "stride"), size)},
                                {"padding", pair(call.find(3, "padding"), {0, 0})},
                                {"ceil_mode", constant(call, 4, "ceil_mode", 0)},
                                {"count_include_pad", constant(call, 5, "count_include_pad", 1)}},
                               call));
}

Value Lowering::adaptive_avg_pool(const Call& call) {
  const Value* output = call.find(1, "output_size");
  if (!output) unsupported(call, "without an output size");
  return Value::of_tensor(
      emit("adaptive_avg_pool2d", {tensor(call, 0, "self")}, {{"output", constants(*output, call)}}, call));
}

Value Lowering::gather(const Call& call) {
  ValueId x = tensor(call, 0, "self");
  auto dim = static_cast<std::int64_t>(axis(constant(call, 1, "dim", 0), shape(x).size(), call));
  return Value::of_tensor(emit("gather", {x, tensor(call, 2, "index")}, {{"dim", dim}}, call));
}

Value Lowering::embedding(const Call& call) {
  ValueId x = tensor(call, 0, "weight");
  bool select = call.op.find("index_select") != std::string::npos;
  auto dim = select ? static_cast<std::int64_t>(axis(constant(call, 1, "dim", 0), shape(x).size(), call)) : 0;
  return Value::of_tensor(
      emit("take", {x, tensor(call, select ? 2 : 1, select ? "index" : "indices")}, {{"dim", dim}}, call));
}

}  // namespace bufferproof::model::aten
