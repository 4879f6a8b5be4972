// Table of the ref backend.
#include "ref.h"

namespace libsgemm {
namespace {

bool everything(const GemmDesc &, int) { return true; }

bool with_avx2(const GemmDesc &, int) {
#if defined(__x86_64__)
  return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
#else
  return false;
#endif
}

// Rates as measured on one core of a Zen 5 server CPU; the constants are the cost of packing at all.
double naive_cost(const GemmDesc &desc, int) { return flop_count(desc) * 1.5e-9; }
double sse2_cost(const GemmDesc &desc, int) {
  return 1e-6 * static_cast<double>(desc.batch_count) + flop_count(desc) / 25e9;
}
double avx2_cost(const GemmDesc &desc, int) {
  return 1e-6 * static_cast<double>(desc.batch_count) + flop_count(desc) / 60e9;
}

constexpr Kernel kKernels[] = {
    {"cpu_scalar_1x1x1_naive", LIBSGEMM_MATH_FP32, everything, naive_cost, nullptr, cpu_scalar_1x1x1_naive},
    {"cpu_sse2_8x4x256_packed", LIBSGEMM_MATH_FP32, everything, sse2_cost, nullptr, cpu_sse2_8x4x256_packed},
    {"cpu_avx2_16x6x256_packed", LIBSGEMM_MATH_FP32, with_avx2, avx2_cost, nullptr, cpu_avx2_16x6x256_packed},
};

libsgemm_status_t open(const Host &, Error *) { return LIBSGEMM_SUCCESS; }
const char *version() { return "built in, C++"; }
int device_count() { return 1; }

libsgemm_status_t describe_device(int, libsgemm_device_info_t *info, Error *) {
  std::snprintf(info->name, sizeof info->name, "the calling thread");
  std::snprintf(info->arch, sizeof info->arch, "%s", with_avx2({}, 0) ? "AVX2" : "generic");
  info->compute_units = 1;
  return LIBSGEMM_SUCCESS;
}

Backend make() {
  Backend b = {};
  b.abi = kBackendAbi;
  b.name = "ref";
  b.kernels = kKernels;
  b.kernel_count = static_cast<int>(sizeof kKernels / sizeof kKernels[0]);
  b.open = open;
  b.version = version;
  b.device_count = device_count;
  b.describe_device = describe_device;
  return b;
}

}  // namespace

const Backend *ref_backend() {
  static const Backend backend = make();
  return &backend;
}

}  // namespace libsgemm
