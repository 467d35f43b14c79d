#include "kernels_ref/io/zip.hpp"

#include <fmt/format.h>
#include <zlib.h>

#include <cstdint>
#include <limits>
#include <stdexcept>

#include "model/diagnostic.hpp"

namespace bufferproof::kernels {
namespace {

constexpr std::uint32_t kLocal = 0x04034b50;
constexpr std::uint32_t kCentral = 0x02014b50;
constexpr std::uint32_t kEnd = 0x06054b50;
constexpr std::uint32_t kZip64End = 0x06064b50;
constexpr std::uint32_t kZip64Locator = 0x07064b50;
constexpr std::uint16_t kZip64Extra = 0x0001;
constexpr std::size_t kEndSize = 22;
constexpr std::uint64_t kNone32 = 0xffffffff;
/// Deflate cannot expand more than 1032-fold.
constexpr std::uint64_t kMostExpansion = 1032;

/// Reads little-endian fields of a file; every access is checked.
class Bytes {
 public:
  Bytes(std::span<const std::byte> data, const std::string& file) : data_(data), file_(file) {}
  std::uint64_t number(std::uint64_t at, int width) const {
    const auto field = part(at, static_cast<std::uint64_t>(width));
    std::uint64_t value = 0;
    for (int i = width; i-- > 0;)
      value = value << 8 | std::to_integer<std::uint64_t>(field[static_cast<std::size_t>(i)]);
    return value;
  }
  std::span<const std::byte> part(std::uint64_t at, std::uint64_t size) const {
    if (at > data_.size() || size > data_.size() - at) bad("a complete zip archive", "the end of the file");
    return data_.subspan(at, size);
  }
  std::uint64_t size() const { return data_.size(); }
  [[noreturn]] void bad(const std::string& expected, const std::string& found) const {
    throw model::InputError({std::make_shared<const std::string>(file_), 0, 0}, expected, found);
  }

 private:
  std::span<const std::byte> data_;
  const std::string& file_;
};

struct Entry {
  std::string name;
  std::uint64_t method = 0;
  std::uint64_t crc = 0;
  std::uint64_t packed = 0;
  std::uint64_t size = 0;
  std::uint64_t local = 0;
};

struct Directory {
  std::uint64_t offset = 0;
  std::uint64_t entries = 0;
};

/// The end record is the last thing in the file but for a comment.
std::uint64_t find_end(const Bytes& zip) {
  constexpr std::uint64_t kLongestComment = 0xffff;
  if (zip.size() < kEndSize) zip.bad("a zip archive", fmt::format("{} bytes", zip.size()));
  const std::uint64_t last = zip.size() - kEndSize;
  const std::uint64_t first = last > kLongestComment ? last - kLongestComment : 0;
  for (std::uint64_t at = last + 1; at-- > first;)
    if (zip.number(at, 4) == kEnd) return at;
  zip.bad("the directory of a zip archive", "none");
}

Directory find_directory(const Bytes& zip) {
  const std::uint64_t end = find_end(zip);
  Directory out{zip.number(end + 16, 4), zip.number(end + 10, 2)};
  if (end < 20 || zip.number(end - 20, 4) != kZip64Locator) return out;
  const std::uint64_t at = zip.number(end - 12, 8);
  if (zip.number(at, 4) != kZip64End) zip.bad("a ZIP64 end record", "other bytes");
  return {zip.number(at + 48, 8), zip.number(at + 32, 8)};
}

/// Sizes that do not fit 32 bits stand in an extra field, only those, in this order.
void read_zip64_extra(const Bytes& zip, std::uint64_t at, std::uint64_t length, Entry& entry) {
  const std::uint64_t end = at + length;
  while (at + 4 <= end) {
    const std::uint64_t kind = zip.number(at, 2);
    const std::uint64_t size = zip.number(at + 2, 2);
    at += 4;
    if (kind == kZip64Extra) {
      std::uint64_t field = at;
      for (std::uint64_t* value : {&entry.size, &entry.packed, &entry.local})
        if (*value == kNone32 && field + 8 <= at + size) {
          *value = zip.number(field, 8);
          field += 8;
        }
    }
    at += size;
  }
}

Entry read_entry(const Bytes& zip, std::uint64_t& at) {
  if (zip.number(at, 4) != kCentral) zip.bad("an entry of the zip directory", "other bytes");
  Entry entry{"",
              zip.number(at + 10, 2),
              zip.number(at + 16, 4),
              zip.number(at + 20, 4),
              zip.number(at + 24, 4),
              zip.number(at + 42, 4)};
  const std::uint64_t name = zip.number(at + 28, 2);
  const std::uint64_t extra = zip.number(at + 30, 2);
  const auto text = zip.part(at + 46, name);
  entry.name.assign(reinterpret_cast<const char*>(text.data()), text.size());
  read_zip64_extra(zip, at + 46 + name, extra, entry);
  at += 46 + name + extra + zip.number(at + 32, 2);
  return entry;
}

void inflate_member(const Bytes& zip, const Entry& entry, std::span<const std::byte> packed,
                    std::vector<std::byte>& out) {
  z_stream stream{};
  if (inflateInit2(&stream, -MAX_WBITS) != Z_OK) throw std::bad_alloc();
  std::size_t read = 0;
  std::size_t written = 0;
  int status = Z_OK;
  constexpr std::size_t kStep = 1U << 30;
  while (status == Z_OK) {
    const std::size_t in = std::min(packed.size() - read, kStep);
    const std::size_t room = std::min(out.size() - written, kStep);
    stream.next_in = reinterpret_cast<Bytef*>(const_cast<std::byte*>(packed.data() + read));
    stream.avail_in = static_cast<uInt>(in);
    stream.next_out = reinterpret_cast<Bytef*>(out.data() + written);
    stream.avail_out = static_cast<uInt>(room);
    status = inflate(&stream, Z_NO_FLUSH);
    if (in == stream.avail_in && room == stream.avail_out) break;  // no progress
    read += in - stream.avail_in;
    written += room - stream.avail_out;
  }
  inflateEnd(&stream);
  if (status != Z_STREAM_END || written != out.size())
    zip.bad(fmt::format("{} bytes of deflated data in {}", out.size(), entry.name), "damaged data");
}

std::vector<std::byte> read_content(const Bytes& zip, const Entry& entry) {
  if (zip.number(entry.local, 4) != kLocal) zip.bad("the header of " + entry.name, "other bytes");
  const std::uint64_t begin =
      entry.local + 30 + zip.number(entry.local + 26, 2) + zip.number(entry.local + 28, 2);
  const auto packed = zip.part(begin, entry.packed);
  const bool stored = entry.method == 0;
  if (!stored && entry.method != Z_DEFLATED)
    zip.bad("a stored or deflated " + entry.name, fmt::format("method {}", entry.method));
  if (stored ? entry.size != entry.packed : entry.size / kMostExpansion > entry.packed)
    zip.bad("a size of " + entry.name + " that its data can have", std::to_string(entry.size));
  std::vector<std::byte> out(entry.size);
  if (stored) std::copy(packed.begin(), packed.end(), out.begin());
  if (!stored) inflate_member(zip, entry, packed, out);
  const auto crc = crc32_z(0, reinterpret_cast<const Bytef*>(out.data()), out.size());
  if (crc != entry.crc) zip.bad("the checksum of " + entry.name, "another one: the file is damaged");
  return out;
}

class Writer {
 public:
  void number(std::uint64_t value, int width) {
    for (; width > 0; --width, value >>= 8) out.push_back(static_cast<std::byte>(value & 0xff));
  }
  void bytes(const void* data, std::size_t size) {
    const auto* begin = static_cast<const std::byte*>(data);
    out.insert(out.end(), begin, begin + size);
  }
  /// The fields local header and directory share, from "version needed" on.
  void common(const ZipMember& member, std::uint64_t crc) {
    constexpr std::uint64_t kVersion = 20;
    constexpr std::uint64_t kFirstOfJanuary1980 = 0x21;
    number(kVersion, 2);
    number(0, 2);  // flags
    number(0, 2);  // stored
    number(0, 2);  // time
    number(kFirstOfJanuary1980, 2);
    number(crc, 4);
    number(member.content.size(), 4);
    number(member.content.size(), 4);
    number(member.name.size(), 2);
    number(0, 2);  // extra
  }
  std::vector<std::byte> out;
};

}  // namespace

std::vector<ZipMember> read_zip(std::span<const std::byte> bytes, const std::string& file) {
  const Bytes zip(bytes, file);
  const Directory directory = find_directory(zip);
  std::vector<ZipMember> out;
  std::uint64_t at = directory.offset;
  std::uint64_t total = 0;
  for (std::uint64_t i = 0; i < directory.entries; ++i) {
    const Entry entry = read_entry(zip, at);
    total += entry.packed;  // members that overlap would let a small file claim any amount of memory
    if (total > zip.size()) zip.bad("members that do not overlap", entry.name);
    out.push_back({entry.name, read_content(zip, entry)});
  }
  return out;
}

std::vector<std::byte> write_zip(const std::vector<ZipMember>& members) {
  Writer zip;
  Writer directory;
  for (const ZipMember& member : members) {
    const std::uint64_t local = zip.out.size();
    if (local + member.content.size() > std::numeric_limits<std::uint32_t>::max() - (1U << 20) ||
        member.name.size() > 0xffff || members.size() > 0xffff)
      throw std::length_error("a zip archive beyond 4 GiB or 65535 members");
    const auto crc = crc32_z(0, reinterpret_cast<const Bytef*>(member.content.data()), member.content.size());
    zip.number(kLocal, 4);
    zip.common(member, crc);
    zip.bytes(member.name.data(), member.name.size());
    zip.bytes(member.content.data(), member.content.size());
    directory.number(kCentral, 4);
    directory.number(20, 2);  // made by
    directory.common(member, crc);
    directory.number(0, 2 + 2 + 2 + 4);  // comment, disk, attributes
    directory.number(local, 4);
    directory.bytes(member.name.data(), member.name.size());
  }
  const std::uint64_t offset = zip.out.size();
  zip.bytes(directory.out.data(), directory.out.size());
  zip.number(kEnd, 4);
  zip.number(0, 4);  // disks
  zip.number(members.size(), 2);
  zip.number(members.size(), 2);
  zip.number(directory.out.size(), 4);
  zip.number(offset, 4);
  zip.number(0, 2);  // comment
  return std::move(zip.out);
}

}  // namespace bufferproof::kernels
