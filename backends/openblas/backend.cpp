#include "contract/backend.h"

#include "blas.h"
#include "kernels.h"

namespace libsgemm {
namespace {

libsgemm_status_t describe_device(int, libsgemm_device_info_t *info, Error *) {
  std::snprintf(info->name, sizeof info->name, "CPU");
  std::snprintf(info->arch, sizeof info->arch, "%s", blas_arch());
  info->compute_units = blas_threads();
  return LIBSGEMM_SUCCESS;
}

Backend make() {
  Backend b = cpu_backend("openblas", kOpenblasKernels, kOpenblasKernelCount, blas_open, blas_version, describe_device);
  b.before_fork = blas_end_threads;
  return b;
}

}  // namespace
}  // namespace libsgemm

extern "C" LIBSGEMM_API const libsgemm::Backend *libsgemm_backend_table() {
  static const libsgemm::Backend backend = libsgemm::make();
  return &backend;
}
