// Graphs being recorded.
#include "gpu/runtime/code.h"
#include "gpu/runtime/runtime.h"
#include "in_use.h"

bool libsgemm::gpu::capturing(void *stream) {
  if (!hip::runtime_in_use()) return false;  // asking HIP would initialise it
  hipStreamCaptureStatus status = hipStreamCaptureStatusNone;
  const hipError_t code = hipStreamIsCapturing(static_cast<hipStream_t>(stream), &status);
  if (succeeds(code)) return status != hipStreamCaptureStatusNone;
  // The default stream, while a stream that waits for it records; work on it would break that graph.
  return code == hipErrorStreamCaptureImplicit;
}
