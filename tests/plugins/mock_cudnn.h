// cuDNN's convolutions on the mock GPU, for mock_cuda.cpp. FFT and Winograd are not supported.
#pragma once

#include "mock_conv.h"

namespace {

constexpr int kDnnBadParam = 2000, kDnnNotSupported = 3000;

int convolve(const DnnHandle *handle, libsgemm::Conv direction, const DnnDescriptor &x, const DnnDescriptor &f,
             const DnnDescriptor &y, const DnnDescriptor &conv, const float *alpha, const float *beta, const void *at_x,
             const void *at_f, const void *at_y) {
  const std::vector<int> &v = conv.set;
  if (conv.math != 3 || v[6] != 1 || v[7] != 0 || x.set[0] != 0) return kDnnBadParam;  // FMA, cross-correlation, floats
  libsgemm::ConvDesc d = described(x, y, conv, 0);
  d.k = f.set[2], d.r = f.set[4], d.s = f.set[5];
  const int64_t c = f.set[3];
  d.f_steps =
      f.set[1] == 1 ? libsgemm::Steps{d.r * d.s * c, 1, d.s * c, c} : libsgemm::Steps{d.r * d.s * c, d.r * d.s, d.s, 1};
  return convolve(handle, direction, d, alpha, beta, at_x, at_f, at_y, kDnnBadParam);
}

// The second algorithm needs more memory and is as fast.
int workspace(int algorithm, size_t *bytes) {
  *bytes = algorithm == 1 ? 256 : 0;
  return algorithm <= 1 ? kSuccess : kDnnNotSupported;
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
