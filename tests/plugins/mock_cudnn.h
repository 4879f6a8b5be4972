// cuDNN's convolutions on the mock GPU, by its row for convolutions: inside of mock_cuda.cpp. What a descriptor says is
// kept as the numbers that set it; the algorithms of FFT and Winograd are not supported.
#pragma once

#include "conv.h"

namespace {

struct DnnHandle {
  void *stream;
};

struct DnnDescriptor {
  std::vector<int> set;  // as the function that sets it takes them
  int groups = 1, math = 0;
};

constexpr int kDnnBadParam = 2000, kDnnNotSupported = 3000;

libsgemm::Steps steps_of(const DnnDescriptor &tensor) {
  return {tensor.set[5], tensor.set[6], tensor.set[7], tensor.set[8]};
}

int convolve(const DnnHandle *handle, libsgemm::Conv direction, const DnnDescriptor &x, const DnnDescriptor &f,
             const DnnDescriptor &y, const DnnDescriptor &conv, const float *alpha, const float *beta, const void *at_x,
             const void *at_f, const void *at_y) {
  const std::vector<int> &v = conv.set;
  if (conv.math != 3 || v[6] != 1 || v[7] != 0 || x.set[0] != 0) return kDnnBadParam;  // FMA, cross-correlation, floats
  libsgemm::ConvDesc d = {};
  d.direction = direction;
  d.n = x.set[1], d.c = x.set[2], d.h = x.set[3], d.w = x.set[4];
  d.k = f.set[2], d.r = f.set[4], d.s = f.set[5];
  d.p = y.set[3], d.q = y.set[4];
  d.groups = conv.groups;
  d.pad_h = v[0], d.pad_w = v[1], d.stride_h = v[2], d.stride_w = v[3], d.dilation_h = v[4], d.dilation_w = v[5];
  d.alpha = *alpha, d.beta = *beta;
  d.x_steps = steps_of(x), d.y_steps = steps_of(y);
  const int64_t c = f.set[3];
  d.f_steps =
      f.set[1] == 1 ? libsgemm::Steps{d.r * d.s * c, 1, d.s * c, c} : libsgemm::Steps{d.r * d.s * c, d.r * d.s, d.s, 1};
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
  const libsgemm::Kernel &row = backend.kernels[backend.kernel_count - 1];
  return row.conv->launch(d, launch, &error) == LIBSGEMM_SUCCESS ? kSuccess : kDnnBadParam;
}

// More for the second algorithm, which is as fast.
int workspace(int algorithm, size_t *bytes) {
  *bytes = algorithm == 1 ? 256 : 0;
  return algorithm <= 1 ? kSuccess : kDnnNotSupported;
}

int set(DnnDescriptor *descriptor, std::vector<int> numbers) {
  descriptor->set = std::move(numbers);
  return kSuccess;
}

}  // namespace

EXPORT size_t cudnnGetVersion() { return 90100; }
EXPORT const char *cudnnGetErrorString(int error) { return error == kSuccess ? "success" : "an error"; }
EXPORT int cudnnCreate(DnnHandle **handle) { return *handle = new DnnHandle{nullptr}, kSuccess; }
EXPORT int cudnnSetStream(DnnHandle *handle, void *stream) { return handle->stream = stream, kSuccess; }
EXPORT int cudnnCreateTensorDescriptor(DnnDescriptor **d) { return *d = new DnnDescriptor, kSuccess; }
EXPORT int cudnnCreateFilterDescriptor(DnnDescriptor **d) { return *d = new DnnDescriptor, kSuccess; }
EXPORT int cudnnCreateConvolutionDescriptor(DnnDescriptor **d) { return *d = new DnnDescriptor, kSuccess; }
EXPORT int cudnnSetTensor4dDescriptorEx(DnnDescriptor *d, int type, int n, int c, int h, int w, int step_n, int step_c,
                                        int step_h, int step_w) {
  return set(d, {type, n, c, h, w, step_n, step_c, step_h, step_w});
}
EXPORT int cudnnSetFilter4dDescriptor(DnnDescriptor *d, int type, int format, int k, int c, int r, int s) {
  return set(d, {type, format, k, c, r, s});
}
EXPORT int cudnnSetConvolution2dDescriptor(DnnDescriptor *d, int pad_h, int pad_w, int stride_h, int stride_w,
                                           int dilation_h, int dilation_w, int mode, int type) {
  return set(d, {pad_h, pad_w, stride_h, stride_w, dilation_h, dilation_w, mode, type});
}
EXPORT int cudnnSetConvolutionGroupCount(DnnDescriptor *d, int groups) { return d->groups = groups, kSuccess; }
EXPORT int cudnnSetConvolutionMathType(DnnDescriptor *d, int math) { return d->math = math, kSuccess; }

EXPORT int cudnnGetConvolutionForwardWorkspaceSize(DnnHandle *, void *, void *, void *, void *, int algorithm,
                                                   size_t *bytes) {
  return workspace(algorithm, bytes);
}
EXPORT int cudnnGetConvolutionBackwardDataWorkspaceSize(DnnHandle *, void *, void *, void *, void *, int algorithm,
                                                        size_t *bytes) {
  return workspace(algorithm, bytes);
}
EXPORT int cudnnGetConvolutionBackwardFilterWorkspaceSize(DnnHandle *, void *, void *, void *, void *, int algorithm,
                                                          size_t *bytes) {
  return workspace(algorithm, bytes);
}

EXPORT int cudnnConvolutionForward(DnnHandle *h, const float *alpha, DnnDescriptor *x, const void *at_x,
                                   DnnDescriptor *f, const void *at_f, DnnDescriptor *conv, int, void *, size_t,
                                   const float *beta, DnnDescriptor *y, void *at_y) {
  return convolve(h, libsgemm::Conv::forward, *x, *f, *y, *conv, alpha, beta, at_x, at_f, at_y);
}
EXPORT int cudnnConvolutionBackwardData(DnnHandle *h, const float *alpha, DnnDescriptor *f, const void *at_f,
                                        DnnDescriptor *y, const void *at_y, DnnDescriptor *conv, int, void *, size_t,
                                        const float *beta, DnnDescriptor *x, void *at_x) {
  return convolve(h, libsgemm::Conv::data_gradient, *x, *f, *y, *conv, alpha, beta, at_x, at_f, at_y);
}
EXPORT int cudnnConvolutionBackwardFilter(DnnHandle *h, const float *alpha, DnnDescriptor *x, const void *at_x,
                                          DnnDescriptor *y, const void *at_y, DnnDescriptor *conv, int, void *, size_t,
                                          const float *beta, DnnDescriptor *f, void *at_f) {
  return convolve(h, libsgemm::Conv::weight_gradient, *x, *f, *y, *conv, alpha, beta, at_x, at_f, at_y);
}
