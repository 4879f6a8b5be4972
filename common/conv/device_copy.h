// Copies of tensors between host memory and the memory of a device.
#pragma once

#include <memory>

#include "matrix/host_copy.h"
#include "matrix/tensor.h"

namespace libsgemm {

// gather() enqueues the copy of a strided tensor to dense memory, in the order of dense_like(); scatter() enqueues the
// copy from there. `direction` says which of the two is on the host: to_host and dense, or to_device and strided, or
// the other way round. Elements between those of the tensor are not written.
libsgemm_status_t gather(const DeviceMemory &memory, const Tensor &strided, float *dense, Copy::Direction direction,
                         Error *error);
libsgemm_status_t scatter(const DeviceMemory &memory, const float *dense, const Tensor &strided, float *data,
                          Copy::Direction direction, Error *error);

// A convolution on dense copies of its tensors, in one piece of memory.
struct DenseConv {
  ConvDesc desc;
  size_t bytes;  // bytes of all three tensors; each begins at a multiple of 256

  // Sets the pointers.
  void place(void *memory);

 private:
  friend DenseConv dense_conv(const ConvDesc &desc);
  size_t x_, f_, y_;  // offsets in bytes
};
DenseConv dense_conv(const ConvDesc &desc);

// The tensors of a call on device memory, copied to host memory: to verify them there, or to compute there instead.
class ConvHostCopy {
 public:
  // Copies all three tensors as the work enqueued so far leaves them, and waits. OUT_OF_MEMORY: no host memory.
  libsgemm_status_t take(const DeviceMemory &memory, const ConvDesc &device, Error *error);
  const ConvDesc &desc() const { return dense_.desc; }
  // fetch_output() copies the output again, as it is now; return_output() copies it back to the device. Both wait.
  libsgemm_status_t fetch_output(const DeviceMemory &memory, Error *error);
  libsgemm_status_t return_output(const DeviceMemory &memory, Error *error);

 private:
  ConvDesc device_ = {};
  DenseConv dense_ = {};
  std::unique_ptr<char[]> data_;
};

}  // namespace libsgemm
