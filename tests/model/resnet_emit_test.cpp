// The emitted wrappers by their text: form, naming, memory planning, names alive where they are used.
#include <gtest/gtest.h>

#include <regex>
#include <set>
#include <sstream>

#include "examples/resnet/network.hpp"

namespace bufferproof::examples {
namespace {

std::string emit(NetworkOptions network = {}, WrapperOptions wrapper = {}) {
  return emit_resnet(network, wrapper).text;
}

/// gmock's HasSubstr would print the whole wrapper on failure.
::testing::AssertionResult has(const std::string& text, const std::string& part) {
  if (text.find(part) != std::string::npos) return ::testing::AssertionSuccess();
  return ::testing::AssertionFailure() << "not in the wrapper: " << part;
}

int count(const std::string& text, const std::string& what) {
  int found = 0;
  for (std::size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + 1)) ++found;
  return found;
}

std::vector<std::string> body_lines(const std::string& text) {
  std::istringstream body(text.substr(text.find("def call(args):")));
  std::vector<std::string> lines;
  std::string line;
  std::getline(body, line);
  while (std::getline(body, line) && line.rfind("    ", 0) == 0) lines.push_back(line.substr(4));
  return lines;
}

/// Every bufN / argN of the body is assigned before it is used and not used after its `del`.
void expect_names_alive(const std::string& text) {
  const std::regex name("\\b(buf\\d+(_view)?|arg\\d+_1)\\b");
  std::set<std::string> alive;
  for (std::string line : body_lines(text)) {
    line = line.substr(0, line.find("  #"));
    std::istringstream statements(line);
    std::string statement;
    while (std::getline(statements, statement, ';')) {
      const std::size_t equal = statement.find(" = ");
      const std::string left =
          equal == std::string::npos || statement.find('(') < equal ? "" : statement.substr(0, equal);
      const std::string right = left.empty() ? statement : statement.substr(equal);
      const bool is_del = statement.find("del ") != std::string::npos;
      for (std::sregex_iterator it(right.begin(), right.end(), name), end; it != end; ++it) {
        EXPECT_TRUE(alive.count(it->str()) == 1) << it->str() << " in: " << line;
        if (is_del) alive.erase(it->str());
      }
      for (std::sregex_iterator it(left.begin(), left.end(), name), end; it != end; ++it)
        alive.insert(it->str());
    }
  }
}

TEST(ResNetWrapper, NamesTheKernelsOfTheReport) {
  const std::string text = emit();
  EXPECT_TRUE(has(text,
                  "mlir_fused__native_batch_norm_legit_no_training_add_relu_2 = "
                  "async_compile.mlir_auto_fallback('mlir_fused__native_batch_norm_legit_no_training_add_"
                  "relu_2', '''\nmodule {\n  func.func @mlir_fused__native"));
  EXPECT_EQ(count(text, "= async_compile.mlir_auto_fallback("), 12);
  EXPECT_EQ(count(text, "extern_kernels.convolution("), 20);
  EXPECT_EQ(count(text, ".run("), 17) << "equal kernels are shared";
  EXPECT_TRUE(has(text, "add_mean_relu_11.run("));
  EXPECT_TRUE(has(text, "extern_kernels.addmm(arg102_1, reinterpret_tensor("));
  EXPECT_TRUE(has(text, "arg1_1 = rand_strided((8, 3, 224, 224), (150528, 50176, 224, 1), device='npu:0'"));
}

TEST(ResNetWrapper, NamesAreAliveWhereTheyAreUsed) {
  expect_names_alive(emit({.depth = 152}));
  for (int depth : {18, 50})
    for (const Slices slices : {Slices::none, Slices::batch, Slices::channel})
      for (bool dynamic : {false, true})
        for (bool captured : {false, true})
          expect_names_alive(
              emit({.depth = depth, .slices = slices}, {.dynamic = dynamic, .captured_views = captured}));
}

TEST(ResNetWrapper, ReuseHandsEndedBuffersOn) {
  const std::string reused = emit();
  EXPECT_TRUE(has(reused, "buf7 = buf5; del buf5  # reuse\n"));
  const std::string fresh = emit({}, {.reuse = false});
  EXPECT_FALSE(has(fresh, "# reuse"));
  EXPECT_EQ(count(fresh, "empty_strided((") - count(reused, "empty_strided(("), count(reused, "# reuse"));
}

TEST(ResNetWrapper, SymbolicBatch) {
  const std::string text = emit({}, {.dynamic = true});
  EXPECT_TRUE(has(text, "    s0 = arg1_1\n"));
  EXPECT_TRUE(has(text, "hacc.function_kind<HOST>"));
  EXPECT_FALSE(has(text, "function_kind<DEVICE>"));
  EXPECT_TRUE(has(text, "relu_0.run(buf0, arg3_1, s0, arg4_1, arg5_1, arg6_1, buf1, stream=stream0)"));
  EXPECT_TRUE(has(text, "'dynamic': True"));
  EXPECT_TRUE(has(text, "    arg1_1 = 8\n"));
  EXPECT_TRUE(has(emit({.slices = Slices::batch}, {.dynamic = true}), "    _uwu_2xvxcs0 = 2*s0\n"));
}

TEST(ResNetWrapper, StagesAlone) {
  EXPECT_EQ(count(emit({.first_stage = 0, .last_stage = 0}), ".run("), 1);
  for (int layer = 1; layer <= 4; ++layer)
    EXPECT_EQ(count(emit({.first_stage = layer, .last_stage = layer}), ".run("), 4) << layer;
  EXPECT_EQ(count(emit({.first_stage = 0, .last_stage = 3}), ".run("), 13);
  EXPECT_TRUE(has(emit({.first_stage = 2, .last_stage = 2}), "arg1_1 = rand_strided((8, 64, 56, 56)"));
}

TEST(ResNetWrapper, AliasSlicesCoverTheirBase) {
  const std::string batch = emit({.slices = Slices::batch});
  EXPECT_TRUE(
      has(batch, "reinterpret_tensor(buf0, (4, 64, 112, 112), (802816, 12544, 112, 1), 3211264)  # alias"));
  EXPECT_EQ(count(batch, "# alias"), 2);
  const std::string channel = emit({.slices = Slices::channel});
  EXPECT_TRUE(
      has(channel, "reinterpret_tensor(buf0, (8, 32, 112, 112), (802816, 12544, 112, 1), 401408)  # alias"));
  EXPECT_TRUE(has(channel, "'outputs': [5]"));
}

TEST(ResNetWrapper, CapturedViewsAreTakenBeforeTheKernelRuns) {
  const std::string text = emit({}, {.captured_views = true});
  const std::size_t view = text.find("buf1_view = reinterpret_tensor(buf1, ");
  const std::size_t run = text.find("relu_0.run(");
  const std::size_t read = text.find("max_pool2d_with_indices.default(buf1_view");
  EXPECT_LT(view, run);
  EXPECT_LT(run, read);
  EXPECT_NE(read, std::string::npos);
}

TEST(ResNetWrapper, ThreeTextsOfOneKernel) {
  EXPECT_TRUE(has(emit({}, {.text = KernelText::torch}), "torch.aten.sub.Tensor %arg0, "));
  const std::string fx = emit({}, {.text = KernelText::fx});
  EXPECT_TRUE(
      has(fx, "class <lambda>(torch.nn.Module):\n    def forward(self, arg0_1: \"f32[8, 64, 112, 112]\""));
  EXPECT_EQ(count(fx, "async_compile.import_fx("), 12);
  const EmittedWrapper emitted = emit_resnet({}, {});
  EXPECT_EQ(emitted.traced_graphs.size(), 12u);
  for (const auto& [hash, text] : emitted.traced_graphs) {
    EXPECT_EQ(hash.size(), 52u);
    EXPECT_TRUE(has(text, "class " + hash + "(torch.nn.Module):"));
    EXPECT_TRUE(has(emitted.text, "'traced_graph_hash': '" + hash + "'"));
  }
}

TEST(ResNetWrapper, SameOptionsSameBytes) {
  EXPECT_EQ(emit(), emit());
  EXPECT_NE(emit(), emit({}, {.seed = 1}));
}

TEST(ResNetWrapper, ImpossibleOptionsAreRefused) {
  EXPECT_THROW(emit({.depth = 34}), std::invalid_argument);
  EXPECT_THROW(emit({.first_stage = 3, .last_stage = 2}), std::invalid_argument);
  EXPECT_THROW(emit({.first_stage = 5, .last_stage = 5}), std::invalid_argument);
  EXPECT_THROW(emit({.first_stage = 1, .slices = Slices::batch}), std::invalid_argument);
  EXPECT_THROW(emit({.slices = Slices::batch}, {.batch = 7}), std::invalid_argument);
}

}  // namespace
}  // namespace bufferproof::examples
