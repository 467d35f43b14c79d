// Against PyTorch: every call of tests/fixtures/torch/ops.txt gives PyTorch's f64 result within the proven
// bound, element by element.
//
// No tolerance is chosen: what is allowed is our bound (bounds.hpp) plus PyTorch's own f64 error, taken as
// the bound of the same call in f64 times the number of elements of its first operand, since PyTorch's
// summation order is its own. Integers and i1 must be equal. scripts/fixtures-torch.py makes the file and
// describes the format; BUFFERPROOF_TORCH_FIXTURES names another (the live comparison).
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <fstream>
#include <sstream>

#include "kernels_ref/bounds/bounds.hpp"
#include "kernels_ref/kernel_error.hpp"
#include "tests/kernels_ref/ops_test_support.hpp"

namespace bufferproof::kernels::test {
namespace {

struct Expected {
  Tensor own;    ///< of the result's type: what we compute
  Tensor exact;  ///< f64, or the integers themselves
};
struct TorchCall {
  std::string op;
  Attributes attributes;
  std::vector<std::optional<Tensor>> inputs;
  std::vector<Expected> outputs;
  int line = 0;
};

Sizes parse_sizes(const std::string& text) {
  Sizes sizes;
  if (text == "scalar") return sizes;
  std::istringstream in(text);
  for (std::string part; std::getline(in, part, 'x');) sizes.push_back(std::stoll(part));
  return sizes;
}

/// The rest of a line as a tensor: values are exact in `dtype`, so the cast from f64 (or i64) loses nothing.
Tensor parse_tensor(std::istringstream& in, DType dtype, const Sizes& sizes) {
  const DType wide = model::is_floating(dtype) ? DType::f64 : DType::i64;
  Tensor parsed(wide, sizes), made(dtype, sizes);
  for (std::int64_t i = 0; i < parsed.element_count(); ++i) {
    std::string word;
    in >> word;
    const auto at = static_cast<std::size_t>(i);
    if (wide == DType::f64) {
      parsed.elements<double>()[at] = std::strtod(word.c_str(), nullptr);
    } else {
      parsed.elements<std::int64_t>()[at] = std::stoll(word);
    }
  }
  OpCall call{.op = "cast", .inputs = {std::as_const(parsed).view()}, .outputs = {made.view()}};
  OpRegistry::builtin().run(call);
  return made;
}

Attribute parse_attribute(std::istringstream& in) {
  std::string kind, word;
  in >> kind >> word;
  if (kind == "s") return word;
  if (kind == "r") return std::strtod(word.c_str(), nullptr);
  if (kind == "i") return static_cast<std::int64_t>(std::stoll(word));
  std::vector<std::int64_t> list{std::stoll(word)};
  for (std::int64_t value = 0; in >> value;) list.push_back(value);
  return list;
}

std::vector<TorchCall> read_calls(const std::string& path) {
  std::ifstream file(path);
  std::vector<TorchCall> calls;
  int number = 0;
  for (std::string line; std::getline(file, line);) {
    ++number;
    std::istringstream in(line);
    std::string word, name, sizes;
    in >> word >> name;
    if (word == "call") calls.push_back({name, {}, {}, {}, number});
    if (word == "attr") calls.back().attributes[name] = parse_attribute(in);
    if (word == "in" && name == "none") calls.back().inputs.emplace_back();
    if ((word != "in" || name == "none") && word != "out") continue;
    in >> sizes;
    const DType dtype = model::parse_dtype(name).value();
    if (word == "in") {
      calls.back().inputs.emplace_back(parse_tensor(in, dtype, parse_sizes(sizes)));
    } else {
      const DType exact = model::is_floating(dtype) ? DType::f64 : dtype;
      Tensor parsed = parse_tensor(in, exact, parse_sizes(sizes));
      calls.back().outputs.push_back({Tensor(dtype, parse_sizes(sizes)), std::move(parsed)});
    }
  }
  return calls;
}

Tensor in_f64(const Tensor& x) {
  Tensor wide(DType::f64, x.sizes());
  OpCall call{.op = "cast", .inputs = {x.view()}, .outputs = {wide.view()}};
  OpRegistry::builtin().run(call);
  return wide;
}

/// PyTorch's own error in its f64 run.
std::vector<double> torch_errors(const TorchCall& torch, std::size_t output) {
  OpCall call{.op = torch.op, .attributes = torch.attributes};
  std::vector<Tensor> wide;
  wide.reserve(torch.inputs.size() + torch.outputs.size());
  for (const auto& input : torch.inputs) {
    if (!input) {
      call.inputs.emplace_back();
    } else if (model::is_floating(input->dtype())) {
      wide.push_back(in_f64(*input));
      call.inputs.emplace_back(std::as_const(wide.back()).view());
    } else {
      call.inputs.emplace_back(input->view());
    }
  }
  for (const Expected& expected : torch.outputs) {
    wide.emplace_back(model::is_floating(expected.own.dtype()) ? DType::f64 : expected.own.dtype(),
                      expected.own.sizes());
    call.outputs.push_back(wide.back().view());
  }
  std::vector<double> errors;
  const auto operands = static_cast<double>(torch.inputs[0]->element_count());
  for (const Ball& ball : error_bounds(call, output).elements)
    errors.push_back(ball.bound() * std::max(operands, 1.0));
  return errors;
}

void check_floats(const TorchCall& torch, const OpCall& call, std::size_t output) {
  const ErrorBounds bounds = error_bounds(call, output);
  const std::vector<double> torch_error = torch_errors(torch, output);
  const Tensor got = in_f64(torch.outputs[output].own);
  for (std::size_t i = 0; i < bounds.elements.size(); ++i) {
    const double exact = torch.outputs[output].exact.elements<double>()[i];
    const double ours = got.elements<double>()[i];
    const std::string where =
        torch.op + " of line " + std::to_string(torch.line) + ", element " + std::to_string(i);
    if (std::isnan(exact) || std::isnan(ours)) {
      EXPECT_EQ(std::isnan(exact), std::isnan(ours)) << where << ": " << ours << " not " << exact;
    } else if (std::isinf(exact)) {
      EXPECT_EQ(ours, exact) << where;
    } else if (std::isfinite(bounds.elements[i].bound())) {
      EXPECT_LE(std::abs(ours - exact), bounds.elements[i].bound() + torch_error[i])
          << where << ": " << ours << " not " << exact;
    }
  }
}

TEST(TorchFixtures, EveryResultIsWithinTheProvenBound) {
  const char* other = std::getenv("BUFFERPROOF_TORCH_FIXTURES");
  std::vector<TorchCall> calls = read_calls(other != nullptr ? other : TESTS_DIR "/fixtures/torch/ops.txt");
  ASSERT_GT(calls.size(), 300U);
  for (TorchCall& torch : calls) {
    OpCall call{.op = torch.op, .attributes = torch.attributes};
    for (const auto& input : torch.inputs) {
      if (input) {
        call.inputs.emplace_back(input->view());
      } else {
        call.inputs.emplace_back();
      }
    }
    for (Expected& expected : torch.outputs) call.outputs.push_back(expected.own.view());
    OpRegistry::builtin().run(call);
    for (std::size_t k = 0; k < torch.outputs.size(); ++k) {
      const Expected& expected = torch.outputs[k];
      if (model::is_floating(expected.own.dtype())) {
        check_floats(torch, call, k);
      } else {
        EXPECT_TRUE(same_bytes(expected.own, expected.exact)) << torch.op << " of line " << torch.line;
      }
    }
  }
}

}  // namespace
}  // namespace bufferproof::kernels::test
