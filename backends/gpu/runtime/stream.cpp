#include "contract/streams.h"
#include "gpu/fault.h"
#include "runtime.h"
#include "scope.h"

namespace libsgemm::gpu {
namespace {

using Stream = LIBSGEMM_RUNTIME(Stream_t);
using Event = LIBSGEMM_RUNTIME(Event_t);

Stream native(void *stream) { return static_cast<Stream>(stream); }
Event native_event(void *event) { return static_cast<Event>(event); }

template <typename Call>
libsgemm_status_t on_device(int index, const char *what, Error *error, const Call &call) {
  Scope scope;
  const libsgemm_status_t status = scope.enter(index, error);
  if (status != LIBSGEMM_SUCCESS) return status;
  const RelaxedCapture relaxed;
  return status_of(call(), index, what, error);
}

Code wait(void *stream) {
  if (is_legacy_stream(stream) && capturing(-1, stream)) {
    return LIBSGEMM_RUNTIME(ErrorStreamCaptureImplicit);  // would break the graph
  }
  if (fails(Site::synchronize)) return LIBSGEMM_RUNTIME(ErrorUnknown);
  if (fails(Site::lost)) return LIBSGEMM_RUNTIME(ErrorIllegalAddress);
  if (stream == every_stream()) {
    const Code code = LIBSGEMM_RUNTIME(DeviceSynchronize)();
    // The runtime refuses while a stream records a graph; recorded work does not run yet.
    return code == LIBSGEMM_RUNTIME(ErrorStreamCaptureUnsupported) ? kSuccess : code;
  }
  return LIBSGEMM_RUNTIME(StreamSynchronize)(native(stream));
}

}  // namespace

libsgemm_status_t create_stream(int index, void **stream, Error *error) {
  *stream = nullptr;
  return on_device(index, "creating a stream", error, [stream] {
    if (fails(Site::object)) return LIBSGEMM_RUNTIME(ErrorUnknown);
    return LIBSGEMM_RUNTIME(StreamCreateWithFlags)(reinterpret_cast<Stream *>(stream),
                                                   LIBSGEMM_RUNTIME(StreamNonBlocking));
  });
}

void destroy_stream(int index, void *stream) {
  Error ignored;
  on_device(index, "destroying a stream", &ignored,
            [stream] { return LIBSGEMM_RUNTIME(StreamDestroy)(native(stream)); });
}

libsgemm_status_t create_event(int index, void **event, Error *error) {
  *event = nullptr;
  return on_device(index, "creating an event", error, [event] {
    if (fails(Site::object)) return LIBSGEMM_RUNTIME(ErrorUnknown);
    return LIBSGEMM_RUNTIME(EventCreateWithFlags)(reinterpret_cast<Event *>(event),
                                                  LIBSGEMM_RUNTIME(EventDisableTiming));
  });
}

void destroy_event(int index, void *event) {
  Error ignored;
  on_device(index, "destroying an event", &ignored,
            [event] { return LIBSGEMM_RUNTIME(EventDestroy)(native_event(event)); });
}

libsgemm_status_t record_event(int index, void *event, void *stream, Error *error) {
  return on_device(index, "recording an event", error, [=] {
    if (fails(Site::object)) return LIBSGEMM_RUNTIME(ErrorUnknown);
    return LIBSGEMM_RUNTIME(EventRecord)(native_event(event), native(stream));
  });
}

libsgemm_status_t stream_wait_event(int index, void *stream, void *event, Error *error) {
  return on_device(index, "waiting for an event", error, [=] {
    if (fails(Site::object)) return LIBSGEMM_RUNTIME(ErrorUnknown);
    return LIBSGEMM_RUNTIME(StreamWaitEvent)(native(stream), native_event(event), 0);
  });
}

libsgemm_status_t query_event(int index, void *event, bool *ended, Error *error) {
  *ended = false;
  return on_device(index, "querying an event", error, [=]() -> Code {
    if (fails(Site::synchronize)) return LIBSGEMM_RUNTIME(ErrorUnknown);
    if (fails(Site::lost)) return LIBSGEMM_RUNTIME(ErrorIllegalAddress);
    const Code code = LIBSGEMM_RUNTIME(EventQuery)(native_event(event));
    *ended = code == kSuccess;
    if (code != LIBSGEMM_RUNTIME(ErrorNotReady)) return code;
    succeeds(code);
    return kSuccess;
  });
}

void abandon(int index) {
  Error ignored;
  status_of(LIBSGEMM_TIMEOUT_CODE, index, "waiting for the device", &ignored);
}

libsgemm_status_t synchronize(int index, void *stream, Error *error) {
  constexpr const char *kWhat = "waiting for the device";
  if (index >= 0) {
    // Waiting would create a context on an unused device.
    const bool any = is_default_stream(stream) || stream == every_stream();
    if (any && !in_use(index)) return LIBSGEMM_SUCCESS;
    return on_device(index, kWhat, error, [stream] { return wait(stream); });
  }
  Scope scope;
  const libsgemm_status_t status = scope.enter_stream(stream, error);
  if (status != LIBSGEMM_SUCCESS) return status;
  const RelaxedCapture relaxed;
  return status_of(wait(stream), scope.index(), kWhat, error);
}

}  // namespace libsgemm::gpu
