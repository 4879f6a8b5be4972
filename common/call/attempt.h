// One backend's attempt at a call: launch and verification. C is restored if they fail.
#pragma once

#include "call.h"
#include "handle.h"
#include "matrix/host_copy.h"
#include "operation.h"
#include "placement.h"
#include "process/loader.h"
#include "process/log.h"

namespace libsgemm {

struct Request {
  const Caller &caller;
  Operation operation;
  const Settings &settings;
  libsgemm_handle *handle;
  ThreadInfo *info;
  Placement at = {};
};

inline const Kernel *forced_kernel(const Settings &settings) {
  const KernelChoice &choice = settings.kernel;
  return choice.backend >= 0 ? &table_of(choice.backend).kernels[choice.index] : nullptr;
}

inline void *stream_of(const Request &r) { return r.handle != nullptr ? r.handle->stream : nullptr; }

// Fails on the legacy default stream if a stream that waits for it records a graph, which the work would break.
// Launch::capturing does not distinguish the two streams.
libsgemm_status_t refuse_to_break_graph(const Launch &launch, Error *error);

DeviceMemory device_memory(const Request &r);

// A warning for the first of each kind on each backend; later ones only in the log of calls.
int warning_level(int index, Note::Why why);

template <typename MakeText>
void warn(int index, Note::Why why, const MakeText &make_text) {
  log_message(warning_level(index, why), make_text);
}

// The backend must be usable. On SUCCESS *r->info has the kernel and the result of verification. NOT_SUPPORTED: no
// kernel can do it, or groups are predicted to be faster one by one.
libsgemm_status_t attempt(Request *r, int index, Error *error);

}  // namespace libsgemm
