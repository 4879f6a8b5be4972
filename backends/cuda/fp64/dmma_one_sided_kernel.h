// Host side of dmma_one_sided.cuh.
#pragma once

#include "dmma_kernel.h"
#include "gpu/level3/one_sided_kernel.h"

// ROUTINE is symm or trmm, STORED the HalfStored of its A. The file must already have a DeviceCode, from
// LIBSGEMM_DMMA_CODE.
#define LIBSGEMM_DMMA_ONE_SIDED_CODE(NAME, ROUTINE, STORED)                                               \
  template <bool kLeft, Fetch KindA, Fetch KindB>                                                         \
  __global__ void __launch_bounds__(Config::threads, Config::blocks)                                      \
      NAME(const __grid_constant__ StridedOperands operands, const __grid_constant__ OneSidedProblem p) { \
    if constexpr (Config::Instruction::exists) {                                                          \
      dmma_one_sided<HalfStored::STORED, Config, kLeft, KindA, KindB>(operands, p);                       \
    }                                                                                                     \
  }                                                                                                       \
  namespace {                                                                                             \
  struct NAME##_code {                                                                                    \
    using DeviceCode = ::libsgemm::cuda::DeviceCode;                                                      \
    static constexpr Routine routine = Routine::ROUTINE;                                                  \
    template <bool kLeft, Fetch KindA, Fetch KindB>                                                       \
    static auto kernel() {                                                                                \
      return &NAME<kLeft, KindA, KindB>;                                                                  \
    }                                                                                                     \
  };                                                                                                      \
  }
