// libFuzzer target: no input may crash, hang or leak in the reader of Inductor wrappers. Seeds:
// tests/fixtures/wrappers.
#include <cstddef>
#include <cstdint>
#include <string>

#include "model/read/wrapper/wrapper.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  try {
    bufferproof::model::wrapper::read_wrappers(std::string(reinterpret_cast<const char*>(data), size),
                                               "fuzz.py");
  } catch (const bufferproof::model::InputError&) {
    // The one exception that bad input raises.
  }
  return 0;
}
