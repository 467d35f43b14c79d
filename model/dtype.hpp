// Element types of tensors, as the compilers' files name them.
//
// Sizes are bytes; i1 (torch.bool) occupies one byte, as PyTorch stores it.
// Tested by tests/model/dtype_test.cpp.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace bufferproof::model {

enum class DType : std::uint8_t { f16, bf16, f32, f64, i1, i8, u8, i16, i32, i64 };

/// Bytes of one element.
int size_in_bytes(DType dtype);
/// "f32", "i1", ... : the spelling of MLIR and of FX annotations.
std::string_view name(DType dtype);
/// "torch.float32", "torch.bool", ... : the spelling of wrappers.
std::string_view torch_name(DType dtype);
bool is_floating(DType dtype);
/// A pointer to `loaded` finds its elements in a buffer of `held`. Complex numbers have no type of their own
/// here: kernels get them as pairs, in 64-bit buffers. A truth value is a byte.
bool same_elements(DType loaded, DType held);
/// Accepts "f32", "si64", "ui8", "b8", "float32", "torch.float32", "bool", ...; nullopt if unknown.
std::optional<DType> parse_dtype(std::string_view text);

}  // namespace bufferproof::model
