// Memory and copies.
#include <algorithm>

#include "device.h"
#include "gpu/fault.h"
#include "launch.h"
#include "runtime.h"
#include "scope.h"

namespace libsgemm::hip {
namespace {

constexpr int64_t kMostColumns = 1 << 30;  // of one call of the runtime
constexpr size_t kMostPitch = 0x7fffffff;  // of one call of the runtime

hipError_t enqueue(const Copy &x, hipStream_t stream) {
  if (stream == nullptr && capturing(stream)) return hipErrorStreamCaptureImplicit;  // trying would break the graph
  const hipMemcpyKind kind = x.direction == Copy::to_device ? hipMemcpyHostToDevice : hipMemcpyDeviceToHost;
  const bool dense = x.target_pitch == x.bytes && x.source_pitch == x.bytes;
  if (dense || x.columns == 1) {
    return hipMemcpyAsync(x.target, x.source, x.bytes * static_cast<size_t>(x.columns), kind, stream);
  }
  const bool pitched = std::max(x.target_pitch, x.source_pitch) <= kMostPitch;
  const int64_t step = pitched ? kMostColumns : 1;
  for (int64_t j = 0; j < x.columns; j += step) {
    void *target = static_cast<char *>(x.target) + static_cast<size_t>(j) * x.target_pitch;
    const void *source = static_cast<const char *>(x.source) + static_cast<size_t>(j) * x.source_pitch;
    const auto count = static_cast<size_t>(std::min(step, x.columns - j));
    const hipError_t code =
        pitched ? hipMemcpy2DAsync(target, x.target_pitch, source, x.source_pitch, x.bytes, count, kind, stream)
                : hipMemcpyAsync(target, source, x.bytes, kind, stream);
    if (code != hipSuccess) return code;
  }
  return hipSuccess;
}

}  // namespace

libsgemm_status_t allocate(int index, size_t bytes, void **memory, Error *error) {
  *memory = nullptr;
  Scope scope;
  const libsgemm_status_t status = scope.enter(index, error);
  if (status != LIBSGEMM_SUCCESS) return status;
  const RelaxedCapture relaxed;
  const hipError_t code = fails(Site::allocate) ? hipErrorOutOfMemory : hipMalloc(memory, std::max<size_t>(bytes, 1));
  if (code == hipSuccess) return LIBSGEMM_SUCCESS;
  *memory = nullptr;
  if (code != hipErrorOutOfMemory) return failure(code, "allocating device memory", error);
  static_cast<void>(hipGetLastError());
  set_error(error, "device %d (%s) has no memory for %zu bytes more", device(index).ordinal, device(index).name, bytes);
  return LIBSGEMM_OUT_OF_MEMORY;
}

void release(int index, void *memory) {
  Scope scope;
  Error ignored;
  if (scope.enter(index, &ignored) != LIBSGEMM_SUCCESS) return;
  const RelaxedCapture relaxed;
  if (hipFree(memory) != hipSuccess) static_cast<void>(hipGetLastError());
}

libsgemm_status_t memory(int index, size_t *free_bytes, size_t *total_bytes, Error *error) {
  Scope scope;
  const libsgemm_status_t status = scope.enter(index, error);
  if (status != LIBSGEMM_SUCCESS) return status;
  const hipError_t code = hipMemGetInfo(free_bytes, total_bytes);
  return code == hipSuccess ? LIBSGEMM_SUCCESS : failure(code, "asking for the free memory", error);
}

libsgemm_status_t allocate_pinned(size_t bytes, void **memory, Error *error) {
  *memory = nullptr;
  Scope scope;
  const libsgemm_status_t status = scope.enter(0, error);
  if (status != LIBSGEMM_SUCCESS) return status;
  const RelaxedCapture relaxed;
  const hipError_t code = hipHostMalloc(memory, std::max<size_t>(bytes, 1), hipHostMallocPortable);
  return code == hipSuccess ? LIBSGEMM_SUCCESS : failure(code, "allocating page-locked memory", error);
}

void release_pinned(void *memory) {
  Scope scope;
  Error ignored;
  if (scope.enter(0, &ignored) != LIBSGEMM_SUCCESS) return;
  const RelaxedCapture relaxed;
  if (hipHostFree(memory) != hipSuccess) static_cast<void>(hipGetLastError());
}

libsgemm_status_t copy(int index, const Copy &what, void *stream, Error *error) {
  if (what.bytes == 0 || what.columns == 0) return LIBSGEMM_SUCCESS;
  Scope scope;
  const libsgemm_status_t status = scope.enter(index, error);
  if (status != LIBSGEMM_SUCCESS) return status;
  const RelaxedCapture relaxed;
  const hipError_t code = fails(Site::copy) ? hipErrorInvalidValue : enqueue(what, static_cast<hipStream_t>(stream));
  if (code == hipSuccess) return LIBSGEMM_SUCCESS;
  return failure(code, what.direction == Copy::to_device ? "copying to the device" : "copying from the device", error);
}

}  // namespace libsgemm::hip
