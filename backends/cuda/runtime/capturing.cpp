// Streams whose work is being captured into a graph.
#include <cuda_runtime.h>

#include "driver.h"
#include "gpu/runtime/code.h"
#include "gpu/runtime/runtime.h"
#include "gpu/runtime/scope.h"
#include "graph.h"

namespace libsgemm::gpu {

using namespace cuda;

namespace {

// Enters the device's context, or the stream's if index < 0. False if there is none: then the device has no streams, or
// the thread no default stream.
bool enter_for(int index, void *stream, Scope *scope) {
  Error ignored;
  if (index < 0 && is_default_stream(stream)) {
    CUcontext context = nullptr;
    return driver().current_context(&context) == CUDA_SUCCESS && context != nullptr;
  }
  if (index < 0) return scope->enter_stream(stream, &ignored) == LIBSGEMM_SUCCESS;
  return in_use(index) && scope->enter(index, &ignored) == LIBSGEMM_SUCCESS;
}

}  // namespace

bool capturing(int index, void *stream) {
  CUstreamCaptureStatus status = CU_STREAM_CAPTURE_STATUS_NONE;
  Scope scope;
  if (!enter_for(index, stream, &scope)) return false;
  const CUresult code = driver().is_capturing(static_cast<CUstream>(stream), &status);
  // IMPLICIT: `stream` is the default stream, and work on it would break the graph that another stream records.
  return code == CUDA_SUCCESS ? status != CU_STREAM_CAPTURE_STATUS_NONE : code == CUDA_ERROR_STREAM_CAPTURE_IMPLICIT;
}

namespace {

bool recorded(void *stream, cudaGraph_t *graph, unsigned long long *id) {
  cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
  const cudaError_t code =
      cudaStreamGetCaptureInfo(static_cast<cudaStream_t>(stream), &status, id, graph, nullptr, nullptr, nullptr);
  return succeeds(code) && status == cudaStreamCaptureStatusActive;
}

}  // namespace

uint64_t graph(int index, void *stream) {
  Scope scope;
  Error ignored;
  cudaGraph_t graph = nullptr;
  unsigned long long id = 0;
  const bool known = scope.enter(index, &ignored) == LIBSGEMM_SUCCESS && recorded(stream, &graph, &id);
  return known ? id : 0;
}

}  // namespace libsgemm::gpu

libsgemm_status_t libsgemm::cuda::keep_with_graph(int index, void *stream, void (*ended)(void *what), void *what,
                                                  Error *error) {
  constexpr const char *kWhat = "keeping memory with a graph";
  Scope scope;
  const libsgemm_status_t status = scope.enter(index, error);
  if (status != LIBSGEMM_SUCCESS) return status;
  const RelaxedCapture relaxed;
  cudaGraph_t graph = nullptr;
  unsigned long long id = 0;
  if (!recorded(stream, &graph, &id)) return status_of(cudaErrorStreamCaptureInvalidated, index, kWhat, error);
  cudaUserObject_t object = nullptr;
  cudaError_t code = cudaUserObjectCreate(&object, what, ended, 1, cudaUserObjectNoDestructorSync);
  if (code != cudaSuccess) return status_of(code, index, kWhat, error);
  code = cudaGraphRetainUserObject(graph, object, 1, cudaGraphUserObjectMove);
  // Releasing the object calls ended(), as the end of the graph would.
  if (code != cudaSuccess) succeeds(cudaUserObjectRelease(object, 1));
  return status_of(code, index, kWhat, error);
}
