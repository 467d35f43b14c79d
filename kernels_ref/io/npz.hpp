// Files of named tensors: .npz, and .npy for a single one.
//
// Tested by tests/kernels_ref/npz_test.cpp.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "kernels_ref/tensor.hpp"

namespace bufferproof::kernels {

/// A .npz: its members without ".npy". A .npy: one tensor named like the file without folder and ending. Told
/// apart by content. Raises model::InputError: unreadable, neither format, damaged, a name twice.
std::map<std::string, Tensor> read_tensors(const std::string& path);

struct NamedTensor {
  std::string name;
  ConstTensorView tensor;
};

/// Writes a .npz next to `path` and renames it, so that a failure leaves no half file and no lost one. Raises
/// model::InputError when the file cannot be written. Equal tensors give equal bytes.
void write_npz(const std::string& path, const std::vector<NamedTensor>& tensors);

}  // namespace bufferproof::kernels
