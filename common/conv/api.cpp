#include <algorithm>
#include <cstring>

#include "call.h"
#include "check.h"
#include "process/gate.h"

void libsgemm_conv2d_init(libsgemm_conv2d_t *conv, size_t size) {
  if (conv == nullptr) return;
  libsgemm_conv2d_t all = {};
  all.size = size;
  all.direction = LIBSGEMM_CONV2D_FORWARD;
  all.layout = LIBSGEMM_NCHW;
  all.r = all.s = all.groups = 1;
  all.stride_h = all.stride_w = 1;
  all.dilation_h = all.dilation_w = 1;
  // Fields unknown to this library are 0; a call with such a struct is refused.
  std::memset(static_cast<void *>(conv), 0, size);
  std::memcpy(static_cast<void *>(conv), &all, std::min(size, sizeof all));
}

libsgemm_status_t libsgemm_conv2d_output_size(const libsgemm_conv2d_t *conv, int64_t *p, int64_t *q) {
  const libsgemm::InGate gate;
  libsgemm::ThreadInfo &info = libsgemm::thread_info();
  info.begin("libsgemm_conv2d_output_size", gate.ending());
  return libsgemm::output_size(conv, p, q, &info);
}

libsgemm_status_t libsgemm_sconv2d(const libsgemm_conv2d_t *conv, float alpha, const float *A, const float *B,
                                   float beta, float *C) {
  return libsgemm::submit(libsgemm::ConvCall{"libsgemm_sconv2d", conv, alpha, A, B, beta, C});
}

libsgemm_status_t libsgemm_sconv2d_h(libsgemm_handle_t h, const libsgemm_conv2d_t *conv, float alpha, const float *A,
                                     const float *B, float beta, float *C) {
  return libsgemm::submit_h(libsgemm::ConvCall{"libsgemm_sconv2d_h", conv, alpha, A, B, beta, C}, h);
}
