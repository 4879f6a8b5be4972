// A convolution as it was called, unchecked.
#pragma once

#include "contract/conv.h"

namespace libsgemm {

// A, B and C as in libsgemm_conv2d_direction_t.
struct ConvCall {
  const char *entry;  // static
  const libsgemm_conv2d_t *conv;
  float alpha;
  const float *a, *b;
  float beta;
  float *c;
};

libsgemm_status_t submit(const ConvCall &call);
libsgemm_status_t submit_h(const ConvCall &call, libsgemm_handle_t handle);

}  // namespace libsgemm
