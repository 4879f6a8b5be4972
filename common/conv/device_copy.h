// Copies of tensors between host and device.
#pragma once

#include <memory>

#include "matrix/host_copy.h"
#include "matrix/tensor.h"

namespace libsgemm {

// gather() enqueues the copy of a strided tensor to a dense one (dense_like()), scatter() the copy back, in either
// direction. Neither writes between the tensor's elements.
libsgemm_status_t gather(const DeviceMemory &memory, const Tensor &strided, float *dense, Copy::Direction direction,
                         Error *error);
libsgemm_status_t scatter(const DeviceMemory &memory, const float *dense, const Tensor &strided, float *data,
                          Copy::Direction direction, Error *error);

// A convolution on dense copies of its tensors, in one piece of memory.
struct DenseConv {
  ConvDesc desc;
  size_t bytes;  // all three, each at a multiple of 256

  void place(void *memory);

 private:
  friend DenseConv dense_conv(const ConvDesc &desc);
  size_t x_, f_, y_;  // bytes
};
DenseConv dense_conv(const ConvDesc &desc);

// A device call's tensors, copied to host memory to verify or compute there.
class ConvHostCopy {
 public:
  // Copies all three after the enqueued work, and waits. OUT_OF_MEMORY: no host memory.
  libsgemm_status_t take(const DeviceMemory &memory, const ConvDesc &device, Error *error);
  const ConvDesc &desc() const { return dense_.desc; }
  // Both wait.
  libsgemm_status_t fetch_output(const DeviceMemory &memory, Error *error);
  libsgemm_status_t return_output(const DeviceMemory &memory, Error *error);

 private:
  ConvDesc device_ = {};
  DenseConv dense_ = {};
  std::unique_ptr<char[]> data_;
};

}  // namespace libsgemm
