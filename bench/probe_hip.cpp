// The probes of an AMD GPU, in HIP C++ with the instructions that are timed as the assembler has them. Wave and lane
// counts do for both widths of waves.
#include <fmt/format.h>

#include "probe_kernels.h"

namespace command {
namespace {

constexpr int kInstructions = 64, kAccesses = 8;  // of an iteration
constexpr unsigned kThreads = 256;

constexpr const char *kSource = R"hip(
typedef unsigned long long u64;
typedef unsigned u32;
typedef float Two __attribute__((ext_vector_type(2)));
typedef float Four __attribute__((ext_vector_type(4)));
typedef float Sixteen __attribute__((ext_vector_type(16)));

#define Shared __attribute__((address_space(3)))

#define KERNEL(name) \
  extern "C" __global__ void __launch_bounds__(1024) name(u64 *out, const float *data, u32 iterations, u32 bytes)
#define THREAD (__builtin_amdgcn_workitem_id_x())
#define BLOCK (__builtin_amdgcn_workgroup_id_x())

// So many independent chains of one instruction; what they give is kept only where `bytes` is 1, which it never is.
#define CHAINS(name, type, chains, instruction)                                             \
  KERNEL(name) {                                                                            \
    const type *mine = (const type *)data + THREAD;                                         \
    type x[chains], a = mine[0], b = mine[1];                                               \
    for (int i = 0; i < chains; ++i) x[i] = mine[2 + i];                                    \
    _Pragma("nounroll") for (; iterations > 0; --iterations) {                              \
      _Pragma("unroll") for (int i = 0; i < 64; ++i)                                        \
          asm volatile(instruction : "+v"(x[i % chains]) : "v"(a), "v"(b));                 \
    }                                                                                       \
    if (bytes == 1)                                                                         \
      for (int i = 0; i < chains; ++i) ((type *)out)[i] = x[i];                             \
  }

CHAINS(ffma_1, float, 1, "v_fma_f32 %0, %1, %2, %0")
CHAINS(ffma_4, float, 4, "v_fma_f32 %0, %1, %2, %0")
CHAINS(ffma_16, float, 16, "v_fma_f32 %0, %1, %2, %0")
CHAINS(dfma_8, double, 8, "v_fma_f64 %0, %1, %2, %0")

#if defined(__gfx90a__) || defined(__gfx940__) || defined(__gfx941__) || defined(__gfx942__) || defined(__gfx950__)
CHAINS(pk_fma_8, Two, 8, "v_pk_fma_f32 %0, %1, %2, %0")
#endif

#if defined(__gfx908__) || defined(__gfx90a__) || defined(__gfx940__) || defined(__gfx941__) || \
    defined(__gfx942__) || defined(__gfx950__)
KERNEL(mfma) {
  const float a = data[THREAD], b = data[THREAD + 1];
  Sixteen x[4];
  for (int i = 0; i < 4; ++i) x[i] = 0;
  _Pragma("nounroll") for (; iterations > 0; --iterations) {
    _Pragma("unroll") for (int i = 0; i < 16; ++i) x[i % 4] = __builtin_amdgcn_mfma_f32_32x32x2f32(a, b, x[i % 4], 0, 0, 0);
  }
  if (bytes == 1)
    for (int i = 0; i < 4; ++i) ((Sixteen *)out)[i] = x[i];
}
#endif

// Thread i reads at i * step bytes of a tile.
#define SHARED(name, type, step)                                                            \
  KERNEL(name) {                                                                            \
    __shared__ __attribute__((aligned(16))) char tile[16384];                               \
    ((Four *)tile)[THREAD] = ((const Four *)data)[THREAD];                                  \
    __syncthreads();                                                                        \
    Shared const char *from = (Shared const char *)tile + THREAD * step % 8192;                                      \
    _Pragma("nounroll") for (; iterations > 0; --iterations) {                              \
      _Pragma("unroll") for (int i = 0; i < 8; ++i) (void)*(Shared const volatile type *)(from + 1024 * i); \
    }                                                                                       \
  }

SHARED(shared_4_4, float, 4)
SHARED(shared_8_8, Two, 8)
SHARED(shared_16_16, Four, 16)
SHARED(shared_4_8, float, 8)
SHARED(shared_4_16, float, 16)
SHARED(shared_4_32, float, 32)
SHARED(shared_4_64, float, 64)
SHARED(shared_4_128, float, 128)

// All threads one after another, 16 bytes each, over the first half of `bytes`; copies go to the second.
#define PASS(name, access)                                                                  \
  KERNEL(name) {                                                                            \
    const u32 half = bytes / 2, step = __builtin_amdgcn_grid_size_x() * 16;                 \
    u32 where = (BLOCK * 1024 + THREAD) * 16;                                               \
    const Four x = ((const Four *)data)[THREAD];                                            \
    (void)x;                                                                                \
    char *memory = (char *)data;                                                            \
    _Pragma("nounroll") for (; iterations > 0; --iterations) {                              \
      _Pragma("unroll") for (int i = 0; i < 8; ++i, where += step) {                        \
        char *at = memory + (where & (half - 1));                                           \
        access;                                                                             \
      }                                                                                     \
    }                                                                                       \
  }

PASS(read, (void)*(volatile Four *)at)
PASS(write, *(volatile Four *)at = x)
PASS(copy, *(volatile Four *)(at + half) = *(volatile Four *)at)

KERNEL(chase) {
  const u64 *at = (const u64 *)out[2];
  _Pragma("nounroll") for (; iterations > 0; --iterations) {
    _Pragma("unroll") for (int i = 0; i < 16; ++i) at = (const u64 *)*at;
  }
  out[2] = (u64)at;
}

KERNEL(empty) {}
)hip";

struct Row {
  const char *group, *what, *unit, *kernel;
  Figured figured;
  double work, scale;
  unsigned threads, blocks;
  Datum datum;
  Place place;
};
const Row kRows[] = {
    {"fma", "v_fma_f32 latency", "cycles", "ffma_1", Figured::kCycles, kInstructions, 1, 32, 0, Datum::kFloat,
     Place::kSmall},
    {"fma", "v_fma_f32, 1 chain, 4 blocks", "TFLOP/s", "ffma_1", Figured::kRate, 2 * kInstructions, 1e12, kThreads, 4,
     Datum::kFloat, Place::kSmall},
    {"fma", "v_fma_f32, 4 chains, 4 blocks", "TFLOP/s", "ffma_4", Figured::kRate, 2 * kInstructions, 1e12, kThreads, 4,
     Datum::kFloat, Place::kSmall},
    {"fma", "v_fma_f32, 16 chains, 4 blocks", "TFLOP/s", "ffma_16", Figured::kRate, 2 * kInstructions, 1e12, kThreads,
     4, Datum::kFloat, Place::kSmall},
    {"fma", "v_pk_fma_f32, 8 chains, 4 blocks", "TFLOP/s", "pk_fma_8", Figured::kRate, 4 * kInstructions, 1e12,
     kThreads, 4, Datum::kFloat, Place::kSmall},
    {"arithmetic", "v_fma_f64", "TFLOP/s", "dfma_8", Figured::kRate, 2 * kInstructions, 1e12, kThreads, 4,
     Datum::kDouble, Place::kSmall},
    // Of a wave 16 times 32 x 32 x 2.
    {"tensor", "mfma f32, 32x32x2", "TFLOP/s", "mfma", Figured::kRate, 16 * 2.0 * 32 * 32 * 2 / 64, 1e12, kThreads, 4,
     Datum::kFloat, Place::kSmall},
};

}  // namespace

std::vector<KernelProbe> hip_probes() {
  std::vector<KernelProbe> probes;
  const auto add = [&probes](const Row &row) {
    KernelProbe probe{row.group, row.what, row.unit};
    probe.figured = row.figured;
    probe.kernel = row.kernel;
    probe.work = row.work;
    probe.scale = row.scale;
    probe.threads = row.threads;
    probe.blocks = row.blocks;
    probe.datum = row.datum;
    probe.place = row.place;
    probes.push_back(probe);
  };
  for (const Row &row : kRows) add(row);
  for (const int width : {4, 8, 16}) {
    const std::string what = fmt::format("reads of {} bytes a lane", width),
                      kernel = fmt::format("shared_{0}_{0}", width);
    add({"shared", what.c_str(), "TB/s", kernel.c_str(), Figured::kRate, 1.0 * kAccesses * width, 1e12, 1024, 1,
         Datum::kFloat, Place::kSmall});
  }
  for (const int degree : {2, 4, 8, 16, 32}) {
    const std::string what = fmt::format("reads of 4 bytes, {} bytes apart", 4 * degree);
    const std::string kernel = fmt::format("shared_4_{}", 4 * degree);
    add({"shared", what.c_str(), "TB/s", kernel.c_str(), Figured::kRate, 4.0 * kAccesses, 1e12, 1024, 1, Datum::kFloat,
         Place::kSmall});
  }
  for (const Place place : {Place::kCache, Place::kMemory}) {
    for (const char *pass : {"read", "write", "copy"}) {
      const std::string what = fmt::format("{}, {}", place == Place::kCache ? "last cache" : "device memory", pass);
      const double bytes = pass == std::string("copy") ? 32 : 16;
      add({"memory", what.c_str(), "GB/s", pass, Figured::kRate, kAccesses * bytes, 1e9, 1024, 2, Datum::kFloat,
           place});
    }
  }
  return probes;
}

std::string hip_probe_source() { return kSource; }

}  // namespace command
