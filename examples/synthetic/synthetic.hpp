// A large made-up wrapper for the benchmarks: many small MLIR kernels on one batch, each with its own text.
//
// Kernel k reads the output of kernel k-1 and of one earlier kernel, so every output matters. Buffers end at
// their last use and are handed on. Now and then two kernels write the halves of one buffer side by side
// (slices with gaps), and the next kernel reads a half through a view. Every launch keeps the contract: a
// right verdict is `proved` under any profile that writes or rebinds, `refuted` under one that drops.
#pragma once

#include <cstdint>
#include <string>

namespace bufferproof::examples {

struct SyntheticOptions {
  std::int64_t kernels = 10000;
  bool dynamic = true;  ///< batch is s0, else 8
  bool reuse = true;
  std::int64_t slices_every = 40;  ///< a sliced buffer every so many kernels; 0: none
  std::uint64_t seed = 0;
};

/// Throws std::invalid_argument for less than two kernels or more than a million.
std::string synthetic_wrapper(const SyntheticOptions& options);

}  // namespace bufferproof::examples
