#include "launch.h"

#include <cstdint>

#include "device.h"
#include "gpu/fault.h"
#include "gpu/runtime/prepare_launch.h"

namespace libsgemm::cuda {
namespace {

constexpr size_t kPlainSharedBytes = 48 << 10;  // more needs an opt-in per kernel and context

// Recent opt-ins of the thread. A lost entry costs two more calls.
struct Asked {
  const void *kernel;
  uint64_t context;
};
constexpr size_t kAskedSize = 64;
thread_local Asked t_asked[kAskedSize];

// Allows all the shared memory that a block can have: the limit belongs to the kernel, and another thread may be about
// to launch it.
cudaError_t allow_shared_memory(const void *kernel, const Scope &scope, size_t bytes, size_t most) {
  if (bytes <= kPlainSharedBytes) return cudaSuccess;
  Asked &asked = t_asked[reinterpret_cast<uintptr_t>(kernel) / 16 % kAskedSize];
  const uint64_t context = scope.context_id();
  if (asked.kernel == kernel && asked.context == context) return cudaSuccess;
  cudaFuncAttributes attributes;
  cudaError_t code = cudaFuncGetAttributes(&attributes, kernel);
  if (code == cudaSuccess) {
    code = cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                static_cast<int>(most - attributes.sharedSizeBytes));
  }
  if (code == cudaSuccess) asked = {kernel, context};
  return code;
}

}  // namespace

libsgemm_status_t launch_related_raw(const void *kernel, const Relation &relation, dim3 grid, dim3 block,
                                     size_t shared_bytes, const Launch &launch, void **arguments, Error *error) {
  Scope scope;
  const libsgemm_status_t status = prepare_launch(kernel, launch, &scope, error);
  if (status != LIBSGEMM_SUCCESS) return status;
  cudaError_t code = allow_shared_memory(kernel, scope, shared_bytes, device(launch.device).shared_memory_per_block);
  if (launch.rehearsal) return status_of(code, launch.device, kLaunching, error);
  if (code == cudaSuccess && fails(Site::launch)) code = cudaErrorLaunchOutOfResources;
  if (code == cudaSuccess) {
    cudaLaunchConfig_t config = {};
    config.gridDim = grid;
    config.blockDim = block;
    config.dynamicSmemBytes = shared_bytes;
    config.stream = static_cast<cudaStream_t>(launch.stream);
    cudaLaunchAttribute attributes[2] = {};
    config.attrs = attributes;
    if (relation.cluster > 1) {
      cudaLaunchAttribute &attribute = attributes[config.numAttrs++];
      attribute.id = cudaLaunchAttributeClusterDimension;
      attribute.val.clusterDim = {relation.cluster, 1, 1};
    }
    // PTX of an earlier architecture has no code that waits.
    if (relation.waits_itself && device(launch.device).code_arch >= 90) {
      cudaLaunchAttribute &attribute = attributes[config.numAttrs++];
      attribute.id = cudaLaunchAttributeProgrammaticStreamSerialization;
      attribute.val.programmaticStreamSerializationAllowed = 1;
    }
    code = cudaLaunchKernelExC(&config, kernel, arguments);
  }
  if (code == cudaSuccess && launch.enqueued != nullptr) *launch.enqueued = true;
  return status_of(code, launch.device, kLaunching, error);
}

libsgemm_status_t resident_clusters(const void *kernel, unsigned cluster, dim3 block, size_t shared_bytes,
                                    const Launch &launch, int *clusters, Error *error) {
  struct Answer {
    int device;
    unsigned cluster;
    size_t shared_bytes;
    int clusters;
  };
  static thread_local Answer last = {-1, 0, 0, 0};
  if (last.device != launch.device || last.cluster != cluster || last.shared_bytes != shared_bytes) {
    Scope scope;
    const libsgemm_status_t status = prepare_launch(kernel, launch, &scope, error);
    if (status != LIBSGEMM_SUCCESS) return status;
    cudaError_t code = allow_shared_memory(kernel, scope, shared_bytes, device(launch.device).shared_memory_per_block);
    cudaLaunchConfig_t config = {};
    config.gridDim = dim3(cluster), config.blockDim = block, config.dynamicSmemBytes = shared_bytes;
    cudaLaunchAttribute attribute = {};
    attribute.id = cudaLaunchAttributeClusterDimension, attribute.val.clusterDim = {cluster, 1, 1};
    config.attrs = &attribute, config.numAttrs = 1;
    int found = 0;
    if (code == cudaSuccess) code = cudaOccupancyMaxActiveClusters(&found, kernel, &config);
    if (code != cudaSuccess) return status_of(code, launch.device, kLaunching, error);
    last = {launch.device, cluster, shared_bytes, found};
  }
  *clusters = last.clusters;
  return LIBSGEMM_SUCCESS;
}

}  // namespace libsgemm::cuda

libsgemm_status_t libsgemm::gpu::launch_raw(const void *kernel, dim3 grid, dim3 block, size_t shared_bytes,
                                            const Launch &launch, void **arguments, Error *error) {
  return cuda::launch_related_raw(kernel, {}, grid, block, shared_bytes, launch, arguments, error);
}

libsgemm_status_t libsgemm::gpu::clear(void *memory, size_t bytes, const Launch &launch, Error *error) {
  Scope scope;
  const libsgemm_status_t status = scope.enter(launch.device, error);
  if (status != LIBSGEMM_SUCCESS || launch.rehearsal) return status;
  return status_of(cudaMemsetAsync(memory, 0, bytes, static_cast<cudaStream_t>(launch.stream)), launch.device,
                   "clearing workspace", error);
}
