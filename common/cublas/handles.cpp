#include "gpu_blas/handles.h"

#include "gpu_blas/real.h"
#include "gpu_blas/take.h"

using libsgemm::Real;
using libsgemm::VendorHandle;

extern "C" {

LIBSGEMM_API int cublasCreate_v2(VendorHandle *handle) {
  static Real<decltype(cublasCreate_v2)> real("cublasCreate_v2");
  return libsgemm::note_new_handle(real(handle), handle);
}

LIBSGEMM_API int cublasDestroy_v2(VendorHandle handle) {
  static Real<decltype(cublasDestroy_v2)> real("cublasDestroy_v2");
  if (!libsgemm::is_inside()) libsgemm::forget_handle(handle);
  return real(handle);
}

LIBSGEMM_API int cublasLtCreate(VendorHandle *handle) {
  static Real<decltype(cublasLtCreate)> real("cublasLtCreate");
  return libsgemm::note_new_handle(real(handle), handle);
}

LIBSGEMM_API int cublasLtDestroy(VendorHandle handle) {
  static Real<decltype(cublasLtDestroy)> real("cublasLtDestroy");
  if (!libsgemm::is_inside()) libsgemm::forget_handle(handle);
  return real(handle);
}

// Setting a stream resets the workspace, as in cuBLAS.
LIBSGEMM_API int cublasSetStream_v2(VendorHandle handle, void *stream) {
  static Real<decltype(cublasSetStream_v2)> real("cublasSetStream_v2");
  const int status = real(handle, stream);
  if (status == libsgemm::kVendorSuccess) libsgemm::note_stream(handle, false);
  return status;
}

LIBSGEMM_API int cublasSetWorkspace_v2(VendorHandle handle, void *workspace, size_t bytes) {
  static Real<decltype(cublasSetWorkspace_v2)> real("cublasSetWorkspace_v2");
  const int status = real(handle, workspace, bytes);
  if (status == libsgemm::kVendorSuccess) libsgemm::note_workspace(handle, workspace, bytes);
  return status;
}
}
