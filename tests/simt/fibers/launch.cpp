#include "gpu/launch.h"

#include "simt.h"

libsgemm_status_t libsgemm::gpu::launch_on_cpu(const void *kernel, const simt::Configuration &configuration,
                                               const std::function<void()> &body, Error *error) {
  const std::string fault = simt::run(kernel, configuration, body);
  if (fault.empty()) return LIBSGEMM_SUCCESS;
  set_error(error, "%s", fault.c_str());
  return LIBSGEMM_EXECUTION_FAILED;
}
