// The part of the ZIP format that .npz files use: stored and deflated members, checksums, ZIP64 sizes.
//
// Reading goes by the central directory; every offset and size is checked against the file, a member that
// claims to inflate beyond what deflate can do is refused. Writing stores members as they are (NumPy's savez
// does the same). Format: PKWARE APPNOTE 6.3. Tested by tests/kernels_ref/npz_test.cpp.
#pragma once

#include <span>
#include <string>
#include <vector>

namespace bufferproof::kernels {

struct ZipMember {
  std::string name;
  std::vector<std::byte> content;
};

/// Members in the order of the directory. Raises model::InputError naming `file`.
std::vector<ZipMember> read_zip(std::span<const std::byte> bytes, const std::string& file);

/// Raises std::length_error beyond 4 GiB per archive. Dates are fixed, so equal contents give equal bytes.
std::vector<std::byte> write_zip(const std::vector<ZipMember>& members);

}  // namespace bufferproof::kernels
