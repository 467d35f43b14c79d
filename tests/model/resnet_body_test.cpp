// The kernel texts of the emitted wrappers, read back: what they compute is defined, contiguous and reads
// everything.
#include <gtest/gtest.h>

#include "examples/resnet/kernel_graph.hpp"
#include "model/body/summary.hpp"
#include "model/read/mlir/reader.hpp"

namespace bufferproof::examples {
namespace {

std::vector<KernelSpec> specs(bool dynamic) {
  const Shape shape{dynamic ? Extent(1, true) : Extent(8), 64, 7, 7};
  return {{.shape = shape},
          {.shape = shape, .residual = Residual::identity},
          {.shape = shape, .residual = Residual::projection},
          {.shape = shape, .residual = Residual::identity, .mean = true}};
}

TEST(ResNetBody, NamedOpTextIsWellBehaved) {
  for (const bool dynamic : {false, true})
    for (const KernelSpec& spec : specs(dynamic)) {
      const KernelGraph graph = make_kernel_graph(spec);
      const model::BodyText text = model::read_mlir(named_op_text(graph, "k"), {}).at(0);
      ASSERT_TRUE(text.function.has_value()) << (text.unsupported ? text.unsupported->what : "");
      EXPECT_TRUE(text.notes.empty());
      const model::BodySummary body = model::summarize(*text.function);
      EXPECT_EQ(body.inputs.size(), graph.feeds.size());
      for (const model::InputSummary& input : body.inputs)
        EXPECT_TRUE(input.scalar || input.reads.size() == 1);
      ASSERT_EQ(body.outputs.size(), 1u);
      EXPECT_TRUE(body.outputs[0].undefined.empty());
      EXPECT_EQ(body.outputs[0].view_of, -1);
      EXPECT_EQ(body.outputs[0].layout, model::EagerLayout::contiguous);
      EXPECT_EQ(body.outputs[0].type.shape.size(), 4u);
    }
}

}  // namespace
}  // namespace bufferproof::examples
