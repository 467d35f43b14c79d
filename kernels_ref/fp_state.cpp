#include "kernels_ref/fp_state.hpp"

#if defined(__x86_64__)
#include <xmmintrin.h>
#endif

namespace bufferproof::kernels {
namespace {

#if defined(__x86_64__)
constexpr std::uint64_t kDefault = 0x1f80;  // all exceptions masked, round to nearest, FTZ and DAZ off
constexpr std::uint64_t kFlush = 0x8000u | 0x0040u;  // FTZ | DAZ
std::uint64_t read_state() { return _mm_getcsr(); }
void write_state(std::uint64_t state) { _mm_setcsr(static_cast<unsigned>(state)); }
#elif defined(__aarch64__)
constexpr std::uint64_t kDefault = 0;         // round to nearest, FZ, FZ16 and DN off, no traps
constexpr std::uint64_t kFlush = 1ull << 24;  // FZ
std::uint64_t read_state() {
  std::uint64_t state = 0;
  asm volatile("mrs %0, fpcr" : "=r"(state));
  return state;
}
void write_state(std::uint64_t state) { asm volatile("msr fpcr, %0" : : "r"(state)); }
#else
#error "kernels_ref/fp_state.cpp: say how this processor's rounding mode and flush-to-zero are set"
#endif

}  // namespace

FpStateGuard::FpStateGuard() : saved_(read_state()) { write_state(kDefault); }
FpStateGuard::~FpStateGuard() { write_state(saved_); }

void set_flush_to_zero(bool on) { write_state(on ? read_state() | kFlush : read_state() & ~kFlush); }

}  // namespace bufferproof::kernels
