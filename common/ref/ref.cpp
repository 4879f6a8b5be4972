#include "ref.h"

#include <iterator>

#include "packed.h"

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

bool products_of_floats(const GemmDesc &desc, int) { return desc.routine == Routine::gemm && desc.type == Type::f32; }

template <int WHICH>
bool chains(const GemmDesc &, int) {
  return kChain[WHICH].runs_here();
}

bool products_with_avx2(const GemmDesc &desc, int device) {
  return products_of_floats(desc, device) && with_avx2(desc, device);
}

// Rates of one core of a Zen 5 server CPU; the constants are the fixed cost of packing.
double naive_cost(const GemmDesc &desc, int) { return flop_count(desc) * 1.5e-9; }
double sse2_cost(const GemmDesc &desc, int) {
  return 1e-6 * static_cast<double>(desc.batch_count) + flop_count(desc) / 25e9;
}
double avx2_cost(const GemmDesc &desc, int) {
  return 1e-6 * static_cast<double>(desc.batch_count) + flop_count(desc) / 60e9;
}

double scalar_cost(const GemmDesc &desc, int device) { return 100 * sse2_cost(desc, device); }

// trsm is a plain loop.
double sse2_fp64_cost(const GemmDesc &desc, int device) {
  return (desc.routine == Routine::trsm ? 10 : 2) * sse2_cost(desc, device);
}
double avx2_fp64_cost(const GemmDesc &desc, int device) { return 2 * avx2_cost(desc, device); }

bool all_convolutions(const ConvDesc &, int) { return true; }
double direct_cost(const ConvDesc &desc, int) { return flop_count(desc) * 1.5e-9; }

template <libsgemm_math_mode_t MODE>
constexpr ConvLaunch kDirect = {prepare_fixed<all_convolutions, direct_cost>, cpu_scalar_direct_conv<MODE>};

template <libsgemm_math_mode_t MODE>
constexpr Kernel direct_kernel(const char *name) {
  Kernel kernel = kernel_of_conv(name, MODE, "convolution, plain loops", &kDirect<MODE>);
  kernel.invariant = MODE == LIBSGEMM_MATH_FP32;
  return kernel;
}

// The naive kernel would round an input at each reading.
#define KERNEL(name, mode, supports, cost, launch, purpose) \
  { name, mode, prepare_fixed<supports, cost>, launch, false, false, purpose }
#define CHAIN(name, mode, supports, cost, launch, purpose) \
  { name, mode, prepare_fixed<supports, cost>, launch, false, false, purpose, true }
#define KERNELS(mode, suffix, any, avx2)                                                                              \
  KERNEL("cpu_sse2_8x4x256_packed" suffix, mode, any, sse2_cost, cpu_sse2_8x4x256_packed<mode>, "CPUs without AVX2"), \
      KERNEL("cpu_avx2_16x6x256_packed" suffix, mode, avx2, avx2_cost, cpu_avx2_16x6x256_packed<mode>,                \
             "CPUs with AVX2")
constexpr Kernel kKernels[] = {
    KERNEL("cpu_scalar_1x1x1_naive", LIBSGEMM_MATH_FP32, everything, naive_cost, cpu_scalar_1x1x1_naive, "plain loops"),
    KERNELS(LIBSGEMM_MATH_FP32, "", everything, with_avx2),
    // After the kernels of equal cost: sequential FMAs round more often than blocks of k.
    CHAIN("cpu_avx512_32x12x256_chain", LIBSGEMM_MATH_FP32, chains<0>, avx2_cost, cpu_chain<0>,
          "sequential FMA, CPUs with AVX-512"),
    CHAIN("cpu_avx2_16x6x256_chain", LIBSGEMM_MATH_FP32, chains<1>, avx2_cost, cpu_chain<1>,
          "sequential FMA, CPUs with AVX2"),
    CHAIN("cpu_scalar_8x4x256_chain", LIBSGEMM_MATH_FP32, chains<2>, scalar_cost, cpu_chain<2>,
          "sequential FMA, any CPU"),
    KERNELS(LIBSGEMM_MATH_TF32, "_tf32", products_of_floats, products_with_avx2),
    KERNELS(LIBSGEMM_MATH_BF16, "_bf16", products_of_floats, products_with_avx2),
    KERNELS(LIBSGEMM_MATH_FP16, "_fp16", products_of_floats, products_with_avx2),
    CHAIN("cpu_sse2_4x4x256_packed_fp64", LIBSGEMM_MATH_FP64, everything, sse2_fp64_cost, cpu_sse2_4x4x256_packed_fp64,
          "CPUs without AVX2"),
    CHAIN("cpu_avx2_8x6x256_packed_fp64", LIBSGEMM_MATH_FP64, with_avx2, avx2_fp64_cost, cpu_avx2_8x6x256_packed_fp64,
          "CPUs with AVX2"),
    direct_kernel<LIBSGEMM_MATH_FP32>("cpu_scalar_direct_conv"),
    direct_kernel<LIBSGEMM_MATH_TF32>("cpu_scalar_direct_conv_tf32"),
    direct_kernel<LIBSGEMM_MATH_BF16>("cpu_scalar_direct_conv_bf16"),
    direct_kernel<LIBSGEMM_MATH_FP16>("cpu_scalar_direct_conv_fp16"),
    direct_kernel<LIBSGEMM_MATH_FP64>("cpu_scalar_direct_conv_fp64"),
};
#undef KERNELS
#undef CHAIN
#undef KERNEL

libsgemm_status_t open(const Host &, Error *) { return LIBSGEMM_SUCCESS; }
const char *version() { return "built in, C++"; }

libsgemm_status_t describe_device(int, libsgemm_device_info_t *info, Error *) {
  std::snprintf(info->name, sizeof info->name, "the calling thread");
  std::snprintf(info->arch, sizeof info->arch, "%s", with_avx2({}, 0) ? "AVX2" : "generic");
  info->compute_units = 1;
  return LIBSGEMM_SUCCESS;
}

}  // namespace

const Backend *ref_backend() {
  static const Backend backend =
      cpu_backend("ref", kKernels, static_cast<int>(std::size(kKernels)), open, version, describe_device);
  return &backend;
}

}  // namespace libsgemm
