// Computes a golden output with the installed library: ResNet-18, seeded weights and images, one hash of the
// logits.
//
//   cmake -S examples/golden -B /tmp/golden -DCMAKE_PREFIX_PATH=<install prefix> && cmake --build /tmp/golden
//   /tmp/golden/golden [--batch N] [--size S] [--threads T] [--numerics PROFILE] [--f64]
//
// The hash is that of image 0's logits: it depends on the numerics profile, not on the machine, threads or
// batch.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>

#include "kernels_ref/network/random.hpp"
#include "kernels_ref/network/resnet18.hpp"
#include "kernels_ref/parallel.hpp"

namespace {

using namespace bufferproof::kernels;

struct Options {
  std::int64_t batch = 1;
  std::int64_t size = 224;
  DType dtype = DType::f32;
  const char* profile = "ieee-f32";
};

[[noreturn]] void usage() {
  std::fprintf(stderr, "usage: golden [--batch N] [--size S] [--threads T] [--numerics PROFILE] [--f64]\n");
  std::exit(2);
}

Options parse(int argc, char** argv) {
  Options options;
  for (int i = 1; i < argc; ++i) {
    const auto is = [&](const char* flag) { return std::strcmp(argv[i], flag) == 0; };
    if (is("--f64")) {
      options.dtype = DType::f64;
      continue;
    }
    if (i + 1 == argc) usage();
    if (is("--batch"))
      options.batch = std::atoll(argv[++i]);
    else if (is("--size"))
      options.size = std::atoll(argv[++i]);
    else if (is("--threads"))
      set_thread_count(std::atoi(argv[++i]));
    else if (is("--numerics"))
      options.profile = argv[++i];
    else
      usage();
  }
  return options;
}

void run(const Options& options) {
  ResNet18 network(1, options.dtype, numerics_profile(options.profile));
  const Tensor images = ResNet18::images(options.dtype, options.batch, options.size, 7);
  const Tensor logits = network.forward(images.view());
  const ConstTensorView first(logits.view().bytes(), options.dtype, {1, 1000});
  std::printf("resnet18 %s %s %lldx%lld %016llx\n", options.profile,
              bufferproof::model::name(options.dtype).data(), static_cast<long long>(options.size),
              static_cast<long long>(options.size), static_cast<unsigned long long>(content_hash(first)));
}

}  // namespace

int main(int argc, char** argv) {
  try {
    run(parse(argc, argv));
  } catch (const std::exception& error) {
    std::fprintf(stderr, "golden: %s\n", error.what());
    return 2;
  }
  return 0;
}
