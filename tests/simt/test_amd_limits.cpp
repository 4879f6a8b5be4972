// Predicted times of backend hip against limits from data sheets.
#include <algorithm>
#include <cstring>
#include <string>

#include "contract/kernel_table.h"
#include "devices.h"
#include "gpu/device_model.h"
#include "gpu/hip_modes.h"
#include "gpu/kernels.h"
#include "hip/runtime/device.h"
#include "support/catch.h"
#include "support/subject.h"

namespace {

using namespace libsgemm;

// Data sheet rates in 10^12 operations/s (`vector`: FP32 without matrix cores) and 10^9 bytes/s. 0: none, or unused:
// MI210 has 181 for FP16 and bfloat16, but flushes denormals.
struct Sheet {
  const char *name;
  double vector, fp32, fp16, bf16, tf32, fp64, bytes;
};
constexpr Sheet kSheets[] = {
    {"Radeon VII", 13.44, 0, 0, 0, 0, 3.36, 1024},
    {"MI100", 23.1, 46.1, 184.6, 92.3, 0, 11.5, 1229},
    {"MI210", 45.3, 45.3, 0, 0, 0, 45.3, 1638},
    {"MI300X", 163.4, 163.4, 1307.4, 1307.4, 653.7, 163.4, 5300},
    {"MI355X", 157.3, 157.3, 2516.6, 2516.6, 0, 78.6, 8000},
    {"RX 6900 XT", 23.04, 0, 0, 0, 0, 1.44, 512},
    {"RX 6600", 8.93, 0, 0, 0, 0, 0.558, 224},
    {"RX 7900 XTX", 61.4, 0, 122.8, 122.8, 0, 1.92, 960},
    {"RX 7600", 21.8, 0, 43.6, 43.6, 0, 0.68, 288},
    {"RX 9070 XT", 48.7, 0, 195, 195, 0, 0.76, 640},
};

constexpr double kRounding = 1.01;

double peak(const Sheet &s, Type type, libsgemm_math_mode_t mode) {
  switch (mode) {
    case LIBSGEMM_MATH_FP64:
      return s.fp64;
    case LIBSGEMM_MATH_FP16X3:
      return s.fp16 / 3;
    case LIBSGEMM_MATH_FP32_FAST:  // FP64 computes small products
      return std::max(s.fp16 / 3, s.fp64);
    case LIBSGEMM_MATH_BF16X6:
      return s.bf16 / 6;
    case LIBSGEMM_MATH_TF32:
      return s.tf32;
    case LIBSGEMM_MATH_FP16:
      return std::max(s.fp16, s.vector);
    case LIBSGEMM_MATH_BF16:
      return std::max(s.bf16, s.vector);
    default:
      return std::max(s.vector, type == Type::f32 ? s.fp32 : type == Type::f16 ? s.fp16 : s.bf16);
  }
}

struct Call {
  Routine routine;
  Type type;
  libsgemm_math_mode_t mode;
  int64_t m, n, k;
};

GemmDesc description(const Call &call) {
  GemmDesc d = {};
  d.routine = call.routine, d.type = call.type, d.math_mode = call.mode;
  const RoutineTraits &r = traits_of(d);
  d.m = call.m, d.n = r.triangle_of_c ? call.m : call.n, d.k = r.one_sided() ? call.m : call.k;
  d.transa = d.transb = LIBSGEMM_NO_TRANS;
  d.side = LIBSGEMM_LEFT, d.uplo = LIBSGEMM_UPPER, d.diag = LIBSGEMM_NON_UNIT;
  d.batch_count = 1;
  d.alpha = 1, d.beta = call.routine == Routine::trsm ? 1.0f : 0.0f;
  d.lda = stored_a(d).rows, d.ldb = std::max<int64_t>(1, stored_b(d).rows), d.ldc = d.m;
  const auto nowhere = [](uintptr_t address) { return reinterpret_cast<float *>(address); };
  d.a = nowhere(4096), d.b = r.has_b() ? nowhere(4096) : nullptr, d.c = nowhere(4096);
  return d;
}

// A triangular C or A halves the operations of a product.
double operations(const GemmDesc &d) {
  const double m = static_cast<double>(d.m), n = static_cast<double>(d.n), k = static_cast<double>(d.k);
  const RoutineTraits &r = traits_of(d);
  if (r.triangle_of_c) return n * (n + 1) * k * r.terms();
  return (r.a == RoutineTraits::triangular ? 1 : 2) * m * n * k;
}

// Each operand read once, of A the stored triangle, and C written.
double least_bytes(const GemmDesc &d) {
  const double m = static_cast<double>(d.m), n = static_cast<double>(d.n), k = static_cast<double>(d.k);
  const RoutineTraits &r = traits_of(d);
  const double a = r.one_sided() ? k * (k + 1) / 2 : m * k;
  const double b = r.in_place() ? m * n : r.b == RoutineTraits::as_c ? m * n : r.has_b() ? k * n : 0;
  return static_cast<double>(size_of(d.type)) * (a + b) + 4 * (r.triangle_of_c ? n * (n + 1) / 2 : m * n);
}

double limit(const Sheet &s, const GemmDesc &d, libsgemm_math_mode_t mode) {
  return std::max(operations(d) / peak(s, d.type, mode) * 1e-12, least_bytes(d) / s.bytes * 1e-9);
}

const Kernel *kernel_called(const std::string &name) {
  for (int i = 0; i < gpu::kernel_count(); ++i) {
    if (gpu::kernels()[i].name == name) return &gpu::kernels()[i];
  }
  return nullptr;
}

const Kernel *choice(const GemmDesc &d, int device) {
  Backend backend = {};
  backend.kernels = gpu::kernels();
  backend.kernel_count = gpu::kernel_count();
  return best_plan(backend, d, device, LIBSGEMM_WORKSPACE_DEFAULT_BYTES).kernel;
}

constexpr Call product(int64_t m, int64_t n, int64_t k, libsgemm_math_mode_t mode = LIBSGEMM_MATH_FP32,
                       Type type = Type::f32) {
  return {Routine::gemm, type, mode, m, n, k};
}

}  // namespace

TEST_CASE("every chip that kernels are asked about has a data sheet", "[.choice]") {
  for (int device = 1; device < simt::device_count(); ++device) {
    INFO(gpu::model(device).name);
    CHECK(std::any_of(std::begin(kSheets), std::end(kSheets),
                      [&](const Sheet &s) { return std::strcmp(s.name, gpu::model(device).name) == 0; }));
  }
  for (const Sheet &s : kSheets) {
    INFO(s.name);
    const int device = simt::device_called(s.name);
    REQUIRE(device > 0);
    const gpu::DeviceModel &d = gpu::model(device);
    CHECK(2e-12 * d.compute_units * d.fma_per_clock * d.clock < kRounding * s.vector);
    CHECK(2e-12 * d.compute_units * d.fma_per_clock * d.clock > s.vector / kRounding);
  }
}

TEST_CASE("no kernel is predicted to be faster than its chip", "[.choice]") {
  constexpr int64_t kSizes[] = {1, 16, 100, 128, 1000, 1024, 4096, 8192, 20000};
  int asked = 0;
  for (const Sheet &s : kSheets) {
    const int device = simt::device_called(s.name);
    for (int i = 0; i < gpu::kernel_count(); ++i) {
      const Kernel &kernel = gpu::kernels()[i];
      if (kernel.conv != nullptr) continue;
      for (const RoutineTraits &r : kRoutines) {
        for (const Type type : {Type::f32, Type::f16, Type::bf16}) {
          if (!r.takes(type)) continue;
          for (const int64_t m : kSizes) {
            for (const int64_t n : kSizes) {
              for (const int64_t k : kSizes) {
                if ((r.triangle_of_c && m != n) || (r.one_sided() && k != m)) continue;
                const GemmDesc d = description({r.routine, type, kernel.math_mode, m, n, k});
                const double cost = prepare(kernel, d, device).seconds;
                if (std::isinf(cost)) continue;
                const double least = limit(s, d, kernel.math_mode) / kRounding;
                ++asked;
                if (cost >= least) continue;
                INFO(s.name << ": " << kernel.name << ": " << to_string(d));
                CHECK(cost >= least);
              }
            }
          }
        }
      }
    }
  }
  CHECK(asked > 90000);
}

// Even with hundreds of tiles for each compute unit a kernel loses LDS time that nothing hides, wave stalls and other
// assumed losses.
TEST_CASE("where a product fills the chip the choice is near its limit", "[.choice]") {
  for (const Sheet &s : kSheets) {
    const int device = simt::device_called(s.name);
    for (const int64_t n : {8192, 16384}) {
      for (const Type type : {Type::f32, Type::f16, Type::bf16}) {
        const GemmDesc d = description(product(n, n, n, LIBSGEMM_MATH_FP32, type));
        const Kernel *kernel = choice(d, device);
        REQUIRE(kernel != nullptr);
        const bool matrix =
            std::strstr(kernel->name, "mfma") != nullptr || std::strstr(kernel->name, "wmma") != nullptr;
        const double ratio = prepare(*kernel, d, device).seconds / limit(s, d, LIBSGEMM_MATH_FP32);
        INFO(s.name << ": " << to_string(d) << ": " << kernel->name << ", " << ratio << " times the limit");
        // With 16-bit operands a 128 x 128 tile takes 12 bytes of LDS for each of the chip's 8 or 16 multiply-adds.
        const bool bound_by_lds = matrix && type != Type::f32;
        CHECK(ratio < (bound_by_lds ? 2.6 : matrix ? 1.4 : 1.8));
        CHECK(matrix == ((type == Type::f32 ? s.fp32 : s.fp16) > 0));
      }
    }
  }
}

TEST_CASE("of two kernels the one wins that hand-computed limits favour", "[.choice]") {
  struct Rank {
    const char *chip;
    Call call;
    const char *faster, *slower, *why;
  };
  const Rank ranks[] = {
      {"MI100", product(8192, 8192, 8192), "gfx908_mfma_128x128x16_ping_pong", "gfx_fma_128x128x8_ping_pong",
       "46 and 23 TFLOP/s"},
      {"MI210", product(8192, 8192, 8192), "gfx908_mfma_128x128x16_ping_pong", "gfx_fma_128x128x8_ping_pong",
       "the same peak; vector instructions read 16 KiB of LDS a step of k, 128 clocks, matrix cores 2 KiB"},
      {"MI355X", product(8192, 8192, 8192), "gfx908_mfma_128x128x16_ping_pong", "gfx90a_dmfma_128x128x8_ping_pong",
       "157 and 79 TFLOP/s"},
      {"Radeon VII", product(8192, 8192, 8192), "gfx_fma_128x128x8_ping_pong", "gfx_fma_64x64x8_ping_pong",
       "16 floats from LDS for 64 multiply-adds, and 12 for 32"},
      {"Radeon VII", product(512, 512, 512), "gfx_fma_64x64x8_ping_pong", "gfx_fma_128x128x8_ping_pong",
       "64 tiles for 60 compute units, and 16"},
      {"MI300X", product(64, 64, 65536), "gfx_fma_64x64x8_split_k", "gfx_fma_64x64x8_ping_pong",
       "one tile, for 304 compute units"},
      {"MI300X", product(256, 256, 65536), "gfx908_mfma_128x128x16_split_k", "gfx908_mfma_128x128x16_ping_pong",
       "four tiles, for 304 compute units"},
      {"MI100", product(4, 8192, 8192), "gfx_fma_32x4x32_skinny", "gfx_fma_64x64x8_ping_pong",
       "memory bounds both; 4 of 64 rows of a tile are used"},
      {"RX 6900 XT", product(4096, 8, 4096), "gfx_fma_32x8x32_skinny", "gfx_fma_128x128x8_ping_pong",
       "8 of 128 columns"},
      {"MI300X", product(8192, 8192, 8192, LIBSGEMM_MATH_TF32), "gfx942_mfma_256x128x8_xf32",
       "gfx942_mfma_128x128x16_xf32", "less of LDS for a multiply-add"},
      {"MI300X", product(4096, 4096, 4096, LIBSGEMM_MATH_FP32, Type::f16), "gfx908_mfma_128x128x32_widened",
       "gfx_fma_128x128x8_widened", "1307 and 163 TFLOP/s"},
      {"MI355X", product(8192, 8192, 8192, LIBSGEMM_MATH_FP32, Type::f16), "gfx942_mfma_256x256x32_widened",
       "gfx908_mfma_128x128x32_widened", "of a step of k the matrix cores take 32 clocks and LDS as many; 8 and 12"},
      {"MI355X",
       {Routine::syrk, Type::f16, LIBSGEMM_MATH_FP32, 8192, 8192, 8192},
       "gfx942_mfma_256x256x32_widened_triangle",
       "gfx908_mfma_128x128x32_widened_triangle",
       "the same; 528 tiles for 256 compute units, and 2080"},
      {"RX 7900 XTX", product(4096, 4096, 4096, LIBSGEMM_MATH_FP32, Type::bf16), "gfx11_wmma_128x128x32_widened",
       "gfx_fma_128x128x8_widened", "123 and 61 TFLOP/s"},
      {"MI210",
       {Routine::syrk, Type::f32, LIBSGEMM_MATH_FP32, 8192, 8192, 8192},
       "gfx908_mfma_128x128x16_triangle",
       "gfx_fma_128x128x8_triangle",
       "as of the product"},
      {"MI100",
       {Routine::trsm, Type::f32, LIBSGEMM_MATH_FP32, 8192, 8192, 8192},
       "gfx_fma_256x256x256_blocked_trsm",
       "gfx_fma_64x32x32_trsm",
       "8192 steps, one after the other, in 256 blocks"},
  };
  for (const Rank &rank : ranks) {
    const int device = simt::device_called(rank.chip);
    const GemmDesc d = description(rank.call);
    const Kernel *faster = kernel_called(rank.faster), *slower = kernel_called(rank.slower);
    REQUIRE((faster != nullptr && slower != nullptr));
    INFO(rank.chip << ": " << to_string(d) << ": " << rank.faster << ", " << rank.slower << ": " << rank.why);
    REQUIRE((can_do(*faster, d, device) && can_do(*slower, d, device)));
    CHECK(prepare(*faster, d, device).seconds < prepare(*slower, d, device).seconds);
  }
}

// By data sheets three FP16 products, or six bfloat16 ones, pay off if faster than one in FP32. Passes over operands
// and LDS take a third of the rate.
TEST_CASE("a mode that splits operands runs where its rate is a gain", "[.choice]") {
  for (const Sheet &s : kSheets) {
    const int device = simt::device_called(s.name);
    for (const libsgemm_math_mode_t mode : {LIBSGEMM_MATH_FP16X3, LIBSGEMM_MATH_BF16X6}) {
      const Kernel *kernel = choice(description(product(8192, 8192, 8192, mode)), device);
      REQUIRE(kernel != nullptr);
      const double fp32 = std::max(s.vector, s.fp32), split = peak(s, Type::f32, mode);
      INFO(s.name << ", " << kernel->name << ": " << split << " and " << fp32 << " TFLOP/s");
      const bool has_mfma = std::strncmp(s.name, "MI", 2) == 0;
      CHECK((kernel->math_mode == mode) == (has_mfma && split > 1.5 * fp32));
    }
  }
}

TEST_CASE("chips have the modes that the tests expect of them", "[.choice]") {
  for (const Sheet &s : kSheets) {
    const int device = simt::device_called(s.name);
    const std::string arch = hip::device(device).arch_name;
    for (const libsgemm_math_mode_t mode : sgemm_test::kOtherModes) {
      const Call large = sgemm_test::rounds(mode) ? product(1100, 1030, 700, mode) : product(3100, 3030, 300, mode);
      const GemmDesc d = description(large);
      bool has = false;
      for (int i = 0; i < gpu::kernel_count(); ++i) {
        const Kernel &kernel = gpu::kernels()[i];
        has = has || (kernel.conv == nullptr && kernel.math_mode == mode && can_do(kernel, d, device));
      }
      INFO(s.name << ", " << arch << ": " << math_mode_name(mode));
      CHECK(has == sgemm_test::hip_has(mode, arch));
      const Kernel *chosen = choice(d, device);
      REQUIRE(chosen != nullptr);
      CHECK((chosen->math_mode == mode) == sgemm_test::hip_chooses(mode, arch));
    }
  }
}
