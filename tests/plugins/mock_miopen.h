// MIOpen's convolutions on the mock GPU, for mock_hip.cpp, declared as in miopen.h but with opaque types. Algorithm 5
// only, after a find step.
#pragma once

#include "mock_conv.h"

namespace {

constexpr int kMiopenBadParm = 3;
constexpr size_t kMiopenWorkspace = 512;

struct MiopenConvAlgoPerf {
  union {
    int fwd_algo, bwd_weights_algo, bwd_data_algo;
  };
  float time;
  size_t memory;
};

int find(const DnnDescriptor *conv, int wanted, int *count, MiopenConvAlgoPerf *found, const void *workspace,
         size_t bytes) {
  if (conv->set[0] != 0 || wanted < 1 || workspace == nullptr || bytes < kMiopenWorkspace) return kMiopenBadParm;
  found->fwd_algo = 5, found->time = 1, found->memory = kMiopenWorkspace;
  *count = 1;
  return kSuccess;
}

int convolve(const DnnHandle *handle, libsgemm::Conv direction, const DnnDescriptor &x, const DnnDescriptor &f,
             const DnnDescriptor &y, const DnnDescriptor &conv, int algorithm, const void *alpha, const void *beta,
             const void *at_x, const void *at_f, const void *at_y) {
  if (algorithm != 5 || x.set[0] != 1 || f.set[0] != 1) return kMiopenBadParm;  // floats
  libsgemm::ConvDesc d = described(x, y, conv, 1);
  d.k = f.set[1], d.r = f.set[3], d.s = f.set[4];
  d.f_steps = steps_of(f);
  return convolve(handle, direction, d, alpha, beta, at_x, at_f, at_y, kMiopenBadParm);
}

// MIOpen takes filters before the image, and a gradient before its tensor.
int workspace(const DnnDescriptor *image, const DnnDescriptor *y, size_t *bytes) {
  if (image->set[1] != y->set[1]) return kMiopenBadParm;  // number of images
  return *bytes = kMiopenWorkspace, kSuccess;
}

}  // namespace

EXPORT int miopenGetVersion(size_t *major, size_t *minor, size_t *patch) {
  return *major = 3, *minor = 2, *patch = 1, kSuccess;
}
EXPORT const char *miopenGetErrorString(int error) { return error == kSuccess ? "success" : "an error"; }
EXPORT int miopenCreateWithStream(DnnHandle **handle, void *stream) {
  return *handle = new DnnHandle{stream}, kSuccess;
}
EXPORT int miopenCreateTensorDescriptor(DnnDescriptor **d) { return *d = new DnnDescriptor, kSuccess; }
EXPORT int miopenCreateConvolutionDescriptor(DnnDescriptor **d) { return *d = new DnnDescriptor, kSuccess; }
EXPORT int miopenSet4dTensorDescriptorEx(DnnDescriptor *d, int type, int n, int c, int h, int w, int step_n, int step_c,
                                         int step_h, int step_w) {
  return set(d, {type, n, c, h, w, step_n, step_c, step_h, step_w});
}
EXPORT int miopenInitConvolutionDescriptor(DnnDescriptor *d, int mode, int pad_h, int pad_w, int u, int v,
                                           int dilation_h, int dilation_w) {
  return set(d, {mode, pad_h, pad_w, u, v, dilation_h, dilation_w});
}
EXPORT int miopenSetConvolutionGroupCount(DnnDescriptor *d, int groups) { return d->groups = groups, kSuccess; }

EXPORT int miopenConvolutionForwardGetWorkSpaceSize(DnnHandle *, DnnDescriptor *, DnnDescriptor *x, DnnDescriptor *,
                                                    DnnDescriptor *y, size_t *bytes) {
  return workspace(x, y, bytes);
}
EXPORT int miopenConvolutionBackwardDataGetWorkSpaceSize(DnnHandle *, DnnDescriptor *dy, DnnDescriptor *,
                                                         DnnDescriptor *, DnnDescriptor *dx, size_t *bytes) {
  return workspace(dx, dy, bytes);
}
EXPORT int miopenConvolutionBackwardWeightsGetWorkSpaceSize(DnnHandle *, DnnDescriptor *dy, DnnDescriptor *x,
                                                            DnnDescriptor *, DnnDescriptor *, size_t *bytes) {
  return workspace(x, dy, bytes);
}

EXPORT int miopenFindConvolutionForwardAlgorithm(DnnHandle *, DnnDescriptor *, const void *, DnnDescriptor *,
                                                 const void *, DnnDescriptor *conv, DnnDescriptor *, void *, int wanted,
                                                 int *count, MiopenConvAlgoPerf *found, void *workspace, size_t bytes,
                                                 bool) {
  return find(conv, wanted, count, found, workspace, bytes);
}
EXPORT int miopenFindConvolutionBackwardDataAlgorithm(DnnHandle *, DnnDescriptor *, const void *, DnnDescriptor *,
                                                      const void *, DnnDescriptor *conv, DnnDescriptor *, void *,
                                                      int wanted, int *count, MiopenConvAlgoPerf *found,
                                                      void *workspace, size_t bytes, bool) {
  return find(conv, wanted, count, found, workspace, bytes);
}
EXPORT int miopenFindConvolutionBackwardWeightsAlgorithm(DnnHandle *, DnnDescriptor *, const void *, DnnDescriptor *,
                                                         const void *, DnnDescriptor *conv, DnnDescriptor *, void *,
                                                         int wanted, int *count, MiopenConvAlgoPerf *found,
                                                         void *workspace, size_t bytes, bool) {
  return find(conv, wanted, count, found, workspace, bytes);
}

EXPORT int miopenConvolutionForward(DnnHandle *h, const void *alpha, DnnDescriptor *x, const void *at_x,
                                    DnnDescriptor *f, const void *at_f, DnnDescriptor *conv, int algorithm,
                                    const void *beta, DnnDescriptor *y, void *at_y, void *, size_t) {
  return convolve(h, libsgemm::Conv::forward, *x, *f, *y, *conv, algorithm, alpha, beta, at_x, at_f, at_y);
}
EXPORT int miopenConvolutionBackwardData(DnnHandle *h, const void *alpha, DnnDescriptor *dy, const void *at_dy,
                                         DnnDescriptor *f, const void *at_f, DnnDescriptor *conv, int algorithm,
                                         const void *beta, DnnDescriptor *dx, void *at_dx, void *, size_t) {
  return convolve(h, libsgemm::Conv::data_gradient, *dx, *f, *dy, *conv, algorithm, alpha, beta, at_dx, at_f, at_dy);
}
EXPORT int miopenConvolutionBackwardWeights(DnnHandle *h, const void *alpha, DnnDescriptor *dy, const void *at_dy,
                                            DnnDescriptor *x, const void *at_x, DnnDescriptor *conv, int algorithm,
                                            const void *beta, DnnDescriptor *df, void *at_df, void *, size_t) {
  return convolve(h, libsgemm::Conv::weight_gradient, *x, *df, *dy, *conv, algorithm, alpha, beta, at_x, at_df, at_dy);
}
