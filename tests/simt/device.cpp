// The artificial GPU that the rows are asked about and launched on.
#include "device.h"

#include "launch.h"

namespace libsgemm::cuda {

const Device &device(int) {
  static const Device instance = [] {
    Device d = {};
    d.arch = 90;
    d.multiprocessors = simt::schedule().multiprocessors;
    d.ffma_per_clock = 128;
    d.l2_bytes = 1 << 20;
    d.shared_memory_per_block = simt::kMaxSharedBytes;
    d.clock = 1.98e9;
    d.memory_bandwidth = 100e9;
    return d;
  }();
  return instance;
}

libsgemm_status_t launch_on_cpu(const void *kernel, const simt::Configuration &configuration,
                                const std::function<void()> &body, Error *error) {
  const std::string fault = simt::run(kernel, configuration, body);
  if (fault.empty()) return LIBSGEMM_SUCCESS;
  set_error(error, "%s", fault.c_str());
  return LIBSGEMM_EXECUTION_FAILED;
}

}  // namespace libsgemm::cuda
