#include "kernels_ref/isa/self_check.hpp"
#include "kernels_ref/isa/vector.hpp"

namespace bufferproof::kernels::BUFFERPROOF_ISA_NAMESPACE {
namespace {

template <typename T>
void fma_array(const T* a, const T* b, const T* c, T* out, std::int64_t count) {
  std::int64_t i = 0;
  for (; i + kLanes<T> <= count; i += kLanes<T>)
    store<T>(out + i, fma(load<T>(a + i), load<T>(b + i), load<T>(c + i)));
  for (; i < count; ++i) out[i] = fma(a[i], b[i], c[i]);
}

}  // namespace

constinit const SelfCheck self_check{
    .vector_bytes = BUFFERPROOF_VECTOR_BYTES, .fma_f32 = fma_array<float>, .fma_f64 = fma_array<double>};

}  // namespace bufferproof::kernels::BUFFERPROOF_ISA_NAMESPACE
