// libsgemm_hip.so: the backend for AMD GPUs.
#include "contract/backend.h"

#include <hip/hip_runtime.h>
#include <unistd.h>

#include "gpu/fault.h"
#include "gpu/runtime/code.h"
#include "gpu/runtime/devices.h"
#include "gpu/runtime/runtime.h"
#include "gpu/splits/fp64_share.h"
#include "gpu/splits/split_kernel.h"

namespace libsgemm::hip {

using namespace gpu;

namespace {

constexpr int kMajor = HIP_VERSION_MAJOR;

char g_version[320] = "HIP runtime";  // probe() adds the runtime's version and the devices left out

// Any call of the runtime would initialise it, but a process may fork before probe() and use GPUs in the child.
libsgemm_status_t open(const Host &host, Error *error) {
  set_host(host);
  const libsgemm_status_t status = read_faults("LIBSGEMM_TEST_HIP_FAULT", error);
  if (status != LIBSGEMM_SUCCESS) return status;
#if defined(__HIP_PLATFORM_AMD__)
  // Device files of all drivers that the runtime supports: Linux, a virtual machine, Windows.
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
  if (!succeeds(hipRuntimeGetVersion(&runtime))) runtime = 0;
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

Backend make() {
  Backend b = make_backend("hip");
  b.open = open;
  b.version = version;
  b.probe = probe;
  b.plan_bytes = split_plan_bytes;
  b.plan = launch_split_plan;
  b.fp64_share = fp64_share;
  return b;
}

}  // namespace
}  // namespace libsgemm::hip

extern "C" LIBSGEMM_API const libsgemm::Backend *libsgemm_backend_table() {
  static const libsgemm::Backend backend = libsgemm::hip::make();
  return &backend;
}
