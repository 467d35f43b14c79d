// Normalisations. All arithmetic is in the accumulator type of fold.hpp (f32 for f16, bf16 and f32; f64 for
// f64 and the f64_golden profile), each step one rounding, the result rounded once more to x's type. Sums run
// in fold.hpp's order.
//
//   softmax {dim} (x)        m = max x; e = exp(x - m); e / sum(e)
//   log_softmax {dim} (x)    d = x - m; d - log(sum(exp(d)))
//   layer_norm {normalized_shape, eps} (x [, weight] [, bias])    results (y [, mean, rstd]); mean and var
//   (divided by n) over the last axes as
//       in var_mean; rstd = rsqrt(var + eps); y = ((x - mean) * rstd) * weight + bias. mean and rstd keep the
//       reduced axes with size 1
//   native_batch_norm {eps, form} (x, weight, bias, running_mean, running_var)    inference; parameters [c]
//   of any floating type, weight and
//       bias may be absent. Channels are axis 1. invstd = rsqrt(var + eps), then
//         form "decomposed" (default, as Inductor emits it): ((x - mean) * invstd) * weight + bias
//         form "folded" (as PyTorch's CPU kernel):  a = invstd * weight; b = bias - mean * a; x * a + b
// rsqrt follows the profile (rsqrt_is_sqrt_then_rec); where it says contract_mul_add, "* weight + bias" and
// "x * a + b" are one fma each. Training statistics are var_mean's; this file has no running update. Tested
// by tests/kernels_ref/ops_normalize_test.cpp.
#pragma once

namespace bufferproof::kernels {

class OpRegistry;
void register_normalize_ops(OpRegistry& registry);

}  // namespace bufferproof::kernels
