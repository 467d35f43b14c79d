// The `bufferproof` program. Everything it does is in cli/app.hpp.
#include <iostream>

#include "cli/app.hpp"

int main(int argc, char** argv) {
  const int code = bufferproof::cli::run({argv + 1, argv + argc}, std::cout, std::cerr);
  std::cout.flush();
  std::cerr.flush();
  bufferproof::cli::leave(code);
}
