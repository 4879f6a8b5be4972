// HIP C++; timed vector instructions are assembly, matrix instructions builtins. Numbers of waves and lanes suit both
// wave widths.
#include <fmt/core.h>

#include <set>

#include "probe_kernels.h"

namespace command {
namespace {

constexpr int kInstructions = 64, kAccesses = 8;  // in one iteration
constexpr unsigned kThreads = 256;

constexpr const char *kSource = R"hip(
typedef unsigned long long u64;
typedef unsigned u32;
typedef float Two __attribute__((ext_vector_type(2)));
typedef float Four __attribute__((ext_vector_type(4)));
typedef float Eight __attribute__((ext_vector_type(8)));
typedef float Sixteen __attribute__((ext_vector_type(16)));
typedef double FourDoubles __attribute__((ext_vector_type(4)));
typedef _Float16 FourHalves __attribute__((ext_vector_type(4)));
typedef _Float16 SixteenHalves __attribute__((ext_vector_type(16)));
typedef short FourShorts __attribute__((ext_vector_type(4)));
typedef short SixteenShorts __attribute__((ext_vector_type(16)));

#define SHARED __attribute__((address_space(3)))
#define GLOBAL __attribute__((address_space(1)))
#define UNROLLED(i, count) _Pragma("unroll") for (int i = 0; i < count; ++i)
#define REPEATED _Pragma("nounroll") for (; iterations > 0; --iterations)
// HIDE hides a value from the compiler; KEEP keeps an unused result.
#define HIDE(x) asm volatile("" : "+v"(x))
#define KEEP(x) asm volatile("" ::"v"(x))

#define KERNEL(name) \
  extern "C" __global__ void __launch_bounds__(1024) name(u64 *out, const float *data, u32 iterations, u32 bytes)
#define THREAD (__builtin_amdgcn_workitem_id_x())
#define BLOCK (__builtin_amdgcn_workgroup_id_x())

// Independent chains of one instruction. Results are stored only if `bytes` is 1, which it never is.
#define CHAINS(name, type, chains, instruction)                                                            \
  KERNEL(name) {                                                                                           \
    const type *mine = (const type *)data + THREAD;                                                        \
    type x[chains], a = mine[0], b = mine[1];                                                              \
    for (int i = 0; i < chains; ++i) x[i] = mine[2 + i];                                                   \
    REPEATED {                                                                                             \
      UNROLLED(i, 64) asm volatile(instruction : "+v"(x[i % chains]) : "v"(a), "v"(b));                    \
    }                                                                                                      \
    if (bytes == 1)                                                                                        \
      for (int i = 0; i < chains; ++i) ((type *)out)[i] = x[i];                                            \
  }

CHAINS(ffma_1, float, 1, "v_fma_f32 %0, %1, %2, %0")
CHAINS(ffma_4, float, 4, "v_fma_f32 %0, %1, %2, %0")
CHAINS(ffma_16, float, 16, "v_fma_f32 %0, %1, %2, %0")
CHAINS(dfma_8, double, 8, "v_fma_f64 %0, %1, %2, %0")

#if defined(__gfx90a__) || defined(__gfx940__) || defined(__gfx941__) || defined(__gfx942__) || defined(__gfx950__)
#define HAS_CDNA2
CHAINS(pk_fma_8, Two, 8, "v_pk_fma_f32 %0, %1, %2, %0")
#endif

// Two multiply-adds at once need sums of unlike parity and factors of four banks (register number modulo 4). No
// constraint can express that, so the registers are fixed.
#if defined(__GFX11__) || defined(__GFX12__)
#define DUAL(x, y) "v_dual_fmac_f32 v" #x ", v2, v3 :: v_dual_fmac_f32 v" #y ", v5, v4\n"
#define DUALS DUAL(10, 11) DUAL(12, 13) DUAL(14, 15) DUAL(16, 17) DUAL(18, 19) DUAL(20, 21) DUAL(22, 23) DUAL(24, 25)
#define DUAL_REGISTERS \
  "v2", "v3", "v4", "v5", "v10", "v11", "v12", "v13", "v14", "v15", "v16", "v17", "v18", "v19", "v20", "v21", "v22", "v23", "v24", "v25"
KERNEL(dual_fmac) {
  asm volatile("v_mov_b32 v2, %0\nv_mov_b32 v3, %1\nv_mov_b32 v4, %0\nv_mov_b32 v5, %1" ::"v"(data[THREAD]),
               "v"(data[THREAD + 1]) : DUAL_REGISTERS);
  REPEATED {
    UNROLLED(i, 8) asm volatile(DUALS ::: DUAL_REGISTERS);
  }
}
#endif

// Each wave has four independent products.
#define PRODUCTS(name, factor, sums, multiply)                                                             \
  KERNEL(name) {                                                                                           \
    const factor a = ((const factor *)data)[THREAD], b = ((const factor *)data)[THREAD + 1];               \
    sums x[4];                                                                                             \
    UNROLLED(i, 4) x[i] = 0;                                                                               \
    REPEATED {                                                                                             \
      UNROLLED(i, 16) x[i % 4] = multiply;                                                                 \
    }                                                                                                      \
    if (bytes == 1) UNROLLED(i, 4) ((sums *)out)[i] = x[i];                                                \
  }

#if defined(__gfx908__) || defined(HAS_CDNA2)
PRODUCTS(mfma_f32, float, Sixteen, __builtin_amdgcn_mfma_f32_32x32x2f32(a, b, x[i % 4], 0, 0, 0))
PRODUCTS(mfma_f16, FourHalves, Sixteen, __builtin_amdgcn_mfma_f32_32x32x8f16(a, b, x[i % 4], 0, 0, 0))
#endif
#if defined(HAS_CDNA2)
PRODUCTS(mfma_bf16, FourShorts, Sixteen, __builtin_amdgcn_mfma_f32_32x32x8bf16_1k(a, b, x[i % 4], 0, 0, 0))
PRODUCTS(mfma_f64, double, FourDoubles, __builtin_amdgcn_mfma_f64_16x16x4f64(a, b, x[i % 4], 0, 0, 0))
#endif
#if defined(__gfx942__)
PRODUCTS(mfma_xf32, Two, Sixteen, __builtin_amdgcn_mfma_f32_32x32x4_xf32(a, b, x[i % 4], 0, 0, 0))
#endif
#if defined(__GFX11__)
PRODUCTS(wmma_f16, SixteenHalves, Eight, __builtin_amdgcn_wmma_f32_16x16x16_f16_w32(a, b, x[i % 4]))
PRODUCTS(wmma_bf16, SixteenShorts, Eight, __builtin_amdgcn_wmma_f32_16x16x16_bf16_w32(a, b, x[i % 4]))
#endif

// Thread i reads at i * step bytes.
#define READS(name, type, step)                                                                            \
  KERNEL(name) {                                                                                           \
    __shared__ __attribute__((aligned(16))) char tile[16384];                                              \
    ((Four *)tile)[THREAD] = ((const Four *)data)[THREAD];                                                 \
    __syncthreads();                                                                                       \
    SHARED const char *from[8];                                                                            \
    UNROLLED(i, 8) from[i] = (SHARED const char *)tile + THREAD * step % 8192 + 1024 * i;                  \
    REPEATED {                                                                                             \
      type x[8];                                                                                           \
      UNROLLED(i, 8) HIDE(from[i]);                                                                        \
      UNROLLED(i, 8) x[i] = *(SHARED const type *)from[i];                                                 \
      UNROLLED(i, 8) KEEP(x[i]);                                                                           \
    }                                                                                                      \
  }

READS(shared_4_4, float, 4)
READS(shared_8_8, Two, 8)
READS(shared_16_16, Four, 16)
READS(shared_4_8, float, 8)
READS(shared_4_16, float, 16)
READS(shared_4_32, float, 32)
READS(shared_4_64, float, 64)
READS(shared_4_128, float, 128)

// As in probe_ptx_memory.cpp, a thread returns to its own 16 bytes only after all threads have passed over `bytes`.
#define PASS(name, load, use)                                                                              \
  KERNEL(name) {                                                                                           \
    const u32 step = __builtin_amdgcn_grid_size_x() * 16, begin = (BLOCK * 1024 + THREAD) * 16;            \
    const u32 end = begin + bytes;                                                                         \
    GLOBAL char *const memory = (GLOBAL char *)data, *const behind = memory + bytes;                       \
    Four kept = ((const Four *)data)[THREAD];                                                              \
    u32 where = begin;                                                                                     \
    (void)behind;                                                                                          \
    REPEATED {                                                                                             \
      Four x[8];                                                                                           \
      u32 at[8];                                                                                           \
      UNROLLED(i, 8) {                                                                                     \
        at[i] = where;                                                                                     \
        where += step;                                                                                     \
        where = where == end ? begin : where;                                                              \
      }                                                                                                    \
      UNROLLED(i, 8) load;                                                                                 \
      UNROLLED(i, 8) use;                                                                                  \
      HIDE(kept);                                                                                          \
    }                                                                                                      \
  }

PASS(read, x[i] = *(GLOBAL Four *)(memory + at[i]), KEEP(x[i]))
PASS(write, x[i] = kept, *(GLOBAL Four *)(memory + at[i]) = x[i])
PASS(copy, x[i] = *(GLOBAL Four *)(memory + at[i]), *(GLOBAL Four *)(behind + at[i]) = x[i])

KERNEL(chase) {
  GLOBAL const u64 *at = (GLOBAL const u64 *)out[2];
  REPEATED {
    UNROLLED(i, 16) {
      HIDE(at);
      at = (GLOBAL const u64 *)*at;
    }
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
    {"fma", "v_dual_fmac_f32, 8 chains, 4 blocks", "TFLOP/s", "dual_fmac", Figured::kRate, 4 * kInstructions, 1e12,
     kThreads, 4, Datum::kFloat, Place::kSmall},
};

// MFMA is for waves of 64, WMMA for waves of 32.
struct Product {
  const char *what, *kernel;
  int m, n, k, lanes;
  Datum datum;
};
const Product kProducts[] = {{"mfma f32, 32x32x2", "mfma_f32", 32, 32, 2, 64, Datum::kFloat},
                             {"mfma xf32, 32x32x4", "mfma_xf32", 32, 32, 4, 64, Datum::kFloat},
                             {"mfma f16, 32x32x8", "mfma_f16", 32, 32, 8, 64, Datum::kHalf},
                             {"mfma bf16, 32x32x8", "mfma_bf16", 32, 32, 8, 64, Datum::kBfloat},
                             {"mfma f64, 16x16x4", "mfma_f64", 16, 16, 4, 64, Datum::kDouble},
                             {"wmma f16, 16x16x16", "wmma_f16", 16, 16, 16, 32, Datum::kHalf},
                             {"wmma bf16, 16x16x16", "wmma_bf16", 16, 16, 16, 32, Datum::kBfloat}};
constexpr int kProductsInLoop = 16;

}  // namespace

std::vector<KernelProbe> hip_probes() {
  const std::set<std::string> fastest = {"ffma_16", "pk_fma_8", "dual_fmac", "mfma_f32"};
  std::vector<KernelProbe> probes;
  const auto add = [&](const Row &row) {
    KernelProbe probe{row.group, row.what, row.unit};
    probe.figured = row.figured;
    probe.kernel = row.kernel;
    probe.is_fp32_peak = fastest.count(probe.kernel) > 0;
    probe.work = row.work;
    probe.scale = row.scale;
    probe.threads = row.threads;
    probe.blocks = row.blocks;
    probe.datum = row.datum;
    probe.place = row.place;
    probes.push_back(probe);
  };
  for (const Row &row : kRows) add(row);
  for (const Product &x : kProducts) {
    const double flop = 2.0 * x.m * x.n * x.k * kProductsInLoop / x.lanes;
    add({"tensor", x.what, "TFLOP/s", x.kernel, Figured::kRate, flop, 1e12, kThreads, 4, x.datum, Place::kSmall});
  }
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
