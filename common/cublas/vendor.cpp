#include "gpu_blas/vendor.h"

#include <stdlib.h>

#include <cstring>

#include "cublas/arithmetic.h"
#include "gpu_blas/real.h"

extern "C" {
// Tells programs that the drop-in is loaded.
LIBSGEMM_API int libsgemm_cublas_version(void);
int libsgemm_cublas_version(void) { return LIBSGEMM_VERSION; }

int cublasGetPointerMode_v2(libsgemm::VendorHandle handle, int *mode);
int cublasGetMathMode(libsgemm::VendorHandle handle, int *mode);
int cublasGetAtomicsMode(libsgemm::VendorHandle handle, int *mode);
int cublasGetStream_v2(libsgemm::VendorHandle handle, void **stream);
}

namespace libsgemm {
namespace {

Real<decltype(cublasGetStream_v2)> g_get_stream("cublasGetStream_v2");

bool tf32_is_forbidden() {
  static const bool forbidden = [] {
    const char *const value = getenv("NVIDIA_TF32_OVERRIDE");
    return value != nullptr && std::strcmp(value, "0") == 0;
  }();
  return forbidden;
}

Asked asked_by(int math_mode) {
  switch (math_mode & kMathKind) {
    case kMathDefault:
      return Asked::exact;
    case kMathTf32:
      return tf32_is_forbidden() ? Asked::exact : Asked::reduced;
    case kMathTensorOp:
      return Asked::reduced;
    default:
      return Asked::refused;
  }
}

}  // namespace

const Vendor kVendor = {"cublas", "cuBLAS"};
const char *const kVendorLibrary = "libcublas";
const int kVendorNoTrans = 0;
const int kVendorLacks = kCublasNotInitialized;

int vendor_status(libsgemm_status_t status) {
  switch (status) {
    case LIBSGEMM_SUCCESS:
      return kVendorSuccess;
    case LIBSGEMM_OUT_OF_MEMORY:
      return kCublasAllocFailed;
    case LIBSGEMM_EXECUTION_FAILED:
      return kCublasExecutionFailed;
    case LIBSGEMM_NOT_SUPPORTED:
      return kCublasNotSupported;
    case LIBSGEMM_INVALID_ENVIRONMENT:
    case LIBSGEMM_UNAVAILABLE:
      return kCublasNotInitialized;
    default:
      return kCublasInternalError;
  }
}

int op_of(int theirs) { return theirs >= 0 && theirs <= 2 ? LIBSGEMM_NO_TRANS + theirs : -1; }
int side_of(int theirs) { return theirs == 0 ? LIBSGEMM_LEFT : theirs == 1 ? LIBSGEMM_RIGHT : -1; }
int uplo_of(int theirs) { return theirs == 0 ? LIBSGEMM_LOWER : theirs == 1 ? LIBSGEMM_UPPER : -1; }
int diag_of(int theirs) { return theirs == 0 ? LIBSGEMM_NON_UNIT : theirs == 1 ? LIBSGEMM_UNIT : -1; }

bool type_of(int theirs, Type *type) {
  *type = theirs == kCudaR16F ? Type::f16 : theirs == kCudaR16BF ? Type::bf16 : Type::f32;
  return theirs == kCudaR32F || theirs == kCudaR16F || theirs == kCudaR16BF;
}

const char *ask_handle(const Product &p, Surroundings *around) {
  static Real<decltype(cublasGetPointerMode_v2)> get_pointer_mode("cublasGetPointerMode_v2");
  static Real<decltype(cublasGetMathMode)> get_math_mode("cublasGetMathMode");
  static Real<decltype(cublasGetAtomicsMode)> get_atomics_mode("cublasGetAtomicsMode");
  if (p.from_lt) {
    around->stream = p.stream;
    around->repeatable = true;  // cublasLt has no setting that allows atomics
    return nullptr;
  }
  int pointer_mode = 0, math_mode = 0, atomics_mode = kAtomicsNotAllowed;
  if (get_pointer_mode(p.handle, &pointer_mode) != kVendorSuccess ||
      get_math_mode(p.handle, &math_mode) != kVendorSuccess ||
      get_atomics_mode(p.handle, &atomics_mode) != kVendorSuccess ||
      g_get_stream(p.handle, &around->stream) != kVendorSuccess) {
    return "handle that cuBLAS refuses";
  }
  if (pointer_mode != kPointerModeHost) return "scalars on the device";
  const Asked asked = asked_by(math_mode);
  // Rounding of FP32 does not matter for 16-bit inputs.
  const bool inexact = p.call.type == Type::f32 && asked == Asked::reduced;
  if (asked == Asked::refused || inexact) around->asked = asked;
  around->repeatable = atomics_mode == kAtomicsNotAllowed;
  return nullptr;
}

void *stream_of(VendorHandle handle) {
  void *stream = nullptr;
  g_get_stream(handle, &stream);
  return stream;
}

void compute_type(Product *p, int compute) {
  switch (compute) {
    case kCompute32F:
      return;
    case kCompute32FFastTf32:
      if (!tf32_is_forbidden()) p->asked = Asked::reduced;
      return;
    case kCompute32FFast16F:
    case kCompute32FFast16BF:
      p->asked = Asked::reduced;
      return;
    case kCompute32FPedantic:
      return p->refuse("pedantic math");
    default:
      return p->refuse("compute type");
  }
}

void algorithm(Product *p, int which) {
  const bool known = (which >= -1 && which <= 23) || (which >= 99 && which <= 115) || which == 999;
  if (!known) p->refuse("argument not accepted");
}

}  // namespace libsgemm
