// The rows of symm and trmm by dmma_one_sided.cuh.
#pragma once

#include "dmma_row.h"
#include "gpu/level3/one_sided_row.h"

// Defines the row `NAME` of the file's Config, for ROUTINE, symm or trmm, whose A is STORED so: its kernel and
// `Kernel NAME()`.
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
  Kernel NAME() { return level3::one_sided_kernel<NAME##_row>(#NAME, LIBSGEMM_MATH_FP64); }
