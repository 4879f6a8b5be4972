// Graphs being recorded.
#include "driver.h"
#include "gpu/runtime/runtime.h"
#include "gpu/runtime/scope.h"

bool libsgemm::gpu::capturing(void *stream) {
  using namespace cuda;
  CUstreamCaptureStatus status = CU_STREAM_CAPTURE_STATUS_NONE;
  CUresult code = driver().is_capturing(static_cast<CUstream>(stream), &status);
  if (code == CUDA_ERROR_INVALID_CONTEXT && stream != nullptr) {  // a thread that has none
    Scope scope;
    Error ignored;
    if (scope.enter_stream(stream, &ignored) != LIBSGEMM_SUCCESS) return false;
    code = driver().is_capturing(static_cast<CUstream>(stream), &status);
  }
  // IMPLICIT: the default stream, while a stream that waits for it records; work on it would break that graph.
  return code == CUDA_SUCCESS ? status != CU_STREAM_CAPTURE_STATUS_NONE : code == CUDA_ERROR_STREAM_CAPTURE_IMPLICIT;
}
