#include "gpu_blas/handles.h"

#include "gpu_blas/real.h"
#include "gpu_blas/take.h"

using libsgemm::Real;
using libsgemm::VendorHandle;

extern "C" {

LIBSGEMM_API int rocblas_create_handle(VendorHandle *handle) {
  static Real<decltype(rocblas_create_handle)> real("rocblas_create_handle");
  return libsgemm::note_new_handle(real(handle), handle);
}

LIBSGEMM_API int rocblas_destroy_handle(VendorHandle handle) {
  static Real<decltype(rocblas_destroy_handle)> real("rocblas_destroy_handle");
  if (!libsgemm::is_inside()) libsgemm::forget_handle(handle);
  return real(handle);
}

LIBSGEMM_API int rocblas_set_stream(VendorHandle handle, void *stream) {
  static Real<decltype(rocblas_set_stream)> real("rocblas_set_stream");
  const int status = real(handle, stream);
  if (status == libsgemm::kVendorSuccess) libsgemm::note_stream(handle, true);
  return status;
}

LIBSGEMM_API int rocblas_set_workspace(VendorHandle handle, void *workspace, size_t bytes) {
  static Real<decltype(rocblas_set_workspace)> real("rocblas_set_workspace");
  const int status = real(handle, workspace, bytes);
  if (status == libsgemm::kVendorSuccess) libsgemm::note_workspace(handle, workspace, bytes);
  return status;
}

// Resets the program's workspace.
LIBSGEMM_API int rocblas_set_device_memory_size(VendorHandle handle, size_t bytes) {
  static Real<decltype(rocblas_set_device_memory_size)> real("rocblas_set_device_memory_size");
  const int status = real(handle, bytes);
  libsgemm::note_workspace(handle, nullptr, 0);
  return status;
}
}
