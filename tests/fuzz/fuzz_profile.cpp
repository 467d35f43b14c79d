// libFuzzer target: a runtime profile is read or refused with InputError, whatever the bytes are.
#include <cstddef>
#include <cstdint>
#include <string>

#include "model/diagnostic.hpp"
#include "model/runtime_profile.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  try {
    bufferproof::model::read_profile({reinterpret_cast<const char*>(data), size}, "fuzz.json");
  } catch (const bufferproof::model::InputError&) {
  }
  return 0;
}
