#pragma once

#include "contract/backend.h"
#include "vendor.h"

namespace libsgemm::gpu {

libsgemm_status_t launch_raw(const void *kernel, dim3 grid, dim3 block, size_t shared_bytes, const Launch &launch,
                             void **arguments, Error *error);

// Enqueues zeros.
libsgemm_status_t clear(void *memory, size_t bytes, const Launch &launch, Error *error);

// Device pointer to host memory, page-locked at the first use in the device's own context. NULL if that fails, or if
// another context of the program is current. `memory` is for one device, and never freed.
void *page_locked(int device, void *memory, size_t bytes);

template <typename... Parameters, typename Enqueue, typename... Arguments>
libsgemm_status_t with_arguments(void (*)(Parameters...), const Enqueue &enqueue, const Arguments &...arguments) {
  static_assert(sizeof...(Parameters) == sizeof...(Arguments), "one argument for each parameter");
  return [&](Parameters... values) {
    void *pointers[] = {&values...};
    return enqueue(pointers);
  }(static_cast<Parameters>(arguments)...);
}

template <typename... Parameters, typename... Arguments>
libsgemm_status_t launch_kernel(void (*kernel)(Parameters...), dim3 grid, dim3 block, size_t shared_bytes,
                                const Launch &launch, Error *error, const Arguments &...arguments) {
  const auto enqueue = [&](void **pointers) {
    return launch_raw(reinterpret_cast<const void *>(kernel), grid, block, shared_bytes, launch, pointers, error);
  };
  return with_arguments(kernel, enqueue, arguments...);
}

}  // namespace libsgemm::gpu
