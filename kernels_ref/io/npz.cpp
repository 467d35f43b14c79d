#include "kernels_ref/io/npz.hpp"

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>

#include "kernels_ref/io/npy.hpp"
#include "kernels_ref/io/zip.hpp"
#include "model/diagnostic.hpp"

namespace bufferproof::kernels {
namespace {

constexpr std::string_view kEnding = ".npy";

[[noreturn]] void bad(const std::string& path, const std::string& message) {
  throw model::InputError({std::make_shared<const std::string>(path), 0, 0}, message);
}

std::vector<std::byte> read_file(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  std::error_code error;
  const auto size = std::filesystem::file_size(path, error);
  if (!in || error) bad(path, std::string("cannot be read: ") + std::strerror(error ? error.value() : errno));
  std::vector<std::byte> bytes(size);
  if (!in.read(reinterpret_cast<char*>(bytes.data()), static_cast<std::streamsize>(size)))
    bad(path, "cannot be read to its end");
  return bytes;
}

std::string without_ending(const std::string& name) {
  return name.ends_with(kEnding) ? name.substr(0, name.size() - kEnding.size()) : name;
}

bool is_zip(const std::vector<std::byte>& bytes) {
  return bytes.size() >= 4 && std::memcmp(bytes.data(), "PK", 2) == 0;
}

}  // namespace

std::map<std::string, Tensor> read_tensors(const std::string& path) {
  const std::vector<std::byte> bytes = read_file(path);
  std::map<std::string, Tensor> out;
  if (!is_zip(bytes)) {
    out.emplace(without_ending(std::filesystem::path(path).filename().string()), read_npy(bytes, path));
    return out;
  }
  for (const ZipMember& member : read_zip(bytes, path)) {
    const std::string name = without_ending(member.name);
    if (!out.emplace(name, read_npy(member.content, path + ":" + member.name)).second)
      bad(path, "has two tensors named " + name);
  }
  return out;
}

void write_npz(const std::string& path, const std::vector<NamedTensor>& tensors) {
  std::vector<ZipMember> members;
  for (const NamedTensor& named : tensors)
    members.push_back({named.name + std::string(kEnding), write_npy(named.tensor)});
  const std::vector<std::byte> bytes = write_zip(members);
  const std::string partial = path + ".partial";
  std::ofstream out(partial, std::ios::binary | std::ios::trunc);
  out.write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
  out.close();
  std::error_code error;
  if (out) std::filesystem::rename(partial, path, error);
  if (!out || error) {
    const std::string reason = std::strerror(error ? error.value() : errno);
    std::filesystem::remove(partial, error);
    bad(path, "cannot be written: " + reason);
  }
}

}  // namespace bufferproof::kernels
