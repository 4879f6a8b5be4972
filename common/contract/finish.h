// From a sum to an element of C with promised bits (LIBSGEMM_DETERMINISTIC_INVARIANT), alike in CUDA, HIP and on the
// CPU. Only fused multiply-adds: compilers cannot contract them differently.
#pragma once

#include <cmath>

#include "host_device.h"

namespace libsgemm {

// A sum is -0 where all terms are too small for FP32, but +0 in a kernel that pads k with zeros: adding zero turns -0
// into +0.
LIBSGEMM_HOST_DEVICE inline __attribute__((always_inline)) float scaled(float alpha, float sum) {
  return fmaf(alpha, sum, 0.0f);
}

// `x` is scaled(); beta is not 0.
LIBSGEMM_HOST_DEVICE inline __attribute__((always_inline)) float accumulated(float x, float beta, float c) {
  return fmaf(beta, c, x);
}

}  // namespace libsgemm
