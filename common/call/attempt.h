// One backend's attempt at a call: launch and verification. C is restored if they fail.
#pragma once

#include "call.h"
#include "handle.h"
#include "matrix/host_copy.h"
#include "placement.h"
#include "process/loader.h"
#include "process/log.h"

namespace libsgemm {

// A call that is being dispatched.
struct Request {
  const Call &call;
  const GemmDesc &desc;
  const Settings &settings;
  libsgemm_handle *handle;
  ThreadInfo *info;
  Placement at = {};
  // The convolution, if the call is one. Then `desc` is its product_of(), and `call` has only its entry.
  const ConvDesc *conv = nullptr;
};

// Kernel that the settings force; NULL: none.
inline const Kernel *forced_kernel(const Settings &settings) {
  const KernelChoice &choice = settings.kernel;
  return choice.backend >= 0 ? &table_of(choice.backend).kernels[choice.row] : nullptr;
}

// True if the result depends on the previous contents of C, or of a convolution's output.
inline bool reads_output(const Request &r) { return r.conv != nullptr ? r.conv->beta != 0.0f : reads_c(r.desc); }

inline void *stream_of(const Request &r) { return r.handle != nullptr ? r.handle->stream : nullptr; }

// Fails for the legacy default stream while a stream that waits for it records a graph: work on the default stream
// would break that graph. Launch::capturing does not distinguish the two streams.
libsgemm_status_t refuse_to_break_graph(const Launch &launch, Error *error);

// Returns the memory of the operands of a call on device memory.
DeviceMemory device_memory(const Request &r);

// Log level for a mishap. The first of each kind on each backend is a warning; later ones appear only in the log of
// calls.
int warning_level(int index, Note::Why why);

template <typename MakeText>
void warn(int index, Note::Why why, const MakeText &make_text) {
  log_message(warning_level(index, why), make_text);
}

// Computes the call on a backend that is usable for it. On SUCCESS *r->info has the kernel and the result of
// verification.
libsgemm_status_t attempt(Request *r, int index, Error *error);

// Computes groups on device memory at once with one kernel, without verification; r->desc is one of the groups.
// NOT_SUPPORTED: no kernel can, or one group after another is predicted to be faster.
libsgemm_status_t attempt_groups(Request *r, const GemmDesc *groups, int64_t count, int index, Error *error);

}  // namespace libsgemm
