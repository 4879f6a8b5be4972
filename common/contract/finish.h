// From a sum to an element of C whose bits are promised (LIBSGEMM_DETERMINISTIC_INVARIANT), alike in CUDA, HIP and on
// the CPU. Only fused multiply-adds: no compiler may contract them differently.
#pragma once

#include <cmath>

#include "host_device.h"

namespace libsgemm {

// alpha * sum. A sum is -0 where all its terms are too small for FP32, but +0 in a kernel that pads k with zeros:
// adding zero turns -0 into +0.
LIBSGEMM_HOST_DEVICE inline __attribute__((always_inline)) float scaled(float alpha, float sum) {
  return fmaf(alpha, sum, 0.0f);
}

// `x` is scaled(). beta is not 0: C would not be read.
LIBSGEMM_HOST_DEVICE inline __attribute__((always_inline)) float accumulated(float x, float beta, float c) {
  return fmaf(beta, c, x);
}

}  // namespace libsgemm
