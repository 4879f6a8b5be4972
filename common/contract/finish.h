// The step from a sum to an element of C whose bits are promised (LIBSGEMM_DETERMINISTIC_INVARIANT): the same
// expression for CUDA, HIP and the CPU. It consists of fused multiply-adds alone, which no compiler may contract
// differently.
#pragma once

#include <cmath>

#include "host_device.h"

namespace libsgemm {

// alpha * sum. A sum is -0 where all of its terms are too small for FP32, but +0 in a kernel that pads k with zeros.
// Adding zero turns -0 into +0.
LIBSGEMM_HOST_DEVICE inline __attribute__((always_inline)) float scaled(float alpha, float sum) {
  return fmaf(alpha, sum, 0.0f);
}

// `x` is scaled(). beta is not 0: C is not read then.
LIBSGEMM_HOST_DEVICE inline __attribute__((always_inline)) float accumulated(float x, float beta, float c) {
  return fmaf(beta, c, x);
}

}  // namespace libsgemm
