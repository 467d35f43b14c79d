// libFuzzer target: any bytes as bufprog, and as a condition. Only InputError may come out.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "model/read/bufprog/reader.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  try {
    bufferproof::model::read_bufprog(text, "fuzz.bufprog");
  } catch (const bufferproof::model::InputError&) {
  }
  try {
    bufferproof::model::parse_condition(text);
  } catch (const bufferproof::model::InputError&) {
  }
  return 0;
}
