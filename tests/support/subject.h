// The backend that this run of a test is about. CTest runs a test once for each backend, with LIBSGEMM_TEST_BACKEND.
#pragma once

#include <string>
#include <vector>

#include "call.h"

namespace sgemm_test {

struct Subject {
  std::string backend;               // "openblas"
  std::vector<std::string> kernels;  // all rows of its kernel table but those for convolutions
  std::vector<std::string> conv_kernels;
  bool is_gpu = false;
};

const Subject &subject();

// All but FP32.
constexpr libsgemm_math_mode_t kOtherModes[] = {LIBSGEMM_MATH_BF16X6,   LIBSGEMM_MATH_FP16X3, LIBSGEMM_MATH_TF32,
                                                LIBSGEMM_MATH_BF16,     LIBSGEMM_MATH_FP16,   LIBSGEMM_MATH_FP64,
                                                LIBSGEMM_MATH_FP32_FAST};
constexpr int kOtherModeCount = 7;

// Whether it has rows of the mode for every product, as the CPU backends have for FP64 and the modes that round; and
// whether for some: a GPU's by its matrix cores. Whether it chooses them for the large products of the tests.
bool always_has(libsgemm_math_mode_t mode);
bool has(libsgemm_math_mode_t mode);
bool chooses(libsgemm_math_mode_t mode);

// Its first device. Not to be asked for before it is needed: that makes a context on the device.
libsgemm_device_info_t device_of_subject();

// Why this executable cannot run here at all; empty if it can. Defined by the tests that need it.
std::string skip_reason();

}  // namespace sgemm_test
