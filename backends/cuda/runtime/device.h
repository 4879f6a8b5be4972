// What the backend knows of its devices. Filled once, by enumerate(), constant after it.
#pragma once

#include <cstdint>

#include "gpu/device_model.h"

namespace libsgemm::cuda {

using namespace gpu;

struct Device : DeviceModel {
  int arch;       // 10 * major + minor of the compute capability: 90
  int code_arch;  // of the code that runs on it, by which kernels are chosen
  int64_t l2_bytes;
  // Fused multiply-adds of 16-bit numbers with FP32 sums of one multiprocessor and clock, by mma.sync.
  int tensor_per_clock;
  int wgmma_per_clock;  // the same by wgmma; 0: the device or this build's code for it has none
  // The same of FP64. By the name of the chip: others of an architecture have a fraction of it.
  int fp64_tensor_per_clock;
  size_t parameter_bytes;  // that a kernel can have, by the driver
};

// Device::parameter_bytes of a kernel for sm_70 and later, by drivers of CUDA 12.1 and later (530).
constexpr size_t kLargeParameterBytes = 32764;

// `index` counts the devices of the backend, after LIBSGEMM_DEVICES. Only after enumerate().
const Device &device(int index);

// Whether code of that architecture or a later one runs on it.
template <int kArch>
bool runs_code_of(int index) {
  return device(index).code_arch >= kArch;
}

}  // namespace libsgemm::cuda
