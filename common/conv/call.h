// A convolution as it was called: arguments not yet checked. Built by conv/api.cpp.
#pragma once

#include "contract/conv.h"

namespace libsgemm {

// A, B and C as libsgemm_conv2d_direction_t names them.
struct ConvCall {
  const char *entry;  // name of the function called; static
  const libsgemm_conv2d_t *conv;
  float alpha;
  const float *a, *b;
  float beta;
  float *c;
};

// Checks and performs a call: synchronous and with the settings of the environment, or with those of a handle.
libsgemm_status_t submit(const ConvCall &call);
libsgemm_status_t submit_h(const ConvCall &call, libsgemm_handle_t handle);

}  // namespace libsgemm
