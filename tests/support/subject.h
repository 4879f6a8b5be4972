// The backend under test. CTest runs a test once for each backend, with LIBSGEMM_TEST_BACKEND.
#pragma once

#include <string>
#include <vector>

#include "call.h"

namespace sgemm_test {

struct Subject {
  std::string backend;               // "openblas"
  std::vector<std::string> kernels;  // all its kernels except those for convolutions
  std::vector<std::string> conv_kernels;
  bool is_gpu = false;
};

const Subject &subject();

// All modes except FP32.
constexpr libsgemm_math_mode_t kOtherModes[] = {LIBSGEMM_MATH_BF16X6,   LIBSGEMM_MATH_FP16X3, LIBSGEMM_MATH_TF32,
                                                LIBSGEMM_MATH_BF16,     LIBSGEMM_MATH_FP16,   LIBSGEMM_MATH_FP64,
                                                LIBSGEMM_MATH_FP32_FAST};
constexpr int kOtherModeCount = 7;

// always_has: true if the backend has a kernel of the mode for every product, as the CPU backends have for FP64 and the
// modes that round. has: true if it has one for some; on a GPU this depends on its matrix cores. chooses: true if it
// chooses one for the large products of the tests.
bool always_has(libsgemm_math_mode_t mode);
bool has(libsgemm_math_mode_t mode);
bool chooses(libsgemm_math_mode_t mode);

// Returns the backend's first device. Call it only when needed: it creates a context on the device.
libsgemm_device_info_t device_of_subject();

// Returns why this executable cannot run here; empty if it can. Defined by the tests that need it.
std::string skip_reason();

}  // namespace sgemm_test
