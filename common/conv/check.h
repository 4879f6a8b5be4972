// Checks of a convolution's arguments.
#pragma once

#include "conv/call.h"
#include "process/thread_info.h"

namespace libsgemm {

// Checks all but aliasing. Fills *desc. On INVALID_ARGUMENT the message in `info` names the field.
libsgemm_status_t check_conv(const ConvCall &call, ThreadInfo *info, ConvDesc *desc);

// The output must share no element with an input.
libsgemm_status_t check_conv_memory(const ConvDesc &desc, ThreadInfo *info);

libsgemm_status_t output_size(const libsgemm_conv2d_t *conv, int64_t *p, int64_t *q, ThreadInfo *info);

bool is_empty(const ConvDesc &desc);
bool has_no_terms(const ConvDesc &desc);

}  // namespace libsgemm
