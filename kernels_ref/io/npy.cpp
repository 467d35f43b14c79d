#include "kernels_ref/io/npy.hpp"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <cstring>
#include <numeric>
#include <optional>
#include <string_view>

#include "kernels_ref/kernel_error.hpp"
#include "model/diagnostic.hpp"

namespace bufferproof::kernels {
namespace {

constexpr std::array<unsigned char, 6> kMagic{0x93, 'N', 'U', 'M', 'P', 'Y'};
constexpr std::size_t kLongestHeader = 1U << 16;
constexpr std::size_t kMostAxes = 32;

struct Code {
  std::string_view text;
  DType dtype;
};
constexpr std::array<Code, 10> kCodes{{{"f2", DType::f16},
                                       {"V2", DType::bf16},
                                       {"f4", DType::f32},
                                       {"f8", DType::f64},
                                       {"b1", DType::i1},
                                       {"i1", DType::i8},
                                       {"u1", DType::u8},
                                       {"i2", DType::i16},
                                       {"i4", DType::i32},
                                       {"i8", DType::i64}}};

/// The header: a Python dictionary literal with three keys.
class HeaderReader {
 public:
  HeaderReader(std::string_view text, const std::string& file) : text_(text), file_(file) {}

  void read() {
    expect('{');
    while (!accept('}')) {
      const std::string_view key = quoted();
      expect(':');
      if (key == "descr") {
        descr(quoted());
      } else if (key == "fortran_order") {
        fortran = word() == "True";
      } else if (key == "shape") {
        tuple();
      } else {
        fail("the keys descr, fortran_order and shape", key);
      }
      accept(',');
    }
    if (!dtype_) fail("a descr", "none");
    if (!has_shape_) fail("a shape", "none");
  }
  DType dtype() const { return *dtype_; }
  Sizes sizes;
  bool fortran = false;

 private:
  [[noreturn]] void fail(std::string_view expected, std::string_view found) const {
    throw model::InputError({std::make_shared<const std::string>(file_), 0, 0},
                            fmt::format("{} in the .npy header", expected), std::string(found));
  }
  void blanks() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\n')) ++at_;
  }
  bool accept(char c) {
    blanks();
    if (at_ == text_.size() || text_[at_] != c) return false;
    ++at_;
    return true;
  }
  void expect(char c) {
    if (!accept(c)) fail(fmt::format("'{}'", c), at_ < text_.size() ? text_.substr(at_, 1) : "its end");
  }
  std::string_view quoted() {
    blanks();
    const char quote = at_ < text_.size() ? text_[at_] : '\0';
    if (quote != '\'' && quote != '"') fail("a string", text_.substr(std::min(at_, text_.size()), 1));
    const std::size_t end = text_.find(quote, at_ + 1);
    if (end == std::string_view::npos) fail("the end of a string", "none");
    const std::string_view out = text_.substr(at_ + 1, end - at_ - 1);
    at_ = end + 1;
    return out;
  }
  std::string_view word() {
    blanks();
    const std::size_t begin = at_;
    while (at_ < text_.size() && std::isalpha(static_cast<unsigned char>(text_[at_])) != 0) ++at_;
    const std::string_view out = text_.substr(begin, at_ - begin);
    if (out != "True" && out != "False") fail("True or False", out);
    return out;
  }
  void descr(std::string_view code) {
    if (!code.empty() && code[0] == '>') fail("little-endian elements", code);
    const std::string_view kind = code.empty() ? code : code.substr(1);
    for (const Code& known : kCodes)
      if (known.text == kind && (code[0] == '<' || code[0] == '|' || code[0] == '=')) dtype_ = known.dtype;
    if (!dtype_) fail("an element type like <f4, <f2, <i8 or |b1", code);
  }
  void tuple() {
    has_shape_ = true;
    expect('(');
    while (!accept(')')) {
      if (sizes.size() == kMostAxes) fail("at most 32 axes", "more");
      blanks();
      std::int64_t size = 0;
      const char* begin = text_.data() + at_;
      const auto [end, error] = std::from_chars(begin, text_.data() + text_.size(), size);
      if (error != std::errc() || size < 0) fail("a size", text_.substr(std::min(at_, text_.size()), 1));
      at_ += static_cast<std::size_t>(end - begin);
      if (at_ < text_.size() && text_[at_] == 'L') ++at_;  // Python 2 wrote long integers so
      sizes.push_back(size);
      accept(',');
    }
  }

  std::string_view text_;
  const std::string& file_;
  std::size_t at_ = 0;
  std::optional<DType> dtype_;
  bool has_shape_ = false;
};

[[noreturn]] void bad(const std::string& file, const std::string& expected, const std::string& found) {
  throw model::InputError({std::make_shared<const std::string>(file), 0, 0}, expected, found);
}

std::size_t little_endian(std::span<const std::byte> bytes) {
  std::size_t value = 0;
  for (std::size_t i = bytes.size(); i-- > 0;) value = value << 8 | std::to_integer<std::size_t>(bytes[i]);
  return value;
}

/// Splits off the header; `bytes` becomes the data.
std::string_view split_header(std::span<const std::byte>& bytes, const std::string& file) {
  if (bytes.size() < 10 || std::memcmp(bytes.data(), kMagic.data(), kMagic.size()) != 0)
    bad(file, "a .npy file", "other bytes");
  const auto version = std::to_integer<int>(bytes[6]);
  if (version < 1 || version > 3) bad(file, "version 1 to 3 of the .npy format", std::to_string(version));
  const std::size_t width = version == 1 ? 2 : 4;
  if (bytes.size() < 8 + width) bad(file, "a .npy header", "the end of the file");
  const std::size_t length = little_endian(bytes.subspan(8, width));
  if (length > kLongestHeader || length > bytes.size() - 8 - width)
    bad(file, "a .npy header within the file", fmt::format("one of {} bytes", length));
  const std::string_view header(reinterpret_cast<const char*>(bytes.data()) + 8 + width, length);
  bytes = bytes.subspan(8 + width + length);
  return header;
}

std::string_view code_of(DType dtype) {
  for (const Code& known : kCodes)
    if (known.dtype == dtype) return known.text;
  return "";
}

Tensor row_major(const std::byte* data, DType dtype, const Sizes& sizes) {
  Sizes reversed(sizes.rbegin(), sizes.rend());
  std::vector<int> order(sizes.size());
  std::iota(order.rbegin(), order.rend(), 0);
  return contiguous_copy(ConstTensorView(data, dtype, reversed).permute(order));
}

}  // namespace

Tensor read_npy(std::span<const std::byte> bytes, const std::string& file) {
  HeaderReader header(split_header(bytes, file), file);
  header.read();
  std::int64_t elements = 0;
  try {
    elements = element_count(header.sizes);
  } catch (const KernelError&) {
    bad(file, "a shape whose size fits", format_sizes(header.sizes));
  }
  const auto element = static_cast<std::size_t>(model::size_in_bytes(header.dtype()));
  if (static_cast<std::size_t>(elements) > bytes.size() / element)
    bad(file, fmt::format("{} elements of {} bytes", elements, element),
        fmt::format("{} bytes", bytes.size()));
  if (header.fortran && header.sizes.size() > 1 && elements > 0)
    return row_major(bytes.data(), header.dtype(), header.sizes);
  Tensor out(header.dtype(), header.sizes);
  if (elements > 0)
    std::memcpy(out.view().bytes(), bytes.data(), static_cast<std::size_t>(elements) * element);
  return out;
}

std::vector<std::byte> write_npy(const ConstTensorView& tensor) {
  std::string shape;
  for (const std::int64_t size : tensor.sizes()) shape += fmt::format("{}, ", size);
  if (tensor.rank() > 1) shape.resize(shape.size() - 2);
  if (tensor.rank() == 1) shape.resize(shape.size() - 1);
  const char order = model::size_in_bytes(tensor.dtype()) == 1 ? '|' : '<';
  std::string header = fmt::format("{{'descr': '{}{}', 'fortran_order': False, 'shape': ({}), }}", order,
                                   code_of(tensor.dtype()), shape);
  const std::size_t unpadded = 10 + header.size() + 1;
  header += std::string((64 - unpadded % 64) % 64, ' ') + '\n';
  const Tensor dense = contiguous_copy(tensor);
  std::vector<std::byte> out(10 + header.size() + dense.size_in_bytes());
  std::memcpy(out.data(), kMagic.data(), kMagic.size());
  out[6] = std::byte{1};
  out[7] = std::byte{0};
  out[8] = static_cast<std::byte>(header.size() & 0xff);
  out[9] = static_cast<std::byte>(header.size() >> 8);
  std::memcpy(out.data() + 10, header.data(), header.size());
  if (dense.size_in_bytes() > 0)
    std::memcpy(out.data() + 10 + header.size(), dense.view().bytes(), dense.size_in_bytes());
  return out;
}

}  // namespace bufferproof::kernels
