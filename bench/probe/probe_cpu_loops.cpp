#include "probe_cpu_loops.h"

namespace command {
namespace {

// Keeps a value, unknown to the compiler, in a register.
#if defined(__x86_64__)
#define LIBSGEMM_KEEP(value) asm volatile("" : "+x"(value))
#define LIBSGEMM_ISA(name) __attribute__((target(name), noinline))
#else
#define LIBSGEMM_KEEP(value) asm volatile("" : "+w"(value))
#define LIBSGEMM_ISA(name) __attribute__((noinline))
#endif

// 12 chains hide the latency of known CPUs (4 or 5 cycles, two units) and fit into 16 registers.
#define LIBSGEMM_LOOPS(bits, bytes, vector, isa)                                                         \
  typedef float Vector##bits __attribute__((vector, may_alias));                                         \
                                                                                                         \
  LIBSGEMM_ISA(isa) void fma_##bits(int64_t iterations) {                                                \
    constexpr int kChains = kCpuFlopsPerLane / 2;                                                        \
    Vector##bits x[kChains], a = {}, b = {};                                                             \
    a += 0.999f, b += 0.001f;                                                                            \
    LIBSGEMM_KEEP(a);                                                                                    \
    LIBSGEMM_KEEP(b);                                                                                    \
    _Pragma("GCC unroll 12") for (int i = 0; i < kChains; ++i) x[i] = a;                                 \
    for (; iterations > 0; --iterations) {                                                               \
      _Pragma("GCC unroll 12") for (int i = 0; i < kChains; ++i) {                                       \
        x[i] = x[i] * a + b;                                                                             \
        LIBSGEMM_KEEP(x[i]);                                                                             \
      }                                                                                                  \
    }                                                                                                    \
  }                                                                                                      \
                                                                                                         \
  LIBSGEMM_ISA(isa) void read_##bits(const char *from, size_t count) {                                   \
    for (const char *end = from + count; from < end; from += kCpuLine) {                                 \
      _Pragma("GCC unroll 8") for (size_t at = 0; at < kCpuLine; at += bytes) {                          \
        Vector##bits x = *reinterpret_cast<const Vector##bits *>(from + at);                             \
        LIBSGEMM_KEEP(x);                                                                                \
      }                                                                                                  \
    }                                                                                                    \
  }                                                                                                      \
                                                                                                         \
  LIBSGEMM_ISA(isa) void copy_##bits(char *to, const char *from, size_t count) {                         \
    for (const char *end = from + count; from < end; from += kCpuLine, to += kCpuLine) {                 \
      _Pragma("GCC unroll 8") for (size_t at = 0; at < kCpuLine; at += bytes) {                          \
        *reinterpret_cast<Vector##bits *>(to + at) = *reinterpret_cast<const Vector##bits *>(from + at); \
      }                                                                                                  \
    }                                                                                                    \
  }

#if defined(__x86_64__)
LIBSGEMM_LOOPS(32, 4, aligned(4), "avx2,fma")
LIBSGEMM_LOOPS(128, 16, vector_size(16), "avx2,fma")
LIBSGEMM_LOOPS(256, 32, vector_size(32), "avx2,fma")
LIBSGEMM_LOOPS(512, 64, vector_size(64), "avx512f")
#else
LIBSGEMM_LOOPS(32, 4, aligned(4), "")
LIBSGEMM_LOOPS(128, 16, vector_size(16), "")
#endif
#undef LIBSGEMM_LOOPS

#if defined(__x86_64__)
#define LIBSGEMM_ADD "add %1, %0\n"
#else
#define LIBSGEMM_ADD "add %0, %0, %1\n"
#endif
#undef LIBSGEMM_KEEP
#undef LIBSGEMM_ISA

constexpr int kAdditions = 8;  // in one iteration

}  // namespace

void cpu_add_chain(int64_t additions) {
  int64_t x = 0;
  const int64_t one = 1;
  for (; additions > 0; additions -= kAdditions) {
    asm volatile(LIBSGEMM_ADD LIBSGEMM_ADD LIBSGEMM_ADD LIBSGEMM_ADD LIBSGEMM_ADD LIBSGEMM_ADD LIBSGEMM_ADD LIBSGEMM_ADD
                 : "+r"(x)
                 : "r"(one));
  }
}
#undef LIBSGEMM_ADD

std::vector<CpuLoops> cpu_loops() {
  std::vector<CpuLoops> loops;
#if defined(__x86_64__)
  __builtin_cpu_init();
  if (__builtin_cpu_supports("avx2") == 0 || __builtin_cpu_supports("fma") == 0) return loops;
  loops.push_back({32, fma_32, read_32, copy_32});
  loops.push_back({128, fma_128, read_128, copy_128});
  loops.push_back({256, fma_256, read_256, copy_256});
  if (__builtin_cpu_supports("avx512f") != 0) loops.push_back({512, fma_512, read_512, copy_512});
#else
  loops.push_back({32, fma_32, read_32, copy_32});
  loops.push_back({128, fma_128, read_128, copy_128});
#endif
  return loops;
}

}  // namespace command
