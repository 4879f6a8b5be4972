// From a sum to an element of C with promised bits (LIBSGEMM_DETERMINISTIC_INVARIANT). CUDA, HIP and the CPU share
// it. No compiler can contract these operations differently.
#pragma once

#include <cmath>
#include <cstdint>

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

// Mode FP64 sums the terms l from a multiple of kChainTerms to the next in one chain of FMAs, and then adds the chains'
// sums in ascending order. Slices of k that end at these multiples therefore give the bits of the whole. The number is
// part of the promise (docs/kernels/contract.md).
constexpr int64_t kChainTerms = 1024;

// An element of C if beta is 0, and otherwise. A product of two floats is exact in FP64.
LIBSGEMM_HOST_DEVICE inline __attribute__((always_inline)) float finished(float alpha, double sum) {
  return static_cast<float>(static_cast<double>(alpha) * sum);
}
LIBSGEMM_HOST_DEVICE inline __attribute__((always_inline)) float finished(float alpha, double sum, float beta,
                                                                          float c) {
  return static_cast<float>(fma(static_cast<double>(alpha), sum, static_cast<double>(beta) * static_cast<double>(c)));
}

}  // namespace libsgemm
