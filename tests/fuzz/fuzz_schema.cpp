// libFuzzer target: no input may crash, hang or leak in the reader of operator schemas.
#include <cstddef>
#include <cstdint>
#include <string>

#include "model/read/wrapper/schema.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace bufferproof::model;
  try {
    wrapper::SchemaTable table;
    table.add(std::string(reinterpret_cast<const char*>(data), size), "fuzz.txt");
    table.find("aten::add", std::nullopt, 2, {"alpha"});
  } catch (const InputError&) {
    // The one exception that bad input raises.
  }
  return 0;
}
