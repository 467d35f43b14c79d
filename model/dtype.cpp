#include "model/dtype.hpp"

#include <array>
#include <cassert>

namespace bufferproof::model {
namespace {

struct Row {
  DType dtype;
  int bytes;
  bool floating;
  std::string_view name;
  std::string_view torch;
};

constexpr std::array<Row, 10> kRows{{
    {DType::f16, 2, true, "f16", "torch.float16"},
    {DType::bf16, 2, true, "bf16", "torch.bfloat16"},
    {DType::f32, 4, true, "f32", "torch.float32"},
    {DType::f64, 8, true, "f64", "torch.float64"},
    {DType::i1, 1, false, "i1", "torch.bool"},
    {DType::i8, 1, false, "i8", "torch.int8"},
    {DType::u8, 1, false, "u8", "torch.uint8"},
    {DType::i16, 2, false, "i16", "torch.int16"},
    {DType::i32, 4, false, "i32", "torch.int32"},
    {DType::i64, 8, false, "i64", "torch.int64"},
}};

const Row& row(DType dtype) {
  const Row& found = kRows.at(static_cast<std::size_t>(dtype));
  assert(found.dtype == dtype);
  return found;
}

/// Spellings of other dialects: torch-mlir integers, FX annotations, C and torch shorthands.
constexpr std::array<std::pair<std::string_view, DType>, 12> kAliases{{
    {"si8", DType::i8},
    {"ui8", DType::u8},
    {"si16", DType::i16},
    {"si32", DType::i32},
    {"si64", DType::i64},
    {"b8", DType::i1},
    {"torch.half", DType::f16},
    {"torch.float", DType::f32},
    {"torch.double", DType::f64},
    {"torch.int", DType::i32},
    {"torch.long", DType::i64},
    {"torch.short", DType::i16},
}};

}  // namespace

int size_in_bytes(DType dtype) { return row(dtype).bytes; }
std::string_view name(DType dtype) { return row(dtype).name; }
std::string_view torch_name(DType dtype) { return row(dtype).torch; }
bool same_elements(DType loaded, DType held) {
  const auto is_byte = [](DType dtype) { return size_in_bytes(dtype) == 1; };
  const bool truth = (loaded == DType::i1 || held == DType::i1) && is_byte(loaded) && is_byte(held);
  return loaded == held || truth || (held == DType::i64 && is_floating(loaded));
}

bool is_floating(DType dtype) { return row(dtype).floating; }

std::optional<DType> parse_dtype(std::string_view text) {
  constexpr std::string_view kPrefix = "torch.";
  for (const Row& candidate : kRows)
    if (text == candidate.name || text == candidate.torch || text == candidate.torch.substr(kPrefix.size()))
      return candidate.dtype;
  for (const auto& [spelling, dtype] : kAliases)
    if (text == spelling) return dtype;
  return std::nullopt;
}

}  // namespace bufferproof::model
