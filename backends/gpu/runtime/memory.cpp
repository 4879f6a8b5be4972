#include <algorithm>

#include "gpu/device_model.h"
#include "gpu/fault.h"
#include "runtime.h"
#include "scope.h"

namespace libsgemm::gpu {
namespace {

using Stream = LIBSGEMM_RUNTIME(Stream_t);

constexpr int64_t kMostColumns = 1 << 30;  // limit of one call of the runtime
constexpr size_t kMostPitch = 0x7fffffff;  // limit of every device

// A test's fault: 0x4b4b4b4b is 13 million as a float.
Code falsify(const void *element, Stream stream) {
  return LIBSGEMM_RUNTIME(MemsetAsync)(const_cast<void *>(element), 0x4b, sizeof(float), stream);
}

Code enqueue(const Copy &x, Stream stream) {
  if (is_legacy_stream(stream) && capturing(-1, stream)) {
    return LIBSGEMM_RUNTIME(ErrorStreamCaptureImplicit);  // would break the graph
  }
  constexpr LIBSGEMM_RUNTIME(MemcpyKind)
      kKinds[] = {LIBSGEMM_RUNTIME(MemcpyHostToDevice), LIBSGEMM_RUNTIME(MemcpyDeviceToHost),
                  LIBSGEMM_RUNTIME(MemcpyDeviceToDevice)};
  const LIBSGEMM_RUNTIME(MemcpyKind) kind = kKinds[x.direction];
  const bool dense = x.target_pitch == x.bytes && x.source_pitch == x.bytes;
  if (dense || x.columns == 1) {
    return LIBSGEMM_RUNTIME(MemcpyAsync)(x.target, x.source, x.bytes * static_cast<size_t>(x.columns), kind, stream);
  }
  const bool pitched = std::max(x.target_pitch, x.source_pitch) <= kMostPitch;
  const int64_t step = pitched ? kMostColumns : 1;
  for (int64_t j = 0; j < x.columns; j += step) {
    void *target = static_cast<char *>(x.target) + static_cast<size_t>(j) * x.target_pitch;
    const void *source = static_cast<const char *>(x.source) + static_cast<size_t>(j) * x.source_pitch;
    const auto count = static_cast<size_t>(std::min(step, x.columns - j));
    const Code code = pitched ? LIBSGEMM_RUNTIME(Memcpy2DAsync)(target, x.target_pitch, source, x.source_pitch, x.bytes,
                                                                count, kind, stream)
                              : LIBSGEMM_RUNTIME(MemcpyAsync)(target, source, x.bytes, kind, stream);
    if (code != kSuccess) return code;
  }
  return kSuccess;
}

}  // namespace

libsgemm_status_t allocate(int index, size_t bytes, void **memory, Error *error) {
  *memory = nullptr;
  Scope scope;
  const libsgemm_status_t status = scope.enter(index, error);
  if (status != LIBSGEMM_SUCCESS) return status;
  const RelaxedCapture relaxed;
  const Code code = fails(Site::allocate) ? LIBSGEMM_OUT_OF_MEMORY_CODE
                                          : LIBSGEMM_RUNTIME(Malloc)(memory, std::max<size_t>(bytes, 1));
  if (code == kSuccess) return LIBSGEMM_SUCCESS;
  *memory = nullptr;
  if (code != LIBSGEMM_OUT_OF_MEMORY_CODE) return status_of(code, index, "allocating device memory", error);
  succeeds(code);
  set_error(error, "device %d (%s) has no memory for %zu more bytes", model(index).ordinal, model(index).name, bytes);
  return LIBSGEMM_OUT_OF_MEMORY;
}

void release(int index, void *memory) {
  Scope scope;
  Error ignored;
  if (scope.enter(index, &ignored) != LIBSGEMM_SUCCESS) return;
  const RelaxedCapture relaxed;
  succeeds(LIBSGEMM_RUNTIME(Free)(memory));
}

libsgemm_status_t memory(int index, size_t *free_bytes, size_t *total_bytes, Error *error) {
  Scope scope;
  const libsgemm_status_t status = scope.enter(index, error);
  if (status != LIBSGEMM_SUCCESS) return status;
  const Code code =
      fails(Site::memory) ? LIBSGEMM_RUNTIME(ErrorUnknown) : LIBSGEMM_RUNTIME(MemGetInfo)(free_bytes, total_bytes);
  return status_of(code, index, "querying the free memory", error);
}

libsgemm_status_t allocate_pinned(int index, size_t bytes, void **memory, Error *error) {
  *memory = nullptr;
  Scope scope;
  const libsgemm_status_t status = scope.enter(index, error);
  if (status != LIBSGEMM_SUCCESS) return status;
  const RelaxedCapture relaxed;
  const Code code = fails(Site::pinned)
                        ? LIBSGEMM_OUT_OF_MEMORY_CODE
                        : LIBSGEMM_HOST_MALLOC(memory, std::max<size_t>(bytes, 1), LIBSGEMM_HOST_PORTABLE);
  return status_of(code, index, "allocating page-locked memory", error);
}

bool release_pinned(int index, void *memory) {
  Scope scope;
  Error ignored;
  if (scope.enter(index, &ignored) != LIBSGEMM_SUCCESS) return false;
  const RelaxedCapture relaxed;
  succeeds(LIBSGEMM_HOST_FREE(memory));
  return true;
}

namespace {

Code enqueue_falsified(const Copy &x, Stream stream) {
  const bool up = x.direction == Copy::to_device;
  const Code first = up ? enqueue(x, stream) : falsify(x.source, stream);
  if (first != kSuccess) return first;
  return up ? falsify(x.target, stream) : enqueue(x, stream);
}

}  // namespace

libsgemm_status_t copy(int index, const Copy &what, void *stream, Error *error) {
  if (what.bytes == 0 || what.columns == 0) return LIBSGEMM_SUCCESS;
  Scope scope;
  const libsgemm_status_t status = scope.enter(index, error);
  if (status != LIBSGEMM_SUCCESS) return status;
  const RelaxedCapture relaxed;
  const auto native = static_cast<Stream>(stream);
  const bool fault = fails(Site::copy);
  const Code code = fault               ? LIBSGEMM_RUNTIME(ErrorInvalidValue)
                    : fails(Site::flip) ? enqueue_falsified(what, native)
                                        : enqueue(what, native);
  constexpr const char *kWhat[] = {"copying to the device", "copying from the device", "copying within the device"};
  return status_of(code, index, kWhat[what.direction], error);
}

}  // namespace libsgemm::gpu
