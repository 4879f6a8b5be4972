// Checks of a convolution's arguments, once for every backend.
#pragma once

#include "conv/call.h"
#include "process/thread_info.h"

namespace libsgemm {

// Checks everything but aliasing and, if legal, fills *desc. An illegal call is reported in `info` (INVALID_ARGUMENT,
// position, message), a field of the description by its name.
libsgemm_status_t check_conv(const ConvCall &call, ThreadInfo *info, ConvDesc *desc);

// Checks that the output shares no element with an input.
libsgemm_status_t check_conv_memory(const ConvDesc &desc, ThreadInfo *info);

// libsgemm_conv2d_output_size.
libsgemm_status_t output_size(const libsgemm_conv2d_t *conv, int64_t *p, int64_t *q, ThreadInfo *info);

// True if the output has no element; true if no element has a term.
bool is_empty(const ConvDesc &desc);
bool has_no_terms(const ConvDesc &desc);

}  // namespace libsgemm
