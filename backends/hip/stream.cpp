// Streams, events, waiting, and graphs being recorded.
#include "device.h"
#include "gpu/fault.h"
#include "launch.h"
#include "runtime.h"
#include "scope.h"

namespace libsgemm::hip {
namespace {

hipStream_t native(void *stream) { return static_cast<hipStream_t>(stream); }
hipEvent_t native_event(void *event) { return static_cast<hipEvent_t>(event); }

// Runs `call` with the device current.
template <typename Call>
libsgemm_status_t on_device(int index, const char *what, Error *error, const Call &call) {
  Scope scope;
  const libsgemm_status_t status = scope.enter(index, error);
  if (status != LIBSGEMM_SUCCESS) return status;
  const RelaxedCapture relaxed;
  const hipError_t code = call();
  return code == hipSuccess ? LIBSGEMM_SUCCESS : failure(code, what, error);
}

hipError_t wait(void *stream) {
  if (stream == nullptr && capturing(stream)) return hipErrorStreamCaptureImplicit;  // asking would break the graph
  if (fails(Site::synchronize)) return hipErrorUnknown;
  if (fails(Site::lost)) return hipErrorIllegalAddress;
  return hipStreamSynchronize(native(stream));
}

// The device of a stream. HIP before 5.6 does not tell: it is taken for the current one.
int index_of_stream(void *stream) {
  int ordinal = -1;
#if HIP_VERSION >= 50600000
  if (stream != nullptr && hipStreamGetDevice(native(stream), &ordinal) == hipSuccess) return index_of(ordinal);
#else
  static_cast<void>(stream);
#endif
  return hipGetDevice(&ordinal) == hipSuccess ? index_of(ordinal) : -1;
}

}  // namespace

bool capturing(void *stream) {
  if (!runtime_in_use()) return false;  // asking HIP would initialise it
  hipStreamCaptureStatus status = hipStreamCaptureStatusNone;
  const hipError_t code = hipStreamIsCapturing(native(stream), &status);
  if (code == hipSuccess) return status != hipStreamCaptureStatusNone;
  static_cast<void>(hipGetLastError());
  // The default stream, while a stream that waits for it records; work on it would break that graph.
  return code == hipErrorStreamCaptureImplicit;
}

libsgemm_status_t create_stream(int index, void **stream, Error *error) {
  *stream = nullptr;
  return on_device(index, "making a stream", error, [stream] {
    return hipStreamCreateWithFlags(reinterpret_cast<hipStream_t *>(stream), hipStreamNonBlocking);
  });
}

void destroy_stream(int index, void *stream) {
  Error ignored;
  on_device(index, "ending a stream", &ignored, [stream] { return hipStreamDestroy(native(stream)); });
}

libsgemm_status_t create_event(int index, void **event, Error *error) {
  *event = nullptr;
  return on_device(index, "making an event", error, [event] {
    return hipEventCreateWithFlags(reinterpret_cast<hipEvent_t *>(event), hipEventDisableTiming);
  });
}

void destroy_event(int index, void *event) {
  Error ignored;
  on_device(index, "ending an event", &ignored, [event] { return hipEventDestroy(native_event(event)); });
}

libsgemm_status_t record_event(int index, void *event, void *stream, Error *error) {
  return on_device(index, "recording an event", error,
                   [=] { return hipEventRecord(native_event(event), native(stream)); });
}

libsgemm_status_t stream_wait_event(int index, void *stream, void *event, Error *error) {
  return on_device(index, "waiting for an event", error,
                   [=] { return hipStreamWaitEvent(native(stream), native_event(event), 0); });
}

libsgemm_status_t synchronize(int index, void *stream, Error *error) {
  constexpr const char *kWhat = "waiting for the device";
  if (index >= 0) {
    // A device that nobody has used has no work to wait for.
    if (stream == nullptr && !in_use(index)) return LIBSGEMM_SUCCESS;
    return on_device(index, kWhat, error, [stream] { return wait(stream); });
  }
  const int own = index_of_stream(stream);
  if (own >= 0) return on_device(own, kWhat, error, [stream] { return wait(stream); });
  const RelaxedCapture relaxed;  // a device that LIBSGEMM_DEVICES leaves out
  const hipError_t code = wait(stream);
  return code == hipSuccess ? LIBSGEMM_SUCCESS : failure(code, kWhat, error);
}

}  // namespace libsgemm::hip
