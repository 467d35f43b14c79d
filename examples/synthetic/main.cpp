// synthetic_wrapper: writes a large wrapper for the benchmarks.
#include <CLI/CLI.hpp>
#include <fstream>
#include <iostream>

#include "examples/synthetic/synthetic.hpp"

int main(int argc, char** argv) {
  bufferproof::examples::SyntheticOptions options;
  std::string out;
  CLI::App app("Writes a made-up wrapper of many MLIR kernels.", "synthetic_wrapper");
  app.add_option("--kernels", options.kernels, "how many kernels, each called once");
  app.add_flag("--dynamic,!--static", options.dynamic, "symbolic batch s0 (default), or 8");
  app.add_flag("--reuse,!--no-reuse", options.reuse, "hand ended buffers on (default: on)");
  app.add_option("--slices-every", options.slices_every,
                 "a buffer written in two halves every so many kernels; 0: none");
  app.add_option("--seed", options.seed, "changes which earlier outputs are read");
  app.add_option("-o,--out", out, "file to write; standard output if absent");
  CLI11_PARSE(app, argc, argv);
  try {
    const std::string text = bufferproof::examples::synthetic_wrapper(options);
    if (out.empty()) {
      std::cout << text;
      return 0;
    }
    std::ofstream file(out, std::ios::binary);
    file << text;
    file.close();
    if (file) return 0;
    std::cerr << "synthetic_wrapper: cannot write " << out << "\n";
  } catch (const std::exception& error) {
    std::cerr << "synthetic_wrapper: " << error.what() << "\n";
  }
  return 2;
}
