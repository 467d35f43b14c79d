// Finding one's way in the text of a C++ or Triton kernel without parsing it: brackets, calls, and the
// places that name a pointer. Positions count bytes of the whole text. Tested by
// tests/model/lower_source_test.cpp.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace bufferproof::model::lowering {

bool is_word(char c);
/// Position after the blanks from `at` on.
std::size_t skip_blanks(std::string_view text, std::size_t at);
/// Position of the bracket that closes the one at `open`; the end when there is none.
std::size_t closing(std::string_view text, std::size_t open);
/// End of the argument that starts at `at`: the comma or bracket that ends it.
std::size_t argument_end(std::string_view text, std::size_t at);
/// Name of the call whose first argument starts at `at` ("" if `at` does not start one): "store", "loadu".
std::string_view called(std::string_view text, std::size_t at);
/// The text with blanks for comments and for what stands in quotes, `"C"` excepted; places stay what they
/// are.
std::string code_only(std::string_view text);
/// C++ has its kernel in an `extern "C"` function.
bool is_cpp(std::string_view text);
/// Where the kernel's body starts: after the parameters of the Triton function or of the last `extern "C"`
/// one.
std::size_t body_start(std::string_view text);

/// Where the text names a pointer: [start, end).
struct PointerSite {
  std::size_t start = 0;
  std::size_t end = 0;
};
/// Uses of a pointer parameter in the body, by position, under its own name and others given by `auto X =
/// pointer;`.
std::vector<PointerSite> pointer_sites(std::string_view text, std::string_view parameter);

}  // namespace bufferproof::model::lowering
