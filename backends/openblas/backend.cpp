#include "contract/backend.h"

#include "blas.h"
#include "kernels.h"

namespace libsgemm {
namespace {

int device_count() { return 1; }

libsgemm_status_t describe_device(int, libsgemm_device_info_t *info, Error *) {
  std::snprintf(info->name, sizeof info->name, "CPU");
  std::snprintf(info->arch, sizeof info->arch, "%s", blas_arch());
  info->compute_units = blas_threads();
  return LIBSGEMM_SUCCESS;
}

Backend make() {
  Backend b = {};
  b.abi = kBackendAbi;
  b.name = "openblas";
  b.kernels = kOpenblasKernels;
  b.kernel_count = kOpenblasKernelCount;
  b.open = blas_open;
  b.version = blas_version;
  b.device_count = device_count;
  b.describe_device = describe_device;
  b.before_fork = blas_end_threads;
  return b;
}

}  // namespace
}  // namespace libsgemm

extern "C" LIBSGEMM_API const libsgemm::Backend *libsgemm_backend_table() {
  static const libsgemm::Backend backend = libsgemm::make();
  return &backend;
}
