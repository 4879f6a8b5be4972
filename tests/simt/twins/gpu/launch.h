// Replaces backends/gpu/launch.h: runs the kernel in the CPU emulation.
#pragma once

#include <cstring>
#include <tuple>
#include <type_traits>

#include "contract/backend.h"
#include "device_model.h"
#include "vendor.h"

namespace libsgemm::gpu {

libsgemm_status_t launch_on_cpu(const void *kernel, const simt::Configuration &configuration,
                                const std::function<void()> &body, Error *error);

// True if the parameter needs a driver that permits more than 4 KiB of parameters.
template <typename T, typename = void>
struct has_large_parameters : std::false_type {};
template <typename T>
struct has_large_parameters<T, std::enable_if_t<T::large_parameters>> : std::true_type {};

template <typename... Parameters, typename... Arguments>
libsgemm_status_t launch_on_cpu(void (*kernel)(Parameters...), const simt::Configuration &configuration,
                                const Launch &launch, Error *error, const Arguments &...arguments) {
  static_assert(sizeof...(Parameters) == sizeof...(Arguments), "one argument for each parameter");
  static_assert((sizeof(Parameters) + ... + 0) <= ((has_large_parameters<Parameters>::value || ...) ? 32764 : 4096),
                "a kernel has at most 4 KiB of parameters, by late drivers of NVIDIA's 32764 bytes");
  if (launch.rehearsal) return LIBSGEMM_SUCCESS;
  if (launch.enqueued != nullptr) *launch.enqueued = true;
  const std::tuple<Parameters...> values(static_cast<Parameters>(arguments)...);
  return launch_on_cpu(
      reinterpret_cast<const void *>(kernel), configuration, [&] { std::apply(kernel, values); }, error);
}

template <typename... Parameters, typename... Arguments>
libsgemm_status_t launch_kernel(void (*kernel)(Parameters...), dim3 grid, dim3 block, size_t shared_bytes,
                                const Launch &launch, Error *error, const Arguments &...arguments) {
  const DeviceModel &device = model(launch.device);
  if (shared_bytes > device.shared_memory_per_block) {
    set_error(error, "%zu bytes of shared memory are more than a block can have", shared_bytes);
    return LIBSGEMM_EXECUTION_FAILED;
  }
  return launch_on_cpu(kernel, {grid, block, shared_bytes, 1, static_cast<unsigned>(device.wave)}, launch, error,
                       arguments...);
}

inline void *page_locked(int, void *memory, size_t) { return memory; }

inline libsgemm_status_t clear(void *memory, size_t bytes, const Launch &launch, Error *) {
  if (!launch.rehearsal) std::memset(memory, 0, bytes);
  return LIBSGEMM_SUCCESS;
}

}  // namespace libsgemm::gpu
