// The backend under test: CTest sets LIBSGEMM_TEST_BACKEND.
#pragma once

#include <string>
#include <vector>

#include "call.h"
#include "modes.h"

namespace sgemm_test {

struct Subject {
  std::string backend;               // "openblas"
  std::vector<std::string> kernels;  // without those for convolutions
  std::vector<std::string> conv_kernels;
  bool is_gpu = false;
};

const Subject &subject();

// always_has: a kernel of the mode for every product, as CPU backends have for FP64 and rounding modes. has: for some
// products. chooses: chosen for the tests' large products.
bool always_has(libsgemm_math_mode_t mode);
bool has(libsgemm_math_mode_t mode);
bool chooses(libsgemm_math_mode_t mode);

// The call creates a context on the backend's first device.
libsgemm_device_info_t device_of_subject();

// Tests define it to say why this executable cannot run here; "": it can.
std::string skip_reason();

}  // namespace sgemm_test
