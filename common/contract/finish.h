// From a sum to an element of C with promised bits (LIBSGEMM_DETERMINISTIC_INVARIANT). CUDA, HIP and the CPU share
// it. All operations are fused multiply-adds, which no compiler contracts differently.
#pragma once

#include <cmath>

#include "host_device.h"

namespace libsgemm {

// Terms too small for FP32 sum to -0, but to +0 in a kernel that pads k with zeros: adding zero turns -0 into +0.
LIBSGEMM_HOST_DEVICE inline __attribute__((always_inline)) float scaled(float alpha, float sum) {
  return fmaf(alpha, sum, 0.0f);
}

// `x` is scaled(); beta is not 0.
LIBSGEMM_HOST_DEVICE inline __attribute__((always_inline)) float accumulated(float x, float beta, float c) {
  return fmaf(beta, c, x);
}

}  // namespace libsgemm
