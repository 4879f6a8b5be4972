// Parts that the FP64 kernels on AMD matrix cores share.
#pragma once

#include "hip/tensor/matrix.h"
#include "hip/tensor/matrix_kernel.h"

namespace libsgemm::hip {

struct DmfmaConfig : MatrixShape<MfmaDoubles, 128, 128, 8, 64, 64> {
  static constexpr int blocks = 2;
  static constexpr Fitted fitted = Fitted::gfx90a_dmfma_128x128x8_ping_pong;
};

// Without the bound the compiler uses too many registers for two waves of a SIMD.
#define LIBSGEMM_DMFMA_BOUNDS __launch_bounds__(::libsgemm::hip::DmfmaConfig::threads, 2)

libsgemm_status_t launch_split_k_sum_fp64(const TileProblem &p, int slices, const StridedOperands &operands,
                                          int64_t count, const Launch &launch, Error *error);

}  // namespace libsgemm::hip
