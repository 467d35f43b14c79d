// Fuzz target of the reader of torch-dialect text: any bytes give bodies or an InputError, never a crash or a
// hang.
#include <cstdint>
#include <string>

#include "model/read/torch_dialect/reader.hpp"
#include "tests/fuzz/body_round_trip.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace bufferproof::model;
  std::string text(reinterpret_cast<const char*>(data), size);
  std::vector<BodyText> bodies;
  try {
    bodies = read_torch_dialect(text, {std::make_shared<const std::string>("fuzz"), 1, 1});
  } catch (const InputError&) {
    return 0;
  }
  round_trip(bodies);
  return 0;
}
