#pragma once

#include "gpu/kernels.h"
#include "gpu/level3/one_sided_row.h"
#include "one_sided.h"
#include "valu_row.h"

namespace libsgemm::hip {

// A symmetric A is fetched along both dimensions, so the longer offsets, along k, must fit.
template <class Base>
struct OneSidedRow : Base {
  static bool vectors(const GemmDesc &gemm) {
    using Config = typename Base::Config;
    return Base::vectors(gemm) && offsets_fit(gemm.lda, true, Config::tile_m, Config::tile_k) &&
           offsets_fit(gemm.ldb, true, Config::tile_n, Config::tile_k);
  }
};

}  // namespace libsgemm::hip

// Defines the kernel `NAME` for ROUTINE (symm or trmm), by ENGINE of one_sided.h or matrix_one_sided.h.
#define LIBSGEMM_HIP_ONE_SIDED_ROW(NAME, ROUTINE, ENGINE)                                                           \
  template <bool kLeft, Fetch KindOther>                                                                            \
  __global__ void LIBSGEMM_LAUNCH_BOUNDS(Config::threads, Config::blocks)                                           \
      NAME(const __grid_constant__ StridedOperands operands, const __grid_constant__ OneSidedProblem p) {           \
    if constexpr (Row::available) ENGINE<Config, Routine::ROUTINE == Routine::symm, kLeft, KindOther>(operands, p); \
  }                                                                                                                 \
  namespace {                                                                                                       \
  struct NAME##_row {                                                                                               \
    using Row = OneSidedRow<::libsgemm::hip::Row>;                                                                  \
    static constexpr Routine routine = Routine::ROUTINE;                                                            \
    template <bool kLeft, Fetch KindA, Fetch KindB>                                                                 \
    static auto kernel() {                                                                                          \
      return &NAME < kLeft, kLeft ? KindB : KindA > ;                                                               \
    }                                                                                                               \
  };                                                                                                                \
  }                                                                                                                 \
  KernelList NAME() {                                                                                               \
    Kernel kernel = level3::one_sided_kernel<NAME##_row>(#NAME, Row::math_mode);                                    \
    kernel.invariant = Row::chains;                                                                                 \
    return kernel;                                                                                                  \
  }
