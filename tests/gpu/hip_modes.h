// Math modes of AMD's chips (docs/amd.md, "What runs where").
#pragma once

#include <libsgemm.h>

#include <string>

namespace sgemm_test {

// True if the mode has a kernel that can be forced.
inline bool hip_has(libsgemm_math_mode_t mode, const std::string &arch) {
  const auto is = [&](const char *prefix) { return arch.rfind(prefix, 0) == 0; };
  const bool cdna3 = is("gfx94") || is("gfx95");
  switch (mode) {
    case LIBSGEMM_MATH_FP64:
      return true;
    case LIBSGEMM_MATH_TF32:
      return is("gfx94");
    case LIBSGEMM_MATH_FP16:
    case LIBSGEMM_MATH_BF16:
      return is("gfx908") || cdna3 || is("gfx11") || is("gfx12");
    case LIBSGEMM_MATH_FP16X3:
      return is("gfx908") || cdna3;
    case LIBSGEMM_MATH_BF16X6:
    case LIBSGEMM_MATH_FP32_FAST:
      return cdna3;
    default:
      return false;
  }
}

// True if the chip chooses the mode for the tests' large products: 1100 x 1030 x 700 in a rounding mode, 3100 x 3030 x
// 300 in one with FP32's error.
inline bool hip_chooses(libsgemm_math_mode_t mode, const std::string &arch) {
  const bool splits = mode == LIBSGEMM_MATH_FP16X3 || mode == LIBSGEMM_MATH_BF16X6 || mode == LIBSGEMM_MATH_FP32_FAST;
  return hip_has(mode, arch) && (!splits || arch.rfind("gfx95", 0) == 0);
}

}  // namespace sgemm_test
