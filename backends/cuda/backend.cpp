// libsgemm_cuda.so: NVIDIA GPUs.
#include "contract/backend.h"

#include <cuda_runtime.h>

#include <cstdlib>

#include "gpu/fault.h"
#include "gpu/runtime/devices.h"
#include "gpu/runtime/runtime.h"
#include "gpu/splits/fp64_share.h"
#include "gpu/splits/split_kernel.h"
#include "process/elf_file.h"
#include "runtime/driver.h"
#include "runtime/elements.h"
#include "runtime/epilogue.h"
#include "runtime/graph.h"

namespace libsgemm::cuda {

using namespace gpu;

namespace {

// Constructors of the CUDA runtime end the process if memory runs out. With this note the plugin is not loaded where
// there is no driver.
__attribute__((section(".note.libsgemm"), aligned(4), used)) constexpr BeneathNote kBeneath("libcuda.so.1",
                                                                                            "NVIDIA driver");

char g_version[48];        // driver and runtime; written by open()
char g_version_full[320];  // also the device that was left out; written by probe()
const char *g_version_now = g_version;

libsgemm_status_t open(const Host &host, Error *error) {
  set_host(host);
  libsgemm_status_t status = read_faults("LIBSGEMM_TEST_CUDA_FAULT", error);
  if (status == LIBSGEMM_SUCCESS) status = open_driver(error);
  if (status != LIBSGEMM_SUCCESS) return status;
  int driver_version = 0;
  driver().get_version(&driver_version);
  const int major = driver_version / 1000, minor = driver_version % 1000 / 10;
  constexpr int kMajor = CUDART_VERSION / 1000, kMinor = CUDART_VERSION % 1000 / 10;
  if (major < kMajor) {  // within a major version any driver serves any runtime
    set_error(error, "the NVIDIA driver is too old: it supports CUDA %d.%d, and this build needs %d.0", major, minor,
              kMajor);
    return LIBSGEMM_UNAVAILABLE;
  }
  std::snprintf(g_version, sizeof g_version, "CUDA driver %d.%d, runtime %d.%d", major, minor, kMajor, kMinor);
  return LIBSGEMM_SUCCESS;
}

const char *version() { return g_version_now; }

// The only call of cuInit: before it a process can fork and use GPUs in the child.
libsgemm_status_t probe(Error *error) {
  const CUresult code = driver().init(0);
  if (code != CUDA_SUCCESS) {
    const char *visible = std::getenv("CUDA_VISIBLE_DEVICES");
    set_error(error, "the NVIDIA driver cannot be initialised: %s%s%s", words(code),
              visible != nullptr ? "; CUDA_VISIBLE_DEVICES=" : "", visible != nullptr ? visible : "");
    return LIBSGEMM_UNAVAILABLE;
  }
  const libsgemm_status_t status = enumerate(error);
  if (status == LIBSGEMM_SUCCESS && left_out()[0] != '\0') {
    std::snprintf(g_version_full, sizeof g_version_full, "%s; %s", g_version, left_out());
    g_version_now = g_version_full;
  }
  return status;
}

Backend make() {
  Backend b = make_backend("cuda");
  b.open = open;
  b.version = version;
  b.probe = probe;
  b.keep_with_graph = keep_with_graph;
  b.plan_bytes = split_plan_bytes;
  b.plan = launch_split_plan;
  b.fp64_share = fp64_share;
  b.elements_bytes = elements_bytes;
  b.elements = elements;
  b.epilogue = epilogue;
  return b;
}

}  // namespace
}  // namespace libsgemm::cuda

extern "C" LIBSGEMM_API const libsgemm::Backend *libsgemm_backend_table() {
  static const libsgemm::Backend backend = libsgemm::cuda::make();
  return &backend;
}
