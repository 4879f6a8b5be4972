// Streams whose work is being captured into a graph.
#include "gpu/runtime/code.h"
#include "gpu/runtime/runtime.h"
#include "gpu/runtime/scope.h"
#include "in_use.h"

namespace libsgemm::gpu {

bool capturing(int index, void *stream) {
  if (!hip::runtime_in_use()) return false;  // the call would initialise HIP
  Scope scope;
  Error ignored;
  if (index >= 0 && (!in_use(index) || scope.enter(index, &ignored) != LIBSGEMM_SUCCESS)) return false;
  hipStreamCaptureStatus status = hipStreamCaptureStatusNone;
  const hipError_t code = hipStreamIsCapturing(static_cast<hipStream_t>(stream), &status);
  if (succeeds(code)) return status != hipStreamCaptureStatusNone;
  // `stream` is the default stream, and work on it would break the graph of a captured stream that waits for it.
  return code == hipErrorStreamCaptureImplicit;
}

uint64_t graph(int index, void *stream) {
  Scope scope;
  Error ignored;
  if (scope.enter(index, &ignored) != LIBSGEMM_SUCCESS) return 0;
  hipStreamCaptureStatus status = hipStreamCaptureStatusNone;
  unsigned long long id = 0;
  const hipError_t code = hipStreamGetCaptureInfo(static_cast<hipStream_t>(stream), &status, &id);
  return succeeds(code) && status == hipStreamCaptureStatusActive ? id : 0;
}

// HIP has no contexts, and does not report a reset.
uint64_t context(int) { return 1; }
uint64_t Scope::context_id() const { return 1; }

}  // namespace libsgemm::gpu
