// Host side of dmma_one_sided.cuh.
#pragma once

#include "dmma_row.h"
#include "gpu/level3/one_sided_row.h"

// ROUTINE is symm or trmm, STORED the HalfStored of its A. The file must already have a Row, from LIBSGEMM_DMMA_ROW.
#define LIBSGEMM_DMMA_ONE_SIDED_ROW(NAME, ROUTINE, STORED)                                                \
  template <bool kLeft, Fetch KindA, Fetch KindB>                                                         \
  __global__ void __launch_bounds__(Config::threads, Config::blocks)                                      \
      NAME(const __grid_constant__ StridedOperands operands, const __grid_constant__ OneSidedProblem p) { \
    if constexpr (Config::Instruction::exists) {                                                          \
      dmma_one_sided<HalfStored::STORED, Config, kLeft, KindA, KindB>(operands, p);                       \
    }                                                                                                     \
  }                                                                                                       \
  namespace {                                                                                             \
  struct NAME##_row {                                                                                     \
    using Row = ::libsgemm::cuda::Row;                                                                    \
    static constexpr Routine routine = Routine::ROUTINE;                                                  \
    template <bool kLeft, Fetch KindA, Fetch KindB>                                                       \
    static auto kernel() {                                                                                \
      return &NAME<kLeft, KindA, KindB>;                                                                  \
    }                                                                                                     \
  };                                                                                                      \
  }                                                                                                       \
  KernelList NAME() { return level3::one_sided_kernel<NAME##_row>(#NAME, LIBSGEMM_MATH_FP64); }
