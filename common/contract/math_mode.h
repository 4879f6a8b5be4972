// Properties of the math modes.
#pragma once

#include "float_mode.h"
#include "host_device.h"
#include "libsgemm.h"

namespace libsgemm {

// The type to which FP32 inputs are rounded.
enum class Rounding { none, tf32, bf16, f16 };

struct ModeTraits {
  const char *name;  // in LIBSGEMM_MATH_MODE and reports
  int rank;          // place of the mode in the order of allowed errors, the smallest first
  Rounding rounding;
  bool splits;  // GPU kernels split each input into 16-bit numbers
  // Cost of the splits beyond FP32's bound (verify.h); 0 for modes that promise FP32's bound or round inputs.
  double left_out;      // products of splits not computed, in units of 2^-24
  int products;         // products of splits per product of inputs; 1 if they do not add to the loss below the range
  double lost_of_most;  // what splits lose of an input, relative to the largest input of its line
  double lost_always;   // least loss, however small the largest

  LIBSGEMM_HOST_DEVICE constexpr bool converts() const { return splits || rounding != Rounding::none; }
  // Speed is the only merit of such a mode: FP32 may replace it.
  LIBSGEMM_HOST_DEVICE constexpr bool loses_bits() const { return left_out > 0; }
};

constexpr int kModeCount = 8;

// A function: device code cannot index an array of constants. FP32_FAST has FP32's bound and ranks after it, so that a
// report on several kernels names FP32_FAST.
LIBSGEMM_HOST_DEVICE constexpr ModeTraits mode_traits(libsgemm_math_mode_t mode) {
  switch (mode) {
    case LIBSGEMM_MATH_FP64:
      return {"fp64", 0, Rounding::none, false, 0, 1, 0, 0};
    case LIBSGEMM_MATH_FP32:
      return {"fp32", 1, Rounding::none, false, 0, 1, 0, 0};
    case LIBSGEMM_MATH_FP32_FAST:
      return {"fp32_fast", 2, Rounding::none, true, 0, 1, 0, 0};
    case LIBSGEMM_MATH_BF16X6:
      return {"bf16x6", 3, Rounding::none, true, 4, 6, 0x1p-148, 0x1p-133};
    case LIBSGEMM_MATH_FP16X3:
      return {"fp16x3", 4, Rounding::none, true, 8, 1, 0x1p-49, 0};
    case LIBSGEMM_MATH_TF32:
      return {"tf32", 5, Rounding::tf32, false, 0, 1, 0, 0};
    case LIBSGEMM_MATH_FP16:
      return {"fp16", 6, Rounding::f16, false, 0, 1, 0, 0};
    case LIBSGEMM_MATH_BF16:
      return {"bf16", 7, Rounding::bf16, false, 0, 1, 0, 0};
  }
  return {"?", kModeCount, Rounding::none, false, 0, 1, 0, 0};
}

struct Arithmetic {
  libsgemm_math_mode_t mode = LIBSGEMM_MATH_FP32;
  bool truncates = false;  // Kernel::truncates
  FloatMode floats = {};   // those of the thread that called a CPU kernel
};

// True if x may be less accurate than y. Truncation decides first: its error grows with k.
constexpr bool promises_less(const Arithmetic &x, const Arithmetic &y) {
  return x.truncates != y.truncates ? x.truncates : mode_traits(x.mode).rank > mode_traits(y.mode).rank;
}

}  // namespace libsgemm
