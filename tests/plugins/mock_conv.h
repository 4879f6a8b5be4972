// The mock GPU's convolutions from a vendor's descriptors, for mock_cudnn.h and mock_miopen.h.
#pragma once

#include "contract/conv.h"

namespace {

struct DnnHandle {
  void *stream;
};

struct DnnDescriptor {
  std::vector<int> set;  // arguments of the descriptor's setter
  int groups = 1, math = 0;
};

int set(DnnDescriptor *descriptor, std::vector<int> numbers) {
  descriptor->set = std::move(numbers);
  return kSuccess;
}

// `set` of a tensor holds type, n, c, h, w and their steps.
libsgemm::Steps steps_of(const DnnDescriptor &tensor) {
  return {tensor.set[5], tensor.set[6], tensor.set[7], tensor.set[8]};
}

// `at`: index of padding, strides and dilations in `conv`.
libsgemm::ConvDesc described(const DnnDescriptor &x, const DnnDescriptor &y, const DnnDescriptor &conv, size_t at) {
  const int *v = conv.set.data() + at;
  libsgemm::ConvDesc d = {};
  d.n = x.set[1], d.c = x.set[2], d.h = x.set[3], d.w = x.set[4];
  d.p = y.set[3], d.q = y.set[4];
  d.groups = conv.groups;
  d.pad_h = v[0], d.pad_w = v[1], d.stride_h = v[2], d.stride_w = v[3], d.dilation_h = v[4], d.dilation_w = v[5];
  d.x_steps = steps_of(x), d.y_steps = steps_of(y);
  return d;
}

int convolve(const DnnHandle *handle, libsgemm::Conv direction, libsgemm::ConvDesc d, const void *alpha,
             const void *beta, const void *at_x, const void *at_f, const void *at_y, int failure) {
  d.direction = direction;
  d.alpha = *static_cast<const float *>(alpha), d.beta = *static_cast<const float *>(beta);
  d.x = static_cast<const float *>(at_x), d.f = static_cast<const float *>(at_f),
  d.y = static_cast<const float *>(at_y);
  const float *out = direction == libsgemm::Conv::forward         ? d.y
                     : direction == libsgemm::Conv::data_gradient ? d.x
                                                                  : d.f;
  d.out = const_cast<float *>(out);
  libsgemm::Launch launch = {};
  launch.stream = handle->stream;
  libsgemm::Error error;
  const Backend &backend = *plugin().backend;
  const libsgemm::Kernel &kernel = backend.kernels[backend.kernel_count - 1];
  return kernel.conv->launch(d, launch, &error) == LIBSGEMM_SUCCESS ? kSuccess : failure;
}

}  // namespace
