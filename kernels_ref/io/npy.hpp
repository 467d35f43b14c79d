// NumPy's .npy format, versions 1.0 to 3.0: one tensor with its element type and shape.
//
// Every element type of model::DType reads and writes; bf16, which NumPy lacks, is '<V2' (two raw bytes, as
// ml_dtypes stores it). Fortran order is turned into row-major. Big-endian files are refused. Hostile headers
// are bounded. Format: numpy/lib/format.py. Tested by tests/kernels_ref/npy_test.cpp.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "kernels_ref/tensor.hpp"

namespace bufferproof::kernels {

/// Raises model::InputError naming `file` and what is wrong.
Tensor read_npy(std::span<const std::byte> bytes, const std::string& file);
/// Version 1.0, row-major, header padded to 64 bytes.
std::vector<std::byte> write_npy(const ConstTensorView& tensor);

}  // namespace bufferproof::kernels
