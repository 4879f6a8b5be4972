// libsgemm_hip.so: AMD GPUs. It is linked with the HIP runtime, libamdhip64.so; where that is missing, the loader says
// so.
#include "backend.h"

#include <hip/hip_runtime.h>
#include <unistd.h>

#include "device.h"
#include "gpu/fault.h"
#include "gpu/kernels.h"
#include "runtime.h"

namespace libsgemm::hip {
namespace {

constexpr int kMajor = HIP_VERSION_MAJOR;  // of the toolkit that this was built with

char g_version[320] = "HIP runtime";  // with its version, and the device that was left out, after probe()

// Asks the runtime nothing: any call would initialise it, and a process that forks before probe() keeps its GPUs for
// the child.
libsgemm_status_t open(const Host &host, Error *error) {
  set_host(host);
  const libsgemm_status_t status = read_faults("LIBSGEMM_TEST_HIP_FAULT", error);
  if (status != LIBSGEMM_SUCCESS) return status;
#if defined(__HIP_PLATFORM_AMD__)
  // What every driver that the runtime knows would show: on Linux, in a virtual machine, under Windows.
  if (access("/dev/kfd", F_OK) != 0 && access("/dev/dri", F_OK) != 0 && access("/dev/dxg", F_OK) != 0) {
    set_error(error, "there is no driver of an AMD GPU: no /dev/kfd, /dev/dri or /dev/dxg");
    return LIBSGEMM_UNAVAILABLE;
  }
#endif
  return LIBSGEMM_SUCCESS;
}

const char *version() { return g_version; }

libsgemm_status_t probe(Error *error) {
  int runtime = 0;
  if (hipRuntimeGetVersion(&runtime) != hipSuccess) runtime = 0;
  const int major = runtime / 10000000, minor = runtime / 100000 % 100;
  if (runtime != 0 && major != kMajor) {
    set_error(error, "the HIP runtime is of version %d.%d, and this build needs %d", major, minor, kMajor);
    return LIBSGEMM_UNAVAILABLE;
  }
  const libsgemm_status_t status = enumerate(error);
  if (status != LIBSGEMM_SUCCESS) return status;
  std::snprintf(g_version, sizeof g_version, "HIP runtime %d.%d.%d%s%s", major, minor, runtime % 100000,
                left_out()[0] != '\0' ? "; " : "", left_out());
  return LIBSGEMM_SUCCESS;
}

libsgemm_status_t describe_device(int index, libsgemm_device_info_t *info, Error *) {
  const Device &d = device(index);
  std::snprintf(info->name, sizeof info->name, "%s", d.name);
  std::snprintf(info->arch, sizeof info->arch, "%s", d.arch);
  info->memory_bytes = d.memory_bytes;
  info->compute_units = d.compute_units;
  size_t free_bytes = 0, total_bytes = 0;
  Error unusable;  // the rest is known all the same
  if (memory(index, &free_bytes, &total_bytes, &unusable) == LIBSGEMM_SUCCESS) info->memory_free_bytes = free_bytes;
  return LIBSGEMM_SUCCESS;
}

Backend make() {
  Backend b = {};
  b.abi = kBackendAbi;
  b.is_gpu = true;
  b.name = "hip";
  b.kernels = kernels();
  b.kernel_count = kernel_count();
  b.open = open;
  b.version = version;
  b.device_count = device_count;
  b.describe_device = describe_device;
  b.probe = probe;
  b.locate = locate;
  b.capturing = capturing;
  b.allocate = allocate;
  b.release = release;
  b.memory = memory;
  b.allocate_pinned = allocate_pinned;
  b.release_pinned = release_pinned;
  b.create_stream = create_stream;
  b.destroy_stream = destroy_stream;
  b.create_event = create_event;
  b.destroy_event = destroy_event;
  b.record_event = record_event;
  b.stream_wait_event = stream_wait_event;
  b.synchronize = synchronize;
  b.copy = copy;
  b.scale = scale;
  return b;
}

}  // namespace
}  // namespace libsgemm::hip

extern "C" LIBSGEMM_API const libsgemm::Backend *libsgemm_backend_table() {
  static const libsgemm::Backend backend = libsgemm::hip::make();
  return &backend;
}
