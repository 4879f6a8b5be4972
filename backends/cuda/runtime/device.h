// Constant after enumerate().
#pragma once

#include <cstdint>

#include "gpu/device_model.h"

namespace libsgemm::cuda {

using namespace gpu;

struct Device : DeviceModel {
  int arch;       // 10 * major + minor of the compute capability
  int code_arch;  // architecture of the code that runs; it selects kernels
  int64_t l2_bytes;
  // FP32 sums of 16-bit products per multiprocessor and clock, by mma.sync.
  int tensor_per_clock;
  int wgmma_per_clock;  // 0 if the device, or this build's code for it, has none
  // FP64 multiply-adds on tensor cores, by the chip's name: others of the same architecture reach a fraction.
  int fp64_tensor_per_clock;
  size_t parameter_bytes;  // limit of the driver for a kernel
};

// parameter_bytes from sm_70 on, with a driver of CUDA 12.1 (530) or later.
constexpr size_t kLargeParameterBytes = 32764;

const Device &device(int index);

template <int kArch>
bool runs_code_of(int index) {
  return device(index).code_arch >= kArch;
}

}  // namespace libsgemm::cuda
