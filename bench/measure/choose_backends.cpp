#include "choose_backends.h"

#include <fmt/core.h>

#include <algorithm>

namespace command {
namespace {

// Compares memories, not names: the tests have a HIP backend that computes on an NVIDIA GPU.
bool reaches(const Backend &backend, const Memory &memory) {
  if (memory.backend() == nullptr || backend.info.name == std::string(memory.backend())) return true;
  libsgemm_device_info_t device;
  return memory.arch() != nullptr && backend.info.is_gpu != 0 &&
         libsgemm_device_describe(backend.index, 0, &device) == LIBSGEMM_SUCCESS &&
         device.arch == std::string(memory.arch());
}

}  // namespace

std::vector<Backend> choose_backends(const BenchOptions &options, const Memory &memory) {
  std::vector<Backend> backends;
  for (const std::string &name : options.backends) {
    backends.push_back(find_available_backend(name));
    if (!reaches(backends.back(), memory)) {
      throw Error(
          fmt::format("--backend {}: cannot compute on the operands of --peer {}, which lie in the memory of {}", name,
                      options.peer, memory.backend()));
    }
  }
  if (memory.backend() != nullptr && backends.empty()) {
    backends.push_back(find_available_backend(memory.backend()));
  }
  if (backends.empty()) backends = all_backends();
  const auto useless = [&options](const Backend &backend) {
    return backend.info.available == 0 || (!options.kernel.empty() && !has_kernel(backend, options.kernel));
  };
  backends.erase(std::remove_if(backends.begin(), backends.end(), useless), backends.end());
  if (backends.empty()) refuse_kernel(options.kernel);
  return backends;
}

}  // namespace command
