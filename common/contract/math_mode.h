// The math modes in the order of their error bounds, for the choice of a kernel, the report on several kernels and
// verification.
#pragma once

#include "float_mode.h"
#include "host_device.h"
#include "libsgemm.h"

namespace libsgemm {

// Sorted by the error that a mode allows an element, the smallest first. FP32_FAST has the bound of FP32 and comes
// after it, so that a report on several kernels names FP32_FAST.
constexpr libsgemm_math_mode_t kByBound[] = {LIBSGEMM_MATH_FP64,   LIBSGEMM_MATH_FP32,   LIBSGEMM_MATH_FP32_FAST,
                                             LIBSGEMM_MATH_BF16X6, LIBSGEMM_MATH_FP16X3, LIBSGEMM_MATH_TF32,
                                             LIBSGEMM_MATH_FP16,   LIBSGEMM_MATH_BF16};

constexpr int place_by_bound(libsgemm_math_mode_t mode) {
  int place = 0;
  while (kByBound[place] != mode) ++place;
  return place;
}

// The modes that split inputs into parts.
LIBSGEMM_HOST_DEVICE inline bool splits(libsgemm_math_mode_t mode) {
  return mode == LIBSGEMM_MATH_BF16X6 || mode == LIBSGEMM_MATH_FP16X3;
}

// The loss that a mode adds to FP32's bound, in units of 2^-24: the products of parts that it leaves out, and the bits
// of inputs that its parts do not hold.
constexpr double split_loss(libsgemm_math_mode_t mode) {
  return mode == LIBSGEMM_MATH_BF16X6 ? 4 : mode == LIBSGEMM_MATH_FP16X3 ? 8 : 0;
}

// How a result was computed.
struct Arithmetic {
  libsgemm_math_mode_t mode = LIBSGEMM_MATH_FP32;
  bool truncates = false;  // Kernel::truncates
  FloatMode floats = {};   // those of the thread that called a CPU kernel
};

// True if a result by x may be less accurate than one by y. Truncation decides first, because its error grows with k.
constexpr bool promises_less(const Arithmetic &x, const Arithmetic &y) {
  return x.truncates != y.truncates ? x.truncates : place_by_bound(x.mode) > place_by_bound(y.mode);
}

}  // namespace libsgemm
