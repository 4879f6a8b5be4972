#pragma once

#include "gpu/kernels.h"
#include "gpu/level3/one_sided_kernel.h"
#include "one_sided.h"
#include "valu_kernel.h"

namespace libsgemm::hip {

// A symmetric A is fetched along both dimensions, so the longer offsets, along k, must fit.
template <class Base>
struct OneSidedCode : Base {
  static bool vectors(const GemmDesc &gemm) {
    using Config = typename Base::Config;
    return Base::vectors(gemm) && offsets_fit(gemm.lda, true, Config::tile_m, Config::tile_k) &&
           offsets_fit(gemm.ldb, true, Config::tile_n, Config::tile_k);
  }
};

template <class OneSided>
Kernel kernel_of_one_sided(const char *name) {
  Kernel kernel = level3::one_sided_kernel<OneSided>(name, OneSided::DeviceCode::math_mode);
  kernel.invariant = OneSided::DeviceCode::chains;
  return kernel;
}

}  // namespace libsgemm::hip

// Defines the device code `NAME` for ROUTINE (symm or trmm), ENGINE of one_sided.h or matrix_one_sided.h, and
// NAME_code.
#define LIBSGEMM_HIP_ONE_SIDED_CODE(NAME, ROUTINE, ENGINE)                                                \
  template <bool kLeft, Fetch KindOther>                                                                  \
  __global__ void LIBSGEMM_LAUNCH_BOUNDS(Config::threads, Config::blocks)                                 \
      NAME(const __grid_constant__ StridedOperands operands, const __grid_constant__ OneSidedProblem p) { \
    if constexpr (DeviceCode::available)                                                                  \
      ENGINE<Config, Routine::ROUTINE == Routine::symm, kLeft, KindOther>(operands, p);                   \
  }                                                                                                       \
  namespace {                                                                                             \
  struct NAME##_code {                                                                                    \
    using DeviceCode = OneSidedCode<::libsgemm::hip::DeviceCode>;                                         \
    static constexpr Routine routine = Routine::ROUTINE;                                                  \
    template <bool kLeft, Fetch KindA, Fetch KindB>                                                       \
    static auto kernel() {                                                                                \
      return &NAME < kLeft, kLeft ? KindB : KindA > ;                                                     \
    }                                                                                                     \
  };                                                                                                      \
  }
