// One backend's attempt at a call: launch, verification, and C as it was if that fails.
#pragma once

#include "call.h"
#include "handle.h"
#include "matrix/host_copy.h"
#include "placement.h"
#include "process/loader.h"
#include "process/log.h"

namespace libsgemm {

// A call on its way.
struct Request {
  const Call &call;
  const GemmDesc &desc;
  const Settings &settings;
  libsgemm_handle *handle;
  ThreadInfo *info;
  Placement at = {};
  const ConvDesc *conv = nullptr;  // of a convolution; `desc` is its product_of(), and `call` has no more than a name
};

// The row that the settings force; NULL: none.
inline const Kernel *forced_kernel(const Settings &settings) {
  const KernelChoice &choice = settings.kernel;
  return choice.backend >= 0 ? &table_of(choice.backend).kernels[choice.row] : nullptr;
}

// Whether the result depends on what C, or a convolution's output, held before.
inline bool reads_output(const Request &r) { return r.conv != nullptr ? r.conv->beta != 0.0f : reads_c(r.desc); }

inline void *stream_of(const Request &r) { return r.handle != nullptr ? r.handle->stream : nullptr; }

// Work on the default stream would break a graph that another stream records; which one cannot tell from that graph's.
libsgemm_status_t refuse_to_break_graph(const Launch &launch, Error *error);

// Of a call on device memory.
DeviceMemory device_memory(const Request &r);

// One line on stderr for each kind of mishap of each backend; the rest only in the log.
int warning_level(int index, Note::Why why);

template <typename MakeText>
void warn(int index, Note::Why why, const MakeText &make_text) {
  log_message(warning_level(index, why), make_text);
}

// Computes the call on a backend that is usable for it. SUCCESS: *r->info has the kernel and what verification found.
libsgemm_status_t attempt(Request *r, int index, Error *error);

// Computes groups on device memory by one row at once, without verification; r->desc is one of them. NOT_SUPPORTED: no
// row can, or one after the other is predicted to be faster.
libsgemm_status_t attempt_groups(Request *r, const GemmDesc *groups, int64_t count, int index, Error *error);

}  // namespace libsgemm
