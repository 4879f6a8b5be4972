// The math modes by libsgemm.h, without code of the library. A new mode needs its name here, and its rounding.
#pragma once

#include <libsgemm.h>

#include <array>
#include <iterator>

#include "numbers.h"

namespace sgemm_test {

// In the order of the enumerators, from 0.
constexpr const char *kModeNames[] = {"fp32", "bf16x6", "fp16x3", "tf32", "bf16", "fp16", "fp64", "fp32_fast"};

inline const char *name_of(libsgemm_math_mode_t mode) { return kModeNames[mode]; }

// All modes but FP32.
constexpr int kOtherModeCount = static_cast<int>(std::size(kModeNames)) - 1;
constexpr std::array<libsgemm_math_mode_t, kOtherModeCount> other_modes() {
  std::array<libsgemm_math_mode_t, kOtherModeCount> modes = {};
  for (size_t i = 0; i < modes.size(); ++i) modes[i] = static_cast<libsgemm_math_mode_t>(i + 1);
  return modes;
}
constexpr std::array<libsgemm_math_mode_t, kOtherModeCount> kOtherModes = other_modes();

inline float as_input(libsgemm_math_mode_t mode, float value) {
  switch (mode) {
    case LIBSGEMM_MATH_TF32:
      return tf32_from_float(value);
    case LIBSGEMM_MATH_BF16:
      return float_from_bfloat16(bfloat16_from_float(value));
    case LIBSGEMM_MATH_FP16:
      return float_from_half(half_from_float(value));
    default:
      return value;
  }
}

// True for modes that round inputs. Those that split inputs do not.
inline bool rounds(libsgemm_math_mode_t mode) { return as_input(mode, 1.0f / 3) != 1.0f / 3; }

}  // namespace sgemm_test
