// One backend's attempt at a call: launch and verification. C is restored if they fail.
#pragma once

#include "call.h"
#include "handle.h"
#include "matrix/host_copy.h"
#include "placement.h"
#include "process/loader.h"
#include "process/log.h"

namespace libsgemm {

struct Request {
  const Call &call;
  const GemmDesc &desc;
  const Settings &settings;
  libsgemm_handle *handle;
  ThreadInfo *info;
  Placement at = {};
  // NULL: a product. Otherwise `desc` is its product_of(), and `call` has only the entry.
  const ConvDesc *conv = nullptr;
};

inline const Kernel *forced_kernel(const Settings &settings) {
  const KernelChoice &choice = settings.kernel;
  return choice.backend >= 0 ? &table_of(choice.backend).kernels[choice.row] : nullptr;
}

inline bool reads_output(const Request &r) { return r.conv != nullptr ? r.conv->beta != 0.0f : reads_c(r.desc); }

inline void *stream_of(const Request &r) { return r.handle != nullptr ? r.handle->stream : nullptr; }

// Fails on the legacy default stream while a stream that waits for it records a graph: the work would break the graph.
// Launch::capturing does not distinguish the two streams.
libsgemm_status_t refuse_to_break_graph(const Launch &launch, Error *error);

DeviceMemory device_memory(const Request &r);

// A warning for the first of each kind on each backend; later ones only in the log of calls.
int warning_level(int index, Note::Why why);

template <typename MakeText>
void warn(int index, Note::Why why, const MakeText &make_text) {
  log_message(warning_level(index, why), make_text);
}

// The backend must be usable. On SUCCESS *r->info has the kernel and the result of verification.
libsgemm_status_t attempt(Request *r, int index, Error *error);

// On device memory, by one kernel, without verification; r->desc is one of the groups. NOT_SUPPORTED: no kernel can, or
// group by group is predicted to be faster.
libsgemm_status_t attempt_groups(Request *r, const GemmDesc *groups, int64_t count, int index, Error *error);

}  // namespace libsgemm
