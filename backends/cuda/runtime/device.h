// The backend's data about its devices. enumerate() fills it once; it is constant afterwards.
#pragma once

#include <cstdint>

#include "gpu/device_model.h"

namespace libsgemm::cuda {

using namespace gpu;

struct Device : DeviceModel {
  int arch;       // 10 * major + minor of the compute capability: 90
  int code_arch;  // architecture of the code that runs on it; kernels are chosen by this one
  int64_t l2_bytes;
  // Fused multiply-adds of 16-bit numbers into FP32 per multiprocessor and clock, by mma.sync.
  int tensor_per_clock;
  int wgmma_per_clock;  // by wgmma instead; 0: the device, or this build's code for it, has no wgmma
  // FP64 fused multiply-adds per multiprocessor and clock, on tensor cores. Depends on the chip's name: other chips of
  // the same architecture reach a fraction.
  int fp64_tensor_per_clock;
  size_t parameter_bytes;  // most bytes of parameters that the driver allows a kernel
};

// Device::parameter_bytes on sm_70 and later, with a driver of CUDA 12.1 (530) or later.
constexpr size_t kLargeParameterBytes = 32764;

// A device of the backend. `index` counts those that LIBSGEMM_DEVICES admits. Call it only after enumerate().
const Device &device(int index);

// True if the device runs code of architecture kArch or a later one.
template <int kArch>
bool runs_code_of(int index) {
  return device(index).code_arch >= kArch;
}

}  // namespace libsgemm::cuda
