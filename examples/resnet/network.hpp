// ResNet-18, 50 and 152, inference, as a wrapper program: whole, or from one stage to another.
//
// The shapes are those of torchvision's models on 224 x 224 images. Tested by tests/model/resnet_*.cpp.
#pragma once

#include "examples/resnet/wrapper_program.hpp"

namespace bufferproof::examples {

enum class Slices {
  none,
  batch,    ///< the stem runs on two inputs, each of half the batch, and its outputs are slices of one buffer
  channel,  ///< the stem is two convolutions of 32 channels each, written side by side
};

struct NetworkOptions {
  int depth = 18;
  int first_stage = 0;  ///< 0: stem, 1..4: layer1..layer4, 5: head
  int last_stage = 5;
  Slices slices = Slices::none;
  std::int64_t image = 224;
};

struct EmittedWrapper {
  std::string text;
  std::map<std::string, std::string> traced_graphs;  ///< hash -> module text
  std::size_t kernels = 0;
};

/// Throws std::invalid_argument for a depth other than 18, 50, 152, an empty stage range, slices without the
/// stem, or an odd batch with batch slices.
EmittedWrapper emit_resnet(const NetworkOptions& network, const WrapperOptions& wrapper);

}  // namespace bufferproof::examples
