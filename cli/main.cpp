// The `bufferproof` program. Everything it does is in cli/app.hpp.
#include <iostream>

#if __has_include(<malloc.h>)
#include <malloc.h>
#endif

#include "cli/app.hpp"

int main(int argc, char** argv) {
#ifdef M_MXFAST
  // Tables that grow to hundreds of MiB: glibc sorts its bins of small blocks anew each time one does, a
  // tenth of the time.
  mallopt(M_MXFAST, 0);
#endif
  const int code = bufferproof::cli::run({argv + 1, argv + argc}, std::cout, std::cerr);
  std::cout.flush();
  std::cerr.flush();
  bufferproof::cli::leave(code);
}
