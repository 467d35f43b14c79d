#include "kernels_ref/gemm/matmul_steps.hpp"

#include <string>

#include "kernels_ref/kernel_error.hpp"

namespace bufferproof::kernels {
namespace {

void check_operand(std::string_view op, std::string_view argument, const ConstTensorView& view, DType dtype,
                   const Sizes& sizes) {
  if (view.dtype() != dtype)
    throw KernelError(op, argument, "element type " + std::string(model::name(dtype)),
                      "element type " + std::string(model::name(view.dtype())));
  if (view.sizes() != sizes)
    throw KernelError(op, argument, "shape " + format_sizes(sizes), "shape " + format_sizes(view.sizes()));
}

}  // namespace

MatmulShape check_matmul(std::string_view op, const ConstTensorView& a, const ConstTensorView& b,
                         const ConstTensorView& output, const MatmulEpilogue& epilogue) {
  if (!model::is_floating(a.dtype()))
    throw KernelError(op, "a", "a floating element type",
                      "element type " + std::string(model::name(a.dtype())));
  if (a.rank() != 3) throw KernelError(op, "a", "shape [B, M, K]", "shape " + format_sizes(a.sizes()));
  if (b.rank() != 3) throw KernelError(op, "b", "shape [B, K, N]", "shape " + format_sizes(b.sizes()));
  const MatmulShape shape{a.size(0), a.size(1), a.size(2), b.size(2)};
  check_operand(op, "b", b, a.dtype(), {shape.batch, shape.taps, shape.columns});
  const Sizes out{shape.batch, shape.rows, shape.columns};
  check_operand(op, "out", output, a.dtype(), out);
  if (epilogue.addend.bytes() != nullptr) check_operand(op, "addend", epilogue.addend, a.dtype(), out);
  return shape;
}

}  // namespace bufferproof::kernels
