// Run-time choice of instruction set: one binary holds every kernel several times and takes the best one it
// may.
//
// Why not function attributes or one shared object per set: a kernel source `x.isa.cpp` is compiled once per
// set with that set's -m flags, each time inside its own namespace (isa_baseline, isa_fma, isa_avx2,
// isa_avx512), so the copies cannot be merged by the linker, need no dlopen, and the whole kernel, helpers
// included, is inlined and scheduled for its set. The danger of that scheme is an inline function of a shared
// header (Eigen, <algorithm>, <vector>): the linker keeps ONE copy of it, perhaps the AVX-512 one, and a
// baseline machine dies. Hence the rules for an .isa.cpp:
//   1. it includes no Eigen and no standard header but <cstdint> and <cstddef>; helpers come from
//   kernels_ref/isa/*.hpp and
//      kernels_ref/convert16.hpp, whose functions have internal linkage (BUFFERPROOF_INLINE) or sit in the
//      set's namespace;
//   2. it allocates nothing and throws nothing: buffers, checks, threads and the FP state are the caller's;
//   3. the order of roundings of an output does not depend on the vector width.
// tests/kernels_ref/isa_symbols.cmake reads the objects' symbol tables and fails on a weak symbol, which is
// rule 1.
//
// Pattern (see kernels_ref/gemm/gemm_kernel.hpp and gemm_kernel.isa.cpp):
//   foo_kernel.hpp       struct FooKernels { void (*add)(const float*, const float*, float*, std::int64_t);
//   };
//                        BUFFERPROOF_ISA_TABLE(FooKernels, foo_kernels)      // in namespace
//                        bufferproof::kernels
//   foo_kernel.isa.cpp   namespace bufferproof::kernels::BUFFERPROOF_ISA_NAMESPACE {
//                        namespace { void add(...) {...} }
//                        constinit const FooKernels foo_kernels{.add = add};
//                        }
//   CMakeLists.txt       bufferproof_isa_sources(bufferproof_kernels_ref foo_kernel.isa.cpp)
//   use                  foo_kernels().add(a, b, out, n);
// The baseline set of x86-64 has no fused multiply-add: kernels_ref/isa/vector.hpp emulates it with the same
// bits. On other processors only the baseline set exists (on AArch64 that is NEON with hardware FMA). Tested
// by tests/kernels_ref/isa_test.cpp.
#pragma once

#include <cstdint>

namespace bufferproof::kernels {

enum class Isa : std::uint8_t { baseline, fma, avx2, avx512 };
inline constexpr int kIsaCount = 4;

/// The set the next kernel call uses: the API's choice, else BUFFERPROOF_ISA=avx512|avx2|fma|baseline, else
/// the best. Throws KernelError when the environment variable names none, or one this processor lacks.
Isa current_isa();

}  // namespace bufferproof::kernels

#if defined(__x86_64__)
#define BUFFERPROOF_ISA_EACH(X) X(baseline) X(fma) X(avx2) X(avx512)
#else
#define BUFFERPROOF_ISA_EACH(X) X(baseline)
#endif

/// Declares `Table name` of every set, and `const Table& name()` that picks the current one.
#if defined(__x86_64__)
#define BUFFERPROOF_ISA_TABLE(Table, name) \
  namespace isa_baseline {                 \
  extern const Table name;                 \
  }                                        \
  namespace isa_fma {                      \
  extern const Table name;                 \
  }                                        \
  namespace isa_avx2 {                     \
  extern const Table name;                 \
  }                                        \
  namespace isa_avx512 {                   \
  extern const Table name;                 \
  }                                        \
  BUFFERPROOF_ISA_PICK(Table, name, isa_fma::name, isa_avx2::name, isa_avx512::name)
#else
#define BUFFERPROOF_ISA_TABLE(Table, name) \
  namespace isa_baseline {                 \
  extern const Table name;                 \
  }                                        \
  BUFFERPROOF_ISA_PICK(Table, name, isa_baseline::name, isa_baseline::name, isa_baseline::name)
#endif

#if defined(BUFFERPROOF_ISA_NAMESPACE)
#define BUFFERPROOF_ISA_PICK(Table, name, fma_table, avx2_table, avx512_table)  // not inside a kernel source
#else
#define BUFFERPROOF_ISA_PICK(Table, name, fma_table, avx2_table, avx512_table)                \
  inline const Table& name() {                                                                \
    const Table* const tables[kIsaCount] = {&isa_baseline::name, &(fma_table), &(avx2_table), \
                                            &(avx512_table)};                                 \
    return *tables[static_cast<int>(current_isa())];                                          \
  }
#endif
