// resnet_wrappers: writes an output_code.py as torch_npu's MLIR mode would for a ResNet. No network, no
// PyTorch.
#include <CLI/CLI.hpp>
#include <filesystem>
#include <fstream>
#include <iostream>

#include "examples/resnet/network.hpp"

namespace bufferproof::examples {
namespace {

const std::map<std::string, int> kStages{{"stem", 0},   {"layer1", 1}, {"layer2", 2},
                                         {"layer3", 3}, {"layer4", 4}, {"head", 5}};

/// "whole", "layer2" or "stem-layer3".
void parse_stages(const std::string& text, NetworkOptions& network) {
  if (text == "whole") return;
  const std::size_t dash = text.find('-');
  const auto first = kStages.find(text.substr(0, dash));
  const auto last = kStages.find(dash == std::string::npos ? text : text.substr(dash + 1));
  if (first == kStages.end() || last == kStages.end())
    throw std::invalid_argument("--stage " + text +
                                ": expected whole, stem, layer1..layer4, or a range such as stem-layer3");
  network.first_stage = first->second;
  network.last_stage = last->second;
}

void write(const std::filesystem::path& path, const std::string& text) {
  std::ofstream file(path, std::ios::binary);
  file << text;
  file.close();
  if (!file) throw std::runtime_error("cannot write " + path.string());
}

int run(int argc, char** argv) {
  NetworkOptions network;
  WrapperOptions wrapper;
  std::string stage = "whole";
  std::string out;
  std::string graphs;
  CLI::App app("Writes the wrapper program torch_npu's MLIR mode emits for a ResNet.", "resnet_wrappers");
  app.add_option("--depth", network.depth, "18, 50 or 152")->check(CLI::IsMember({18, 50, 152}));
  const std::map<std::string, KernelText> texts{
      {"named-op", KernelText::named_op}, {"torch", KernelText::torch}, {"fx", KernelText::fx}};
  app.add_option("--text", wrapper.text,
                 "kernel text: named-op (up to 26.0.0), torch (26.1.0), fx (import_fx)")
      ->transform(CLI::CheckedTransformer(texts));
  app.add_flag("--dynamic", wrapper.dynamic, "symbolic batch s0");
  app.add_option("--stage", stage, "whole, stem, layer1..layer4, or a range such as stem-layer3");
  app.add_flag("--reuse,!--no-reuse", wrapper.reuse, "hand ended buffers on to later outputs (default: on)");
  const std::map<std::string, Slices> slices{{"batch", Slices::batch}, {"channel", Slices::channel}};
  app.add_option("--alias-slices", network.slices,
                 "the stem writes slices of one buffer: batch (default) or channel")
      ->transform(CLI::CheckedTransformer(slices))
      ->expected(0, 1)
      ->default_str("batch");
  app.add_flag("--captured-views", wrapper.captured_views,
               "convolutions read views taken before the kernel ran");
  app.add_option("--batch", wrapper.batch, "batch size, or the example value of s0")
      ->check(CLI::Range(1, 4096));
  app.add_option("--image", network.image, "height and width of the images")
      ->check(CLI::IsMember({32, 64, 224}));
  app.add_option("--seed", wrapper.seed, "changes the made-up graph and kernel hashes");
  app.add_option("-o,--out", out, "file to write; standard output if absent");
  app.add_option("--traced-graphs", graphs, "folder for the FX fallback modules, one per kernel");
  app.add_flag("--constants", wrapper.constants,
               "the FX fallback modules keep the epsilon as a tensor constant");
  CLI11_PARSE(app, argc, argv);
  if (app.count("--alias-slices") != 0 && network.slices == Slices::none) network.slices = Slices::batch;
  parse_stages(stage, network);
  const EmittedWrapper emitted = emit_resnet(network, wrapper);
  if (!graphs.empty())
    for (const auto& [hash, text] : emitted.traced_graphs) {
      const std::filesystem::path folder = std::filesystem::path(graphs) / "0" / hash;
      std::filesystem::create_directories(folder);
      write(folder / (hash + ".py"), text);
    }
  if (out.empty())
    std::cout << emitted.text;
  else
    write(out, emitted.text);
  return 0;
}

}  // namespace
}  // namespace bufferproof::examples

int main(int argc, char** argv) {
  try {
    return bufferproof::examples::run(argc, argv);
  } catch (const std::exception& error) {
    std::cerr << "resnet_wrappers: " << error.what() << "\n";
    return 2;
  }
}
