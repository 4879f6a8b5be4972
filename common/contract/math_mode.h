// The modes of arithmetic in the order of their bounds: what the choice of a row, the report of several rows and
// verification have in common.
#pragma once

#include "float_mode.h"
#include "host_device.h"
#include "libsgemm.h"

namespace libsgemm {

// By the error that a mode allows an element, the smallest first. FP32_FAST keeps FP32's bound, and comes behind it as
// the one of which there is more to tell.
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

// What the products of parts that a mode leaves out, and what its parts do not hold, add to FP32's bound, in units of
// 2^-24.
constexpr double split_loss(libsgemm_math_mode_t mode) {
  return mode == LIBSGEMM_MATH_BF16X6 ? 4 : mode == LIBSGEMM_MATH_FP16X3 ? 8 : 0;
}

// How a result was computed.
struct Arithmetic {
  libsgemm_math_mode_t mode = LIBSGEMM_MATH_FP32;
  bool truncates = false;  // Kernel::truncates
  FloatMode floats = {};   // of the thread that called a CPU's kernel
};

// Whether a result by x may be further off than one by y. What truncation adds grows with k.
constexpr bool promises_less(const Arithmetic &x, const Arithmetic &y) {
  return x.truncates != y.truncates ? x.truncates : place_by_bound(x.mode) > place_by_bound(y.mode);
}

}  // namespace libsgemm
