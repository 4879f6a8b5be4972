// What becomes of a sum where the bits are promised (LIBSGEMM_DETERMINISTIC_INVARIANT): one expression for CUDA, HIP
// and the CPU, of fused multiply-adds alone, which no compiler may contract otherwise.
#pragma once

#include <cmath>

#include "host_device.h"

namespace libsgemm {

// alpha * sum. The zero makes -0, which a sum is where all of its terms are too small for FP32, the +0 that it becomes
// in a kernel that fills up k with zeros.
LIBSGEMM_HOST_DEVICE inline __attribute__((always_inline)) float scaled(float alpha, float sum) {
  return fmaf(alpha, sum, 0.0f);
}

// `x` is scaled(). beta is not 0, where C is not read.
LIBSGEMM_HOST_DEVICE inline __attribute__((always_inline)) float accumulated(float x, float beta, float c) {
  return fmaf(beta, c, x);
}

}  // namespace libsgemm
