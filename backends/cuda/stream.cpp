// Streams, events, waiting, and graphs being recorded.
#include "context.h"
#include "driver.h"
#include "gpu/fault.h"
#include "launch.h"
#include "runtime.h"

namespace libsgemm::cuda {
namespace {

cudaStream_t native(void *stream) { return static_cast<cudaStream_t>(stream); }
cudaEvent_t native_event(void *event) { return static_cast<cudaEvent_t>(event); }

// Runs `call` with the device current.
template <typename Call>
libsgemm_status_t on_device(int index, const char *what, Error *error, const Call &call) {
  Scope scope;
  const libsgemm_status_t status = scope.enter(index, error);
  if (status != LIBSGEMM_SUCCESS) return status;
  const RelaxedCapture relaxed;
  const cudaError_t code = call();
  return code == cudaSuccess ? LIBSGEMM_SUCCESS : failure(code, what, error);
}

cudaError_t wait(void *stream) {
  if (stream == nullptr && capturing(stream)) return cudaErrorStreamCaptureImplicit;  // asking would break the graph
  if (fails(Site::synchronize)) return cudaErrorUnknown;
  if (fails(Site::lost)) return cudaErrorIllegalAddress;
  return cudaStreamSynchronize(native(stream));
}

}  // namespace

bool capturing(void *stream) {
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

libsgemm_status_t create_stream(int index, void **stream, Error *error) {
  *stream = nullptr;
  return on_device(index, "making a stream", error, [stream] {
    return cudaStreamCreateWithFlags(reinterpret_cast<cudaStream_t *>(stream), cudaStreamNonBlocking);
  });
}

void destroy_stream(int index, void *stream) {
  Error ignored;
  on_device(index, "ending a stream", &ignored, [stream] { return cudaStreamDestroy(native(stream)); });
}

libsgemm_status_t create_event(int index, void **event, Error *error) {
  *event = nullptr;
  return on_device(index, "making an event", error, [event] {
    return cudaEventCreateWithFlags(reinterpret_cast<cudaEvent_t *>(event), cudaEventDisableTiming);
  });
}

void destroy_event(int index, void *event) {
  Error ignored;
  on_device(index, "ending an event", &ignored, [event] { return cudaEventDestroy(native_event(event)); });
}

libsgemm_status_t record_event(int index, void *event, void *stream, Error *error) {
  return on_device(index, "recording an event", error,
                   [=] { return cudaEventRecord(native_event(event), native(stream)); });
}

libsgemm_status_t stream_wait_event(int index, void *stream, void *event, Error *error) {
  return on_device(index, "waiting for an event", error,
                   [=] { return cudaStreamWaitEvent(native(stream), native_event(event), 0); });
}

libsgemm_status_t synchronize(int index, void *stream, Error *error) {
  constexpr const char *kWhat = "waiting for the device";
  if (index >= 0) {
    // A device without a context has no work to wait for, and gets none for that.
    if (stream == nullptr && !in_use(index)) return LIBSGEMM_SUCCESS;
    return on_device(index, kWhat, error, [stream] { return wait(stream); });
  }
  Scope scope;
  const libsgemm_status_t status = scope.enter_stream(stream, error);
  if (status != LIBSGEMM_SUCCESS) return status;
  const RelaxedCapture relaxed;
  const cudaError_t code = wait(stream);
  return code == cudaSuccess ? LIBSGEMM_SUCCESS : failure(code, kWhat, error);
}

}  // namespace libsgemm::cuda
